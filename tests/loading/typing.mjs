/**
 * What a reader moves who types: a key at a time, in a browser that has seen nothing of the search before, in the
 * interfaces that owners deploy. `<sheaf-search>` stands there as `sheaf site` puts it into a page, Pagefind as its
 * default interface (pagefind-ui.js, which waits 300 ms for the next key). Both are asked by keyboard.
 *
 * Scripts say which keys come when:
 *   pasted    the whole query at once
 *   steady    a key every 150 ms, no pause anywhere
 *   halting   the same, with 600 ms of thought behind every second word, and a slip: a wrong letter that is taken back
 *
 * What is counted must not depend on the machine: a key that comes late is a rest, which is searched for. So the page's
 * clock moves as the script says and no further, and waits for the host's answers, as those of a near host would be there.
 * Over a link, where times are measured, the clock is the machine's.
 *
 * Counting begins with the page, so all code is in it (the page itself is not), and ends when nothing has moved for a while
 * after the final list. `settle` is the time from the last key to the final list, `first` that to the first list of the
 * whole query, by words alone or not, in milliseconds. They mean something on a link alone (slow_link.mjs): LINK has the latency of a distant host and 10 Mbit/s.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openBench, visit } from './measure.mjs';
import { median, summary, tally } from './tally.mjs';

export const LINK = { latency: 150, bytesPerSecond: 1_250_000 };

/**
 * Budgets of the PostgreSQL manual, over HTTP/1.1: requests, and bytes of their answers with headers. What a key still
 * finds under way differs from run to run, so each leaves 2 % above the largest median seen.
 */
export const TYPING_BUDGET = {
  pasted: { requests: 30, sent: 290_000 }, // 11 kB of it the module that reads the preview's passage, 4 kB symbols
  steady: { requests: 35, sent: 300_000 }, // 2.5 kB of it code for other wordings and pieces; 1 kB of it texts that come with the symbols, in place of a round trip
};

const KEY_MS = 150;
const THOUGHT_MS = 600;
/** Longer than Pagefind's interface and <sheaf-search> wait for another key. */
const REST_MS = 700;

export const SCRIPTS = ['pasted', 'steady', 'halting'];
/** Scripts whose last key is followed by a rest like any other. */
const TIMED = ['pasted', 'steady'];
export const TYPISTS = ['sheaf', 'pagefind'];

/** [{key, wait}]: each key, and the milliseconds before it. Pure. */
export function keysOf(query, script) {
  if (script === 'pasted') return [{ text: query, wait: 0 }];
  const letters = [...query];
  const keys = [];
  let words = 0;
  for (const [at, letter] of letters.entries()) {
    const begins = at > 0 && letters[at - 1] === ' ' && letter !== ' ';
    if (begins) words++;
    const pause = script === 'halting' && begins && words % 2 === 0;
    if (script === 'halting' && at === 3 && letters.length > 4) {
      keys.push({ key: letters[at] === 'x' ? 'y' : 'x', wait: KEY_MS }, { key: 'Backspace', wait: KEY_MS });
    }
    keys.push({ key: letter, wait: pause ? THOUGHT_MS : KEY_MS });
  }
  return keys;
}

const shell = (body) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><link rel="icon" href="data:,"><title>search</title><body>${body}</body></html>`;

/** Pages that the bench's server needs besides the site's. */
export const typingPlaces = () => ({
  '/loading/typed-sheaf.html': shell(`<script type="module" src="/sheaf/sheaf.js"></script><script type="module">
window.stages = [];
document.addEventListener('sheaf-search', ({ detail }) => requestAnimationFrame(() => {
  window.stages.push({ query: detail.query, stage: detail.stage, pages: detail.groups.length, at: performance.now() });
}));
await customElements.whenDefined('sheaf-search');
window.ready = true;
</script><sheaf-search></sheaf-search>`),
  '/loading/typed-pagefind.html':
    shell(`<link href="/pagefind/pagefind-ui.css" rel="stylesheet"><script src="/pagefind/pagefind-ui.js"></script>
