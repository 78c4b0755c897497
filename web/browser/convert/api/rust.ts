/**
 * Rust: modules from `lib.rs` down by `mod`, items that are `pub`, `///` and `//!`, links of rustdoc.
 *
 * An item that a public module re-exports from a private one (`pub use self::map::HashMap`) is documented there.
 */
import {
  declare,
  field,
  firstOf,
  kids,
  renamed,
  Text,
  TooSlow,
  tidy,
  withFields,
  withoutComments,
  type ApiModule,
  type Declared,
  type Reader,
  type SourceFile,
  type SyntaxNode,
} from './model.js';
import { commentText, escapeTags, headings, outsideFences, refer, withoutMarks } from './markup.js';
import { folderOf } from '../text.js';

interface RustModule {
  doc: string;
  declared: Declared[];
  /** Inherent implementations, by type. */
  members: Map<string, Declared[]>;
  /** `mod name;` and `mod name { }` with its module. */
  children: { name: string; isPublic: boolean; inner: RustModule | undefined }[];
  /** `pub use`: path and name here; `*`: all. */
  uses: { path: string[]; as: string }[];
}

function read(root: SyntaxNode, file: SourceFile): RustModule {
  return moduleOf(kids(root), new Text(file), 0);
}

function moduleOf(nodes: readonly SyntaxNode[], source: Text, depth: number): RustModule {
  const module: RustModule = { doc: '', declared: [], members: new Map(), children: [], uses: [] };
  const inner = nodes.flatMap((each) => {
    const text = /comment|^inner_attribute_item$/.test(each.type) ? source.of(each).trimEnd() : '';
    return /^(?:\/\/!|\/\*!)/.test(text) ? [text] : saidBy(text);
  });
  module.doc = rustdoc(inner.join('\n'), false);
  for (const { node, doc, attributes } of documented(nodes, source)) {
    if (/#\[doc\(hidden\)\]|#\[cfg\((?:all\()?test\b/.test(attributes)) continue;
    const isPublic = /^pub$/.test(source.of(firstOf(node, 'visibility_modifier')));
    const name = source.of(field(node, 'name'));
    if (node.type === 'mod_item') {
      const body = field(node, 'body');
      if (depth < 20)
        module.children.push({
          name,
          isPublic,
          inner: body === undefined ? undefined : moduleOf(kids(body), source, depth + 1),
        });
    } else if (node.type === 'use_declaration') {
      if (isPublic) addUses(field(node, 'argument'), [], module.uses, source, 0);
    } else if (node.type === 'impl_item') {
      if (field(node, 'trait') !== undefined) continue;
      const type = source.of(field(node, 'type')).replace(/[<\s].*$/s, '');
      const members = module.members.get(type) ?? [];
      module.members.set(type, members);
      for (const each of documented(kids(field(node, 'body')), source)) {
        if (
          /#\[doc\(hidden\)\]/.test(each.attributes) ||
          !/^pub$/.test(source.of(firstOf(each.node, 'visibility_modifier')))
        )
          continue;
        const one = item(each.node, each.doc, source, true);
        if (one !== undefined) declare(members, one);
      }
    } else if (isPublic || (node.type === 'macro_definition' && /macro_export/.test(attributes))) {
      const one = item(node, doc, source, false);
      if (one !== undefined) declare(module.declared, one);
    } else if (node.type === 'foreign_mod_item') {
      for (const each of documented(kids(field(node, 'body')), source)) {
        if (!/^pub$/.test(source.of(firstOf(each.node, 'visibility_modifier')))) continue;
        const one = /#\[doc\(hidden\)\]/.test(each.attributes) ? undefined : item(each.node, each.doc, source, false);
        if (one !== undefined) declare(module.declared, one);
      }
    }
  }
  return module;
}

/** `#[doc = "…"]` as a line of documentation. */
function saidBy(attribute: string): string[] {
  const [, inner, said] = /^#(!?)\[doc\s*=\s*r?#*"([\s\S]*)"#*\]$/.exec(attribute) ?? [];
  const mark = inner === '!' ? '//!' : '///';
  return said === undefined ? [] : [`${mark} ${said.replace(/\n/g, `\n${mark}`)}`];
}

/** Items with the comments and attributes above them. */
function* documented(
  nodes: readonly SyntaxNode[],
  source: Text,
): Generator<{ node: SyntaxNode; doc: string; attributes: string }> {
  let lines: string[] = [];
  let attributes = '';
  for (const node of nodes) {
    const text = /comment|^attribute_item$/.test(node.type) ? source.of(node).trim() : '';
    if (/comment/.test(node.type)) {
      if (/^(?:\/\/\/(?!\/)|\/\*\*(?!\*))/.test(text)) lines.push(text);
    } else if (node.type === 'attribute_item') {
      const said = saidBy(text);
      if (said.length > 0) lines.push(...said);
      else attributes += text.replace(/\s+/g, ' ').slice(0, 500);
    } else {
      const [, deprecated] = /#\[deprecated\b(.*)/.exec(attributes) ?? [];
      const [, note = ''] = /\bnote\s*=\s*"((?:[^"\\]|\\.)*)"/.exec(deprecated ?? '') ?? [];
      yield {
        node,
        doc: rustdoc(lines.join('\n'), true, deprecated === undefined ? undefined : note.replace(/\\(.)/g, '$1')),
        attributes,
      };
      lines = [];
      attributes = '';
    }
  }
}

