/**
 * Reads a page from its stored passages, without a network: contents, anchors, code to copy, find in page, links between
 * pages of the library, the original. An address without a page shows the library's pages.
 *
 * Document text enters as text nodes. A link's address is a web address or none (page_text.ts), and leads within the
 * library where that has the page.
 */
import '../browser/ui/index.js';
import type { SelectDetail, SheafSearch } from '../browser/ui/index.js';
import { pageUrl } from '../browser/ui/state/links.js';
import { drawBlocks, type Drawing } from '../browser/ui/views/draw_blocks.js';
import { markPattern } from '../browser/ui/views/marks.js';
import { loadText, takeTextFrom, type Text } from '../browser/client/load_text.js';
import { decodePercent } from '../browser/client/percent.js';
import type { Page } from '../browser/client/types.js';
import { DeskClient } from './connect.js';
import { Finder } from './find.js';
import { contentsOf, sectionsOf, targetOf, type Section, type Target } from './page_text.js';
import { contentsPath, hitPath, readerPath, readAddress, searchPath, type ReaderAddress } from './addresses.js';
import { troubleOf } from './plain.js';
import { afterKeeping, afterReading, changeReading, isKept, readPage, type ReadPage } from './reading.js';
import { RemoteLibrary } from './remote_library.js';
import type { Contents, ContentsEntry, DeskHit, LibraryRecord } from './types.js';
import { counted, t, translatePage } from './words.js';

const desk = new DeskClient();
const inPanel = new URLSearchParams(location.search).get('in') === 'panel';
const main = document.querySelector('main') as HTMLElement;
const aside = document.querySelector('nav') as HTMLElement;
const finder = new Finder(main);
takeTextFrom(() => new URL('../browser/core/sheaf-text.wasm', import.meta.url)); // for the search's preview too
const loading = loadText();

interface Shown {
  page: Page;
  record: LibraryRecord;
  base: string;
  packedBase: string;
}

/** The page that is shown, or soon will be; moving within it does not draw it again. */
let current = '';

async function show(to: ReaderAddress): Promise<void> {
  const key = `${to.id} ${to.page}`;
  if (key === current) return void reveal(to.anchor);
  current = key;
  try {
    if (to.page === undefined) {
      const contents = await desk.call('contents', [to.id, 0]);
      if (key === current) drawLibrary(contents);
      return;
    }
    const shown: Shown = await desk.call('page', [to.id, to.page]);
    const reader = await loading;
    if (key === current) draw(shown, to, reader);
  } catch (error) {
    const { code, message } = troubleOf(error);
    const said = chrome.i18n.getMessage(`trouble_${code}`) || t('trouble');
    main.replaceChildren(make('h1', said), make('p', message), link(t('libraryPage'), 'library.html'));
  }
}

function draw({ page, record, base, packedBase }: Shown, { anchor, query }: ReaderAddress, reader: Text): void {
  const title = page.title || page.source;
  nameLibrary(record, title);
  void remember(readPage(record, page));
  const original = pageUrl(page.url, { ...(base === '' ? {} : { base }), packedBase }, 'https://page.invalid/');
  const web =
    original !== undefined && /^https?:$/.test(original.protocol) && original.host !== 'page.invalid'
      ? original
      : undefined;
  offerOriginal(web);

  const sections = sectionsOf(page, reader);
  const context: Context = {
    page,
    record,
    packedBase: base || packedBase,
    marks: markPattern(query.split(/\s+/).filter((word) => word.length > 2)),
  };
  const article = make('article');
  article.lang = record.language;
  article.dir = 'auto';
  const [first] = sections[0]?.blocks ?? [];
  const titled =
    first?.kind === 'heading' &&
    first.runs
      .map((run) => run.text)
      .join('')
      .trim() === title.trim();
  if (!titled) article.append(make('h1', title));
  const seen = new Set<string>();
  sections.forEach((section, i) => article.append(drawSection(section, titled && i === 0, seen, context)));
  if (page.lastModified !== '') article.append(make('p', page.lastModified.slice(0, 10), 'quiet'));
  main.replaceChildren(article);
  drawContents(sections);
  scrollTo({ top: 0 });
  if (anchor !== '') void reveal(anchor);
}

function nameLibrary(record: LibraryRecord, title?: string): void {
  document.title = title === undefined ? record.title : `${title} · ${record.title}`;
  const name = document.querySelector('#library') as HTMLAnchorElement;
  name.replaceChildren(bdi(`${record.title} ${record.version}`));
  name.href = `${contentsPath(record.id)}${inPanel ? '&in=panel' : ''}`;
  name.title = t('contentsOf', record.title);
}

function offerOriginal(address: URL | undefined): void {
  const out = document.querySelector('#original') as HTMLAnchorElement;
  out.hidden = address === undefined;
  if (address !== undefined) out.href = address.href;
}

// ---- what is kept, and what was read ---------------------------------------------------------------

const keepButton = document.querySelector('#keep') as HTMLButtonElement;
let reading: ReadPage | undefined;

