/** Loading on a bad day, in Chromium: requests that fail, no network, deploys under an open page, slow servers. */
import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, beforeEach, describe, it } from 'node:test';
import { deploy } from '../../dist/node/site/deploy.js';
import { packFixture, packTwice, TABLE, temporaryFolder } from '../node/packed.mjs';
import { until } from '../node/until.mjs';
import { launchChromium, newReader } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';
import { CSP, shots } from './ui_page.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const root = temporaryFolder('recovery');
let made = 0;
let docs;
let first;
let second;
let folder;
let browser;
let context;
let host;
let page;
let problems;

before(async () => {
  ({ docs, first, second } = await packTwice(root));
  browser = await launchChromium();
});
after(() => browser?.close());

beforeEach(async () => {
  folder = join(root, `site-${made++}`);
  mkdirSync(folder);
  await deploySite(first);
  host = await serveSite({ '/dist/': here('../../dist/'), '/': `${folder}/` }, { csp: CSP });
  // Without animations, whose end nobody tells, places can be compared.
  ({ context, page, problems } = await newReader(browser, { reducedMotion: 'reduce' }));
  // Whoever saves data reads by ranges all along; others have a small bundle whole behind the first answer.
  await context.addInitScript(() => Object.defineProperty(navigator, 'connection', { value: { saveData: true } }));
});
afterEach(async () => {
  await context?.close();
  await host?.close();
});

/** The site with one page, whole: hosts that replace a site keep no old files. */
async function deploySite(bundle, { attributes = '', pieces = 'none', language = 'en' } = {}) {
  rmSync(join(folder, 'sheaf'), { recursive: true, force: true });
  writeFileSync(
    join(folder, 'index.html'),
    `<!doctype html><html lang="${language}"><head><title>x</title><script type="module" src="sheaf/sheaf.js"></script></head><body><main><h1>Kiln</h1></main><sheaf-search ${attributes}></sheaf-search></body></html>`,
  );
  await deploy({ site: folder, bundles: [{ file: bundle }], table: TABLE, pieces });
}

const bundleName = () => readdirSync(join(folder, 'sheaf')).find((name) => /^site-.*\.sheaf$/.test(name));
const isData = (path) => path.endsWith('.sheaf');
const state = () =>
  page.evaluate(() => {
    const { groups, error, ...rest } = document.querySelector('sheaf-search').state;
    return { ...rest, error: error?.message, sources: groups.map(({ hits }) => hits[0].source) };
  });
const dataRequests = () => host.requests.filter(({ path }) => isData(path));
/** A worker that was ended is on the list until the browser has told of its end. */
const oneWorker = () => until(() => page.workers().length === 1, 'one worker');
const done = (query) =>
  page.waitForFunction((text) => {
    const search = document.querySelector('sheaf-search');
    return search?.state?.status === 'done' && search.state.answered === text;
  }, query);

async function takePicture(name) {
  if (shots) await page.screenshot({ path: join(shots, `recovery-${name}.png`) });
}

async function visit() {
  await page.goto(`${host.origin}/`);
  await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
}

async function ask(query) {
  await page.evaluate(() => document.querySelector('sheaf-search').show());
  await page.locator('sheaf-search:not(#twin) input').fill(query);
}

async function answer(query) {
  await ask(query);
  await done(query);
  return (await state()).sources;
}

/** Fails the next `count` requests that `which` picks, as `how` says. */
function fail(count, which, how) {
  let left = count;
  host.settings.meddle = (path) => (which(path) && left-- > 0 ? how : undefined);
}

