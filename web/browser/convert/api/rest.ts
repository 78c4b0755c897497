/**
 * Docstrings of Python as Markdown: reStructuredText with fields, Google's and NumPy's sections, and Markdown itself.
 *
 * Idea: one walk over the lines; what is indented below a directive, a field or an item is read in the same way, to a
 * depth of MAX_DEPTH. Marks that this page does not know stay as text. Time is linear in the docstring for each depth.
 */
import {
  closesFence,
  code,
  dedent,
  escapeText,
  fence,
  headings,
  indentOf,
  MAX_COMMENT,
  opensFence,
  refer,
  Sections,
  withoutMarks,
} from './markup.js';
import { entryOf } from './model.js';

const MAX_DEPTH = 6;

const GOOGLE: Readonly<Record<string, string>> = {
  args: 'Parameters',
  arguments: 'Parameters',
  parameters: 'Parameters',
  params: 'Parameters',
  'keyword args': 'Parameters',
  'keyword arguments': 'Parameters',
  'other parameters': 'Parameters',
  attributes: 'Attributes',
  methods: 'Methods',
  returns: 'Returns',
  return: 'Returns',
  yields: 'Yields',
  yield: 'Yields',
  receives: 'Receives',
  raises: 'Raises',
  raise: 'Raises',
  except: 'Raises',
  exceptions: 'Raises',
  warns: 'Warns',
  warnings: 'Warnings',
  example: 'Example',
  examples: 'Example',
  usage: 'Example',
  note: 'Note',
  notes: 'Note',
  references: 'References',
  'see also': 'See also',
  todo: 'To do',
  warning: 'Warning',
  tip: 'Tip',
  hint: 'Hint',
  important: 'Important',
  caution: 'Caution',
};
const LISTS = new Set(['Parameters', 'Attributes', 'Methods', 'Raises', 'Warns', 'Receives']);
const RETURNED = new Set(['Returns', 'Yields']);

/** Markdown with marks. */
export function docstring(text: string): string {
  const sections = new Sections();
  const shown = blocks(dedent(withoutMarks(text.slice(0, MAX_COMMENT)), false).split('\n'), sections, 0);
  return headings(sections.below(shown), true).replace(/\n{3,}/g, '\n\n');
}

/** Lines from `from` that are blank or indented deeper than `indent`; the index behind them. */
function indented(lines: readonly string[], from: number, indent: number): { body: string[]; next: number } {
  let next = from;
  let last = from;
  while (next < lines.length) {
    const line = lines[next] as string;
    if (line.trim() !== '') {
      if (indentOf(line) <= indent) break;
      last = next + 1;
    }
    next += 1;
  }
  return { body: dedent(lines.slice(from, last).join('\n')).split('\n'), next: last };
}

