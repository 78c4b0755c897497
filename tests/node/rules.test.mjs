/** sheaf.search.yaml: owners' rules, from `sheaf site` to the answer of a reader and of an agent (docs/rules.md). */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import yaml from 'js-yaml';
import { stringsFor } from '../../dist/browser/ui/words/strings.js';
import { open } from '../../dist/node/client/node.js';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { DOCS, MAIN, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('rules');
const read = (path) => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), 'utf8');
let made = 0;

/** A built site; `rules` lie beside its folder. */
function freshSite(rules) {
  const site = join(root, `docs-${made++}`, 'public');
  mkdirSync(dirname(site), { recursive: true });
  writeBuiltSite(site);
  if (rules !== undefined) writeFileSync(join(dirname(site), 'sheaf.search.yaml'), rules);
  return site;
}
const sheaf = (...args) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env: { ...process.env, NO_COLOR: '1' } });
const bundleOf = (site) =>
  join(
    site,
    'sheaf',
    readdirSync(join(site, 'sheaf')).find((name) => /^site-.*\.sheaf$/.test(name)),
  );

async function search(site, text, options = {}) {
  const library = await open(bundleOf(site));
  try {
    return (await library.search(text, { mode: 'keyword', explain: true, ...options })).hits;
  } finally {
    library.close();
  }
}

const RULES = `
synonyms:
  - [oven, furnace]
pins:
  set up: guide/index.html#secrets
start: [static/reference.html]
`;

const WEIGHED = ['blog/**', 'kinds/**', 'kind:function']
  .concat(['<2', '<=2.x', '>v1.4', '>= release-3', '=2', '2', 'next', 'v2.0-rc1'].map((each) => `version:${each}`))
  .concat(['<2024', '>=2024-06', '2024-06-30', '=2024'].map((each) => `date:${each}`));
const RIGHT = [
  '',
  'exclude: { select: .a }\nbox:\n',
  'exclude:\n  - drafts/**\n  - select: [".a, #b", nav > ul]\n',
  `exclude: "drafts/**"\nweights: { ${WEIGHED.map((key) => `"${key}": 0.5`).join(', ')} }\n`,
  'box: { placeholder: Ask us, pages: 1, sections: 10, recent: 0, words: { empty: Type., noResults: 404 } }\n',
];
const WRONG = ['exclude: { selector: .a }\n', 'exclude: {}\n', 'exclude: [[a]]\n', 'weights: { "kind:function": 11 }\n']
  .concat(
    ['kind:code', 'version:<next', 'version:>=2.0-rc1', 'version:', 'date:<2024-13', 'date:24', 'date:'].map(
      (key) => `weights: { "${key}": 1 }\n`,
    ),
  )
  .concat(['pages: 0', 'pages: 1.5', 'theme: dark', 'words: { sections: a }'].map((each) => `box: { ${each} }\n`));

