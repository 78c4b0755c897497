/** Go: packages by folder, names with a capital, comments directly above a declaration. Folders `internal` are private. */
import {
  declare,
  field,
  firstOf,
  kids,
  Text,
  tidy,
  withFields,
  withoutComments,
  type ApiModule,
  type Declared,
  type Reader,
  type SourceFile,
  type SyntaxNode,
} from './model.js';
import { commentText, escapeText, fence, refer, withoutMarks } from './markup.js';
import { folderOf } from '../text.js';

interface GoFile {
  name: string;
  doc: string;
  declared: Declared[];
  /** By the type that they belong to. */
  methods: [string, Declared][];
}

const isPublic = (name: string): boolean => /^\p{Lu}/u.test(name);

function read(root: SyntaxNode, given: SourceFile): GoFile {
  const source = new Text(given);
  const file: GoFile = { name: '', doc: '', declared: [], methods: [] };
  let comments: SyntaxNode[] = [];
  for (const node of kids(root)) {
    if (node.type === 'comment') {
      if (comments.length > 0 && !source.adjoins((comments.at(-1) as SyntaxNode).endIndex, node.startIndex))
        comments = [];
      comments.push(node);
      continue;
    }
    const doc = above(comments, node, source);
    comments = [];
    if (node.type === 'package_clause') {
      file.name = source.of(kids(node)[0]);
      file.doc = godoc(doc, false);
    } else declaration(node, godoc(doc, true), file, source);
  }
  return file;
}

/** The comment that touches a node, but for directives of tools. */
function above(comments: readonly SyntaxNode[], node: SyntaxNode, source: Text): string {
  const last = comments.at(-1);
  if (last === undefined || !source.adjoins(last.endIndex, node.startIndex)) return '';
  return comments
    .map((each) => source.of(each))
    .filter((line) => !/^\/\/(?:go:|nolint|line |export |lint:|\+build)/.test(line))
    .join('\n');
}

/** Specifications in a group, with their comments. */
function* specs(
  node: SyntaxNode,
  source: Text,
  types: RegExp,
): Generator<{ spec: SyntaxNode; doc: string; behind: string }> {
  let comments: SyntaxNode[] = [];
  const inner = kids(node).flatMap((each) => (each.type === 'var_spec_list' ? kids(each) : [each]));
  for (const [i, each] of inner.entries()) {
    if (each.type === 'comment') {
      const before = inner[i - 1];
      // A comment behind a line is no comment of the next one.
      if (before !== undefined && before.type !== 'comment' && source.isOneLine(before.endIndex, each.startIndex))
        continue;
      if (comments.length > 0 && !source.adjoins((comments.at(-1) as SyntaxNode).endIndex, each.startIndex))
        comments = [];
      comments.push(each);
      continue;
    }
    const next = inner[i + 1];
    const behind = next?.type === 'comment' && source.isOneLine(each.endIndex, next.startIndex) ? source.of(next) : '';
    if (types.test(each.type))
      yield { spec: each, doc: godoc(above(comments, each, source), true), behind: godoc(behind, true) };
    comments = [];
  }
}

function declaration(node: SyntaxNode, doc: string, file: GoFile, source: Text): void {
  const name = source.of(field(node, 'name'));
  const head = (): string => tidy(withoutComments(source.head(node, field(node, 'body'))));
  if (node.type === 'function_declaration') {
    if (isPublic(name)) declare(file.declared, { kind: 'function', name, signatures: [head()], doc, members: [] });
  } else if (node.type === 'method_declaration') {
    const [, type = ''] =
      /(?<![\p{L}\d_])([\p{L}_][\p{L}\d_]*)\s*(?:\[[^\][]*\]\s*)?\)$/u.exec(source.of(field(node, 'receiver'))) ?? [];
    if (isPublic(name) && isPublic(type))
      file.methods.push([type, { kind: 'method', name, signatures: [head()], doc, members: [] }]);
  } else if (node.type === 'type_declaration') {
    for (const { spec, doc: own } of specs(node, source, /^type_(?:spec|alias)$/)) {
      const named = source.of(field(spec, 'name'));
      if (isPublic(named)) declare(file.declared, typeOf(spec, named, own || doc, source));
    }
  } else if (node.type === 'const_declaration' || node.type === 'var_declaration') group(node, doc, file, source);
}

