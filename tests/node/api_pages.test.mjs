/** API documentation from source: one page a module, public names alone, each language's comments as Markdown. */
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { apiPages, isApiSource } from '../../dist/browser/convert/api/pages.js';
import { go } from '../../dist/browser/convert/api/go.js';
import { rust } from '../../dist/browser/convert/api/rust.js';
import { docstring } from '../../dist/browser/convert/api/rest.js';
import { prose, readTags } from '../../dist/browser/convert/api/tags.js';
import { installedGrammars } from '../../dist/node/convert/grammars.js';

const bytes = (text) => new TextEncoder().encode(text);

/** Pages by path, of files by path. */
async function made(files, options = {}) {
  const list = Object.entries(files).map(([path, text]) => ({ path, bytes: bytes(text) }));
  const { pages, ...rest } = await apiPages(list, { grammars: installedGrammars, ...options });
  return { ...rest, pages: Object.fromEntries(pages.map((page) => [page.path, page])), list: pages };
}

const textOf = async (files, path, options) => {
  const { pages, notes } = await made(files, options);
  assert.deepEqual(notes, []);
  assert.ok(path in pages, `${path} is among ${Object.keys(pages).join(', ')}`);
  return pages[path].text;
};

const holds = (text, ...parts) => {
  for (const part of parts) assert.ok(text.includes(part), `it holds ${part}:\n${text}`);
};
const lacks = (text, ...parts) => {
  for (const part of parts) assert.ok(!text.includes(part), `it lacks ${part}:\n${text}`);
};

describe('API pages of Python', () => {
  const KILN = `"""Firing of pots."""
from ._heat import Ramp, ramp_up
from .glaze import Glaze

__all__ = ["Ramp", "Glaze", "fire", "ramp_up"]


def fire(pot: str, *, cone: int = 6, slow=False) -> "Ramp":
    """Fire one pot.

    See :class:\`~kiln.glaze.Glaze\` and :func:\`ramp_up\`.

    :param pot: The pot, as \`\`name\`\`.
    :type pot: str
    :param cone: How hot.
    :returns: The ramp.
    :raises ValueError: no such cone.

    .. versionadded:: 1.2

    Example::

        fire("mug", cone=4)
    """


def _secret():
    """Nobody sees this."""


def unlisted():
    """Not in __all__."""
`;
  const HEAT = `class Ramp(object):
    """A ramp.

    Args:
        degrees (int): Degrees an hour,
            on average.
        hold: Minutes.

    Returns:
        float: the end.
    """

    #: The steepest of all.
    steepest: int = 300
    colour: str = "red"

    def __init__(self, degrees: int, hold: int = 5) -> None:
        self.degrees = degrees

    @property
    def hours(self) -> float:
        """Hours that it takes."""

    @classmethod
    async def load(cls, path):
        """Load one.

        Parameters
        ----------
        path : str or Path
            Where it is.

        Raises
        ------
        OSError
            It is missing.
        """

    def _inner(self):
        pass


async def ramp_up():
    """>>> ramp_up()
    3
    """
`;
  const files = { 'src/kiln/__init__.py': KILN, 'src/kiln/_heat.py': HEAT, 'src/kiln/glaze.py': 'class Glaze:\n    """A glaze."""\n' };

  it('A module is a page with its public names, their signatures and words', async () => {
    const text = await textOf(files, 'api/kiln.md');
    holds(
      text,
      '# kiln\n\nFiring of pots.',
      '## fire {#kiln.fire .function}\n\n```python\ndef fire(pot: str, *, cone: int = 6, slow=False) -> "Ramp"\n```\n\nFire one pot.',
      'See [`Glaze`](#kiln.Glaze) and [`ramp_up`](#kiln.ramp_up).',
      '- `pot` (`str`): The pot, as `name`.',
      '- `cone`: How hot.',
      '**Returns:** The ramp.',
      '- (`ValueError`): no such cone.',
      '*Added in version 1.2*',
      'Example:\n\n```\nfire("mug", cone=4)\n```',
    );
    lacks(text, '_secret', 'unlisted', 'Nobody');
  });

  it('Names of a private module, and of one below a package, are documented where they are imported, and listed there', async () => {
    const { pages } = await made(files);
    assert.deepEqual(Object.keys(pages).sort(), ['api/kiln.glaze.md', 'api/kiln.md']);
    holds(
      pages['api/kiln.md'].text,
      '## Ramp {#kiln.Ramp .class}\n\n```python\nclass Ramp(object):\n    colour: str = "red"\n\nRamp(degrees: int, hold: int = 5)\n```',
      '- `degrees` (`int`): Degrees an hour,\n  on average.',
      '**Returns:** `float`: the end.',
      '### Ramp.steepest {#kiln.Ramp.steepest .attribute}\n\n```python\nsteepest: int = 300\n```\n\nThe steepest of all.',
      '### Ramp.hours {#kiln.Ramp.hours .property}\n\n```python\nproperty hours: float\n```',
      '@classmethod\nasync def load(path)',
      '- `path` (`str or Path`): Where it is.',
      '```python\n>>> ramp_up()\n3\n```',
      '## Glaze {#kiln.Glaze .class}',
    );
    holds(pages['api/kiln.glaze.md'].text, '## Also here\n\n- [`kiln.glaze.Glaze`](kiln.md#kiln.Glaze)');
    lacks(pages['api/kiln.md'].text, '_inner');
    assert.equal(pages['api/kiln.md'].source, 'src/kiln/__init__.py');
  });

  it('Docstrings in Markdown stay Markdown', () => {
    const text = docstring(
      'Fires.\n\n!!! note\n    Open the lid.\n\n```python\nfire()\n```\n\n## Usage\n\nSee [`Ramp`][kiln.Ramp] and List<int> of __init__.',
    );
    holds(text, '**Note:** Open the lid.', '```python\nfire()\n```', '**Usage**', 'List&lt;int> of `__init__`');
  });

  it('Lists, terms, notes and links of a docstring are those of Markdown', () => {
    const text = docstring(
      'Ways:\n\n* one\n  and more\n* two\n\nterm\n    What it is.\n\n.. note:: Mind.\n\n`Site <https://kiln.example>`_ and :pep:`8`.\n\n.. hidden comment\n',
    );
    holds(text, '- one\n  and more\n- two', '- term: What it is.', '**Note:** Mind.', '[Site](https://kiln.example) and PEP 8.');
    lacks(text, 'hidden');
  });
});

