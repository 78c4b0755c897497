/** The pages of the project's site as they are gathered, and the reference made from the code; tests/site builds the whole of it. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { problems } from '../../scripts/docs.mjs';
import { anchorsOf, leadOf, mapLinks, titleOf } from '../../scripts/docs/gather.mjs';
import { apiEntries, elementEvents, elementPage, elementProperties, plain, pythonPage } from '../../scripts/docs/reference.mjs';
import { manPage, roff } from '../../scripts/man.mjs';
import { verbHelp, paragraphsOf, parseHelp } from '../../scripts/verb_help.mjs';
import { commandsFor } from '../site/first_minutes.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(root + path, 'utf8');

describe('pages of the site', () => {
  it('Links of docs/ lead somewhere, and site/outline.mjs places every page', async () => {
    assert.deepEqual(await problems(), []);
  });

  it('A link to no page, no heading or no file is a problem', () => {
    const problem = (target, page = 'site.md') => leadOf({ page, target }).problem;
    assert.match(problem('nowhere.md'), /site\.md links to nowhere\.md, which is not there/);
    assert.match(problem('ui.md#nowhere'), /no heading has this anchor/);
    assert.match(problem('#nowhere'), /has no heading/);
    assert.match(problem('../scripts/nowhere.mjs'), /not there/);
    for (const good of ['ui.md#events', '#old-browsers', 'https://a.example/', '../scripts/docs.mjs', 'images/search.png'])
      assert.equal(problem(good), undefined, good);
    assert.equal(problem('../format.md', 'decisions/0001-levels-instead-of-counts.md'), undefined);
  });

  it('A link to a file of the repository is one where the owner has said where that is', () => {
    const target = (repository) => leadOf({ page: 'testing.md', target: '../tests/fuzz/README.md#seeds', repository }).target;
    assert.equal(target(null), null);
    assert.equal(target('https://github.com/o/sheaf'), 'https://github.com/o/sheaf/blob/main/tests/fuzz/README.md#seeds');
  });

  it('Links in code stay as they are, and words stand alone where a link leads nowhere', () => {
    const text = 'A [page](a.md), `[code](b.md)` and ![image](c.png).\n\n```\n[code](d.md)\n```\n[`x`](e.md)';
    assert.equal(
      mapLinks(text, (target) => (target === 'e.md' ? null : target.toUpperCase())),
      'A [page](A.MD), `[code](b.md)` and ![image](C.PNG).\n\n```\n[code](d.md)\n```\n`x`',
    );
  });

  it('Anchors are those that GitHub makes', () => {
    assert.deepEqual(
      [...anchorsOf('# Where `--inject` puts it\n```\n# code\n```\n## Same\n## Same\n## Größe, [a](b.md)!')],
      ['where---inject-puts-it', 'same', 'same-1', 'größe-a'],
    );
    assert.equal(titleOf('\n# `<sheaf-search>`\n'), 'sheaf-search');
  });
});

describe('reference from the code', () => {
  it('The help of a verb is read as usage, text, options and lines that stay', () => {
    const help = `Usage: sheaf x A
       sheaf x B

Does this
and that.

  -l, --long NAME   a text
                    that goes on
      --very-long-x it begins one space behind
      --of KIND     one    the first
                    two    the second, of
                             which there is more

KIND is this:
  a   b
      --more`;
    assert.deepEqual(parseHelp(help), {
      usage: ['sheaf x A', 'sheaf x B'],
      blocks: [
        { text: 'Does this\nand that.' },
        {
          options: [
            { flags: '-l, --long NAME', lines: ['a text', 'that goes on'] },
            { flags: '--very-long-x', lines: ['it begins one space behind'] },
            { flags: '--of KIND', lines: ['one    the first', 'two    the second, of', '         which there is more'] },
          ],
        },
        { text: 'KIND is this:' },
        { verbatim: ['  a   b'] },
        { options: [{ flags: '--more', lines: [] }] },
      ],
    });
    assert.deepEqual(paragraphsOf(['a text', ' that goes on']), ['a text that goes on']);
    assert.deepEqual(paragraphsOf(['one    1', 'two    2', '         more']), ['one    1', 'two    2 more']);
  });

  it('No word of a real help is lost, and every option at the beginning of a line is one', async () => {
    const { verbs } = await verbHelp();
    assert.ok(verbs.length > 20);
    const words = (text) => text.split(/\s+/).filter((word) => word !== '' && word !== 'Usage:');
    for (const { name, help, usage, blocks } of verbs) {
      const read = [
        ...usage,
        ...blocks.flatMap(({ text, options, verbatim }) => [
          text ?? [],
          verbatim ?? [],
          (options ?? []).map(({ flags, lines }) => [flags, lines]),
        ]),
      ];
      assert.deepEqual(words(read.flat(3).join(' ')), words(help), name);
      const flags = blocks.flatMap(({ options = [] }) => options.map((option) => option.flags));
      assert.equal(flags.length, help.match(/^ {2,6}(?:-\w, )?--\w/gm)?.length ?? 0, name);
      for (const each of flags) assert.match(each, /^(?:-\w, )?--[\w-]+(?:\[?=?| )?[^\s]*(?: [^\s]+)?$/, name);
    }
  });

  it('Attributes and events are those of the code, and docs/ui.md has each', () => {
    const properties = elementProperties(read('web/browser/ui/properties.ts'));
    assert.ok(properties.length >= 24);
    assert.deepEqual(
      properties.find(({ name }) => name === 'recentKey'),
      { name: 'recentKey', attribute: 'recent-key', type: 'string', byDefault: "'sheaf-recent'", text: '' },
    );
    const described = read('docs/ui.md');
    for (const { name, attribute } of properties) assert.ok(described.includes(`\`${attribute ?? name}\``), name);
    const events = [...described.matchAll(/^\| `(sheaf-[a-z]+)` \|/gm)].map(([, name]) => name);
    assert.deepEqual(elementEvents(), events.sort());
    assert.match(
      elementPage(),
      /^\| `results-url` \| `resultsUrl` \| A results page, linked from dialog and box as `\?q=`\. \| `string \\\| undefined` \|$/m,
    );
    assert.match(elementPage(), /^\| `mode` \|  \| .*\| `SheafSearchMode`<br>default `'button'` \|$/m);
  });

  it('Declarations of every entry that programs import are there', () => {
    const entries = apiEntries(JSON.parse(read('package.json')));
    for (const name of ['sheaf', 'sheaf/node', 'sheaf/federated', 'sheaf/packer', 'sheaf/ui/headless', 'sheaf/vitepress'])
      assert.ok(entries[name], name);
    assert.ok(!Object.keys(entries).some((name) => /worker|min\.js/.test(name)));
    for (const types of Object.values(entries)) assert.ok(existsSync(root + types), types);
  });

  it('Every name that Python programs import has a heading, its signature and its words', async () => {
    const page = await pythonPage();
    const [, all] = /__all__ = \[(.*?)\]/s.exec(read('python/sheaf/__init__.py'));
    const names = [...all.matchAll(/"(\w+)"/g)].map(([, name]) => name);
    assert.ok(names.length > 15);
    const anchors = new Set([...page.matchAll(/^##+ .* \{#([\w.]+)\}$/gm)].map(([, anchor]) => anchor));
    for (const name of names) assert.ok(anchors.has(`sheaf.${name}`), name);
    for (const [, target] of page.matchAll(/\]\((?!https?:)([^)]*)\)/g))
      assert.ok(target.startsWith('#') ? anchors.has(target.slice(1)) : /^(?:command|\.\.\/(?:python|adapters))\.md$/.test(target), target);
    assert.match(page, /^### Library\.search \{#sheaf\.Library\.search\}\n\n```python\ndef search\(\n {4}query: str,/m);
    assert.match(page, /^- `rrf`: reciprocal rank fusion/m);
    assert.match(page, /```(?:python|text)?\nimport sheaf\n\nwith sheaf\.open/);
  });

  it('Text of a help is no Markdown, no HTML and no template', () => {
    assert.equal(plain('a|b *c* <html lang> {{x}} [d]'), 'a\\|b \\*c\\* &lt;html lang> &#123;&#123;x}} \\[d\\]');
  });
});

describe('the manual page', () => {
  const overview = 'Usage: sheaf VERB [ARGUMENTS]     search\n\n  sheaf a B   does\n\nResults go to stdout.\n0 done.';
  const verbs = [
    { name: 'a', ...parseHelp("Usage: sheaf a B\n\n.begins with a point and a \\\n\n  -q, --quiet   say\n                less\n  'odd'") },
  ];

  it('The manual page has usage, text and options of each verb, and no line that roff takes for a command', () => {
    const page = manPage({ version: '1.2', overview, verbs });
    assert.match(page, /^\.TH SHEAF 1 "" "sheaf 1\.2" "User Commands"$/m);
    assert.match(page, /^\.B sheaf VERB \[ARGUMENTS\]$/m);
    assert.match(page, /^\.SS a\n\.PP\n\.nf\nsheaf a B\n\.fi\n\.PP\n\\&\.begins with a point and a \\e$/m);
    assert.match(page, /^\.TP\n\.B \\-q, \\-\\-quiet\nsay less$/m);
    assert.match(page, /^\.SH EXIT STATUS\nResults go to stdout\.\n0 done\.$/m);
  });

  it('The manual page of the package is that of its verbs, and groff has nothing to say about it', async (t) => {
    const { man, version } = JSON.parse(read('package.json'));
    const all = await verbHelp();
    assert.equal(read(man), manPage({ version, ...all }), 'node scripts/man.mjs');
    for (const { blocks } of all.verbs)
      for (const { options = [] } of blocks) for (const { flags } of options) assert.ok(read(man).includes(`.B ${roff(flags)}\n`), flags);
    const groff = spawnSync('groff', ['-man', '-ww', '-Tutf8', '-Kutf8', root + man], { encoding: 'utf8' });
    if (groff.error) return t.skip('there is no groff');
    assert.equal(groff.stderr, '');
  });
});

describe('the first minutes', () => {
  it('The commands that are typed are those of README, and each row that is tried has some', () => {
    const readme = read('README.md');
    assert.match(commandsFor(readme, 'a documentation site')[0], /^npx sheaf site \S+ --inject$/);
    const [line, ...clients] = commandsFor(readme, 'a coding agent');
    assert.match(line, /^npx sheaf add vue && npx sheaf install-mcp --claude-code$/);
    assert.ok(clients.includes('--cursor'));
    assert.deepEqual(commandsFor(readme, 'no network'), ['npm run build && npm run extension', 'build/extension/chromium']);
    assert.throws(() => commandsFor(readme, 'a nobody'), /README has no row for "a nobody"/);
  });
});