<div id="search"></div><script>
new PagefindUI({ element: '#search', showSubResults: true, showImages: false });
window.changes = [];
new MutationObserver(() => {
  const links = document.querySelectorAll('.pagefind-ui__result-link').length;
  const message = document.querySelector('.pagefind-ui__message')?.textContent.trim() ?? '';
  window.changes.push({ links, message, at: performance.now() });
}).observe(document.getElementById('search'), { childList: true, subtree: true, characterData: true });
window.ready = true;
</script>`),
});

/** What a page does in as many milliseconds of its clock is waited for. */
const STEP_MS = 50;
/** Milliseconds of the machine's clock: longer than a page and its worker take to ask for what they lack. */
const ASKING_MS = 20;

/** How time passes in a page: `pass(ms)`, and `until(inPage, argument)`, which resolves to what is true. */
const CLOCKS = {
  machine: {
    start: () => {},
    stop: () => {},
    of: (page) => ({
      pass: (ms) => page.waitForTimeout(ms),
      until: async (inPage, argument) => (await page.waitForFunction(inPage, argument)).jsonValue(),
    }),
  },
  script: {
    start: (page) => page.clock.install({ time: 0 }),
    stop: (page) => page.clock.pauseAt(60_000),
    of: (page, server) => {
      const pass = async (ms) => {
        for (let rest = ms; rest > 0; rest -= STEP_MS) {
          await page.clock.runFor(Math.min(STEP_MS, rest));
          await sleep(ASKING_MS);
          await server.quiet(ASKING_MS);
        }
      };
      const until = async (inPage, argument) => {
        for (const begun = performance.now(); performance.now() - begun < PATIENCE_MS; await pass(STEP_MS)) {
          const value = await page.evaluate(inPage, argument);
          if (value) return value;
        }
        throw new Error(`Nothing came of ${inPage} in ${PATIENCE_MS / 1000} s.`);
      };
      return { pass, until };
    },
  },
};
const PATIENCE_MS = 120_000;

/** The clock behind the last key, and each key with the machine's time at which it was pressed. */
async function type(page, clock, query, script) {
  const keys = [];
  for (const { text, key, wait } of keysOf(query, script)) {
    if (wait > 0) await clock.pass(wait);
    keys.push({ text: text ?? key, at: performance.now() });
    if (text === undefined) await (key.length === 1 && key > '~' ? page.keyboard.insertText(key) : page.keyboard.press(key));
    else await page.keyboard.insertText(text);
  }
  return { keys, last: await page.evaluate(() => performance.now()) };
}

/** The clock when the final list of `query` was there, and when the first one was; and its pages. */
const finals = {
  sheaf: (clock, query) =>
    clock.until((wanted) => {
      const lists = window.stages.filter((entry) => entry.query === wanted);
      const last = lists.findLast((entry) => entry.stage === 'final');
      return last && { ...last, first: lists[0].at };
    }, query.trim()),
  // Its interface announces nothing: the list is final once its message names the query and nothing has changed for a while.
  pagefind: (clock, query) =>
    clock.until(
      ({ wanted, quiet }) => {
        const last = window.changes.at(-1);
        const done = last?.message.includes(wanted) && !/^Searching/.test(last.message) && performance.now() - last.at > quiet;
        return done && { at: last.at, first: last.at, pages: last.links };
      },
      { wanted: query.trim(), quiet: 1500 },
    ),
};

/** One reader and one query. */
export async function typed(bench, contestant, query, script) {
  const watch = bench.server.watch();
  const path = `/loading/typed-${contestant}.html`;
  const kind = CLOCKS[bench.isLinked ? 'machine' : 'script'];
  return visit(
    bench,
    async (page) => {
      await kind.stop(page);
      const clock = kind.of(page, bench.server);
      await clock.until(() => window.ready);
      await clock.pass(REST_MS);
      await bench.server.quiet(REST_MS);
      const opened = performance.now();
      if (contestant === 'sheaf') await page.keyboard.press('/');
      else await page.focus('input');
      const { keys, last } = await type(page, clock, query, script);
      const { at, first, pages } = await finals[contestant](clock, query);
      await clock.pass(REST_MS);
      await bench.server.quiet(REST_MS);
      const { requests, wire, sent } = watch.read();
      const moved = requests.filter((request) => request.path !== path);
      return {
        hits: pages,
        settle: Math.round(at - last),
        first: Math.round(Math.max(0, first - last)),
        ...tally(moved),
        wire,
        sent,
        log: moved,
        opened,
        keys,
      };
    },
    { path, before: kind.start },
  );
}

/** [{contestant, script, requests, body, wire, settle}], medians over the queries: bytes by one run, times by another on the link. */
export async function measureTyping(site, queries, timed, { http2, contestants, say = () => {} }) {
  const rows = new Map();
  const row = (contestant, script) => {
    const key = `${contestant} ${script}`;
    if (!rows.has(key)) rows.set(key, { contestant, script, n: queries.length });
    return rows.get(key);
  };
  const asked = TYPISTS.filter((name) => contestants.includes(name === 'sheaf' ? 'component' : name));
  await eachVisit(site, queries, { http2, delay: 0 }, asked, SCRIPTS, (contestant, script, visits) => {
    for (const key of ['requests', 'body', 'sent', 'wire']) row(contestant, script)[key] = summary(visits.map((visit) => visit[key]));
    row(contestant, script).withoutHits = visits.filter(({ hits }) => hits === 0).length;
    say(`typing: ${JSON.stringify(row(contestant, script))}`);
  });
  await eachVisit(site, timed, { http2, delay: 0, link: LINK }, asked, TIMED, (contestant, script, visits) => {
    const time = (which) => Math.round(median(visits.map((visit) => visit[which])));
    Object.assign(row(contestant, script), { settle: time('settle'), first: time('first') });
    say(`typing: ${contestant} ${script} ${time('first')} and ${time('settle')} ms`);
  });
  return [...rows.values()];
}

async function eachVisit(site, queries, settings, contestants, scripts, done) {
  const bench = await openBench(site, { ...settings, places: typingPlaces() });
  try {
    for (const contestant of contestants) {
      for (const script of scripts) {
        const visits = [];
        for (const { query } of queries) visits.push(await typed(bench, contestant, query, script));
        done(contestant, script, visits);
      }
    }
  } finally {
    await bench.close();
  }
}
