/** Directives that point to source are filled from it, and names that a documentation describes get no page of their own. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { fillDirectives } from '../../dist/browser/convert/api/fill.js';
import { definitionsOf, withoutKnown } from '../../dist/browser/convert/api/known.js';
import { apiPages } from '../../dist/browser/convert/api/pages.js';
import { rstOf } from '../../dist/browser/convert/api/rst_text.js';
import { installedGrammars } from '../../dist/node/convert/grammars.js';
import { folderBehind } from '../../dist/node/sources/api_pages.js';

const bytes = (text) => new TextEncoder().encode(text);
const FILES = {
  'kiln/__init__.py': `"""Firing of pots.

More words on kilns.
"""
from ._heat import Ramp
__all__ = ["Ramp", "fire"]

def fire(pot: str, *, cone=6) -> "Ramp":
    """Fire one pot. It takes hours.

    See :class:\`Ramp\` and \`docs <https://kiln.example/x>\`_.

    :param pot: The pot.

    Example::

        fire("mug")
    """
`,
  'kiln/_heat.py': `class Ramp(dict):
    """A ramp."""

    def __init__(self, degrees: int):
        """Starts it."""

    @property
    def hours(self) -> float:
        """Hours that it takes."""

    @classmethod
    def load(cls, path):
        """Load one."""
`,
  'kiln/glaze.py':
    '"""Glazes."""\nclass Glaze:\n    """A glaze of :func:`~kiln.fire`."""\n    def brush(self): "Brush it on."\n\ndef mix(a, b):\n    """Mix two."""\n',
};

async function api(files = FILES) {
  const list = Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) }));
  const { pages, notes } = await apiPages(list, { grammars: installedGrammars });
  assert.deepEqual(notes, []);
  return pages;
}

/** Text of a page by its new text, what is left by kind, and headings of the pages that stay. */
async function filled(path, text, files) {
  const { pages, left, rest, filled: count } = fillDirectives([{ path, text }], await api(files));
  return {
    text: pages[0]?.text ?? text,
    left: Object.fromEntries(left),
    count,
    rest: rest.map(({ title, entries }) => [title, ...entries.map(({ name }) => name)]),
    pages: rest,
  };
}

