/**
 * Reads a passage, in the light Markdown that bundles store, as blocks to draw. Plain data, no DOM.
 *
 * Idea: one pass over the lines. What Markdown would make a link becomes its words, and nothing becomes markup: a block
 * holds text only. Pages that were Markdown keep their authors' inline marks; other formats store plain words with
 * backticks around code, so there `*` and `_` are characters (`__init__`).
 *
 * A passage is a slice of its page, and may begin or end within a code block.
 *
 * Cost: linear in the text; passages are short, and of a longer text only the beginning is read.
 */
export interface Inline {
  text: string;
  look: 'plain' | 'code' | 'strong' | 'emphasis';
  /** Where the words lead, as the author wrote it: a stranger's address, relative to the page. Only where `links` asks. */
  to?: string;
}

export type Block =
  | { kind: 'heading' | 'paragraph' | 'quote'; inlines: Inline[] }
  | { kind: 'item'; marker: string; depth: number; inlines: Inline[] }
  | { kind: 'code' | 'table'; text: string };

export interface ReadOptions {
  /** The page was Markdown. */
  markdown: boolean;
  /** Keep where links of Markdown lead. */
  links?: boolean;
  /** Characters that are read at most. */
  most?: number;
  /** What matched is code: a passage without a fence then lies within a code block, unless it begins with words. */
  code?: boolean;
}

