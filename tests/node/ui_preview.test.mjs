/** The preview of a hit: how a stored passage is read (sheaf-text.wasm), where its links lead (web/browser/ui/views/passage_link.ts), and what is shown when (web/browser/ui/controllers/preview.ts). */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { readBlocks } from '../../dist/browser/client/blocks.js';
import { loadText } from '../../dist/browser/client/load_text.js';
import { Preview } from '../../dist/browser/ui/controllers/preview.js';
import { pageUrl } from '../../dist/browser/ui/state/links.js';
import { markPattern } from '../../dist/browser/ui/views/marks.js';
import { linkInPassage } from '../../dist/browser/ui/views/passage_link.js';
import { stringsFor } from '../../dist/browser/ui/words/strings.js';
import { found, hitOf, spy, withGlobals } from './ui_fakes.mjs';

const reader = await loadText(readFileSync(new URL('../../dist/browser/core/sheaf-text.wasm', import.meta.url)));

/** Blocks as short lines: `heading: Words [code] *strong* /emphasis/ <words address>`. */
function seen(text, { source = 'a.md', code = false } = {}) {
  const around = {
    code: (words) => `[${words}]`,
    strong: (words) => `*${words}*`,
    em: (words) => `/${words}/`,
    s: (words) => `~${words}~`,
  };
  const wordsOf = (runs) =>
    runs
      .map(({ text: inner, looks, to }) => {
        const words = looks.reduce((each, look) => around[look](each), inner);
        return to === undefined ? words : `<${words} ${to}>`;
      })
      .join('');
  return reader.blocks(text, source, code).map(({ kind, label, depth, runs }) => {
    if (kind === 'item') return `${label}${depth} ${wordsOf(runs)}`;
    return `${kind}${kind === 'cell' ? depth : ''}${label && ` ${label}`}: ${wordsOf(runs)}`;
  });
}

describe('a stored passage', () => {
  it('A stored passage has headings, however they are written', () => {
    assert.deepEqual(seen('## Use `kiln` {#use}\n\nText.\n\nOld\n===\n\nOlder\n---\n'), [
      'heading: Use [kiln]',
      'paragraph: Text.',
      'heading: Old',
      'heading: Older',
    ]);
  });

  it('A stored passage keeps the lines of code, and markup-like text in it', () => {
    assert.deepEqual(seen('Run:\n\n```js\nif (a) {\n\n  # b **c**\n}\n```\nAfter.\n'), [
      'paragraph: Run:',
      'code: if (a) {\n\n  # b **c**\n}',
      'paragraph: After.',
    ]);
    assert.deepEqual(seen('- Item\n\n  ~~~\n    deep\n  back\n  ~~~\n'), ['•0 Item', 'code:   deep\nback']);
    assert.deepEqual(seen('Text.\n\n    indented\n      more\n'), ['paragraph: Text.', 'code: indented\n  more']);
    assert.deepEqual(seen('````\n```\n````\n'), ['code: ```']);
  });

  it('A stored passage may begin or end within code, since it is a slice', () => {
    assert.deepEqual(seen('  b();\n}\n```\nAfter.\n'), ['code:   b();\n}', 'paragraph: After.']);
    assert.deepEqual(seen('Before.\n\n```js\na();\n'), ['paragraph: Before.', 'code: a();']);
    assert.deepEqual(seen('# Head\n\n```\na();\n'), ['heading: Head', 'code: a();']);
    assert.deepEqual(seen('a();\n\nb();\n', { code: true }), ['code: a();\n\nb();']);
    assert.deepEqual(seen('def fire():\n    a()\n', { code: true }), ['code: def fire():\n    a()']);
    assert.deepEqual(seen('Then run:\n\n    a();\n', { code: true }), ['paragraph: Then run:', 'code: a();']);
    assert.deepEqual(seen('## Run\n\n    a();\n', { code: true }), ['heading: Run', 'code: a();']);
  });

  it('A stored passage has lists with their depth, numbers and continued lines', () => {
    assert.deepEqual(seen('- one\n  goes on\n  - two\n1. first\n2) second\n- [x] done\n'), [
      '•0 one goes on',
      '•1 two',
      '1.0 first',
      '2)0 second',
      '•0 done',
    ]);
  });

  it('A stored passage has tables as rows of cells', () => {
    assert.deepEqual(seen('| Name | Value |\n|------|:-----:|\n| `a` | 1 |\n| longer | x \\| y |\n'), [
      'cell0: Name',
      'cell1: Value',
      'cell0: [a]',
      'cell1: 1',
      'cell0: longer',
      'cell1: x | y',
    ]);
  });

  it('A stored passage has quotations and admonitions', () => {
    assert.deepEqual(seen('> Mind\n> the heat.\n\n::: tip Hot\nText.\n:::\n\n!!! note "So"\n    Inside.\n'), [
      'quote: Mind the heat.',
      'quote: *Hot*',
      'paragraph: Text.',
      'quote: *So*',
      'paragraph: Inside.',
    ]);
  });

  it("A stored passage leaves out Markdown's invisible parts", () => {
    assert.deepEqual(seen('A.\n\n[x]: https://kiln.example\n\n---\n\n<!-- hidden -->\n\nB.\n'), ['paragraph: A.', 'paragraph: B.']);
  });

  it('A stored passage is read quickly, whatever its text', () => {
    const hostile = [
      '*'.repeat(20_000),
      '['.repeat(20_000),
      '`'.repeat(20_000),
      '_a'.repeat(10_000),
      '|'.repeat(20_000),
      '> '.repeat(10_000),
      '- '.repeat(10_000),
      `${'!['.repeat(5000)}](`,
      '#'.repeat(20_000),
      ' '.repeat(20_000),
      '`a'.repeat(10_000),
      '*a *'.repeat(5_000),
      '\\'.repeat(20_000),
      '&lt'.repeat(6_000),
      '```\n'.repeat(5_000),
      ':::a "'.repeat(3_000),
    ];
    const begin = performance.now();
    for (const text of hostile) reader.blocks(text, 'a.md');
    assert.ok(performance.now() - begin < 2000, `${performance.now() - begin} ms`);
  });
});

