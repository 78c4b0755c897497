/**
 * What a search moves, in a browser that has seen nothing of it before.
 *
 * Each visit is a fresh context (its own cache and connections) on a page that is there already; what is counted
 * begins after it. Three contestants, four figures:
 *
 *   keyword, hybrid   the library alone: open(bundle), by meaning open(bundle, {encoder}), one search, ten hits with snippets
 *   component         <sheaf-search>: its code, the dialog opened by key, the query put in at once, the final list shown
 *   pagefind          import, init, search, the data of the first result; then of the first ten
 */
import { launchChromium } from '../browser/chromium.mjs';
import { serveCounted } from './counting_server.mjs';
import { locator } from './request_kinds.mjs';
import { slowLink } from './slow_link.mjs';
import { tally } from './tally.mjs';

const BLANK =
  '<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>blank</title><body></body></html>';

/** Longer than a page of this machine takes to send what it need not wait for. */
const HOLD_BACK_MS = 25;
const PATIENCE_MS = 180_000;

/** A site on a counting server, and a browser; `link` (slow_link.mjs) lies between them. */
export async function openBench(site, { http2 = false, delay = HOLD_BACK_MS, places = {}, link, ranges = true } = {}) {
  const server = await serveCounted(
    { '/': `${site.folder}/`, '/pagefind/': `${site.pagefind}/`, '/loading/blank.html': BLANK, ...places },
    { http2, delay, ranges },
  );
  const relay = link && (await slowLink(Number(new URL(server.origin).port), link));
  const browser = await launchChromium(server.switches);
  return {
    site,
    server,
    browser,
    isLinked: relay !== undefined,
    origin: relay ? server.origin.replace(/\d+$/, relay.port) : server.origin,
    async close() {
      await browser.close();
      await relay?.close();
      await server.close();
    },
  };
}

/** A fresh reader on a page; closed by itself when `work` is done. `before`: what to do before the page is there. */
export async function visit(bench, work, { path = '/loading/blank.html', before = () => {} } = {}) {
  const context = await bench.browser.newContext();
  try {
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS);
    await before(page);
    await page.goto(bench.origin + path);
    return await work(page);
  } finally {
    await context.close();
    bench.server.forget();
  }
}

/** Runs `work` and returns what it returned with what it moved, all that followed from it included. */
async function counted({ server, site }, work) {
  const watch = server.watch();
  const value = await work();
  await server.quiet();
  const { requests, wire } = watch.read();
  const failed = requests.filter(({ status }) => status >= 400);
  if (failed.length > 0)
    throw new Error(`The host had no ${failed.map(({ path }) => path).join(', ')}; prepare the site again (remove build/loading).`);
  return { value, ...tally(requests), wire, ranges: rangesOf(requests, site) };
}

/** What was asked of a bundle, [first, last]: sections.mjs tells which sections it was. */
function rangesOf(requests, site) {
  const found = requests.map(locator(site.folder)).filter((each) => each?.what === 'bundle');
  return found.map(({ from, to }) => [from, to - 1]);
}

// ---- the library alone ---------------------------------------------------------------------------

export const urlsOf = ({ client, bundle, table }) => ({ client: `/${client}`, bundle: `/${bundle}`, table: `/${table}` });

/** In the page. */
async function firstSearch({ urls, query, mode }) {
  const { open } = await import(urls.client);
  window.library ??= await open(urls.bundle, mode === 'keyword' ? {} : { encoder: urls.table });
  return (await window.library.search(query, { mode })).hits.length;
}

export async function libraryCold(bench, query, mode) {
  const urls = urlsOf(bench.site);
  const { value: hits, ...moved } = await visit(bench, async (page) => {
    await bench.server.quiet();
    return counted(bench, () => page.evaluate(firstSearch, { urls, query, mode }));
  });
  return { hits, ...moved };
}