const LONGEST = 20_000;
const FENCE = /^(\s*)(?:> ?)*(`{3,}|~{3,})\s*([^`]*)$/;
const ITEM = /^(\s*)([-*+]|\d{1,9}[.)])\s+(.*)$/;
/** Lines of Markdown that say nothing: the end of an admonition, a link's definition, a rule, a comment. */
const UNSEEN = /^(?::{3,}|\[[^\]]+\]:\s.*|(?:[-*_] ?){3,}|<!--.*-->)$/;
/** A heading, or a line that reads like the end of a sentence. */
const WORDS = /^(?:#{1,6}\s|[\p{Lu}\p{Lo}][^(){};=]*[.:!?。：]$)/u;
const WIDEST_CELL = 40;
const MOST_DEPTH = 6;

export function readBlocks(
  text: string,
  { markdown, links = false, most = LONGEST, code = false }: ReadOptions,
): Block[] {
  const lines = text.slice(0, most).replace(/\n+$/, '').split('\n');
  const fences = lines.map((line) => FENCE.exec(line)).filter((fence) => fence !== null);
  if (fences.length === 0 && code && !WORDS.test(lines[0] as string)) return [{ kind: 'code', text: lines.join('\n') }];
  const blocks: Block[] = [];
  /** Lines that go on: of a paragraph, quotation or item. */
  let open: { kind: 'paragraph' | 'quote' | 'item'; lines: string[]; marker: string; depth: number } | undefined;
  let rows: string[] = [];
  /** In the indented text of an admonition. */
  let admonished = false;
  /** The fence that code stands in; '' where it began before the passage. */
  let fence: string | undefined;
  let indent = 0;
  let fenced: string[] = [];

  const close = (): void => {
    if (open !== undefined) {
      const { kind, marker, depth } = open;
      const inlines = readInlines(open.lines.join('\n'), markdown, links);
      blocks.push(kind === 'item' ? { kind, marker, depth, inlines } : { kind, inlines });
    }
    if (rows.length > 0) blocks.push({ kind: 'table', text: tableOf(rows) });
    open = undefined;
    rows = [];
  };
  const closeCode = (): void => {
    blocks.push({ kind: 'code', text: fenced.join('\n') });
    fence = undefined;
    fenced = [];
  };

  // An odd number of fences: the first ends code that began before, unless it names a language or prose comes first.
  const [first] = fences;
  if (
    fences.length % 2 === 1 &&
    first?.[3] === '' &&
    !/^(#|\s*[-*>|]\s)/.test(lines[0] as string) &&
    lines[0] !== first[0]
  )
    fence = '';

  for (const line of lines) {
    const mark = FENCE.exec(line);
    if (fence !== undefined) {
      if (mark !== null && mark[3] === '' && (mark[2] as string).startsWith(fence)) closeCode();
      else fenced.push(line.slice(0, indent).trim() === '' ? line.slice(indent) : line);
      continue;
    }
    if (mark !== null) {
      close();
      fence = mark[2] as string;
      indent = (mark[1] as string).length;
      continue;
    }
    readLine(line);
  }
  if (fence !== undefined && fenced.length > 0) closeCode();
  close();
  return blocks;

  function readLine(line: string): void {
    const words = line.trim();
    const underlined = markdown && open?.kind === 'paragraph' && /^(?:=+|-{2,})$/.test(words);
    if (words === '' || (markdown && !underlined && UNSEEN.test(words))) return close();
    const last = blocks.at(-1);
    const indented = /^ {4}|^\t/.test(line);
    admonished &&= indented;
    if (markdown && open === undefined && indented && !admonished && last?.kind !== 'item') {
      const text = line.replace(/^(?: {4}|\t)/, '');
      if (last?.kind === 'code') last.text += `\n${text}`;
      else blocks.push({ kind: 'code', text });
      return;
    }
    const heading = /^#{1,6}\s+(.*?)\s*#*$/.exec(line);
    if (heading !== null || underlined) {
      const title = heading?.[1] ?? open?.lines.join(' ') ?? '';
      if (underlined) open = undefined;
      close();
      blocks.push({ kind: 'heading', inlines: readInlines(title.replace(/\s*\{#[^}]*\}$/, ''), markdown, links) });
      return;
    }
    if (words.startsWith('|')) {
      if (open !== undefined) close();
      rows.push(words);
      return;
    }
    if (rows.length > 0) close();
    const item = ITEM.exec(line);
    if (item !== null) {
      close();
      const [, space = '', marker = '', rest = ''] = item;
      const depth = Math.min(Math.floor(space.length / 2), MOST_DEPTH);
      open = {
        kind: 'item',
        marker: /\d/.test(marker) ? marker : '•',
        depth,
        lines: [rest.replace(/^\[[ xX]\]\s/, '')],
      };
      return;
    }
    const quote = /^>\s?(.*)$/.exec(words);
    const admonition = markdown && /^(?::{3,}\s*|(?:!!!|\?\?\?\+?)\s+)(\w+)(?:\s+"?([^"]*)"?)?$/.exec(words);
    if (admonition) {
      close();
      const [, kind = '', title = ''] = admonition;
      admonished = true;
      blocks.push({
        kind: 'quote',
        inlines: [{ text: title || kind.charAt(0).toUpperCase() + kind.slice(1), look: 'strong' }],
      });
      return;
    }
    const kind = quote === null ? (open?.kind === 'item' ? 'item' : 'paragraph') : 'quote';
    if (open?.kind !== kind) {
      close();
      open = { kind, marker: '', depth: 0, lines: [] };
    }
    open.lines.push((quote?.[1] ?? words).replace(/^\[!(\w+)\]$/, '$1'));
  }
}

/** Rows with their cells below one another. */
function tableOf(rows: readonly string[]): string {
  const cells = rows
    .filter((row) => !/^\|[\s:|-]*$/.test(row))
    .map((row) =>
      row
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.trim().replace(/\\\|/g, '|').replace(/`/g, '')),
    );
  const widths: number[] = [];
  for (const row of cells)
    row.forEach((cell, i) => (widths[i] = Math.min(WIDEST_CELL, Math.max(widths[i] ?? 0, cell.length))));
  return cells
    .map((row) =>
      row
        .map((cell, i) => cell.padEnd(widths[i] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

const LINK =
  /(!?)\[([^[\]]*)\](?:\(\s*(<[^<>\n]*>|(?:[^()\s]|\([^()\s]*\))*)(?:\s+(?:"[^"]*"|'[^']*'))?\s*\)|\[[^[\]]*\])/g;
/** Stand for code while the words around it are read, and for the two ends of a link's words: `\ue000`, `\ue001`, a number. */
const MARK = /([\ue000\ue001]\d+\ue002)/;

/** Code between backticks, then, in Markdown, links, images, strong and emphasised words. */
export function readInlines(text: string, markdown: boolean, links = false): Inline[] {
  if (text.length > LONGEST) return [{ text, look: 'plain' }]; // no paragraph: marks are looked for in its whole text
  const found: Inline[] = [];
  const kept: (string | undefined)[] = [];
  let to: string | undefined;
  const keep = (mark: string, value?: string): string => `${mark}${kept.push(value) - 1}\ue002`;
  const add = (words: string, look: Inline['look']): void => {
    const last = found.at(-1);
    if (words === '') return;
    if (last?.look === look && last.to === to) last.text += words;
    else found.push({ text: words, look, ...(to === undefined ? {} : { to }) });
  };
  const addWords = (words: string, look: Inline['look']): void => {
    for (const part of words.split(MARK)) {
      const value = kept[Number(part.slice(1, -1))];
      if (part[0] === '\ue000') add(value as string, 'code');
      else if (part[0] === '\ue001') to = value;
      else add(markdown ? unescaped(part) : part, look);
    }
  };
  const link = (words: string, address: string | undefined): string =>
    links && address ? keep('\ue001', address) + words + keep('\ue001') : words;
  let words = text
    .replace(/[\ue000-\ue002]/g, '\ufffd')
    .replace(/(?<!`)(`+)(?!`)([^]*?[^`])\1(?!`)/g, (_, __, code: string) =>
      keep('\ue000', code.replace(/\n/g, ' ').replace(/^ (.*) $/, '$1')),
    );
  let from = 0;
  if (markdown) {
    words = words
      .replace(/ {2}\n/g, '\u2028')
      .replace(/\n/g, ' ')
      .replace(/\u2028/g, '\n')
      .replace(LINK, (_, image: string, name: string, address?: string) =>
        link(name, image ? '' : address?.replace(/^<(.*)>$/, '$1')),
      )
      .replace(/<(https?:[^<>\s]*)>/g, (_, address: string) => link(address, address));
    const marks = /(?<![\p{L}\p{N}_*\\])(\*\*|__|\*|_)(?=\S)([^*_]*[^\s*_\\])\1(?![\p{L}\p{N}_*])/gu;
    for (const { 0: whole, 1: mark = '', 2: inner = '', index } of words.matchAll(marks)) {
      addWords(words.slice(from, index), 'plain');
      addWords(inner, mark.length === 2 ? 'strong' : 'emphasis');
      from = index + whole.length;
    }
  }
  addWords(words.slice(from), 'plain');
  return found;
}

const ENTITIES: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: '\u00a0' };

function unescaped(text: string): string {
  return text
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(lt|gt|amp|quot|nbsp);/g, (_, name: string) => ENTITIES[name] as string);
}

/** Words that an answer marks, as a pattern for whole words; undefined when it marks none. */
export function markPattern(words: Iterable<string>): RegExp | undefined {
  const known = [...new Set([...words].map((word) => word.trim().toLowerCase()))]
    .filter((word) => word !== '' && word.length <= 80)
    .sort((a, b) => b.length - a.length)
    .slice(0, 64);
  if (known.length === 0) return undefined;
  const alternatives = known.map((word) => {
    const text = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/\s+/g, '\\s+');
    return `${SPACED.test(word.at(0) as string) ? '(?<![\\p{L}\\p{N}_])' : ''}${text}${SPACED.test(word.at(-1) as string) ? '(?![\\p{L}\\p{N}_])' : ''}`;
  });
  return new RegExp(alternatives.join('|'), 'giu');
}

/** Letters of scripts that put spaces between words. */
const SPACED =
  /^(?![\p{scx=Han}\p{scx=Hira}\p{scx=Kana}\p{scx=Hang}\p{scx=Thai}\p{scx=Khmr}\p{scx=Laoo}\p{scx=Mymr}])[\p{L}\p{N}_]$/u;
