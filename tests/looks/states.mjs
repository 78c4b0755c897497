// Pictures of every state of <sheaf-search>, for eyes: in light and dark, on a desktop and on a phone, over a site that
// `sheaf site` made. Nothing here passes or fails; tests/browser does that.
//
//   node tests/looks/states.mjs [--docs=FOLDER] [--only=results,code] [--out=build/looks]
//
// Writes OUT/STATE-LOOK-DEVICE.png, and says for the list how many pages a reader sees.
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { serveSite } from '../browser/serve_site.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { writePages } from './pages.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));

export const DEVICES = {
  desktop: { viewport: { width: 1280, height: 800 } },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, deviceScaleFactor: 2 },
};
export const LOOKS = ['light', 'dark'];

/** What is typed, for the documentation of this project. */
const QUERIES = {
  results: 'encoder table',
  code: 'import createSearch',
  corrected: 'encodr tabel',
  weak: 'xylophone quartet',
  nothing: 'qzqzqzqz',
};

const settled = (page, query) =>
  page.waitForFunction(
    (text) => {
      const { state } = document.querySelector('sheaf-search');
      return state.status === 'done' && (text === undefined || state.answered === text);
    },
    query,
    { timeout: 60_000 },
  );

async function ask(page, query) {
  await page.keyboard.type(query);
  await settled(page, query);
}

/** Puts another library in place of the site's; `meddle` becomes its `search`. */
const withLibrary = (page, meddle) =>
  page.evaluate(async (text) => {
    const element = document.querySelector('sheaf-search');
    await element.search.prefetch();
    const { library } = element.search;
    const search = (0, eval)(`(${text})`);
    element.library = { info: library.info, search: (query, options) => search(library, query, options) };
    await element.updateComplete;
  }, String(meddle));

/** Another mode, in the text of the page, with the focus in its box. */
const become = (page, mode) =>
  page.evaluate(async (wanted) => {
    const element = document.querySelector('sheaf-search');
    element.close();
    document.querySelector('main').prepend(element);
    element.mode = wanted;
    await element.updateComplete;
    element.input.focus();
  }, mode);

/** Each state, from an open dialog with an empty box. */
export const STATES = {
  empty: async () => {},
  recent: async ({ page }) => {
    await page.keyboard.press('Escape');
    await page.evaluate(() => localStorage.setItem('sheaf-recent', '["encoder table","how do I pack a site","--inject"]'));
    await page.evaluate(() => document.querySelector('sheaf-search').show());
  },
  waiting: async ({ page }) => {
    await withLibrary(page, () => new Promise(() => {}));
    await page.keyboard.type('encoder');
    await page.waitForSelector('sheaf-search .bones');
  },
  typing: async ({ page }) => {
    await ask(page, 'enc');
    await withLibrary(page, (library, query, options) => (query === 'enc' ? library.search(query, options) : new Promise(() => {})));
    await settled(page, 'enc');
    await page.keyboard.type('ode');
    await page.waitForFunction(() => document.querySelector('sheaf-search').state.status === 'searching');
  },
  results: ({ page }) => ask(page, QUERIES.results),
  moved: async ({ page }) => {
    await ask(page, QUERIES.results);
    for (let i = 0; i < 4; i++) await page.keyboard.press('ArrowDown');
  },
  pointed: async ({ page }) => {
    await ask(page, QUERIES.results);
    await page.mouse.move(1, 1);
    await page.locator('sheaf-search [data-entry]').nth(5).hover();
  },
  code: ({ page }) => ask(page, QUERIES.code),
  inline: async ({ page }) => {
    await become(page, 'inline');
    await ask(page, QUERIES.results);
  },
  page: async ({ page }) => {
    await become(page, 'page');
    await ask(page, QUERIES.results);
  },
  corrected: ({ page }) => ask(page, QUERIES.corrected),
  weak: async ({ page }) => {
    await withLibrary(page, async (library, query, options) => ({ ...(await library.search(query, options)), weak: true }));
    await ask(page, QUERIES.weak);
  },
  nothing: async ({ page }) => {
    await page.evaluate(() => {
      document.querySelector('sheaf-search').filter = () => false;
    });
    await ask(page, QUERIES.nothing);
  },
  error: async ({ page }) => {
    await page.evaluate(() => {
      document.querySelector('sheaf-search').library = () => Promise.reject(Object.assign(new Error('gone'), { code: 'CORRUPT' }));
    });
    await page.keyboard.type('encoder');
    await page.waitForSelector('sheaf-search [part=error]');
  },
  offline: async ({ page }) => {
    await page.evaluate(() => {
      Object.defineProperty(navigator, 'onLine', { configurable: true, value: false });
      document.querySelector('sheaf-search').library = () => Promise.reject(Object.assign(new Error('gone'), { code: 'NETWORK' }));
    });
    await page.keyboard.type('encoder');
    await page.waitForSelector('sheaf-search [part=offline]');
  },
};

/** Pages whose header or first row lies wholly within the list's part of the screen, and rows of which one can say so. */
const visible = (page) =>
  page.evaluate(() => {
    const { shadowRoot } = document.querySelector('sheaf-search');
    const { top, bottom } = shadowRoot.querySelector('.scroll').getBoundingClientRect();
    const within = (node) => node.getBoundingClientRect().top >= top && node.getBoundingClientRect().bottom <= bottom + 1;
    const groups = [...shadowRoot.querySelectorAll('.list .group')];
    return {
      pages: groups.filter((group) => within([...group.querySelectorAll('.head, .hit')][Math.min(1, group.children.length - 1)])).length,
      rows: [...shadowRoot.querySelectorAll('.hit')].filter(within).length,
      of: groups.length,
    };
  });

/** Takes pictures of `states` at `address`, each in every look on every device. */
export async function shoot({
  browser,
  address,
  out,
  states = Object.keys(STATES),
  looks = LOOKS,
  devices = Object.keys(DEVICES),
  prepare,
}) {
  mkdirSync(out, { recursive: true });
  for (const device of devices) {
    for (const colorScheme of looks) {
      for (const state of states) {
        const context = await browser.newContext({ ...DEVICES[device], colorScheme, reducedMotion: 'reduce' });
        const page = await context.newPage();
        await page.goto(address);
        await prepare?.(page, colorScheme);
        await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
        await page.evaluate(() => document.querySelector('sheaf-search').show());
        await STATES[state]({ page, context });
        await page.waitForTimeout(300);
        await page.screenshot({ path: join(out, `${state}-${colorScheme}-${device}.png`) });
        if (state === 'results') console.log(device, colorScheme, JSON.stringify(await visible(page)));
        await context.close();
      }
    }
  }
}

async function main() {
  const { values } = parseArgs({
    options: {
      docs: { type: 'string', default: join(root, 'docs') },
      only: { type: 'string' },
      out: { type: 'string', default: join(root, 'build/looks') },
    },
  });
  const folder = temporaryFolder('looks');
  writePages(values.docs, folder);
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', folder, '--inject'], { encoding: 'utf8' });
  if (status !== 0) throw new Error(stderr);
  const [browser, site] = [
    await launchChromium(),
    await serveSite({ '/': `${folder}/` }, { csp: "default-src 'self' 'unsafe-inline' 'unsafe-eval'" }),
  ];
  await shoot({ browser, address: `${site.origin}/ui.html`, out: values.out, states: values.only?.split(',') });
  await browser.close();
  await site.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