describe('API pages of JavaScript and TypeScript', () => {
  it('A package shows what its entry exports, by way of other files', async () => {
    const files = {
      'package.json': '{"name":"kiln","version":"1.0.0","types":"./dist/index.d.ts"}',
      'dist/index.d.ts': `import { Glaze } from './glaze.js';\nexport * from './fire.js';\nexport { Glaze };\nexport { Inner as Outer } from './fire.js';\n`,
      'dist/fire.d.ts': `/**
 * Fires a pot; see {@link Glaze.coat | coats} and {@link https://kiln.example}.
 * @param pot - the pot
 * @param options.cone how hot, in \`cones\`
 * @returns how long it took
 * @throws {RangeError} no such cone
 * @example
 * fire('mug')
 * @deprecated use {@link bake}
 */
export declare function fire(pot: string, options?: { cone: number }): Promise<number>;
export declare function fire(pots: string[]): Promise<number>;
/** @internal */
export declare function hidden(): void;
declare class Inner { private secret; /** Bakes Map<string>. */ bake(): void; size: number; }
export { Inner };
export declare const bake: (pot: string) => void;
`,
      'dist/glaze.d.ts': `export interface Glaze {\n  /** A coat. */\n  coat?: number;\n  colour: string;\n  mix(other: Glaze): Glaze;\n}\nexport declare enum Unused { A }\n`,
    };
    const { pages, names, described } = await made(files);
    assert.deepEqual(Object.keys(pages).sort(), ['api/kiln-fire.md', 'api/kiln-glaze.md']);
    const { text } = pages['api/kiln-fire.md'];
    holds(
      text,
      '# kiln: fire',
      '## fire {#fire .function}\n\n```ts\nfunction fire(pot: string, options?: { cone: number }): Promise<number>\nfunction fire(pots: string[]): Promise<number>\n```\n\nFires a pot; see [`coats`](kiln-glaze.md#Glaze.coat) and <https://kiln.example>.',
      '- `pot`: the pot',
      '- `options.cone`: how hot, in `cones`',
      '**Returns:** how long it took',
      '- (`RangeError`): no such cone',
      "**Example**\n\n```\nfire('mug')\n```",
      '**Deprecated:** use [`bake`](#bake)',
      '### Inner.bake {#Inner.bake .method}',
      'Bakes Map&lt;string>.',
      'const bake: (pot: string) => void',
    );
    lacks(text, 'hidden', 'secret', 'Unused');
    holds(
      pages['api/kiln-glaze.md'].text,
      'interface Glaze {\n    colour: string;\n}',
      '### Glaze.coat {#Glaze.coat .property}',
      '### Glaze.mix',
    );
    lacks(pages['api/kiln-glaze.md'].text, 'Unused');
    assert.equal(names, 7);
    assert.equal(described, 3);
  });

  it('Declarations in @types are those of a package that has none, with the files that they refer to', async () => {
    const files = {
      'package.json': '{"name":"kiln","version":"1.0.0","main":"kiln.js","exports":{".":"./kiln.js","./hot":{"types":"./hot.d.ts"}}}',
      'kiln.js': 'module.exports = {};',
      'hot.d.ts': 'export declare function glow(): void;',
      'node_modules/@types/kiln/package.json': '{"name":"@types/kiln","types":"index.d.ts","dependencies":{"@types/kiln-core":"*"}}',
      'node_modules/@types/kiln/index.d.ts': `/// <reference path="more.d.ts" />
import * as core from "kiln-core";
export = kiln;
declare const kiln: kiln.Kiln;
declare namespace kiln { interface Kiln extends core.Oven { fire(cone: number): void; } }`,
      'node_modules/@types/kiln/more.d.ts':
        'declare module "./index" { interface Kiln { /** Cools it. */ cool(slowly?: boolean): void; } }',
      'node_modules/@types/kiln-core/package.json': '{"name":"@types/kiln-core","types":"index.d.ts"}',
      'node_modules/@types/kiln-core/index.d.ts': 'export interface Oven { /** Opens it. */ open(): void; }',
    };
    const { pages } = await made(files);
    const all = Object.values(pages)
      .map(({ text }) => text)
      .join('\n');
    holds(all, '# kiln\n', 'fire(cone: number): void', 'cool(slowly?: boolean): void', 'open(): void', 'glow(): void');
    lacks(all, '@types', 'node_modules');
  });

  it('A package shows what it hands on of others in its node_modules, and nothing else of them', async () => {
    const { pages } = await made({
      'package.json': '{"name":"kiln","types":"index.d.ts"}',
      'index.d.ts': 'export { fire } from "@kiln/fire";',
      'node_modules/@kiln/fire/package.json': '{"name":"@kiln/fire","types":"dist/index.d.ts"}',
      'node_modules/@kiln/fire/dist/index.d.ts':
        'export declare function fire(cone: number): void;\nexport declare function hidden(): void;',
    });
    const all = Object.values(pages)
      .map(({ text }) => text)
      .join('\n');
    holds(all, 'function fire(cone: number): void');
    lacks(all, 'hidden');
  });

  it('CommonJS exports with JSDoc are read where no types are declared', async () => {
    const text = await textOf(
      {
        'package.json': '{"name":"kiln","main":"lib/kiln"}',
        'lib/kiln.js': `const { glaze } = require('./glaze');\n/** Fires. @private */\nfunction hidden() {}\n/**\n * Fires a pot.\n * @param {string} [pot=mug] the pot\n */\nfunction fire(pot) { return hidden(pot); }\nmodule.exports = { fire, glaze };\n`,
        'lib/glaze.js': '/** Glazes. */\nexports.glaze = function (pot) { return pot; };\n',
      },
      'api/kiln.md',
    );
    holds(text, '```js\nfunction fire(pot)\n```\n\nFires a pot.', '- `pot` (`string`): the pot');
    lacks(text, 'hidden');
  });

  it('A namespace that is the export shows the types that it passes on', async () => {
    const { pages } = await made({
      'package.json': '{"name":"kiln","types":"kiln.d.ts"}',
      'kiln.d.ts':
        "import { Ramp } from './types/ramp';\ndeclare namespace kiln { export type { Ramp } }\n/** Starts. */\ndeclare function kiln(): void;\nexport = kiln;\n",
      'types/ramp.d.ts': '/** A ramp. */\nexport interface Ramp { a: number }\n',
    });
    assert.deepEqual(Object.keys(pages).sort(), ['api/kiln-ramp.md', 'api/kiln.md']);
  });
});

