/**
 * GIMP's help as Debian installs it (gimp-help-*): the same pages in many languages, read for what queries are drawn from and judged by.
 *
 * Most manuals are translated in part. What stands word for word in the English manual counts as not translated, and no query comes
 * from it; it stays among the pages that are searched.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sax from 'sax';

export const HELP = process.env.SHEAF_GIMP_HELP ?? '/usr/share/gimp/2.0/help';
/** Where index entries are drawn from: nobody is sent there, and it holds every query word for word. */
const INDEX = 'gimp-help-index.html';

export const isInstalled = (folder) => existsSync(join(HELP, folder, 'index.html'));

/** Every query is held to every paragraph: each text is made plain once. */
const plained = new Map();

/** How text is compared: without case, width of characters, punctuation and runs of spaces. */
export function plain(text) {
  let made = plained.get(text);
  if (made === undefined) {
    made = text
      .normalize('NFKC')
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
      .trim();
    plained.set(text, made);
  }
  return made;
}

/** A title without the number of its chapter and without dots at its end: "4.4. Drehen …" is "Drehen". */
export function bareTitle(text) {
  return text
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/^第\s*\d+\s*[章部]\s*/u, '')
    .replace(/^\d+\s*장\s*\.?\s*/u, '')
    .replace(/^付録\s*[A-Z]\.?\s*|^부록\s*[A-Z]\.?\s*|^附录\s*[A-Z]\.?\s*/u, '')
    .replace(/^(?:\p{L}+\s)?(?:\d+|[A-Z]|[IVX]+)(?:\.\d+)*\.\s+/u, '')
    .replace(/[\s.…:]+$/u, '')
    .trim();
}

/** {title, headings, paragraphs} of a page's XHTML; headings and title without numbers. Pure. */
export function readPage(xhtml) {
  const open = [];
  const page = { title: '', headings: [], paragraphs: [] };
  const stack = [];
  const parser = sax.parser(true, { lowercase: true });
  parser.onopentag = ({ name, attributes }) => {
    const furniture = /^nav(?:header|footer)$/.test(attributes.class ?? '') || stack.at(-1) === true;
    stack.push(furniture);
    const takes = !furniture && (/^h[1-6]$/.test(name) || (name === 'p' && attributes.class === undefined));
    open.push(takes ? { name, text: '' } : undefined);
  };
  parser.ontext = (text) => {
    for (const element of open) if (element !== undefined) element.text += text;
  };
  parser.onclosetag = () => {
    stack.pop();
    const element = open.pop();
    if (element === undefined) return;
    const text = element.text.replace(/\s+/g, ' ').trim();
    if (text === '') return;
    if (element.name === 'p') page.paragraphs.push(text);
    else page.headings.push(bareTitle(text));
  };
  parser.onerror = () => {
    parser.error = null; // an entity that XML lacks: the text goes on
  };
  parser.write(xhtml).close();
  page.title = page.headings[0] ?? '';
  return page;
}

/** Index entries: {words: [entry, sub-entry], pages} of each that leads somewhere. Pure. */
export function readIndex(xhtml) {
  const entries = [];
  const above = [];
  let term;
  const parser = sax.parser(true, { lowercase: true });
  parser.onopentag = ({ name, attributes }) => {
    if (name === 'dl') above.push('');
    if (name === 'dt') term = { text: '', pages: [], inLink: false };
    if (name === 'a' && term !== undefined && attributes.href !== undefined) {
      term.inLink = true;
      term.pages.push(attributes.href.replace(/#.*$/, ''));
    }
  };
  parser.ontext = (text) => {
    if (term !== undefined && !term.inLink) term.text += text;
  };
  parser.onclosetag = (name) => {
    if (name === 'dl') above.pop();
    if (name === 'a' && term !== undefined) term.inLink = false;
    if (name !== 'dt') return;
    const text = term.text
      .replace(/\s+/g, ' ')
      .replace(/[\s,，、.…]+$/u, '')
      .trim();
    above[above.length - 1] = text;
    if (term.pages.length > 0) entries.push({ words: above.filter((part) => part !== ''), pages: [...new Set(term.pages)] });
    term = undefined;
  };
  parser.onerror = () => {
    parser.error = null;
  };
  parser.write(xhtml).close();
  return entries;
}

/** {pages: Map of file name to page, index} of an installed manual. */
export function readManual(folder) {
  const pages = new Map();
  for (const name of readdirSync(join(HELP, folder)).sort()) {
    if (name.endsWith('.html') && name !== INDEX) pages.set(name, readPage(readFileSync(join(HELP, folder, name), 'utf8')));
  }
  return { pages, index: readIndex(readFileSync(join(HELP, folder, INDEX), 'utf8')) };
}

/**
 * Writes the pages as a site would have them: with the language that the package's own leave out, without images and without the index.
 */
export function writeSite(folder, language, place) {
  mkdirSync(place, { recursive: true });
  for (const name of readdirSync(join(HELP, folder))) {
    if (!name.endsWith('.html') || name === INDEX) continue;
    const text = readFileSync(join(HELP, folder, name), 'utf8');
    writeFileSync(join(place, name), text.replace(/<html /, `<html lang="${language}" `));
  }
}
