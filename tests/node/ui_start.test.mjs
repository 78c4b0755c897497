/** What is offered before anything is typed: sections of the page, top pages (web/browser/ui/state/sections.ts, start.ts, views/start.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { headingsOf } from '../../dist/browser/ui/controllers/page_headings.js';
import { topPagesOf } from '../../dist/browser/ui/state/manifest.js';
import { MOST_SECTIONS, sectionsOf } from '../../dist/browser/ui/state/sections.js';
import { pageLinks, sectionLinks } from '../../dist/browser/ui/state/start.js';
import { renderStart } from '../../dist/browser/ui/views/start.js';
import { render, spy, viewOf } from './ui_fakes.mjs';

/** Headings named by their level, one every 100 pixels: `'122'`. */
const page = (levels, scrolled = 0) =>
  [...levels].map((level, i) => ({ id: `s${i}`, text: `${level}.${i}`, level: Number(level), top: i * 100 - scrolled }));
const texts = (sections) => sections.map(({ text, current }) => (current ? `[${text}]` : text)).join(' ');

describe('sections of a page', () => {
  it('Sections of a page are its headings in order, without its title', () => {
    assert.equal(texts(sectionsOf(page('1232'), -1)), '2.1 3.2 2.3');
    assert.deepEqual(
      sectionsOf(page('1232'), -1).map(({ depth }) => depth),
      [0, 1, 0],
    );
  });

  it('Sections of a page are those of the highest levels when there are too many', () => {
    assert.equal(texts(sectionsOf(page('12333333332'), -1)), '2.1 2.10');
  });

  it('Sections of a page have their first level where it has several titles', () => {
    assert.equal(texts(sectionsOf(page('11'), -1)), '1.0 1.1');
  });

  it('Sections of a page mark the one that the reader is in', () => {
    assert.equal(texts(sectionsOf(page('1222', 150), 100)), '2.1 [2.2] 2.3');
    assert.equal(texts(sectionsOf(page('1222', 900), 100)), '2.1 2.2 [2.3]');
    assert.equal(texts(sectionsOf(page('1233', 900), 100)), '2.1 3.2 [3.3]');
  });

  it('Sections of a page are the nearest ones where one level has too many', () => {
    const many = `1${'2'.repeat(20)}`;
    assert.equal(texts(sectionsOf(page(many), -1)), '2.1 2.2 2.3 2.4 2.5 2.6 2.7 2.8');
    assert.equal(texts(sectionsOf(page(many, 1000), 50)), '2.8 2.9 [2.10] 2.11 2.12 2.13 2.14 2.15');
    assert.equal(texts(sectionsOf(page(many, 9000), 50)), '2.13 2.14 2.15 2.16 2.17 2.18 2.19 [2.20]');
    assert.equal(sectionsOf(page(many), -1).length, MOST_SECTIONS);
  });

  it('Sections of a page are none on a page without headings', () => {
    assert.deepEqual(sectionsOf([], 0), []);
    assert.deepEqual(sectionsOf(page('1'), 0), []);
  });

  it('Sections of a page link to the page itself, whatever its base is', () => {
    const sections = [{ id: 'a b', text: 'A', depth: 0, current: true }];
    assert.deepEqual(sectionLinks(sections, 'https://kiln.example/use?q=1#old#er'), [
      { href: 'https://kiln.example/use?q=1#a%20b', text: 'A', depth: 0, current: true },
    ]);
  });
});

