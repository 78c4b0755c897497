/**
 * What every database must do that Sheaf's tools work over. `start()` gives a `testStore` for an empty database:
 *
 *   load(path, {only, read})   loads a bundle; `only` are the versions that stay (true: its own), `read` are ReadOptions
 *   loadRows(rows, {only})     loads something with the face of BundleRows
 *   alone()                    {load, backend, close?} of another database, which is empty
 *   backend()                  a Backend that sees what was loaded
 *   close()                    optional
 */
import assert from 'node:assert/strict';
import { linkSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { BundleRows } from '../../dist/node/databases/bundle_rows.js';
import { DatabaseLibrary } from '../../dist/node/databases/database_library.js';
import { queryVectors } from '../../dist/node/databases/query_vectors.js';
import { rowId } from '../../dist/node/databases/row.js';
import { BackendPool } from '../../dist/node/mcp/backend_pool.js';
import { createOpenground } from '../../dist/node/mcp/contracts/openground/index.js';
import { createPool } from '../../dist/node/mcp/pool.js';
import { packFixture, plainTable, temporaryFolder } from '../node/packed.mjs';

const QUERIES = ['how do I install kiln', 'firing schedule', 'furnace', 'secure the dashboard with a password', 'kiln --version'];

export const HOSTILE = `# '); DROP TABLE sheaf_passages; --

Backslash \\ and \\\\, tab\tend, "quotes", 'quotes', $sheaf$ $1 \${x}, {braces}, NULL, \\N.

\\.

COPY x FROM stdin;

## "Heading, with {comma}" \\ 'and' NULL

Zugabe für alle: 日本語 \u{1f600} zweite Zeile.

## NULL

hostileword.
`;

export async function makeBundles(root) {
  const docs = mkdtempSync(join(root, 'docs-'));
  writeFileSync(join(docs, 'hostile.md'), HOSTILE);
  const changed = mkdtempSync(join(root, 'changed-'));
  writeFileSync(join(changed, 'hostile.md'), HOSTILE.replace('hostileword', 'replacementword'));
  const longer = mkdtempSync(join(root, 'longer-'));
  writeFileSync(join(longer, 'hostile.md'), HOSTILE.replace('hostileword', 'replacementword'));
  writeFileSync(join(longer, 'longer.md'), '# Longer\n\nA page with onlyoflonger.\n');
  const bundle = (name, options) => packFixture(join(root, `${name}.sheaf`), options);
  return {
    kiln: await bundle('kiln'),
    newer: await bundle('newer', { version: '2.0.0' }),
    hostile: await bundle('hostile', { docs, library: '@it-s/a_hostile.name', version: '1' }),
    longer: await bundle('longer', { docs: longer, library: '@it-s/a_hostile.name', version: '1' }),
    changed: await bundle('changed', { docs: changed, library: '@it-s/a_hostile.name', version: '1' }),
  };
}

/** Pages with names of each kind, and what finds each of them: the whole name, and words within it. */
const NAMES = {
  tag: ['Keep it by `<KeepAlive>` around.', ['<KeepAlive>', 'KeepAlive', 'keepalive']],
  dotted: ['Call `os.pathlike.joined()` for it.', ['os.pathlike.joined', 'pathlike', 'joined', 'pathlike.joined()']],
  file: ['It stands in /etc/nginx/nginx.conf as ever.', ['/etc/nginx/nginx.conf', 'nginx.conf', 'nginx', 'etc']],
  option: [
    'Set `config.max_retries`, or `--retry-limit=3`.',
    ['config.max_retries', 'max_retries', 'retry-limit', '--retry-limit', 'retry limit'],
  ],
  address: [
    'Write to glaze@mail.example, or see https://forum.example/topics?tag=raku.',
    ['glaze@mail.example', 'glaze', 'forum.example', 'topics', 'raku'],
  ],
  encoding: ['Text is UTF-16 or latin-9 here; since v7.31.4.', ['UTF-16', 'utf 16', '7.31.4', 'v7.31']],
};

/** Pages in German, Japanese and Khmer, with words in one form. */
export async function makeOtherLanguages(root) {
  const pages = {
    de: {
      'masken.md': '# Masken\n\nMit Ebenenmasken werden Teile einer Ebene verborgen. Die Größen bleiben.\n',
      'farben.md': '# Farben\n\nFarben werden im Farbwähler gemischt.\n',
      'pinsel.md': '# Pinsel\n\nEin Pinsel malt mit der gewählten Farbe.\n',
    },
    ja: {
      'masks.md': '# マスク\n\nimage editor で新しいレイヤーマスクを追加します。画像の一部が隠れます。\n',
      'colors.md': '# 色\n\n色選択で描画色を混ぜます。\n',
      'brush.md': '# ブラシ\n\nブラシは選択した色で描きます。\n',
    },
    km: {
      'image.md': '# រូបភាព\n\nបើករូបភាពថ្មី\n',
      'color.md': '# ពណ៌\n\nជ្រើសពណ៌\n',
    },
  };
  const made = {};
  for (const [language, files] of Object.entries(pages)) {
    const docs = mkdtempSync(join(root, `${language}-`));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(docs, name), text);
    const options = ['--language', language];
    made[language] = await packFixture(join(root, `malen-${language}.sheaf`), {
      docs,
      library: `malen-${language}`,
      version: '1',
      options,
    });
  }
  return made;
}

