/** How libraries and versions may be called: sheaf-pack's rules, as the store and whoever makes up a name need them. */

/** As sheaf-pack's CheckLibraryName: parts of letters, digits and `. _ - +`, joined by `/`. */
const LIBRARY = /^@?[A-Za-z0-9_][A-Za-z0-9._+-]*(\/[A-Za-z0-9_][A-Za-z0-9._+-]*)*$/;
const MAX_LIBRARY = 128;

/** As sheaf-pack's CheckVersion: free text without slashes, control characters and outer spaces. */
const VERSION = /^(?! )[^/\\\p{Cc}]+(?<! )$/u;
const MAX_VERSION = 64; // bytes of UTF-8

export function isLibraryName(text: string): boolean {
  return text.length <= MAX_LIBRARY && LIBRARY.test(text);
}

export function isVersion(text: string): boolean {
  return VERSION.test(text) && Buffer.byteLength(text) <= MAX_VERSION;
}

/** Text in the characters that a library's name may hold; what begins it is not judged. */
export function libraryCharacters(text: string): string {
  return text.replace(/[^A-Za-z0-9._+-]+/g, '-');
}
