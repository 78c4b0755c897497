/**
 * Pages of Markdown from modules of plain data (model.ts), with links between their names.
 *
 * A page keeps its entries beside its text, so that some of them can stand elsewhere (fill.ts): references in their words
 * are marks (markup.ts) that hold a place, `PAGE#ANCHOR`, and whoever writes the words decides which places are there.
 */
import { code, escapeText, headings, refer, withClosedFences, withReferences } from './markup.js';
import type { ApiModule, Declared } from './model.js';

/** A name with a heading. */
export interface ApiEntry {
  /** Within its module: `Session.get`. */
  name: string;
  /** With its module: `requests.Session.get`. */
  full: string;
  kind: string;
  /** Of its heading: 2 for the module's own names. */
  level: number;
  anchor: string;
  signatures: readonly string[];
  /** Markdown, with marks for places. */
  doc: string;
}

export interface ApiPage {
  /** `api/NAME.md`. */
  path: string;
  /** The file that it is made of. */
  source: string;
  /** The module's full name. */
  title: string;
  /** Of its fences: `python`. */
  language: string;
  /** The module's own words, like an entry's. */
  doc: string;
  /** In order: the members of a class follow it. */
  entries: readonly ApiEntry[];
  /** Names of other pages that are public here, too. `place` is where they are, if that is known. */
  also: readonly { full: string; place: string | undefined }[];
  /** The whole page. */
  text: string;
}

interface Target {
  page: string;
  anchor: string;
}

