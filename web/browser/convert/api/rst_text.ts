/**
 * Entries of an API as reStructuredText: objects of Sphinx' Python domain, so they get the anchors that Sphinx gives them.
 * Their words are Markdown of this folder's own kind (markup.ts), which needs no whole parser. All functions are pure and
 * take linear time.
 */
import { headingOf } from './heading.js';
import { indentOf, withReferences } from './markup.js';
import type { ApiEntry } from './write.js';

const STEP = '   ';
const MAX_SIGNATURES = 10;

/** An entry with those below it that are shown. */
export interface Shown {
  entry: ApiEntry;
  /** The module's full name. */
  module: string;
  members: Shown[];
}

/** Its lines further right. */
export const indented = (text: string, by = STEP): string =>
  text
    .split('\n')
    .map((line) => (line === '' ? '' : by + line))
    .join('\n');

const OBJECTS = new Set(['class', 'method', 'property', 'attribute', 'data']);

/** A directive and what it holds, from the left margin. `isMember`: it stands within the class that has it. */
export function objectText({ entry, module, members }: Shown, isMember = false): string {
  const { name, kind, doc } = entry;
  const local = isMember ? name.slice(name.lastIndexOf('.') + 1) : name;
  const { heads, code } = signed(entry, local);
  const first = `.. py:${OBJECTS.has(kind) ? kind : 'function'}:: `;
  const lines = [first + heads[0], ...heads.slice(1).map((each) => ' '.repeat(first.length) + each)];
  const block = code.length === 0 ? '' : `.. code-block:: python\n\n${indented(code.join('\n\n'))}`;
  const parts = [block, rstOf(doc), ...members.map((each) => objectText(each, kind === 'class'))];
  const body = parts.filter((part) => part !== '').join('\n\n');
  return `${lines.join('\n')}\n${STEP}:module: ${module}${body === '' ? '' : `\n\n${indented(body)}`}`;
}

/** Of the signatures, what a directive takes as its arguments, and what stands below it as code. */
function signed({ name, kind, signatures }: ApiEntry, local: string): { heads: string[]; code: readonly string[] } {
  const last = name.slice(name.lastIndexOf('.') + 1);
  const heads: string[] = [];
  for (const each of signatures) {
    const line = each
      .replace(/^@.*\n/gm, '')
      .replace(/^(?:async )?def /, '')
      .replace(/\s+/g, ' ')
      .replace(/\( /g, '(')
      .replace(/,? \)/g, ')')
      .trim();
    if (line.startsWith(`${last}(`) && heads.length < MAX_SIGNATURES)
      heads.push(local + line.slice(last.length).replace(/\\/g, '\\\\'));
  }
  if (kind === 'class') {
    const [head = ''] = signatures;
    return { heads: heads.length > 0 ? heads : [local], code: head === `class ${last}` ? [] : [head] };
  }
  return heads.length > 0 ? { heads, code: [] } : { heads: [local], code: signatures.filter((each) => each !== last) };
}

/** Markdown with marks as reStructuredText. */
export function rstOf(markdown: string): string {
  const out: string[] = [];
  let fence: { marks: string; indent: number } | undefined;
  for (const line of withReferences(markdown.trim(), (_, shown) => shown).split('\n')) {
    const [, marks, language = ''] = /^\s*(`{3,})([\w+-]*)/.exec(line) ?? [];
    if (fence !== undefined) {
      if (marks?.startsWith(fence.marks)) {
        fence = undefined;
        out.push('');
      } else out.push(line.trim() === '' ? '' : `${' '.repeat(fence.indent)}${STEP}${line.slice(fence.indent)}`);
      continue;
    }
    if (marks !== undefined) {
      fence = { marks, indent: indentOf(line) };
      out.push('', `${' '.repeat(fence.indent)}.. code-block:: ${language === '' ? 'text' : language}`, '');
      continue;
    }
    const isItem = /^\s*(?:[-*+]|\d+\.) /.test(line);
    const above = out.at(-1) ?? '';
    if (isItem && above.trim() !== '' && !/^\s*(?:[-*+]|\d+\.) /.test(above) && indentOf(above) <= indentOf(line))
      out.push('');
    const title = headingOf(line, '#');
    out.push(title === undefined ? proseOf(line) : `.. rubric:: ${proseOf(title)}`);
  }
  return out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

const SPAN = /``[ ]?([^\n]{1,2000}?)[ ]?``|`([^`\n]{1,2000})`|\[((?:[^\][]|`[^`]*`){1,300})\]\(([^()\s]{1,2000})\)/g;

/** One line. A line that would be a directive or a title of its own is text. */
function proseOf(line: string): string {
  let out = '';
  let at = 0;
  for (const found of line.matchAll(SPAN)) {
    const [all, wide, narrow, label, address] = found;
    out += plain(line.slice(at, found.index));
    const code = wide ?? narrow;
    if (code !== undefined) out += `\`\`${code}\`\``;
    else if (/^https?:/.test(address as string)) out += `\`${(label as string).replace(/`/g, '')} <${address}>\`__`;
    else out += proseOf(label as string);
    at = found.index + all.length;
  }
  out += plain(line.slice(at));
  return /^\s*(?:\.\. |__ |\S*::$)|^\s*([^\w\s])\1{2,}\s*$/.test(out) ? out.replace(/\S/, '\\$&') : out;
}

const plain = (text: string): string =>
  text
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&amp;/g, '&')
    .replace(/(?<=\w)_(?=\W|$)/g, '\\_');