describe('a request that fails', () => {
  it('A failed request is repeated until it succeeds: bundle, table and core', async () => {
    for (const which of [isData, (path) => path.endsWith('.wasm')]) {
      await visit();
      fail(2, which, 503);
      assert.equal((await answer('certificate clock'))[0], 'guide/install.md');
      fail(2, which, 429);
      assert.equal((await answer('keep passwords out of files')).length > 0, true);
    }
    assert.deepEqual(problems, []);
  });

  it('A table that fails for good costs one quiet line, and hits by words stay', async () => {
    for (const how of [500, 404]) {
      await visit();
      await answer('furnace');
      const warnings = [];
      page.on('console', (message) => warnings.push(message.text()));
      fail(1000, (path) => /minilm/.test(path), how);
      await answer('certificate clock');
      const { stage, sources, error, status } = await state();
      assert.deepEqual([status, stage, sources[0]], ['done', 'keyword', 'guide/install.md']);
      assert.match(error, new RegExp(`minilm.*answered ${how}`));
      assert.ok(
        warnings.some((text) => /minilm/.test(text)),
        'the console says which file',
      );
      const line = page.getByText('Searching by words only: the file for meaning could not be loaded.');
      await line.waitFor();
      assert.equal(await page.locator('sheaf-search [part=error]').count(), 0);
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
      assert.ok((await line.boundingBox()).height < 50, 'one line');
      await takePicture(`by-words-${how}`);

      // While the next query runs the line stays, so that nothing jumps; once meaning is there, it goes.
      await page.evaluate(() => {
        const search = document.querySelector('sheaf-search');
        window.lines = [];
        search.search.subscribe(() =>
          search.updateComplete.then(() => window.lines.push(search.shadowRoot.querySelector('[part=by-words]') !== null)),
        );
      });
      await answer('dashboard');
      assert.deepEqual([...new Set(await page.evaluate(() => window.lines))], [true]);
      host.settings.meddle = undefined;
      await answer('certificate');
      assert.equal((await state()).stage, 'final');
      assert.equal(await line.count(), 0);
    }
  });
});

describe('a moment without a network', () => {
  for (const [when, before] of [
    ['in a session', true],
    ['before the first search', false],
  ]) {
    it(`A lost network ${when} is shown, and the message ends by itself`, async () => {
      await visit();
      if (before) await answer('furnace');
      await context.setOffline(true);
      await ask('certificate clock');
      await page.waitForFunction(() => document.querySelector('sheaf-search').state.status === 'offline');
      await page.waitForSelector('sheaf-search [part=offline]');
      await context.setOffline(false);
      await done('certificate clock');
      assert.equal((await state()).sources[0], 'guide/install.md');
      await oneWorker();
      assert.deepEqual(problems, []);
    });
  }

  it('A lost network is not shown for answers from memory', async () => {
    await visit();
    await answer('certificate clock');
    await page.evaluate(() => {
      window.statuses = new Set();
      document.querySelector('sheaf-search').search.subscribe(({ status }) => window.statuses.add(status));
    });
    await context.setOffline(true);
    // Timers that leave memory the time to answer end after it has answered: a slow machine is no slow answer.
    await page.evaluate(() => {
      const { setTimeout: begin, clearTimeout: end } = window;
      const waiting = new Map();
      let last = 1e9; // numbers that no timer begun before has
      window.setTimeout = (work, ms) => (ms < 100 ? begin(work, ms) : (waiting.set(++last, work), last));
      window.clearTimeout = (timer) => void (waiting.delete(timer) || end(timer));
      window.elapse = () => {
        Object.assign(window, { setTimeout: begin, clearTimeout: end });
        waiting.forEach((work) => work());
      };
      document.querySelector('sheaf-search').search.configure({});
    });
    await done('certificate clock');
    await page.evaluate(() => window.elapse());
    assert.deepEqual(await page.evaluate(() => [...window.statuses].filter((status) => status === 'offline' || status === 'error')), []);
  });
});

