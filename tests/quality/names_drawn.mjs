/**
 * Draws names and the places that define them from the sources of a documentation, without a look at any index: from headings,
 * definition terms and signatures, as `names.mjs` asks them.
 *
 * A definition is {name, page, anchors, own}: a page's path below the root, the anchors that lead to the definition, and whether these
 * are its own. A definition without an anchor of its own is reached by the heading above it.
 */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import sax from 'sax';

// A name: words joined by the characters that join names, perhaps with a sigil before it.
const NAME = String.raw`(?:--?|[@$<.]|:{1,2})?[A-Za-z_][A-Za-z0-9_]*(?:(?:\.|::|->|-|\/|#|:)[A-Za-z_][A-Za-z0-9_]*)*>?`;
// What may stand around a name that is a whole heading.
const KINDS =
  'class|exception|function|method|classmethod|staticmethod|static|async|await|abstract|property|attribute|data|module|' +
  'command|directive|option|event|struct|enum|trait|union|macro|type|constant|keyword|interface|namespace|primitive type|pub|fn|const|unsafe|crate';
const BEFORE = new RegExp(`^(?:(?:${KINDS})s?:?\\s+)+`, 'i');
const AFTER = new RegExp(`\\s+(?:${KINDS})$`, 'i');
const SIGNED = new RegExp(`^(?<name>${NAME})\\s*(?<rest>\\(.*)?$`, 's');
const TERM = new RegExp(`^(?<name>${NAME})(?:[ =\\[<(,:].*)?$`, 's');

/** Words of documentation: no name, though a heading may consist of one. */
const isPlainWord = (name) => /^[A-Z]?[a-z]+$/.test(name) || /^[A-Z]+$/.test(name);

