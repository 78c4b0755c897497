/**
 * Python: modules by their folders, public names by `__all__`, else by leading underscores, docstrings.
 *
 * A name that a public module imports from a private one of the same package (`from ._client import Client`), or a package
 * from a module below it (`click.Command` of `click.core`), is documented where its users find it; one of another public
 * module is listed there (`also`).
 */
import {
  declare,
  declaredIn,
  field,
  firstOf,
  kids,
  renamed,
  Text,
  TooSlow,
  tidy,
  walkModules,
  withFields,
  withoutHashes,
  type ApiModule,
  type Declared,
  type Reader,
  type SourceFile,
  type Step,
  type SyntaxNode,
} from './model.js';
import { commentText } from './markup.js';
import { docstring } from './rest.js';

/** Names with `@overload`, by the list that they are declared in. */
const overloaded = new WeakMap<Declared[], Set<string>>();

/** Of classes in classes. */
const MAX_DEPTH = 8;

interface Import {
  /** Absent: of a star. */
  name?: string;
  as?: string;
  from: string;
  /** Leading dots. */
  level: number;
}

interface Asked {
  at: string;
  name: string;
}

export interface PythonFile {
  doc: string;
  declared: Declared[];
  all: string[] | undefined;
  /** `__all__` takes in what other modules list. */
  listsOthers: boolean;
  imports: Import[];
}

function read(root: SyntaxNode, given: SourceFile): PythonFile {
  const source = new Text(given);
  const file: PythonFile = { doc: '', declared: [], all: undefined, listsOthers: false, imports: [] };
  file.doc = docOf(kids(root), source);
  walk(kids(root), file, source, 0);
  return file;
}

function walk(nodes: readonly SyntaxNode[], file: PythonFile, source: Text, depth: number): void {
  nodes.forEach((node, i) => {
    if (node.type === 'import_from_statement') addImports(node, file, source);
    else if (/^(?:if|try|with)_statement$|^(?:else|elif|except|finally)_clause$|^block$/.test(node.type)) {
      if (depth < 6) walk(kids(node), file, source, depth + 1);
    } else if (node.type === 'expression_statement') addAssignment(node, nodes, i, file, source);
    else if (node.type === 'type_alias_statement') {
      const [name] = /[^\W\d]\w*/u.exec(source.of(field(node, 'left') ?? kids(node)[0])) ?? [];
      if (name !== undefined)
        declare(file.declared, { kind: 'type', name, signatures: [tidy(source.of(node))], doc: '', members: [] });
    } else addDefinition(node, file.declared, source, '', 0);
  });
}

/** With `@overload` its signatures are for users, and that of the body is not. */
function addDefinition(
  node: SyntaxNode,
  into: Declared[],
  source: Text,
  owner: string,
  depth: number,
): Declared | undefined {
  const one = declarationOf(node, source, owner, depth);
  if (one === undefined) return undefined;
  const isOverload = kids(node).some(
    (each) => each.type === 'decorator' && /^@(?:\w+\.)*overload\b/.test(source.of(each)),
  );
  const known = overloaded.get(into) ?? new Set<string>();
  overloaded.set(into, known);
  if (isOverload) known.add(one.name);
  else if (known.has(one.name)) one.signatures = [];
  return declare(into, one);
}

function addImports(node: SyntaxNode, file: PythonFile, source: Text): void {
  const module = source.of(field(node, 'module_name'));
  const level = /^\.*/.exec(module.replace(/\s/g, ''))?.[0].length ?? 0;
  const from = module.replace(/^[.\s]+/, '');
  if (firstOf(node, 'wildcard_import') !== undefined) file.imports.push({ from, level });
  for (const each of kids(node).slice(1)) {
    if (each.type === 'dotted_name') file.imports.push({ name: source.of(each), as: source.of(each), from, level });
    else if (each.type === 'aliased_import')
      file.imports.push({ name: source.of(field(each, 'name')), as: source.of(field(each, 'alias')), from, level });
  }
}

