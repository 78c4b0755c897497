/**
 * Markdown of documentation comments: what the styles of all languages share. All functions are pure and take linear time.
 */
import { withoutClosing } from './heading.js';

// ---- references ---------------------------------------------------------------------------------

const [BEGIN, MIDDLE, END] = ['\u0001', '\u0002', '\u0003'];
const MARK = /\u0001([^\u0001-\u0003]*)\u0002([^\u0001-\u0003]*)\u0003/g;

/** A mark for a name; `text` as shown, in code where it is the name. */
export const refer = (name: string, text = name): string =>
  `${BEGIN}${name.trim()}${MIDDLE}${text.trim() || name.trim()}${END}`;

/** Puts in place of each mark what `resolve` gives. */
export const withReferences = (markdown: string, resolve: (name: string, text: string) => string): string =>
  markdown.replace(MARK, (_, name: string, text: string) => resolve(name, text));

/** Without control characters, which marks are made of. */
export const withoutMarks = (text: string): string => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, ' ');

/** Of one comment; what is beyond is cut. */
export const MAX_COMMENT = 128 << 10;

// ---- lines --------------------------------------------------------------------------------------

export const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Without the common indentation; the first line may have its own. */
export function dedent(text: string, firstToo = true): string {
  const lines = text.replace(/\r\n?/g, '\n').replace(/\t/g, '    ').split('\n');
  let least = Infinity;
  for (const line of firstToo ? lines : lines.slice(1)) if (line.trim() !== '') least = Math.min(least, indentOf(line));
  const cut = least === Infinity ? 0 : least;
  return lines
    .map((line, i) => (i === 0 && !firstToo ? line.trim() : line.slice(Math.min(cut, indentOf(line)))))
    .join('\n');
}

