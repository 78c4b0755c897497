/**
 * Documentation comments with tags: JSDoc and TSDoc, Javadoc, KDoc, Doxygen. A tag begins a line (`@param`, in Doxygen
 * also `\param`); text before the first one describes. All functions are pure and take linear time.
 */
import {
  code,
  commentText,
  escapeTags,
  escapeText,
  fence,
  headings,
  inFences,
  outsideCode,
  refer,
  Sections,
  withClosedFences,
  withoutMarks,
} from './markup.js';
import { entryOf } from './model.js';

export type TagStyle = 'jsdoc' | 'javadoc' | 'kdoc' | 'doxygen';

export interface Tagged {
  /** Markdown with marks. */
  doc: string;
  /** By the words of the comment's tags: private, internal, hidden, file. */
  tags: ReadonlySet<string>;
}

const TITLES: Readonly<Record<string, string>> = {
  returns: 'Returns',
  return: 'Returns',
  result: 'Returns',
  retval: 'Returns',
  yields: 'Yields',
  example: 'Example',
  examples: 'Example',
  deprecated: 'Deprecated',
  since: 'Since',
  see: 'See also',
  sa: 'See also',
  default: 'Default',
  defaultvalue: 'Default',
  note: 'Note',
  warning: 'Warning',
  attention: 'Attention',
  pre: 'Before',
  post: 'After',
  bug: 'Bug',
  throwsdoc: 'Throws',
};
const NAMED: Readonly<Record<string, string>> = {
  param: 'Parameters',
  arg: 'Parameters',
  argument: 'Parameters',
  property: 'Properties',
  prop: 'Properties',
  field: 'Properties',
  tparam: 'Type parameters',
  typeparam: 'Type parameters',
  template: 'Type parameters',
  throws: 'Throws',
  throw: 'Throws',
  exception: 'Throws',
};
/** Their text is part of the description. */
const TEXT = new Set([
  'remarks',
  'description',
  'desc',
  'brief',
  'short',
  'details',
  'summary',
  'par',
  'implnote',
  'apinote',
  'implspec',
  'constructor_',
  'sect1',
  'discussion',
]);
/** Tags of Doxygen that stand alone on a line and say nothing to readers. */
const GROUPS =
  /^(?:defgroup|addtogroup|ingroup|weakgroup|file|name|author|date|version|copyright|struct|class|enum|fn|def|var|typedef|union|namespace|headerfile|hideinitializer|anchor|relates|internal)$/;

/** `comment` as in the file. */
export function readTags(comment: string, style: TagStyle): Tagged {
  const tags = new Set<string>();
  const sections = new Sections();
  const description: string[] = [];
  let tag = '';
  let isNamed = false;
  let lines: string[] = [];
  const finish = (): void => {
    const text = lines.join('\n').trimEnd();
    lines = [];
    if (tag === '' || TEXT.has(tag) || (style === 'kdoc' && tag === 'constructor'))
      description.push(prose(text, style));
    // `@file kiln.h` and the like have their name on the line, and text below it.
    else if (style === 'doxygen' && GROUPS.test(tag))
      description.push(
        prose(
          text
            .split('\n')
            .slice(isNamed ? 1 : 0)
            .join('\n'),
          style,
        ),
      );
    else addTag(sections, tag, text, style);
  };
  const all = unfolded(withoutMarks(commentText(comment)), style).split('\n');
  const isCode = inFences(all);
  for (const [i, line] of all.entries()) {
    const [, name, more = '', rest = ''] = !isCode[i]
      ? ((style === 'doxygen'
          ? /^\s*[@\\]([a-z]\w*)(\[[\w, ]*\]|\{[^}]*\})?(?:\s+|$)(.*)$/i
          : /^\s*@([a-z][\w-]*)()(?:\s+|$)(.*)$/i
        ).exec(line) ?? [])
      : [];
    if (name === undefined || (style === 'doxygen' && INLINE.test(name))) {
      lines.push(line);
      continue;
    }
    finish();
    tag = name.toLowerCase();
    tags.add(tag);
    if (more.includes('internal')) tags.add('internal');
    isNamed = rest !== '';
    if (isNamed) lines.push(rest);
  }
  finish();
  const text = description.filter((part, i) => part.trim() !== '' && description.indexOf(part) === i).join('\n\n');
  return { doc: sections.below(text), tags };
}