async function remember(page: ReadPage): Promise<void> {
  reading = page;
  showKept(isKept(await changeReading((all) => afterReading(all, page)), page));
  keepButton.hidden = chrome.extension.inIncognitoContext;
}

function showKept(kept: boolean): void {
  keepButton.ariaPressed = String(kept);
  keepButton.textContent = t(kept ? 'kept' : 'keep');
}

function setUpKeeping(): void {
  keepButton.addEventListener('click', async () => {
    const page = reading;
    if (page !== undefined) showKept(isKept(await changeReading((all) => afterKeeping(all, page)), page));
  });
}

// ---- a library's pages -----------------------------------------------------------------------------

function drawLibrary({ record, first, pages, total }: Contents): void {
  nameLibrary(record);
  offerOriginal(undefined);
  keepButton.hidden = true;
  reading = undefined;
  const article = make('article', undefined, 'contents');
  article.lang = record.language;
  article.append(make('h1', `${record.title} ${record.version}`));
  if (record.description !== '') article.append(make('p', record.description));
  const entryOf = ({ page, title }: ContentsEntry): HTMLElement => {
    const item = make('li');
    const to = { id: record.id, page, anchor: '', query: '' };
    const out = link('', `${readerPath(to)}${inPanel ? '&in=panel' : ''}`);
    out.append(bdi(title));
    out.addEventListener('click', (event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      go(to);
    });
    item.append(out);
    return item;
  };
  if (first.length > 0) {
    const list = make('ul');
    list.append(...first.map(entryOf));
    article.append(make('h2', t('firstPages')), list);
  }
  article.append(make('h2', counted('pages', total)));
  // Pages of a folder stand together; those at the top have no heading.
  const all = make('div');
  let folder = '';
  let list = make('ul');
  const add = (entries: readonly ContentsEntry[]): void => {
    for (const entry of entries) {
      if (entry.folder !== folder) {
        all.append(make('h3', entry.folder.replaceAll('/', ' › ')));
        list = make('ul');
      }
      if (list.parentElement === null) all.append(list);
      folder = entry.folder;
      list.append(entryOf(entry));
    }
  };
  add(pages);
  article.append(all);
  let shown = pages.length;
  if (shown < total) {
    const more = make('button', t('morePages'));
    more.type = 'button';
    more.addEventListener('click', async () => {
      const next = await desk.call('contents', [record.id, shown]).catch(() => undefined);
      if (next === undefined) return;
      add(next.pages);
      shown += next.pages.length;
      more.hidden = shown >= total || next.pages.length === 0;
    });
    article.append(more);
  }
  main.replaceChildren(article);
  drawContents([]);
  scrollTo({ top: 0 });
}

interface Context {
  page: Page;
  record: LibraryRecord;
  packedBase: string;
  marks: RegExp | undefined;
}

const ID = 'at-';

function drawSection(
  { anchor, headings, blocks }: Section,
  first: boolean,
  seen: Set<string>,
  context: Context,
): HTMLElement {
  const section = make('section');
  if (anchor !== '' && !seen.has(anchor)) section.id = ID + anchor;
  seen.add(anchor);
  const level = first ? 1 : Math.max(2, Math.min(6, headings.length + 1));
  section.append(...drawBlocks(blocks, drawingOf(level, context)));
  const heading = section.querySelector('h1, h2, h3, h4, h5, h6');
  if (heading !== null && anchor !== '') {
    const here = link('#', `#${ID}${anchor}`, 'anchor');
    here.ariaLabel = t('linkHere');
    heading.append(' ', here);
  }
  return section;
}

/** The first heading is of `level`, those that follow are below it. */
function drawingOf(level: number, context: Context): Drawing {
  let next = level;
  return {
    marks: context.marks,
    mark: () => make('mark'),
    heading() {
      const heading = make(`h${next}` as 'h2');
      next = Math.min(6, level + 1);
      return heading;
    },
    code: (text, pre) => codeBlock(text, pre),
    table() {
      const pre = make('pre', undefined, 'table');
      pre.tabIndex = 0;
      return pre;
    },
    depth: '--depth',
    marker: () => make('span', undefined, 'marker'),
    link: (to) => linkTo(targetOf(to, context.page, context.packedBase), context),
  };
}

function codeBlock(text: string, pre: HTMLPreElement): HTMLElement {
  const figure = make('div', undefined, 'code');
  pre.tabIndex = 0;
  const code = make('code');
  code.append(...pre.childNodes);
  pre.append(code);
  const copy = make('button', t('copy'));
  copy.type = 'button';
  copy.addEventListener('click', () => {
    navigator.clipboard.writeText(text).then(
      () => say(copy, t('copied')),
      () => say(copy, t('copyFailed')),
    );
  });
  figure.append(pre, copy);
  return figure;
}

function say(button: HTMLButtonElement, words: string): void {
  button.textContent = words;
  setTimeout(() => (button.textContent = t('copy')), 1500);
}