describe('headings of a page', () => {
  const element = (localName, more = {}) => ({
    localName,
    id: '',
    textContent: '',
    parentElement: null,
    getClientRects: () => [{ top: 7 }],
    closest: () => null,
    querySelector: () => null,
    querySelectorAll: () => [],
    ...more,
  });
  const read = (...headings) => headingsOf({ querySelector: () => ({ querySelectorAll: () => headings }) });

  it('Headings of a page have the anchor of heading, section, or inner link', () => {
    const section = { id: 'of-section', matches: (selector) => selector.includes('section') };
    const first = element('h2', { textContent: 'B', parentElement: section });
    section.firstElementChild = first;
    const second = element('h2', { textContent: 'C', parentElement: section });
    const inner = { id: '', getAttribute: () => 'inner' };
    assert.deepEqual(
      read(element('h2', { id: 'own', textContent: 'A' }), first, second, element('h3', { textContent: 'D', querySelector: () => inner })),
      [
        { id: 'own', text: 'A', level: 2, top: 7 },
        { id: 'of-section', text: 'B', level: 2, top: 7 },
        { id: 'inner', text: 'D', level: 3, top: 7 },
      ],
    );
  });

  it('Headings of a page have their visible words, without permalinks and buttons', () => {
    const within = [
      { localName: 'a', textContent: '¶' },
      { localName: 'a', textContent: 'linked' },
      { localName: 'button', textContent: 'Copy' },
    ];
    const [heading] = read(element('h2', { id: 'a', textContent: ' A\n linked\u200b name¶Copy', querySelectorAll: () => within }));
    assert.equal(heading.text, 'A linked name');
  });

  it('Headings of a page are left out where hidden, empty, or in a menu', () => {
    assert.deepEqual(
      read(
        element('h2', { id: 'a', textContent: 'A', getClientRects: () => [] }),
        element('h2', { id: 'b', textContent: ' \u200b' }),
        element('h2', { id: 'c', textContent: 'C', closest: () => ({}) }),
      ),
      [],
    );
    assert.deepEqual(headingsOf({ querySelector: () => null }), [], 'a page without content of its own');
  });
});

describe('top pages', () => {
  it('Top pages are read from a manifest with any contents', () => {
    const good = { title: 'Use', url: '/use' };
    assert.deepEqual(topPagesOf({ manifest: { top_pages: [good, null, 7, { title: '', url: '/' }, { title: 'x' }, [], { url: 'y' }] } }), [
      good,
    ]);
    for (const top_pages of [undefined, null, 'x', {}, 7]) assert.deepEqual(topPagesOf({ manifest: { top_pages } }), []);
    assert.equal(topPagesOf({ manifest: { top_pages: Array(100).fill(good) } }).length, 8);
    assert.deepEqual(topPagesOf(undefined), []);
  });

  it('Top pages lead to the hosted documentation, and unsafe addresses are no links', () => {
    const pages = ['https://packed.example/a', 'javascript:alert(1)', 'data:text/html,x', '/b', 'https://packed.example/here'].map(
      (url, i) => ({ title: `T${i}`, url }),
    );
    const options = { base: '/docs/', packedBase: 'https://packed.example/' };
    assert.deepEqual(pageLinks(pages, options, 'https://kiln.example/', 'https://kiln.example/docs/here?x#y'), [
      { href: 'https://kiln.example/docs/a', text: 'T0' },
      { href: 'https://kiln.example/b', text: 'T3' },
    ]);
  });
});

describe('the lists', () => {
  const see = (changes) => {
    const listeners = [];
    const actions = { keys: { onListKey: spy() }, takeQuery: spy(), removeRecent: spy(), onLink: spy() };
    return { text: render(renderStart(viewOf(changes), actions), listeners), listeners, actions };
  };
  const section = { href: '/x#a', text: 'A <b>', depth: 1, current: true };

  it('The lists are numbered as one, so that arrows walk through all', () => {
    const { text } = see({
      recent: ['kiln', 'ash'],
      sections: [section],
      topPages: [
        { href: '/y', text: 'Y' },
        { href: '/z', text: 'Z' },
      ],
    });
    assert.deepEqual(
      [...text.matchAll(/data-entry="(\d)"/g)].map(([, number]) => number),
      ['0', '1', '2', '3', '4'],
    );
  });

  it('The lists show text as text, and say which section the reader is in', () => {
    const { text } = see({ sections: [section] });
    assert.match(text, /<bdi>A &lt;b><\/bdi>/);
    assert.match(text, /aria-current="location"/);
    assert.match(text, /<ul class="list" part="sections" aria-labelledby="sections"/);
    assert.doesNotMatch(see({ topPages: [{ href: '/y', text: 'Y' }] }).text, /aria-current/);
  });

  it("The lists leave the page's own words when they have no entry", () => {
    assert.match(see({}).text, /part="empty"/);
    assert.equal(see({ mode: 'page' }).text, '');
  });

  it('The lists close the search when a link is followed', () => {
    const { listeners, actions } = see({ sections: [section] });
    assert.ok(listeners.includes(actions.onLink));
  });
});
