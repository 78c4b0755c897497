/** `%2F` as `/`; a text with a stray percent sign stays as it is. Pure. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