function addTag(sections: Sections, tag: string, text: string, style: TagStyle): void {
  const title = entryOf(NAMED, tag);
  const start = text.length - text.trimStart().length;
  const end =
    style === 'jsdoc' && text[start] === '{' && text[start + 1] !== '@' ? endOfBraces(text, start) : undefined;
  const type = end === undefined ? '' : text.slice(start + 1, end).trim();
  const rest = text.slice(end === undefined ? start : end + 1).trimStart();
  if (title !== undefined) {
    const isThrown = title === 'Throws';
    if (isThrown && style === 'jsdoc') return sections.item(title, { name: '', type, text: prose(rest, style) });
    const [head, name = '', said = ''] = /^(\[[^\]]*\]|\S+)\s*(?:-(?:\s|$)|:\s)?\s*([\s\S]*)$/.exec(rest) ?? [];
    if (head === undefined) return;
    const bare = name.replace(/^\[|\]$|^<|>$/g, '').replace(/=.*$/s, '');
    return isThrown
      ? sections.item(title, { name: '', type: refer(bare), text: prose(said, style) })
      : sections.item(title, { name: bare, type, text: prose(said, style) });
  }
  if (tag === 'retval')
    return sections.text(
      'Returns',
      prose(
        rest.replace(/^(\S+)/, (value) => code(value)),
        style,
      ),
    );
  const plain = entryOf(TITLES, tag);
  if (plain === undefined) return; // of tools
  if (plain === 'Example') {
    const [, caption, body = ''] = /^<caption>(.*?)<\/caption>([\s\S]*)$/.exec(rest) ?? [null, null, text];
    const shown = /^[ \t]*(?:```|~~~)/m.test(body) || style === 'kdoc' ? prose(body, style) : fence(body, '');
    return sections.text(plain, `${caption ? `${caption}\n\n` : ''}${shown}`);
  }
  if (plain === 'See also') {
    const one = rest.trim();
    const target = /^(?:[\w$.#:]+(?:\([^)]*\))?)$/.test(one) ? refer(one) : prose(one.replace(/^"|"$/g, ''), style);
    return sections.text(plain, target);
  }
  if (plain === 'Default') return sections.text(plain, /[`{]/.test(rest) ? prose(rest, style) : code(rest));
  sections.text(plain, type === '' || type === 'void' ? prose(rest, style) : `${code(type)} ${prose(rest, style)}`);
}

// ---- text ---------------------------------------------------------------------------------------

const INLINE =
  /^(?:c|p|a|e|em|b|ref|link|endlink|n|f|copydoc|copybrief|include|li|endcode|endverbatim|code|verbatim|htmlonly|endhtmlonly|if|endif|cond|endcond|snippet|u)$/;

