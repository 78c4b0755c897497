/**
 * Further documentation in scripts without spaces, for segmentation.mjs: LibreOffice's help (libreoffice-help-km and others) and the
 * messages of Firefox (firefox-esr-l10n-th and others), as Debian's packages have them, with queries drawn from them.
 *
 * Queries are chosen by a hash, without a look at any index, and never have zero-width spaces: nobody types them.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { strFromU8, unzipSync } from 'fflate';
import { plain, readPage } from './manual.mjs';

const HELP = process.env.SHEAF_LIBREOFFICE_HELP ?? '/usr/share/libreoffice/help';
const PACKS = process.env.SHEAF_FIREFOX_LANGPACKS ?? '/usr/lib/firefox-esr/browser/extensions';
const WANTED = 40;
const MOST_RIGHT = 4;

export const SCRIPTS = {
  ja: /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}ー]/u,
  ko: /\p{Script=Hangul}/u,
  'zh-CN': /\p{Script=Han}/u,
  'zh-TW': /\p{Script=Han}/u,
  th: /\p{Script=Thai}/u,
  lo: /\p{Script=Lao}/u,
  km: /\p{Script=Khmer}/u,
  my: /\p{Script=Myanmar}/u,
};

const ZERO_WIDTH = /[\u200B\u2060\uFEFF\u00AD]/gu;
const lettersOf = (text) => [...text].filter((c) => /[\p{L}\p{M}]/u.test(c));
export const clustersOf = (text) => [...new Intl.Segmenter('und', { granularity: 'grapheme' }).segment(text)].map(({ segment }) => segment);

/** Whether nine letters of ten are of the language's script. */
function isIn(language, text) {
  const letters = lettersOf(text);
  return letters.length > 0 && letters.filter((c) => SCRIPTS[language].test(c)).length >= letters.length * 0.9;
}

const hash = (text) => createHash('sha256').update(text).digest();
const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const clean = (text) => text.replace(ZERO_WIDTH, '').replace(/\s+/g, ' ').trim();
const trimmed = (text) => clean(text).replace(/^[^\p{L}\p{N}]+|[^\p{L}\p{M}\p{N}]+$/gu, '');

