/**
 * Where a page's head ends and its body begins, also where their tags are left out, as valid HTML may.
 *
 * Idea: one pass over tags and text by the rules that browsers parse by. A head holds only certain elements; the first
 * other tag or text begins the body. Comments, raw text (scripts, styles, titles, …), templates and attributes are
 * passed over. Positions are offsets, so that nothing of a page needs to be written anew.
 *
 * Cost: linear in the page, whatever it holds.
 */

export interface InsertionPoints {
  /** Of `</head>`; undefined: it is left out. */
  headEnd?: number;
  /** Behind `<body …>`, or where the body begins without it; undefined: `obstacle` says why there is none. */
  bodyStart?: number;
  /** A clause. */
  obstacle?: string;
  /** The address of the first `<base>` that has one, as it is written. */
  base?: string;
  /** Whether the page has a `<sheaf-search>`. */
  hasElement: boolean;
}

// A piece of a page that scripts load would bring a second button into a page.
const PIECE = 'it is a piece of a page, without <!doctype>, <html>, <head>, <title> and <body>';
const MARKS_OF_PAGES = new Set(['!doctype', 'html', 'head', 'title', 'body', 'frameset']);
/** Elements whose content is text, where scripts run. */
const RAW = new Set(['script', 'style', 'title', 'textarea', 'iframe', 'noembed', 'noframes', 'noscript', 'xmp']);
/** Start tags that do not end the head. */
const HEAD_STARTS = new Set(
  '!doctype html head base basefont bgsound link meta noframes noscript script style template title'.split(' '),
);
/** End tags that begin a body; before it, others are ignored. */
const BODY_ENDS = new Set(['html', 'body', 'br']);
/** What is looked for behind the beginning of the body; most pages have neither, and are read no further. */
const IN_BODIES = /<(?:base|sheaf-search)[\s/>]/i;

/** Pure. */
export function findInsertionPoints(html: string): InsertionPoints {
  const found: InsertionPoints = { hasElement: false };
  if (/^(?:\xff\xfe|\xfe\xff)/.test(html)) return { ...found, obstacle: 'it is in UTF-16' };
  const isReadWhole = IN_BODIES.test(html);
  let isPage = false;
  let templates = 0;
  for (const { name, isEnd, at, end } of tokens(html, () => found.bodyStart !== undefined)) {
    if (found.bodyStart !== undefined && !isReadWhole) break;
    if (name === '#endless') {
      if (found.bodyStart === undefined) found.obstacle = 'a comment, a tag or raw text in it never ends';
      return found;
    }
    if (name === 'template') templates = Math.max(0, templates + (isEnd ? -1 : 1));
    if (templates > 0) continue;
    if (name === 'sheaf-search') found.hasElement = true;
    if (name === 'base') found.base ??= attribute(html.slice(at, end), 'href');
    if (found.bodyStart !== undefined) continue;
    isPage ||= MARKS_OF_PAGES.has(name);
    if (name === 'head' && isEnd) found.headEnd ??= at;
    else if (name === 'body' && !isEnd) found.bodyStart = end;
    else if (name === 'frameset' && !isEnd) return { ...found, obstacle: 'it is a frameset' };
    else if (isEnd ? BODY_ENDS.has(name) : !HEAD_STARTS.has(name)) {
      if (!isPage) return { ...found, obstacle: PIECE };
      found.bodyStart = at;
    }
  }
  if (found.bodyStart !== undefined) return found;
  if (templates > 0) return { ...found, obstacle: 'a template in it never ends' };
  return isPage ? { ...found, bodyStart: html.length } : { ...found, obstacle: PIECE };
}

interface Token {
  /** In lower case; `!doctype`; `#text`, not of spaces alone; `#endless`: what begins here never ends. */
  name: string;
  isEnd: boolean;
  at: number;
  end: number;
}

/** Tags and text in order, comments left out. `inBody`: whether text is of no interest any more. */
function* tokens(html: string, inBody: () => boolean): Generator<Token> {
  const opening = /<(?:(!--)|(!doctype)|[!?]|\/(?![a-z])|(\/?)([a-z][^\s/>]*))/gi;
  // Byte order marks, as UTF-16 and as bytes.
  let at = /^(?:\ufeff|\xef\xbb\xbf)?/.exec(html)?.[0].length ?? 0;
  while (at < html.length) {
    opening.lastIndex = at;
    const match = opening.exec(html);
    if (!inBody()) {
      const text = firstOf(/[^\t\n\f\r \0]/g, html, at, match?.index ?? html.length);
      if (text >= 0) yield { name: '#text', isEnd: false, at: text, end: text };
    }
    if (match === null) return;
    const [tag, comment, doctype, slash, given] = match;
    const name = given?.toLowerCase() ?? doctype?.toLowerCase() ?? '#comment';
    const end = comment !== undefined ? commentEnd(html, match.index) : tagEnd(html, match.index + tag.length, given);
    if (end < 0) return yield { name: '#endless', isEnd: false, at: match.index, end: html.length };
    const isEnd = slash === '/';
    if (name !== '#comment') yield { name, isEnd, at: match.index, end };
    at = end;
    if (isEnd || !RAW.has(name)) continue;
    at = name === 'script' ? scriptEnd(html, end) : firstOf(new RegExp(`</${name}(?=[\\s/>])`, 'gi'), html, end);
    if (at < 0) return yield { name: '#endless', isEnd: false, at: end, end: html.length };
  }
}

