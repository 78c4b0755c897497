/** <sheaf-search> over several bundles in Chromium: versions, languages, sites, under the same strict policy as one. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { after, afterEach, before, describe, it } from 'node:test';
import { writeVersionedSite } from '../fixtures/versioned_site.mjs';
import { DOCS, MAIN, packFixture, TABLE, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite } from './serve_site.mjs';
import { assertAccessible, CSP, done } from './ui_page.mjs';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const folder = temporaryFolder('browser-several');
const at = (name) => join(folder, name);

let browser;
let context;
let page;
let site;
let other;
let problems;

before(async () => {
  const german = join(folder, 'deutsch');
  mkdirSync(german);
  writeFileSync(
    join(german, 'ofen.md'),
    '# Der Ofen\n\nDer Ofen brennt Stapel von Aufträgen. Das Zertifikat prüft der Ofen selbst.\n\n## furnace.fire\n\nfurnace.fire brennt einen Stapel.\n',
  );
  await packFixture(at('guide.sheaf'), { docs: join(DOCS, 'guide'), library: 'guide' });
  await packFixture(at('reference.sheaf'), { docs: join(DOCS, 'reference'), library: 'reference' });
  await packFixture(at('deutsch.sheaf'), { docs: german, library: 'deutsch', options: ['--language', 'none'] });
  browser = await launchChromium();
});
after(() => browser?.close());
afterEach(async () => {
  await context?.close();
  await site?.close();
  await other?.close();
  other = undefined;
});

const PLACES = {
  '/dist/': here('../../dist/'),
  '/table.sheaf': TABLE,
  '/guide.sheaf': at('guide.sheaf'),
  '/reference.sheaf': at('reference.sheaf'),
  '/deutsch.sheaf': at('deutsch.sheaf'),
};

async function visit({ path = '', ...parameters } = {}, options = {}) {
  const connect = other === undefined ? "'self'" : `'self' ${other.origin}`;
  const csp = CSP.replace("connect-src 'self'", `connect-src ${connect}`);
  site = await serveSite({ ...PLACES, '/v1/': here('ui-site/'), '/v2/': here('ui-site/'), '/': here('ui-site/') }, { csp });
  context = await browser.newContext({ viewport: { width: 1000, height: 720 }, ...options });
  page = await context.newPage();
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()) && !/status of \d+|^sheaf: |CORS policy|ERR_FAILED/.test(message.text()))
      problems.push(message.text());
  });
  const texts = Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
  await page.goto(`${site.origin}/${path}?${new URLSearchParams(texts)}`);
  await page.waitForFunction(() => window.element?.hasUpdated);
}

async function search(query) {
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox', { name: 'Search' }).or(page.locator('sheaf-search input')).first().fill(query);
  await answered(query);
}
const answered = (query) => done(page, query);
const groups = () =>
  page.evaluate(() => window.element.state.groups.map(({ hits: [{ url, label, bundle, lang }] }) => ({ url, label, bundle, lang })));
const bundles = async () => [...new Set((await groups()).map(({ bundle }) => bundle))].sort();
const asked = (name) => site.requests.filter(({ path }) => path === `/${name}.sheaf`).length;
const focused = () =>
  page.evaluate(() => {
    let node = document.activeElement;
    while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
    return node?.textContent?.trim() || node?.tagName;
  });

async function assertFine(name) {
  await assertAccessible(page, `several-${name}`);
  assert.deepEqual(await page.evaluate(() => window.violations), []);
  assert.deepEqual(problems, []);
}

const VERSIONS = [
  { src: '/guide.sheaf', version: '2.0', path: '/v2/' },
  { src: '/reference.sheaf', version: '1.0', path: '/v1/' },
];

describe('several versions', () => {
  it('The search covers the version of the current page, and downloads no other', async () => {
    await visit({ path: 'v1/', 'a.sites': VERSIONS });
    await search('furnace');
    assert.deepEqual(await bundles(), [1]);
    assert.equal(asked('guide'), 0);
    assert.equal(await page.getByLabel('Version').inputValue(), '1.0');
    assert.deepEqual((await groups()).map(({ label }) => label).filter(Boolean), [], 'one version needs no label');
    await assertFine('version');
  });

  it("The search follows a router to another version, and keeps the reader's choice within one", async () => {
    await visit({ path: 'v1/', 'a.sites': VERSIONS });
    await search('furnace');
    assert.deepEqual(await bundles(), [1]);
    await page.evaluate(() => window.element.close());
    await page.evaluate(() => history.pushState(null, '', '/v2/some/page'));
    await search('furnace fire');
    assert.deepEqual(await bundles(), [0]);
    assert.equal(await page.getByLabel('Version').inputValue(), '2.0');
    await page.getByLabel('Version').selectOption('1.0');
    await page.waitForFunction(() => window.element.state.groups[0]?.hits[0].bundle === 1);
    await page.evaluate(() => window.element.close());
    await page.evaluate(() => history.pushState(null, '', '/v2/another/page'));
    await search('furnace');
    assert.deepEqual(await bundles(), [1]);
  });

  it('Pages of no version search the first, and the keyboard switches without mixing', async () => {
    await visit({ 'a.sites': VERSIONS });
    await search('furnace');
    assert.deepEqual(await bundles(), [0]);
    await page.getByLabel('Version').focus();
    await page.keyboard.press('ArrowDown');
    await page.waitForFunction(() => window.element.state.status === 'done' && window.element.state.groups[0]?.hits[0].bundle === 1);
    assert.deepEqual(await bundles(), [1]);
    assert.equal(await page.evaluate(() => window.element.shadowRoot.activeElement.tagName), 'SELECT', 'the focus stays on the control');
    assert.equal(await page.evaluate(() => window.element.state.query), 'furnace');
  });

  it('A control stays in place while its contents stay, even when pressed or open', async () => {
    await visit({ 'a.sites': VERSIONS });
    await search('furnace');
    await page.evaluate(() => {
      window.select = window.element.shadowRoot.querySelector('select');
      window.element.requestUpdate();
    });
    assert.equal(await page.evaluate(() => window.select.isConnected), true);
  });

  it('A replaced set of bundles gets only its own controls, even when code arrives late', async () => {
    await visit({ path: 'v1/' });
    let release;
    const gate = new Promise((resolve) => (release = resolve));
    await context.route('**/dist/browser/ui/scope/index.js', async (route) => (await gate, route.continue()));
    const asking = page.waitForRequest('**/dist/browser/ui/scope/index.js');
    await page.evaluate((sites) => {
      window.element.removeAttribute('src');
      window.element.sites = sites;
      window.element.query = 'furnace';
    }, VERSIONS);
    await asking;
    await page.evaluate(
      (sites) => {
        window.element.sites = sites;
      },
      [
        { src: '/guide.sheaf', version: '4.0' },
        { src: '/reference.sheaf', version: '3.0' },
      ],
    );
    await page.evaluate(() => window.element.updateComplete);
    release();
    await answered('furnace');
    assert.equal(await page.evaluate(() => window.element.bars.shown.length), 1);
    await page.keyboard.press('Control+k');
    assert.deepEqual(await page.getByLabel('Version').locator('option').allTextContents(), ['4.0', '3.0']);
    assert.deepEqual(problems, []);
  });

  it('One worker has all bundles of a page', async () => {
    await visit({ 'a.sites': VERSIONS });
    await search('furnace');
    await page.getByLabel('Version').selectOption('1.0');
    await page.waitForFunction(() => window.element.state.groups[0]?.hits[0].bundle === 1);
    assert.equal(page.workers().length, 1);
  });
});