describe('a deploy under an open page', () => {
  for (const [when, before] of [
    ['after', true],
    ['before', false],
  ]) {
    it(`A page follows a deploy when the bundle disappears ${when} the first search`, async () => {
      await visit();
      if (before) await answer('furnace');
      const old = bundleName();
      await deploySite(second);
      assert.notEqual(bundleName(), old);
      assert.equal((await answer('celadon'))[0], 'glaze.md');
      await oneWorker();
      assert.deepEqual(problems, []);
    });
  }

  it('A deployed new version opens once for all elements, and no worker stays behind', async () => {
    const other = join(root, 'other-version.sheaf');
    await packFixture(other, { docs, version: '2.0.0', options: ['--level', '3'] });
    await visit();
    await answer('furnace');
    await page.evaluate(async () => {
      const twin = document.querySelector('sheaf-search').cloneNode();
      twin.id = 'twin';
      document.body.append(twin);
      await twin.search.prefetch();
    });
    await deploySite(other);
    assert.equal((await answer('celadon'))[0], 'glaze.md');
    await page.evaluate(() => {
      document.querySelector('#twin').query = 'celadon';
    });
    await page.waitForFunction(() => document.querySelector('#twin').state.status === 'done');
    assert.equal(
      await page.evaluate(() => document.querySelector('#twin').search.library === document.querySelector('sheaf-search').search.library),
      true,
    );
    assert.equal(await page.evaluate(() => document.querySelector('#twin').search.library.info.version), '2.0.0');
    await oneWorker();
  });

  for (const [what, before] of [
    ['the code away before the first search', false],
    ['the files away after it', true],
  ]) {
    it(`A deploy that removed ${what} makes the page offer a reload, which works`, async () => {
      await visit();
      if (before) await answer('furnace');
      rmSync(join(folder, 'sheaf'), { recursive: true });
      await ask('keep passwords out of files'); // words that the first search has not read
      await page.waitForFunction(() => document.querySelector('sheaf-search').state.status === 'error');
      const reload = page.getByRole('button', { name: 'Reload the page' });
      await reload.waitFor();
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0);
      await takePicture(`reload-${before}`);
      await deploySite(second);
      await Promise.all([page.waitForEvent('load'), reload.click()]);
      await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
      assert.equal((await answer('celadon'))[0], 'glaze.md');
    });
  }

  it('A deploy that removed the bundle makes the page name the way out', async () => {
    await visit();
    rmSync(join(folder, 'sheaf', bundleName()));
    await ask('furnace');
    await page.waitForFunction(() => document.querySelector('sheaf-search').state.status === 'error');
    assert.match((await state()).error, /site-[0-9a-f]{12}\.sheaf: the server answered 404.*after a new deploy, reload the page/);
    await page.getByRole('button', { name: 'Reload the page' }).waitFor();
  });

  it('A deploy that broke the host for a while makes the page offer another try', async () => {
    await visit();
    fail(1000, isData, 503);
    await ask('furnace');
    await page.waitForFunction(() => document.querySelector('sheaf-search').state.status === 'error');
    host.settings.meddle = undefined;
    await page.getByRole('button', { name: 'Try again' }).click();
    await done('furnace');
  });
});

describe('a server that is down', () => {
  for (const [when, before] of [
    ['before the first search', false],
    ['after it', true],
  ]) {
    it(`A server that is down ${when} is named in words, and once it is up the button leads to the answer`, async () => {
      await visit();
      if (before) await answer('furnace');
      const port = Number(new URL(host.origin).port);
      await host.close();
      await ask('keep passwords out of files'); // words that the first search has not read
      const trouble = page.locator('sheaf-search [part=error]');
      await trouble.waitFor();
      assert.match(
        await trouble.innerText(),
        /^The search could not be completed\.( The server does not answer\.\s+Try again|\s+Reload the page)$/,
      );
      host = await serveSite({ '/dist/': here('../../dist/'), '/': `${folder}/` }, { csp: CSP, port });
      await page.locator('sheaf-search [part=retry]').click();
      await done('keep passwords out of files');
    });
  }
});