/** Index of what `pattern`, a global one, finds first in a stretch; -1: nothing. */
function firstOf(pattern: RegExp, html: string, from: number, to: number = html.length): number {
  pattern.lastIndex = from;
  const index = pattern.exec(html)?.index ?? -1;
  return index < to ? index : -1;
}

/** Also of `<!-->`, which is a whole comment. */
function commentEnd(html: string, at: number): number {
  const end = /--!?>/g;
  end.lastIndex = at + 2;
  return end.exec(html) === null ? -1 : end.lastIndex;
}

/** Behind the `>`; without a `name` it is no tag, and has no attributes. Quotes count where a value begins. -1: it never ends. */
function tagEnd(html: string, from: number, name: string | undefined): number {
  const next = name === undefined ? />/g : />|=\s*(?:("|')|[^\s>]*)/g;
  next.lastIndex = from;
  for (let match = next.exec(html); match !== null; match = next.exec(html)) {
    if (match[0] === '>') return next.lastIndex;
    const quote = match[1];
    if (quote === undefined) continue;
    const end = html.indexOf(quote, next.lastIndex);
    if (end < 0) return -1;
    next.lastIndex = end + 1;
  }
  return -1;
}

/** Of `</script>`. Within a comment in a script, a `<script>` hides the next one of them. -1: there is none. */
function scriptEnd(html: string, from: number): number {
  const mark = /<!--|-->|<(\/?)script(?=[\s/>])/gi;
  mark.lastIndex = from;
  let inComment = false;
  let isHidden = false;
  for (let match = mark.exec(html); match !== null; match = mark.exec(html)) {
    if (match[0] === '<!--') {
      inComment = true;
      mark.lastIndex -= 2; // `<!-->` is a whole comment
    } else if (match[0] === '-->') inComment = isHidden = false;
    else if (match[1] === '') isHidden = inComment;
    else if (isHidden) isHidden = false;
    else return match.index;
  }
  return -1;
}

/** Start tags of elements with these names, as they are written, in order. Pure. */
export function startTags(html: string, names: readonly string[]): { name: string; tag: string }[] {
  const found: { name: string; tag: string }[] = [];
  for (const { name, isEnd, at, end } of tokens(html, () => true)) {
    if (!isEnd && names.includes(name)) found.push({ name, tag: html.slice(at, end) });
  }
  return found;
}

/** An element, by offsets in the page. */
export interface Found {
  /** Of its start tag. */
  at: number;
  innerStart: number;
  /** Of its end tag, and behind it; undefined: it has none, or is void. */
  innerEnd?: number;
  end?: number;
}

/**
 * For each test the first element in the page whose start tag passes it; once that of the first test has ended, the others
 * are not looked for any more. An end tag belongs to the element if as many of its name have ended as begun since. Pure.
 */
export function findElements(
  html: string,
  tests: readonly ((name: string, tag: string) => boolean)[],
): (Found | undefined)[] {
  const found: (Found | undefined)[] = tests.map(() => undefined);
  const open = new Map<Found, { name: string; depth: number }>();
  for (const { name, isEnd, at, end } of tokens(html, () => true)) {
    if (name === '#endless') break;
    for (const [element, its] of open) {
      if (its.name !== name) continue;
      its.depth += isEnd ? -1 : 1;
      if (its.depth > 0) continue;
      Object.assign(element, { innerEnd: at, end });
      open.delete(element);
    }
    if (found[0]?.end !== undefined) break;
    if (isEnd) continue;
    const tag = html.slice(at, end);
    for (const [i, test] of tests.entries()) {
      if (found[i] !== undefined || !test(name, tag)) continue;
      const element: Found = { at, innerStart: end };
      found[i] = element;
      open.set(element, { name, depth: 1 });
    }
  }
  return found;
}

/** The value of a tag's attribute, references to characters but `&amp;` as they stand. Pure. */
export function attribute(tag: string, name: string): string | undefined {
  const match = new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)'|([^\\s"'>]+))`, 'i').exec(tag);
  return (match?.[1] ?? match?.[2] ?? match?.[3])?.trim().replace(/&amp;/g, '&');
}