function typeOf(spec: SyntaxNode, name: string, doc: string, source: Text): Declared {
  const type = field(spec, 'type');
  const members: Declared[] = [];
  const kind = type?.type === 'interface_type' ? 'interface' : type?.type === 'struct_type' ? 'struct' : 'type';
  if (kind === 'interface') {
    for (const { spec: each, doc: own } of specs(type as SyntaxNode, source, /^method_(?:elem|spec)$/)) {
      const method = source.of(field(each, 'name'));
      if (isPublic(method) && own !== '')
        declare(members, { kind: 'method', name: method, signatures: [tidy(source.of(each))], doc: own, members: [] });
    }
  }
  if (kind !== 'struct') return { kind, name, signatures: [tabs(`type ${source.of(spec)}`, 120)], doc, members };
  const fields: string[] = [];
  let isWhole = true;
  for (const { spec: each, doc: own, behind } of specs(
    firstOf(type, 'field_declaration_list') ?? (type as SyntaxNode),
    source,
    /^field_declaration$/,
  )) {
    const all = kids(each)
      .filter((one) => one.type === 'field_identifier')
      .map(source.of);
    const named = all.filter(isPublic);
    const isEmbedded =
      all.length === 0 && isPublic(/([\p{L}_]\w*)[^\w]*$/u.exec(source.of(field(each, 'type')))?.[1] ?? '');
    if (named.length === 0 && !isEmbedded) {
      isWhole = false;
      continue;
    }
    const line = tabs(source.of(each), 20);
    fields.push(line.replace(/\n/g, '\n    '));
    const said = own || behind;
    if (said !== '' && named[0] !== undefined)
      declare(members, { kind: 'field', name: named[0], signatures: [line], doc: said, members: [] });
  }
  if (!isWhole && fields.length > 0) fields.push('// … private fields');
  const head = `type ${source.head(spec, type)}struct`;
  return { kind, name, signatures: [withFields(head, fields)], doc, members };
}

const tabs = (text: string, most: number): string => {
  const lines = text
    .replace(/\t/g, '    ')
    .replace(/\n\s*\n+/g, '\n')
    .split('\n');
  return lines.length > most ? `${lines.slice(0, most).join('\n')}\n    …` : lines.join('\n');
};

function group(node: SyntaxNode, doc: string, file: GoFile, source: Text): void {
  const kind = node.type === 'const_declaration' ? 'constant' : 'variable';
  const rest: string[] = [];
  const names: string[] = [];
  for (const { spec, doc: above, behind } of specs(node, source, /^(?:const|var)_spec$/)) {
    const own = above || behind;
    const all = kids(spec)
      .filter((each) => each.type === 'identifier')
      .map(source.of)
      .filter(isPublic);
    const [first] = all;
    if (first === undefined) continue;
    const line = source.of(spec).replace(/\s+/g, ' ');
    const short = line.length > 160 ? `${line.slice(0, line.indexOf('=') + 1 || 160)} …` : line;
    if (own !== '')
      declare(file.declared, {
        kind,
        name: first,
        signatures: [`${kind === 'constant' ? 'const' : 'var'} ${short}`],
        doc: own,
        members: [],
      });
    else {
      rest.push(short);
      names.push(...all);
    }
  }
  if (rest.length === 0) return;
  const word = kind === 'constant' ? 'const' : 'var';
  const signature =
    rest.length === 1
      ? `${word} ${rest[0]}`
      : `${word} (\n${rest
          .slice(0, 200)
          .map((each) => `    ${each}`)
          .join('\n')}\n)`;
  declare(file.declared, {
    kind,
    name: names.length > 4 ? `${names.slice(0, 3).join(', ')}, …` : names.join(', '),
    signatures: [signature],
    doc,
    members: [],
  });
}

const ITEM = /^ {1,6}(?:[-*+•]|\d{1,3}[.)]) +(.*)$/s;