describe('API pages of Rust', () => {
  it('Items of a crate in vendor are shown where a crate hands them on, with its public modules', async () => {
    const { pages } = await made({
      'Cargo.toml': '[package]\nname = "kiln"\n',
      'src/lib.rs': 'pub use kiln_core::{fire, glaze, Oven};\npub use kiln_core::secret;',
      'vendor/kiln_core/Cargo.toml': '[package]\nname = "kiln_core"\n',
      'vendor/kiln_core/src/lib.rs':
        'pub mod glaze;\nmod secret;\nmod oven;\npub use oven::Oven;\n/// Fires it.\npub fn fire(cone: u8) {}\npub fn unshown() {}',
      'vendor/kiln_core/src/glaze.rs': '/// A coat.\npub struct Coat;\nimpl Coat { /// Dips it.\n pub fn dip(&self) {} }',
      'vendor/kiln_core/src/oven.rs': '/// An oven.\npub struct Oven;\nimpl Oven { pub fn open(&mut self) {} }',
      'vendor/kiln_core/src/secret.rs': 'pub fn inner() {}',
    });
    assert.deepEqual(Object.keys(pages).sort(), ['api/kiln.glaze.md', 'api/kiln.md']);
    holds(pages['api/kiln.md'].text, 'fn fire(cone: u8)', 'fn open(&mut self)', 'An oven.');
    lacks(pages['api/kiln.md'].text, 'unshown', 'inner');
    holds(pages['api/kiln.glaze.md'].text, '# kiln::glaze', 'fn dip(&self)');
  });

  it('Items within macros count as if they stood in their place', async () => {
    const { pages } = await made({
      'Cargo.toml': '[package]\nname = "kiln"\n',
      'src/lib.rs': `mod root;
cfg_hot! {
    pub mod hot;
    /// Says "}" and '}'.
    pub fn say() {}
}
pin! { /// Kept.
    pub struct Kept { pub a: u8 } }
crate_root!();
/// Not items.
pub fn body() { select! { a => 1 } }
`,
      'src/root.rs':
        'macro_rules! crate_root {\n    () => {\n        /// Cool.\n        pub mod cool;\n        macro_rules! t { ($e:expr) => { $e }; }\n    };\n}',
      'src/hot.rs': '/// Glows.\npub fn glow() {}',
      'src/cool.rs': '/// Cools.\npub fn cool() {}',
    });
    assert.deepEqual(Object.keys(pages).sort(), ['api/kiln.cool.md', 'api/kiln.hot.md', 'api/kiln.md']);
    holds(pages['api/kiln.md'].text, 'pub fn say()', 'pub struct Kept', 'pub fn body()');
  });

  it('What the parser sees of hostile macros is as long as the text', () => {
    for (const part of ['a!{ pub ', 'macro_rules! a { () => { pub fn ', "'", 'r#"', '/*', 'a!{ // x\n', '"\\', '}', "'\\x"]) {
      const text = `${part.repeat(2000)}!`;
      assert.equal(rust.prepare(text).length, text.length, part);
    }
  });

  it('Methods of namesakes are those of the nearest type', async () => {
    const { pages } = await made({
      'Cargo.toml': '[package]\nname = "kiln"\n',
      'src/lib.rs': 'pub mod a;\npub mod b;',
      'src/a.rs': 'pub struct Pot;\nimpl Pot { pub fn of_a(&self) {} }',
      'src/b.rs': 'pub struct Pot;\nimpl Pot { pub fn of_b(&self) {} }',
    });
    lacks(pages['api/kiln.a.md'].text, 'of_b');
    lacks(pages['api/kiln.b.md'].text, 'of_a');
  });

  it('Public items of public modules are shown, re-exported ones where their users find them', async () => {
    const { pages, notes } = await made({
      'Cargo.toml': '[package]\nname = "kiln-core"\nversion = "1.0.0"\n',
      'src/lib.rs': `//! Fires pots; see [\`Ramp\`] and [the glazes](glaze).
//!
//! # Usage
//!
//! \`\`\`
//! # hidden();
//! kiln_core::fire(&[1u8]); // a \`[u8]\`
//! \`\`\`

mod ramp;
pub mod glaze;
pub use self::ramp::Ramp;

/// Fires a Vec<u8>, like \`&[u8]\`.
///
/// # Errors
/// If it is [cold](Ramp::cold).
pub fn fire(pot: &[u8]) -> Result<(), Error> { todo!() }

/// Private.
fn inner() {}
#[doc(hidden)]
pub fn hidden() {}
#[macro_export]
macro_rules! fire_all { () => {} }
#[cfg(test)]
mod tests { pub fn nothing() {} }
`,
      'src/ramp.rs': `/// A ramp.\n#[derive(Debug)]\npub struct Ramp {\n    /// Degrees.\n    pub degrees: u32,\n    secret: u8,\n}\nimpl Ramp {\n    /// Whether it is cold.\n    pub const fn cold(&self) -> bool { true }\n    fn inner(&self) {}\n}\nimpl Clone for Ramp { fn clone(&self) -> Self { todo!() } }\n`,
      'src/glaze.rs':
        '/// Kinds.\npub enum Glaze {\n    /// White.\n    White,\n    Blue(u8),\n}\npub trait Coat {\n    /// Coats.\n    fn coat(&self);\n}\n',
    });
    assert.deepEqual(notes, []);
    assert.deepEqual(Object.keys(pages).sort(), ['api/kiln_core.glaze.md', 'api/kiln_core.md']);
    const { text } = pages['api/kiln_core.md'];
    holds(
      text,
      'Fires pots; see [`Ramp`](#kiln_core.Ramp) and [the glazes](kiln_core.glaze.md).',
      '## Usage\n\n```rust\nkiln_core::fire(&[1u8]); // a `[u8]`\n```',
      '```rust\npub fn fire(pot: &[u8]) -> Result<(), Error>\n```\n\nFires a Vec&lt;u8>, like `&[u8]`.\n\n**Errors**\n\nIf it is [`cold`](#kiln_core.Ramp.cold).',
      '## fire_all {#kiln_core.fire_all .macro}',
      'pub struct Ramp {\n    pub degrees: u32,\n}',
      '### Ramp::degrees {#kiln_core.Ramp.degrees .field}',
      '### Ramp::cold {#kiln_core.Ramp.cold .method}\n\n```rust\npub const fn cold(&self) -> bool\n```',
    );
    lacks(text, 'hidden', 'inner', 'secret', 'nothing', 'clone');
    holds(
      pages['api/kiln_core.glaze.md'].text,
      '### Glaze::White {#kiln_core.glaze.Glaze.White .variant}',
      'Blue(u8),',
      '### Coat::coat {#kiln_core.glaze.Coat.coat .method}',
    );
  });
});