describe('words within a line', () => {
  const inline = (text, source = 'a.md') => seen(text, { source }).join('\n').replace('paragraph: ', '');

  it('Words between backticks of any number are code', () => {
    assert.equal(inline('Call `a` or ``b ` c``.'), 'Call [a] or [b ` c].');
  });

  it('Words of links and images stay, with the addresses of links', () => {
    assert.equal(
      inline('See [the *guide*](x.md "T"), ![a kiln](k.png), [ref][1] and <https://kiln.example>.'),
      'See <the  x.md></guide/ x.md>, a kiln, ref and <https://kiln.example https://kiln.example>.',
    );
    assert.equal(
      inline('[`props` and **more**](/api#props) ![p](x.png) [r][ref] `[no](x)`'),
      '<[props] /api#props>< and  /api#props><*more* /api#props> p r [[no](x)]',
    );
  });

  it('Words may be strong or emphasised in Markdown only', () => {
    assert.equal(
      inline('**a b** and _c_ but snake_case_name, 2 * 3 * 4 and \\*d\\* ~~e~~'),
      '*a b* and /c/ but snake_case_name, 2 * 3 * 4 and *d* ~e~',
    );
    assert.equal(inline('Define `__init__` or __init__ & a[1][2]', 'a.html'), 'Define [__init__] or __init__ & a[1][2]');
  });

  it('Words within a line are links in HTML text too', () => {
    assert.equal(inline('Set [track_counts](/runtime.html#X) to `on`', 'a.html'), 'Set <track_counts /runtime.html#X> to [on]');
    assert.deepEqual(seen('    [a](b.html)\n', { source: 'a.html' }), ['paragraph: <a b.html>']);
  });

  it('Words stay text when they look like HTML', () => {
    assert.equal(
      inline('<img src=x onerror=alert(1)> &lt;b&gt; [a](javascript:alert(1))'),
      '<img src=x onerror=alert(1)> <b> <a javascript:alert(1)>',
    );
  });

  it('Words within a line are refused where their bytes are damaged', () => {
    for (const bytes of [[], [0], [9, 1, 97], [0, 1, 9, 0, 0, 0], [0, 200], [0, 1, 0, 0, 0, 1, 0, 0, 9]])
      assert.throws(() => readBlocks(Uint8Array.from(bytes)), { code: 'INTERNAL' }, String(bytes));
    assert.deepEqual(readBlocks(Uint8Array.from([0, 1, 0, 0, 0, 1, 0, 7, 1, 97]))[0].runs, [{ text: 'a', looks: [] }]);
  });
});

