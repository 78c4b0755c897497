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
 * Counting begins with the idle page, so code is in it, and ends when nothing has moved for a while after the final list.
 * `settle` is the time from the last key to the final list, in milliseconds; only meaningful on a link (slow_link.mjs).
 */
import { visit } from './measure.mjs';
import { tally } from './tally.mjs';

const KEY_MS = 150;
const THOUGHT_MS = 600;
/** Longer than Pagefind's interface and <sheaf-search> wait for another key. */
const REST_MS = 700;

export const SCRIPTS = ['pasted', 'steady', 'halting'];

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

async function type(page, query, script) {
  for (const { text, key, wait } of keysOf(query, script)) {
    if (wait > 0) await page.waitForTimeout(wait);
    if (text === undefined) await (key.length === 1 && key > '~' ? page.keyboard.insertText(key) : page.keyboard.press(key));
    else await page.keyboard.insertText(text);
  }
  return page.evaluate(() => performance.now());
}

/** The clock when the final list of `query` was there, and its pages. */
const finals = {
  sheaf: async (page, query) => {
    const handle = await page.waitForFunction(
      (wanted) => window.stages.findLast((entry) => entry.query === wanted && entry.stage === 'final'),
      query.trim(),
    );
    return handle.jsonValue();
  },
  // Its interface announces nothing: the list is final once its message names the query and nothing has changed for a while.
  pagefind: async (page, query) => {
    const handle = await page.waitForFunction(
      ({ wanted, quiet }) => {
        const last = window.changes.at(-1);
        const done = last?.message.includes(wanted) && !/^Searching/.test(last.message) && performance.now() - last.at > quiet;
        return done && { at: last.at, pages: last.links };
      },
      { wanted: query.trim(), quiet: 1500 },
    );
    return handle.jsonValue();
  },
};

/** One reader and one query. */
export async function typed(bench, contestant, query, script) {
  return visit(
    bench,
    async (page) => {
      await page.waitForFunction(() => window.ready);
      await bench.server.quiet(REST_MS);
      const before = bench.server.watch();
      if (contestant === 'sheaf') await page.keyboard.press('/');
      else await page.focus('input');
      const last = await type(page, query, script);
      const { at, pages } = await finals[contestant](page, query);
      await bench.server.quiet(REST_MS);
      const { requests, wire } = before.read();
      return { hits: pages, settle: at - last, ...tally(requests), wire, requests: requests.length, log: requests };
    },
    { path: `/loading/typed-${contestant}.html` },
  );
}