const plainName = (name: string): string =>
  name
    .replace(/^[~!.#*&]+|\(.*$|<.*$/gs, '')
    .replace(/^(?:crate|self|super|Self)::/, '')
    .replace(/::|#|\//g, '.');

/** Every name's places; of several namesakes, a link leads to the one nearby or nowhere. */
class Names {
  readonly #by = new Map<string, Target[]>();

  add(name: string, target: Target): void {
    const found = this.#by.get(name);
    if (found === undefined) this.#by.set(name, [target]);
    else if (found.length < 4) found.push(target);
  }

  /** `within`: full names that may hold it, nearest first. */
  find(name: string, page: string, within: readonly string[]): Target | undefined {
    const plain = plainName(name);
    if (plain === '') return undefined;
    for (const each of within) {
      const [nearby] = this.#by.get(`=${each}.${plain}`) ?? [];
      if (nearby !== undefined) return nearby;
    }
    const [exact] = this.#by.get(`=${plain}`) ?? [];
    if (exact !== undefined) return exact;
    const all = this.#by.get(plain) ?? [];
    return all.find((each) => each.page === page) ?? (all.length === 1 ? all[0] : undefined);
  }
}

interface Placed {
  one: Declared;
  name: string;
  level: number;
  anchor: string;
}

/**
 * `tooMany`: names of this module are left out, since `most` are there or they are nested too deep. `tooLate`: its page
 * is, since the time is past `ends`, in milliseconds of Date.now().
 */
export function writePages(
  modules: readonly ApiModule[],
  {
    most,
    tooMany,
    ends,
    tooLate,
  }: { most: number; tooMany: (module: ApiModule) => void; ends: number; tooLate: (module: ApiModule) => void },
): { pages: ApiPage[]; names: number; described: number } {
  const names = new Names();
  const paths = new Map<string, number>();
  const pages: { page: string; module: ApiModule; placed: Placed[] }[] = [];
  let count = 0;
  for (const module of modules) {
    if (module.entries.length === 0 && module.also.length === 0 && module.doc === '') continue;
    const page = unique(
      module.name
        .replace(/::|[/\\]/g, '.')
        .replace(/[^\w.@+-]+/g, '-')
        .replace(/^[.-]+/, '') || 'api',
      paths,
    );
    const anchors = new Map<string, number>();
    const placed: Placed[] = [];
    const place = (one: Declared, above: string, level: number): void => {
      if (count >= most || level > 8) return tooMany(module);
      count += 1;
      const name = above === '' ? one.name : `${above}${module.separator}${one.name}`;
      const anchor = unique(
        (module.qualifier === '' ? name : `${module.qualifier}.${name}`)
          .replace(/::/g, '.')
          .replace(/[^\p{L}\p{N}_.$-]+/gu, '-')
          .replace(/^-+|-+$/g, '') || 'name',
        anchors,
      );
      placed.push({ one, name, level, anchor });
      const plain = plainName(name);
      const target = { page, anchor };
      names.add(`=${plainName(module.name)}.${plain}`, target);
      names.add(plain, target);
      const last = plain.slice(plain.lastIndexOf('.') + 1);
      if (last !== plain) names.add(last, target);
      for (const each of one.members) place(each, name, level + 1);
    };
    names.add(`=${plainName(module.name)}`, { page, anchor: '' });
    for (const each of module.entries) place(each, '', 2);
    pages.push({ page, module, placed });
  }
  for (const { page, module } of pages)
    for (const { name, target } of module.also) {
      const found = names.find(target, page, []);
      if (found !== undefined) names.add(`=${plainName(module.name)}.${plainName(name)}`, found);
    }
  let described = 0;
  const made: ApiPage[] = [];
  for (const each of pages) {
    if (Date.now() > ends) {
      tooLate(each.module);
      continue;
    }
    for (const { one } of each.placed) if (one.doc.trim() !== '') described += 1;
    made.push(pageOf(each, names));
  }
  return { pages: made, names: count, described };
}

/** `taken`: by lower-case name the last number that was tried. */
function unique(name: string, taken: Map<string, number>): string {
  const plain = name.toLowerCase();
  let number = taken.get(plain) ?? 0;
  let found = name;
  if (number > 0)
    do found = `${name}-${++number}`;
    while (taken.has(found.toLowerCase()));
  taken.set(plain, Math.max(number, 1));
  taken.set(found.toLowerCase(), taken.get(found.toLowerCase()) ?? 1);
  return found;
}

/** Without a first line that is the module's name once more. */
const withoutTitle = (doc: string, title: string): string =>
  doc.replace(/^\s*(?:#+ |\*\*)?`?([\w.:/-]+)`?(?:\*\*)?\s*\n/, (all, name: string) => (name === title ? '' : all));

const placeOf = ({ page, anchor }: Target): string => (anchor === '' ? page : `${page}#${anchor}`);

function pageOf(
  { page, module, placed }: { page: string; module: ApiModule; placed: readonly Placed[] },
  names: Names,
): ApiPage {
  const { name: title, language, source, separator } = module;
  const resolved = (markdown: string, within: readonly string[]): string =>
    withReferences(withClosedFences(markdown), (name, text) => {
      const target = names.find(name, page, within);
      const shown = /\s/.test(text) || text.includes('`') ? text : code(text);
      return target === undefined ? shown : refer(placeOf(target), shown);
    });
  const own = plainName(title);
  const made = {
    path: `api/${page}.md`,
    source,
    title,
    language,
    doc: resolved(headings(withoutTitle(module.doc, title), false), [own]),
    entries: placed.map(({ one, name, level, anchor }) => ({
      name,
      full: `${title}${separator}${name}`,
      kind: one.kind,
      level,
      anchor,
      signatures: one.signatures.filter((each) => each !== '').slice(0, 50),
      doc: resolved(one.doc, [`${own}.${plainName(name)}`, own]),
    })),
    also: module.also.map(({ name, target }) => {
      const found = names.find(target, page, []);
      return { full: `${title}${separator}${name}`, place: found === undefined ? undefined : placeOf(found) };
    }),
  };
  return { ...made, text: textOfPage(made) };
}

/** The place of an entry, or of a page. */
export const placeOnPage = ({ path }: Pick<ApiPage, 'path'>, anchor = ''): string =>
  placeOf({ page: path.slice('api/'.length, -'.md'.length), anchor });

export function fenceOfSignatures(signatures: readonly string[], language: string): string {
  if (signatures.length === 0) return '';
  const joint = signatures.some((each) => each.includes('\n')) ? '\n\n' : '\n';
  return `\`\`\`${language}\n${signatures.join(joint).replace(/```/g, "'''")}\n\`\`\``;
}

/** `isThere`: whether a page of the API holds a place; a link to any other is its text. */
export function textOfPage(
  page: Omit<ApiPage, 'text'>,
  isThere: (place: string) => boolean = (): boolean => true,
): string {
  const here = placeOnPage(page);
  const link = (place: string, shown: string): string => {
    if (!isThere(place)) return shown;
    const [file = '', anchor] = place.split('#', 2);
    return `[${shown}](${file === here && anchor !== undefined ? '' : `${file}.md`}${anchor === undefined ? '' : `#${anchor}`})`;
  };
  const lines = [`# ${escapeText(page.title)}`, withReferences(page.doc, link)];
  for (const { name, kind, level, anchor, signatures, doc } of page.entries)
    lines.push(
      `${'#'.repeat(Math.min(level, 6))} ${escapeText(name)} {#${anchor} .${kind}}`,
      fenceOfSignatures(signatures, page.language),
      withReferences(doc, link),
    );
  if (page.also.length > 0)
    lines.push(
      '## Also here',
      page.also.map(({ full, place }) => `- ${place === undefined ? code(full) : link(place, code(full))}`).join('\n'),
    );
  return `${lines
    .filter((each) => each.trim() !== '')
    .join('\n\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`;
}
