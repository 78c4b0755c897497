/**
 * What a library is about, from its bundle and what its source says of it: a description, words, and one vector. And the
 * index of a catalogue: one page a library, packed as any documentation.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { libraryPage, type CatalogueLibrary } from '../../browser/catalogue/format.js';
import { lineOf } from '../../browser/client/plain_text.js';
import { toBase64 } from '../../browser/catalogue/minisign.js';
import { open } from '../client/node.js';
import type { Library } from '../../browser/client/types.js';
import type { About } from '../sources/source.js';

/** Pages of a bundle that are looked at. */
const MOST_PAGES = 200;
const MOST_WORDS = 24;
const MOST_HEADINGS = 60;

export interface Described {
  version: string;
  library: string;
  language: string;
  pages: number;
  passages: number;
  space: string;
  title: string;
  description: string;
  licence: string;
  words: string[];
  headings: string[];
  vector: string;
}

/** `said`: what the list says; it goes before what the source says, and that before what the bundle says. */
export async function describe(
  path: string,
  said: { title?: string | undefined; description?: string | undefined; licence?: string | undefined },
  about: About | undefined,
): Promise<Described> {
  await using library = await open(path, { lazy: true, deferEncoder: true });
  const { info } = library;
  const text = (key: string): string => lineOf(info.manifest[key], 300);
  const { titles, headings, first } = await outline(library);
  const description = lineOf(said.description || about?.description || text('description') || first, 300);
  const title = lineOf(said.title || text('title'), 80) || info.library;
  const words = wordsOf([...(about?.keywords ?? [])], [...titles, ...headings], description);
  const language = text('language');
  return {
    library: info.library,
    version: info.version,
    language: language === 'none' ? '' : language,
    pages: info.pages,
    passages: info.passages,
    space: info.dimensions > 0 ? info.space : '',
    title,
    description,
    licence: lineOf(said.licence || about?.licence || text('licence'), 80),
    words,
    headings: titles.slice(0, MOST_HEADINGS),
    vector: await vectorOf(library, [info.library, title, description, ...words].join('. ')),
  };
}

async function outline(library: Library): Promise<{ titles: string[]; headings: string[]; first: string }> {
  const titles: string[] = [];
  const headings: string[] = [];
  let first = '';
  for (let id = 0; id < Math.min(library.info.pages, MOST_PAGES); id++) {
    const page = await library.page(id);
    titles.push(lineOf(page.title, 80));
    headings.push(...new Set(page.passages.map((passage) => lineOf(passage.headings.at(-1), 80))));
    if (first === '') first = page.description || firstSentence(page.text);
  }
  return { titles: [...new Set(titles)].filter((each) => each !== ''), headings, first };
}

/** The first line of prose. */
function firstSentence(text: string): string {
  const line = text.split('\n').find((each) => /^[\p{L}"'`*[(]/u.test(each) && each.split(/\s+/).length > 4) ?? '';
  const plain = line.replace(/\[([^\][]*)\]\([^()]*\)/g, '$1').replace(/[*_`]/g, '');
  return /^.{20,}?[.!?](?=\s|$)/u.exec(plain)?.[0] ?? plain;
}

const COMMON = new Set(
  'about above after all also and any api are been but can changelog changes class code contents css data default docs documentation does each example examples features for from function get getting guide has have help how html install installation into introduction its javascript json library license make method more most name new not note notes npm object one only options other our out overview package page params pip properties readme reference release see set should some started string such support table than that the their them then there these they this type types url usage use used user uses using value values version via was way what when where which will with without would you your'.split(
    ' ',
  ),
);

/** Keywords that it gives itself, then the words that its titles and headings have most. */
export function wordsOf(keywords: readonly string[], lines: readonly string[], description: string): string[] {
  const counts = new Map<string, number>();
  const add = (line: string, weight: number): void => {
    const all = line.toLowerCase().match(/\p{L}[\p{L}\p{N}+#.-]{2,30}/gu) ?? [];
    for (const word of new Set(all.map((each) => each.replace(/(?<![.-])[.-]+$/, ''))))
      if (word.length > 2 && !COMMON.has(word)) counts.set(word, (counts.get(word) ?? 0) + weight);
  };
  for (const line of lines) add(line, 1);
  add(description, 5);
  const frequent = [...counts].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).map(([word]) => word);
  const own = keywords.map((word) => lineOf(word, 40).toLowerCase());
  return [...new Set([...own, ...frequent])].filter((word) => word !== '').slice(0, MOST_WORDS);
}

/** One signed byte a dimension; '' without an encoder. */
async function vectorOf(library: Library, text: string): Promise<string> {
  if (library.info.dimensions === 0 || !library.info.semantic) return '';
  const vector = await library.embed(text).catch(() => new Float32Array());
  const most = Math.max(...vector.map(Math.abs), 1e-9);
  return toBase64(new Uint8Array(Int8Array.from(vector, (x) => Math.round((x / most) * 127)).buffer));
}

/** Writes the pages of the index into `folder`. */
export async function writeIndexPages(
  folder: string,
  libraries: readonly (CatalogueLibrary & { headings: readonly string[] })[],
): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const library of libraries) await writeFile(join(folder, libraryPage(library.library)), indexPage(library));
}

/** What summaries leave out, since each reader of a registry knows it. */
const KINDS: Readonly<Record<string, string>> = { npm: 'For JavaScript and Node.js.', pypi: 'For Python.' };

/** One library's page. Pure. */
export function indexPage({
  library,
  title,
  description,
  words,
  headings,
  versions,
}: Pick<CatalogueLibrary, 'library' | 'title' | 'description' | 'words'> & {
  headings: readonly string[];
  versions: readonly { source: string }[];
}): string {
  const parts = [`# ${escaped(library)}`];
  if (title !== library) parts.push(escaped(title));
  if (description !== '') parts.push(escaped(description));
  const kind = KINDS[/^(npm|pypi):/.exec(versions[0]?.source ?? '')?.[1] ?? ''];
  if (kind !== undefined) parts.push(kind);
  if (words.length > 0) parts.push(escaped(words.join(', ')));
  if (headings.length > 0) parts.push('## Contents', headings.map((each) => `- ${escaped(each)}`).join('\n'));
  return `${parts.join('\n\n')}\n`;
}

/** As plain text of Markdown. */
const escaped = (text: string): string => text.replace(/[\\`*_{}[\]<>#|~]/g, '\\$&').replace(/^([-+]|\d+[.)])/, '\\$1');
