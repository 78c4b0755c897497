// Counts what readers can read in the rows of a list: leaf titles that are clipped, letters of snippets, words that a
// snippet shows, and the heights that the dialog takes on its way from empty to results. A measure, no test.
//
//   sheaf site FOLDER --pieces none            for each FOLDER of documentation, once
//   node tests/looks/rows.mjs python=FOLDER java=FOLDER postgres=FOLDER [--widths=1280,1920] [--dist=dist] [--shots=build/looks]
//
// The component is that of `dist`, so a change of it needs no packing. NAME chooses the forty queries below.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { serveSite } from '../browser/serve_site.mjs';
import { temporaryFolder } from '../node/packed.mjs';

const LETTERS = 60;

const QUERIES = {
  python: `read a file line by line|sort a list of dicts|json dumps|parse command line arguments|regular expression groups|
    thread pool|async sleep|copy a folder|temporary file|open a socket|format a date|parse xml|unittest mock|dataclass field|
    context manager|generator expression|decimal rounding|random choice|http server|subprocess timeout|logging handler|
    pickle protocol|weak reference|type hints|enum members|path glob|zip archive|csv writer|hash a password|sqlite cursor|
    environment variables|signal handler|memory view|string template|deque maxlen|lru cache|itertools product|
    abstract base class|import a module by name|profile a program`,
  java: `read a file line by line|sort a list|buffered reader|string format|regular expression groups|thread pool|
    completable future|copy a file|temporary file|open a socket|format a date|time zone|big decimal rounding|random numbers|
    http client|start a process|hash map iteration|optional or else|stream collect|type annotations|enum set|path matcher|
    zip entry|scanner delimiter|message digest|prepared statement|system property|shutdown hook|byte buffer|string builder|
    array deque|concurrent hash map|iterator remove|abstract list|load a class by name|locale language|collator|
    unsupported operation exception|linked list|atomic integer`,
  postgres: `create an index|full text search|vacuum settings|foreign key|window functions|json operators|backup and restore|
    replication slot|connection limit|password authentication|explain plan|partition a table|trigger function|row security|
    materialized view|array functions|date arithmetic|regular expression match|sequence nextval|transaction isolation|
    lock timeout|copy from csv|tablespace|collation|role membership|listen and notify|prepared transaction|cursor fetch|
    large objects|logical decoding|checkpoint|wal archiving|statistics target|parallel query|upsert|generated column|
    foreign data wrapper|psql variables|error codes|pl/pgsql loops`,
};

/** Of the list that is shown: what of each row one sees. Runs in the page. */
export function seenRows() {
  const { shadowRoot, state } = document.querySelector('sheaf-search');
  const hits = state.groups.flatMap((group) => group.hits);
  /** The part of the screen that the clips around a node leave of it. */
  const clipOf = (node) => {
    const clip = { right: Infinity, bottom: Infinity };
    for (let box = node; !box.matches('.scroll'); box = box.parentElement) {
      if (getComputedStyle(box).overflowX === 'visible') continue;
      const { right, bottom } = box.getBoundingClientRect();
      clip.right = Math.min(clip.right, right);
      clip.bottom = Math.min(clip.bottom, bottom);
    }
    return clip;
  };
  const letters = (node) => {
    const { right, bottom } = clipOf(node);
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT);
    const seen = [];
    while (walker.nextNode()) {
      const text = walker.currentNode;
      for (let i = 0; i < text.length; i++) {
        const range = document.createRange();
        range.setStart(text, i);
        range.setEnd(text, i + 1);
        const box = [...range.getClientRects()].at(-1);
        if (box === undefined || box.width === 0) continue;
        seen.push({
          marked: text.parentElement.localName === 'mark',
          visible: box.right <= right + 1 && (box.top + box.bottom) / 2 < bottom,
        });
      }
    }
    return seen;
  };
  return [...shadowRoot.querySelectorAll('.list :is(.head, .hit)')].map((row) => {
    const leaf = row.querySelector('.title, .page-title');
    const snippet = row.querySelector('.snippet');
    const read = snippet === null ? [] : letters(snippet);
    return {
      title: leaf?.textContent,
      clipped: leaf !== null && letters(leaf).some(({ visible }) => !visible),
      isHit: row.matches('.hit'),
      code: snippet?.localName === 'code',
      letters: read.filter(({ visible }) => visible).length,
      of: hits[Number(row.dataset.entry)]?.snippet.length ?? 0,
      marks: read.some(({ marked }) => marked),
      markSeen: read.some(({ marked, visible }) => marked && visible),
    };
  });
}

const percent = (part, whole) => `${whole === 0 ? '–' : ((100 * part) / whole).toFixed(1)} %`;
const median = (numbers) => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