describe('several languages', () => {
  const LANGUAGES = [
    { src: '/reference.sheaf', language: 'en' },
    { src: '/deutsch.sheaf', language: 'de' },
  ];

  it("The search covers the page's own language first, and all languages on request", async () => {
    await visit({ lang: 'de-AT', 'a.sites': LANGUAGES });
    await search('furnace.fire');
    assert.deepEqual(await bundles(), [1]);
    assert.equal(asked('reference'), 0);
    const select = page.getByLabel('Sprache');
    assert.deepEqual(await select.locator('option').allTextContents(), ['English', 'Deutsch', 'Alle Sprachen']);
    await select.selectOption('');
    await page.waitForFunction(
      () => window.element.state.status === 'done' && new Set(window.element.state.groups.map(({ hits: [hit] }) => hit.bundle)).size === 2,
    );
    assert.deepEqual(new Set((await groups()).map(({ label, lang }) => `${label} ${lang}`)), new Set(['English en', 'Deutsch de']));
    assert.deepEqual(
      await page.evaluate(() => [...new Set([...window.element.shadowRoot.querySelectorAll('.group')].map((group) => group.lang))].sort()),
      ['de', 'en'],
    );
    await assertFine('languages');
  });

  it('The language controls also run from right to left', async () => {
    await visit({ lang: 'ar', 'a.sites': LANGUAGES, dark: '1' });
    await page.keyboard.press('Control+k');
    await page.locator('sheaf-search input').fill('furnace');
    await answered('furnace');
    assert.equal(await page.getByLabel('اللغة').count(), 1);
    await assertFine('arabic');
  });
});