describe('API pages of Go', () => {
  it('A package is a page of all its files, with methods below their types', async () => {
    const { pages, notes } = await made({
      'go.mod': 'module kiln.example/core\n\ngo 1.22\n',
      'doc.go':
        '// Package core fires pots.\n//\n// # Usage\n//\n// Call it:\n//\n//\tcore.Fire("mug")\n//\n//   - one\n//   - two\npackage core\n',
      'fire.go': `package core\n\n// Fire fires; see [Ramp.Hours].\n//\n// Deprecated: use Bake.\nfunc Fire(pot string) error { return nil }\n\nfunc inner() {}\n\n// Ramp is a ramp.\ntype Ramp struct {\n\t// Degrees an hour.\n\tDegrees int\n\tsecret struct {\n\t\tName string\n\t}\n\tHold int // minutes\n}\n\n// Hours that it takes.\nfunc (r *Ramp) Hours() float64 { return 0 }\n\n// Cones.\nconst (\n\tLow = iota\n\tHigh\n\tlower\n)\n`,
      'internal/x/x.go': 'package x\n\n// Hidden is private.\nfunc Hidden() {}\n',
      'fire_test.go': 'package core\n\nfunc TestFire() {}\n',
    });
    assert.deepEqual(notes, []);
    assert.deepEqual(Object.keys(pages), ['api/kiln.example.core.md']);
    const [{ text }] = Object.values(pages);
    holds(
      text,
      '# kiln.example/core\n\nPackage core fires pots.\n\n## Usage\n\nCall it:\n\n```go\ncore.Fire("mug")\n```\n\n- one\n- two',
      '```go\nfunc Fire(pot string) error\n```\n\nFire fires; see [`Ramp.Hours`](#core.Ramp.Hours).\n\n**Deprecated:** use Bake.',
      'type Ramp struct {\n    Degrees int\n    Hold int\n    // … private fields\n}',
      '### Ramp.Degrees {#core.Ramp.Degrees .field}\n\n```go\nDegrees int\n```\n\nDegrees an hour.',
      '### Ramp.Hold {#core.Ramp.Hold .field}\n\n```go\nHold int\n```\n\nminutes',
      '### Ramp.Hours {#core.Ramp.Hours .method}\n\n```go\nfunc (r *Ramp) Hours() float64\n```',
      '## Low, High {#core.Low-High .constant}',
    );
    lacks(text, 'inner', 'Hidden', 'TestFire', 'lower', 'Name string');
  });

  it('A type may have two hundred thousand methods', () => {
    const one = (kind, name) => ({ kind, name, signatures: [], doc: '', members: [] });
    const methods = Array.from({ length: 200_000 }, (_, i) => ['Oven', one('method', `M${i}`)]);
    const file = { name: 'kiln', doc: '', declared: [one('function', 'Oven'), one('type', 'Oven')], methods };
    const [{ entries }] = go.assemble(new Map([['kiln.go', file]]), new Map(), Infinity);
    assert.deepEqual(
      entries.map(({ kind, members }) => [kind, members.length]),
      [
        ['function', 0],
        ['type', 200_000],
      ],
    );
  });
});