async function measure({ browser, name, folder, width, height, dist, shots }) {
  const files = readdirSync(join(folder, 'sheaf')).filter((file) => file.endsWith('.sheaf'));
  const [table, bundle] = [files.find((file) => file.startsWith('minilm')), files.find((file) => !file.startsWith('minilm'))];
  const start = join(temporaryFolder('rows'), 'rows.html');
  writeFileSync(
    start,
    `<!doctype html><html lang="en"><meta charset="utf-8"><title>Rows</title><style>body { font-family: sans-serif }</style>
<script type="module" src="/dist/browser/ui/sheaf-search.min.js"></script><main><h1>Rows</h1>
<sheaf-search src="/sheaf/${bundle}"${table ? ` encoder="/sheaf/${table}"` : ''} param=""></sheaf-search></main>`,
  );
  const site = await serveSite(
    { '/dist/': `${dist}/`, '/rows.html': start, '/': `${folder}/` },
    { csp: "default-src 'self' 'unsafe-inline' 'wasm-unsafe-eval'" },
  );
  const page = await browser.newPage({ viewport: { width, height } });
  await page.goto(`${site.origin}/rows.html`);
  await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
  await page.evaluate(() => {
    const element = document.querySelector('sheaf-search');
    window.heights = [];
    const watch = () => {
      const height = element.shadowRoot.querySelector('dialog[open]')?.offsetHeight;
      if (height !== undefined && height !== window.heights.at(-1)) window.heights.push(height);
      requestAnimationFrame(watch);
    };
    watch();
    return element.show();
  });
  await page.evaluate(() => document.querySelector('sheaf-search').search.prefetch());
  await page.waitForTimeout(500);
  const rows = [];
  let lists = 0;
  let seen = 0;
  for (const query of QUERIES[name].split('|').map((text) => text.trim())) {
    await page.evaluate((text) => {
      document.querySelector('sheaf-search').query = text;
    }, query);
    await page.waitForFunction(
      (text) => {
        const { state } = document.querySelector('sheaf-search');
        return state.status === 'done' && state.answered === text;
      },
      query,
      { timeout: 60_000 },
    );
    await page.evaluate(() => document.querySelector('sheaf-search').updateComplete);
    rows.push(...(await page.evaluate(seenRows)));
    lists++;
    seen += await page.evaluate(() => {
      const { shadowRoot } = document.querySelector('sheaf-search');
      const { bottom } = shadowRoot.querySelector('.scroll').getBoundingClientRect();
      return [...shadowRoot.querySelectorAll('.hit')].filter((row) => row.getBoundingClientRect().bottom <= bottom + 1).length;
    });
    if (shots !== undefined && lists <= 3) {
      await page.waitForTimeout(300);
      await page.screenshot({ path: join(shots, `rows-${name}-${width}-${lists}.png`) });
    }
  }
  const heights = await page.evaluate(() => window.heights);
  const hits = rows.filter(({ isHit }) => isHit);
  const titled = hits.filter(({ title }) => title !== undefined);
  const heads = rows.filter(({ isHit }) => !isHit);
  const prose = hits.filter(({ code, of }) => !code && of > 0);
  const long = prose.filter(({ of }) => of >= LETTERS);
  console.log(
    [
      `${name} ${width}: ${lists} queries, ${hits.length} rows, ${(seen / lists).toFixed(1)} of a list on the screen`,
      `leaf titles clipped ${percent(titled.filter(({ clipped }) => clipped).length, titled.length)}, page headers ${percent(heads.filter(({ clipped }) => clipped).length, heads.length)}`,
      `letters of a snippet: median ${median(prose.map(({ letters }) => letters))}, below ${LETTERS} though there are more: ${percent(long.filter(({ letters }) => letters < LETTERS).length, prose.length)}`,
      `snippets with marks that show one: ${percent(prose.filter(({ markSeen }) => markSeen).length, prose.filter(({ marks }) => marks).length)}`,
      `heights of the dialog: ${heights.join(', ')}`,
    ].join('\n  '),
  );
  await page.close();
  await site.close();
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      widths: { type: 'string', default: '1280,1920' },
      dist: { type: 'string', default: fileURLToPath(new URL('../../dist', import.meta.url)) },
      shots: { type: 'string' },
    },
  });
  if (values.shots !== undefined) mkdirSync(values.shots, { recursive: true });
  const browser = await launchChromium();
  for (const positional of positionals) {
    const [name, folder] = positional.split('=');
    if (!Object.hasOwn(QUERIES, name) || folder === undefined)
      throw new Error(`Write NAME=FOLDER, where NAME is one of ${Object.keys(QUERIES).join(', ')}; it was ${positional}.`);
    for (const width of values.widths.split(',').map(Number))
      await measure({ ...values, browser, name, folder, width, height: Math.round((width * 9) / 16) });
  }
  await browser.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