describe('several sites', () => {
  const otherSite = async (headers = {}) => {
    other = await serveSite({ '/sheaf/site.json': at('site.json'), '/sheaf/': `${folder}/` });
    other.settings.headers = headers;
  };
  const CORS = {
    'Access-Control-Allow-Origin': '*',
    'Access-Control-Allow-Headers': 'range',
    'Access-Control-Expose-Headers': 'Content-Range, ETag',
  };
  const missing = () => page.locator('sheaf-search').locator('[part=missing]').textContent();

  it('Several sites share one list with labels, and chips narrow it', async () => {
    await otherSite(CORS);
    await visit({
      'a.src': '/guide.sheaf',
      'a.label': 'Kiln',
      sources: [{ src: `${other.origin}/sheaf/reference.sheaf`, label: 'Glaze' }],
    });
    await search('furnace');
    assert.deepEqual(await bundles(), [0, 1]);
    assert.deepEqual(new Set((await groups()).map(({ label }) => label)), new Set(['Kiln', 'Glaze']));
    assert.equal(site.requests.filter(({ path }) => path === '/table.sheaf').length > 0, true);
    await assertFine('sites');
    const chips = page.getByRole('group', { name: 'Sites' }).getByRole('button');
    assert.deepEqual(await chips.allTextContents(), ['All sites', 'Kiln', 'Glaze']);
    await chips.nth(2).focus();
    await page.keyboard.press('Space');
    await page.waitForFunction(
      () => window.element.state.status === 'done' && window.element.state.groups.every(({ hits: [hit] }) => hit.bundle === 1),
    );
    assert.equal(await chips.nth(2).getAttribute('aria-pressed'), 'true');
    assert.equal(await chips.nth(0).getAttribute('aria-pressed'), 'false');
    assert.equal(await focused(), 'Glaze', 'the focus stays on the chip');
    await page.keyboard.press('Space');
    await page.waitForFunction(() => new Set(window.element.state.groups.map(({ hits: [hit] }) => hit.bundle)).size === 2);
    assert.equal(await chips.nth(0).getAttribute('aria-pressed'), 'true');
  });

  it("An unreachable site is named beside the others' hits, with the headers it lacks", async () => {
    await otherSite();
    const warnings = [];
    await visit({
      'a.src': '/guide.sheaf',
      'a.label': 'Kiln',
      sources: [{ src: `${other.origin}/sheaf/reference.sheaf`, label: 'Glaze' }],
    });
    page.on('console', (message) => warnings.push(message.text()));
    await search('furnace');
    assert.deepEqual(await bundles(), [0]);
    await page.locator('sheaf-search').locator('[part=missing]').waitFor();
    assert.match(await missing(), /^Glaze could not be searched\. Try again$/);
    const [warning] = warnings.filter((text) => text.startsWith('sheaf: '));
    assert.ok(
      warning.includes(`Access-Control-Allow-Origin: ${site.origin} (or *)`) &&
        warning.includes('Access-Control-Expose-Headers: Content-Range, ETag'),
      warning,
    );
    assert.deepEqual(await page.evaluate(() => window.events.filter(([name]) => name === 'sheaf-error').length), 1);
    await assertFine('missing');
    other.settings.headers = CORS;
    await page.locator('sheaf-search').getByRole('button', { name: 'Try again' }).click();
    await page.waitForFunction(
      () => window.element.state.status === 'done' && new Set(window.element.state.groups.map(({ hits: [hit] }) => hit.bundle)).size === 2,
    );
    assert.equal(await page.locator('sheaf-search').locator('[part=missing]').count(), 0);
  });

  it('A passage that stands on two pages of another site leads to that site from both', async () => {
    const twins = join(folder, 'twins');
    const same =
      '## Glazing\n\nThe glaze melts in the furnace at the temperature that its label names, and cools for a day before anyone opens the door.\n';
    mkdirSync(twins);
    for (const [name, own] of [
      ['ash', 'Ash glazes are green.'],
      ['salt', 'Salt glazes are grey, and need a kiln of their own.'],
    ])
      writeFileSync(join(twins, `${name}.md`), `# ${name}\n\n${own}\n\n${same}`);
    await packFixture(at('twins.sheaf'), { docs: twins, library: 'twins' });
    await otherSite(CORS);
    await visit({
      'a.src': '/guide.sheaf',
      'a.label': 'Kiln',
      sources: [{ src: `${other.origin}/sheaf/twins.sheaf`, base: `${other.origin}/glaze/`, label: 'Glaze' }],
    });
    await search('glaze melts');
    const places = await page.evaluate(() =>
      window.element.state.groups.flatMap(({ hits }) =>
        hits.filter(({ alsoIn }) => alsoIn).flatMap(({ url, alsoIn }) => [url, ...alsoIn.map((copy) => copy.url)]),
      ),
    );
    assert.equal(places.length, 2);
    assert.ok(
      places.every((url) => url.startsWith(`${other.origin}/`)),
      `${places}`,
    );
  });

  it("A site's list stands for the whole site, with its base and versions", async () => {
    writeFileSync(
      at('site.json'),
      JSON.stringify({
        base: '..',
        files: [],
        sites: [
          { src: 'reference.sheaf', version: '3.0' },
          { src: 'deutsch.sheaf', version: '2.0', path: '../2.0/' },
        ],
      }),
    );
    await otherSite(CORS);
    await visit({ 'a.src': '/guide.sheaf', 'a.label': 'Kiln', sources: [{ src: `${other.origin}/sheaf/site.json`, label: 'Glaze' }] });
    await search('furnace');
    const found = await groups();
    assert.deepEqual([...new Set(found.map(({ bundle }) => bundle))].sort(), [0, 1], 'one version of the other site');
    assert.ok(
      found.filter(({ bundle }) => bundle === 1).every(({ url }) => url.startsWith(`${other.origin}/`)),
      JSON.stringify(found),
    );
    assert.equal(await page.getByLabel('Version').count(), 1);
  });

  it("The last try decides a site's controls, whichever list comes first", async () => {
    await visit({
      'a.sites': [
        { src: '/guide.sheaf', label: 'Kiln' },
        { src: '/far/site.json', label: 'Glaze' },
      ],
    });
    const found = await page.evaluate(async () => {
      const { Scope } = await import('/dist/browser/ui/scope/index.js');
      const lists = [];
      const { fetch } = window;
      window.fetch = (...args) =>
        String(args[0]).endsWith('/far/site.json') ? new Promise((resolve) => lists.push(resolve)) : fetch(...args);
      const scope = new Scope(window.element);
      const first = scope
        .open(() => {})
        .then(
          () => 'opened',
          ({ message }) => message,
        );
      const second = scope.open(() => {});
      lists[1](new Response(JSON.stringify({ sites: [{ src: '/reference.sheaf' }] })));
      const library = await second;
      lists[0](new Response('', { status: 404 }));
      const told = await first;
      scope.choice = { ...scope.choice, sites: ['Glaze'] };
      return [told, library.chosen];
    });
    assert.deepEqual(found, ['superseded', [1]]);
  });

  it("A stranger's address runs no code, and invalid lists are refused", async () => {
    await visit({ 'a.sites': '[{"label": "Kiln"}]' });
    await page.keyboard.press('Control+k');
    await page.locator('sheaf-search input').fill('furnace');
    await page.waitForFunction(() => window.element.state.status === 'error');
    assert.match(await page.evaluate(() => window.element.state.error.message), /the 1\. entry has no src/);
    await context.close();
    await site.close();
    await visit({
      'a.sites': [
        { src: '/guide.sheaf', base: 'javascript:window.pwned=1//' },
        { src: '/reference.sheaf', label: '<img src=x onerror="window.pwned=1">' },
      ],
    });
    await search('furnace');
    const links = await page.evaluate(() => [...window.element.shadowRoot.querySelectorAll('a[href]')].map(({ protocol }) => protocol));
    assert.ok(links.length > 0 && links.every((protocol) => /^https?:$/.test(protocol)), links.join());
    assert.equal(await page.evaluate(() => window.element.shadowRoot.querySelector('img')), null);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
  });
});