const KINDS: Readonly<Record<string, string>> = {
  function_item: 'function',
  function_signature_item: 'function',
  struct_item: 'struct',
  enum_item: 'enum',
  union_item: 'union',
  trait_item: 'trait',
  type_item: 'type',
  associated_type: 'type',
  const_item: 'constant',
  static_item: 'constant',
  macro_definition: 'macro',
};

function item(node: SyntaxNode, doc: string, source: Text, isMember: boolean): Declared | undefined {
  const kind = KINDS[node.type];
  const name = source.of(field(node, 'name'));
  if (kind === undefined || name === '') return undefined;
  const body = field(node, 'body');
  const isCode =
    node.type === 'function_item' ||
    node.type === 'trait_item' ||
    node.type === 'enum_item' ||
    node.type === 'struct_item' ||
    node.type === 'union_item';
  let head = tidy(
    withoutComments(
      isCode && body?.type !== 'ordered_field_declaration_list' ? source.head(node, body) : source.of(node),
    ),
  );
  if (node.type === 'const_item' || node.type === 'static_item')
    head = head.length > 160 ? tidy(head.replace(/=[\s\S]*$/, '')) : head;
  const one: Declared = {
    kind: isMember && kind === 'function' ? 'method' : kind,
    name,
    signatures: [head],
    doc,
    members: [],
  };
  if (kind === 'macro') one.signatures = [`macro_rules! ${name}`];
  else if (kind === 'trait') {
    for (const each of documented(kids(body), source)) {
      const member = /#\[doc\(hidden\)\]/.test(each.attributes) ? undefined : item(each.node, each.doc, source, true);
      if (member !== undefined) declare(one.members, member);
    }
  } else if (kind === 'enum' || kind === 'struct' || kind === 'union') {
    const lines: string[] = [];
    for (const each of documented(body?.type === 'ordered_field_declaration_list' ? [] : kids(body), source)) {
      const isVariant = each.node.type === 'enum_variant';
      if (
        (!isVariant && !/^pub$/.test(source.of(firstOf(each.node, 'visibility_modifier')))) ||
        /#\[doc\(hidden\)\]/.test(each.attributes)
      )
        continue;
      const line = withoutComments(source.of(each.node)).replace(/\s+/g, ' ').slice(0, 300);
      lines.push(`${line},`);
      if (each.doc !== '')
        declare(one.members, {
          kind: isVariant ? 'variant' : 'field',
          name: source.of(field(each.node, 'name')),
          signatures: [line],
          doc: each.doc,
          members: [],
        });
    }
    one.signatures = [withFields(head, lines)];
  }
  return one;
}

function addUses(
  node: SyntaxNode | undefined,
  above: readonly string[],
  into: RustModule['uses'],
  source: Text,
  depth: number,
): void {
  if (node === undefined || depth > 20) return;
  const parts = (each: SyntaxNode | undefined): string[] =>
    source
      .of(each)
      .split('::')
      .map((part) => part.trim());
  if (node.type === 'scoped_use_list' || node.type === 'use_list') {
    const path = field(node, 'path');
    for (const each of kids(node.type === 'use_list' ? node : field(node, 'list')))
      addUses(each, path === undefined ? above : [...above, ...parts(path)], into, source, depth + 1);
  } else if (node.type === 'use_wildcard') into.push({ path: [...above, ...parts(kids(node)[0])], as: '*' });
  else if (node.type === 'use_as_clause')
    into.push({ path: [...above, ...parts(field(node, 'path'))], as: source.of(field(node, 'alias')) });
  else {
    const path = [...above, ...parts(node)];
    if (path.at(-1) === 'self') path.pop();
    into.push({ path, as: path.at(-1) ?? '' });
  }
}

