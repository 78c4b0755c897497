/** Valid names of libraries and versions: sheaf-pack's rules, for the store and for code that makes up names. */

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

/** `text` reduced to characters that a library name may hold. Does not check the first character. */
export function libraryCharacters(text: string): string {
  return text.replace(/[^A-Za-z0-9._+-]+/g, '-');
}