describe('chips of filters', () => {
  it('Chips stand above the list, show counts, and report the choice of each key', async () => {
    await visit({ 'a.src': '/guide.sheaf' });
    await page.evaluate(async () => {
      const { barIn, facetRows } = await import('/dist/browser/ui/scope/index.js');
      window.chosen = [];
      const values = [
        { value: 'guide', label: 'Guide', count: 1200 },
        { value: 'api', label: '<b>API</b>', count: 3 },
      ];
      const bar = barIn(window.element.shadowRoot, 'facets');
      bar.hidden = false;
      bar.append(
        ...facetRows(
          [{ key: 'section', label: 'Section', values, cut: 0 }],
          new Map([['section', new Set(['api'])]]),
          (key, chosen) => window.chosen.push([key, [...chosen]]),
          new Set(),
          () => {},
        ),
      );
      window.element.bars.shown = [bar];
      window.element.requestUpdate();
    });
    await search('furnace');
    const chips = page.getByRole('group', { name: 'Section' }).getByRole('button');
    assert.deepEqual(await chips.allTextContents(), ['Guide (1,200)', '<b>API</b> (3)']);
    assert.deepEqual(await chips.evaluateAll((all) => all.map((chip) => chip.getAttribute('aria-pressed'))), ['false', 'true']);
    await assertFine('facets');
    await chips.nth(0).click();
    await chips.nth(1).click();
    assert.deepEqual(await page.evaluate(() => window.chosen), [
      ['section', ['api', 'guide']],
      ['section', []],
    ]);
  });
});

