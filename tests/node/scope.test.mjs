/** What a box with several bundles searches: pure rules of web/browser/ui/scope. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { rowsOf } from '../../dist/browser/ui/scope/facets.js';
import { defaultChoice, expand, inScope, labelOf, languageName, readSources } from '../../dist/browser/ui/scope/sources.js';
import { scopeStrings } from '../../dist/browser/ui/scope/strings.js';
import { loadStrings, stringsFor } from '../../dist/browser/ui/words/strings.js';

const BASE = 'https://kiln.example/docs/';
const VERSIONS = [
  { src: 'a', version: '2', language: 'en', path: `${BASE}2/` },
  { src: 'b', version: '2', language: 'de', path: `${BASE}2/` },
  { src: 'c', version: '1', language: 'en', path: `${BASE}1/` },
  { src: 'd', language: 'en' },
];
const chosen = (sources, choice) =>
  inScope(sources, { version: '', language: '', sites: [], ...choice })
    .map((i) => sources[i].src)
    .join('');

describe('the first choice', () => {
  it('The first choice is the version and language of the page', () => {
    assert.deepEqual(defaultChoice(VERSIONS, { url: `${BASE}1/guide/`, language: 'de' }), { version: '1', language: 'de', sites: [] });
    assert.deepEqual(defaultChoice(VERSIONS, { url: `${BASE}blog/`, language: 'en-GB' }), { version: '2', language: 'en', sites: [] });
    assert.deepEqual(defaultChoice(VERSIONS, { url: BASE, language: 'fr' }), { version: '2', language: 'en', sites: [] });
    assert.deepEqual(defaultChoice([{ src: 'a' }, { src: 'b' }], { url: BASE, language: 'fr' }), { version: '', language: '', sites: [] });
  });

  it('The first choice takes the deepest folder that holds the page', () => {
    const nested = [
      { src: 'a', version: 'all', path: BASE },
      { src: 'b', version: 'next', path: `${BASE}next/` },
    ];
    assert.equal(defaultChoice(nested, { url: `${BASE}next/x`, language: 'en' }).version, 'next');
    assert.equal(defaultChoice(nested, { url: `${BASE}x`, language: 'en' }).version, 'all');
  });
});

describe('the scope', () => {
  it('The scope never mixes versions, and always has versionless pages', () => {
    assert.equal(chosen(VERSIONS, { version: '2', language: 'en' }), 'ad');
    assert.equal(chosen(VERSIONS, { version: '2' }), 'abd');
    assert.equal(chosen(VERSIONS, { version: '1' }), 'cd');
    assert.equal(chosen(VERSIONS, {}), 'abd', 'no choice is the first version');
  });

  it("The scope falls back to the site's versions and languages", () => {
    assert.equal(chosen(VERSIONS, { version: '1', language: 'de' }), 'cd');
    const sites = [
      ...VERSIONS.slice(0, 2),
      { src: 'x', label: 'Glaze', version: '9', language: 'fr' },
      { src: 'y', label: 'Glaze', version: '8', language: 'fr' },
    ];
    assert.equal(chosen(sites, { version: '2', language: 'de' }), 'bx');
    assert.equal(chosen(sites, { version: '2', sites: ['Glaze'] }), 'x');
    assert.equal(chosen(sites, { sites: ['Nobody'] }), 'abxy', 'never nothing');
  });

  it('The scope finds related languages', () => {
    const tongues = [
      { src: 'a', language: 'pt-BR' },
      { src: 'b', language: 'de' },
      { src: 'c', language: 'zh-CN' },
      { src: 'd', language: 'zh-TW' },
    ];
    assert.equal(chosen(tongues, { language: 'pt' }), 'a');
    assert.equal(chosen(tongues, { language: 'de-AT' }), 'b');
    assert.equal(chosen(tongues, { language: 'zh-tw' }), 'd');
  });

  it('The scope labels hits by their differences', () => {
    assert.equal(labelOf(VERSIONS[0], [VERSIONS[0]]), '');
    assert.equal(labelOf(VERSIONS[1], VERSIONS.slice(0, 2)), 'Deutsch');
    assert.equal(
      labelOf({ src: 'x', label: 'Glaze', version: '9' }, [
        { src: 'x', label: 'Glaze', version: '9' },
        { src: 'y', label: 'Kiln', version: '1' },
      ]),
      'Glaze · 9',
    );
    assert.equal(languageName('not a tag'), 'not a tag');
  });
});

describe('sources', () => {
  it('Sources become absolute, and strange values are passed over', () => {
    assert.deepEqual(
      readSources([{ src: 'a.sheaf', label: 7, version: '', path: '../1/', extra: 'x' }], BASE, 'sites', {
        encoder: 'https://kiln.example/t.sheaf',
      }),
      [{ src: `${BASE}a.sheaf`, encoder: 'https://kiln.example/t.sheaf', path: 'https://kiln.example/1/' }],
    );
    for (const [bad, message] of [
      [{}, /sites must be a list/],
      [[{ label: 'a' }], /sites: the 1\. entry has no src/],
      [[null], /no src/],
      [[{ src: 'https://[' }], /sites, 1\. entry, src: .* is not an address/],
    ]) {
      assert.throws(() => readSources(bad, BASE, 'sites'), message);
    }
  });

  it("Another site's sources come from its list, with a shared table where equal", async () => {
    const server = createServer((request, response) => {
      if (request.url === '/docs/sheaf/site.json')
        response.end(
          JSON.stringify({ base: '..', sites: [{ src: 'x.sheaf', encoder: 'space-0123456789ab.sheaf', version: '1', path: '../1/' }] }),
        );
      else if (request.url === '/html.json') response.end('<!doctype html>');
      else response.writeHead(404).end();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const origin = `http://127.0.0.1:${server.address().port}`;
      const known = [{ src: 'a', encoder: 'https://kiln.example/sheaf/space-0123456789ab.sheaf' }];
      assert.deepEqual(await expand({ src: `${origin}/docs/sheaf/site.json`, label: 'Glaze' }, known), [
        {
          src: `${origin}/docs/sheaf/x.sheaf`,
          encoder: known[0].encoder,
          base: `${origin}/docs/`,
          label: 'Glaze',
          version: '1',
          path: `${origin}/docs/1/`,
        },
      ]);
      assert.equal(
        (await expand({ src: `${origin}/docs/sheaf/site.json` }, []))[0].encoder,
        `${origin}/docs/sheaf/space-0123456789ab.sheaf`,
      );
      await assert.rejects(expand({ src: `${origin}/none.json` }, []), /answered 404/);
      await assert.rejects(expand({ src: `${origin}/html.json` }, []), SyntaxError);
      assert.deepEqual(await expand({ src: 'bundle.sheaf' }, []), [{ src: 'bundle.sheaf' }]);
    } finally {
      server.close();
      server.closeAllConnections();
    }
  });
});

describe('strings of the controls', () => {
  it("The controls have strings in every shipped language, and an element's own win", async () => {
    const keys = Object.keys(scopeStrings({}));
    const languages = ['de', 'zh', 'ar', 'de-at', 'fr'];
    await Promise.all(languages.map(loadStrings));
    for (const language of languages) {
      const strings = scopeStrings(stringsFor(language).strings);
      assert.deepEqual(Object.keys(strings), keys);
      assert.ok(strings.missing.includes('{label}'));
      assert.notEqual(strings.allLanguages, scopeStrings({}).allLanguages, language);
    }
    assert.equal(scopeStrings({ version: 'Version du produit' }).version, 'Version du produit');
    assert.equal(scopeStrings({ version: undefined }).version, 'Version');
  });
});

describe('rows of chips', () => {
  const facets = [
    {
      key: 'kind',
      values: [
        { value: 'api', pages: 1 },
        { value: 'guide', pages: 5 },
      ],
    },
    { key: 'only', values: [{ value: 'one', pages: 6 }] },
  ];

  it('Rows of chips show filters with a choice, and chosen ones without pages', () => {
    const shown = (chosen, asked = true) =>
      rowsOf(facets, new Map(Object.entries(chosen).map(([key, values]) => [key, new Set(values)])), asked).map(
        ({ label, values }) => `${label}: ${values.map(({ value, count }) => `${value} ${count}`).join(', ')}`,
      );
    assert.deepEqual(shown({}), ['Kind: api 1, guide 5']);
    assert.deepEqual(shown({ author: ['Bo'], kind: [] }), ['Kind: api 1, guide 5', 'Author: Bo 0']);
    assert.deepEqual(shown({ author: ['Bo'] }, false), [], 'nothing without a query');
  });

  it('Rows of chips keep their place and values while the query is the same', () => {
    const kept = {
      values: new Map([
        ['kind', ['guide', 'api']],
        ['author', ['Anne', 'Bo']],
      ]),
      open: new Set(),
    };
    const left = [
      {
        key: 'kind',
        values: [
          { value: 'guide', pages: 1 },
          { value: 'new', pages: 1 },
        ],
      },
    ];
    const rows = rowsOf(left, new Map([['kind', new Set(['guide'])]]), true, undefined, kept);
    assert.deepEqual(
      rows.map(({ label, values }) => `${label}: ${values.map(({ value, count }) => `${value} ${count}`).join(', ')}`),
      ['Kind: guide 1, api 0, new 1', 'Author: Anne 0, Bo 0'],
    );
    assert.deepEqual(
      rowsOf(left, new Map(), true, ['kind'], kept).map(({ key }) => key),
      ['kind'],
      'those alone that the page names',
    );
  });

  it('Rows of chips count the hidden values, and append them on request', () => {
    const values = Array.from({ length: 30 }, (_, i) => ({ value: `v${i}`, pages: i }));
    const facets = [{ key: 'tag', values }];
    const [first] = rowsOf(facets, new Map(), true);
    assert.deepEqual([first.values.length, first.cut], [12, 18]);
    const before = first.values.map(({ value }) => value);
    const kept = (open) => ({ values: new Map([['tag', before]]), open: new Set(open) });
    const [all] = rowsOf(facets, new Map(), true, undefined, kept(['tag']));
    assert.deepEqual([all.values.length, all.cut], [30, 0]);
    assert.deepEqual(
      all.values.slice(0, 12).map(({ value }) => value),
      before,
    );
    const wide = { values: new Map([['tag', all.values.map(({ value }) => value)]]), open: new Set() };
    const [again] = rowsOf(facets, new Map([['tag', new Set(['v1'])]]), true, undefined, wide);
    assert.deepEqual([again.values.map(({ value }) => value), again.cut], [[...before, 'v1'], 17]);
  });

  it('Rows of chips show the commonest values, in order', () => {
    const values = Array.from({ length: 30 }, (_, i) => ({ value: `v${i}`, pages: i }));
    const [{ values: shown }] = rowsOf([{ key: 'tag', values }], new Map([['tag', new Set(['v3'])]]), true);
    assert.equal(shown.length, 13);
    assert.ok(shown.some(({ value }) => value === 'v3') && shown.every(({ value, count }) => value === 'v3' || count >= 18));
  });
});