describe('API pages of Java', () => {
  it('A type is a page with what is public or protected, Javadoc as Markdown', async () => {
    const text = await textOf(
      {
        'org/kiln/Kiln.java': `package org.kiln;

import java.util.List;

/**
 * A kiln, <b>hot</b>. See {@link #fire(String, int) firing}, {@code List<Pot>} and {@link Pot}.
 * <p>Steps:
 * <ul>
 *   <li>one &amp; two
 *   <li>three
 * </ul>
 * <pre>{@code
 * kiln.fire("mug", 6);
 * }</pre>
 *
 * @param <T> kind of pots
 * @since 1.2
 * @see Pot
 */
public class Kiln<T> extends Base implements Runnable {
  /** Hottest. */
  public static final int MAX = 1300;
  private int secret;

  /** Makes one. */
  public Kiln() {}

  /**
   * Fires.
   * @param pot the pot
   * @return whether it is done
   * @throws IllegalStateException if it is cold
   * @deprecated use {@link #bake}
   */
  @Deprecated
  @SuppressWarnings("unused")
  public boolean fire(final String pot, int cone) throws IllegalStateException { return true; }

  public boolean fire(String pot) { return true; }
  void inner() {}
  /** A pot. */
  public enum Pot { MUG, /** Large. */ VASE; }
}
`,
      },
      'api/org.kiln.Kiln.md',
    );
    holds(
      text,
      '# org.kiln.Kiln',
      'A kiln, **hot**. See [`firing`](#Kiln.fire), `List<Pot>` and [`Pot`](#Kiln.Pot).',
      'Steps:\n\n- one & two\n- three',
      '```java\nkiln.fire("mug", 6);\n```',
      '**Since:** 1.2',
      '**See also:** [`Pot`](#Kiln.Pot)',
      '### Kiln.MAX {#Kiln.MAX .field}\n\n```java\npublic static final int MAX = 1300\n```\n\nHottest.',
      '### Kiln.fire {#Kiln.fire .method}\n\n```java\n@Deprecated public boolean fire(final String pot, int cone) throws IllegalStateException\npublic boolean fire(String pot)\n```\n\nFires.',
      '- `pot`: the pot',
      '- (`IllegalStateException`): if it is cold',
      '#### Kiln.Pot.VASE {#Kiln.Pot.VASE .constant}',
    );
    lacks(text, 'secret', 'inner', 'SuppressWarnings');
  });
});