describe('links', () => {
  const linkOf = (to, hit, options, documentUrl) => linkInPassage(to, hit, (url) => pageUrl(url, options, documentUrl));
  const page = (source) => ({ url: 'guide/kiln', source });
  const at = (to, source = 'guide/kiln.md') =>
    linkOf(to, page(source), { base: 'https://kiln.example/docs' }, 'https://host.example/')?.href;

  it('Links lead nowhere by addresses that run code, or that reach into this machine', () => {
    for (const to of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      'file:///etc/passwd',
      'blob:https://x.example/1',
      'chrome-extension://abc/x',
      'https://u:p@x.example/',
      'https://[',
    ])
      for (const source of ['a.md', 'a.html']) assert.equal(at(to, source), undefined, to);
  });

  it('Links lead on from the page, and in HTML text as page addresses do', () => {
    assert.equal(at('fire#hot'), 'https://kiln.example/docs/guide/fire#hot');
    assert.equal(at('#hot'), 'https://kiln.example/docs/guide/kiln#hot');
    assert.equal(at('guide/fire.html#hot', 'guide/kiln.html'), 'https://kiln.example/docs/guide/fire.html#hot');
    assert.equal(at('https://other.example/x', 'guide/kiln.html'), 'https://other.example/x');
    assert.equal(at('mailto:a@b.example'), 'mailto:a@b.example');
    const moved = { base: '/here/', packedBase: 'https://kiln.example/docs/' };
    const hit = { url: 'https://kiln.example/docs/a.html', source: 'a.html' };
    assert.equal(linkOf('https://kiln.example/docs/b.html', hit, moved, 'https://host.example/').href, 'https://host.example/here/b.html');
  });

  it('Links of Markdown to files without an own address are words', () => {
    assert.equal(at('fire.md#hot'), undefined);
    assert.equal(at('https://other.example/README.md'), 'https://other.example/README.md');
  });

  it('Links on a page opened as a file lead to the web alone', () => {
    const hit = { url: 'a.html', source: 'a.html' };
    assert.equal(linkOf('b.html', hit, {}, 'file:///home/docs/index.html'), undefined);
    assert.equal(linkOf('https://x.example/', hit, {}, 'file:///home/docs/index.html').href, 'https://x.example/');
  });
});

describe('marks', () => {
  const marks = (words, text) => [...text.matchAll(markPattern(words))].map(([found]) => found);

  it('Marks are whole words in any case', () => {
    assert.deepEqual(marks(['kiln', 'max_jobs'], 'Kiln, kilns, KILN; max_jobs max_jobs_2'), ['Kiln', 'KILN', 'max_jobs']);
    assert.deepEqual(marks(['café'], 'cafés café'), ['café']);
  });

  it('Marks are found within words of scripts without spaces', () => {
    assert.deepEqual(marks(['予定'], '日本語の予定表'), ['予定']);
  });

  it('Marks may be several words, signs, and characters of patterns', () => {
    assert.deepEqual(marks(['create table', '->>', 'a.b(c)'], 'Create\n table t; x ->> y; a.b(c) aXb(c)'), [
      'Create\n table',
      '->>',
      'a.b(c)',
    ]);
  });

  it('Marks are none where the answer marks none', () => {
    assert.equal(markPattern(['', ' ']), undefined);
  });
});

