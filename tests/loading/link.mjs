/**
 * How long a reader waits for the first hit on a slow link and a slow machine: 150 ms round trip, 1.6 Mbit/s (slow_link.mjs),
 * processor slowed four times (slow_machine.mjs). `calibrate` proves in each run that both reach a worker.
 *
 * Two clocks: from the start of the page, where the search is asked for as soon as it can be, and from focus, on a
 * page that is idle. Library and Pagefind are asked by a script of the page that shows the first hit's text; the
 * component is pasted in and asked by keyboard. Each visit is a fresh reader: its first bytes are those of a handshake.
 */
import { openBench, visit } from './measure.mjs';
import { LINK } from './slow_link.mjs';
import { slowMachine } from './slow_machine.mjs';
import { median } from './tally.mjs';

const CPU_SLOWED = 4;

const shell = (body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>search</title>${body}</html>`;

/** A page that searches by `ask`, the body of an async function of `query` that returns a text. */
const scripted = (ask) =>
  shell(`<p id="hit"></p><script type="module">
const ask = async (query) => { ${ask} };
window.search = async (query) => {
  const focus = performance.now();
  document.getElementById('hit').textContent = await ask(query);
  await new Promise(requestAnimationFrame);
  window.times = { start: performance.now(), focus: performance.now() - focus };
};
const query = new URLSearchParams(location.search).get('q');
window.search(query);
</script>`);

const COMPONENT = shell(`<script type="module" src="/sheaf/sheaf.js"></script><script type="module">
window.stages = [];
document.addEventListener('sheaf-search', ({ detail }) => requestAnimationFrame(() => {
  window.stages.push({ query: detail.query, stage: detail.stage, at: performance.now() });
}));
await customElements.whenDefined('sheaf-search');
window.ready = true;
</script><sheaf-search></sheaf-search>`);

function placesOf({ client, bundle, table }) {
  const library = (mode) =>
    scripted(`
    const { open } = await import('/${client}');
    const library = await open('/${bundle}', ${mode === 'keyword' ? '{}' : `{ encoder: '/${table}' }`});
    const { hits } = await library.search(query, { mode: '${mode}' });
    return hits[0]?.snippet ?? 'none';`);
  return {
    '/loading/keyword.html': library('keyword'),
    '/loading/hybrid.html': library('hybrid'),
    '/loading/component.html': COMPONENT,
    '/loading/pagefind.html': scripted(`
      const pagefind = await import('/pagefind/pagefind.js');
      await pagefind.init();
      const { results } = await pagefind.search(query);
      return (await results[0]?.data())?.excerpt ?? 'none';`),
    '/loading/calibrate.js': `
      const begun = performance.now();
      await (await fetch('/loading/20kb.txt')).text();
      const fetched = performance.now();
      for (let i = 0, x = 0; i < 3e7; i++) x = (x * 31 + i) | 0;
      postMessage({ fetched: fetched - begun, worked: performance.now() - fetched });`,
    '/loading/20kb.txt': Array.from({ length: 20_000 }, (_, i) => String.fromCharCode(33 + ((i * 7919 + (i >> 3) * 104729) % 90))).join(''),
  };
}

/** Milliseconds to the first hit, by contestant: [{contestant, start, focus, ...}] medians over the queries. */
export async function measureLink(site, queries, { http2, contestants, say = () => {} }) {
  const bench = await openBench(site, { http2, delay: 0, places: placesOf(site), link: LINK });
  let machine;
  try {
    const { worked } = await inWorker(bench);
    machine = await slowMachine(bench.browser, CPU_SLOWED);
    say(`link: ${calibrated(await inWorker(bench), worked)}`);
    const rows = [];
    for (const contestant of ['keyword', 'hybrid', 'pagefind'].filter((name) => contestants.includes(name))) {
      const times = [];
      for (const { query } of queries) times.push(await scriptedTimes(bench, contestant, query));
      rows.push({ contestant, start: mid(times, 'start'), focus: mid(times, 'focus') });
      say(`link: ${contestant} ${JSON.stringify(rows.at(-1))}`);
    }
    if (contestants.includes('component')) rows.push(...(await componentRows(bench, queries)));
    return rows;
  } finally {
    await machine?.close();
    await bench.close();
  }
}

/** Two visits a query: one that begins with the page, one from focus. */
async function componentRows(bench, queries) {
  const start = [];
  const focus = [];
  for (const { query } of queries) {
    start.push(await componentTimes(bench, query, false));
    focus.push(await componentTimes(bench, query, true));
  }
  return ['first', 'final'].map((stage) => ({ contestant: `component, ${stage}`, start: mid(start, stage), focus: mid(focus, stage) }));
}

const mid = (times, key) => Math.round(median(times.map((time) => time[key])));

/** How long a worker fetches and how long it works. */
const inWorker = (bench) =>
  visit(bench, (page) =>
    page.evaluate(
      () =>
        new Promise((resolve, reject) => {
          const worker = new Worker('/loading/calibrate.js', { type: 'module' });
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = (event) => reject(new Error(event.message));
        }),
    ),
  );

/** Refuses to measure where link or machine do not reach workers. On a busy machine all wait, and slowing is felt less. */
function calibrated({ fetched, worked }, before) {
  const slower = worked / before;
  const found = `a worker's fetch takes ${Math.round(fetched)} ms, its work ${slower.toFixed(1)} times as long as before`;
  if (fetched < LINK.latency || slower < 1.3)
    throw new Error(
      `Expected a round trip of ${LINK.latency} ms and a processor slowed ${CPU_SLOWED} times; ${found}. Is the machine busy?`,
    );
  return found;
}

async function scriptedTimes(bench, contestant, query) {
  return visit(bench, (page) => page.waitForFunction(() => window.times).then((handle) => handle.jsonValue()), {
    path: `/loading/${contestant}.html?q=${encodeURIComponent(query)}`,
  });
}

/** When the first and the final list stood there, since the page's start or the key that opened the dialog. */
async function componentTimes(bench, query, idle) {
  return visit(
    bench,
    async (page) => {
      await page.waitForFunction(() => window.ready);
      if (idle) await bench.server.quiet(500);
      const begun = idle ? await page.evaluate(() => performance.now()) : 0;
      await page.keyboard.press('/');
      await page.keyboard.insertText(query);
      const stages = await page
        .waitForFunction((wanted) => {
          const list = window.stages.filter((entry) => entry.query === wanted);
          return list.some(({ stage }) => stage === 'final') && list;
        }, query)
        .then((handle) => handle.jsonValue());
      return { first: stages[0].at - begun, final: stages.at(-1).at - begun };
    },
    { path: '/loading/component.html' },
  );
}