const hasKotlin =
  existsSync(new URL('../../node_modules/@tree-sitter-grammars/tree-sitter-kotlin', import.meta.url)) ||
  (await installedGrammars.file('@tree-sitter-grammars/tree-sitter-kotlin', 'package.json')) !== undefined;

describe('API pages of Kotlin', { skip: hasKotlin ? false : 'its grammar is not installed' }, () => {
  it('A class is a page with what is public, KDoc as Markdown', async () => {
    const text = await textOf(
      {
        'Kiln.kt': `package org.kiln\n\n/**\n * A kiln; see [fire] and [the pot][Pot].\n * @property name its name\n */\nclass Kiln(val name: String) {\n  /** Fires. @return nothing */\n  fun fire(pot: Pot, cone: Int = 6): Boolean = true\n  private fun inner() {}\n  internal val secret = 1\n}\n\n/** A pot. */\ndata class Pot(val size: Int)\n`,
      },
      'api/org.kiln.Kiln.md',
    );
    holds(
      text,
      'A kiln; see [`fire`](#Kiln.fire) and [the pot](#Pot).',
      '### Kiln.fire {#Kiln.fire .method}\n\n```kotlin\nfun fire(pot: Pot, cone: Int = 6): Boolean\n```',
      '## Pot {#Pot .class}',
    );
    lacks(text, 'inner', 'secret');
  });
});