describe('Directives of Sphinx in reStructuredText', () => {
  it('A module with its members stands where automodule was, as objects with the anchors of Sphinx', async () => {
    const { text, left, rest } = await filled('api.rst', 'API\n===\n\n.. automodule:: kiln\n   :members:\n\nThe end.\n');
    assert.match(
      text,
      /^API\n===\n\n+Firing of pots\.\n\nMore words on kilns\.\n\n\.\. py:class:: Ramp\(degrees: int\)\n {3}:module: kiln\n/,
    );
    assert.match(
      text,
      /\n {3}\.\. py:property:: hours\n {6}:module: kiln\n\n {6}\.\. code-block:: python\n\n {9}property hours: float\n\n {6}Hours that it takes\.\n/,
    );
    assert.match(text, /\n {3}\.\. py:method:: load\(path\)\n/);
    assert.match(text, /\n\.\. py:function:: fire\(pot: str, \*, cone=6\) -> "Ramp"\n {3}:module: kiln\n\n {3}Fire one pot\./);
    assert.match(text, /See ``Ramp`` and `docs <https:\/\/kiln\.example\/x>`__\./);
    assert.match(text, /\*\*Parameters\*\*\n\n {3}- ``pot``: The pot\./);
    assert.match(text, /\.\. code-block:: text\n\n {6}fire\("mug"\)/);
    assert.match(text, /\n\nThe end\.\n$/);
    assert.deepEqual(left, {});
    assert.deepEqual(rest, [['kiln.glaze', 'Glaze', 'Glaze.brush', 'mix']], 'what stands elsewhere has no page');
  });

  it('Names are found by the current module, by the class around them and by a private module', async () => {
    const source =
      '.. currentmodule:: kiln\n\n.. autoclass:: Ramp\n\n   .. automethod:: load\n\n   Own words.\n\n.. autofunction:: kiln::fire\n\n.. autoclass:: kiln._heat.Ramp\n';
    const { text, left, rest } = await filled('api.rst', source);
    assert.match(text, /\.\. py:class:: Ramp\(degrees: int\)/);
    assert.match(text, /\n {3}\.\. py:method:: Ramp\.load\(path\)\n/);
    assert.match(text, /\n {3}Own words\.\n/);
    assert.match(text, /\n\.\. autoclass:: kiln\._heat\.Ramp\n$/, 'named once more, it stays as it was');
    assert.deepEqual(left, {});
    assert.deepEqual(rest[0], ['kiln', 'Ramp.hours'], 'a member that was not asked for keeps its page');
  });

  it('A name is called as the documentation calls it, wherever it is defined', async () => {
    const files = { 'kiln/__init__.py': 'from .heat import Ramp\n', 'kiln/heat.py': 'class Ramp:\n    """A ramp."""\n' };
    assert.match((await filled('api.rst', '.. autoclass:: kiln.Ramp\n', files)).text, /py:class:: Ramp\n {3}:module: kiln\n/);
    assert.match((await filled('api.md', '::: kiln.Ramp\n', files)).text, /\n## kiln\.Ramp \{#kiln\.Ramp \.class\}\n/);
  });

  it('Members are chosen by the options, and autosummary lists sentences without moving the entries', async () => {
    const chosen = await filled('a.rst', '.. autoclass:: kiln.Ramp\n   :members: load\n');
    assert.ok(chosen.text.includes('py:method:: load') && !chosen.text.includes('hours'));
    const without = await filled('a.rst', '.. automodule:: kiln\n   :members:\n   :exclude-members: Ramp\n');
    assert.ok(without.text.includes('py:function:: fire') && !without.text.includes('py:class'));
    const summary = await filled(
      'a.rst',
      '.. autosummary::\n   :toctree: made\n\n   kiln.fire\n   ~kiln.glaze.mix\n   kiln.none\n\nEnd.\n',
    );
    assert.match(summary.text, /\n\* Fire one pot \(``kiln\.fire``\)\n\* Mix two \(``kiln\.glaze\.mix``\)\n\n+End\.\n$/);
    assert.deepEqual(summary.rest.length, 2);
  });

  it('Directives in code are text, and those that name nothing known are counted by kind', async () => {
    const code = '.. code-block:: rst\n\n   .. automodule:: kiln\n\nLike this::\n\n   .. autofunction:: kiln.fire\n\n';
    const { text, left, count } = await filled(
      'a.rst',
      `${code}.. automodule:: oven\n\n.. automodule:: pots\n\n.. autoclass:: oven.Oven\n`,
    );
    assert.equal(text, `${code}.. automodule:: oven\n\n.. automodule:: pots\n\n.. autoclass:: oven.Oven\n`);
    assert.deepEqual([left, count], [{ automodule: 2, autoclass: 1 }, 0]);
  });
});

describe('Directives in Markdown', () => {
  it("MyST's directives and those in eval-rst become Markdown with the levels of the page", async () => {
    const source =
      '# API\n\n## Firing\n\n```{eval-rst}\n.. currentmodule:: kiln\n.. autofunction:: fire\n\n.. note:: Hot.\n```\n\n```{autoclass} kiln.Ramp\n:members:\n```\n\n:::{automodule} kiln.glaze\n:::\n\n```md\n::: kiln.fire\n```\n';
    const { text, left, rest } = await filled('api.md', source);
    assert.match(
      text,
      /\n### kiln\.fire \{#kiln\.fire \.function\}\n\n```python\ndef fire\(pot: str, \*, cone=6\) -> "Ramp"\n```\n\nFire one pot\./,
    );
    assert.match(text, /\n```\{eval-rst\}\n[^`]*\.\. note:: Hot\.\n```\n/, 'the rest of the block stays');
    assert.match(text, /\n### kiln\.Ramp \{#kiln\.Ramp \.class\}\n[^]*\n#### Ramp\.hours \{#kiln\.Ramp\.hours \.property\}\n/);
    assert.match(text, /\nGlazes\.\n/);
    assert.match(text, /```md\n::: kiln\.fire\n```\n$/);
    assert.deepEqual(left, {});
    assert.deepEqual(rest, [['kiln'], ['kiln.glaze', 'Glaze', 'Glaze.brush', 'mix']]);
  });

  it('Lines of mkdocstrings are filled, with their options, and containers of other generators are not', async () => {
    const source =
      '# Ramps\n\n::: kiln.Ramp\n    options:\n      heading_level: 4\n      members:\n        - load\n\n::: tip\nHot.\n:::\n\n::: oven.Oven\n';
    const { text, left } = await filled('api.md', source);
    assert.match(text, /\n#### kiln\.Ramp \{#kiln\.Ramp \.class\}\n[^]*\n##### Ramp\.load \{/);
    assert.ok(!text.includes('heading_level') && !text.includes('hours'));
    assert.match(text, /\n::: tip\nHot\.\n:::\n\n::: oven\.Oven\n$/);
    assert.deepEqual(left, { ':::': 1 });
    const all = await filled('api.md', '::: kiln.glaze\n');
    assert.match(all.text, /\nGlazes\.\n\n## kiln\.glaze\.Glaze \{[^]*\n### Glaze\.brush \{[^]*\n## kiln\.glaze\.mix \{/);
    assert.deepEqual(all.left, {});
  });

  it('Pages that stay link to what is still there', async () => {
    const { pages } = await filled('api.rst', '.. autofunction:: kiln.fire\n');
    const glaze = pages.find(({ title }) => title === 'kiln.glaze').text;
    assert.ok(glaze.includes('A glaze of `fire`.'), glaze);
    const whole = (await api()).find(({ title }) => title === 'kiln.glaze').text;
    assert.ok(whole.includes('[`fire`](kiln.md#kiln.fire)'), whole);
  });
});

describe('Bounds of filling', () => {
  it('Text that was put in is not filled again', async () => {
    const files = { 'loop.py': 'def a():\n    r"""::\n\n       .. autofunction:: loop.a\n\n    ::: loop.a\n    """\n' };
    const { text, count } = await filled('a.md', '::: loop.a\n', files);
    assert.equal(count, 1);
    assert.equal(text.match(/## loop\.a/g).length, 1);
  });

  it('What is put in has a limit, beyond which directives stay and are counted', async () => {
    const text = '::: kiln.fire\n\n::: kiln.Ramp\n\n::: kiln.glaze\n';
    const { filled: count, left } = fillDirectives([{ path: 'a.md', text }], await api(), { added: 10 });
    assert.deepEqual([count, Object.fromEntries(left)], [1, { ':::': 2 }]);
  });

  it('Hostile pages come to an end and stay as they are: unclosed fences, endless options, long lines', async () => {
    const pages = await api();
    for (const text of [
      '```{eval-rst}\n'.repeat(50_000),
      '````{autoclass} x\n```{autoclass} y\n'.repeat(30_000),
      '.. autoclass:: x\n'.repeat(100_000),
      `.. autoclass:: oven\n${'   :members: a\n'.repeat(100_000)}`,
      `::: oven.x\n${'    members:\n      - x\n'.repeat(50_000)}`,
      `${'`'.repeat(200_000)}\n`,
      `# ${'`a`'.repeat(50_000)}\n`,
      `.. function:: ${'a.'.repeat(100_000)}\n`,
      `${Array.from({ length: 2000 }, (_, i) => `${' '.repeat(i)}.. autoclass:: x\n`).join('')}${'\n'.repeat(2_000_000)}`,
      `${':::{autoclass} x\n'.repeat(100_000)}:::\n`,
    ])
      for (const path of ['a.md', 'a.rst']) {
        assert.deepEqual(fillDirectives([{ path, text }], pages).pages, []);
        assert.ok(definitionsOf(path, text).size < 3);
      }
    assert.match(rstOf(`x${'`'.repeat(100_000)}`), /^x`/);
    assert.match(rstOf('[a](b'.repeat(50_000)), /^\[a\]\(b/);
  });
});

describe('Long pages', () => {
  const many = 'Hot.\n'.repeat(200_000);

  it('Two hundred thousand lines below a directive stay below what is put in', async () => {
    for (const text of [
      `\`\`\`{autoclass} kiln.Ramp\n${many}\`\`\`\n`,
      `\`\`\`{eval-rst}\n.. autoclass:: kiln.Ramp\n\n${many}\`\`\`\n`,
      `\`\`\`{eval-rst}\n.. autoclass:: kiln.Ramp\n\n${many.replaceAll('H', '   H')}\`\`\`\n`,
    ]) {
      const [page] = fillDirectives([{ path: 'a.md', text }], await api()).pages;
      assert.equal(page.text.match(/^ *Hot\.$/gm).length, 200_000);
    }
  });

  it('Two hundred thousand lines are put in place of a directive', async () => {
    const [page] = await api({ 'kiln.py': '"""Kilns."""\n' });
    const { pages } = fillDirectives([{ path: 'a.rst', text: '  .. automodule:: kiln\n' }], [{ ...page, doc: many }]);
    assert.equal(pages[0].text.match(/^ {2}Hot\.$/gm).length, 200_000);
  });
});

describe('Names that a documentation describes', () => {
  it('Definitions are objects, anchors and headings in code, and no words of guides', () => {
    const of = (path, text) => [...definitionsOf(path, text)];
    assert.deepEqual(of('a.rst', '.. module:: kiln\n\n.. class:: Ramp(x)\n\n   .. method:: load(path)\n\n.. py:function:: kiln.fire()\n'), [
      'Ramp',
      'kiln.Ramp',
      'Ramp.load',
      'kiln.Ramp.load',
      'kiln.fire',
    ]);
    assert.deepEqual(
      of('a.md', '# Guide\n\n## `fire(pot)`\n\n### class: Ramp\n\n## Ramps\n\n### ramp.load()\n\n```\n# fire_it\n```\n\n## config.json\n'),
      ['fire', 'Ramp', 'ramp.load'],
    );
    assert.deepEqual(of('a.html', '<dt class="sig" id="kiln.fire">x</dt><h2 id="intro">'), ['kiln.fire']);
    assert.deepEqual(
      of(
        'a.md',
        '```{py:function} kiln.fire(pot)\nFires.\n```\n\n````{note}\n```{function} cool()\n```\n````\n\n```{code-block} python\n# `run()`\n```\n\n## `Ramp`\n',
      ),
      ['kiln.fire', 'cool', 'Ramp'],
    );
  });

  it('A module of which most names are described gets no page, and any other keeps all of its names', async () => {
    const reference = { path: 'docs/api.md', text: '# API\n\n## `fire()`\n\n## `Ramp`\n\n### `Ramp.load()`\n' };
    const { kept, left } = withoutKnown(await api(), [reference]);
    assert.deepEqual(
      kept.map(({ title }) => title),
      ['kiln.glaze'],
    );
    assert.deepEqual(left, [{ title: 'kiln', defined: 3, names: 4, where: 'docs/api.md' }]);
    const guide = { path: 'docs/guide.md', text: '# Guide\n\n## `fire()`\n\nFire the Ramp.\n' };
    assert.equal(withoutKnown(await api(), [guide]).kept.length, 2);
  });

  it('Pages of the API come behind the folders of guides', () => {
    assert.equal(folderBehind(['README.md']), 'api');
    assert.equal(folderBehind(['README.md', 'docs/a.md']), 'reference');
    assert.equal(folderBehind(['website/docs/a.md', 'docs/a.md']), 'website-api');
    assert.equal(folderBehind(['api/a.md']), 'reference');
  });
});
