/** What strangers say, made harmless: names, addresses, sizes, lists, suggestions, links of documents. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { loadText } from '../../dist/browser/client/load_text.js';
import { catalogueAddress, readCatalogue, readSiteList } from '../../dist/extension/lists.js';
import { compareVersions, isInstalled, newestOffers, updateOf } from '../../dist/extension/offers.js';
import { contentsOf, sectionsOf, targetOf } from '../../dist/extension/page_text.js';
import { isLibrary, isVersion, plainSize, plainText, webAddress } from '../../dist/extension/plain.js';
import { inScope, labelOf, splitQuery } from '../../dist/extension/scope.js';
import { afterKeeping, afterReading, isKept, ownerOf, readingOf, readPage, withoutRecent } from '../../dist/extension/reading.js';
import { suggestionOf } from '../../dist/extension/suggestions.js';

const reader = await loadText(readFileSync(new URL('../../dist/browser/core/sheaf-text.wasm', import.meta.url)));
const HOME = 'https://host.example/docs/catalogue.json';
const list = (versions, library = { library: 'kiln' }) => JSON.stringify({ sheaf: 1, libraries: [{ ...library, versions }] });
const offersOf = (text) => readCatalogue(text, HOME, 0).offers;

describe('text of strangers', () => {
  it('Text of strangers is one line without control or direction characters', () => {
    assert.equal(plainText('a\u202Eb\u0000c\n\td\u2066e\u200b'), 'a b c d e');
    assert.equal(plainText('\ud800x'), '\ufffdx');
    assert.equal(plainText('é'.repeat(500), 10), `${'é'.repeat(9)}…`);
    for (const value of [undefined, null, 4, {}, ['a']]) assert.equal(plainText(value), '');
    assert.equal(plainText('pass\u00adword\u{e0068}\u{e0069}\u3164'), 'password');
    assert.equal(plainText('می\u200cخواهم \u2764\ufe0f'), 'می\u200cخواهم \u2764\ufe0f', 'what scripts and emoji need stays');
  });

  it('Text of strangers is an address only as http or https, without a password', () => {
    for (const wrong of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'https://u:p@h.example/',
      'blob:x',
      'chrome://settings',
      '',
      7,
      'h'.repeat(5000),
    ])
      assert.equal(webAddress(wrong), undefined, String(wrong).slice(0, 40));
    assert.equal(webAddress('../b.sheaf#x', HOME), 'https://host.example/b.sheaf');
  });

  it('Text of strangers is a size only as a whole positive number', () => {
    for (const wrong of [-1, 0, 1.5, Number.NaN, Infinity, 2 ** 60, '5', null]) assert.equal(plainSize(wrong), undefined);
    assert.equal(plainSize(5), 5);
  });

  it("Text of strangers is a name or version only by the packer's rules", () => {
    for (const wrong of ['../x', 'a//b', 'a b', '<b>', '', 'a'.repeat(200), '@', 4]) assert.ok(!isLibrary(wrong), String(wrong));
    for (const right of ['vue', '@vue/core', 'socket.io']) assert.ok(isLibrary(right));
    for (const wrong of ['a/b', ' 1', '', '1\u202e2', '1\u00ad2', '1\u{e0032}', 'x'.repeat(65)]) assert.ok(!isVersion(wrong), wrong);
    assert.ok(isVersion('3.5 beta'));
  });
});

describe('a catalogue', () => {
  it('A catalogue is asked for by its folder or by its own address', () => {
    assert.equal(catalogueAddress('host.example/docs'), HOME);
    assert.equal(catalogueAddress(' https://host.example/docs/list.json '), 'https://host.example/docs/list.json');
    for (const wrong of ['javascript:alert(1)', 'ftp://x/', 'https://a:b@c/'])
      assert.throws(() => catalogueAddress(wrong), { code: 'LIST' });
  });

  it('A catalogue gives its usable entries, and passes over the rest', () => {
    const good = { version: '1.0', address: 'k.sheaf', bytes: 9, sha256: 'a'.repeat(64), language: 'en' };
    const [offer, ...more] = offersOf(
      list([good, { ...good, version: '../2' }, { ...good, address: 'javascript:alert(1)' }, { version: '1.1' }, null, 'x', 4]),
    );
    assert.deepEqual(more, []);
    assert.deepEqual(
      [offer.origin.address, offer.bytes, offer.hash, offer.title],
      ['https://host.example/docs/k.sheaf', 9, 'a'.repeat(64), 'kiln'],
    );
    const [lied] = offersOf(list([{ ...good, bytes: -5, sha256: 'zz', language: '<b>' }]));
    assert.deepEqual([lied.bytes, lied.hash, lied.language], [undefined, '', '']);
  });

  it('A catalogue without a head names bundles and tables of its own host and folder alone', () => {
    const at = (address) => ({ version: '1.0', address, space: 's' });
    for (const address of [
      'https://other.example/k.sheaf',
      '//other.example/k.sheaf',
      '../k.sheaf',
      '/k.sheaf',
      'http://host.example/docs/k.sheaf',
      '..%2fk.sheaf',
      'https://u:p@host.example/docs/k.sheaf',
    ])
      assert.throws(() => offersOf(list([at(address)])), { code: 'LIST' }, address);
    const named = (address) => JSON.stringify({ ...JSON.parse(list([at('k.sheaf')])), tables: [{ space: 's', address }] });
    assert.equal(offersOf(named('https://other.example/t.sheaf'))[0].table, undefined);
    assert.equal(offersOf(named('t.sheaf'))[0].table.address, 'https://host.example/docs/t.sheaf');
  });

  it('A catalogue of no list, another format, no entry or excess length is refused', () => {
    for (const wrong of ['', '[]', 'null', '{"libraries":[]}', '{"sheaf":2,"libraries":[]}', list([]), '<html>', 'x'.repeat(5_000_000)])
      assert.throws(() => readCatalogue(wrong, HOME, 0), { code: 'LIST' }, wrong.slice(0, 20));
  });

  it('A catalogue offers the newest version of each library', () => {
    const at = (version) => ({ version, address: `${encodeURIComponent(version)}.sheaf` });
    const offers = offersOf(list(['1.9', '1.10', '1.10-rc.1', '0.99'].map(at)));
    assert.deepEqual(
      newestOffers(offers).map(({ version }) => version),
      ['1.10'],
    );
    assert.ok(compareVersions('2', '10') < 0 && compareVersions('1.0.0-rc.1', '1.0.0') < 0 && compareVersions('1', '1') === 0);
  });

  it("A site's catalogue keeps its base and the hash in its names", () => {
    const [offer] = readSiteList(
      JSON.stringify({ base: '..', sites: [{ src: 'site-0123456789ab.sheaf', language: 'de', encoder: 'table-ba9876543210.sheaf' }] }),
      'https://host.example/docs/sheaf/site.json',
      'Kiln \u202edocs',
    );
    assert.deepEqual(
      [offer.hash, offer.base, offer.language, offer.title, offer.table?.hash],
      ['0123456789ab', 'https://host.example/docs/', 'de', 'Kiln docs', 'ba9876543210'],
    );
    assert.throws(() => readSiteList('{"sites":[{"src":"data:x"}]}', 'https://h.example/sheaf/site.json', ''), { code: 'LIST' });
  });
});

describe('an offer', () => {
  const origin = (host) => ({ kind: 'catalogue', address: `https://${host}/vue.sheaf`, list: `https://${host}/catalogue.json` });
  const offer = { library: 'vue', version: '3.5', language: 'en', hash: '', origin: origin('signed.example') };
  const namesake = { ...offer, id: 'vue@3.5', origin: { ...origin('other.example'), kind: 'site' } };

  it('An offer is installed or updated only from its own publisher', () => {
    assert.equal(isInstalled(offer, { libraries: [namesake] }), undefined);
    assert.equal(isInstalled(offer, { libraries: [{ ...namesake, origin: offer.origin }] })?.id, 'vue@3.5');
    const old = { ...offer, id: 'vue@3.4', version: '3.4' };
    const catalogues = [{ address: offer.origin.list, offers: [offer] }];
    assert.equal(updateOf(old, { catalogues, libraries: [old, namesake] }), offer);
    assert.equal(updateOf(old, { catalogues, libraries: [old, { ...namesake, origin: offer.origin }] }), undefined);
  });
});

describe('a scope', () => {
  const library = (id, language = 'en', host = 'host.example') => ({
    id,
    library: id.split('@')[0],
    version: id.split('@')[1],
    title: id.split('@')[0].toUpperCase(),
    language,
    origin: { kind: 'catalogue', address: `https://${host}/${id}.sheaf`, list: `https://${host}/catalogue.json` },
  });
  const libraries = [library('vue@3.4'), library('vue@3.5'), library('asyncio@3.12'), library('std@1')];
  const groups = [
    { name: 'py', members: ['asyncio'] },
    { name: 'old', members: ['vue@3.4'] },
  ];
  const of = (scope) => inScope(scope, libraries, groups).map((i) => libraries[i].id);

  it('A scope is taken from the front of a query, for known names', () => {
    assert.deepEqual(splitQuery('py: asyncio timeout', libraries, groups), { query: 'asyncio timeout', scope: 'py' });
    assert.deepEqual(splitQuery('Vue:ref', libraries, groups), { query: 'ref', scope: 'vue' });
    assert.deepEqual(splitQuery('vue@3.4: ref', libraries, groups), { query: 'ref', scope: 'vue@3.4' });
    assert.deepEqual(splitQuery('vue@*: ref', libraries, groups), { query: 'ref', scope: 'vue@*' });
    for (const words of ['std::vector', 'https://x', 'what: is', 'a b: c'])
      assert.deepEqual(splitQuery(words, libraries, groups), { query: words, scope: undefined });
  });

  it('A scope holds the newest versions, one version, all side by side, or a group', () => {
    assert.deepEqual(of(''), ['vue@3.5', 'asyncio@3.12', 'std@1']);
    assert.deepEqual(of('vue'), ['vue@3.5']);
    assert.deepEqual(of('vue@3.4'), ['vue@3.4']);
    assert.deepEqual(of('vue@*'), ['vue@3.4', 'vue@3.5']);
    assert.deepEqual([of('py'), of('old'), of('nothing')], [['asyncio@3.12'], ['vue@3.4'], []]);
  });

  it("A scope of one name holds each publisher's newest version, and names the publisher", () => {
    const both = [...libraries, library('vue@999', 'en', 'other.example')];
    assert.deepEqual(
      inScope('vue', both, groups).map((i) => both[i].id),
      ['vue@3.5', 'vue@999'],
    );
    assert.equal(labelOf(both[4], [both[1], both[4]]), '999 · other.example');
  });

  it('A scope labels its entries by their differences', () => {
    assert.equal(labelOf(libraries[0], [libraries[0]]), '');
    assert.equal(labelOf(libraries[0], libraries.slice(0, 2)), '3.4');
    assert.equal(labelOf(libraries[2], libraries.slice(1, 3)), `ASYNCIO ${libraries[2].version}`);
    assert.equal(labelOf(libraries[0], libraries), 'VUE 3.4');
    const long = { ...libraries[2], title: 'The Book of Asynchronous Things' };
    assert.equal(labelOf(long, [libraries[0], long]), `${long.library} ${long.version}`);
    const local = { ...libraries[2], version: 'local-2026-11-29' };
    assert.equal(labelOf(local, [libraries[0], local]), 'ASYNCIO');
  });
});

describe('pages that were read, and pages that are kept', () => {
  const of = (version, list = 'https://docs.example/catalogue.json') => ({
    id: `kiln@${version}`,
    library: 'kiln',
    version,
    origin: { kind: 'catalogue', address: `https://docs.example/kiln@${version}.sheaf`, list },
  });
  const page = (name) => readPage(of('1.4'), { url: `${name}.html`, source: `${name}.md`, title: name });
  const none = readingOf(undefined);

  it('Pages that were read stand latest first, each once, eight of them', () => {
    let reading = none;
    for (const name of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'b']) reading = afterReading(reading, page(name));
    assert.equal(reading.recent.map(({ title }) => title).join(''), 'bihgfedc');
    assert.deepEqual(withoutRecent(reading), none);
  });

  it('A page is kept by one press and let go by another, and outlives the list of what was read', () => {
    const kept = afterKeeping(afterReading(none, page('a')), page('a'));
    assert.ok(isKept(kept, page('a')) && !isKept(kept, page('b')));
    assert.equal(withoutRecent(kept).kept.length, 1);
    assert.ok(!isKept(afterKeeping(kept, page('a')), page('a')));
  });

  it("A kept page is found in the newest version of its own publisher's library", () => {
    const others = of('9.0', 'https://other.example/catalogue.json');
    assert.equal(ownerOf(page('a'), [of('1.5'), of('1.4'), others])?.id, 'kiln@1.4');
    assert.equal(ownerOf(page('a'), [of('1.5'), of('1.10'), others])?.id, 'kiln@1.10');
    assert.equal(ownerOf(page('a'), [others]), undefined);
  });

  it('Stored entries that are no pages are passed over', () => {
    const odd = { recent: [page('a'), null, { title: 3 }, 'x'], kept: { 0: page('b') } };
    assert.deepEqual(readingOf(odd), { recent: [page('a')], kept: [] });
    assert.deepEqual(readingOf('nonsense'), none);
  });
});

describe('a suggestion', () => {
  const hit = {
    title: 'A <b>&"title"</b>',
    titleHighlights: [{ start: 2, length: 3 }],
    headings: ['</match><url>x'],
    headingHighlights: [],
    snippet: 'x\u0000\ud800y',
    highlights: [],
    label: 'Vue',
  };
  it('A suggestion is well-formed XML whatever the document contains', () => {
    const text = suggestionOf(hit, true);
    assert.equal(
      text,
      '<dim>Vue · </dim>A <match>&lt;b&gt;</match>&amp;&quot;title&quot;&lt;/b&gt;<dim> › </dim>&lt;/match&gt;&lt;url&gt;x<dim> — </dim>x y',
    );
  });
  it('A suggestion is plain text for browsers without XML', () => assert.match(suggestionOf(hit, false), /^Vue · A <b>&"title"<\/b> › /));
});

describe('a page', () => {
  const page = { url: 'https://kiln.example/docs/guide/a', source: 'guide/a.md' };
  const at = (to) => targetOf(to, page, 'https://kiln.example/docs/');

  it('A page ignores addresses that run code', () => {
    for (const to of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'chrome-extension://abc/x',
      'https://u:p@x.example/',
      'https://[',
    ])
      assert.deepEqual(at(to), { kind: 'nowhere' }, to);
  });

  it("A page leads to the library's pages, by address and source, and the web", () => {
    const target = at('../b.md#part%20two');
    assert.equal(target.kind, 'page');
    assert.equal(target.anchor, 'part two');
    assert.ok(target.candidates.includes('https://kiln.example/docs/b') && target.candidates.includes('b.md'), String(target.candidates));
    assert.deepEqual(at('#x'), { kind: 'here', anchor: 'x' });
    assert.equal(at('https://other.example/x').address, 'https://other.example/x');
    const local = targetOf('b.html', { url: 'guide/a.html', source: 'guide/a.md' }, '');
    assert.ok(local.candidates.includes('guide/b.html') && local.address === undefined);
  });

  it("A page leads from HTML text to the library's pages by their addresses", () => {
    const html = { url: 'https://kiln.example/docs/guide/a.html', source: 'guide/a.html' };
    const web = targetOf('https://kiln.example/docs/api/b.html#x', html, 'https://kiln.example/docs/');
    assert.ok(web.candidates.includes('https://kiln.example/docs/api/b.html') && web.anchor === 'x', String(web.candidates));
    const local = targetOf('api/b.html#x', { url: 'guide/a.html', source: 'guide/a.html' }, '');
    assert.ok(local.candidates.includes('api/b.html') && !local.candidates.includes('guide/api/b.html'), String(local.candidates));
    assert.deepEqual(at('mailto:a@b.example'), { kind: 'page', candidates: [], anchor: '', address: 'mailto:a@b.example' });
  });

  it('A page of HTML has its links as links', () => {
    const text = 'Set [track_counts](/runtime.html#X) to `on`.\n';
    const [{ blocks }] = sectionsOf({ source: 'a.html', passages: [{ anchor: '', headings: [], text }] }, reader);
    assert.deepEqual(blocks[0].runs, [
      { text: 'Set ', looks: [] },
      { text: 'track_counts', looks: [], to: '/runtime.html#X' },
      { text: ' to ', looks: [] },
      { text: 'on', looks: ['code'] },
      { text: '.', looks: [] },
    ]);
  });

  it('A page has passages below one heading as one section, and a contents table', () => {
    const passage = (anchor, headings, text) => ({ anchor, headings, text });
    const sections = sectionsOf(
      {
        source: 'a.md',
        passages: [
          passage('', [], '# A\n\nWords.\n'),
          passage('one', ['One'], '## One\n\n```js\na();\n'),
          passage('one', ['One'], 'b();\n```\n'),
          passage('two', ['One', 'Two'], '### Two\n\n[x](javascript:alert(1)) <b>y</b>\n'),
        ],
      },
      reader,
    );
    assert.deepEqual(
      sections.map(({ blocks }) => blocks.map(({ kind }) => kind)),
      [
        ['heading', 'paragraph'],
        ['heading', 'code'],
        ['heading', 'paragraph'],
      ],
    );
    assert.deepEqual(sections[1].blocks[1].runs, [{ text: 'a();\nb();', looks: [] }]);
    assert.deepEqual(contentsOf(sections), [
      { anchor: 'one', text: 'One', depth: 0 },
      { anchor: 'two', text: 'Two', depth: 1 },
    ]);
    assert.deepEqual(sections[2].blocks[1].runs.at(-1), { text: ' <b>y</b>', looks: [] });
  });
});
