/** Java and Kotlin: what is public or protected, Javadoc and KDoc. A page is a file's types, or Kotlin's functions of a file. */
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
import { isHiddenByTags, readTags, type Tagged, type TagStyle } from './tags.js';

interface JvmFile {
  package: string;
  doc: string;
  declared: Declared[];
}

const NONE: Tagged = { doc: '', tags: new Set() };
const KINDS: Readonly<Record<string, string>> = {
  class_declaration: 'class',
  record_declaration: 'record',
  interface_declaration: 'interface',
  annotation_type_declaration: 'annotation',
  enum_declaration: 'enum',
  object_declaration: 'object',
  companion_object: 'object',
  method_declaration: 'method',
  constructor_declaration: 'constructor',
  compact_constructor_declaration: 'constructor',
  secondary_constructor: 'constructor',
  annotation_type_element_declaration: 'method',
  function_declaration: 'function',
  field_declaration: 'field',
  constant_declaration: 'field',
  property_declaration: 'property',
  enum_constant: 'constant',
  enum_entry: 'constant',
  type_alias: 'type',
};
const TYPES = /^(?:class|record|interface|annotation|enum|object)$/;

function reader(style: TagStyle): Reader<JvmFile> {
  const isKotlin = style === 'kdoc';

  const read = (root: SyntaxNode, given: SourceFile): JvmFile => {
    const { path } = given;
    const source = new Text(given);
    const header = kids(root).find((each) => /^package_(?:declaration|header)$/.test(each.type));
    const file: JvmFile = {
      package: source.of(header).replace(/^(?:[\s\S]*\s)?package\s+|(?<![;\s])[;\s]+$/g, ''),
      doc: '',
      declared: [],
    };
    if (/(^|\/)package-info\.java$/.test(path)) {
      const comment = kids(root).find((each) => /comment/.test(each.type) && source.of(each).startsWith('/**'));
      file.doc = comment === undefined ? '' : readTags(source.of(comment), style).doc;
    } else declared(kids(root), file.declared, [], source, isKotlin, 0);
    return file;
  };

  /** Declares what is public; `fields`: lines for what has no documentation. */
  const declared = (
    nodes: readonly SyntaxNode[],
    into: Declared[],
    fields: string[],
    source: Text,
    isOpen: boolean,
    depth: number,
  ): void => {
    let comment = NONE;
    let lines: string[] = []; // of Java 23, in Markdown
    for (const node of nodes) {
      if (/comment/.test(node.type)) {
        const text = source.of(node);
        if (text.startsWith('/**')) comment = readTags(text, style);
        if (/^\/\/\/(?!\/)/.test(text)) lines.push(text);
        else lines = [];
        continue;
      }
      const said = lines.length > 0 && !isKotlin ? readTags(lines.join('\n'), 'kdoc') : comment;
      comment = NONE;
      lines = [];
      if (node.type === 'enum_body_declarations') declared(kids(node), into, fields, source, isOpen, depth);
      else if (KINDS[node.type] !== undefined && !isHiddenByTags(said.tags))
        one(node, said.doc, into, fields, source, isOpen, depth);
    }
  };

  const one = (
    node: SyntaxNode,
    doc: string,
    into: Declared[],
    fields: string[],
    source: Text,
    isOpen: boolean,
    depth: number,
  ): void => {
    const modifiers = firstOf(node, 'modifiers');
    const annotations = kids(modifiers).filter((each) => /annotation/.test(each.type));
    let words = '';
    let from = modifiers?.startIndex ?? 0;
    for (const each of annotations) {
      words += `${source.text.slice(from, each.startIndex)} `;
      from = each.endIndex;
    }
    words = withoutComments(words + source.text.slice(from, modifiers?.endIndex ?? from));
    const isConstant = /^enum_(?:constant|entry)$/.test(node.type);
    const isPublic =
      /\b(?:public|protected)\b/.test(words) || ((isOpen || isConstant) && !/\b(?:private|internal)\b/.test(words));
    if (!isPublic || depth > 12 || /^\s*(?:actual\s)/.test(words)) return;
    const body =
      field(node, 'body') ??
      firstOf(
        node,
        'class_body',
        'enum_class_body',
        'function_body',
        'enum_body',
        'interface_body',
        'getter',
        'setter',
      );
    let kind = KINDS[node.type] as string;
    const text = source.head(node, body);
    const after = modifiers === undefined ? text : text.slice(modifiers.endIndex - node.startIndex);
    // Annotations go, but for those that tell users something.
    const kept = annotations
      .map(
        (each) =>
          /^@(?:Deprecated|Beta|Experimental\w*|FunctionalInterface|JvmStatic|Nullable|CheckForNull)\b/.exec(
            source.of(each),
          )?.[0] ?? '',
      )
      .join(' ')
      .trim();
    const shown = tidy(
      withoutComments(`${kept} ${words.replace(/\s+/g, ' ')} ${after}`).replace(
        /\b(?:public|final(?= (?:class|fun|val)))\s+/,
        (all) => (isKotlin ? '' : all),
      ),
    );
    if (isKotlin && /^(?:\w+ )*interface\b/.test(after.trim())) kind = 'interface';
    else if (isKotlin && /\benum\b/.test(words)) kind = 'enum';
    else if (isKotlin && /\bannotation\b/.test(words)) kind = 'annotation';
    if (kind === 'function' && depth > 0) kind = 'method';
    const declarator = firstOf(node, 'variable_declarator', 'variable_declaration');
    const name =
      source.of(field(node, 'name')) ||
      source.of(
        declarator === undefined
          ? undefined
          : (field(declarator, 'name') ?? kids(declarator).find((each) => each.type === 'identifier')),
      ) ||
      source.of(firstOf(node, 'identifier', 'type_identifier')) ||
      (kind === 'object' ? 'Companion' : kind === 'constructor' ? 'constructor' : '');
    if (name === '' || (kind === 'type' && name === '')) return;
    if (TYPES.test(kind)) {
      const members: Declared[] = [];
      const lines: string[] = [];
      declared(
        kids(body),
        members,
        lines,
        source,
        isKotlin || kind === 'interface' || kind === 'annotation',
        depth + 1,
      );
      declare(into, { kind, name, signatures: [withFields(shown, lines)], doc, members });
      return;
    }
    const value =
      isKotlin && kind === 'property' && !/\bconst\b/.test(words)
        ? shown.replace(/(?<!\s)\s+(?:=|by)\s[\s\S]*$/, '')
        : shown;
    const line =
      kind === 'field'
        ? value.replace(/(?<!\s)\s*=\s[\s\S]{80,}$/, '')
        : isConstant
          ? withoutComments(source.head(node, field(node, 'body')))
              .replace(/\s+/g, ' ')
              .slice(0, 120)
              .trim()
          : value;
    if (doc === '' && (kind === 'field' || kind === 'property' || isConstant))
      fields.push(isConstant ? `${line},` : line);
    if (doc !== '' || (!isConstant && kind !== 'field' && !(kind === 'property' && depth > 0)))
      declare(into, { kind, name, signatures: [line], doc, members: [] });
  };

  const assemble = (files: ReadonlyMap<string, JvmFile>): ApiModule[] => {
    const made: ApiModule[] = [];
    for (const [path, file] of [...files].sort(([a], [b]) => (a < b ? -1 : 1))) {
      if (file.declared.length === 0 && file.doc === '') continue;
      const stem = (path.split('/').at(-1) as string).replace(/\.\w+$/, '');
      const only = file.declared.length === 1 ? file.declared[0] : file.declared.find((each) => each.name === stem);
      const named = only !== undefined && TYPES.test(only.kind) ? only.name : isKotlin ? stem : '';
      const name = [file.package, named].filter((part) => part !== '').join('.');
      made.push({
        name: name || stem,
        qualifier: '',
        source: path,
        language: isKotlin ? 'kotlin' : 'java',
        separator: '.',
        doc: file.doc,
        entries: file.declared,
        also: [],
      });
    }
    return made;
  };
  return { read, assemble };
}

export const java = reader('javadoc');
export const kotlin = reader('kdoc');