// ---- text ---------------------------------------------------------------------------------------

const TEST_WORDS = /^(?:rust|ignore|no_run|should_panic|compile_fail|edition\d+|ignore-\w+|standalone\w*|E\d{4})$/;

/** Markdown: hidden lines of examples go, `[Name]` and `[text](path::Name)` are references. */
function rustdoc(comment: string, asBold: boolean, deprecated?: string): string {
  if (comment === '' && deprecated === undefined) return '';
  const out: string[] = [];
  let open = '';
  let isRust = false;
  for (const line of withoutMarks(commentText(comment)).split('\n')) {
    const [, marks = '', words = ''] = /^\s*(`{3,}|~{3,})\s*(.*)$/.exec(line) ?? [];
    if (marks !== '' && open === '') {
      open = marks;
      const all = words.split(/[,\s]+/).filter((word) => word !== '');
      isRust = all.every((word) => TEST_WORDS.test(word));
      out.push(`${marks}${isRust ? 'rust' : (all.find((word) => !TEST_WORDS.test(word)) ?? '')}`);
    } else if (marks !== '' && marks.startsWith(open) && words === '') {
      open = '';
      out.push(line);
    } else if (open !== '' && isRust && /^\s*#(?:\s|$)/.test(line)) continue;
    else out.push(open !== '' && isRust ? line.replace(/^(\s*)##/, '$1#') : line);
  }
  if (open !== '') out.push(open);
  const text = out.join('\n');
  const targets = new Map(
    [...text.matchAll(/^\[([^\]\n]{1,200})\]:\s*(\S{1,300})\s*$/gm)].map(([, label, to]) => [
      label as string,
      to as string,
    ]),
  );
  const prose = references(text.replace(/^\[[^\]\n]{1,200}\]:\s*\S{1,300}\s*$/gm, ''), targets);
  const note = deprecated === undefined ? '' : `**Deprecated**${deprecated === '' ? '' : `: ${deprecated}`}\n\n`;
  return (
    note +
    headings(prose, asBold)
      .replace(/\n{3,}/g, '\n\n')
      .trim()
  );
}

const isPath = (target: string): boolean => /^[\w:!()@]+$/.test(target);

/** A code span, which stays; or a link, whose text may be one. */
const LINK = /`+[^`\n]{1,500}`+|\[(`?)([^\][`\n]{1,200})\1\](?:\(([^()\s]{1,500}(?:\(\)`?)?)\)|\[([^\]\n]{0,200})\])?/g;

function references(text: string, targets: ReadonlyMap<string, string>): string {
  const clean = (target: string): string =>
    target.replace(/^(?:\w+@|fn |struct |trait |mod |macro |enum )/, '').replace(/(?:\(\)|!)$/, '');
  return outsideFences(text, (part) =>
    escapeTags(part).replace(LINK, (all, tick?: string, label?: string, address?: string, reference?: string) => {
      if (label === undefined || tick === undefined) return all;
      const shown = `${tick}${label}${tick}`;
      const target = (
        address ??
        targets.get(reference || shown) ??
        targets.get(reference || label) ??
        (reference || label)
      ).replace(/`/g, '');
      if (/^(?:https?:|mailto:)/.test(target)) return address === undefined ? `[${shown}](${target})` : all;
      const isName =
        address !== undefined ||
        reference !== undefined ||
        targets.has(shown) ||
        targets.has(label) ||
        tick !== '' ||
        /^[A-Za-z_][\w:]*(?:\(\)|!)?$/.test(label);
      return isPath(clean(target)) && isName ? refer(clean(target), label) : address === undefined ? all : shown;
    }),
  );
}

// ---- crates -------------------------------------------------------------------------------------

function assemble(
  files: ReadonlyMap<string, RustModule>,
  manifests: ReadonlyMap<string, string>,
  until: number,
): ApiModule[] {
  const made: ApiModule[] = [];
  const roots = [...files.keys()]
    .filter((path) => /(^|\/)lib\.rs$/.test(path) && !/(^|\/)(?:tests|benches)\//.test(path))
    .sort();
  for (const root of roots) {
    const [, above = ''] = /^(.*?)(?:src\/)?lib\.rs$/.exec(root) ?? [];
    const manifest = manifests.get(`${above}Cargo.toml`) ?? '';
    const [, named] =
      /^\[lib\][^[]*?^name\s*=\s*"([\w-]+)"/m.exec(manifest) ??
      /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/m.exec(manifest) ??
      [];
    crate((named ?? 'crate').replace(/-/g, '_'), root, files, made, until);
  }
  return made;
}

interface Placed {
  path: string[];
  module: RustModule;
  source: string;
  isPublic: boolean;
}

function crate(
  name: string,
  root: string,
  files: ReadonlyMap<string, RustModule>,
  made: ApiModule[],
  until: number,
): void {
  const all = new Map<string, Placed>();
  const place = (path: string[], module: RustModule, source: string, folder: string, isPublic: boolean): void => {
    if (path.length > 30 || all.size > 20_000) return;
    all.set(path.join('::'), { path, module, source, isPublic });
    for (const child of module.children) {
      const below = [...path, child.name];
      if (child.inner !== undefined)
        place(below, child.inner, source, `${folder}${child.name}/`, isPublic && child.isPublic);
      else
        for (const file of [`${folder}${child.name}.rs`, `${folder}${child.name}/mod.rs`]) {
          const found = files.get(file);
          if (found === undefined) continue;
          place(below, found, file, `${folder}${child.name}/`, isPublic && child.isPublic);
          break;
        }
    }
  };
  place([name], files.get(root) as RustModule, root, folderOf(root), true);
  const members = new Map<string, Declared[]>();
  for (const { module } of all.values())
    for (const [type, own] of module.members) members.set(type, [...(members.get(type) ?? []), ...own]);
  const absolute = (at: Placed, path: string[]): string[] | undefined => {
    const [first = '', ...rest] = path;
    if (first === 'crate' || first === '$crate' || first === name) return [name, ...rest];
    if (first === 'self') return [...at.path, ...rest];
    if (first === 'super')
      return absolute({ ...at, path: at.path.slice(0, -1) }, rest[0] === 'super' ? rest : ['self', ...rest]);
    return [...at.path, ...path];
  };
  interface Exported {
    one: Declared;
    as: string;
    home: Placed;
  }
  const placeOf = (at: Placed, path: string[]): Placed | undefined => {
    const found = all.get((absolute(at, path) ?? []).join('::'));
    return found === at ? undefined : found;
  };
  /** What a module gives a name to. `seen`: modules that were asked for a name. */
  const find = (at: Placed, name: string, seen = new Set<string>()): Exported | undefined => {
    TooSlow.check(until);
    const key = `${at.path.join('::')} ${name}`;
    if (seen.has(key)) return undefined;
    seen.add(key);
    const one = at.module.declared.find((each) => each.name === name);
    if (one !== undefined) return { one, as: name, home: at };
    for (const { path, as } of at.module.uses) {
      if (as !== name && as !== '*') continue;
      const from = placeOf(at, as === '*' ? path : path.slice(0, -1));
      const found = from === undefined ? undefined : find(from, as === '*' ? name : (path.at(-1) as string), seen);
      if (found !== undefined) return { ...found, as: name };
    }
    return undefined;
  };
  /** All public names of a module. `seen`: modules whose names are in the list. */
  const exported = (at: Placed, seen = new Set<Placed>()): Exported[] => {
    TooSlow.check(until);
    if (seen.has(at)) return [];
    seen.add(at);
    const found = at.module.declared.map((one): Exported => ({ one, as: one.name, home: at }));
    for (const { path, as } of at.module.uses) {
      const from = placeOf(at, as === '*' ? path : path.slice(0, -1));
      if (from === undefined) continue;
      if (as === '*') for (const each of exported(from, seen)) found.push(each);
      else {
        const own = find(from, path.at(-1) as string);
        if (own !== undefined) found.push({ ...own, as });
      }
    }
    return found.slice(0, 20_000);
  };
  const homes = new Map<Declared, string>();
  for (const at of [...all.values()].filter((each) => each.isPublic).sort((a, b) => a.path.length - b.path.length)) {
    const entries: Declared[] = [];
    const also: ApiModule['also'] = [];
    for (const { one, as, home } of exported(at)) {
      const full = [...at.path, as].join('::');
      const there = homes.get(one) ?? (home !== at && home.isPublic ? [...home.path, one.name].join('::') : undefined);
      if (there !== undefined) {
        if (there !== full) also.push({ name: as, target: there });
        continue;
      }
      homes.set(one, full);
      const own = members.get(one.name) ?? [];
      const whole = { ...renamed(one, as), members: [...one.members] };
      if (/^(?:struct|enum|union|type)$/.test(one.kind)) for (const each of own) declare(whole.members, each);
      entries.push(whole);
    }
    made.push({
      name: at.path.join('::'),
      source: at.source,
      language: 'rust',
      separator: '::',
      doc: at.module.doc,
      entries,
      also,
    });
  }
}

export const rust: Reader<RustModule> = { read, assemble };