/** The name that `text` states, '' if none. `term`: more may follow it. `code`: a plain word may be one. */
export function nameIn(text, { term = false, code = false } = {}) {
  const words = text
    .replace(/^◆\s*|\s*\[\d+\/\d+\]\s*$/gu, '')
    .replace(/[¶§#\u200b]+\s*$/u, '')
    .replace(/\s+/gu, ' ')
    .trim();
  const bare = words
    .replace(BEFORE, '')
    .replace(AFTER, '')
    .replace(/^(['"`‘“])(.*)\1$/u, '$2');
  const found = (term ? TERM : SIGNED).exec(bare);
  const name = found?.groups.name ?? '';
  const called = found?.groups.rest !== undefined;
  if (name.length < 3 || name.length > 60) return '';
  return isPlainWord(name) && !called && !code ? '' : name;
}

const HEADING = /^h[1-6]?$/;
const ASIDE = /^(?:script|style|nav|head)$/;
const ASIDE_CLASS = /(?:^| )(?:srclink|rightside|since|out-of-band|headerlink|related|sphinxsidebar|header|nav-panel)(?: |$)/;

/**
 * The headings and definition terms of a page, in order: {tag, text, ids, code, away, attributes, section}. `ids`: its own, those inside it,
 * and those since the text before it; `shared`: also of its neighbours without text between. `away`: it is a link to another page. `section`: ids
 * of the heading and the term above.
 */
export function readElements(html) {
  const found = [];
  let open; // the element being read
  let waiting = []; // ids since the last text
  let joined = false; // no text since the element before
  let term = []; // ids of the definition term above, below the same heading
  let section = [''];
  const around = []; // of the open tags: {text: holds text of the page, code}
  const close = () => {
    if (open === undefined) return;
    const element = { ...open, text: open.text.replace(/\s+/gu, ' ').trim(), code: open.code && open.text.trim() !== '' };
    open = undefined;
    if (element.text === '') return;
    if (HEADING.test(element.tag) && element.ids.length > 0) {
      section = element.tag === 'h1' ? ['', ...element.ids] : element.ids;
      term = [];
    } else if (element.ids.length > 0) term = element.ids;
    // Without text between them, elements are in one place.
    if (joined && found.length > 0) {
      const ids = new Set([...found.at(-1).shared, ...element.ids]);
      element.shared = found.at(-1).shared;
      for (const id of ids) if (!element.shared.includes(id)) element.shared.push(id);
    } else element.shared = [...element.ids];
    joined = true;
    found.push(element);
    waiting = [];
  };
  // Void and unclosed elements stay open until the element around them ends, which changes nothing here.
  const parser = sax.parser(false, { lowercase: true });
  parser.onerror = () => parser.resume();
  parser.onopentag = ({ name, attributes }) => {
    const { text = true, code = false } = around.at(-1) ?? {};
    const shown = text && !ASIDE.test(name) && !ASIDE_CLASS.test(attributes.class ?? '');
    around.push({ text: shown, code: code || /^(?:code|tt|samp)$/.test(name) });
    if (!shown) return;
    const ids = [attributes.id, name === 'a' ? attributes.name : undefined].filter((id) => id !== undefined && id !== '');
    if (open !== undefined && (HEADING.test(name) || /^(?:dt|dd|dl)$/.test(name))) close();
    if (HEADING.test(name) || name === 'dt') {
      open = { tag: name, text: '', ids: [...waiting, ...ids], code: true, away: false, attributes, section: [...section, ...term] };
    } else if (open !== undefined) {
      open.ids.push(...ids);
      if (name === 'a' && /^[^#]/.test(attributes.href ?? '') && open.text.trim() === '') open.away = true;
    } else waiting.push(...ids);
  };
  parser.onclosetag = (name) => {
    around.pop();
    if (open !== undefined && name === open.tag) close();
  };
  parser.ontext = (text) => {
    const { text: shown = true, code = false } = around.at(-1) ?? {};
    if (!shown) return;
    if (open !== undefined) {
      open.text += text;
      if (!code && /[^\s¶#§()]/u.test(text)) open.code = false;
    } else if (text.trim() !== '') {
      waiting = [];
      joined = false;
    }
  };
  parser.write(html).close();
  close();
  return found;
}

/** Definitions of an HTML page. `nameOf(element, page)` may give another name, '' for none, or undefined for the usual rule. */
export function definitionsOfHtml(html, page, nameOf = () => undefined) {
  const found = [];
  readElements(html).forEach((element, i, all) => {
    if (element.away) return;
    const term = element.tag === 'dt';
    const name =
      nameOf(element, page) ??
      nameIn(element.text, { term, code: (element.code && !term) || /\bsig\b/.test(element.attributes.class ?? '') });
    if (name === '') return;
    const top = element.tag === 'h1' || (HEADING.test(element.tag) && all.findIndex(({ tag }) => HEADING.test(tag)) === i);
    const own = element.ids.length > 0;
    found.push({ name, page, anchors: new Set([...(own ? element.shared : element.section), ...(top ? [''] : [])]), own: own || top });
  });
  return found;
}

/** Definitions of a Markdown page: its headings outside code. */
export function definitionsOfMarkdown(text, page) {
  const found = [];
  let fence = '';
  let first = true;
  let waiting = [];
  for (const line of text.split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (mark !== undefined) fence = fence === '' ? mark : line.trim().startsWith(fence) ? '' : fence;
    if (fence !== '') continue;
    waiting.push(...[...line.matchAll(/<a\s+(?:id|name)=["']([^"']+)["']/g)].map((match) => match[1]));
    const heading = /^(#{1,6})\s+(.*?)\s*#*\s*$/.exec(line);
    if (heading === null) {
      if (line.trim() !== '' && !line.includes('<a ')) waiting = [];
      continue;
    }
    const explicit = /\{#([^}\s]+)\}\s*$/.exec(heading[2])?.[1];
    const shown = heading[2]
      .replace(/\{#[^}]*\}\s*$/, '')
      .replace(/<\/?[a-z][^>]*>/g, '')
      .replace(/\\/g, '')
      .trim();
    const plain = shown
      .replace(/`/g, '')
      .replace(/\*\*/g, '')
      .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1');
    const name = nameIn(plain, { code: /^`[^`]+`$/.test(shown) });
    const slug = plain
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-');
    const anchors = new Set([...(explicit === undefined ? [slug] : [explicit]), ...waiting, ...(first ? [''] : [])]);
    if (name !== '') found.push({ name, page, anchors, own: true });
    first = false;
    waiting = [];
  }
  return found;
}

/** Paths of the pages below `root` that `pages` matches, in order. */
export function pagesBelow(root, pages) {
  const found = [];
  const walk = (folder) => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) walk(path);
      else if (entry.isFile() && pages.test(path)) found.push(path);
    }
  };
  walk('');
  return found.sort();
}

/** The parts of a path that its readers may leave out: `b.c` and `c` of `a.b.c`. */
const shorter = (name) =>
  [...name.matchAll(/\.|::|#|\//g)].map(({ index, 0: joint }) => name.slice(index + joint.length)).filter((rest) => rest !== '');

/**
 * `count` names of a library with all their definitions: always the same ones, by hash. A name that more than `most` pages define says too
 * little. What a longer path ends in is a definition of the shorter one too.
 */
export function drawNames({ name: library, root, pages, nameOf }, count, most = 3) {
  const places = new Map();
  const names = new Set();
  for (const page of pagesBelow(root, pages)) {
    const text = readFileSync(join(root, page), 'utf8');
    const definitions = page.endsWith('.md') ? definitionsOfMarkdown(text, page) : definitionsOfHtml(text, page, nameOf);
    for (const definition of definitions) {
      names.add(definition.name);
      for (const name of [definition.name, ...shorter(definition.name)]) places.set(name, [...(places.get(name) ?? []), definition]);
    }
  }
  const hashOf = (name) => createHash('sha256').update(`${library} ${name}`).digest('hex');
  return [...names]
    .map((name) => ({ name, definitions: places.get(name), hash: hashOf(name) }))
    .filter(({ definitions }) => new Set(definitions.map(({ page }) => page)).size <= most)
    .sort((a, b) => (a.hash < b.hash ? -1 : 1))
    .slice(0, count)
    .map(({ name, definitions }) => ({ name, definitions }));
}
