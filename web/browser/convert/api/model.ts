/**
 * API documentation read from source: plain data between the readers of languages and the writer of pages.
 *
 * A reader looks at one syntax tree and keeps what is public, with its documentation as Markdown. References in it are
 * marks (`refer`), which the writer resolves when it knows every name.
 */

/** A public name. */
export interface Declared {
  /** class, function, method, property, constant, type, … : the class of its heading's attributes. */
  kind: string;
  /** Its own name, without what holds it. */
  name: string;
  /** Code, several where it is overloaded. */
  signatures: string[];
  /** Markdown with marks. */
  doc: string;
  members: Declared[];
}

/** A page to be. */
export interface ApiModule {
  /** Full, as its users write it. */
  name: string;
  /** What users write before its names, with dots: `click`, `tokio.time`, `zap`; it begins their anchors. '' for nothing. */
  qualifier: string;
  /** The file that it is made of, or the first of them. */
  source: string;
  /** Of fences. */
  language: string;
  /** Between a name and its members. */
  separator: '.' | '::';
  doc: string;
  entries: Declared[];
  /** Names of other pages that are public here, too: the name here and the full name there. */
  also: { name: string; target: string }[];
}

export interface SourceFile {
  path: string;
  text: string;
  /** When reading it must end, by `Date.now`. */
  until: number;
}

/** One language: `read` takes plain data out of a tree, which is then dropped; `assemble` makes modules of all files. */
export interface Reader<T> {
  /** What the parser sees instead of a file's text, of the same length. */
  prepare?(text: string): string;
  read(root: SyntaxNode, file: SourceFile): T;
  /** `manifests`: package.json, Cargo.toml, go.mod by path. `until`: when it must end. */
  assemble(read: ReadonlyMap<string, T>, manifests: ReadonlyMap<string, string>, until: number): ApiModule[];
}

/** The folder of another package whose code is part of this one's API, as package managers name it. */
export const DEPENDENCY = /^(?:node_modules\/(?:@[^/]+\/)?|vendor\/)[^/]+\//;

/** What is used of web-tree-sitter's nodes. Indices count UTF-16. */
export interface SyntaxNode {
  readonly type: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly namedChildCount: number;
  readonly namedChildren: readonly (SyntaxNode | null)[];
  childForFieldName(name: string): SyntaxNode | null;
}

/** Named children in order: the one way down a tree. */
export const kids = (node: SyntaxNode | null | undefined): SyntaxNode[] =>
  (node?.namedChildren ?? []).filter((each): each is SyntaxNode => each !== null);

export const field = (node: SyntaxNode, name: string): SyntaxNode | undefined =>
  node.childForFieldName(name) ?? undefined;

export const firstOf = (node: SyntaxNode | undefined, ...types: string[]): SyntaxNode | undefined =>
  kids(node).find((each) => types.includes(each.type));

/** Ends work that has had its time. */
export class TooSlow extends Error {
  static check(until: number): void {
    if (Date.now() > until) throw new TooSlow();
  }
}