/** Blocks of code as fences, before tags are looked for. */
function unfolded(text: string, style: TagStyle): string {
  if (style === 'doxygen') return unfoldedDoxygen(text);
  if (style !== 'javadoc') return text;
  const out: string[] = [];
  let at = 0;
  for (;;) {
    const begin = text.indexOf('<pre', at);
    const end = begin < 0 ? -1 : text.indexOf('</pre>', begin);
    if (end < 0) break;
    const inner = text.slice(text.indexOf('>', begin) + 1, end).trimEnd();
    const [literal] = /^\s*\{@(?:code|literal|snippet)[ \t:]*\n?/.exec(inner) ?? [];
    const body =
      literal === undefined
        ? entities(inner.replace(/\{@(?:code|literal) ?([^{}]*)\}/g, '$1').replace(/<\/?[a-z][^<>]{0,200}>/gi, ''))
        : inner.slice(literal.length, inner.endsWith('}') ? -1 : undefined); // all is text, `List<String>` too
    out.push(text.slice(at, begin), '\n', fence(body, 'java'), '\n');
    at = end + 6;
  }
  return out.join('') + text.slice(at);
}

/** `\\code{.c} … \\endcode` as a fence, wherever on its line it begins. */
function unfoldedDoxygen(text: string): string {
  const out: string[] = [];
  let at = 0;
  for (const begin of text.matchAll(/[@\\](code|verbatim)\b(?:\{\.?(\w*)\})?/g)) {
    if (begin.index < at) continue;
    const [all, word, language] = begin;
    const from = begin.index + all.length;
    const end = ['\\end', '@end'].map((mark) => text.indexOf(mark + word, from)).filter((place) => place >= 0);
    if (end.length === 0) break;
    const to = Math.min(...end);
    const before = text.slice(at, begin.index).replace(/(?<![ \t])[ \t]+$/, '');
    const shown = fence(text.slice(from, to), language || (word === 'verbatim' ? 'text' : ''));
    out.push(before, before === '' || before.endsWith('\n') ? '' : '\n', shown);
    at = to + '@end'.length + (word as string).length;
    if (!/^[ \t]*\n/.test(text.slice(at, at + 80))) out.push('\n');
  }
  return out.join('') + text.slice(at);
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  nbsp: ' ',
  apos: "'",
  mdash: '—',
  ndash: '–',
  hellip: '…',
};
const entities = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]{2,8}));/gi,
    (all, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return entryOf(NAMED_ENTITIES, name) ?? all;
      const point = decimal === undefined ? parseInt(hex as string, 16) : Number(decimal);
      return point > 0x10ffff ? all : String.fromCodePoint(point);
    },
  );

/** Text of a comment as Markdown. */
export function prose(text: string, style: TagStyle): string {
  const linked = outsideCode(text, (part) => inlineTags(part));
  const made =
    style === 'javadoc'
      ? outsideCode(linked, fromHtml)
      : style === 'doxygen'
        ? outsideCode(linked, fromDoxygen)
        : style === 'kdoc'
          ? outsideCode(linked, fromKdoc)
          : outsideCode(linked, escapeTags);
  return withClosedFences(headings(made, true).trim());
}

