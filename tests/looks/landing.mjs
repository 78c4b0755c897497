// Measures where a hit lands: of names that documentation defines, asked one by one, whether the name stands in the
// upper half of the first screen after its first hit is followed. Entries at the end of a page cannot come so far up: they are
// counted apart, where the page is scrolled to its end and shows them. A measure, no test.
//
//   sheaf site FOLDER --pieces none            for each FOLDER of documentation, once
//   node tests/looks/landing.mjs python=FOLDER java=FOLDER … [--names=250] [--browsers=chromium,firefox] [--list]
//
// Names are headings of one word that stand over a passage, evenly from the whole bundle. NAME is for the report. `--list` names those
// that land elsewhere.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { hitHref } from '../../dist/browser/ui/state/links.js';
import { packedBaseOf } from '../../dist/browser/ui/state/manifest.js';
import { open } from '../../dist/node/client/node.js';
import { launchChromiumBrowser } from '../browser/chromium.mjs';
import { launchFirefox } from '../browser/firefox.mjs';
import { serveSite } from '../browser/serve_site.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    names: { type: 'string', default: '250' },
    browsers: { type: 'string', default: 'chromium,firefox' },
    list: { type: 'boolean' },
  },
});

/** A name of code or of a setting; no number of a section. */
const NAME = /^(?!\p{L}(?:\.\d+)+$)[\p{L}_$][\p{L}\p{N}_$.:-]{2,60}$/u;
const KINDS = /^(?:(?:pub|const|unsafe|async|fn|type|class|exception|Struct|Enum|Trait|Module|Macro|Function|Class|Interface|Method) )+/;
const plain = (heading) => heading.replace(/[`*]/g, '').trim();
const bare = (name) => name.replace(KINDS, '').replace(/[(<= ].*$/, '');

/** Names from the whole bundle, each once, and where the first hit of each leads. */
async function hitsOf(folder, wanted, origin) {
  const files = readdirSync(join(folder, 'sheaf')).filter((file) => file.endsWith('.sheaf'));
  const [table, bundle] = [files.find((file) => file.startsWith('minilm')), files.find((file) => !file.startsWith('minilm'))];
  const library = await open(join(folder, 'sheaf', bundle), table ? { encoder: join(folder, 'sheaf', table) } : {});
  const all = new Set();
  for (let id = 0; id < library.info.passages; id += Math.max(1, Math.floor(library.info.passages / (wanted * 12)))) {
    const { headings } = await library.passage(id);
    const name = bare(plain(headings.at(-1) ?? ''));
    if (NAME.test(name) && /[a-z]/i.test(name)) all.add(name);
  }
  const list = [...all];
  const found = [];
  for (let i = 0; i < Math.min(wanted, list.length); i++) {
    const name = list[Math.floor((i * list.length) / Math.min(wanted, list.length))];
    const [hit] = (await library.search(name, { by: 'passage', topK: 1 })).hits;
    const shown = bare(plain(hit?.headings.at(-1) ?? hit?.title ?? ''));
    const href = hit && hitHref(hit, { packedBase: packedBaseOf(library.info), base: '/' }, `${origin}/`);
    found.push({ name, shown, href, anchor: hit?.anchor });
  }
  await library.close();
  return found;
}

/**
 * Where the words stand, outside of navigation: in the `upper` half of what is seen; below it, where what scrolls is at its `end`; or
 * `elsewhere`. Runs in the page.
 */
function placeOnScreen(words) {
  const wanted = words.replace(/\s+/g, '').toLowerCase();
  const seenAbove = (line) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let seen = '';
    while (walker.nextNode()) {
      const node = walker.currentNode;
      if (node.data.trim() === '') continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      const boxes = [...range.getClientRects()];
      if (!boxes.some(({ top, bottom, height }) => height > 0 && top >= -2 && bottom <= line)) continue;
      if (node.parentElement.closest('nav, aside, script, style, [role=navigation], .sphinxsidebar, .sidebar, .navheader')) continue;
      seen += node.data;
    }
    return seen.replace(/\s+/g, '').toLowerCase().includes(wanted);
  };
  if (seenAbove(innerHeight / 2)) return 'upper';
  let scrolls = document.querySelector(':target');
  while (scrolls !== null && !(/auto|scroll/.test(getComputedStyle(scrolls).overflowY) && scrolls.scrollHeight > scrolls.clientHeight))
    scrolls = scrolls.parentElement;
  const { scrollTop, clientHeight, scrollHeight } = scrolls ?? document.scrollingElement;
  return scrollTop + clientHeight >= scrollHeight - 2 && seenAbove(innerHeight) ? 'end' : 'elsewhere';
}

const BROWSERS = { chromium: launchChromiumBrowser, firefox: launchFirefox };
const open_browsers = [];
for (const name of values.browsers.split(',')) open_browsers.push([name, await BROWSERS[name]()]);
for (const positional of positionals) {
  const [label, folder] = positional.split('=');
  const site = await serveSite(
    { '/': `${folder}/` },
    { csp: "default-src 'self' 'unsafe-inline' data:; script-src 'self' 'unsafe-inline'" },
  );
  const hits = await hitsOf(folder, Number(values.names), site.origin);
  const named = hits.filter(({ name, shown, href }) => href !== undefined && shown.toLowerCase().endsWith(name.toLowerCase()));
  const follow = async ([kind, browser]) => {
    const reader = await browser.newReader();
    const places = { upper: [], end: [], elsewhere: [] };
    for (const hit of named) {
      await reader.goto('about:blank'); // so that every address is loaded, and not only scrolled to
      await reader.goto(hit.href);
      await reader.evaluate(() => new Promise((resolve) => setTimeout(resolve, 100)));
      places[await reader.evaluate(placeOnScreen, hit.name.split(/[.:]+/).at(-1))].push(hit);
    }
    await reader.close();
    return [kind, places];
  };
  for (const [kind, { upper, end, elsewhere }] of await Promise.all(open_browsers.map(follow))) {
    const share = (hits) => `${((100 * hits.length) / named.length).toFixed(1)} %`;
    console.log(
      `${label}, ${kind}: ${named.length} of ${hits.length} names have their own entry first; of these land in the upper half of the first screen ${share(upper)}, at the end of their page ${share(end)}, elsewhere ${share(elsewhere)}`,
    );
    if (values.list) for (const { name, href } of elsewhere) console.log(`  ${name}  ${href}`);
  }
  await site.close();
}
for (const [, browser] of open_browsers) await browser.close();