/** The text of a comment: of a block, or of lines one below the other. */
export function commentText(comment: string): string {
  const text = comment.slice(0, MAX_COMMENT).trim();
  if (text.startsWith('/*')) {
    let end = text.endsWith('*/') ? text.length - 2 : text.length;
    while (end > 2 && text[end - 1] === '*') end -= 1;
    const inner = text.slice(0, end).replace(/^\/\*[*!]*<?/, '');
    const lines = inner.split(/\r?\n/);
    // All lines but the first have a star, or none has.
    const stars = lines.slice(1).filter((line) => line.trim() !== '');
    const bare = stars.length > 0 && stars.every((line) => /^\s*\*/.test(line));
    return dedent(
      (bare ? lines.map((line, i) => (i === 0 ? line : line.replace(/^\s*\*/, ''))) : lines).join('\n'),
      false,
    ).trim();
  }
  return dedent(
    text
      .split(/\r?\n/)
      .map((line) => line.trim().replace(/^(?:\/\/[/!]?<?|#:?)/, ''))
      .join('\n'),
  )
    .replace(/^\n+/, '')
    .trimEnd();
}

/** The marks that open a fence on this line. */
export const opensFence = (line: string): string | undefined => /^\s*(`{3,}(?=[^`]*$)|~{3,})/.exec(line)?.[1];

/** Whether a line closes the fence that `marks` opened. */
export const closesFence = (line: string, marks: string): boolean =>
  /^\s*(?:`{3,}|~{3,})\s*$/.test(line) && line.trim().startsWith(marks);

/** Of each line, whether it is in a fence, its marks included; a fence that nothing closes is none. */
export function inFences(lines: readonly string[]): boolean[] {
  const within = lines.map(() => false);
  const unclosed = new Set<string>();
  for (let i = 0; i < lines.length; ++i) {
    const marks = opensFence(lines[i] as string);
    if (marks === undefined || unclosed.has(marks)) continue;
    let end = i + 1;
    while (end < lines.length && !closesFence(lines[end] as string, marks)) end += 1;
    if (end === lines.length) unclosed.add(marks);
    else {
      within.fill(true, i, end + 1);
      i = end;
    }
  }
  return within;
}

/** With its last fence closed, so that what follows is no code. */
export function withClosedFences(markdown: string): string {
  let open = '';
  for (const line of markdown.split('\n'))
    if (open === '') open = opensFence(line) ?? '';
    else if (closesFence(line, open)) open = '';
  return open === '' ? markdown : `${markdown}\n${open}`;
}

export function fence(code: string, language: string): string {
  const text = dedent(code).replace(/^\n+/, '').trimEnd();
  if (text === '') return '';
  let marks = '```';
  while (text.includes(marks)) marks += '`';
  return `${marks}${language}\n${text}\n${marks}`;
}

/** `text` as a code span. */
export const code = (text: string): string => {
  const plain = text.replace(/\s+/g, ' ').trim();
  if (plain === '') return '';
  const runs = new Set(plain.match(/`+/g)?.map(({ length }) => length));
  if (runs.size === 0) return `\`${plain}\``;
  let marks = 1;
  while (runs.has(marks)) marks += 1;
  return `${'`'.repeat(marks)} ${plain} ${'`'.repeat(marks)}`;
};

/** Plain text: characters of Markdown and HTML that would do something are escaped. */
export const escapeText = (text: string): string =>
  text.replace(/\b__(\w{1,80}?)__\b/g, '`__$1__`').replace(/<(?=[A-Za-z/!])(?!https?:)/g, '&lt;');

/** In Markdown: `Map<string>` is no tag. */
export const escapeTags = (text: string): string =>
  text.replace(
    /<(?=[A-Za-z/])(?!\/?(?:a|b|i|u|br|hr|p|code|pre|em|strong|ul|ol|li|dl|dt|dd|table|thead|tbody|tr|td|th|div|span|img|h[1-6]|sub|sup|kbd|details|summary|small|blockquote)\b|https?:|mailto:)/gi,
    '&lt;',
  );

/** Applies `prose` outside fences and code spans. */
export const outsideCode = (markdown: string, prose: (text: string) => string): string =>
  outsideFences(markdown, (text) =>
    text
      .split(/((?<!`)(?:`[^`\n]{1,2000}`|``(?:[^`\n]|`(?!`)){1,2000}``|`{3,}[^`\n]{1,2000}`{3,})(?!`))/)
      .map((part, i) => (i % 2 === 1 ? part : prose(part)))
      .join(''),
  );

export function outsideFences(markdown: string, prose: (text: string) => string): string {
  const out: string[] = [];
  let text: string[] = [];
  let open = '';
  const flush = (): void => {
    if (text.length > 0) out.push(prose(text.join('\n')));
    text = [];
  };
  for (const line of markdown.split('\n')) {
    const marks = open === '' ? opensFence(line) : undefined;
    if (open === '' && marks === undefined) {
      text.push(line);
      continue;
    }
    flush();
    out.push(line);
    if (open === '') open = marks as string;
    else if (closesFence(line, open)) open = '';
  }
  flush();
  return out.join('\n');
}

/** Headings within an entry are bold lines: the entry stays one passage. In a module's text they are one level lower. */
export const headings = (markdown: string, asBold: boolean): string =>
  outsideFences(markdown, (text) =>
    text.replace(/^ {0,3}(#{1,6})[ \t]+([^\n]+)$/gm, (_, marks: string, rest: string) => {
      const title = withoutClosing(rest, '#');
      return asBold ? `**${title.replace(/\*\*/g, '')}**\n` : `${'#'.repeat(Math.min(6, marks.length + 1))} ${title}`;
    }),
  );

// ---- sections -----------------------------------------------------------------------------------

export interface Item {
  name: string;
  type?: string;
  text: string;
}

/** Parameters, errors and the like below the text. */
export class Sections {
  readonly #order: string[] = [];
  readonly #items = new Map<string, Item[]>();
  readonly #texts = new Map<string, string[]>();

  item(title: string, item: Item): void {
    this.#of(this.#items, title).push(item);
  }
  text(title: string, text: string): void {
    this.#of(this.#texts, title).push(text);
  }
  items = (title: string): Item[] => this.#items.get(title) ?? [];

  #of<T>(map: Map<string, T[]>, title: string): T[] {
    if (!this.#order.includes(title)) this.#order.push(title);
    const found = map.get(title) ?? [];
    map.set(title, found);
    return found;
  }

  /** Below `text`. */
  below(text: string): string {
    const parts = [text.trim()];
    for (const title of this.#order) {
      const items = this.items(title).filter(({ name, type, text: said }) => name !== '' || said !== '' || type);
      const texts = (this.#texts.get(title) ?? []).filter((each) => each.trim() !== '');
      if (items.length > 0) parts.push(`**${title}**\n\n${items.map((each) => `- ${itemLine(each)}`).join('\n')}`);
      for (const each of texts)
        parts.push(
          /^(?:```|[-*] |\d+\. )/.test(each) || each.includes('\n\n')
            ? `**${title}**\n\n${each.trim()}`
            : `**${title}:** ${each.trim()}`,
        );
      if (items.length === 0 && texts.length === 0 && title === 'Deprecated') parts.push('**Deprecated**');
    }
    return parts.filter((part) => part !== '').join('\n\n');
  }
}

function itemLine({ name, type, text }: Item): string {
  const head = `${name === '' ? '' : code(name)}${type ? `${name === '' ? '' : ' '}(${type.includes('\u0001') ? type : code(type)})` : ''}`;
  const body = text.trim().replace(/\n/g, '\n  ');
  return head === '' || body === '' ? `${head}${body}` : `${head}: ${body}`;
}
