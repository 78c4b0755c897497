/** The title of a heading line of Markdown (`## Title ##`) or MediaWiki (`== Title ==`), linear in the line. */

const OPENING = { '#': /^ {0,3}#{1,6}[ \t]+(.+)$/s, '=': /^={2,6}[ \t]+(.+)$/s };

/** Undefined for another line. */
export function headingOf(line: string, mark: keyof typeof OPENING): string | undefined {
  const rest = OPENING[mark].exec(line)?.[1];
  return rest === undefined ? undefined : withoutClosing(rest, mark);
}

/** The title without the marks that close it, if any is left. */
export function withoutClosing(title: string, mark: string): string {
  const text = title.trimEnd();
  let end = text.length;
  while (end > 0 && text[end - 1] === mark) end--;
  return text.slice(0, end).trimEnd() || text;
}
