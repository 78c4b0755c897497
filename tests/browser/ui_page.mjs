/** A page with one <sheaf-search> (ui-site/) over the fixture bundle, under a strict Content-Security-Policy with Trusted Types. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { packFixture, TABLE, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
export const CSP = `${STRICT_CSP}; require-trusted-types-for 'script'; trusted-types lit-html sheaf`;
/** UI_SHOTS=FOLDER keeps a picture of every state there, for eyes. */
export const shots = process.env.UI_SHOTS;

/** `more` and `options` as for launchChromium. */
export async function uiFixture(more, options) {
  const file = join(temporaryFolder('browser-ui'), 'kiln.sheaf');
  await packFixture(file);
  const browser = await launchChromium(more, options);
  const site = await serveSite(
    { '/dist/': here('../../dist/'), '/kiln.sheaf': file, '/table.sheaf': TABLE, '/': here('ui-site/') },
    { csp: CSP },
  );
  return {
    browser,
    site,
    /** A fresh reader on the page that `parameters` ask for (ui-site/app.js); `options` are the browser context's. */
    visit: async (parameters = {}, options = {}) => {
      const context = await browser.newContext({ viewport: { width: 1000, height: 720 }, ...options });
      const page = await context.newPage();
      await page.goto(`${site.origin}/?${new URLSearchParams(parameters)}`);
      await page.waitForFunction(() => window.element?.hasUpdated);
      return { context, page };
    },
    close: async () => {
      await browser.close();
      await site.close();
    },
  };
}

export const done = (page, query) =>
  page.waitForFunction((text) => window.element.state.status === 'done' && window.element.state.answered === text, query, {
    timeout: 60_000,
  });
export const isOpen = (page) => page.evaluate(() => window.element.shadowRoot.querySelector('dialog').open);

/** Types `query` where the focus is, and waits for its answer. */
export async function type(page, query) {
  await page.keyboard.type(query);
  await done(page, query);
}

let axe;

/** axe-core finds nothing to complain about in the whole page; `name` is for messages and pictures. */
export async function assertAccessible(page, name) {
  // Half-faded colours are nobody's contrast. Animations of a shadow tree are its own.
  await page.evaluate(() =>
    Promise.all(
      (window.element?.shadowRoot ?? document)
        .getAnimations()
        .filter(({ effect }) => Number.isFinite(effect.getComputedTiming().endTime))
        .map(({ finished }) => finished.catch(() => {})),
    ),
  );
  if (shots) await page.screenshot({ path: join(shots, `${name}.png`) });
  axe ??= await readFile(here('../../node_modules/axe-core/axe.min.js'), 'utf8');
  await page.evaluate(`${axe};0`);
  const violations = await page.evaluate(async () =>
    (await window.axe.run(document, { resultTypes: ['violations'] })).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map((node) => `${node.html} ${node.failureSummary}`).join(' | ')}`,
    ),
  );
  assert.deepEqual(violations, [], name);
}

/**
 * Puts a library in place whose hits are made: `pages` of them, with `more` on each hit. `gates` are answered by hand, as
 * `window.release(query)`; all others at once.
 */
export async function invent(page, { pages = 12, hit = {}, info = {}, answer = {}, gates = [] } = {}) {
  await page.evaluate(
    async (given) => {
      const hits = Array.from({ length: given.pages }, (_, i) => ({
        page: i,
        passage: i,
        score: 1,
        title: `Page ${i}`,
        url: `/docs/${i}`,
        source: `${i}.md`,
        anchor: '',
        headings: [],
        firstLine: 1,
        lastLine: 1,
        snippet: 'some text about a furnace and a kiln',
        highlights: [{ start: 18, length: 7 }],
        ...given.hit,
      }));
      const waiting = new Map(
        given.gates.map((query) => {
          let open;
          const gate = new Promise((resolve) => {
            open = resolve;
          });
          return [query, { gate, open }];
        }),
      );
      window.release = (query) => waiting.get(query).open();
      window.asked = [];
      window.element.library = {
        info: { semantic: false, manifest: {}, ...given.info },
        search: async (query, { topK }) => {
          window.asked.push(query);
          await waiting.get(query)?.gate;
          return {
            hits: hits.slice(0, topK),
            corrections: [],
            matchingPassages: hits.length,
            ignoredWords: 0,
            usedKeyword: true,
            usedSemantic: false,
            ...given.answer,
          };
        },
      };
      await window.element.updateComplete;
    },
    { pages, hit, info, answer, gates },
  );
}

/**
 * A library that finds pages 1 and 2 by words at once, and by meaning 3, 2, 1 when `window.release()` is called; `settled`
 * has queries whose pages are the same both ways.
 */
export async function inventLate(page, settled = {}) {
  await page.evaluate((known) => {
    const hit = (id) => ({
      page: id,
      passage: id,
      score: 1,
      title: `Page ${id}`,
      url: `/docs/${id}`,
      source: `${id}.md`,
      anchor: '',
      headings: [],
      firstLine: 1,
      lastLine: 1,
      snippet: 'text',
      highlights: [],
    });
    const answer = (ids) => ({
      hits: ids.map(hit),
      corrections: [],
      matchingPassages: 1,
      ignoredWords: 0,
      usedKeyword: true,
      usedSemantic: true,
    });
    const late = new Promise((resolve) => {
      window.release = () => resolve(answer([3, 2, 1]));
    });
    const search = async (query, { mode }) => (known[query] ? answer(known[query]) : mode === 'keyword' ? answer([1, 2]) : late);
    window.element.library = { info: { semantic: true, manifest: {} }, search };
  }, settled);
}
