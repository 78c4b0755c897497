/**
 * JavaScript and TypeScript: what the entry files of a package export, by way of `export … from` and `require`; JSDoc.
 *
 * Each page is a file that declares some of it. Where package.json names no entry that is there, every file is one.
 */
import {
  declare,
  DEPENDENCY,
  declaredIn,
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
import { joinPath, folderOf } from '../text.js';
import { documentsNothing, isHiddenByTags, readTags, type Tagged } from './tags.js';

interface EcmaFile {
  doc: string;
  declared: Declared[];
  /** Exported name → local name. */
  exported: Map<string, string>;
  /** Of other files; without `name`: all; `as`: the exported name. */
  from: { file: string; name?: string; as?: string }[];
  /** Local name → what it is imported from. */
  imported: Map<string, { file: string; name: string }>;
  /** `/// <reference path="…" />`: files that declare more of it. */
  references: string[];
}

const NONE: Tagged = { doc: '', tags: new Set() };

function read(root: SyntaxNode, given: SourceFile): EcmaFile {
  const { path } = given;
  const source = new Text(given);
  const file: EcmaFile = { doc: '', declared: [], exported: new Map(), from: [], imported: new Map(), references: [] };
  const isAmbient = /\.d\.[cm]?ts$/.test(path);
  statements(kids(root), { file, source, isAmbient, into: file.declared, doesExport: false, depth: 0 });
  const isScript = file.exported.size === 0 && file.from.length === 0;
  if (isAmbient && isScript) for (const { name } of file.declared) file.exported.set(name, name);
  return file;
}

interface Place {
  file: EcmaFile;
  source: Text;
  isAmbient: boolean;
  into: Declared[];
  /** All names here are exported: of a namespace in a declaration file. */
  doesExport: boolean;
  depth: number;
}

function statements(nodes: readonly SyntaxNode[], place: Place): void {
  const { source, file } = place;
  let comment: Tagged = NONE;
  let isFirst = true;
  for (const node of nodes) {
    if (node.type === 'comment') {
      const [, more] = /^\/\/\/\s*<reference\s+path\s*=\s*["']([^"']{1,300})["']/.exec(source.of(node)) ?? [];
      if (more !== undefined && place.depth === 0) file.references.push(/^\.{1,2}\//.test(more) ? more : `./${more}`);
      if (!source.of(node).startsWith('/**')) continue;
      const next = readTags(source.of(node), 'jsdoc');
      if (
        isFirst &&
        place.depth === 0 &&
        (next.tags.has('module') ||
          next.tags.has('packagedocumentation') ||
          next.tags.has('fileoverview') ||
          next.tags.has('file'))
      ) {
        file.doc = next.doc;
        comment = NONE;
      } else comment = documentsNothing(next.tags) && next.doc === '' && !isHiddenByTags(next.tags) ? NONE : next;
      isFirst = false;
      continue;
    }
    isFirst = false;
    statement(node, comment, place);
    comment = NONE;
  }
}

function statement(node: SyntaxNode, comment: Tagged, place: Place): void {
  const { source, file } = place;
  if (isHiddenByTags(comment.tags)) return;
  if (node.type === 'import_statement') return addImport(node, place);
  if (node.type === 'expression_statement') return assignment(node, comment, place);
  if (node.type === 'ambient_declaration') {
    for (const each of kids(node)) statement(each, comment, place);
    return;
  }
  if (node.type !== 'export_statement') {
    const names = declareFrom(node, comment, place);
    if (place.doesExport) for (const name of names) file.exported.set(name, name);
    return;
  }
  const declaration = field(node, 'declaration');
  const from = source.of(field(node, 'source')).slice(1, -1);
  const isDefault = /^export\s+default\b/.test(source.text.slice(node.startIndex, node.startIndex + 40));
  if (declaration !== undefined) {
    const given = isDefault ? source.of(field(declaration, 'name')) || 'default' : '';
    for (const name of declareFrom(declaration, comment, place, given))
      file.exported.set(isDefault ? 'default' : name, name);
    return;
  }
  const value =
    field(node, 'value') ??
    (/^export\s*=/.test(source.of(node).slice(0, 20)) ? firstOf(node, 'identifier') : undefined);
  if (value !== undefined) {
    if (value.type === 'identifier') file.exported.set('default', source.of(value));
    else if (/function|class/.test(value.type))
      for (const name of declareFrom(value, comment, place, source.of(field(value, 'name')) || 'default'))
        file.exported.set('default', name);
    return;
  }
  const clause = firstOf(node, 'export_clause');
  const namespace = firstOf(node, 'namespace_export');
  if (clause === undefined) {
    if (from !== '')
      file.from.push({ file: from, ...(namespace === undefined ? {} : { as: source.of(kids(namespace)[0]) }) });
    return;
  }
  for (const each of kids(clause)) {
    const name = source.of(field(each, 'name'));
    const as = source.of(field(each, 'alias')) || name;
    if (from !== '') file.from.push({ file: from, name, as });
    else file.exported.set(as, name);
  }
}

function addImport(node: SyntaxNode, { source, file }: Place): void {
  const from = source.of(field(node, 'source')).slice(1, -1);
  const clause = firstOf(node, 'import_clause');
  for (const each of kids(clause)) {
    if (each.type === 'identifier') file.imported.set(source.of(each), { file: from, name: 'default' });
    else if (each.type === 'namespace_import') file.imported.set(source.of(kids(each)[0]), { file: from, name: '*' });
    else
      for (const one of kids(each)) {
        const name = source.of(field(one, 'name'));
        file.imported.set(source.of(field(one, 'alias')) || name, { file: from, name });
      }
  }
}

const requireOf = (node: SyntaxNode | undefined, source: Text): string | undefined =>
  /^require\(\s*['"]([^'"]{1,300})['"]\s*\)(?:\.(\w+))?$/.exec(
    node === undefined || node.endIndex - node.startIndex > 400 ? '' : source.of(node),
  )?.[1];

/** CommonJS: `module.exports = …`, `exports.name = …`, `X.prototype.name = function …`. */
function assignment(statementNode: SyntaxNode, comment: Tagged, place: Place): void {
  const { source, file } = place;
  let node = kids(statementNode)[0];
  if (place.isAmbient || node === undefined) return;
  if (node.type === 'internal_module' || node.type === 'module') {
    for (const name of declareFrom(node, comment, place)) if (place.doesExport) file.exported.set(name, name);
    return;
  }
  const targets: string[] = [];
  let value: SyntaxNode | undefined;
  while (node?.type === 'assignment_expression') {
    const left = field(node, 'left');
    if (left !== undefined && left.endIndex - left.startIndex < 200) targets.push(source.of(left));
    value = field(node, 'right');
    node = value;
  }
  if (value === undefined) return;
  for (const target of targets) {
    const exported = /^(?:module\.)?exports(?:\.(\w+))?$/.exec(target);
    if (exported === null) {
      const [, owner, name] = /^(\w+)(?:\.prototype)?\.(\w+)$/.exec(target) ?? [];
      if (owner === undefined || name === undefined || comment.doc === '' || !/function/.test(value.type)) continue;
      const holder = file.declared.find((each) => each.name === owner);
      const one = {
        kind: holder === undefined ? 'function' : 'method',
        name: holder === undefined ? `${owner}.${name}` : name,
        signatures: [tidy(`${target}${parametersOf(value, source)}`)],
        doc: comment.doc,
        members: [],
      };
      declare(holder?.members ?? file.declared, one);
      if (holder === undefined) file.exported.set(one.name, one.name);
      continue;
    }
    const name = exported[1] ?? 'default';
    const required = requireOf(value, source);
    if (required !== undefined)
      file.from.push(exported[1] === undefined ? { file: required } : { file: required, name: 'default', as: name });
    else if (value.type === 'identifier') file.exported.set(name, source.of(value));
    else if (value.type === 'object' && exported[1] === undefined) addObject(value, place);
    else if (/function|class/.test(value.type)) {
      const own = source.of(field(value, 'name')) || (exported[1] ?? '');
      if (own === '') continue;
      for (const each of declareFrom(value, comment, place, own)) file.exported.set(name, each);
    } else if (exported[1] !== undefined && comment.doc !== '')
      file.exported.set(
        name,
        declare(file.declared, {
          kind: 'constant',
          name,
          signatures: [tidy(`${name} = ${source.of(value).slice(0, 80)}`)],
          doc: comment.doc,
          members: [],
        }).name,
      );
  }
}

function addObject(object: SyntaxNode, place: Place): void {
  const { source, file } = place;
  let comment = NONE;
  for (const each of kids(object)) {
    const said = comment;
    comment = each.type === 'comment' && source.of(each).startsWith('/**') ? readTags(source.of(each), 'jsdoc') : NONE;
    if (isHiddenByTags(said.tags)) continue;
    if (each.type === 'method_definition') {
      const name = source.of(field(each, 'name'));
      for (const own of /^\w+$/.test(name) ? declareFrom(each, said, place, name) : []) file.exported.set(own, own);
    } else if (each.type === 'shorthand_property_identifier') {
      const name = source.of(each);
      const imported = file.imported.get(name);
      if (imported !== undefined) file.from.push({ file: imported.file, name: imported.name, as: name });
      else file.exported.set(name, name);
    } else if (each.type === 'pair') {
      const name = source.of(field(each, 'key'));
      const value = field(each, 'value');
      const required = requireOf(value, source);
      const imported = value?.type === 'identifier' ? file.imported.get(source.of(value)) : undefined;
      if (required !== undefined) file.from.push({ file: required, name: 'default', as: name });
      else if (imported !== undefined) file.from.push({ file: imported.file, name: imported.name, as: name });
      else if (value?.type === 'identifier') file.exported.set(name, source.of(value));
      else if (value !== undefined && /function|^class$/.test(value.type) && /^\w+$/.test(name))
        for (const own of declareFrom(value, said, place, name)) file.exported.set(own, own);
    }
  }
}

const parametersOf = (node: SyntaxNode, source: Text): string =>
  source.of(field(node, 'parameters')) ||
  (field(node, 'parameter') === undefined ? '()' : `(${source.of(field(node, 'parameter'))})`);

const WORDS = /^(?:\s*(?:export|default|declare)\b)+\s*/;

/** Declares what a node declares, and returns its names. */
function declareFrom(node: SyntaxNode, { doc, tags }: Tagged, place: Place, given = ''): string[] {
  if (node.type === 'ambient_declaration')
    return kids(node).flatMap((each) => declareFrom(each, { doc, tags }, place, given));
  const { source, into } = place;
  const name = given || source.of(field(node, 'name'));
  const add = (kind: string, signature: string, members: Declared[] = []): string[] => {
    if (name === '') return [];
    // A function with a body below its overloads: its own signature is for nobody.
    const isBody =
      kind === 'function' && field(node, 'body') !== undefined && declaredIn(into, kind, name) !== undefined;
    declare(into, { kind, name, signatures: isBody ? [] : [signature], doc, members });
    return [name];
  };
  const head = (body: SyntaxNode | undefined): string =>
    tidy(withoutComments(source.head(node, body)).replace(WORDS, ''));
  switch (node.type) {
    case 'function_declaration':
    case 'function_signature':
    case 'generator_function_declaration':
    case 'function_expression':
    case 'arrow_function':
    case 'generator_function':
    case 'method_definition':
      return add(
        'function',
        tidy(
          withoutComments(
            `${/^\s*async\b/.test(source.of(node).slice(0, 10)) ? 'async ' : ''}function ${name}${source.of(field(node, 'type_parameters'))}${parametersOf(node, source)}${source.of(field(node, 'return_type'))}`,
          ),
        ),
      );
    case 'class_declaration':
    case 'class':
    case 'abstract_class_declaration':
    case 'interface_declaration': {
      const body = field(node, 'body');
      const { members, fields } = membersOf(body, source);
      const kind = node.type === 'interface_declaration' ? 'interface' : 'class';
      const shown = head(body);
      return add(kind, withFields(given !== '' && !shown.includes(given) ? `class ${given}` : shown, fields), members);
    }
    case 'enum_declaration': {
      const { members, fields } = enumerators(field(node, 'body'), source);
      return add('enum', withFields(head(field(node, 'body')), fields), members);
    }
    case 'type_alias_declaration': {
      const value = field(node, 'value');
      if (value?.type === 'object_type') {
        const { members, fields } = membersOf(value, source);
        return add('type', withFields(`${head(value)} =`, fields), members);
      }
      const all = withoutComments(source.of(node)).replace(WORDS, '').replace(/;\s*$/, '');
      return add(
        'type',
        all.length > 600
          ? `${tidy(withoutComments(source.head(node, value)))} = …`
          : all.length > 100
            ? all
            : tidy(all),
      );
    }
    case 'internal_module':
    case 'module': {
      const inner: Declared[] = [];
      const body = field(node, 'body');
      if (body === undefined || place.depth > 6) return [];
      const isString = /^['"]/.test(name);
      const file: EcmaFile = isString ? place.file : { ...place.file, exported: new Map() };
      statements(kids(body), {
        ...place,
        file,
        into: isString ? into : inner,
        doesExport: place.isAmbient,
        depth: place.depth + 1,
      });
      if (isString) return [];
      // `export type { FastifyInstance }` in a namespace that is the package's export.
      for (const [as, own] of file.exported) {
        const imported = place.file.imported.get(own);
        if (imported !== undefined) place.file.from.push({ file: imported.file, name: imported.name, as });
      }
      const members = inner.filter(
        (each) => file.exported.size === 0 || [...file.exported.values()].includes(each.name),
      );
      // Members of a namespace with the name of a class or function are members of that.
      const same = into.find((each) => each.name === name);
      if (same !== undefined) {
        for (const each of members) declare(same.members, each);
        return [name];
      }
      return add('namespace', `namespace ${name}`, members);
    }
    case 'lexical_declaration':
    case 'variable_declaration':
      return kids(node).flatMap((each) =>
        each.type === 'variable_declarator' ? variable(each, { doc, tags }, place) : [],
      );
    default:
      return [];
  }
}

/** All as lines; those with documentation as members, too. */
function enumerators(body: SyntaxNode | undefined, source: Text): { members: Declared[]; fields: string[] } {
  const members: Declared[] = [];
  const fields: string[] = [];
  let comment = NONE;
  for (const node of kids(body)) {
    if (node.type === 'comment') {
      if (source.of(node).startsWith('/**')) comment = readTags(source.of(node), 'jsdoc');
      continue;
    }
    const { doc, tags } = comment;
    comment = NONE;
    if (isHiddenByTags(tags)) continue;
    const line = source.of(node).replace(/\s+/g, ' ').slice(0, 200);
    fields.push(`${line},`);
    const name = source.of(field(node, 'name') ?? node).replace(/^(['"])(.*)\1$/, '$2');
    if (doc !== '') declare(members, { kind: 'constant', name, signatures: [line], doc, members: [] });
  }
  return { members, fields };
}

/** Names that a pattern binds: `{ a, b: c, ...d }`, `[e]`. */
function boundBy(pattern: SyntaxNode | undefined, source: Text, depth = 0): string[] {
  if (pattern === undefined || depth > 6) return [];
  if (/^(?:shorthand_property_identifier_pattern|identifier)$/.test(pattern.type)) return [source.of(pattern)];
  if (pattern.type === 'pair_pattern') return boundBy(field(pattern, 'value'), source, depth + 1);
  if (/^(?:object_)?assignment_pattern$/.test(pattern.type)) return boundBy(field(pattern, 'left'), source, depth + 1);
  return /^(?:object|array|rest)_pattern$/.test(pattern.type)
    ? kids(pattern).flatMap((each) => boundBy(each, source, depth + 1))
    : [];
}

function variable(node: SyntaxNode, { doc, tags }: Tagged, place: Place): string[] {
  const { source, into, file } = place;
  const left = field(node, 'name');
  const value = field(node, 'value');
  const required = requireOf(value, source);
  if (required !== undefined) {
    if (left?.type === 'identifier') file.imported.set(source.of(left), { file: required, name: 'default' });
    else
      for (const each of kids(left))
        file.imported.set(source.of(field(each, 'value') ?? each), {
          file: required,
          name: source.of(field(each, 'key') ?? each),
        });
    return [];
  }
  if (left?.type !== 'identifier')
    return boundBy(left, source).map(
      (each) => declare(into, { kind: 'constant', name: each, signatures: [`const ${each}`], doc, members: [] }).name,
    );
  const name = source.of(left);
  const type = withoutComments(source.of(field(node, 'type')));
  if (value !== undefined && type === '' && /function|^class$/.test(value.type))
    return declareFrom(value, { doc, tags }, place, name);
  const text = source.of(value).replace(/\s+/g, ' ');
  const signature =
    type !== ''
      ? type.length > 1500
        ? `const ${name}: …`
        : `const ${name}${type.length > 100 ? type : type.replace(/\s+/g, ' ')}`
      : `const ${name}${text === '' ? '' : ` = ${text.length > 80 ? '…' : text}`}`;
  declare(into, { kind: 'constant', name, signatures: [signature], doc, members: [] });
  return [name];
}

/** Of a class or an interface: methods and documented properties; other properties as lines. */
function membersOf(body: SyntaxNode | undefined, source: Text): { members: Declared[]; fields: string[] } {
  const members: Declared[] = [];
  const fields: string[] = [];
  let comment: Tagged = NONE;
  for (const node of kids(body)) {
    if (node.type === 'comment') {
      if (source.of(node).startsWith('/**')) comment = readTags(source.of(node), 'jsdoc');
      continue;
    }
    const { doc, tags } = comment;
    comment = NONE;
    const name = source.of(field(node, 'name') ?? field(node, 'property')).replace(/^(['"])(.*)\1$/, '$2');
    const all = source.head(node, field(node, 'body')).slice(0, 6000);
    if (
      isHiddenByTags(tags) ||
      /^\s*(?:private|#|declare\s+private)\b/.test(all) ||
      name.startsWith('#') ||
      (name.startsWith('_') && doc === '')
    )
      continue;
    const shown = tidy(withoutComments(all).replace(/^(?:\s*(?:public|declare|override)\b)+\s*/, ''));
    if (/method|^construct_signature$|^call_signature$/.test(node.type)) {
      if (/^__/.test(name)) continue;
      const isConstructor = name === 'constructor' || node.type === 'construct_signature';
      const isGetter = /^(?:static\s+)?[gs]et\s/.test(shown);
      const kind = isConstructor ? 'constructor' : isGetter ? 'property' : 'method';
      const own = isConstructor ? 'constructor' : name || 'call';
      const isBody = !isGetter && field(node, 'body') !== undefined && declaredIn(members, kind, own) !== undefined;
      declare(members, { kind, name: own, signatures: isBody ? [] : [shown], doc, members: [] });
    } else if (/property_signature|field_definition/.test(node.type)) {
      const line =
        field(node, 'type') === undefined && field(node, 'value') !== undefined
          ? tidy(source.head(node, field(node, 'value')))
          : shown;
      if (doc === '') fields.push(`${line.replace(/\n\s*/g, ' ').slice(0, 300)};`);
      else declare(members, { kind: 'property', name, signatures: [line], doc, members: [] });
    } else if (node.type === 'index_signature') fields.push(`${shown.slice(0, 300)};`);
  }
  return { members, fields };
}

// ---- packages -----------------------------------------------------------------------------------

/** Of package.json's exports, in the order of preference. */
const CONDITIONS = 'types import module node require default'.split(' ');

/** The files below `folder` that package.json's fields name, types first, with the part of the package they are. */
function entriesOf(
  manifest: Record<string, unknown>,
  folder: string,
  resolve: (folder: string, name: string) => string | undefined,
): Map<string, string> {
  const found = new Map<string, string>();
  const add = (value: unknown, part: string): boolean => {
    const path = typeof value === 'string' ? resolve(folder, value) : undefined;
    if (path !== undefined && !found.has(path)) found.set(path, part);
    return path !== undefined;
  };
  const conditions = (value: unknown, part: string, depth: number): boolean => {
    if (typeof value === 'string') return add(value, part);
    if (Array.isArray(value)) return value.some((each) => conditions(each, part, depth + 1));
    if (typeof value !== 'object' || value === null || depth > 5) return false;
    const own = value as Record<string, unknown>;
    for (const key of CONDITIONS) if (own[key] !== undefined && conditions(own[key], part, depth + 1)) return true;
    return Object.values(own).some((each) => conditions(each, part, depth + 1));
  };
  const isThere = add(manifest['types'] ?? manifest['typings'], '');
  const exported = manifest['exports'];
  if (typeof exported === 'object' && exported !== null && Object.keys(exported).some((key) => key.startsWith('.'))) {
    for (const [key, value] of Object.entries(exported).slice(0, 2000))
      if (!key.includes('*') && !/package\.json$/.test(key)) conditions(value, key.replace(/^\.\/?/, ''), 0);
  } else if (exported !== undefined && exported !== null) conditions(exported, '', 0);
  if (!isThere && found.size === 0)
    [manifest['main'], './index', './lib/index', './dist/index'].some((each) => add(each, ''));
  return found;
}

function assemble(
  files: ReadonlyMap<string, EcmaFile>,
  manifests: ReadonlyMap<string, string>,
  until: number,
): ApiModule[] {
  const resolve = (folder: string, name: string): string | undefined => {
    const path = joinPath(folder, name.replace(/\?.*$/s, ''));
    if (path === undefined) return undefined;
    const stem = path.replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '');
    for (const base of stem === path ? [path] : [stem, path])
      for (const end of [
        '.d.ts',
        '.d.mts',
        '.d.cts',
        '.ts',
        '.tsx',
        '.mts',
        '.cts',
        '.js',
        '.mjs',
        '.cjs',
        '.jsx',
        '/index.d.ts',
        '/index.d.mts',
        '/index.ts',
        '/index.tsx',
        '/index.js',
        '/index.mjs',
        '/index.cjs',
        '',
      ])
        if (files.has(base + end)) return base + end;
    return undefined;
  };
  /** Entries of the package, and of others that it hands on, by their specifiers. */
  const starts: { path: string; name: string }[] = [];
  const others: { path: string; name: string }[] = [];
  for (const [path, text] of manifests) {
    if (!/(^|\/)package\.json$/.test(path)) continue;
    const manifest = objectOf(text);
    const name = typeof manifest['name'] === 'string' ? documentedBy(manifest['name']) : '';
    if (name === '' && path !== 'package.json') continue;
    for (const [file, part] of entriesOf(manifest, folderOf(path), resolve))
      (DEPENDENCY.test(path) ? others : starts).push({ path: file, name: part === '' ? name : `${name}/${part}` });
  }
  const own = objectOf(manifests.get('package.json') ?? '')['name'];
  // Declarations of a package that has none itself: `@types/NAME`.
  if (!starts.some(({ name }) => name === own)) starts.push(...others.filter(({ name }) => name === own));
  const entry = new Map([...starts, ...others].map(({ path, name }) => [name, path] as const).reverse());
  const named = new Map([...starts, ...others].map(({ path, name }) => [path, name] as const).reverse());
  const package_ = starts[0]?.name ?? '';
  if (starts.length === 0) for (const path of files.keys()) if (!/(^|\/)_/.test(path)) starts.push({ path, name: '' });

  /** Public names by the file that declares them: local name → public name. */
  const shown = new Map<string, Map<string, string>>();
  const show = (path: string, local: string, as: string): void => {
    const names = shown.get(path) ?? new Map<string, string>();
    shown.set(path, names);
    if (!names.has(local)) names.set(local, as);
  };
  const seen = new Set<string>();
  type Asked = { path: string; name: string | undefined; as: string; depth: number };
  const asked: Asked[] = starts.map(({ path }) => ({ path, name: undefined, as: '', depth: 0 }));
  /** Default exports have a file's or package's own name. */
  const nameOf = (local: string, as: string): string => (as === 'default' ? local : as);
  for (let next = asked.shift(); next !== undefined; next = asked.shift()) {
    TooSlow.check(until);
    const { path, name, as, depth } = next;
    const key = `${path}\n${name ?? ''}\n${as}`;
    const file = files.get(path);
    if (file === undefined || seen.has(key) || depth > 20 || seen.size > 200_000) continue;
    seen.add(key);
    const go = (specifier: string, wanted: string | undefined, shownAs: string): void => {
      const to = /^\.\.?(\/|$)/.test(specifier) ? resolve(folderOf(path), specifier) : entry.get(specifier);
      if (to !== undefined)
        asked.push({ path: to, name: wanted === '*' ? undefined : wanted, as: shownAs, depth: depth + 1 });
    };
    // `interface Response extends core.Response`: what it extends is of the package, too.
    for (const { file: from, name: all } of file.imported.values())
      if (all === '*' && entry.has(from)) go(from, undefined, '');
    const local = (public_: string, own: string): void => {
      const imported = file.imported.get(own);
      if (imported !== undefined) go(imported.file, imported.name, public_ === 'default' ? own : public_);
      else show(path, own, nameOf(own, public_));
    };
    if (name === undefined) {
      for (const [public_, own] of file.exported) local(public_, own);
      for (const each of file.from) go(each.file, each.name, each.as ?? '');
      for (const each of file.references) go(each, undefined, '');
      continue;
    }
    const own = file.exported.get(name);
    if (own !== undefined) local(as === '' ? name : as, own);
    for (const each of file.from) {
      if (each.name === undefined && each.as === undefined) go(each.file, name, as);
      else if ((each.as ?? each.name) === name) go(each.file, each.name, as);
    }
  }
  const made: ApiModule[] = [];
  for (const [path, names] of [...shown].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const file = files.get(path) as EcmaFile;
    const entries = file.declared.flatMap((each) => {
      const as = names.get(each.name);
      return as === undefined ? [] : [renamed(each, as)];
    });
    if (entries.length === 0 && file.doc === '') continue;
    const stem = path
      .replace(DEPENDENCY, '')
      .replace(/(?:\.d)?\.[cm]?[jt]sx?$/, '')
      .replace(/\/index$/, '')
      .replace(/^(?:dist|lib|build|src|types|esm|cjs)\//, '');
    const name = named.get(path) ?? (package_ === '' ? stem : `${package_}: ${stem}`);
    made.push({
      name,
      qualifier: '',
      source: path,
      language: /\.[cm]?tsx?$/.test(path) ? 'ts' : 'js',
      separator: '.',
      doc: file.doc,
      entries,
      also: [],
    });
  }
  return made;
}

/** The package that declarations are of: `lodash` of `@types/lodash`, `@babel/core` of `@types/babel__core`. */
const documentedBy = (name: string): string =>
  name.replace(/^@types\/(?:([^/]+?)__)?(.+)$/, (_, scope: string | undefined, plain: string) =>
    scope === undefined ? plain : `@${scope}/${plain}`,
  );

function objectOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

export const ecma: Reader<EcmaFile> = { read, assemble };