describe('an error in the words of the reader', () => {
  const CODES = /[A-Z]{3,}(?:_[A-Z]+)*/;
  const failing = { en: 'The search could not be completed.', de: 'Die Suche ist fehlgeschlagen.' };
  const again = { en: 'Try again', de: 'Erneut versuchen' };
  const changed = (at, byte) => (path, bytes) => {
    if (!/site-[0-9a-f]+\.sheaf$/.test(path)) return undefined;
    const copy = Buffer.from(bytes);
    copy[at] = byte;
    return copy;
  };
  const without = (part) => ({ csp: CSP.replace(part, '') });
  const kinds = {
    'an overloaded server': {
      settings: { meddle: (path) => (isData(path) ? 503 : undefined) },
      en: 'The server answers with error 503.',
      de: 'Der Server antwortet mit Fehler 503.',
    },
    'a page in place of the index': {
      settings: { meddle: (path) => (isData(path) ? Buffer.from('<!doctype html><title>Sign in</title>'.repeat(999)) : undefined) },
      en: 'The search index is damaged.',
      de: 'Der Suchindex ist beschädigt.',
    },
    'a damaged index': { settings: { meddle: changed(70, 77) }, en: 'The search index is damaged.', de: 'Der Suchindex ist beschädigt.' },
    'an index of a later format': {
      settings: { meddle: changed(8, 2) },
      reload: { en: 'Reload the page', de: 'Seite neu laden' }, // with code that can read it
      en: 'The search index is newer than this page.',
      de: 'Der Suchindex ist neuer als diese Seite.',
    },
    'a policy without WebAssembly': {
      settings: without(" 'wasm-unsafe-eval'"),
      en: 'This browser or page does not allow WebAssembly.',
      de: 'Die Suche braucht WebAssembly, das dieser Browser oder diese Seite nicht zulässt.',
    },
  };
  for (const [kind, { settings, reload, ...reasons }] of Object.entries(kinds))
    for (const language of ['en', 'de'])
      it(`The box names ${kind} in the language ${language}, and the way on leads to the answer once it is mended`, async () => {
        await deploySite(first, { language });
        const before = { ...host.settings };
        Object.assign(host.settings, settings);
        await visit();
        await ask('keep passwords out of files');
        const trouble = page.locator('sheaf-search [part=error]');
        await trouble.waitFor();
        const said = await trouble.locator('p').innerText();
        assert.equal(said, `${failing[language]} ${reasons[language]}`);
        assert.doesNotMatch(said.replace('WebAssembly', ''), CODES);
        await page.waitForFunction((text) => {
          const { shadowRoot } = document.querySelector('sheaf-search');
          return [...shadowRoot.querySelectorAll('[role=status]')].some(({ textContent }) => textContent.trim() === text); // screen readers hear the same
        }, said);
        await takePicture(`${kind.replaceAll(' ', '-')}-${language}`);
        Object.assign(host.settings, before);
        if (settings.csp)
          await visit().then(() => ask('keep passwords out of files')); // a policy comes with the page
        else await page.getByRole('button', { name: (reload ?? again)[language] }).click();
        await done('keep passwords out of files');
        assert.ok((await state()).sources.length > 0);
      });

  for (const language of ['en', 'de'])
    it(`The box says in the language ${language} that memory ran out, and opens the index anew`, async () => {
      await deploySite(first, { language });
      await visit();
      await page.evaluate(() => {
        const search = document.querySelector('sheaf-search');
        window.openings = 0;
        window.full = true;
        search.library = async () => {
          window.openings += 1;
          return {
            info: { semantic: false, manifest: {} },
            search: async () => {
              if (window.full) throw Object.assign(new Error('The core ran out of memory.'), { code: 'TOO_LARGE' });
              return { hits: [], corrections: [], matchingPassages: 0, ignoredWords: 0, usedKeyword: true, usedSemantic: false };
            },
          };
        };
      });
      await ask('kiln');
      const trouble = page.locator('sheaf-search [part=error]');
      await trouble.waitFor();
      const reason = { en: 'This device has too little free memory.', de: 'Dieses Gerät hat zu wenig freien Speicher.' };
      assert.equal(await trouble.locator('p').innerText(), `${failing[language]} ${reason[language]}`);
      await takePicture(`no-room-${language}`);
      assert.equal(await page.evaluate(() => window.openings), 2, 'once more by itself');
      await page.evaluate(() => {
        window.full = false;
      });
      await page.getByRole('button', { name: again[language] }).click();
      await done('kiln');
      assert.equal(await page.evaluate(() => window.openings), 3);
    });
});