describe('filters of the pages', () => {
  const names = (group) => page.getByRole('group', { name: group }).getByRole('button').allTextContents();
  const paths = async () => (await groups()).map(({ url }) => url.replace(/^.*\//, '')).sort();

  it('Filters are chips with counts, which narrow the hits and show the rest', async () => {
    const docs = join(folder, 'filtered');
    mkdirSync(docs);
    for (const [name, kind, by] of [
      ['glaze', 'guide', 'Anne'],
      ['ash', 'guide', 'Bo'],
      ['salt', 'reference', 'Anne'],
    ]) {
      writeFileSync(
        join(docs, `${name}.md`),
        `---\nsheaf:\n  filter: { kind: ${kind}, author: ${by} }\n---\n# ${name}\n\nA kiln with ${name} in it.\n`,
      );
    }
    await packFixture(at('filtered.sheaf'), { docs, library: 'filtered' });
    PLACES['/filtered.sheaf'] = at('filtered.sheaf');
    await visit({ 'a.src': '/filtered.sheaf' });
    await search('kiln');
    await page.waitForFunction(() => window.element.bars.shown.length === 1 && !window.element.bars.shown[0].hidden);
    assert.deepEqual(
      [await names('Author'), await names('Kind')],
      [
        ['Anne (2)', 'Bo (1)'],
        ['guide (2)', 'reference (1)'],
      ],
    );
    assert.equal((await groups()).length, 3);
    await page.getByRole('button', { name: 'guide (2)' }).click();
    await page.waitForFunction(() => window.element.state.status === 'done' && window.element.state.groups.length === 2);
    assert.deepEqual(
      (await paths()).map((path) => path.slice(0, 3)),
      ['ash', 'gla'],
    );
    await page.waitForFunction(() => window.element.shadowRoot.textContent.includes('Anne (1)'));
    assert.deepEqual(await names('Kind'), ['guide (2)', 'reference (1)'], 'what the other values would give');
    await page.getByRole('button', { name: 'Anne (1)' }).click();
    await page.waitForFunction(() => window.element.state.status === 'done' && window.element.state.groups.length === 1);
    assert.equal((await paths())[0].slice(0, 5), 'glaze');
    await assertFine('filters');
  });

  it('The kind that a query asks for is a chip, which a key or a click removes', async () => {
    const docs = join(folder, 'kinds');
    mkdirSync(docs);
    writeFileSync(join(docs, 'pots.md'), '# Settings\n\n## `pots.fire`\n\nThe heat.\n\n# Functions\n\n## `fire()`\n\nHeats pots.\n');
    await packFixture(at('kinds.sheaf'), { docs, library: 'kinds' });
    PLACES['/kinds.sheaf'] = at('kinds.sheaf');
    await visit({ 'a.src': '/kinds.sheaf' });
    const chip = page.getByRole('group', { name: 'kind' }).getByRole('button');
    const type = async (query) => {
      await page.locator('sheaf-search input').fill(query);
      await answered(query);
    };
    await search('fire');
    for (const remove of [() => chip.press('Enter'), () => chip.click()]) {
      await type('kind:function fire');
      await chip.waitFor();
      assert.deepEqual([await chip.textContent(), await chip.getAttribute('aria-pressed')], ['function', 'true']);
      await assertFine('kind');
      await remove();
      await page.waitForFunction(() => window.element.query === 'fire' && window.element.state.status === 'done');
      await chip.waitFor({ state: 'hidden' });
    }
    await type('kind:function fire');
    await chip.waitFor();
    await type('fire kind:fun');
    await chip.waitFor({ state: 'hidden' });
  });

  it('Filters stay in place when one is chosen, even without others in the row', async () => {
    await visit({ 'a.src': '/filtered.sheaf' });
    await search('kiln');
    const places = () =>
      page.evaluate(() =>
        [...window.element.shadowRoot.querySelectorAll('[part~=chip]')].map((chip) => {
          const { left, top } = chip.getBoundingClientRect();
          return [chip.textContent.replace(/ .*/, ''), left, top];
        }),
      );
    await page.getByRole('button', { name: 'reference (1)' }).waitFor();
    const before = await places();
    await page.getByRole('button', { name: 'reference (1)' }).click();
    await page.getByRole('button', { name: 'Bo (0)' }).waitFor();
    assert.deepEqual(await places(), before);
    await page.getByRole('button', { name: 'reference (1)' }).click();
    await page.getByRole('button', { name: 'Bo (1)' }).waitFor();
    assert.deepEqual(await places(), before);
  });

  it('Filters count the hidden chips and show them, by keyboard too', async () => {
    const docs = join(folder, 'tagged');
    mkdirSync(docs);
    for (let i = 10; i < 30; i++)
      writeFileSync(join(docs, `p${i}.md`), `---\nsheaf:\n  filter: { tag: some longer tag ${i} }\n---\n# Page ${i}\n\nA kiln.\n`);
    await packFixture(at('tagged.sheaf'), { docs, library: 'tagged' });
    PLACES['/tagged.sheaf'] = at('tagged.sheaf');
    await visit({ 'a.src': '/tagged.sheaf' });
    await search('kiln');
    const row = page.getByRole('group', { name: 'Tag' });
    await row.waitFor();
    const inSight = () =>
      row.evaluate((group) => {
        const { left, right } = group.getBoundingClientRect();
        return [...group.children].filter((chip) => {
          const box = chip.getBoundingClientRect();
          return box.left >= left - 1 && box.right <= right + 1;
        }).length;
      });
    const more = page.locator('sheaf-search [part=chips-more]');
    // The row is measured by a ResizeObserver, after the frame that brings it, and again once the button has taken its room.
    const measured = () =>
      page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done)))));
    await measured();
    const seen = await inSight();
    assert.ok(seen > 1 && seen < 12);
    assert.equal(await more.textContent(), `+${20 - seen}`);
    assert.equal(await more.getAttribute('aria-label'), `+${20 - seen} Tag`);
    await assertFine('more-chips');
    await more.focus();
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=chips-more]').ariaExpanded === 'true');
    assert.equal(await row.getByRole('button').count(), 20);
    assert.equal(await inSight(), 20);
    assert.equal(await page.evaluate(() => window.element.shadowRoot.activeElement.getAttribute('part')), 'chips-more', 'the focus stays');
    await assertFine('all-chips');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=chips-more]').textContent.startsWith('+'));
    await measured();
    assert.equal(await inSight(), seen);
  });

  it('Filters survive a reopened bundle, and end with a replaced one', async () => {
    await visit({ 'a.src': '/filtered.sheaf' });
    await search('kiln');
    await page.getByRole('button', { name: 'reference (1)' }).click();
    await page.waitForFunction(() => window.element.state.status === 'done' && window.element.state.groups.length === 1);
    await page.evaluate(() => window.element.reopen());
    await answered('kiln');
    assert.deepEqual(
      (await paths()).map((path) => path.slice(0, 4)),
      ['salt'],
    );
    assert.equal(await page.getByRole('button', { name: 'reference (1)' }).getAttribute('aria-pressed'), 'true');
    await page.evaluate(() => {
      window.element.src = '/filtered.sheaf?other';
    });
    await page.waitForFunction(() => window.element.state.status === 'done' && window.element.state.groups.length === 3);
    assert.equal(await page.getByRole('button', { name: 'reference (1)' }).getAttribute('aria-pressed'), 'false');
  });

  it('Filters are those that the page names, in its order', async () => {
    await visit({ 'a.src': '/filtered.sheaf', 'a.facets': 'kind, nowhere ,author' });
    await search('kiln');
    const rows = () =>
      page
        .locator('sheaf-search [part=facets] [role=group]')
        .evaluateAll((groups) => groups.map((group) => group.getAttribute('aria-label')));
    const shown = (wanted) =>
      page.waitForFunction(
        (names) =>
          JSON.stringify(
            [...window.element.shadowRoot.querySelectorAll('[part=facets] [role=group]')].map((group) => group.getAttribute('aria-label')),
          ) === names,
        JSON.stringify(wanted),
        { timeout: 60_000 },
      );
    await shown(['Kind', 'Author']);
    await page.evaluate(() => window.element.setAttribute('facets', 'author'));
    await shown(['Author']);
    await page.evaluate(() => window.element.setAttribute('facets', ''));
    await shown([]);
    await page.evaluate(() => window.element.removeAttribute('facets'));
    await shown(['Author', 'Kind']);
    assert.equal((await rows()).length, 2);
  });

  it('Filters sum their counts over several bundles', async () => {
    await visit({
      'a.sites': [
        { src: '/filtered.sheaf', label: 'One' },
        { src: '/filtered.sheaf?again', label: 'Two' },
      ],
    });
    await search('kiln');
    await page.waitForFunction(() => window.element.bars.shown.length === 2 && !window.element.bars.shown[1].hidden);
    assert.deepEqual(await names('Kind'), ['guide (4)', 'reference (2)']);
    await page.getByRole('button', { name: 'reference (2)' }).click();
    await page.waitForFunction(() => window.element.state.status === 'done' && window.element.state.groups.length === 2);
    assert.deepEqual((await groups()).map(({ label }) => label).sort(), ['One', 'Two']);
  });
});

