/**
 * C and C++: headers, a page each. Comments of Doxygen, above a declaration or behind it (`///<`); in C also a plain
 * comment directly above. What is private, static or of a namespace `detail` is left out.
 */
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
import { documentsNothing, isHiddenByTags, readTags, type Tagged } from './tags.js';

interface Header {
  isCpp: boolean;
  doc: string;
  declared: Declared[];
}

const NONE: Tagged = { doc: '', tags: new Set() };
const PRIVATE_SPACES = /^(?:detail|details|internal|impl|_.*|.*_detail|.*_internal)$/;

/** Macros that stand for attributes or braces would hide what they stand before: blanks are in their place. */
const prepare = (text: string): string =>
  text
    .replace(/^[ \t]*[A-Z][A-Z0-9_]{3,80}(?:\([^()\n]{0,200}\))?[ \t]*$(?!\s*[},])/gm, (all) => ' '.repeat(all.length))
    .replace(
      /(?<!#\s{0,4}(?:define|ifn?def|undef)\s{1,4})\b[A-Z][A-Z0-9_]{1,60}_(?:API|EXPORTS?|PUBLIC|DECL|EXTERN|INLINE|NODISCARD|DEPRECATED|DLL|RESULT|NOEXCEPT)_?\b(?!\s*[(=,;}])/g,
      (all) => ' '.repeat(all.length),
    );

function read(root: SyntaxNode, given: SourceFile): Header {
  const { text } = given;
  const source = new Text(given);
  const header: Header = { isCpp: /^[ \t]*(?:namespace|class|template|using)\b/m.test(text), doc: '', declared: [] };
  walk(kids(root), { header, into: header.declared, source, fields: [], isClass: false, isOpen: true, depth: 0 });
  return header;
}

interface Place {
  header: Header;
  into: Declared[];
  source: Text;
  /** Lines of members without documentation. */
  fields: string[];
  isClass: boolean;
  /** Whether members are public until a specifier says else. */
  isOpen: boolean;
  depth: number;
}

function walk(nodes: readonly SyntaxNode[], place: Place): void {
  const { source, header } = place;
  let comments: SyntaxNode[] = [];
  let isOpen = place.isOpen;
  let last: Declared | undefined;
  let end: number | undefined;
  for (const node of nodes) {
    if (node.type === 'comment') {
      const text = source.of(node);
      // `}  // namespace kiln` is no comment of the next line.
      if (end !== undefined && /^\/\/(?![/!])/.test(text) && source.isOneLine(end, node.startIndex)) continue;
      if (/^(?:\/\/[/!]<|\/\*[*!]<)/.test(text)) {
        const { doc } = readTags(text, 'doxygen');
        if (last === undefined) continue;
        if (!last.doc.includes(doc)) last.doc = last.doc === '' ? doc : `${last.doc} ${doc}`;
        const line = place.fields.indexOf(`${last.signatures[0]};`);
        if (line >= 0) place.fields.splice(line, 1);
        if (!place.into.includes(last) && place.isClass) place.into.push(last);
        continue;
      }
      if (
        comments.length > 0 &&
        (!source.adjoins((comments.at(-1) as SyntaxNode).endIndex, node.startIndex) || text.startsWith('/*'))
      ) {
        fileComment(comments, header, source);
        comments = [];
      }
      comments.push(node);
      continue;
    }
    end = node.endIndex;
    if (node.type === 'access_specifier') {
      isOpen = /^\s*public\b/.test(source.of(node));
      comments = [];
      continue;
    }
    const comment = aboveOf(comments, node, source);
    if (comment === NONE && comments.length > 0) fileComment(comments, header, source);
    comments = [];
    last = undefined;
    if (!isOpen) continue;
    last = visit(node, comment, { ...place, isOpen });
  }
  fileComment(comments, header, source);
}

/** A comment that says that it documents the file. */
function fileComment(comments: readonly SyntaxNode[], header: Header, source: Text): void {
  const text = comments.map((each) => source.of(each)).join('\n');
  if (header.doc !== '' || !/[@\\](?:file|mainpage|page|defgroup)\b/.test(text)) return;
  header.doc = readTags(text, 'doxygen').doc.replace(/^\s*\S+\.(?:h|hpp|hh|hxx)\s*/, '');
}

function aboveOf(comments: readonly SyntaxNode[], node: SyntaxNode, source: Text): Tagged {
  const last = comments.at(-1);
  if (last === undefined) return NONE;
  const text = comments.map((each) => source.of(each)).join('\n');
  // Lines of macros may stand between.
  const gap = source.text.slice(last.endIndex, node.startIndex);
  if (/\n[ \t]*\r?\n/.test(gap) || prepare(gap).trim() !== '') return NONE;
  const tagged = readTags(text, 'doxygen');
  if (
    tagged.tags.has('file') ||
    tagged.tags.has('mainpage') ||
    (documentsNothing(tagged.tags) && /[@\\](?:defgroup|addtogroup|name)\b|@\{/.test(text))
  )
    return NONE;
  return { ...tagged, doc: tagged.doc.replace(/^[-=*\s#/]{4,}$/gm, '').trim() };
}

/** What was declared, for a comment behind it. */
function visit(node: SyntaxNode, comment: Tagged, place: Place): Declared | undefined {
  const { source, into, depth } = place;
  if (depth > 24 || isHiddenByTags(comment.tags)) return undefined;
  const { doc } = comment;
  const below = (nodes: readonly SyntaxNode[]): void => walk(nodes, { ...place, depth: depth + 1 });
  switch (node.type) {
    case 'preproc_ifdef':
    case 'preproc_if':
    case 'preproc_else':
    case 'preproc_elif':
    case 'linkage_specification':
    case 'declaration_list':
    case 'ERROR':
      below(kids(node));
      return undefined;
    case 'namespace_definition': {
      const name = source.of(field(node, 'name'));
      if (/^inline\b/.test(source.of(node).slice(0, 10)) && name !== '') {
        below(kids(field(node, 'body'))); // its names are those of the namespace around it
      } else if (!PRIVATE_SPACES.test(name) && name !== '') {
        const inner: Declared[] = [];
        walk(kids(field(node, 'body')), { ...place, into: inner, depth: depth + 1 });
        for (const each of inner)
          declare(into, { ...each, name: each.name.startsWith('::') ? each.name : `${name}::${each.name}` });
      }
      return undefined;
    }
    case 'preproc_def':
    case 'preproc_function_def': {
      const name = source.of(field(node, 'name'));
      if (doc === '' || name.startsWith('_')) return undefined;
      return declare(into, {
        kind: 'macro',
        name,
        signatures: [`#define ${name}${source.of(field(node, 'parameters'))}${definedAs(node, source)}`],
        doc,
        members: [],
      });
    }
    case 'template_declaration': {
      const inner = kids(node).at(-1);
      const demands = source.of(firstOf(node, 'requires_clause'));
      const prefix = `template ${bare(source.of(field(node, 'parameters'))).replace(/\s+/g, ' ')}${demands === '' ? '' : ` ${demands.replace(/\s+/g, ' ')}`}\n`;
      const made: Declared[] = [];
      if (inner === undefined) return undefined;
      const one = visit(inner, comment, { ...place, into: made, depth: depth + 1 });
      if (one === undefined) return undefined;
      return declare(into, { ...one, signatures: one.signatures.map((each) => prefix + each) });
    }
    case 'class_specifier':
    case 'struct_specifier':
    case 'union_specifier':
    case 'enum_specifier':
      return typeOf(node, doc, place, '');
    case 'alias_declaration':
    case 'concept_definition': {
      const name = source.of(field(node, 'name'));
      return declare(into, {
        kind: node.type === 'alias_declaration' ? 'type' : 'concept',
        name,
        signatures: [tidy(bare(source.of(node)))],
        doc,
        members: [],
      });
    }
    case 'type_definition': {
      const type = field(node, 'type');
      const declarator = field(node, 'declarator');
      const name = nameOf(declarator, source);
      if (name === '' || name.startsWith('_')) return undefined;
      if (type !== undefined && /_specifier$/.test(type.type) && field(type, 'body') !== undefined)
        return typeOf(type, doc, place, name);
      return declare(into, { kind: 'type', name, signatures: [tidy(bare(source.of(node)))], doc, members: [] });
    }
    case 'friend_declaration':
      return undefined;
    case 'declaration':
    case 'field_declaration':
    case 'function_definition':
      return declaration(node, doc, place);
    default:
      return undefined;
  }
}

const bare = (text: string): string => withoutComments(text).replace(/(?<![ \t])[ \t]*\\\n/g, '\n');

/** Of a macro that is one short line. */
const definedAs = (node: SyntaxNode, source: Text): string => {
  const value = node.type === 'preproc_def' ? bare(source.of(field(node, 'value'))).trim() : '';
  return value === '' || value.length > 80 || value.includes('\n') ? '' : ` ${value}`;
};

/** Through pointers and the like to the name. */
function nameOf(declarator: SyntaxNode | undefined, source: Text): string {
  let node = declarator;
  for (let i = 0; node !== undefined && i < 20; ++i) {
    if (
      /^(?:identifier|field_identifier|type_identifier|qualified_identifier|destructor_name|operator_name|operator_cast|primitive_type|template_function)$/.test(
        node.type,
      )
    )
      return source.of(node).replace(/\s+/g, ' ');
    node = field(node, 'declarator') ?? kids(node)[0];
  }
  return '';
}

function functionOf(declarator: SyntaxNode | undefined): SyntaxNode | undefined {
  let node = declarator;
  for (let i = 0; node !== undefined && i < 20; ++i) {
    if (node.type === 'function_declarator')
      return field(node, 'declarator')?.type === 'parenthesized_declarator' ? undefined : node;
    node =
      field(node, 'declarator') ??
      (/declarator$/.test(node.type) ? kids(node).find((each) => /declarator$/.test(each.type)) : undefined);
  }
  return undefined;
}

function declaration(node: SyntaxNode, doc: string, place: Place): Declared | undefined {
  const { source, into, isClass, fields } = place;
  const type = field(node, 'type');
  const declarator = field(node, 'declarator');
  if (
    type !== undefined &&
    /^(?:class|struct|union|enum)_specifier$/.test(type.type) &&
    field(type, 'body') !== undefined
  ) {
    const one = typeOf(type, doc, place, '');
    if (one !== undefined || declarator === undefined) return one;
  }
  const callable = functionOf(declarator);
  const isFunction = callable !== undefined;
  const body =
    field(node, 'body') ?? firstOf(node, 'field_initializer_list', 'default_method_clause', 'delete_method_clause');
  const start = firstOf(node, 'field_initializer_list') ?? body;
  const text = prepare(bare(source.head(node, start))).replace(
    /^\s*(?:[A-Z][A-Z0-9_]*_?(?:API|EXPORT|EXTERN|PUBLIC|DECL|INLINE)[A-Z_]*\b(?:\([^)]*\))?\s*)+/,
    '',
  );
  // `API(name)(parameters)`
  const wrapped = callable === undefined ? undefined : field(callable, 'declarator');
  const isWrapped =
    wrapped?.type === 'function_declarator' && /^[A-Z][A-Z0-9_]+$/.test(source.of(field(wrapped, 'declarator')));
  const name = isWrapped
    ? source.of(field(wrapped as SyntaxNode, 'parameters')).replace(/^\(\s*|(?:(?<!\s)\s+)?\)$/g, '')
    : nameOf(declarator, source);
  if (name === '' || /^_/.test(name) || /=\s*delete/.test(source.of(firstOf(node, 'delete_method_clause'))))
    return undefined;
  if (firstOf(node, 'delete_method_clause') !== undefined) return undefined;
  if (!isClass && /^\s*static\b/.test(text) && !/\b(?:inline|constexpr)\b/.test(text)) return undefined;
  if (isFunction) {
    const [, own = name] = /(?:^|::)(~?\w+|operator.*)$/.exec(name) ?? [];
    if (!isClass && name.includes('::')) return undefined; // a member's definition outside of its class
    if (isClass && own.startsWith('~') && doc === '') return undefined;
    return declare(into, {
      kind: isClass ? 'method' : 'function',
      name: own,
      signatures: [tidy(text.replace(/;\s*$/, ''))],
      doc,
      members: [],
    });
  }
  const line = tidy(text.replace(/;\s*$/, '').replace(/=[\s\S]{100,}$/, ''));
  if (isClass) {
    const one: Declared = { kind: 'field', name, signatures: [line], doc, members: [] };
    if (doc !== '') return declare(into, one);
    fields.push(`${line};`);
    return one; // its comment may be behind it
  }
  return doc === '' ? undefined : declare(into, { kind: 'variable', name, signatures: [line], doc, members: [] });
}

function typeOf(node: SyntaxNode, doc: string, place: Place, alias: string): Declared | undefined {
  const { source, into, depth } = place;
  const name = alias || source.of(field(node, 'name'));
  const body = field(node, 'body');
  if (name === '' || name.startsWith('_') || body === undefined) return undefined;
  const word = node.type.replace(/_specifier$/, '');
  const members: Declared[] = [];
  const fields: string[] = [];
  if (word === 'enum') enumerators(body, members, fields, source);
  else walk(kids(body), { ...place, into: members, fields, isClass: true, isOpen: word !== 'class', depth: depth + 1 });
  const head = alias === '' ? tidy(prepare(bare(source.head(node, body)))) : `${word} ${name}`;
  return declare(into, { kind: word, name, signatures: [withFields(head, fields)], doc, members });
}

function enumerators(body: SyntaxNode, members: Declared[], fields: string[], source: Text): void {
  let comment = '';
  let last: Declared | undefined;
  for (const node of kids(body)) {
    const text = source.of(node);
    if (node.type === 'comment') {
      if (last !== undefined && /^(?:\/\/[/!]<|\/\*[*!]<)/.test(text))
        last.doc = [last.doc, readTags(text, 'doxygen').doc].filter((part) => part !== '').join(' ');
      else if (/^(?:\/\*[*!]|\/\/[/!])/.test(text)) comment = readTags(text, 'doxygen').doc;
    } else if (node.type === 'enumerator') {
      fields.push(`${text.replace(/\s+/g, ' ').slice(0, 200)},`);
      last = {
        kind: 'constant',
        name: source.of(field(node, 'name')),
        signatures: [text.replace(/\s+/g, ' ').slice(0, 200)],
        doc: comment,
        members: [],
      };
      members.push(last);
      comment = '';
    }
  }
  const said = members.filter((each) => each.doc !== '');
  members.splice(0, members.length, ...said);
}

function assemble(files: ReadonlyMap<string, Header>): ApiModule[] {
  return [...files]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(
      ([path, { declared, doc }]) =>
        (declared.length > 0 || doc !== '') &&
        !path.split('/').some((part) => PRIVATE_SPACES.test(part.replace(/\.\w+$/, ''))),
    )
    .map(([path, { declared, doc, isCpp }]) => ({
      name: path.replace(/^(?:.*\/)?include\//, ''),
      qualifier: '',
      source: path,
      language: isCpp || !/\.h$/.test(path) ? 'cpp' : 'c',
      separator: '::',
      doc,
      entries: declared,
      also: [],
    }));
}

export const cpp: Reader<Header> = { prepare, read, assemble };