/** Each query of a session, in turn: the first one pays for the library. */
export async function librarySession(bench, queries, mode) {
  const urls = urlsOf(bench.site);
  return visit(bench, (page) => inTurn(bench, queries, (query) => page.evaluate(firstSearch, { urls, query, mode })));
}

/** Longer than the client waits (half a second without a new range) before it writes down what the next page may use. */
const KEPT_MS = 1500;

/** Two pages of one reader, one after the other, each with a query: what each of them moves. */
export async function nextPage(bench, queries, mode) {
  const urls = urlsOf(bench.site);
  const context = await bench.browser.newContext();
  try {
    const moved = [];
    for (const query of queries) {
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      await page.goto(`${bench.origin}/loading/blank.html`);
      await bench.server.quiet();
      moved.push(await counted(bench, () => page.evaluate(firstSearch, { urls, query, mode })));
      await page.waitForTimeout(KEPT_MS);
      await page.close();
    }
    return moved;
  } finally {
    await context.close();
    bench.server.forget();
  }
}

async function inTurn(bench, queries, ask) {
  await bench.server.quiet();
  const moved = [];
  for (const query of queries) moved.push(await counted(bench, () => ask(query)));
  return moved;
}

// ---- the component -------------------------------------------------------------------------------

/** In the page: what `sheaf site --inject` puts there. */
function paste() {
  const element = document.createElement('sheaf-search');
  window.stages = [];
  element.addEventListener('sheaf-search', ({ detail }) =>
    window.stages.push({ query: detail.query, stage: detail.stage, pages: detail.groups.length, at: performance.now() }),
  );
  const script = Object.assign(document.createElement('script'), { type: 'module', src: '/sheaf/sheaf.js' });
  document.body.append(script, element);
  return customElements
    .whenDefined('sheaf-search')
    .then(() => element.updateComplete)
    .then(() => true);
}

/** The final list of a query, once it is there. */
const finalOf = (page, query) =>
  page
    .waitForFunction((wanted) => window.stages.find((entry) => entry.query === wanted && entry.stage === 'final'), query)
    .then((handle) => handle.jsonValue());

export async function componentCold(bench, query) {
  return visit(bench, async (page) => {
    await bench.server.quiet();
    const before = await counted(bench, () => page.evaluate(paste));
    const { value: final, ...searched } = await counted(bench, async () => {
      await page.keyboard.press('/');
      await page.keyboard.insertText(query); // at once: what half-typed words move depends on how fast one types
      return finalOf(page, query);
    });
    const sum = (key) => before[key] + searched[key];
    const sums = Object.fromEntries(['requests', 'body', 'code', 'index', 'table', 'wire'].map((key) => [key, sum(key)]));
    return { hits: final.pages, ...sums, unsearched: before.body, trips: searched.trips, dataTrips: searched.dataTrips };
  });
}

// ---- Pagefind ------------------------------------------------------------------------------------

/** In the page. Returns the number of results; those asked for are loaded. */
async function pagefindSearch({ query, results }) {
  window.pagefind ??= await import('/pagefind/pagefind.js').then(async (module) => {
    await module.init();
    return module;
  });
  const found = await window.pagefind.search(query);
  await Promise.all(found.results.slice(0, results).map((result) => result.data()));
  return found.results.length;
}

/** [to the first result, to ten results], the second including the first. */
export async function pagefindCold(bench, query) {
  return visit(bench, async (page) => {
    await bench.server.quiet();
    const watch = bench.server.watch();
    const upTo = async (results) => {
      const { value } = await counted(bench, () => page.evaluate(pagefindSearch, { query, results }));
      const { requests, wire } = watch.read();
      return { hits: Math.min(value, results), ...tally(requests), wire };
    };
    const first = await upTo(1);
    return [first, await upTo(10)];
  });
}

export async function pagefindSession(bench, queries) {
  return visit(bench, (page) => inTurn(bench, queries, (query) => page.evaluate(pagefindSearch, { query, results: 10 })));
}
