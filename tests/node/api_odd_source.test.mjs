/** API documentation from odd and hostile source: public names stay, private ones go, no comment reaches beyond its entry. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { TooSlow } from '../../dist/browser/convert/api/model.js';
import { apiPages } from '../../dist/browser/convert/api/pages.js';
import { python } from '../../dist/browser/convert/api/python.js';
import { installedGrammars } from '../../dist/node/convert/grammars.js';

const MAIN = '@vscode/tree-sitter-wasm';
const KOTLIN = '@tree-sitter-grammars/tree-sitter-kotlin';
const lacking = async (name, path) => ((await installedGrammars.file(name, path)) === undefined ? `${name} is not installed` : false);
const skip = await lacking(MAIN, 'wasm/tree-sitter.wasm');
const skipKotlin = skip || (await lacking(KOTLIN, 'tree-sitter-kotlin.wasm'));

const made = async (files, limits) =>
  apiPages(
    Object.entries(files).map(([path, text]) => ({ path, bytes: new TextEncoder().encode(text) })),
    { grammars: installedGrammars, limits },
  );

/** The text of the one page, or of the page at `path`. */
async function textOf(files, path) {
  const { pages, notes } = await made(files);
  assert.deepEqual(notes, []);
  const page = path === undefined ? pages[0] : pages.find((each) => each.path === path);
  assert.ok(page, `among ${pages.map((each) => each.path).join(', ')}`);
  return page.text;
}
const ofPython = (text) => textOf({ 'kiln/__init__.py': text });
const typescript = (text) => textOf({ 'package.json': '{"name":"kiln","types":"index.ts"}', 'index.ts': text }, 'api/kiln.md');
const rust = (text) => textOf({ 'Cargo.toml': '[package]\nname = "kiln"\n', 'src/lib.rs': text });
const holds = (text, ...parts) => {
  for (const part of parts) assert.ok(text.includes(part), `it holds ${part}:\n${text}`);
};
const lacks = (text, ...parts) => {
  for (const part of parts) assert.ok(!text.includes(part), `it lacks ${part}:\n${text}`);
};
/** Names of the page's entries, by their anchors, which begin with the module `kiln` where names have modules. */
const headings = (text) => [...text.matchAll(/^#{2,6} .*\{#(?:kiln\.)?(\S+) /gm)].map(([, anchor]) => anchor);

describe('odd source of Python', { skip }, () => {
  it('Names of `__all__` are public, however it is written and whatever they begin with', async () => {
    const text = await textOf(
      {
        'kiln/__init__.py':
          'from ._impl import _Oven as Oven\nfrom ._impl import *\n__all__ = ["Oven", "_odd"]  # "no"\n__all__ += ["added"]\n__all__.extend(["extended"])\n__all__.append("appended")\ndef _odd(): pass\ndef added(): pass\ndef extended(): pass\ndef appended(): pass\ndef no(): pass\n',
        'kiln/_impl.py': 'class _Oven:\n    """An oven."""\ndef starred(): pass\n',
      },
      'api/kiln.md',
    );
    assert.deepEqual(headings(text), ['Oven', '_odd', 'added', 'extended', 'appended']);
    holds(text, 'class Oven\n');
  });

  it('Overloads are shown without the signature of their body', async () => {
    const text = await ofPython(
      'from typing import overload\n@overload\ndef fire(pot: int) -> int: ...\n@overload\ndef fire(pot: str) -> str: ...\ndef fire(pot):\n    """Fires."""\n',
    );
    holds(text, 'def fire(pot: int) -> int\ndef fire(pot: str) -> str\n```\n\nFires.');
  });

  it('Comments between parameters are no part of a signature, and strings with `#` are', async () => {
    const text = await ofPython('def fire(\n    pot: str,  # do not\n    # don\'t\n    cone="#6",  # hot\n):\n    "Fires."\n');
    holds(text, 'def fire(pot: str, cone="#6")\n');
  });

  it('Methods of every branch, aliases of types and strings side by side are read', async () => {
    const text = await ofPython(
      'class Oven:\n    if A:\n        def newer(self): "Newer."\n    else:\n        def older(self): "Older."\n    try:\n        def tried(self): "One." " Two."\n    except E:\n        pass\ntype Cone = int\ndef lines(): "One.\\n\\nTwo."\n',
    );
    assert.deepEqual(headings(text), ['Oven', 'Oven.newer', 'Oven.older', 'Oven.tried', 'Cone', 'lines']);
    holds(text, 'One. Two.', 'type Cone = int', 'One.\n\nTwo.');
  });

  it('A docstring keeps tables, stars of parameters and longer literals', async () => {
    const text = await ofPython(
      'def fire():\n    """Fires `` ``` `` and ``a`b`` <script>.\n\n    | a | b |\n    |---|---|\n    | 1 | 2 |\n\n    Args:\n        *pots: all\n        **more: rest\n\n    Constructor:\n        None.\n    """\n',
    );
    holds(text, 'Fires ` ``` ` and `` a`b `` &lt;script>.', '| a | b |\n|---|---|\n| 1 | 2 |', '- `*pots`: all\n- `**more`: rest');
    lacks(text, 'native code');
  });
});

describe('odd source of JavaScript and TypeScript', { skip }, () => {
  it('Default exports without a name, renamed ones and bound patterns are public', async () => {
    const files = {
      'package.json': '{"name":"kiln","types":"index.ts"}',
      'index.ts': `export { default as Oven } from './oven';\nimport Made from './made';\nexport { Made as Shown };\nexport const { bake, cool: chill = 1, ...others } = make();\nexport default class { /** Runs. */ run(): void {} }\n`,
      'oven.ts': '/** An oven. */\nexport default function (pot: string) {}\n',
      'made.ts': '/** Made. */\nconst Def = class Named {};\nexport default Def;\n',
    };
    holds(await textOf(files, 'api/kiln-oven.md'), '## Oven {#Oven .function}\n\n```ts\nfunction Oven(pot: string)\n```\n\nAn oven.');
    holds(await textOf(files, 'api/kiln-made.md'), '## Shown {#Shown .class}', 'Made.');
    assert.deepEqual(headings(await textOf(files, 'api/kiln.md')), ['bake', 'chill', 'others', 'default', 'default.run']);
  });

  it('Overloads are shown without the signature of their body, members of enums with their words', async () => {
    const text = await typescript(
      `export function fire(pot: string): void;\nexport function fire(pots: string[]): void;\nexport function fire(any: any) {}\nexport class Oven {\n  bake(a: 1): void;\n  bake(a: 2): void;\n  bake(a: any) {}\n}\nexport enum Colour {\n  /** Hot. */\n  Red = 'r',\n  Blue = 'b',\n}\n`,
    );
    holds(text, 'function fire(pot: string): void\nfunction fire(pots: string[]): void\n```', 'bake(a: 1): void\nbake(a: 2): void\n```');
    lacks(text, 'any');
    holds(text, "### Colour.Red {#Colour.Red .constant}\n\n```ts\nRed = 'r'\n```\n\nHot.", "Blue = 'b',");
  });

  it('Types with braces in braces and strings that look like comments stay whole', async () => {
    const text = await typescript(
      `/**\n * Fires.\n * @param {{a: {b: {c: number}}}} deep nested\n * @constructor\n */\nexport function fire(deep: object, at = 'https://kiln.example/*', /* odd */ b = "//"): void {}\n`,
    );
    holds(
      text,
      'function fire(deep: object, at = \'https://kiln.example/*\', b = "//"): void',
      '- `deep` (`{a: {b: {c: number}}}`): nested',
    );
    lacks(text, 'native code');
  });

  it('A fence that a comment leaves open ends with it, and hides none of its tags', async () => {
    const text = await typescript(
      '/**\n * Fires.\n * ```js\n * fire();\n * @param pot the pot\n */\nexport function fire(pot: string): void {}\n/** After. */\nexport function after(): void {}\n',
    );
    holds(text, '- `pot`: the pot', '\n## after {#after .function}');
    assert.equal((text.split('## after')[0].match(/^```/gm) ?? []).length % 2, 0, text);
  });

  it('Private fields of JavaScript are left out, functions in an exported object are not', async () => {
    const text = await textOf({
      'package.json': '{"name":"kiln","main":"index.js"}',
      'index.js':
        'class Oven { static #secret = 1; /** Hot. */ hot = true; }\nmodule.exports = { Oven, /** Fires. */ fire(pot) {}, bake: (pot) => pot, /** @private */ no() {} };\n',
    });
    assert.deepEqual(headings(text), ['Oven', 'Oven.hot', 'fire', 'bake']);
    lacks(text, 'secret');
  });
});

describe('odd source of Rust', { skip }, () => {
  it('Strings stay whole, deprecation gives its note, functions of other languages are public', async () => {
    const text = await rust(
      '#![doc = "A kiln."]\n/// Site.\npub const SITE: &str = "https://kiln.example//x";\n#[deprecated(since = "1.0", note = "use \\"bake\\"")]\npub fn fire<\'a>(x: &\'a str /* no */) {}\nextern "C" {\n    /// In C.\n    pub fn c_fire(x: i32) -> i32;\n    fn hidden();\n}\n',
    );
    assert.deepEqual(headings(text), ['SITE', 'fire', 'c_fire']);
    holds(text, '# kiln\n\nA kiln.', '= "https://kiln.example//x"', "pub fn fire<'a>(x: &'a str)", '**Deprecated**: use "bake"', 'In C.');
  });

  it('A re-export under another name is shown under it', async () => {
    const text = await textOf({
      'Cargo.toml': '[package]\nname = "kiln"\n',
      'src/lib.rs': 'mod imp;\npub use imp::secret as open;\npub(crate) use imp::hidden;\n',
      'src/imp.rs': '/// Opens.\npub fn secret() {}\npub fn hidden() {}\n',
    });
    assert.deepEqual(headings(text), ['open']);
    holds(text, 'pub fn open()\n');
  });
});

describe('odd source of Go', { skip }, () => {
  it('Comments behind constants are theirs, those in parameters are nobody’s, methods of private types are left out', async () => {
    const text = await textOf({
      'go.mod': 'module example.com/kiln\n',
      'kiln.go':
        "package kiln\n\n// Cones.\nconst (\n\tConeA = iota // low\n\tConeB        // high\n\tconeC\n)\n\n// Fire fires.\nfunc Fire(\n\ta int, // don't\n\tb string,\n) {}\n\ntype oven struct{}\n\nfunc (o *oven) Open() {}\n",
    });
    assert.deepEqual(headings(text), ['ConeA', 'ConeB', 'Fire']);
    holds(text, 'const ConeB\n```\n\nhigh', 'func Fire(a int, b string)');
  });
});

describe('odd source of Java and Kotlin', { skip }, () => {
  it('Annotations with brackets and quotes leave the signature whole', async () => {
    const text = await textOf({
      'Oven.java':
        'package org.kiln;\n@Entity(name = "a)b", value = @Inner(x = 1))\n@Deprecated(since = "2")\npublic class Oven {\n  /// In *Markdown*. See [Pot].\n  ///\n  /// @param cone how hot\n  public void fire(int cone) {}\n}\n',
    });
    holds(text, '@Deprecated public class Oven\n', 'In *Markdown*. See `Pot`.', '- `cone`: how hot');
    lacks(text, 'Inner', 'a)b');
  });

  it('Code in `{@code …}` keeps what looks like tags, entities elsewhere are characters', async () => {
    const text = await textOf({
      'Oven.java':
        '/**\n * Bakes &lt;b&gt; &valueOf;.\n * <pre>{@code\n * List<String> l = a && b;\n * }</pre>\n */\npublic class Oven {}\n',
    });
    holds(text, 'Bakes &lt;b> &valueOf;.', '```java\nList<String> l = a && b;\n```');
  });

  it('Constructors of Kotlin keep strings with brackets, and the words about them', { skip: skipKotlin }, async () => {
    const text = await textOf({
      'Oven.kt':
        'package org.kiln\n\n/**\n * An oven.\n * @constructor Makes it.\n */\nclass Oven(val size: Int, val name: String = "a long name (with a bracket), and a comma", val more: Int)\n',
    });
    holds(text, '    val name: String = "a long name (with a bracket), and a comma",\n    val more: Int\n)', 'An oven.\n\nMakes it.');
    lacks(text, 'native code');
  });
});

describe('odd source of C and C++', { skip }, () => {
  it('`\\code` behind words is a fence, whatever it holds', async () => {
    const text = await textOf({
      'kiln.h':
        '/**\n * \\brief Fires.\n * \\note Careful: \\code{.c}\n * fire(k); // ```\n * \\endcode\n * Then cool.\n * \\param k the kiln\n */\nint fire(int k);\n/** Cools. */\nint cool(void);\n#define KILN_SIZE 5 /**< Not here. */\n',
    });
    holds(text, '````c\nfire(k); // ```\n````\nThen cool.', '- `k`: the kiln', '\n## cool {#cool .function}\n');
  });

  it('Inline namespaces are no part of names, nameless ones have none, and comments behind braces are nobody’s', async () => {
    const text = await textOf({
      'kiln.hpp':
        '#pragma once\nnamespace kiln {\nnamespace { int hidden(); }\ninline namespace v1 {\n/// Each.\ntemplate <class F> requires Callable<F>\nvoid each(F&& f);\n}  // namespace v1\n/// Degrees.\nint degrees();\n}\n',
    });
    assert.deepEqual(headings(text), ['each', 'degrees']);
    holds(text, 'template <class F> requires Callable<F>\nvoid each(F&& f)', '```\n\nDegrees.');
    lacks(text, 'namespace v1');
  });
});

describe('source that is made to take long', { skip }, () => {
  it('Modules that take everything from each other give each name once', async () => {
    const names = Array.from({ length: 40 }, (_, i) => `m${i}`);
    const stars = names.map((name) => `from .${name} import *\n`).join('');
    const globs = names.map((name) => `pub use crate::${name}::*;\n`).join('');
    const { pages, notes } = await made({
      'kiln/__init__.py': stars,
      'Cargo.toml': '[package]\nname = "oven"\n',
      'src/lib.rs': `${names.map((name) => `mod ${name};\n`).join('')}${globs}`,
      ...Object.fromEntries(names.map((name) => [`kiln/_${name}.py`, `${stars.replaceAll('.m', '._m')}def f_${name}(): pass\n`])),
      ...Object.fromEntries(names.map((name) => [`src/${name}.rs`, `${globs}pub fn g_${name}() {}\n`])),
      'kiln/all.py': 'from ._m0 import *\n',
    });
    assert.deepEqual(notes, []);
    for (const path of ['api/kiln.all.md', 'api/oven.md'])
      assert.equal(headings(pages.find((each) => each.path === path).text).length, names.length, path);
  });

  it('A name at the end of a chain of thousands of modules is found', async () => {
    const numbers = Array.from({ length: 4000 }, (_, i) => i);
    const { pages, notes } = await made({
      'kiln/__init__.py': 'from ._m0 import *\n',
      ...Object.fromEntries(numbers.map((i) => [`kiln/_m${i}.py`, `from ._m${i + 1} import *\n`])),
      'kiln/_m4000.py': 'def fire(): pass\n',
      'Cargo.toml': '[package]\nname = "oven"\n',
      'src/lib.rs': `pub use m0::*;\n${numbers.map((i) => `mod m${i} { pub use crate::m${i + 1}::*; }\n`).join('')}mod m4000 { pub fn fire() {} }\n`,
    });
    assert.deepEqual(notes, []);
    assert.deepEqual(
      pages.map(({ path, text }) => [path, headings(text).map((each) => each.replace(/^oven\./, ''))]),
      [
        ['api/kiln.md', ['fire']],
        ['api/oven.md', ['fire']],
      ],
    );
  });

  it('A language whose public names take too long to find is left out with a note, and others stay', async (t) => {
    t.mock.method(python, 'assemble', (_files, _manifests, until) => TooSlow.check(Math.min(until, 0)));
    const { pages, notes } = await made({ 'kiln.py': 'def fire(): pass\n', 'oven.go': 'package oven\n\nfunc Fire() {}\n' });
    assert.deepEqual(notes, ['The API of Python is left out: to find its public names takes more than 120 seconds']);
    assert.deepEqual(
      pages.map(({ path }) => path),
      ['api/oven.md'],
    );
  });

  it('Thousands of names that differ in case alone have an anchor each', async () => {
    const letters = 'abcdefghijk';
    const name = (i) => [...letters].map((letter, bit) => ((i >> bit) & 1 ? letter.toUpperCase() : letter)).join('');
    const { pages, notes } = await made({ 'kiln.py': Array.from({ length: 2048 }, (_, i) => `def ${name(i)}(): ''`).join('\n') });
    assert.deepEqual(notes, []);
    assert.equal(new Set(headings(pages[0].text).map((each) => each.toLowerCase())).size, 2048);
  });

  it('A file that takes its time to read is left out with a note', async () => {
    const { pages, notes } = await made({ 'kiln.py': 'def fire(): pass\n'.repeat(50_000) }, { fileMs: 1 });
    assert.deepEqual(pages, []);
    assert.match(notes[0], /Left out: 1 source file that take more than 0\.001 seconds to read, such as kiln\.py/);
  });
});