/** A file's text by its nodes. Readers ask it for every name, so it also ends them (`TooSlow`). */
export class Text {
  readonly text: string;
  readonly #until: number;
  constructor({ text, until }: SourceFile) {
    this.text = text;
    this.#until = until;
  }
  of = (node: SyntaxNode | undefined): string => {
    TooSlow.check(this.#until);
    return node === undefined ? '' : this.text.slice(node.startIndex, node.endIndex);
  };
  /** From the start of a node to the start of its body, if it has one. */
  head = (node: SyntaxNode, body: SyntaxNode | undefined): string =>
    this.text.slice(node.startIndex, body?.startIndex ?? node.endIndex);
  isOneLine = (end: number, start: number): boolean => !this.text.slice(end, Math.min(start, end + 400)).includes('\n');
  /** Whether nothing but one line's end lies between two places. */
  adjoins = (end: number, start: number): boolean =>
    /^[ \t]*\r?\n?[ \t]*$/.test(this.text.slice(end, Math.min(start, end + 400)));
}

/** Of a module: one thing that it gives, or a module `into` which the walk goes at this place. */
export type Step<M, T> = { one: T } | { into: M };

/** What modules give in the order of a walk, each module once. Chains may be long, so nothing here calls itself. */
export function* walkModules<M, T>(
  top: M,
  steps: (at: M) => Iterable<Step<M, T>>,
  keyOf: (at: M) => unknown = (at) => at,
): Generator<T> {
  const seen = new Set([keyOf(top)]);
  const open = [steps(top)[Symbol.iterator]()];
  for (let last = open.at(-1); last !== undefined; last = open.at(-1)) {
    const { done, value } = last.next();
    if (done === true) open.pop();
    else if ('one' in value) yield value.one;
    else if (!seen.has(keyOf(value.into))) {
      seen.add(keyOf(value.into));
      open.push(steps(value.into)[Symbol.iterator]());
    }
  }
}

const WIDE = 100;
/** Of a signature, before its comments go. */
const MAX_HEAD = 20_000;

const C_TOKENS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`|\/\*[\s\S]*?(?:\*\/|$)|\/\/[^\n]*/g;
const PYTHON_TOKENS = /"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|#[^\n]*/g;

/** A signature without its comments; strings that look like comments stay. */
export const withoutComments = (code: string, tokens = C_TOKENS): string =>
  code.slice(0, MAX_HEAD).replace(tokens, (token) => (/^(?:\/[/*]|#)/.test(token) ? ' ' : token));
export const withoutHashes = (code: string): string => withoutComments(code, PYTHON_TOKENS);

/** The end of a string that begins at `at`; `at` where none does. Quotes of lifetimes (`&'a str`) begin none. */
function endOfString(line: string, at: number): number {
  const quote = line[at] as string;
  const isOne =
    quote === '"' || quote === '`' || (quote === "'" && /[=([{|]\s*$/.test(line.slice(Math.max(0, at - 2), at)));
  if (!isOne) return at;
  for (let i = at + 1; i < line.length; ++i) {
    if (line[i] === '\\') i += 1;
    else if (line[i] === quote) return i;
  }
  return at;
}

/** A signature on one line, or with a parameter a line where it is long. Pure. */
export function tidy(code: string): string {
  const line = code
    .replace(/<\s*\n\s*/g, '<')
    .replace(/(?:,|(?<![\s,]))\s+>/g, (space) => (space.includes('\n') ? '>' : space))
    .replace(/\s+/g, ' ')
    .replace(/([([{]) (?=\S)/g, (all, open: string) => (open === '{' ? all : open))
    .replace(/,? ([)\]])/g, '$1')
    .replace(/(?<![ ,;:={])[ ,;:={]+$/, '')
    .trim();
  const open = line.indexOf('(');
  if (line.length <= WIDE || open < 0) return line.slice(0, 4000);
  const parts: string[] = [];
  let depth = 0;
  let from = open + 1;
  for (let i = open; i < Math.min(line.length, MAX_HEAD); ++i) {
    i = endOfString(line, i);
    const c = line[i] as string;
    if ('([{<'.includes(c)) depth += 1;
    else if (c === '>' ? !'-='.includes(line[i - 1] as string) : ')]}'.includes(c)) depth -= 1;
    if ((c === ',' && depth === 1) || (depth === 0 && c === ')')) {
      parts.push(line.slice(from, i).trim());
      from = i + 1;
      if (depth === 0) break;
    }
  }
  if (depth !== 0 || parts.length < 2) return line.slice(0, 4000);
  return `${line.slice(0, open + 1)}\n${parts.map((part) => `    ${part}`).join(',\n')}\n)${line.slice(from)}`.slice(
    0,
    4000,
  );
}

/** Of one name. */
const MAX_SIGNATURES = 50;
const MAX_DOC = 128 << 10;

/** Lists by kind and name; lists only grow. */
const known = new WeakMap<Declared[], { count: number; by: Map<string, Declared> }>();

export function declaredIn(into: Declared[], kind: string, name: string): Declared | undefined {
  const index = known.get(into) ?? { count: 0, by: new Map<string, Declared>() };
  known.set(into, index);
  for (; index.count < into.length; ++index.count) {
    const each = into[index.count] as Declared;
    const key = `${each.kind} ${each.name}`;
    if (!index.by.has(key)) index.by.set(key, each);
  }
  return index.by.get(`${kind} ${name}`);
}

/** Adds a declaration, or another signature of one that is there. */
export function declare(into: Declared[], one: Declared): Declared {
  const same = declaredIn(into, one.kind, one.name);
  if (same === undefined) {
    into.push(one);
    return one;
  }
  for (const each of one.signatures)
    if (same.signatures.length < MAX_SIGNATURES && !same.signatures.includes(each)) same.signatures.push(each);
  if (one.doc !== '' && same.doc.length < MAX_DOC && !same.doc.includes(one.doc))
    same.doc = same.doc === '' ? one.doc : `${same.doc}\n\n${one.doc}`;
  for (const member of one.members) declare(same.members, member);
  return same;
}

/** Under another name, which its users see. */
export const renamed = (one: Declared, name: string): Declared =>
  one.name === name
    ? one
    : {
        ...one,
        name,
        signatures: one.signatures.map((each) => {
          const at = each.search(new RegExp(`(?<![\\w$])${one.name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}(?![\\w$])`));
          return at < 0 ? each : each.slice(0, at) + name + each.slice(at + one.name.length);
        }),
      };

/** An entry of a table by a word of a document: never one of Object.prototype. */
export const entryOf = (table: Readonly<Record<string, string>>, word: string): string | undefined =>
  Object.hasOwn(table, word) ? table[word] : undefined;

/** Lines of fields that have no documentation of their own, in the fence of what holds them. */
export const MAX_FIELDS = 60;

export const withFields = (head: string, fields: readonly string[], open = ' {', close = '\n}'): string =>
  fields.length === 0
    ? head
    : `${head}${open}${fields
        .slice(0, MAX_FIELDS)
        .map((each) => `\n    ${each}`)
        .join('')}${fields.length > MAX_FIELDS ? '\n    …' : ''}${close}`;