describe("the owner's rules", () => {
  it("Rules beside the site's folder reach its readers", async () => {
    const site = freshSite(RULES);
    const { status, stderr } = sheaf('site', site);
    assert.equal(status, 0, stderr);
    const [oven] = await search(site, 'oven');
    assert.equal(oven.url, '/static/reference.html');
    assert.deepEqual(
      oven.explanation.terms.map(({ word, term, kind }) => [word, term, kind]),
      [['oven', 'furnace', 'synonym']],
    );
    const [pinned] = await search(site, 'how to set up');
    assert.equal(`${pinned.url}#${pinned.anchor}`, '/guide/#secrets');
    assert.ok(pinned.explanation.terms.some(({ kind }) => kind === 'pinned'));
    const library = await open(bundleOf(site));
    assert.equal(library.info.manifest.top_pages[0].url, '/static/reference.html');
    library.close();
  });

  it('The commands of the guide show which rule found a page', () => {
    const site = freshSite(RULES.replace('oven', 'k8s'));
    const [, commands] = /## See what a rule does\n\n```sh\n(.*?)```/s.exec(read('docs/rules.md'));
    const typed = commands.replace(/^sheaf /gm, `"${process.execPath}" "${MAIN}" `);
    const { status, stdout, stderr } = spawnSync('sh', ['-ec', typed], { encoding: 'utf8', cwd: dirname(site) });
    assert.equal(status, 0, stderr);
    assert.match(stdout, /k8s → furnace {2}synonym/);
  });

  it('Rules are left out with --rules none, and named with --rules FILE', async () => {
    const site = freshSite(RULES);
    assert.equal(sheaf('site', site, '--rules', 'none').status, 0);
    assert.deepEqual(await search(site, 'oven'), []);
    const other = join(root, 'other.yaml');
    writeFileSync(other, 'synonyms: [[oven, ashes]]\n');
    assert.equal(sheaf('site', site, '--rules', other).status, 0);
    assert.equal((await search(site, 'oven'))[0].explanation.terms[0].term, 'ashes');
  });

  it('A mistake in the rules ends the build, names line and key, and leaves the old bundle', async () => {
    const site = freshSite(RULES);
    assert.equal(sheaf('site', site).status, 0);
    const before = readdirSync(join(site, 'sheaf'));
    writeFileSync(join(dirname(site), 'sheaf.search.yaml'), 'synonyms: []\nwheights: {}\n');
    const { status, stderr } = sheaf('site', site);
    assert.equal(status, 1);
    assert.match(stderr, /sheaf\.search\.yaml:2: wheights: is unknown; expected synonyms, pins, weights, exclude, start, crumbs or box/);
    assert.deepEqual(readdirSync(join(site, 'sheaf')), before);
  });

  it('Rules that meet no page are noted, and pages of other versions are none of these', () => {
    const site = freshSite('pins: {a: [v1/index.html, v3/index.html], b: v2/index.html}\n');
    writeBuiltSite(join(site, 'v1'));
    writeBuiltSite(join(site, 'v2'));
    const { status, stderr, stdout } = sheaf('site', site, '--version-dir', 'v*');
    assert.equal(status, 0, stderr);
    const said = `${stdout}${stderr}`;
    assert.match(said, /line 1: pins: no page 'v3\/index\.html' is packed/);
    assert.doesNotMatch(said, /v[12]\/index\.html' is packed/);
  });

  it('Rules in a folder of documents hold for agents and the command line', () => {
    const docs = join(root, 'docs');
    spawnSync('cp', ['-r', DOCS, docs]);
    writeFileSync(join(docs, 'sheaf.search.yaml'), 'synonyms: [{from: sesame, to: password}]\n');
    const env = { ...process.env, NO_COLOR: '1', XDG_DATA_HOME: join(root, 'data'), XDG_CONFIG_HOME: join(root, 'config') };
    const run = (...args) => spawnSync(process.execPath, [MAIN, ...args], { encoding: 'utf8', env, cwd: root });
    const added = run('add', 'kiln', '-s', docs, '-v', '1', '--yes');
    assert.equal(added.status, 0, added.stderr);
    const { stdout } = run('query', 'sesame', '--library', 'kiln', '--mode', 'keyword', '--json', '--explain');
    assert.match(stdout, /"kind": ?"synonym"/);
  });

  it('Parts that selectors name are in no answer, and the pages stay as they are', async () => {
    const site = freshSite('exclude:\n  - { select: "#secrets, #secrets + p" }\n');
    assert.match(sheaf('site', site).stderr, /yaml:2: exclude\.select: '#secrets, #secrets \+ p' cannot be read at '\+ p'/);
    const page = join(site, 'index.html');
    const before = readFileSync(page, 'utf8').replace('</main>', '<div class="changelog">Wombats.</div><p id="old">Ocelots.</p></main>');
    writeFileSync(page, before);
    writeFileSync(join(dirname(site), 'sheaf.search.yaml'), 'exclude:\n  - { select: ".changelog" }\n');
    assert.equal(sheaf('site', site).status, 0);
    assert.deepEqual(await search(site, 'wombats'), []);
    assert.equal((await search(site, 'ocelots')).length, 1);
    assert.equal(readFileSync(page, 'utf8'), before);
  });

  it('Dates of <meta> and of the sort value weigh pages of a site, and versions each bundle', async () => {
    const site = freshSite('weights: { "date:<2020": 0.3, "version:<2": 0.3 }\n');
    const page = (title, head, text) =>
      `<!doctype html><html lang="en"><head><title>${title}</title>${head}</head><main><h1>${title}</h1>${text}</main></html>`;
    const sort = '<p>Stamped <time data-sheaf-sort="date[datetime]" datetime="2019-02-01T10:00">then</time>.</p>';
    for (const version of ['v1', 'v2']) {
      mkdirSync(join(site, version));
      writeFileSync(join(site, version, 'index.html'), page('Start', '', '<p>Wombats dig.</p>'));
      writeFileSync(
        join(site, version, 'a.html'),
        page('A', '<meta property="article:modified_time" content="2019-02-01">', '<p>Alpacas hum.</p>'),
      );
      writeFileSync(join(site, version, 'b.html'), page('B', '', `<p>Alpacas hum.</p>${sort}`));
      writeFileSync(join(site, version, 'c.html'), page('C', '', '<p>Alpacas hum.</p>'));
    }
    const { status, stderr } = sheaf('site', site, '--keywords', '--version-dir', 'v*');
    assert.equal(status, 0, stderr);
    const raw = {};
    for (const name of readdirSync(join(site, 'sheaf')).filter((each) => /^site-v\d.*\.sheaf$/.test(each))) {
      const library = await open(join(site, 'sheaf', name));
      const { hits } = await library.search('alpacas hum', { mode: 'keyword', explain: true });
      library.close();
      assert.match(hits[0].url, /\/c\.html$/);
      assert.equal(hits.length, 3);
      for (const { url, explanation } of hits) raw[url] = explanation.keywordRaw;
    }
    assert.ok(raw['/v1/c.html'] < raw['/v2/c.html'] / 2 && raw['/v2/a.html'] < raw['/v2/c.html'] / 2, JSON.stringify(raw));
  });

  it('Texts and limits of the box are in sheaf.js, where there are any, and of the last build', () => {
    const site = freshSite('box: { placeholder: Fragen Sie, pages: 3, words: { empty: "Hier ↓" } }\n');
    const script = () => readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8');
    const { status, stdout } = sheaf('site', site, '--keywords', '--json');
    assert.equal(status, 0);
    assert.deepEqual(JSON.parse(stdout).box, { placeholder: 'Fragen Sie', pages: 3, words: { empty: 'Hier ↓' } });
    assert.match(
      script(),
      /const box = \{"attributes":\{"placeholder":"Fragen Sie"\},"options":\{"pages":3\},"strings":\{"empty":"Hier \\u2193"\}\};/,
    );
    writeFileSync(join(dirname(site), 'sheaf.search.yaml'), '');
    assert.equal(sheaf('site', site, '--keywords').status, 0);
    assert.doesNotMatch(script(), /box|furnish/);
  });

  it('The schema for editors and the packer take and refuse the same files', () => {
    const valid = new Ajv2020({ allowUnionTypes: true }).compile(JSON.parse(read('docs/search-rules.schema.json')));
    const site = freshSite();
    const rules = join(root, 'each.yaml');
    for (const text of [...RIGHT, ...WRONG]) {
      const right = RIGHT.includes(text);
      writeFileSync(rules, text);
      const { status, stderr } = sheaf('site', site, '--keywords', '--rules', rules);
      assert.equal(status, right ? 0 : 1, `${text}${stderr}`);
      assert.equal(valid(yaml.load(text) ?? null), right, `${text}${JSON.stringify(valid.errors)}`);
    }
  });

  it("The schema for editors has the keys and bounds of the packer, and the guide's example fits", () => {
    const schema = JSON.parse(read('docs/search-rules.schema.json'));
    const source = read('packer/rules/search_rules.cc');
    const keys = [...source.matchAll(/key == "(\w+)"/g)].map(([, key]) => key);
    assert.deepEqual(Object.keys(schema.properties), keys);
    const bound = (name) => Number(new RegExp(`${name} = (\\d+)`).exec(read('packer/rules/search_rules.h') + source)[1]);
    assert.equal(schema.properties.pins.maxProperties, bound('kMaxPinTexts'));
    assert.equal(schema.properties.weights.maxProperties, bound('kMaxWeightRules'));
    assert.equal(schema.$defs.text.maxLength, bound('kMaxTextBytes'));
    const { placeholder: _, words, ...numbers } = schema.properties.box.properties;
    const box = read('packer/rules/box_rules.h');
    const checked = [...box.matchAll(/\{"(\w+)", (\d+), (\d+)\}/g)].map(([, name, least, most]) => [name, Number(least), Number(most)]);
    assert.deepEqual(
      Object.entries(numbers).map(([name, { minimum, maximum }]) => [name, minimum, maximum]),
      checked,
    );
    assert.deepEqual(
      Object.keys(words.properties),
      [.../kBoxWords\[\] = \{(.*?)\}/s.exec(box)[1].matchAll(/"(\w+)"/g)].map(([, name]) => name),
    );
    const { placeholder: __, ...texts } = stringsFor('en').strings;
    assert.deepEqual(
      Object.keys(words.properties).sort(),
      Object.keys(texts)
        .filter((name) => typeof texts[name] === 'string')
        .sort(),
      'every text of the component but counted ones',
    );
    const [, example] = /```yaml\n(.*?)```/s.exec(read('docs/rules.md'));
    assert.deepEqual(Object.keys(yaml.load(example)), keys);
    const packed = join(root, 'example.yaml');
    writeFileSync(packed, example);
    const { status, stderr } = sheaf('site', freshSite(), '--rules', packed);
    assert.equal(status, 0, stderr);
  });
});