function blocks(lines: readonly string[], sections: Sections, depth: number): string {
  if (depth > MAX_DEPTH) return inline(lines.join('\n'));
  const out: string[] = [];
  const nested = (body: readonly string[]): string => blocks(body, sections, depth + 1).trim();
  let paragraph: string[] = [];
  const flush = (): void => {
    if (paragraph.length > 0) out.push(inline(paragraph.join('\n')), '');
    paragraph = [];
  };
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] as string;
    const bare = line.trim();
    const indent = indentOf(line);
    const following = lines[i + 1] ?? '';
    if (bare === '') {
      flush();
      i += 1;
      continue;
    }
    const marks = opensFence(bare);
    if (marks !== undefined) {
      flush();
      let end = i + 1;
      while (end < lines.length && !closesFence(lines[end] as string, marks)) end += 1;
      const body = lines.slice(i + 1, end).join('\n');
      out.push(fence(body, bare.slice(marks.length).trim()), '');
      i = end + 1;
      continue;
    }
    if (bare.startsWith('>>>')) {
      flush();
      let end = i;
      while (end < lines.length && (lines[end] as string).trim() !== '') end += 1;
      while (end + 1 < lines.length && (lines[end + 1] as string).trim().startsWith('>>>')) {
        end += 1;
        while (end < lines.length && (lines[end] as string).trim() !== '') end += 1;
      }
      out.push(fence(lines.slice(i, end).join('\n'), 'python'), '');
      i = end;
      continue;
    }
    const [, directive, argument = ''] = /^\.\. ([\w:-]+):: ?(.*)$/.exec(bare) ?? [];
    if (directive !== undefined) {
      flush();
      const { body, next } = indented(lines, i + 1, indent);
      out.push(directiveText(directive, argument, body, nested), '');
      i = next;
      continue;
    }
    if (/^\.\.(?: |$)/.test(bare)) {
      flush();
      const [, note] = /^\.\. \[[^\]]{1,40}\] (.*)$/.exec(bare) ?? [];
      const { body, next } = indented(lines, i + 1, indent);
      if (note !== undefined) out.push(`- ${inline([note, ...body].join(' '))}`, '');
      i = next;
      continue;
    }
    const [, admonition, titled] = /^(?:!!!|\?\?\?\+?) (\w+)(?: "([^"]*)")?\s*$/.exec(bare) ?? [];
    if (admonition !== undefined) {
      flush();
      const { body, next } = indented(lines, i + 1, indent);
      out.push(`**${titled || capital(admonition)}:** ${nested(body)}`, '');
      i = next;
      continue;
    }
    if (
      /^([=\-~^"'`#*+.])\1{2,}$/.test(following.trim()) &&
      following.trim().length >= Math.min(bare.length, 3) &&
      indentOf(following) === indent &&
      !/^[=\-+|]/.test(bare)
    ) {
      flush();
      const title = entryOf(GOOGLE, bare.toLowerCase().replace(/:$/, ''));
      if (title === undefined) {
        out.push(`**${inline(bare)}**`, '');
        i += 2;
        continue;
      }
      let end = i + 2;
      while (
        end < lines.length &&
        !(
          /^([=\-~])\1{2,}$/.test((lines[end + 1] ?? '').trim()) &&
          (lines[end] as string).trim() !== '' &&
          indentOf(lines[end] as string) === indent
        )
      )
        end += 1;
      numpySection(title, dedent(lines.slice(i + 2, end).join('\n')).split('\n'), sections, nested);
      i = end;
      continue;
    }
    const google = entryOf(GOOGLE, /^([A-Za-z ]{3,20}):$/.exec(bare)?.[1]?.toLowerCase() ?? '');
    if (
      google !== undefined &&
      (following.trim() === '' ? indentOf(lines[i + 2] ?? '') : indentOf(following)) > indent
    ) {
      flush();
      const { body, next } = indented(lines, i + 1, indent);
      googleSection(google, body, sections, nested);
      i = next;
      continue;
    }
    const [, name, said = ''] = /^:([a-z][^:`]{0,120}):(?:\s+(.*))?$/i.exec(bare) ?? [];
    if (name !== undefined) {
      flush();
      const { body, next } = indented(lines, i + 1, indent);
      addField(sections, name, nested([said, ...body]));
      i = next;
      continue;
    }
    if (/^(?:=+(?: +=+)+|\+[-=+]+\+)$/.test(bare)) {
      flush();
      let end = i;
      while (end < lines.length && (lines[end] as string).trim() !== '') end += 1;
      out.push(fence(lines.slice(i, end).join('\n'), 'text'), '');
      i = end;
      continue;
    }
    const [, bullet, text = ''] = /^([-*+•]|\d{1,3}[.)]|#\.)\s+(.*)$/.exec(bare) ?? [];
    if (bullet !== undefined && (paragraph.length === 0 || indentOf(lines[i - 1] ?? '') >= indent)) {
      if (paragraph.length > 0) flush();
      // Lines that go on at the bullet's own column belong to it, too.
      let more = i + 1;
      const lazy: string[] = [];
      while (
        more < lines.length &&
        indentOf(lines[more] as string) === indent &&
        /^[\w(*`\\"']/.test((lines[more] as string).trim()) &&
        !/^(?:[-*+]|\d{1,3}[.)]) /.test((lines[more] as string).trim()) &&
        !/^\w+:$/.test((lines[more] as string).trim())
      ) {
        lazy.push((lines[more] as string).trim());
        more += 1;
      }
      const { body, next } = indented(lines, more, indent);
      const item = blocks([text, ...lazy, ...body], new Sections(), depth + 1).trim();
      if (out.at(-1) === '' && /^(?:-|\d+\.) /.test(out.at(-2) ?? '')) out.pop();
      out.push(
        `${/\d/.test(bullet) ? `${parseInt(bullet, 10)}.` : bullet === '#.' ? '1.' : '-'} ${item.replace(/\n/g, '\n  ')}`,
        '',
      );
      i = next;
      continue;
    }
    if (indent > 0 && paragraph.length === 0) {
      const { body, next } = indented(lines, i, indent - 1);
      if (next > i && body.length < lines.length) {
        out.push(nested(body), '');
        i = next;
        continue;
      }
    }
    if (
      paragraph.length === 0 &&
      indentOf(following) > indent &&
      following.trim() !== '' &&
      bare.length < 80 &&
      !bare.endsWith('::') &&
      !/[.,;]$/.test(bare)
    ) {
      // A term and its definition.
      const { body, next } = indented(lines, i + 1, indent);
      if (/^(?:-) /.test(out.at(-2) ?? '') && out.at(-1) === '') out.pop();
      out.push(`- ${inline(bare)}: ${nested(body).replace(/\n/g, '\n  ')}`, '');
      i = next;
      continue;
    }
    paragraph.push(bare);
    i += 1;
    if (!bare.endsWith('::')) continue;
    const { body, next } = indented(lines, i, indent);
    if (next === i) continue;
    paragraph[paragraph.length - 1] = bare === '::' ? '' : bare.slice(0, -1);
    flush();
    out.push(fence(body.join('\n'), ''), '');
    i = next;
  }
  flush();
  return out.join('\n');
}