export function backendSuite(name, start) {
  describe(`Sheaf's tools over ${name}`, () => {
    const root = temporaryFolder('backends');
    const vectors = queryVectors('static');
    let bundles;
    let database;
    let backend;
    let local;

    const held = async (library, version) =>
      (await backend.list()).find((each) => each.library === library && (version === undefined || each.version === version));
    const library = async (which, version) => new DatabaseLibrary(backend, await held(which, version), vectors);

    before(async () => {
      bundles = await makeBundles(root);
      database = await start(root);
      local = await open(bundles.kiln, { encoder: await plainTable(root) });
      for (const each of ['kiln', 'newer', 'hostile']) await database.load(bundles[each]);
      backend = await database.backend();
    });
    after(async () => {
      await local?.close();
      await vectors.close();
      await backend?.close();
      await database?.close?.();
    });

    it(`${name}: the list has every exported library`, async () => {
      const listed = (await backend.list()).map(({ library: own, version, passages }) => [own, version, passages]);
      assert.deepEqual(listed.slice(1), [
        ['kiln', '1.4.0', local.info.passages],
        ['kiln', '2.0.0', local.info.passages],
      ]);
      assert.equal(listed[0][0], '@it-s/a_hostile.name');
    });

    it(`${name}: every page reads as in the bundle`, async () => {
      const over = await library('kiln', '1.4.0');
      assert.equal(over.info.pages, local.info.pages);
      for (let id = 0; id < local.info.pages; id++) {
        const page = await local.page(id);
        assert.deepEqual(await over.page(id), page);
        assert.equal(await over.findPage(page.url), id);
        assert.equal(await over.findPage(`${page.url}#somewhere`), id);
        assert.equal(await over.findPage(page.source), id);
      }
      for (let id = 0; id < local.info.passages; id++) assert.deepEqual(await over.passage(id), await local.passage(id));
      await assert.rejects(over.page(99), { code: 'NOT_FOUND' });
      await assert.rejects(over.page('nowhere.md'), { code: 'NOT_FOUND' });
      await assert.rejects(over.passage(-1), { code: 'NOT_FOUND' });
    });

    it(`${name}: each mode finds the bundle's hits`, async () => {
      const over = await library('kiln', '1.4.0');
      for (const query of QUERIES) {
        const own = await local.search(query, { prefix: false });
        const { hits, usedKeyword, usedSemantic, weak } = await over.search(query, { explain: true });
        assert.deepEqual(
          hits.map(({ page, passage, snippet, highlights }) => [page, passage, snippet, highlights]),
          own.hits.map(({ page, passage, snippet, highlights }) => [page, passage, snippet, highlights]),
          query,
        );
        assert.ok(usedKeyword && usedSemantic && !weak);
        assert.ok(hits.every((hit, i) => hit.score >= 0 && hit.score <= 1 && (i === 0 || hit.score <= hits[i - 1].score)));
        assert.ok(hits[0].explanation.cosine > 0 && hits[0].snippet !== '');
        for (const { start: at, length } of hits[0].highlights) assert.ok(at + length <= hits[0].snippet.length);
      }
      const meant = await over.search('how hot may it get', { mode: 'semantic', topK: 3 });
      const ownMeant = await local.search('how hot may it get', { mode: 'semantic', topK: 3 });
      assert.deepEqual(
        meant.hits.map(({ page }) => page),
        ownMeant.hits.map(({ page }) => page),
      );
      const words = await over.search('furnace', { mode: 'keyword', by: 'passage', topK: 2 });
      assert.equal(words.hits.length, 2);
      assert.ok(!words.usedSemantic);
    });

    it(`${name}: the vectors give the cosines of the bundle`, async () => {
      const over = await library('kiln', '1.4.0');
      const options = { mode: 'semantic', by: 'passage', explain: true, topK: 5 };
      const [own, theirs] = [await local.search('furnace', options), await over.search('furnace', options)];
      for (const [i, hit] of own.hits.entries()) assert.ok(Math.abs(hit.explanation.cosine - theirs.hits[i].explanation.cosine) < 0.02);
    });

    it(`${name}: a query without an answer says so`, async () => {
      const over = await library('kiln', '1.4.0');
      assert.equal((await over.search('qwertzuiop')).weak, true);
      assert.deepEqual((await over.search('')).hits, []);
      assert.deepEqual((await over.search('furnace', { topK: 0 })).hits, []);
      for (const option of [{ filters: { kind: 'guide' } }, { sort: { key: 'date' } }, { facets: true }])
        await assert.rejects(over.search('furnace', option), { code: 'INVALID_ARGUMENT', message: /filtered, sorted or counted/ });
      await assert.rejects(over.search('furnace kind:function'), { code: 'INVALID_ARGUMENT', message: /do not say what is a function/ });
    });

    it(`${name}: a mistyped word is corrected, unless corrections are off`, async () => {
      const over = await library('kiln', '1.4.0');
      const { hits, corrections } = await over.search('furnnace', { mode: 'keyword' });
      assert.deepEqual(corrections, [{ word: 'furnnace', term: 'furnace' }]);
      assert.match(hits[0].url, /furnace/);
      assert.deepEqual((await over.search('furnnace', { mode: 'keyword', typo: false })).hits, []);
      assert.deepEqual((await over.search('qwertzuiop', { mode: 'keyword' })).corrections, []);
      // Beside meaning as a bundle does: a word that the encoder knows stays, though the pages have one that is spelled alike.
      const [own, theirs] = [await local.search('kiln furnnace'), await over.search('kiln furnnace')];
      assert.deepEqual(theirs.corrections, [{ word: 'furnnace', term: 'furnace' }]);
      assert.deepEqual(theirs.corrections, own.corrections);
      for (const word of ['cooking', 'warning']) {
        assert.deepEqual((await over.search(word)).corrections, []);
        assert.deepEqual(
          (await over.search(word, { mode: 'keyword' })).corrections,
          (await local.search(word, { mode: 'keyword' })).corrections,
        );
      }
    });

    it(`${name}: a query answers from one library and version alone`, async () => {
      for (const [which, version] of [
        ['kiln', '1.4.0'],
        ['kiln', '2.0.0'],
        ['@it-s/a_hostile.name', '1'],
      ]) {
        const found = await backend.candidates(await held(which, version), {
          words: ['furnac', 'hostileword', 'instal'].map((stem) => ({ stem, weight: 1 })),
          depth: 50,
          vector: await vectors.embed('minilm-l6-256', 'furnace'),
        });
        assert.ok(found.length > 0);
        for (const { row } of found) assert.deepEqual([row.library, row.version], [which, version]);
      }
    });

    it(`${name}: names, headings, texts and queries are data, never code`, async () => {
      const over = await library('@it-s/a_hostile.name', '1');
      const own = await open(bundles.hostile);
      assert.deepEqual(await over.page(0), await own.page(0));
      await own.close();
      for (const query of [
        "'); DROP TABLE sheaf_passages; --",
        'a & b | !c <-> d:*',
        'it\'s \\ "quoted" (',
        '\0 \ud800 x',
        '%_',
        'NULL',
        '日本語',
        "' OR 1=1",
      ]) {
        await over.search(query);
        await over.search(query, { mode: 'keyword', by: 'passage' });
        await assert.rejects(over.findPage(query), { code: 'NOT_FOUND' });
      }
      assert.equal((await over.search('hostileword', { mode: 'keyword' })).hits.length, 1);
      assert.equal((await backend.list()).length, 3);
    });

    it(`${name}: exporting the same bundle changes no row`, async () => {
      const before = await backend.page(await held('kiln', '1.4.0'), 0);
      assert.equal((await database.load(bundles.kiln)).outcome, 'unchanged');
      assert.deepEqual(
        (await backend.page(await held('kiln', '1.4.0'), 0)).map(({ id }) => id),
        before.map(({ id }) => id),
      );
    });

    it(`${name}: a broken export keeps the old rows, and the next resumes it`, async () => {
      const rows = await BundleRows.open(bundles.changed);
      const broken = {
        facts: rows.facts,
        mean: () => rows.mean(),
        groups: () => rows.groups(),
        async *batches() {
          for await (const batch of rows.batches()) yield batch;
          throw new Error('the disk is gone');
        },
      };
      await assert.rejects(database.loadRows(broken), /the disk is gone/);
      await rows.close();
      let over = await library('@it-s/a_hostile.name', '1');
      assert.equal((await over.search('hostileword', { mode: 'keyword' })).hits.length, 1);
      assert.equal((await over.search('replacementword', { mode: 'keyword' })).hits.length, 0);

      assert.equal((await database.load(bundles.changed)).outcome, 'written');
      over = await library('@it-s/a_hostile.name', '1');
      assert.equal((await over.search('hostileword', { mode: 'keyword' })).hits.length, 0);
      assert.equal((await over.search('replacementword', { mode: 'keyword' })).hits.length, 1);
      assert.equal((await backend.list()).length, 3);
    });

    it(`${name}: vectors of another space are refused`, async () => {
      await assert.rejects(
        database.load(bundles.newer.replace('newer', 'hostile'), { read: { vectors: false, licence: 'x' } }),
        /has no vectors, and/,
      );
    });

    it(`${name}: a version with vectors replaces one without, and vice versa`, async () => {
      const alone = await database.alone();
      const { load, backend: other } = alone;
      const found = async (mode) => {
        const [only, ...others] = await other.list();
        assert.deepEqual([only.library, others], ['kiln', []]);
        return (await new DatabaseLibrary(other, only, vectors).search('furnace', { mode })).hits.length;
      };
      await load(bundles.kiln, { read: { vectors: false } });
      assert.ok((await found('hybrid')) > 0);
      await assert.rejects(found('semantic'), { code: 'NO_VECTORS' });
      assert.equal((await load(bundles.kiln)).outcome, 'written');
      assert.ok((await found('semantic')) > 0);
      assert.equal((await load(bundles.kiln, { read: { vectors: false } })).outcome, 'written');
      assert.ok((await found('hybrid')) > 0);
      await assert.rejects(found('semantic'), { code: 'NO_VECTORS' });
      assert.equal((await load(bundles.kiln)).outcome, 'written');
      assert.ok((await found('semantic')) > 0);
      await alone.close?.();
    });

    it(`${name}: an agent sees a fresh export despite a cached library list`, async () => {
      const close = async () => {};
      const files = createPool(() => {}, { store: join(root, 'none') });
      const pool = new BackendPool({ ...bound(backend), close }, { ...vectors, close }, files, () => {});
      const bundle = (await pool.list()).find((each) => each.library === '@it-s/a_hostile.name');
      const ask = (work) => pool.use(bundle, work);
      await database.load(bundles.longer);
      assert.equal((await ask((over) => over.page(0))).text.includes('replacementword'), true);
      assert.match((await ask((over) => over.page(1))).text, /onlyoflonger/);
      assert.equal(await ask(async (over) => (await over.search('onlyoflonger', { mode: 'keyword' })).hits.length), 1);
      assert.equal(await ask((over) => over.info.pages), 2);

      await database.load(bundles.changed);
      assert.equal(await ask(async (over) => (await over.search('onlyoflonger', { mode: 'keyword' })).hits.length), 0);
      await database.load(bundles.longer);
      assert.match((await ask((over) => over.page(1))).text, /onlyoflonger/);
      await database.load(bundles.changed);
      await assert.rejects(
        ask((over) => over.page(1)),
        { code: 'NOT_FOUND', message: /no page 1: there are pages 0\.\.0/ },
      );
      await pool.close();
    });

    it(`${name}: agents get the same replies as from bundles`, async () => {
      const store = join(root, 'store');
      mkdirSync(store);
      linkSync(bundles.kiln, join(store, 'kiln@1.4.0.sheaf'));
      const log = () => {};
      const files = createPool(log, { store });
      const pool = new BackendPool(
        { ...bound(backend), close: async () => {} },
        queryVectors('static'),
        createPool(log, { store: join(root, 'none') }),
        log,
      );
      const ask = (own, tool, args) => {
        const environment = { pool: own, log, config: () => undefined, env: {}, cwd: root };
        const { call } = createOpenground(environment).tools.find(({ name: each }) => each === tool);
        return call({ args, signal: new AbortController().signal, progress: () => {} });
      };
      const listed = (await ask(pool, 'list_libraries_tool', {})).structured;
      assert.deepEqual(listed.kiln, ['1.4.0', '2.0.0']);
      const detailed = (await ask(pool, 'list_libraries_tool', { details: true })).structured.kiln.find(
        ({ version }) => version === '1.4.0',
      );
      assert.deepEqual([detailed.version, detailed.pages, detailed.date], ['1.4.0', local.info.pages, undefined]);
      for (const query of QUERIES) {
        const args = { query, library_name: 'kiln', version: '1.4.0' };
        const [own, theirs] = [await ask(files, 'search_documents_tool', args), await ask(pool, 'search_documents_tool', args)];
        const shape = ({ text }) => text.split('\n').filter((line) => /^Found|^ {3}To get/.test(line)).length;
        assert.ok(
          theirs.structured.hits.some(({ url }) => url === own.structured.hits[0].url),
          query,
        );
        assert.deepEqual(Object.keys(theirs.structured).sort(), Object.keys(own.structured).sort());
        assert.deepEqual(Object.keys(theirs.structured.hits[0]), Object.keys(own.structured.hits[0]));
        assert.equal(shape(theirs) > 1, true);
        assert.equal(theirs.text.includes('No good match'), own.text.includes('No good match'));
      }
      const [{ url }] = (await local.search('furnace')).hits;
      const content = { url, version: '1.4.0', library_name: 'kiln' };
      assert.deepEqual(await ask(pool, 'get_full_content_tool', content), await ask(files, 'get_full_content_tool', content));
      await files.close();
      await pool.close();
    });

    it(`${name}: a library keeps its rating and its language`, async () => {
      for (const safesearch of ['none', 'moderate']) {
        const rows = await BundleRows.open(bundles.hostile);
        const facts = { ...rows.facts, version: `rated-${safesearch}`, safesearch, language: 'de-AT', fingerprint: `rated-${safesearch}` };
        const rated = {
          facts,
          mean: () => rows.mean(),
          groups: () => rows.groups(),
          async *batches() {
            for await (const batch of rows.batches())
              yield batch.map((row) => ({
                ...row,
                id: rowId({ ...row, safesearch }),
                version: facts.version,
                safesearch,
                language: 'de-AT',
              }));
          },
        };
        await database.loadRows(rated);
        await rows.close();
        const over = await library('@it-s/a_hostile.name', facts.version);
        assert.deepEqual([over.info.manifest.safesearch, over.info.manifest.language, over.info.language], [safesearch, 'de-AT', 'de']);
        const [row] = await backend.page(await held('@it-s/a_hostile.name', facts.version), 0);
        assert.deepEqual([row.safesearch, row.language], [safesearch, 'de-AT']);
      }
      const unrated = await library('@it-s/a_hostile.name', '1');
      assert.deepEqual([unrated.info.manifest.safesearch, unrated.info.language], [undefined, 'en']);
      await database.load(bundles.changed, { only: true });
    });

    it(`${name}: an export drops a library's other versions on request`, async () => {
      await database.load(bundles.newer, { only: true });
      assert.equal(await held('kiln', '1.4.0'), undefined);
      assert.equal((await (await library('kiln', '2.0.0')).search('furnace')).hits.length > 0, true);
      assert.equal((await backend.list()).length, 2);
    });

    it(`${name}: an export keeps all versions that it names together`, async () => {
      const only = ['1.4.0', '2.0.0'];
      assert.equal((await database.load(bundles.kiln, { only })).outcome, 'written');
      assert.equal((await database.load(bundles.newer, { only })).outcome, 'unchanged');
      for (const version of only)
        assert.equal((await (await library('kiln', version)).search('furnace', { mode: 'keyword' })).hits.length > 0, true, version);
      assert.equal((await backend.list()).length, 3);
      await database.load(bundles.newer, { only: ['2.0.0'] });
      assert.deepEqual([await held('kiln', '1.4.0'), (await backend.list()).length], [undefined, 2]);
    });

    it(`${name}: names, tags, paths and addresses are found, and the words within them`, async () => {
      const docs = mkdtempSync(join(root, 'names-'));
      for (const [name, [text]] of Object.entries(NAMES)) writeFileSync(join(docs, `${name}.md`), `# The ${name} page\n\n${text}\n`);
      await database.load(await packFixture(join(root, 'names.sheaf'), { docs, library: 'names', version: '1' }));
      const over = await library('names');
      for (const [name, [, queries]] of Object.entries(NAMES))
        for (const query of queries) {
          const { hits } = await over.search(query, { mode: 'keyword', typo: false });
          assert.equal(hits[0]?.source, `${name}.md`, query);
        }
    });

    it(`${name}: a question of function words alone is answered`, async () => {
      const over = await library('kiln', '2.0.0');
      for (const query of ['the', 'how to', 'what is it'])
        assert.ok((await over.search(query, { mode: 'keyword' })).hits.length > 0, query);
    });

    it(`${name}: each language's word forms and unspaced words are found and marked`, async () => {
      const others = await makeOtherLanguages(root);
      for (const path of Object.values(others)) await database.load(path);
      const first = async (which, query) => {
        const answer = await (await library(which)).search(query, { mode: 'keyword' });
        const [{ source, snippet, highlights } = {}] = answer.hits;
        return { ...answer, source, marked: [...new Set(highlights?.map(({ start: at, length }) => snippet.slice(at, at + length)))] };
      };
      for (const [which, query, source, marked, count] of [
        ['malen-de', 'Ebenenmaske', 'masken.md', ['Ebenenmasken'], 1],
        ['malen-de', 'wie kann ich die Größe der Ebenenmaske', 'masken.md', ['Ebenenmasken', 'Größen'], 1],
        ['malen-de', 'gemischte Farben', 'farben.md', ['Farben', 'gemischt'], undefined],
        ['malen-ja', 'レイヤー', 'masks.md', ['レイヤー'], 1],
        ['malen-ja', '追加', 'masks.md', ['追加'], 1],
        ['malen-ja', 'ﾚｲﾔｰ', 'masks.md', ['レイヤー'], 1],
        ['malen-km', 'ភាព', 'image.md', ['ភាព'], 1],
      ]) {
        const found = await first(which, query);
        assert.deepEqual([found.source, found.marked, found.corrections], [source, marked, []], query);
        if (count !== undefined) assert.equal(found.hits.length, count, query);
      }
      const { corrections } = await first('malen-de', 'Ebenenmasekn');
      assert.deepEqual(corrections, [{ word: 'ebenenmasekn', term: 'ebenenmasken' }]);
      assert.deepEqual((await first('malen-ja', '新層')).hits, []);
      const english = await (await library('@it-s/a_hostile.name', '1')).search('日本語', { mode: 'keyword' });
      assert.equal(english.hits.length, 1);
    });
  });
}

/** A backend's methods as plain properties, so that one can be replaced. */
function bound(backend) {
  const names = ['list', 'candidates', 'groups', 'spellings', 'page', 'passage', 'findPage'];
  return { name: backend.name, ...Object.fromEntries(names.map((name) => [name, backend[name].bind(backend)])) };
}