function addAssignment(
  statement: SyntaxNode,
  nodes: readonly SyntaxNode[],
  i: number,
  file: PythonFile,
  source: Text,
): void {
  const [node] = kids(statement);
  if (node === undefined) return;
  const left = field(node, 'left');
  const right = field(node, 'right');
  const name = source.of(left);
  const isCall = node.type === 'call' && /^__all__\s*\.\s*(?:extend|append)$/.test(source.of(field(node, 'function')));
  if (name === '__all__' || isCall) {
    const value = withoutHashes(source.of(isCall ? field(node, 'arguments') : right));
    const names = [...value.matchAll(/(['"])([\w.]{1,200})\1/g)].map(([, , one]) => one as string);
    file.all = [...(file.all ?? []), ...names];
    file.listsOthers ||= /\.\s*__all__\b/.test(value);
    return;
  }
  if (node.type !== 'assignment' || left?.type !== 'identifier' || name === '_') return;
  const doc = attributeDoc(nodes, i, source);
  const type = source.of(field(node, 'type'));
  if (
    doc === '' &&
    type === '' &&
    !/^[A-Z][A-Z0-9_]+$/.test(name) &&
    right?.type !== 'call' &&
    right?.type !== 'subscript' &&
    right?.type !== 'identifier'
  )
    return;
  declare(file.declared, { kind: 'data', name, signatures: [assigned(name, type, right, source)], doc, members: [] });
}

const assigned = (name: string, type: string, right: SyntaxNode | undefined, source: Text): string => {
  const value = source.of(right).replace(/\s+/g, ' ');
  return `${name}${type === '' ? '' : `: ${type.replace(/\s+/g, ' ')}`}${value === '' ? '' : ` = ${value.length > 80 ? '…' : value}`}`;
};

/** A string below, or `#:` above. */
function attributeDoc(nodes: readonly SyntaxNode[], i: number, source: Text): string {
  const [below] = kids(nodes[i + 1]);
  if (nodes[i + 1]?.type === 'expression_statement' && below?.type === 'string')
    return docstring(contentOf(below, source));
  const lines: string[] = [];
  for (let at = i - 1; at >= 0 && nodes[at]?.type === 'comment' && source.of(nodes[at]).startsWith('#:'); --at)
    lines.unshift(source.of(nodes[at]));
  return lines.length === 0 ? '' : docstring(commentText(lines.join('\n')));
}

function docOf(body: readonly SyntaxNode[], source: Text): string {
  const first = body.find((each) => each.type !== 'comment');
  const [string] = first?.type === 'expression_statement' ? kids(first) : [];
  if (string?.type === 'string' || string?.type === 'concatenated_string') return docstring(contentOf(string, source));
  return '';
}

function contentOf(string: SyntaxNode, source: Text): string {
  const [, prefix = '', quotes = ''] = /^([a-zA-Z]*)("""|'''|"|')/.exec(source.of(string)) ?? [];
  if (quotes === '') return '';
  if (string.type === 'concatenated_string')
    return kids(string)
      .map((each) => (each.type === 'string' ? contentOf(each, source) : ''))
      .join('');
  const inner = source.of(string).slice(prefix.length + quotes.length, -quotes.length);
  return /r/i.test(prefix)
    ? inner
    : inner.replace(/\\([\\'"nt]|\n)/g, (_, one: string) => ({ '\n': '', n: '\n', t: '\t' })[one] ?? one);
}

/** A function or class; of a class what is private is undefined, of a module it may be in `__all__`. */
function declarationOf(given: SyntaxNode, source: Text, owner: string, depth: number): Declared | undefined {
  const node = given.type === 'decorated_definition' ? field(given, 'definition') : given;
  if ((node?.type !== 'function_definition' && node?.type !== 'class_definition') || depth > MAX_DEPTH)
    return undefined;
  const name = source.of(field(node, 'name'));
  const decorators = kids(given).flatMap((each) => (each.type === 'decorator' ? source.of(each).trim() : []));
  if (owner !== '' && name.startsWith('_') && name !== '__init__' && name !== '__call__') return undefined;
  const body = field(node, 'body');
  const doc = docOf(kids(body), source);
  const plain = (code: string): string => tidy(withoutHashes(code));
  if (node.type === 'function_definition') {
    const parameters = source.of(field(node, 'parameters')).replace(/^\(\s*(?:self|cls)\s*(?:,\s*|(?=\)))/, '(');
    const returns = source.of(field(node, 'return_type'));
    const head = source.head(node, field(node, 'name')).trim();
    const isProperty = decorators.some((each) => /property\b/.test(each));
    if (decorators.some((each) => /\.(?:setter|deleter)$/.test(each))) return undefined;
    const shown = decorators
      .filter((each) =>
        /^@(?:\w+\.)*(?:classmethod|staticmethod|abstractmethod|contextmanager|asynccontextmanager|deprecated)\b/.test(
          each,
        ),
      )
      .map((each) => each.split('\n')[0] as string);
    const signature = isProperty
      ? `property ${name}${returns === '' ? '' : `: ${returns}`}`
      : [
          ...shown,
          plain(
            `${head} ${name}${source.of(field(node, 'type_parameters'))}${owner !== '' ? parameters : source.of(field(node, 'parameters'))}${returns === '' ? '' : ` -> ${returns}`}`,
          ),
        ].join('\n');
    return {
      kind: isProperty ? 'property' : owner === '' ? 'function' : 'method',
      name,
      signatures: [signature],
      doc,
      members: [],
    };
  }
  return classOf(node, name, doc, decorators, source, depth);
}

function classOf(
  node: SyntaxNode,
  name: string,
  doc: string,
  decorators: readonly string[],
  source: Text,
  depth: number,
): Declared {
  const members: Declared[] = [];
  const fields: string[] = [];
  const methods: Declared[] = [];
  // Methods of one version of Python or another.
  const within = (nodes: readonly SyntaxNode[], below: number): SyntaxNode[] =>
    nodes.flatMap((each) =>
      below < 6 && /^(?:if|try|with)_statement$|^(?:else|elif|except|finally)_clause$|^block$/.test(each.type)
        ? within(kids(each), below + 1)
        : [each],
    );
  const statements = within(kids(field(node, 'body')), 0);
  statements.forEach((each, i) => {
    const [assignment] = each.type === 'expression_statement' ? kids(each) : [];
    const left = assignment?.type === 'assignment' ? field(assignment, 'left') : undefined;
    if (assignment !== undefined && left?.type === 'identifier') {
      const own = source.of(left);
      if (own.startsWith('_')) return;
      const line = assigned(own, source.of(field(assignment, 'type')), field(assignment, 'right'), source);
      const said = attributeDoc(statements, i, source);
      if (said === '') fields.push(line);
      else declare(members, { kind: 'attribute', name: own, signatures: [line], doc: said, members: [] });
      return;
    }
    const one = addDefinition(each, methods, source, name, depth + 1);
    if (one === undefined || one.name === '__init__' || (one.name === '__call__' && one.doc === '')) return;
    if (declaredIn(members, one.kind, one.name) === undefined) members.push(one);
  });
  const start = methods.find((each) => each.name === '__init__');
  const head = tidy(
    withoutHashes(`class ${name}${source.of(field(node, 'type_parameters'))}${source.of(field(node, 'superclasses'))}`),
  );
  const decorated = decorators
    .filter((each) => /^@(?:\w+\.)*(?:dataclass|define|frozen|attrs?|final|total_ordering)\b/.test(each))
    .map((each) => `${(each.split('\n')[0] as string).slice(0, 100)}\n`);
  const signatures = [`${decorated.join('')}${withFields(head, fields, ':', '')}`];
  for (const each of start?.signatures ?? [])
    signatures.push(each.replace(/^(?:@.*\n)*(?:async )?def __init__/, name).replace(/ -> None$/, ''));
  const said = [doc, start?.doc ?? ''].filter((part, i, all) => part !== '' && all.indexOf(part) === i).join('\n\n');
  return { kind: 'class', name, signatures, doc: said, members };
}

// ---- modules ------------------------------------------------------------------------------------

/** A module's full name by its path; `packages`: the folders that hold an `__init__`. */
function moduleName(path: string, packages: ReadonlySet<string>): string {
  const parts = path.replace(/\.pyi?$/, '').split('/');
  let first = parts.length - 1;
  while (first > 0 && packages.has(parts.slice(0, first).join('/'))) first -= 1;
  // Without an `__init__`: a namespace, from the top or `src`.
  if (first === parts.length - 1 && parts.length > 1) first = parts[0] === 'src' || parts[0] === 'lib' ? 1 : 0;
  const name = parts.slice(first);
  if (name.at(-1) === '__init__') name.pop();
  return name.join('.');
}

const isPrivate = (module: string): boolean => module.split('.').some((part) => part.startsWith('_'));

function assemble(files: ReadonlyMap<string, PythonFile>, _: unknown, until: number): ApiModule[] {
  const packages = new Set([...files.keys()].flatMap((path) => /^(.*)\/__init__\.pyi?$/.exec(path)?.[1] ?? []));
  const modules = new Map<string, PythonFile & { path: string; isPackage: boolean }>();
  for (const [path, file] of files) {
    const name = moduleName(path, packages);
    // A stub beside a module has its signatures; the module has the words.
    if (name === '' || (path.endsWith('.pyi') && modules.has(name))) continue;
    modules.set(name, { ...file, path, isPackage: /__init__\.pyi?$/.test(path) });
  }
  const target = (at: string, { from, level }: Import): string => {
    if (level === 0) return from;
    const parts = at.split('.');
    const up = level - (modules.get(at)?.isPackage ? 1 : 0);
    return [...parts.slice(0, parts.length - up), ...(from === '' ? [] : [from])].join('.');
  };
  const publicNames = (at: string): Set<string> | undefined => {
    const all = modules.get(at)?.all;
    return all === undefined ? undefined : new Set(all);
  };
  const indices = new Map<string, Map<string, Declared>>();
  const declaredAt = (at: string, { declared, imports }: PythonFile): Map<string, Declared> => {
    const made = indices.get(at) ?? new Map<string, Declared>();
    if (indices.has(at)) return made;
    indices.set(at, made);
    const imported = new Set(imports.map((each) => each.as));
    for (const one of declared)
      if (!made.has(one.name) && !(one.kind === 'data' && one.doc === '' && imported.has(one.name)))
        made.set(one.name, one);
    return made;
  };
  /** Where a name of a module is declared. */
  function* named({ at, name }: Asked): Generator<Step<Asked, { module: string; one: Declared }>> {
    TooSlow.check(until);
    const file = modules.get(at);
    if (file === undefined) return;
    const one = declaredAt(at, file).get(name);
    if (one !== undefined) return yield { one: { module: at, one } };
    const own = file.imports.find((each) => each.name !== undefined && each.as === name);
    if (own?.name !== undefined) return yield { into: { at: target(at, own), name: own.name } };
    for (const each of file.imports) if (each.name === undefined) yield { into: { at: target(at, each), name } };
  }
  const find = (at: string, name: string): { module: string; one: Declared } | undefined =>
    walkModules({ at, name }, named, (asked) => `${asked.at} ${asked.name}`).next().value;
  /** Public names of a module, in order. */
  const namesOf = (asked: string): Set<string> => {
    function* names(at: string): Generator<Step<string, string>> {
      TooSlow.check(until);
      const file = modules.get(at);
      if (file === undefined) return;
      const isListed = file.all !== undefined && file.all.length > 0;
      for (const one of file.all ?? []) yield { one };
      if (!isListed) {
        for (const { name } of file.declared) if (!name.startsWith('_')) yield { one: name };
        for (const each of file.isPackage ? file.imports : [])
          if (each.as !== undefined && !each.as.startsWith('_') && modules.has(target(at, each)))
            yield { one: each.as };
      }
      if (isListed && !(at === asked && file.listsOthers)) return;
      for (const each of file.imports) if (each.name === undefined) yield { into: target(at, each) };
    }
    return new Set(walkModules(asked, names));
  };
  const made: ApiModule[] = [];
  const homes = new Map<Declared, string>();
  const open = [...modules.keys()]
    .filter((name) => !isPrivate(name))
    .sort((a, b) => a.split('.').length - b.split('.').length || (a < b ? -1 : 1));
  for (const name of open) {
    const file = modules.get(name) as PythonFile & { path: string; isPackage: boolean };
    const entries: Declared[] = [];
    const also: ApiModule['also'] = [];
    for (const each of namesOf(name)) {
      const found = find(name, each);
      if (found === undefined) continue;
      const { one, module } = found;
      const isBelow = file.isPackage && module.startsWith(`${name}.`);
      const isElsewhere =
        module !== name && !isBelow && !isPrivate(module) && (publicNames(module)?.has(one.name) ?? true);
      const home = homes.get(one);
      if (isElsewhere || home !== undefined) {
        also.push({ name: each, target: home ?? `${module}.${one.name}` });
        continue;
      }
      homes.set(one, `${name}.${each}`);
      entries.push(renamed(one, each));
    }
    made.push({
      name,
      qualifier: name,
      source: file.path,
      language: 'python',
      separator: '.',
      doc: file.doc,
      entries,
      also,
    });
  }
  return made;
}

export const python: Reader<PythonFile> = { read, assemble };