/** {pages: [{file, html, title, headings, paragraphs}], index: [{query, pages}]}, or why not. */
export function libreOffice(language) {
  const root = join(HELP, language);
  if (!existsSync(join(root, 'bookmarks.js')))
    return { missing: `${root} is not here (the Debian package libreoffice-help-${language.toLowerCase()})` };
  const pages = [];
  for (const file of readdirSync(join(root, 'text'), { recursive: true }).sort()) {
    if (!file.endsWith('.html')) continue;
    const body = /<div id="DisplayArea"[^]*?>([^]*)<footer|<div id="DisplayArea"[^]*?>([^]*)<\/body>/.exec(
      readFileSync(join(root, 'text', file), 'utf8'),
    );
    if (body === null) continue;
    const text = (body[1] ?? body[2]).replace(/<(?:meta|input|br|img|hr)[^>]*>/g, '').replace(/<p [^>]*>/g, '<p>');
    const page = readPage(`<div>${text}</div>`);
    const html = `<!DOCTYPE html><html><head><title>${escaped(page.title)}</title></head><body><main>${text}</main></body></html>`;
    pages.push({ ...page, file, html });
  }
  const index = new Map();
  for (const [, url, text] of readFileSync(join(root, 'bookmarks.js'), 'utf8').matchAll(
    /\{url:"([^"?#]*)[^"]*", app:"[^"]*", text:"([^"]*)"\}/g,
  )) {
    const query = clean(text.replace(/\s*--\s*/g, ' ').replace(/&[a-z]+;/g, ' '));
    const entry = index.get(plain(query)) ?? { query, pages: new Set() };
    index.set(plain(query), entry);
    entry.pages.add(url.replace(/^[^/]*\/text\//, ''));
  }
  return { pages, index: [...index.values()] };
}

/** Firefox's messages as pages: those of one file whose names begin alike, since they belong to one dialog. */
export function firefox(language) {
  const file = join(PACKS, `langpack-${language}@firefox-esr.mozilla.org.xpi`);
  if (!existsSync(file)) return { missing: `${file} is not here (the Debian package firefox-esr-l10n-${language})` };
  const groups = new Map();
  const files = unzipSync(readFileSync(file), { filter: ({ name }) => name.endsWith('.ftl') });
  for (const name of Object.keys(files).sort()) {
    for (const { id, text } of messagesOf(strFromU8(files[name]))) {
      const key = `${name.replace(/.*\/|\.ftl$/g, '')}/${id.split('-').slice(0, 2).join('-')}`;
      const group = groups.get(key) ?? [];
      groups.set(key, group);
      if (isIn(language, text)) group.push({ id, text });
    }
  }
  const pages = [];
  for (const [key, messages] of groups) {
    if (messages.length < 3) continue;
    const title = (messages.find(({ id, text }) => /(?:title|header|heading)$/.test(id) && text.length < 60) ?? messages[0]).text;
    const paragraphs = messages.map(({ text }) => text).filter((text) => text !== title);
    const html = `<!DOCTYPE html><html><head><title>${escaped(title)}</title></head><body><main><h1>${escaped(title)}</h1>${paragraphs.map((text) => `<p>${escaped(text)}</p>`).join('\n')}</main></body></html>`;
    pages.push({ file: `${key.replace('/', '-')}.html`, html, title, headings: [title], paragraphs });
  }
  return { pages, index: [] };
}

/** Messages and their attributes, of a file in Fluent's syntax; those that choose by a number are left out. Pure. */
function messagesOf(ftl) {
  const messages = [];
  let id = '';
  for (const line of ftl.split('\n')) {
    const begun = /^(-?[a-z][\w-]*)\s*=\s*(.*)$/i.exec(line);
    const attribute = /^\s+\.[\w-]+\s*=\s*(.*)$/.exec(line);
    if (begun) id = begun[1];
    if (begun || attribute) messages.push({ id, text: begun ? begun[2] : attribute[1] });
    else if (/^\s+\S/.test(line) && messages.length > 0) messages.at(-1).text += ` ${line.trim()}`;
    else if (/^#/.test(line)) id = '';
  }
  return messages
    .filter(({ id, text }) => !id.startsWith('-') && !text.includes('->'))
    .map(({ id, text }) => ({
      id,
      text: text
        .replace(/\{\s*-brand[^}]*\}/g, 'Firefox')
        .replace(/\{[^}]*\}|<[^>]*>/g, ' ')
        .replace(/\s+/g, ' ')
        .trim(),
    }))
    .filter(({ text }) => text !== '');
}

/** {id, query, kind, relevant} of a collection. `words` cuts text into words, for keywords in another order. */
export function drawUnspaced(language, { pages, index }, words) {
  const holding = (texts, test) => pages.filter((page) => texts(page).some(test)).map(({ file }) => file);
  const plainOf = (text) => plain(clean(text));
  const compared = new Map(
    pages.map((page) => [
      page.file,
      { title: plainOf(page.title), headings: page.headings.map(plainOf), paragraphs: page.paragraphs.map(plainOf) },
    ]),
  );
  const saying = (phrase) =>
    holding(
      ({ file }) => compared.get(file).paragraphs,
      (text) => text.includes(plainOf(phrase)),
    );
  const titled = (phrase) =>
    holding(
      ({ file }) => [compared.get(file).title],
      (text) => text.includes(plainOf(phrase)),
    );
  const headed = (phrase) =>
    holding(
      ({ file }) => compared.get(file).headings,
      (text) => text === plainOf(phrase),
    );
  const pool = { index: [], sentence: [], keywords: [], unfinished: [] };
  const files = new Set(compared.keys());
  for (const { query, pages: led } of index) {
    const known = [...led].filter((file) => files.has(file));
    if (known.length === 0 || !isIn(language, query) || lettersOf(query).length < 3) continue;
    if (known.some((file) => compared.get(file).title === plainOf(query))) continue;
    pool.index.push({ query, relevant: () => new Set([...known, ...headed(query)]) });
  }
  for (const { file, title, paragraphs } of pages) {
    const own = isIn(language, title);
    const clusters = clustersOf(trimmed(title));
    if (own && !title.includes('(') && clusters.length >= 5 && clusters.length <= 30) {
      const begun = trimmed(clusters.slice(0, -1).join(''));
      pool.unfinished.push({ query: begun, relevant: () => new Set([file, ...titled(begun)]) });
      const parts = words(title).filter((word) => isIn(language, word) && clustersOf(word).length > 1);
      if (parts.length >= 2 && parts.length <= 6)
        pool.keywords.push({ query: parts.reverse().join(' '), relevant: () => new Set([file, ...headed(title)]) });
    }
    const paragraph = paragraphs.find((text) => isIn(language, text) && clustersOf(text).length >= 20);
    if (paragraph === undefined) continue;
    const query = trimmed(clauseOf(paragraph, language));
    if (clustersOf(query).length >= 12 && isIn(language, query))
      pool.sentence.push({ query, relevant: () => new Set([file, ...saying(query)]) });
  }
  return Object.entries(pool).flatMap(([kind, drawn]) => {
    const asked = new Set();
    const taken = [];
    for (const { query, relevant } of drawn.sort((a, b) =>
      Buffer.compare(hash(`${language} ${kind} ${a.query}`), hash(`${language} ${kind} ${b.query}`)),
    )) {
      if (taken.length === WANTED) break;
      if (asked.has(plain(query))) continue;
      asked.add(plain(query));
      const right = [...relevant()].sort();
      if (right.length <= MOST_RIGHT) taken.push({ id: `${language}-${kind}-${taken.length + 1}`, query, kind, relevant: right });
    }
    return taken;
  });
}

/** About the first 30 letters, cut where the text itself has a space, a mark or a zero-width space; a word cut apart only if it has none. */
function clauseOf(paragraph, language) {
  const pieces = paragraph.split(/(?<=[\s\u200B、，。,.;:！？။៖។])/u);
  let clause = '';
  for (const piece of pieces) {
    if (clustersOf(clause + piece).length > 32 && clustersOf(clause).length >= 14) break;
    clause += piece;
  }
  return clustersOf(clause).length <= 45
    ? clause
    : clustersOf(clause)
        .slice(0, language === 'my' ? 24 : 30)
        .join('');
}