describe('a host that ignores Range', () => {
  const warned = (said) => said.filter((text) => /ignores Range requests, so all \d+ bytes were downloaded/.test(text)).length;

  it('A host that ignores Range is read in pieces, and the next page remembers it', async () => {
    await deploySite(first, { pieces: 'beside' });
    host.settings.ranges = false;
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    await visit();
    assert.equal((await answer('certificate clock'))[0], 'guide/install.md');
    await answer('keep passwords out of files');
    const inPieces = () => host.requests.filter(({ path }) => path.includes('.pieces/'));
    assert.ok(dataRequests().length <= 2, 'at most one try a file');
    assert.ok(inPieces().length > 4);
    assert.ok(inPieces().every(({ status }) => status === 200));
    const names = inPieces().map(({ path }) => path);
    assert.deepEqual(names, [...new Set(names)], 'none twice');
    await oneWorker();
    assert.equal(warned(said), 0);
    await page.waitForTimeout(1500); // what is kept is written half a second later
    host.requests.length = 0;
    await visit();
    await answer('certificate clock');
    assert.deepEqual(dataRequests(), [], 'no try');
    assert.ok(inPieces().length < 4, 'what was read is kept');
    assert.ok(!inPieces().some(({ path }) => path.endsWith('/0.bin')), 'so is the list');
  });

  it('A host without Range and pieces costs one download per file, reported once', async () => {
    host.settings.ranges = false;
    const said = [];
    page.on('console', (message) => said.push(message.text()));
    await visit();
    assert.equal((await answer('certificate clock'))[0], 'guide/install.md');
    await answer('keep passwords out of files');
    // The first answer is given up before anybody knows that there are no pieces.
    assert.deepEqual(
      dataRequests().map(({ status }) => status),
      [200, 200, 200, 200],
    );
    await oneWorker();
    await until(() => warned(said) >= 2, 'both warnings, which come from the worker in their own time');
    assert.equal(warned(said), 2);
  });
});

describe('a slow encoder table', () => {
  const isTable = (path) => /minilm/.test(path);
  /** Answers for the table wait until the returned function is called. */
  function holdTable() {
    let release;
    const gate = new Promise((resolve) => (release = resolve));
    host.settings.meddle = async (path) => void (isTable(path) && (await gate));
    return release;
  }
  const stage = (wanted) => page.waitForFunction((name) => document.querySelector('sheaf-search').state.stage === name, wanted);
  const titles = () => page.$$eval('sheaf-search :is(.title, .page-title)', (nodes) => nodes.map((node) => node.textContent.trim()));
  const QUERY = 'keep passwords out of files';

  it('A slow encoder table delays no hits by words, and the hybrid list replaces them', async () => {
    const release = holdTable();
    await visit();
    await ask(QUERY);
    await stage('keyword');
    const words = await titles();
    assert.ok(words.length > 0);
    assert.equal((await state()).status, 'searching');
    release();
    await done(QUERY);
    const best = await titles();
    assert.notDeepEqual(best, words, 'otherwise this test shows nothing');
    assert.deepEqual(problems, []);
  });

  for (const [how, hold, after, letGo] of [
    [
      'the pointer is on the list',
      () => page.locator('sheaf-search [role=option]').first().hover(),
      'lets go',
      () => page.mouse.move(2, 2),
    ],
    ['an entry is chosen by keyboard', () => page.keyboard.press('ArrowDown'), 'asks anew', () => answer(`${QUERY} again`)],
  ]) {
    it(`A slow encoder table moves no row while ${how}, and the best order follows when the reader ${after}`, async () => {
      const release = holdTable();
      await visit();
      await ask(QUERY);
      await stage('keyword');
      await hold();
      const words = await titles();
      const box = await page.locator('sheaf-search [role=option]').first().boundingBox();
      release();
      await done(QUERY);
      const held = await titles();
      assert.deepEqual(held.slice(0, words.length), words);
      assert.deepEqual(await page.locator('sheaf-search [role=option]').first().boundingBox(), box);
      await letGo();
      await page.waitForFunction(
        (shown) =>
          JSON.stringify(
            [...document.querySelector('sheaf-search').shadowRoot.querySelectorAll(':is(.title, .page-title)')].map((node) =>
              node.textContent.trim(),
            ),
          ) !== shown,
        JSON.stringify(held),
      );
    });
  }
});