describe('API pages of C and C++', () => {
  it('A header is a page with what is declared, Doxygen as Markdown', async () => {
    const text = await textOf(
      {
        'include/kiln/kiln.h': `/** @file kiln.h
 *  Fires pots. */
#ifndef KILN_H
#define KILN_H
#ifdef __cplusplus
extern "C" {
#endif

/** Hottest. */
#define KILN_MAX 1300
#define KILN_API

/**
 * @brief Fires a pot.
 *
 * Slowly, by \\c cone; see kiln_free(), \\ref kiln_t.
 * \\code{.c}
 * kiln_fire("mug", 6);
 * \\endcode
 * @param[in] pot the pot
 * @return 0, or an error
 */
KILN_API
int kiln_fire(const char *pot, int cone);

/* Frees it. */
KILN_API void kiln_free(void *it);

typedef struct {
  int degrees; /**< Degrees an hour. */
  int hold;
} kiln_t;

/// Kinds.
enum kiln_kind { KILN_GAS, KILN_WOOD /**< With wood. */ };

static int hidden(void);
#ifdef __cplusplus
}
#endif
#endif
`,
      },
      'api/kiln.kiln.h.md',
    );
    holds(
      text,
      '# kiln/kiln.h\n\nFires pots.',
      '## KILN_MAX {#KILN_MAX .macro}',
      '## kiln_fire {#kiln_fire .function}\n\n```c\nint kiln_fire(const char *pot, int cone)\n```\n\nFires a pot.\n\nSlowly, by `cone`; see kiln_free(), [`kiln_t`](#kiln_t).\n```c\nkiln_fire("mug", 6);\n```',
      '- `pot`: the pot',
      '**Returns:** 0, or an error',
      'void kiln_free(void *it)\n```\n\nFrees it.',
      'struct kiln_t {\n    int hold;\n}',
      '### kiln_t::degrees {#kiln_t.degrees .field}',
      '### kiln_kind::KILN_WOOD',
    );
    lacks(text, 'hidden', 'KILN_API');
  });

  it('A class shows its public members below its namespace', async () => {
    const text = await textOf(
      {
        'kiln.hpp': `#pragma once\nnamespace kiln {\nnamespace detail { void inner(); }\n/// A kiln of T.\ntemplate <typename T>\nclass Kiln : public Base {\n public:\n  /// Makes one.\n  explicit Kiln(int size);\n  /// Fires.\n  virtual bool fire(T pot) const noexcept { return true; }\n  Kiln(const Kiln&) = delete;\n private:\n  int secret_;\n};\nusing Pot = Kiln<int>;\n}\n`,
      },
      'api/kiln.hpp.md',
    );
    holds(
      text,
      '## kiln::Kiln {#kiln.Kiln .class}\n\n```cpp\ntemplate <typename T>\nclass Kiln : public Base\n```\n\nA kiln of T.',
      '### kiln::Kiln::fire {#kiln.Kiln.fire .method}\n\n```cpp\nvirtual bool fire(T pot) const noexcept\n```',
      '## kiln::Pot {#kiln.Pot .type}',
    );
    lacks(text, 'secret_', 'inner', 'delete');
  });
});

