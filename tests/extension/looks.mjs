// Pictures of every surface of the extension, for eyes: light, dark, Arabic, forced colours, twice the size of text.
//
//   node tests/extension/looks.mjs [FOLDER]      default: build/looks/extension
//
// Needs ../shared/corpora, whose documentation they show.
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { root } from '../../scripts/support.mjs';
import { requirePacker } from '../native_packer.mjs';
import { TABLE, temporaryFolder } from '../node/packed.mjs';
import { ask, startChromium, until } from './chromium_extension.mjs';
import { catalogueOf, startServer } from './library_server.mjs';

const folder = process.argv[2] ?? join(root, 'build', 'looks', 'extension');
mkdirSync(folder, { recursive: true });
const packer = await requirePacker();
const work = temporaryFolder('extension-looks');
const pack = (library, version, base) => {
  const file = join(work, `${library}-${version}.sheaf`);
  const docs = join(root, '..', 'shared', 'corpora', library);
  execFileSync(packer, [
    'pack',
    docs,
    '--library',
    library,
    '--version',
    version,
    '--base-url',
    base,
    '--encoder-table',
    TABLE,
    '-q',
    '-o',
    file,
  ]);
  return readFileSync(file);
};
const vue = pack('vue', '3.5', 'https://vuejs.org/');
const book = pack('rust-book', '1.91', 'https://doc.rust-lang.org/book/');
const vueAbout = { title: 'Vue', description: 'The progressive JavaScript framework: guide, API and tutorial.', licence: 'CC-BY-4.0' };
const bookAbout = {
  title: 'The Rust Programming Language',
  description: 'The book about Rust, from the first program to async.',
  licence: 'MIT OR Apache-2.0',
};
const server = await startServer();
server.serve('/vue@3.5.sheaf', vue);
server.serve('/rust-book@1.91.sheaf', book);
server.serve('/slow.sheaf', vue, { slow: 400 });
server.serve(
  '/catalogue.json',
  catalogueOf(
    [
      { library: 'vue', version: '3.5', bytes: vue, ...vueAbout },
      { library: 'rust-book', version: '1.91', bytes: book, ...bookAbout },
      {
        library: 'router',
        version: '4.5',
        bytes: vue,
        path: 'slow.sheaf',
        title: 'Vue Router',
        description: 'The official router for Vue.',
        licence: 'MIT',
      },
    ],
    { title: 'Documentation of the house' },
  ),
);

const SIZES = { popup: { width: 432, height: 544 }, panel: { width: 380, height: 760 }, tab: { width: 1200, height: 800 } };

async function picture(browser, name, path, size, schemes, prepare = async () => {}) {
  for (const scheme of schemes) {
    const page = await browser.context.newPage();
    await page.emulateMedia(scheme === 'forced' ? { forcedColors: 'active', colorScheme: 'dark' } : { colorScheme: scheme });
    await page.setViewportSize(size);
    await page.goto(browser.address(path));
    await prepare(page);
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(folder, `${name}-${scheme}.png`) });
    await page.close();
  }
}

const BOTH = ['light', 'dark'];
const asked = (query) => async (page) => {
  await page.locator('sheaf-search input').fill(query);
  await page.locator('sheaf-search a[data-entry]').first().waitFor();
};

async function all(browser, prefix, schemes) {
  const page = await browser.open('library.html');
  await ask(page, 'addCatalogue', server.origin, true);
  await picture(browser, `${prefix}empty`, 'popup.html', SIZES.popup, schemes);
  const { catalogues } = await ask(page, 'state');
  const [first, second, third] = catalogues[0].offers;
  for (const offer of [first, second]) await ask(page, 'install', offer, null);
  await until(page, ({ libraries }) => libraries.length === 2);
  await ask(page, 'setGroup', 'web', ['vue']);
  await picture(browser, `${prefix}start`, 'popup.html', SIZES.popup, schemes);
  await picture(browser, `${prefix}popup`, 'popup.html', SIZES.popup, schemes, asked('run code when a value changes'));
  await picture(browser, `${prefix}panel`, 'panel.html', SIZES.panel, schemes, asked('share data between threads'));
  await picture(browser, `${prefix}tab`, 'search.html?q=watchers', SIZES.tab, schemes, (tab) =>
    tab.locator('sheaf-search a[data-entry]').first().waitFor(),
  );
  const hit = (await ask(page, 'search', 'watchEffect side effect cleanup', { topK: 1 }, 'vue')).hits[0];
  const reader = `reader.html?${new URLSearchParams({ l: hit.id, p: hit.own, q: 'watchers' })}`;
  await picture(browser, `${prefix}reader`, reader, SIZES.tab, schemes, (tab) => tab.locator('article h1').waitFor());
  await picture(browser, `${prefix}reader-panel`, `${reader}&in=panel`, SIZES.panel, schemes, (tab) => tab.locator('article h1').waitFor());
  const front = `reader.html?${new URLSearchParams({ l: hit.id })}`;
  await picture(browser, `${prefix}contents`, front, SIZES.tab, schemes, (tab) => tab.locator('.contents li').first().waitFor());
  // By now pages were read.
  await picture(browser, `${prefix}read`, 'popup.html', SIZES.popup, schemes, async (popup) => {
    await popup.locator('.chip').first().click();
    await popup.locator('.pages li').first().waitFor();
  });
  await ask(page, 'install', third, null);
  await until(page, ({ downloads }) => downloads[0]?.received > 0);
  await picture(browser, `${prefix}library`, 'library.html', { width: 1100, height: 1150 }, schemes);
  const { downloads } = await ask(page, 'state');
  for (const { id } of downloads) await ask(page, 'cancel', id);
}

const browser = await startChromium();
await picture(browser, 'first', 'popup.html', SIZES.popup, BOTH);
await all(browser, '', BOTH);
const scaled = { width: 600, height: 500 };
for (const [name, path] of [
  ['popup', 'popup.html'],
  ['library', 'library.html'],
  ['search', 'search.html?q=watchers'],
])
  await picture(browser, `zoom-${name}`, path, scaled, ['light'], async (page) => {
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    if (name === 'popup') await asked('watchers')(page);
  });
await picture(browser, 'forced', 'popup.html', SIZES.popup, ['forced'], asked('watchers'));
await picture(browser, 'forced-library', 'library.html', SIZES.tab, ['forced']);
await browser.close();
for (const locale of ['ar', 'de', 'zh_CN']) {
  const other = await startChromium({ locale });
  await all(other, `${locale}-`, locale === 'ar' ? ['light'] : ['dark']);
  await other.close();
}
await server.close();