function linkTo(target: Target, { record }: Context): HTMLElement | undefined {
  if (target.kind === 'nowhere') return undefined;
  if (target.kind === 'here') return link('', `#${ID}${target.anchor}`);
  const { address, candidates, anchor } = target;
  const element = link(
    '',
    address === undefined ? '#' : `${address}${anchor === '' ? '' : `#${encodeURIComponent(anchor)}`}`,
  );
  element.rel = 'noreferrer';
  element.target = '_blank';
  if (candidates.length === 0) return element;
  element.addEventListener('click', (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    void follow(record.id, candidates, anchor, element);
  });
  return element;
}

/** Within the library where it has the page; else the web, where the reader would go by the link. */
async function follow(id: string, candidates: string[], anchor: string, element: HTMLAnchorElement): Promise<void> {
  const page = await desk.call('findPage', [id, candidates]).catch(() => null);
  if (page !== null) go({ id, page, anchor, query: '' });
  else if (element.getAttribute('href') !== '#') window.open(element.href, '_blank', 'noopener,noreferrer');
  else element.title = t('notInLibrary');
}

function go(to: ReaderAddress): void {
  history.pushState(null, '', `${readerPath(to)}${inPanel ? '&in=panel' : ''}`);
  void show(to);
}

function drawContents(sections: readonly Section[]): void {
  const entries = contentsOf(sections);
  aside.hidden = entries.length < 2;
  const list = make('ul');
  for (const { anchor, text, depth } of entries) {
    const item = make('li');
    item.style.setProperty('--depth', String(depth));
    const to = link('', `#${ID}${anchor}`);
    to.append(bdi(text.replace(/`|\*\*/g, '')));
    item.append(to);
    list.append(item);
  }
  aside.querySelector('ul')?.remove();
  aside.querySelector('details')?.append(list);
}

async function reveal(anchor: string): Promise<void> {
  await document.fonts?.ready;
  const target = document.getElementById(ID + anchor);
  target?.scrollIntoView({ block: 'start' });
  const heading = target?.querySelector<HTMLElement>('h1, h2, h3, h4, h5, h6');
  if (heading) {
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
  }
}

// ---- around the page -------------------------------------------------------------------------------

function setUpFind(): void {
  const bar = document.querySelector('#find') as HTMLFormElement;
  const input = bar.querySelector('input') as HTMLInputElement;
  const count = bar.querySelector('output') as HTMLOutputElement;
  const tell = (): void => {
    count.textContent = input.value.trim() === '' ? '' : t('foundOf', finder.position, finder.count);
  };
  const open = (): void => {
    bar.hidden = false;
    input.focus();
    input.select();
  };
  const close = (): void => {
    bar.hidden = true;
    finder.clear();
    main.focus();
  };
  document.querySelector('#open-find')?.addEventListener('click', open);
  input.addEventListener('input', () => {
    finder.find(input.value);
    tell();
  });
  bar.addEventListener('submit', (event) => {
    event.preventDefault();
    finder.step((event.submitter as HTMLButtonElement | null)?.value === 'back' ? -1 : 1);
    tell();
  });
  bar.addEventListener('keydown', (event) => {
    if (event.key === 'Escape') close();
    if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault();
      finder.step(-1);
      tell();
    }
  });
  bar.querySelector('[value=close]')?.addEventListener('click', (event) => {
    event.preventDefault();
    close();
  });
  // A tab has the browser's own; a panel has none.
  if (inPanel)
    document.addEventListener('keydown', (event) => {
      if (event.key.toLowerCase() !== 'f' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      open();
    });
}

function setUpSearch(): void {
  const search = document.querySelector('sheaf-search') as SheafSearch;
  search.library = new RemoteLibrary(desk);
  search.urlFor = (hit) => chrome.runtime.getURL(hitPath(hit as DeskHit, search.search.state.answered));
  search.addEventListener('sheaf-select', (event) => {
    const { hit, query, newTab, url } = (event as CustomEvent<SelectDetail>).detail;
    event.preventDefault();
    if (newTab) return void (url && chrome.tabs.create({ url, active: false }));
    search.close();
    const { id, own, anchor } = hit as DeskHit;
    go({ id, page: own, anchor, query });
  });
  const back = document.querySelector('#back') as HTMLAnchorElement;
  back.href = inPanel ? 'panel.html' : searchPath(readAddress(location.search)?.query ?? '');
  if (history.length > 1)
    back.addEventListener('click', (event) => {
      event.preventDefault();
      history.back();
    });
}

// ---- text ------------------------------------------------------------------------------------------

function make<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text?: string,
  look?: string,
): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  if (text !== undefined) element.textContent = text;
  if (look !== undefined) element.className = look;
  return element;
}

function link(text: string, href: string, look?: string): HTMLAnchorElement {
  const element = make('a', text === '' ? undefined : text, look);
  element.href = href;
  return element;
}

const bdi = (text: string): HTMLElement => make('bdi', text);

function begin(): void {
  const to = readAddress(location.search);
  if (to !== undefined) void show(to);
  else location.replace('library.html');
}

translatePage();
setUpFind();
setUpSearch();
setUpKeeping();
addEventListener('popstate', begin);
addEventListener('hashchange', () => {
  if (location.hash.startsWith(`#${ID}`)) void reveal(decodePercent(location.hash.slice(ID.length + 1)));
});
begin();
