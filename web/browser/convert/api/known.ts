/**
 * Which pages of the API a documentation makes needless: where its authors describe the same names, their text stays.
 *
 *     pages of documentation -> names that they define -> modules of which most names are among them
 *
 * Evidence is a definition alone: an object of Sphinx' domains, an anchor of a reference in HTML, or a heading or a term
 * that is nothing but a name in code. Words in a text prove nothing: a guide uses what a reference describes.
 *
 * Cost: linear in the pages.
 */
import { HOLDS_CODE, type DocPage } from './fill.js';
import { headingOf } from './heading.js';
import { closesFence, indentOf, opensFence } from './markup.js';
import type { ApiPage } from './write.js';

export interface Known {
  kept: ApiPage[];
  /** Those that are left out: how many of a module's names a documentation defines, and a page that does. */
  left: { title: string; defined: number; names: number; where: string }[];
}

/** Of a module's names, as a part. */
const MOST = 0.5;

export function withoutKnown(api: readonly ApiPage[], docs: Iterable<DocPage>): Known {
  const wanted = new Set<string>();
  for (const page of api) for (const { name } of page.entries) wanted.add(keyOf(name));
  const defined = new Map<string, string>();
  for (const { path, text } of docs)
    for (const name of definitionsOf(path, text))
      for (const each of endings(name)) if (wanted.has(each) && !defined.has(each)) defined.set(each, path);
  const left: Known['left'] = [];
  const kept = api.filter((page) => {
    const found = page.entries.flatMap(({ name }) => defined.get(keyOf(name)) ?? []);
    if (found.length === 0 || found.length < page.entries.length * MOST) return true;
    const counts = new Map<string, number>();
    for (const path of found) counts.set(path, (counts.get(path) ?? 0) + 1);
    const [where = ''] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    left.push({ title: page.title, defined: found.length, names: page.entries.length, where });
    return false;
  });
  // A list of names of pages that are gone is none.
  const isGone = new Set(left.map(({ title }) => title));
  return { kept: kept.filter((page) => page.entries.length > 0 || page.doc !== '' || !isGone.has(page.title)), left };
}

const keyOf = (name: string): string => name.replace(/::|#/g, '.').replace(/\(.*$/s, '');

/** `a.B.c` may be `B.c` of the module a, but never `c` of the class B. */
function endings(name: string): string[] {
  const parts = keyOf(name).split('.');
  const found = [parts.join('.')];
  for (let at = 0; at < Math.min(parts.length - 1, 8) && !/^\p{Lu}/u.test(parts[at] as string); ++at)
    found.push(parts.slice(at + 1).join('.'));
  return found;
}

const NAME = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*){0,12}$/u;

/** The names that a page defines, by its format. */
export function definitionsOf(path: string, text: string): Set<string> {
  const names = new Set<string>();
  const add = (given: string): void => {
    const name = given.trim();
    if (name.length < 400 && NAME.test(name)) names.add(name);
  };
  if (/\.html?$/i.test(path)) {
    // Sphinx, pdoc and mkdocstrings give a definition its full name as anchor; TypeDoc and others do not.
    for (const [, id] of text.matchAll(/<(?:dt|h[1-6]|section|div|article)\b[^<>]{0,500}?\bid="([\w.$]{1,400})"/g))
      if ((id as string).includes('.')) add(id as string);
    return names;
  }
  let code = ''; // marks of the fence around
  const directives: string[] = []; // marks of the fences around that hold Markdown, of MyST
  let module = '';
  const open: { indent: number; name: string }[] = []; // objects that hold others
  const lines = text.split('\n');
  lines.forEach((full, i) => {
    const line = full.trim();
    if (code !== '') {
      if (closesFence(line, code)) code = '';
      return;
    }
    const around = directives.at(-1);
    if (around !== undefined && closesFence(line, around)) {
      directives.pop();
      return;
    }
    const marks = opensFence(line);
    if (marks !== undefined) {
      const [, object, signature = ''] = MYST.exec(line.slice(marks.length)) ?? [];
      if (object !== undefined && OBJECTS.test(object)) addSignature(signature);
      if (object === undefined || HOLDS_CODE.test(object)) code = marks;
      else directives.push(marks);
      return;
    }
    const [, directive = '', argument = ''] = /^\.\. (?:(?:py|js|c|cpp|rust|java):)?([a-z]+):: (.*)$/.exec(line) ?? [];
    if (/^(?:current)?module$/.test(directive)) module = argument.trim();
    const indent = indentOf(full);
    while (line !== '' && open.length > 0 && indent <= (open.at(-1) as { indent: number }).indent) open.pop();
    if (OBJECTS.test(directive)) {
      const name = addSignature(argument, open.at(-1)?.name);
      if (open.length < 8) open.push({ indent, name });
    }
    const heading = headingOf(line, '#') ?? headingOf(line, '=');
    if (heading !== undefined) addHeading(heading);
    const below = (lines[i + 1] ?? '').trimEnd();
    if (line.length < 300 && below.length >= 3 && /^([=\-~^"'`#*+.])\1{2,}$/.test(below)) addHeading(line);
  });
  function addSignature(signature: string, owner?: string): string {
    const own = signature
      .replace(/^(?:(?:abstract|async|static|classmethod|class|exception|property|const|constexpr|inline) )+/, '')
      .replace(/[(<:=[ ].*$/s, '')
      .trim();
    const name = owner === undefined || own.startsWith(`${owner}.`) ? own : `${owner}.${own}`;
    add(name);
    if (module !== '' && !name.startsWith(`${module}.`)) add(`${module}.${name}`);
    return name;
  }
  /** A heading that is a name in code: `` `fire()` ``, `fire(pot)`, `class: Ramp`, `kiln.fire`. */
  function addHeading(heading: string): void {
    const bare = heading
      .replace(/(?:(?<!\s)\s+)?\{[:#.][^{}]{0,400}\}\s*$/, '')
      .replace(/<\/?(?:code|a|tt)\b[^<>]{0,300}>/g, '`')
      .replace(/\\([_*])/g, '$1')
      .trim();
    const plain = bare.replace(/^`+|`+$/g, '').trim();
    const isCode = bare.startsWith('`') && !plain.includes('`');
    const [, word, rest = plain] =
      /^(?:(class|function|method|interface|type|enum|struct|trait|module):?\s+)(.*)$/i.exec(plain.replace(/`/g, '')) ??
      [];
    const name = (word === undefined ? plain : rest).replace(/[(<].*$/s, '').trim();
    const looks = isCode || word !== undefined || /^[^\s()]+\(.*\)$/.test(plain) || /[a-z][A-Z]|_|\w\.\w|::/.test(name);
    if (looks && !/\.(?:md|txt|json|js|ts|py|ya?ml|toml|html|io|com|org)$/i.test(name)) add(name);
  }
  return names;
}

const MYST = /^\{(?:(?:py|js|c|cpp|rust|java):)?([\w:-]+)\}[ \t]*(.*)$/s;
const OBJECTS =
  /^(?:function|class|method|classmethod|staticmethod|attribute|data|exception|property|decorator|type|macro|struct|enum|member|var|trait|interface)$/;