/** Go's own marks: indented code, `# Heading`, `[Name]`, lists, `[text]: address`. */
function godoc(comment: string, asBold: boolean): string {
  if (comment === '') return '';
  const text = withoutMarks(commentText(comment));
  const addresses = new Map(
    [...text.matchAll(/^\[([^\]\n]{1,200})\]: (\S{1,1000})$/gm)].map(([, label, to]) => [
      label as string,
      to as string,
    ]),
  );
  const out: string[] = [];
  const lines = text.replace(/^\[[^\]\n]{1,200}\]: \S{1,1000}$/gm, '').split('\n');
  for (let i = 0; i < lines.length; ) {
    const line = lines[i] as string;
    const [, item] = ITEM.exec(line) ?? [];
    if (item !== undefined) out.push(`- ${inline(item, addresses)}`);
    else if (/^\s+\S/.test(line) && (i === 0 || (lines[i - 1] as string).trim() === '')) {
      let end = i;
      while (
        end < lines.length &&
        (/^\s/.test(lines[end] as string) || lines[end] === '') &&
        !(lines[end - 1] === '' && ITEM.test(lines[end] as string))
      )
        end += 1;
      out.push(fence(lines.slice(i, end).join('\n'), 'go'), '');
      i = end;
      continue;
    } else if (/^\s+\S/.test(line)) out.push(`  ${inline(line.trim(), addresses)}`);
    else {
      const [, heading] = /^# (\S.*)$/.exec(line) ?? [];
      out.push(heading === undefined ? inline(line, addresses) : asBold ? `**${heading}**\n` : `# ${heading}`);
    }
    i += 1;
  }
  return out
    .join('\n')
    .replace(/^((?:Deprecated|Note|BUG\(\w+\)):)/gm, '**$1**')
    .trim();
}

const inline = (text: string, addresses: ReadonlyMap<string, string>): string =>
  escapeText(text).replace(/\[([^\][\n]{1,200})\](?!\()/g, (all, label: string) => {
    const address = addresses.get(label);
    if (address !== undefined) return `[${label}](${address})`;
    return /^\*?(?:[\p{L}_][\p{L}\d_/]*\.)*\p{Lu}[\p{L}\d_]*$/u.test(label)
      ? refer(label.replace(/^\*/, ''), label)
      : all;
  });

function assemble(files: ReadonlyMap<string, GoFile>, manifests: ReadonlyMap<string, string>): ApiModule[] {
  const modules = [...manifests]
    .flatMap(([path, text]) => {
      const [, module] = /^module\s+"?([^\s"]+)/m.exec(text) ?? [];
      return /(^|\/)go\.mod$/.test(path) && module !== undefined ? [{ folder: folderOf(path), module }] : [];
    })
    .sort((a, b) => b.folder.length - a.folder.length);
  const packages = new Map<string, ApiModule & { methods: [string, Declared][] }>();
  for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = folderOf(path);
    if (file.name === 'main' || file.name.endsWith('_test') || /(^|\/)internal\//.test(folder)) continue;
    const home = modules.find((each) => folder.startsWith(each.folder));
    const below = folder.slice(home?.folder.length ?? 0).replace(/\/$/, '');
    const name = home === undefined ? below || file.name : [home.module, ...(below === '' ? [] : [below])].join('/');
    const made = packages.get(folder) ?? {
      name,
      qualifier: file.name,
      source: path,
      language: 'go',
      separator: '.' as const,
      doc: '',
      entries: [],
      also: [],
      methods: [],
    };
    packages.set(folder, made);
    if (file.doc !== '' && !made.doc.includes(file.doc))
      made.doc = made.doc === '' ? file.doc : `${made.doc}\n\n${file.doc}`;
    for (const each of file.declared) declare(made.entries, each);
    for (const each of file.methods) made.methods.push(each);
  }
  return [...packages.values()].map(({ methods, ...made }) => {
    const types = new Map<string, Declared>();
    for (const each of made.entries)
      if (!types.has(each.name) && !/^(?:function|constant|variable)$/.test(each.kind)) types.set(each.name, each);
    for (const [type, method] of methods) {
      const owner = types.get(type);
      if (owner !== undefined) declare(owner.members, method);
    }
    return made;
  });
}

export const go: Reader<GoFile> = { read, assemble };
