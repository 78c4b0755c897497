/**
 * Rust: modules from `lib.rs` down by `mod`, items that are `pub`, `///` and `//!`, links of rustdoc.
 *
 * An item or a module that a public module re-exports from a private one (`pub use self::map::HashMap`), or from a crate below
 * `vendor` (`pub use serde_core::de`), is documented there. Items within a macro count as if they stood in its place:
 * `cfg_time! { pub mod time; }`, and `crate_root!();` of `macro_rules! crate_root { () => { … } }`.
 */
import {
  declare,
  DEPENDENCY,
  field,
  firstOf,
  kids,
  renamed,
  Text,
  TooSlow,
  tidy,
  walkModules,
  withFields,
  withoutComments,
  type ApiModule,
  type Declared,
  type Reader,
  type SourceFile,
  type Step,
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
  /** Macros without arguments whose items are this module's. */
  invoked: string[];
}

/** In place of `macro_rules!`, so of its length: the items of a macro are those of a module. */
const EXPANDED = 'mod         ';
/** Before the name of such a module, which no module can have. */
const MACRO = '!';
const TOKEN =
  /\/\/[^\n]*|\/\*|r(#{0,8})"|b?"(?:\\[^]|[^"\\])*"?|'(?:\\[^\n][^'\n]{0,10}|[^\\'\n])'|[{}]|[A-Za-z_]\w*!?|[^]/y;
/** What a macro's braces begin with if they hold items. */
const ITEMS = /\s*(?:\/\/[^\n]*\n\s*)*(?:#!?\[|(?:pub|mod|use|impl)\b|macro_rules!)/y;
const ARM = /(\s*\(\s*\)\s*=>\s*)\{/y;

/** Blanks the macros around items. Linear: each byte is looked at once, but for the few ahead of a macro's brace. */
function prepare(text: string): string {
  if (!text.includes('!')) return text;
  const blanks: { from: number; to: number; by: string }[] = [];
  /** Of each open brace, what goes with its end. */
  const open: boolean[] = [];
  let macro: { name: string; at: number } | undefined;
  const test = (pattern: RegExp, at: number): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  for (let at = 0; at < text.length; ) {
    const [token = ' ', hashes] = test(TOKEN, at) ?? [];
    const end = at + token.length;
    if (token === '/*') at = endOf(text, '*/', end);
    else if (hashes !== undefined) at = endOf(text, `"${hashes}`, end);
    else {
      if (token === '{') {
        const isMacro = macro !== undefined;
        const rules = macro?.name === 'macro_rules!' ? test(ARM, end) : null;
        if (rules !== null && test(ITEMS, end + rules[0].length) !== null) {
          blanks.push({ from: macro?.at as number, to: (macro?.at as number) + EXPANDED.length, by: EXPANDED });
          blanks.push({ from: end, to: end + rules[0].length, by: '' });
          open.push(false, true);
          at = end + rules[0].length;
          macro = undefined;
          continue;
        }
        const isItems = isMacro && macro?.name !== 'macro_rules!' && test(ITEMS, end) !== null;
        if (isItems) blanks.push({ from: macro?.at as number, to: end, by: '' });
        open.push(isItems);
        macro = undefined;
      } else if (token === '}') {
        if (open.pop() === true) blanks.push({ from: at, to: text[end] === ';' ? end + 1 : end, by: '' });
        macro = undefined;
      } else if (token.endsWith('!') && token.length > 1) macro = { name: token, at };
      // `macro_rules! name {`
      else if (!/^\s$/.test(token) && !(macro?.name === 'macro_rules!' && /^\w/.test(token))) macro = undefined;
      at = end;
    }
  }
  let out = '';
  let from = 0;
  for (const each of blanks.sort((a, b) => a.from - b.from)) {
    if (each.from < from) continue;
    out +=
      text.slice(from, each.from) + each.by + text.slice(each.from + each.by.length, each.to).replace(/[^\n]/g, ' ');
    from = each.to;
  }
  return out + text.slice(from);
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from);
  return at < 0 ? text.length : at + mark.length;
}

function read(root: SyntaxNode, file: SourceFile): RustModule {
  return moduleOf(kids(root), new Text(file), 0);
}

const isPublic = (node: SyntaxNode, source: Text): boolean => source.of(firstOf(node, 'visibility_modifier')) === 'pub';
const isHidden = (attributes: string): boolean => /#\[doc\(hidden\)\]/.test(attributes);

function moduleOf(nodes: readonly SyntaxNode[], source: Text, depth: number): RustModule {
  const module: RustModule = { doc: '', declared: [], members: new Map(), children: [], uses: [], invoked: [] };
  const inner = nodes.flatMap((each) => {
    const text = /comment|^inner_attribute_item$/.test(each.type) ? source.of(each).trimEnd() : '';
    return /^(?:\/\/!|\/\*!)/.test(text) ? [text] : saidBy(text);
  });
  module.doc = rustdoc(inner.join('\n'), false);
  for (const { node, doc, attributes } of documented(nodes, source)) {
    if (isHidden(attributes) || /#\[cfg\((?:all\()?test\b/.test(attributes)) continue;
    const isOpen = isPublic(node, source);
    const name = source.of(field(node, 'name'));
    if (node.type === 'mod_item') {
      const body = field(node, 'body');
      const isMacro = source.text.startsWith('macro_rules!', node.startIndex);
      if (depth < 20)
        module.children.push({
          name: isMacro ? `${MACRO}${name}` : name,
          isPublic: isOpen,
          inner: body === undefined ? undefined : moduleOf(kids(body), source, depth + 1),
        });
    } else if (node.type === 'use_declaration') {
      if (isOpen) addUses(field(node, 'argument'), [], module.uses, source, 0);
    } else if (node.type === 'macro_invocation' || node.type === 'expression_statement') {
      const [, macro] = /^(\w{1,100})!\s*[({[]\s*[)}\]]/.exec(source.of(node).slice(0, 200)) ?? [];
      if (macro !== undefined) module.invoked.push(macro);
    } else if (node.type === 'impl_item') {
      if (field(node, 'trait') !== undefined) continue;
      const type = source.of(field(node, 'type')).replace(/[<\s].*$/s, '');
      const members = module.members.get(type) ?? [];
      module.members.set(type, members);
      for (const each of documented(kids(field(node, 'body')), source)) {
        if (isHidden(each.attributes) || !isPublic(each.node, source)) continue;
        const one = item(each.node, each.doc, source, true);
        if (one !== undefined) declare(members, one);
      }
    } else if (isOpen || (node.type === 'macro_definition' && /macro_export/.test(attributes))) {
      const one = item(node, doc, source, false);
      if (one !== undefined) declare(module.declared, one);
    } else if (node.type === 'foreign_mod_item') {
      for (const each of documented(kids(field(node, 'body')), source)) {
        if (isHidden(each.attributes) || !isPublic(each.node, source)) continue;
        const one = item(each.node, each.doc, source, false);
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
      const member = isHidden(each.attributes) ? undefined : item(each.node, each.doc, source, true);
      if (member !== undefined) declare(one.members, member);
    }
  } else if (kind === 'enum' || kind === 'struct' || kind === 'union') {
    const lines: string[] = [];
    for (const each of documented(body?.type === 'ordered_field_declaration_list' ? [] : kids(body), source)) {
      const isVariant = each.node.type === 'enum_variant';
      if (isHidden(each.attributes) || (!isVariant && !isPublic(each.node, source))) continue;
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
const LINK =
  /(?<!`)`+[^`\n]{1,500}`+|\[(`?)([^\][`\n]{1,200})\1\](?:\(([^()\s]{1,500}(?:\(\)`?)?)\)|\[([^\]\n]{0,200})\])?/g;

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
  const roots = [...files.keys()]
    .filter((path) => /(^|\/)lib\.rs$/.test(path) && !/(^|\/)(?:tests|benches)\//.test(path))
    .sort()
    .map((path) => {
      const [, above = ''] = /^(.*?)(?:src\/)?lib\.rs$/.exec(path) ?? [];
      const manifest = manifests.get(`${above}Cargo.toml`) ?? '';
      const [, named = 'crate'] =
        /^\[lib\][^[]*?^name\s*=\s*"([\w-]+)"/m.exec(manifest) ??
        /^\[package\][^[]*?^name\s*=\s*"([\w-]+)"/m.exec(manifest) ??
        [];
      return { path, above, name: named.replace(/-/g, '_') };
    });
  const parts = roots.filter(({ path }) => DEPENDENCY.test(path));
  const own = roots.filter((each) => !parts.includes(each));
  // A `lib.rs` without a manifest is a module where another one has a manifest.
  const crates = own.filter(({ above }) => manifests.has(`${above}Cargo.toml`));
  return (crates.length > 0 ? crates : own).flatMap((root) => crate(root, parts, files, until));
}

interface Root {
  path: string;
  /** The crate's folder. */
  above: string;
  name: string;
}

interface Placed {
  /** Where it is declared, from its crate down. */
  path: string[];
  /** Where users find it; undefined: nowhere. */
  shown: string[] | undefined;
  module: RustModule;
  source: string;
  /** Of another crate. */
  isPart: boolean;
  /** Declared `pub`: others than the module that holds it may re-export it. */
  isOpen: boolean;
}

interface Exported {
  one: Declared;
  as: string;
  home: Placed;
}

interface Asked {
  at: Placed;
  name: string;
}

/** Modules of a crate, and names of a module. */
const MOST = 20_000;

function* first<T>(all: Iterable<T>): Generator<T> {
  let count = 0;
  for (const each of all) {
    if (count++ >= MOST) return;
    yield each;
  }
}

/** A crate's pages; of `parts`, other crates, what it hands on. */
function crate(root: Root, parts: readonly Root[], files: ReadonlyMap<string, RustModule>, until: number): ApiModule[] {
  const all = new Map<string, Placed>();
  for (const each of [root, ...parts]) placeAll(each, each !== root, files, all);
  const moduleAt = (path: readonly string[]): Placed | undefined => all.get(path.join('::'));
  const absolute = (at: Placed, path: string[]): string[] => {
    const [first = '', ...rest] = path;
    const own = at.path[0] as string;
    if (first === 'crate' || first === '$crate' || first === own) return [own, ...rest];
    if (first === 'self') return [...at.path, ...rest];
    if (first === 'super')
      return absolute({ ...at, path: at.path.slice(0, -1) }, rest[0] === 'super' ? rest : ['self', ...rest]);
    const isOther = moduleAt([...at.path, first]) === undefined && moduleAt([first]) !== undefined;
    return isOther ? path : [...at.path, ...path];
  };
  const placeOf = (at: Placed, path: string[]): Placed | undefined => {
    const found = moduleAt(absolute(at, path));
    return found === at ? undefined : found;
  };
  /** Public modules of a module, its own and those that it re-exports. */
  function* modulesOf(at: Placed): Generator<Step<Placed, { name: string; found: Placed }>> {
    TooSlow.check(until);
    for (const { name, isPublic } of at.module.children) {
      const found = isPublic ? moduleAt([...at.path, name]) : undefined;
      if (found !== undefined) yield { one: { name, found } };
    }
    for (const { path, as } of at.module.uses) {
      const found = placeOf(at, path);
      if (found === undefined) continue;
      if (as === '*') yield { into: found };
      // Of namesakes, `pub use task::spawn` means the function where the module is private.
      else if (found.isOpen || found.path.slice(0, -1).every((part, i) => at.path[i] === part))
        yield { one: { name: as, found } };
    }
  }
  const open = [...all.values()].filter(({ shown }) => shown !== undefined);
  for (let i = 0; i < open.length && i < MOST; ++i) {
    const at = open[i] as Placed;
    for (const { name, found } of first(walkModules(at, modulesOf))) {
      if (found.shown !== undefined) continue;
      found.shown = [...(at.shown as string[]), name];
      open.push(found);
    }
  }
  /** What a module gives a name to. */
  function* named({ at, name }: Asked): Generator<Step<Asked, Exported>> {
    TooSlow.check(until);
    const one = at.module.declared.find((each) => each.name === name);
    if (one !== undefined) yield { one: { one, as: name, home: at } };
    for (const { path, as } of at.module.uses) {
      if (as !== name && as !== '*') continue;
      const from = placeOf(at, as === '*' ? path : path.slice(0, -1));
      if (from !== undefined) yield { into: { at: from, name: as === '*' ? name : (path.at(-1) as string) } };
    }
  }
  const find = (at: Placed, name: string): Exported | undefined =>
    walkModules({ at, name }, named, (asked) => `${asked.at.path.join('::')} ${asked.name}`).next().value;
  /** All public names of a module. */
  function* exported(at: Placed): Generator<Step<Placed, Exported>> {
    TooSlow.check(until);
    for (const one of at.module.declared) yield { one: { one, as: one.name, home: at } };
    for (const { path, as } of at.module.uses) {
      const from = placeOf(at, as === '*' ? path : path.slice(0, -1));
      if (from === undefined) continue;
      if (as === '*') yield { into: from };
      else {
        const own = find(from, path.at(-1) as string);
        if (own !== undefined) yield { one: { ...own, as } };
      }
    }
  }
  const members = membersByType([...all.values()]);
  const made: ApiModule[] = [];
  const homes = new Map<Declared, string>();
  for (const at of open.sort((a, b) => (a.shown as string[]).length - (b.shown as string[]).length)) {
    const entries: Declared[] = [];
    const also: ApiModule['also'] = [];
    for (const { one, as, home } of first(walkModules(at, exported))) {
      const full = [...(at.shown as string[]), as].join('::');
      const elsewhere = home === at || home.isPart ? undefined : home.shown;
      const there = homes.get(one) ?? (elsewhere === undefined ? undefined : [...elsewhere, one.name].join('::'));
      if (there !== undefined) {
        if (there !== full) also.push({ name: as, target: there });
        continue;
      }
      homes.set(one, full);
      const whole = { ...renamed(one, as), members: [...one.members] };
      for (const each of members.get(one) ?? []) declare(whole.members, each);
      entries.push(whole);
    }
    made.push({
      name: (at.shown as string[]).join('::'),
      qualifier: (at.shown as string[]).join('.'),
      source: at.source,
      language: 'rust',
      separator: '::',
      doc: at.module.doc,
      entries,
      also,
    });
  }
  return made;
}

function placeAll(root: Root, isPart: boolean, files: ReadonlyMap<string, RustModule>, all: Map<string, Placed>): void {
  const expanded = new Map<string, RustModule>();
  for (const [path, { children }] of files)
    if (path.startsWith(root.above))
      for (const { name, inner } of children)
        if (name.startsWith(MACRO) && inner !== undefined && !expanded.has(name)) expanded.set(name, inner);
  const place = (
    path: string[],
    given: RustModule,
    source: string,
    folder: string,
    isPublic: boolean,
    isOpen: boolean,
  ): void => {
    if (path.length > 30 || all.size > MOST) return;
    const module = withInvoked(given, expanded);
    all.set(path.join('::'), { path, shown: isPublic ? path : undefined, module, source, isPart, isOpen });
    for (const child of module.children) {
      if (child.name.startsWith(MACRO)) continue;
      const below = [...path, child.name];
      const isShown = isPublic && child.isPublic;
      if (child.inner !== undefined)
        place(below, child.inner, source, `${folder}${child.name}/`, isShown, child.isPublic);
      else
        for (const file of [`${folder}${child.name}.rs`, `${folder}${child.name}/mod.rs`]) {
          const found = files.get(file);
          if (found === undefined) continue;
          place(below, found, file, `${folder}${child.name}/`, isShown, child.isPublic);
          break;
        }
    }
  };
  place([root.name], files.get(root.path) as RustModule, root.path, folderOf(root.path), !isPart, true);
}

/** With the items of macros that it invokes: its own, else of another file of the crate. */
function withInvoked(module: RustModule, expanded: ReadonlyMap<string, RustModule>): RustModule {
  const whole = { ...module };
  for (const macro of module.invoked.slice(0, 100)) {
    const name = `${MACRO}${macro}`;
    const inner = module.children.find((each) => each.name === name)?.inner ?? expanded.get(name);
    if (inner === undefined || inner === module) continue;
    whole.declared = [...whole.declared, ...inner.declared];
    whole.children = [...whole.children, ...inner.children];
    whole.uses = [...whole.uses, ...inner.uses];
    whole.members = new Map([...inner.members, ...whole.members]);
  }
  return whole;
}

/** Methods by the type that they belong to: of several of a name, the one that is declared nearest. */
function membersByType(all: readonly Placed[]): Map<Declared, Declared[]> {
  const types = new Map<string, { path: string[]; one: Declared }[]>();
  for (const { path, module } of all)
    for (const one of module.declared)
      if (/^(?:struct|enum|union|type)$/.test(one.kind))
        types.set(one.name, [...(types.get(one.name) ?? []), { path, one }]);
  const shared = (a: readonly string[], b: readonly string[]): number => {
    let count = 0;
    while (count < a.length && a[count] === b[count]) count += 1;
    return count;
  };
  const members = new Map<Declared, Declared[]>();
  for (const { path, module } of all)
    for (const [type, own] of module.members) {
      const near = (types.get(type) ?? []).map((each) => ({ ...each, near: shared(path, each.path) }));
      const nearest = Math.max(...near.map((each) => each.near));
      for (const { one } of near.filter((each) => each.near === nearest && each.near > 0))
        members.set(one, [...(members.get(one) ?? []), ...own]);
    }
  return members;
}

export const rust: Reader<RustModule> = { prepare, read, assemble };
