/** An address or a path without the slashes at its end; linear, as `/\/+$/` is not. */
export function withoutEndSlashes(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === '/') end--;
  return text.slice(0, end);
}