describe('API pages and what they leave out', () => {
  const none = { file: async () => undefined, runtime: async () => undefined, advice: (names) => `npm install ${names.join(' ')}` };

  it('Without its grammar a file is counted, and the package that it needs is named', async () => {
    const { list, notes } = await made({ 'a.py': 'x = 1', 'b.py': 'y = 1', 'c.kt': 'class C' }, { grammars: none });
    assert.deepEqual(list, []);
    assert.equal(notes.length, 2);
    assert.match(
      notes[0],
      /^2 files of Python are not read: that needs @vscode\/tree-sitter-wasm@0\.3\.1, which is not installed\. npm install/,
    );
    assert.match(notes[1], /^1 file of Kotlin is not read: that needs @tree-sitter-grammars\/tree-sitter-kotlin@/);
  });

  it('The advice of Node names the commands that install the packages', () => {
    const advice = installedGrammars.advice(['@vscode/tree-sitter-wasm']);
    assert.match(
      advice,
      /^In a project: npm install --ignore-scripts '@vscode\/tree-sitter-wasm@0\.3\.1'\. For a machine-wide sheaf: npm install --ignore-scripts --prefix '.+' '@vscode\/tree-sitter-wasm@0\.3\.1'$/,
    );
  });

  it('Tests, examples, vendored code and scripts of builds are no API', () => {
    for (const path of [
      'tests/test_a.py',
      'kiln/test_a.py',
      'setup.py',
      'examples/a.rs',
      'vendor/a.go',
      'a_test.go',
      'a.test.ts',
      'node_modules/x/a.d.ts',
      'README.md',
      'docs/conf.py',
      'kiln.min.js',
    ])
      assert.equal(isApiSource(path), false, path);
    for (const path of ['kiln/testing.py', 'src/lib.rs', 'a.d.ts', 'include/a.h', 'go.mod', 'Cargo.toml', 'package.json'])
      assert.equal(isApiSource(path), true, path);
  });

  it('The same files give the same pages in any order', async () => {
    const files = { 'b/__init__.py': 'from ._x import f', 'b/_x.py': 'def f(): "F."', 'a.py': 'def g(): "G."' };
    const turned = Object.fromEntries(Object.entries(files).reverse());
    assert.deepEqual((await made(files)).list, (await made(turned)).list);
  });

  it('A source of a million lines is left out and counted, and the others go on', async () => {
    const { pages, notes } = await made({
      'big.py': 'x = 1\n'.repeat(1_000_000),
      'wide.py': 'f()\n'.repeat(210_000),
      'small.py': 'def f():\n    "F."\n',
    });
    assert.deepEqual(Object.keys(pages), ['api/small.md']);
    assert.deepEqual(notes, [
      'Left out: 1 source file of more than 4 MiB, such as big.py',
      'Left out: 1 source file with more than 200000 declarations, such as wide.py',
    ]);
  });

  it('Deep nesting of expressions, classes and namespaces ends', async () => {
    const { notes } = await made({
      'deep.py': `x = ${'('.repeat(100_000)}1${')'.repeat(100_000)}\ndef f():\n    "F."\n`,
      'Deep.java': `${'public class A {'.repeat(50_000)}${'}'.repeat(50_000)}`,
      'deep.hpp': `${'namespace a {'.repeat(50_000)}${'}'.repeat(50_000)}`,
      'deep.rs': `${'pub mod a {'.repeat(50_000)}${'}'.repeat(50_000)}`,
      'deep.d.ts': `${'declare namespace a {'.repeat(30_000)}${'}'.repeat(30_000)}\nexport type T = ${'['.repeat(50_000)}${']'.repeat(50_000)};`,
      'classes.py': Array.from({ length: 1500 }, (_, i) => `${' '.repeat(i)}class A:\n`).join(''),
    });
    for (const note of notes) assert.match(note, /^Left out: \d+ source files? (?:that could not be read|whose names are nested too deep)/);
  });

  it('A grammar that loops is ended, and its file is counted', async () => {
    class Parser {
      static async init() {}
      setLanguage() {}
      parse(_text, _old, { progressCallback }) {
        while (!progressCallback());
        return null;
      }
      reset() {}
      delete() {}
    }
    const grammars = {
      ...none,
      file: async () => new Uint8Array(),
      runtime: async () => ({ Parser, Language: { load: async () => ({}) } }),
    };
    const { list, notes } = await made({ 'a.py': 'x', 'b.py': 'x' }, { grammars, limits: { fileMs: 50 } });
    assert.deepEqual(list, []);
    assert.deepEqual(notes, ['Left out: 2 source files that take more than 0.05 seconds to read, such as a.py']);
    const late = await made({ 'a.py': 'x', 'b.py': 'x' }, { grammars, limits: { fileMs: 50, ms: 20 } });
    assert.equal(late.notes.length, 2);
  });

  it('Comments of hostile text take linear time', () => {
    const begin = Date.now();
    for (const part of [
      '`',
      '{@link ',
      '[',
      '``a',
      ':a:',
      '<a ',
      '**',
      '@param {',
      '\\c ',
      '|',
      '__a',
      '<pre>',
      '- ',
      '>>>',
      '.. a::\n   ',
      '!!! a\n  ',
    ]) {
      const text = part.repeat(Math.ceil(60_000 / part.length));
      docstring(text);
      for (const style of ['jsdoc', 'javadoc', 'kdoc', 'doxygen']) {
        prose(text, style);
        readTags(`/** ${text} */`, style);
      }
    }
    assert.ok(Date.now() - begin < 20_000, `${Date.now() - begin} ms`);
  });

  it('Marks of references cannot come from a source', async () => {
    const text = await textOf({ 'a.py': 'def f():\n    "\u0001evil\u0002text\u0003 and <script>alert(1)</script>"\n' }, 'api/a.md');
    lacks(text, '\u0001', '<script');
  });

  it('Names that share an anchor get one each', async () => {
    const text = await textOf({ 'a.py': 'class Session:\n    "S."\n\ndef session():\n    "s."\n' }, 'api/a.md');
    holds(text, '{#a.Session .class}', '{#a.session-2 .function}');
  });
});