const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);

const CHANGES: Readonly<Record<string, string>> = {
  versionadded: 'Added in version',
  versionchanged: 'Changed in version',
  deprecated: 'Deprecated since version',
  versionremoved: 'Removed in version',
  'deprecated-removed': 'Deprecated since version',
};

function directiveText(
  name: string,
  argument: string,
  body: string[],
  nested: (body: readonly string[]) => string,
): string {
  let first = 0;
  while (/^:[\w-]+:/.test(body[first] ?? '')) first += 1;
  const rest = body.slice(first);
  if (/^(?:code|code-block|sourcecode|ipython|prompt|parsed-literal|highlight)$/.test(name))
    return fence(rest.join('\n'), /^[\w+-]+$/.test(argument) ? argument : '');
  if (/^(?:doctest|testcode|plot)$/.test(name)) return fence(rest.join('\n'), 'python');
  if (name === 'math') return fence([argument, ...rest].join('\n'), 'text');
  if (/^(?:image|figure|index|contents|currentmodule|module|testsetup|testcleanup|toctree|auto\w+|include)$/.test(name))
    return '';
  const change = entryOf(CHANGES, name);
  if (change !== undefined) {
    const [, version = '', said = ''] = /^(\S*)\s*(.*)$/.exec(argument) ?? [];
    const text = nested([said, ...rest]);
    return `*${change} ${version.replace(/(?<![:.])[:.]+$/, '')}*${text === '' ? '' : `: ${text}`}`;
  }
  const text = nested([argument, ...rest]);
  if (/^(?:note|warning|tip|important|caution|danger|hint|attention|error|seealso|todo)$/.test(name))
    return `**${name === 'seealso' ? 'See also' : capital(name)}:** ${text}`;
  return text;
}

// ---- parameters ---------------------------------------------------------------------------------

function addField(sections: Sections, field: string, text: string): void {
  const [, kind = '', rest = ''] = /^(\w+)\s*(.*)$/.exec(field) ?? [];
  const words = rest.split(/\s+/);
  const name = words.at(-1) ?? '';
  const item = (title: string): void => sections.item(title, { name, type: words.slice(0, -1).join(' '), text });
  if (/^(?:param|parameter|arg|argument|key|keyword|kwarg)$/.test(kind)) item('Parameters');
  else if (/^(?:ivar|var|cvar|attr)$/.test(kind)) item('Attributes');
  else if (/^(?:raises?|except|exception)$/.test(kind)) sections.item('Raises', { name: '', type: refer(name), text });
  else if (/^(?:type|vartype)$/.test(kind)) {
    const found = [...sections.items('Parameters'), ...sections.items('Attributes')].find((each) => each.name === name);
    if (found !== undefined) found.type = text;
    else sections.item(kind === 'type' ? 'Parameters' : 'Attributes', { name, type: text, text: '' });
  } else if (/^returns?$/.test(kind)) sections.text('Returns', text);
  else if (/^yields?$/.test(kind)) sections.text('Yields', text);
  else if (kind === 'rtype') sections.text('Return type', text);
  else if (kind !== 'meta') sections.text(capital(field), text);
}