describe('a site in several languages and versions, by sheaf site --inject', () => {
  async function found(path, prefix) {
    const built = writeVersionedSite(join(folder, 'built'));
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', built, '--inject', '--version-dir', 'docs/*', '-q'], {
      encoding: 'utf8',
    });
    assert.equal(status, 0, stderr);
    site = await serveSite({ [prefix]: `${built}/` });
    context = await browser.newContext();
    page = await context.newPage();
    await page.goto(site.origin + prefix + path);
    await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined);
    await page.evaluate(() => {
      window.element = document.querySelector('sheaf-search');
    });
    await page.keyboard.press('Control+k');
    await page.locator('sheaf-search input').fill('furnace.fire');
    await answered('furnace.fire');
    return page.evaluate(() => [...window.element.shadowRoot.querySelectorAll('a[href].hit')].map((link) => new URL(link.href).pathname));
  }

  it("An injected site finds pages of the reader's version and language, at any base", async () => {
    const links = await found('docs/1.9/fire.html', '/kiln/');
    assert.ok(links.includes('/kiln/docs/1.9/fire.html'), links.join());
    assert.ok(
      links.every((link) => !link.includes('/1.10/')),
      links.join(),
    );
    const read = site.requests
      .filter(({ path }) => /site-.*\.sheaf$/.test(path))
      .map(({ path }) => path.replace(/^.*\/(site-.*)-[0-9a-f]{12}\.sheaf$/, '$1'));
    assert.deepEqual([...new Set(read)].sort(), ['site-1.9-en', 'site-en']);
  });

  it('An injected site speaks and searches German on a German page and version', async () => {
    const links = await found('docs/1.10/de/index.html', '/');
    assert.equal(links[0], '/docs/1.10/de/fire.html');
    assert.deepEqual(await page.getByLabel('Sprache').locator('option').allTextContents(), ['Deutsch', 'English', 'Alle Sprachen']);
    await page.getByLabel('Version').selectOption('1.9');
    await page.waitForFunction(() => window.element.state.groups.some(({ hits: [{ url }] }) => url.endsWith('/docs/1.9/fire.html')));
  });
});