describe('the preview', () => {
  /** An element whose hits have passages 1, 2, 3; `told` are the passages that the pane showed. */
  function element(t, { wide = true, passage = async (id) => ({ id, text: `text ${id}`, headings: [] }), ...changes } = {}) {
    withGlobals(t, { matchMedia: () => ({ matches: wide }) });
    const told = [];
    const load = spy(async () => ({
      element: { isConnected: true },
      show: ({ hit, place, label }, { text }) => told.push(`${hit.passage} ${place.join('/')} ${label}: ${text}`),
      clear: () => told.push('clear'),
    }));
    const hits = [1, 2, 3].map((id) => hitOf({ passage: id, url: 'guide/kiln.html' }));
    const library = { info: { manifest: {} }, passage: spy(passage) };
    const host = {
      mode: 'button',
      preview: 'on',
      opened: true,
      active: -1,
      state: found(hits.slice(0, 2), hits.slice(2)),
      search: { library },
      localised: stringsFor('en'),
      updateComplete: Promise.resolve(),
      requestUpdate: spy(),
      ...changes,
    };
    const preview = new Preview(host, load);
    const settle = () => new Promise((resolve) => setTimeout(resolve));
    return { host, preview, library, load, told, settle };
  }

  it('The preview shows the first hit, then the chosen one, and loads its code once', async (t) => {
    const { host, preview, told, load, settle } = element(t);
    preview.follow();
    await settle();
    host.active = 2;
    preview.follow();
    await settle();
    assert.deepEqual(told, ['1 guide Preview: text 1', '3 guide Preview: text 3']);
    assert.equal(load.calls.length, 1);
  });

  it('The preview asks for a passage once, however often the element is drawn', async (t) => {
    const { preview, library, settle } = element(t);
    preview.follow();
    preview.follow();
    await settle();
    preview.follow();
    assert.deepEqual(library.passage.calls, [[1]]);
  });

  it('The preview keeps the old passage until the new one, and skips others', async (t) => {
    const waiting = new Map();
    const passage = (id) => new Promise((resolve) => waiting.set(id, () => resolve({ id, text: `text ${id}`, headings: [] })));
    const { host, preview, told, settle } = element(t, { passage });
    for (const active of [0, 1, 2]) {
      host.active = active;
      preview.follow();
    }
    waiting.get(3)();
    await settle();
    waiting.get(1)();
    waiting.get(2)();
    await settle();
    assert.deepEqual(told, ['3 guide Preview: text 3']);
  });

  it('The preview says where the page stands', async (t) => {
    const { preview, told, settle } = element(t, { state: found([hitOf({ passage: 9, place: ['Guides', 'Heat'] })]) });
    preview.follow();
    await settle();
    assert.deepEqual(told, ['9 Guides/Heat Preview: text 9']);
  });

  it('The preview costs nothing when narrow, off, closed, in other modes, or without hits', async (t) => {
    for (const changes of [
      { wide: false },
      { preview: 'off' },
      { opened: false },
      { mode: 'inline' },
      { mode: 'page' },
      { state: found() },
    ].map((each) => ('state' in each ? { state: { ...found([hitOf()]), groups: [] } } : each))) {
      const { preview, load, library, settle } = element(t, changes);
      preview.follow();
      await settle();
      assert.deepEqual([load.calls.length, library.passage.calls.length, preview.element], [0, 0, undefined], JSON.stringify(changes));
    }
  });

  it('The preview is empty rather than wrong when the passage cannot be had', async (t) => {
    const { preview, told, settle, host } = element(t, {
      passage: () => {
        throw new TypeError('library.passage is not a function');
      },
    });
    preview.follow();
    await settle();
    assert.deepEqual(told, ['clear']);
    assert.equal(host.requestUpdate.calls.length, 0);
  });

  it('The preview tries again to load its code with the next hit', async (t) => {
    const made = element(t);
    let fails = true;
    const load = spy(async () => {
      if (fails) throw new TypeError('Failed to fetch');
      return { element: { isConnected: true }, show: () => made.told.push('shown'), clear() {} };
    });
    const preview = new Preview(made.host, load);
    preview.follow();
    await made.settle();
    fails = false;
    made.host.active = 1;
    preview.follow();
    await made.settle();
    assert.deepEqual([load.calls.length, made.told], [2, ['shown']]);
  });

  it('The preview that a site deploys has within it the module that reads its text, byte for byte', async (t) => {
    const element = () => ({ style: {}, setAttribute() {}, append() {} });
    const compiled = [];
    const { compile } = WebAssembly;
    withGlobals(t, {
      document: { createElement: element },
      CSSStyleSheet: class {
        replaceSync() {}
      },
      fetch: () => assert.fail('the module was asked for'),
    });
    t.mock.method(WebAssembly, 'compile', (bytes) => (compiled.push(Buffer.from(bytes)), compile(bytes)));
    const { makePane } = await import('../../dist/node/site/code/client/preview.js');
    await makePane({ adoptedStyleSheets: [] });
    assert.equal(compiled.length, 1);
    assert.ok(compiled[0].equals(readFileSync(new URL('../../dist/browser/core/sheaf-text.wasm', import.meta.url))));
  });
});