/** `name (type): text`, with text below it; `Returns` has `type: text`. */
function googleSection(
  title: string,
  body: string[],
  sections: Sections,
  nested: (body: readonly string[]) => string,
): void {
  if (!LISTS.has(title)) {
    if (!RETURNED.has(title)) return sections.text(title, nested(body));
    const [, type, said = ''] = /^([\w.[\], |`*]{1,120}):\s+(.*)$/.exec(body[0] ?? '') ?? [];
    return sections.text(
      title,
      type === undefined ? nested(body) : `${code(type.replace(/`/g, ''))}: ${nested([said, ...body.slice(1)])}`,
    );
  }
  for (let i = 0; i < body.length; ) {
    const line = body[i] as string;
    const { body: below, next } = indented(body, i + 1, indentOf(line));
    const [, name, type = '', said = ''] =
      /^(?:[-*]\s+(?!\s))?(\*{0,2}[`\w.[\], *]{1,120}?)\s*(?:\(([^)]{0,300})\)\s*)?:(?:\s+(.*))?$/.exec(line.trim()) ??
      [];
    i = next;
    if (line.trim() === '') continue;
    if (name === undefined) {
      const last = sections.items(title).at(-1);
      if (last !== undefined) last.text += ` ${nested([line.trim(), ...below])}`;
      else sections.item(title, { name: '', text: nested([line.trim(), ...below]) });
      continue;
    }
    const plain = name.replace(/`/g, '');
    const text = nested([said, ...below]);
    if (title === 'Raises') sections.item(title, { name: '', type: refer(plain), text });
    else sections.item(title, { name: plain, type, text });
  }
}

/** `name : type` with text below it. */
function numpySection(
  title: string,
  body: string[],
  sections: Sections,
  nested: (body: readonly string[]) => string,
): void {
  if (!LISTS.has(title) && !RETURNED.has(title)) return sections.text(title, nested(body));
  for (let i = 0; i < body.length; ) {
    const line = (body[i] as string).trim();
    if (line === '') {
      i += 1;
      continue;
    }
    const { body: below, next } = indented(body, i + 1, indentOf(body[i] as string));
    i = next;
    const [, name = line, type = ''] = /^(.{1,200}?)\s*:\s+(.*)$/.exec(line) ?? [];
    const text = nested(below);
    if (title === 'Raises' || title === 'Warns') sections.item(title, { name: '', type: refer(line), text });
    else if (RETURNED.has(title) && type === '') sections.item(title, { name: '', type: line, text });
    else sections.item(title, { name, type, text });
  }
}

// ---- inline -------------------------------------------------------------------------------------

const INLINE =
  /(?<!`)(`{2,})(?!`)([\s\S]{1,1000}?)(?<!`)\1(?!`)|(?::([\w.+-]{1,40}))?:([\w.+-]{1,40}):`([^`]{1,1000})`|`([^`<]{1,500}?)\s*<([^`<>]{1,1000})>`(?:__?)?|\[((?:[^\][]|`[^`]*`){1,200})\]\[([\w.-]{0,200})\]|`([^`]{1,1000})`(__?)?|(?<![\w|])\|(\w(?:[\w .-]{0,78}\w)?)\|(?![\w|])/g;

/** Roles, literals and links; the rest is plain text, but for emphasis, which both markups write alike. */
function inline(text: string): string {
  let out = '';
  let at = 0;
  for (const found of text.matchAll(INLINE)) {
    out += between(text.slice(at, found.index), at) + token(found);
    at = found.index + found[0].length;
  }
  return out + between(text.slice(at), at);
}

/** A token may be joined to a word by a backslash: `option`\s, `Group`\ s. */
const between = (text: string, at: number): string => escapeText(at === 0 ? text : text.replace(/^\\ ?(?=\w)/, ''));

function token([
  all,
  ,
  literal,
  ,
  role,
  inner,
  title,
  address,
  label,
  reference,
  interpreted,
  link,
]: RegExpMatchArray): string {
  if (literal !== undefined) return code(literal);
  if (role !== undefined && inner !== undefined) {
    const [, text = '', target = inner] = /^(.*?)<([^<>]*)>$/s.exec(inner) ?? [];
    const shown = text.trimEnd();
    if (/^(?:class|func|meth|attr|mod|obj|exc|data|const|any|type|deco)$/.test(role)) {
      const name = target.replace(/^[~!]/, '');
      return refer(name, shown || (target.startsWith('~') ? (name.split('.').at(-1) as string) : name));
    }
    if (/^(?:ref|doc|term|numref|pep|rfc|issue|pr)$/.test(role))
      return /^(?:pep|rfc)$/.test(role) ? `${role.toUpperCase()} ${inner}` : (shown || inner).replace(/^[~!]/, '');
    return code((shown || inner).replace(/^[~!]/, ''));
  }
  if (title !== undefined && address !== undefined)
    return /^https?:/.test(address) ? `[${title.trim()}](${address})` : refer(address, title);
  if (label !== undefined) return refer(reference || label.replace(/`/g, ''), label.replace(/`/g, ''));
  if (interpreted !== undefined)
    return link !== undefined ? interpreted : refer(interpreted.replace(/^[~!]/, ''), interpreted.replace(/^[~!]/, ''));
  return /^\|(.*)\|$/.exec(all)?.[1] ?? all;
}