const fromKdoc = (text: string): string =>
  escapeTags(text)
    .replace(/\[([^\][\n]{1,200})\]\[([\w.$]{1,200})\]/g, (_, shown: string, name: string) => refer(name, shown))
    .replace(/\[([\w.$]{1,200})\](?![([])/g, (_, name: string) => refer(name));

const LONGEST_TAG = 4000;

/** Where the brace at `begin` is closed. */
function endOfBraces(text: string, begin: number): number | undefined {
  const last = Math.min(text.length, begin + LONGEST_TAG);
  let depth = 0;
  for (let end = begin; end < last; ++end) {
    if (text[end] === '{') depth += 1;
    else if (text[end] === '}' && --depth === 0) return end;
  }
  return undefined;
}

/** `{@link X text}`, `[text]{@link X}`, `{@code x}`. */
function inlineTags(text: string): string {
  let out = '';
  let at = 0;
  for (;;) {
    const begin = text.indexOf('{@', at);
    if (begin < 0) break;
    const end = endOfBraces(text, begin);
    if (end === undefined) break;
    const [, tag = '', body = ''] = /^(\w+)\s*([\s\S]*)$/.exec(text.slice(begin + 2, end)) ?? [];
    let before = text.slice(at, begin);
    const label = /\[([^\]]{1,200})\]$/.exec(before)?.[1];
    if (label !== undefined && tag.startsWith('link')) before = before.slice(0, -label.length - 2);
    out += before + inlineTag(tag, body, label);
    at = end + 1;
  }
  return out + text.slice(at);
}

function inlineTag(tag: string, body: string, label: string | undefined): string {
  if (/^(?:link|linkplain|linkcode|see)$/.test(tag)) {
    const [, target = '', rest = ''] = /^\s*([^\s|(]+(?:\([^)]*\))?)\s*\|?\s*([\s\S]*)$/.exec(body) ?? [];
    const text = label ?? rest.replace(/\s+/g, ' ').trim();
    if (/^https?:/.test(target)) return text === '' ? `<${target}>` : `[${text}](${target})`;
    return target === '' ? text : refer(target, text === '' ? target.replace(/^#/, '').replace('#', '.') : text);
  }
  if (tag === 'code' || tag === 'value') return code(body);
  if (tag === 'literal') return escapeText(body);
  return '';
}

function fromHtml(text: string): string {
  return entities(
    text
      .replace(
        /<a\s[^<>]{0,500}?href\s*=\s*["']?(https?:[^"'\s<>]{1,500})["']?[^<>]{0,200}>([^<]{1,500})<\/a>/gi,
        '[$2]($1)',
      )
      .replace(/<code>([^<]{1,500})<\/code>/gi, (_, inner: string) => code(entities(inner)))
      .replace(/<(b|strong)>([^<]{1,500})<\/\1>/gi, '**$2**')
      .replace(/<(i|em|var)>([^<]{1,500})<\/\1>/gi, '*$2*')
      .replace(/<h[1-6][^<>]{0,100}>([^<]{1,500})<\/h[1-6]>/gi, '\n\n**$1**\n\n')
      .replace(/(?:(?<!\s)\s+)?<li[^<>]{0,100}>\s*/gi, '\n- ')
      .replace(/(?:(?<!\s)\s+)?<(?:dt|tr)[^<>]{0,100}>\s*/gi, '\n\n')
      .replace(/<(?:p|br|\/?ul|\/?ol|\/?dl|\/?table|div|\/div|blockquote|\/blockquote)\b[^<>]{0,100}>/gi, '\n\n')
      .replace(/<\/?[a-z][\w-]{0,20}(?:\s[^<>]{0,300})?\/?>/gi, '')
      .replace(/\n[ \t]+(?=\S)/g, '\n'),
  )
    .replace(/<(?=[A-Za-z/!])/g, '&lt;')
    .replace(/\n{3,}/g, '\n\n');
}

function fromDoxygen(text: string): string {
  return escapeText(text)
    .replace(/[@\\](?:c|p)[ \t]+(`?)([^\s`,;]{1,200}?)\1(?=[.,;:)]?(?:\s|$))/g, (_, __, word: string) =>
      code(word.replace(/&lt;/g, '<')),
    )
    .replace(/[@\\](?:a|e|em)[ \t]+(\S{1,200}?)(?=[.,;:)]?(?:\s|$))/g, '*$1*')
    .replace(/[@\\]b[ \t]+(\S{1,200}?)(?=[.,;:)]?(?:\s|$))/g, '**$1**')
    .replace(
      /[@\\](?:ref|copydoc|copybrief|link)[ \t]+([\w:~]{1,200}(?:\(\))?)(?:[ \t]+"([^"\n]{1,200})")?/g,
      (_, name: string, shown?: string) => refer(name, shown),
    )
    .replace(/[@\\]endlink\b/g, '')
    .replace(/^[ \t]*[@\\](?:li|arg)[ \t]+/gm, '- ')
    .replace(/[@\\]n(?=\s|$)/g, '\n')
    .replace(/\\([@\\#%&<>$"])/g, '$1');
}

export const isHiddenByTags = (tags: ReadonlySet<string>): boolean =>
  ['private', 'internal', 'hidden', 'ignore', 'hide', 'suppress'].some((tag) => tags.has(tag));

/** Comments that document a group or a file alone. */
export const documentsNothing = (tags: ReadonlySet<string>): boolean => [...tags].some((tag) => GROUPS.test(tag));