describe('opening ahead of the first query', () => {
  const settled = () => page.waitForFunction(() => document.querySelector('sheaf-search').search.library !== undefined);
  const nothing = async () => {
    await page.waitForLoadState('networkidle');
    assert.deepEqual(dataRequests(), []);
  };

  it('The page opens its bundle when the reader reaches for the button', async () => {
    await visit();
    await nothing();
    await page.locator('sheaf-search button').first().hover();
    await settled();
    await until(() => new Set(dataRequests().map(({ path }) => path)).size === 2, 'bundle and table to be asked for');
  });

  it('The page requests the bundle while the core is on its way', async () => {
    await visit();
    let asked;
    const bundle = new Promise((resolve) => (asked = resolve));
    host.settings.meddle = async (path) => {
      if (isData(path)) asked();
      if (path.endsWith('.wasm')) await bundle; // the core comes when the bundle was asked for
    };
    assert.equal((await answer('certificate clock'))[0], 'guide/install.md');
  });

  it('The page requests bundle and table at the same time', async () => {
    await visit();
    const waiting = new Set();
    let both;
    const seen = new Promise((resolve) => (both = resolve));
    host.settings.meddle = async (path) => {
      if (!isData(path)) return;
      waiting.add(path);
      if (waiting.size === 2) both();
      await seen; // neither is answered before both were asked
    };
    await page.evaluate(() => document.querySelector('sheaf-search').search.prefetch());
    assert.equal(waiting.size, 2);
  });

  it('The page opens its bundle when idle, on request', async () => {
    await deploySite(first, { attributes: 'prefetch="idle"' });
    await visit();
    await settled();
  });

  it('The page opens no bundle before a query, on request', async () => {
    await deploySite(first, { attributes: 'prefetch="none"' });
    await visit();
    await page.locator('sheaf-search button').first().hover();
    await page.evaluate(() => document.querySelector('sheaf-search').show());
    await nothing();
    assert.equal((await answer('certificate clock'))[0], 'guide/install.md');
  });
});

describe('the client alone', () => {
  it('The client alone works in a worker where Trusted Types are enforced', async () => {
    await page.goto(`${host.origin}/`);
    const source = await page.evaluate(async (bundle) => {
      const { open } = await import('/dist/browser/client/index.js');
      const library = await open(`/sheaf/${bundle}`);
      return (await library.search('certificate clock')).hits[0].source;
    }, bundleName());
    assert.equal(source, 'guide/install.md');
    assert.equal(page.workers().length, 1);
    assert.deepEqual(problems, []);
  });

  it("The client alone falls back to the page's thread without such a policy", async () => {
    host.settings.csp = CSP.replace(' sheaf', '');
    const said = page.waitForEvent('console', (message) => /no worker could be started.*policy name sheaf/.test(message.text()));
    await page.goto(`${host.origin}/`);
    const source = await page.evaluate(async (bundle) => {
      const { open } = await import('/dist/browser/client/index.js');
      return (await (await open(`/sheaf/${bundle}`)).search('certificate clock')).hits[0].source;
    }, bundleName());
    assert.equal(source, 'guide/install.md');
    await said;
    assert.equal(page.workers().length, 0);
  });
});
