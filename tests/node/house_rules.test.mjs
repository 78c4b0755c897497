/** Rules that `npm run lint` and CI hold the tree to: workflows, prose and the subjects of commits (scripts/). */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { subjectComplaint } from '../../scripts/commits.mjs';
import { problems as helperProblems, sources } from '../../scripts/helper_names.mjs';
import { complaintOf, messages, paragraphs, prose } from '../../scripts/prose.mjs';
import { workflowFiles, workflowProblems } from '../../scripts/workflows.mjs';

const COMMIT = 'a'.repeat(40);
const workflow = (...steps) => `permissions:\n  contents: read\njobs:\n  a:\n    steps:\n${steps.join('\n')}\n`;

describe('Workflows', () => {
  it('The repository has workflows', () => assert.ok(workflowFiles().length >= 6));

  it('Workflows name every action by its commit, with the version beside it', () => {
    const problems = (uses) => workflowProblems('x.yml', workflow(`      - uses: ${uses}`));
    assert.match(problems('actions/setup-node@v4')[0], /^x\.yml:6: .*name its commit/);
    assert.match(problems('pypa/gh-action-pypi-publish@release/v1')[0], /name its commit/);
    assert.match(problems(`actions/setup-node@${COMMIT}`)[0], /which version/);
    assert.deepEqual(problems(`actions/setup-node@${COMMIT} # v7.0.0`), []);
    assert.deepEqual(problems('./.github/actions/own'), []);
  });

  it('Workflows check out without keeping credentials', () => {
    const checkout = `      - uses: actions/checkout@${COMMIT} # v7.0.1`;
    assert.match(workflowProblems('x.yml', workflow(checkout, '      - run: a'))[0], /persist-credentials/);
    const kept = workflow(checkout, '        with:', '          persist-credentials: false', '      - run: a');
    assert.deepEqual(workflowProblems('x.yml', kept), []);
    const ofAnother = workflow(checkout, '      - uses: ./x', '        with:', '          persist-credentials: false');
    assert.equal(workflowProblems('x.yml', ofAnother).length, 1);
  });

  it('Workflows download nothing unchecked, and state their permissions', () => {
    assert.match(workflowProblems('x.yml', workflow('      - run: curl -L a | tar xz'))[0], /curl/);
    assert.match(workflowProblems('x.yml', 'jobs:\n')[0], /permissions/);
  });
});

describe('Prose', () => {
  it('Prose is reported where a sentence is too long or hides its subject', () => {
    assert.match(complaintOf(Array(36).fill('word').join(' ')), /36 words/);
    assert.equal(complaintOf(Array(35).fill('word').join(' ')), null);
    assert.match(complaintOf('What has come is kept.'), /subject/);
    assert.match(complaintOf('They are loaded by who asks for them.'), /person/);
    assert.equal(complaintOf('What is in a word?'), null);
    assert.equal(complaintOf('Whole pages are kept.'), null);
  });

  it('Prose is the paragraphs of a document, without code, tables and headings', () => {
    const text =
      '# Title\n\nOne `a b c` and\n[a link](b.md).\n\n```sh\nWhat is this\n```\n\n- An item.\n- Another\n  goes on.\n\n| a | b |\n\n    code here\n';
    assert.deepEqual(
      paragraphs(text).map((each) => [each.line, each.text.trim()]),
      [
        [3, 'One code and\na link.'],
        [10, 'An item.'],
        [11, 'Another\ngoes on.'],
      ],
    );
  });

  it('Prose is the messages of a source file, joined across literals, without comments', () => {
    const source = `// "What is in a comment is none of ours"\nsay('The file is missing, ' +\n  'so it was left out.');\nconst short = 'too short';\nf("What \\"this\\" holds is kept.");\n`;
    assert.deepEqual(
      messages(source).map((each) => each.text),
      ['The file is missing, so it was left out.', 'What "this" holds is kept.'],
    );
  });

  it('Prose that a contract prescribes stays as it is', () => {
    const file = 'web/node/ingest/ingest.ts';
    assert.match(readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8'), /'No changes detected\. Nothing to update\.'/);
    assert.deepEqual(prose([file]), []);
  });
});

describe('Subjects of commits', () => {
  it('Subjects of commits are at most 72 letters, with a capital and no full stop', () => {
    assert.equal(subjectComplaint('Move web/ onto two floors: browser and node'), null);
    assert.match(subjectComplaint('A'.repeat(73)), /73 letters/);
    assert.match(subjectComplaint('fix it'), /capital/);
    assert.match(subjectComplaint('Fix it.'), /full stop/);
    assert.equal(subjectComplaint("Merge branch 'x' with a very long name that goes on and on and on and on and on"), null);
  });
});

describe('Names of tests', () => {
  it('Names of tests begin with a capital letter or with code', () => {
    const tests = new URL('..', import.meta.url);
    const names = readdirSync(tests, { recursive: true })
      .filter((file) => file.endsWith('.test.mjs') && !file.includes('node_modules'))
      .flatMap((file) => {
        const text = readFileSync(new URL(file.replaceAll('\\', '/'), tests), 'utf8');
        return [...text.matchAll(/^\s*(?:it|test)\(\s*(?:'(.*)'|"(.*)"|`(.*)`),/gm)].map(
          (found) => `${file}: ${found[1] ?? found[2] ?? found[3]}`,
        );
      });
    assert.ok(names.length > 1500, `${names.length}`);
    assert.deepEqual(
      names.filter((name) => !/^\S+: (?:[A-Z]|sheaf |[^\s,']*[^a-z\s,'])/.test(name)),
      [],
    );
  });
});

describe('Names of helpers', () => {
  const helper = (...lines) => ['namespace sheaf {', 'namespace {', ...lines, '}  // namespace', '}  // namespace sheaf'].join('\n');

  it('A helper of a C++ file has a name that no other file of its folder and no header has', () => {
    const files = sources();
    assert.ok(files.size > 300);
    assert.deepEqual(helperProblems(files), []);
  });

  it('A name that two files of a folder give to helpers is reported', () => {
    const both = (a, b) =>
      helperProblems(
        new Map([
          ['packer/a/x.cc', helper(a)],
          ['packer/a/y.cc', helper(b)],
        ]),
      );
    assert.deepEqual(both('bool IsEntry(char c) { return false; }', 'std::vector<int> IsEntry(const Node& node) {'), [
      'IsEntry: packer/a/x.cc, packer/a/y.cc; rename a helper',
    ]);
    assert.equal(both('struct Page {', 'class Page {').length, 1);
    assert.equal(both('constexpr size_t kMost = 4;', 'constexpr uint8_t kMost[] = {4};').length, 1);
    assert.deepEqual(both('using Json = nlohmann::json;', 'using Json = nlohmann::json;'), []);
    assert.deepEqual(both('void Page::Close() {', 'bool Other::Close() {'), []);
    const apart = new Map([
      ['packer/a/x.cc', helper('int One() {')],
      ['packer/b/y.cc', helper('int One() {')],
    ]);
    assert.deepEqual(helperProblems(apart), []);
  });

  it('A helper with a name of a header is reported', () => {
    const header = (folder) => [`${folder}/a/x.h`, 'namespace sheaf {\nbool IsEntry(const Node* node);\n}  // namespace sheaf'];
    const report = (folder, file) => helperProblems(new Map([header(folder), [file, helper('bool IsEntry(char c) {')]]));
    assert.deepEqual(report('src', 'packer/a/y.cc'), ['IsEntry: packer/a/y.cc, src/a/x.h; rename a helper']);
    assert.deepEqual(report('packer', 'src/a/y.cc'), []);
  });
});

describe('Commands of a fresh clone', () => {
  /** Packages that the script loads before it does anything, each with the file that imports it. */
  const packagesAtStart = async (script) => {
    const { metafile } = await build({
      absWorkingDir: fileURLToPath(new URL('../..', import.meta.url)),
      entryPoints: [script],
      bundle: true,
      packages: 'external',
      external: ['/pagefind/*'], // an address that a page under test loads
      platform: 'node',
      format: 'esm',
      metafile: true,
      write: false,
      logLevel: 'silent',
    });
    const seen = new Set();
    const found = [];
    const visit = (file) => {
      if (seen.has(file)) return;
      seen.add(file);
      for (const { kind, external, path } of metafile.inputs[file].imports) {
        if (kind !== 'import-statement') continue;
        if (!external) visit(path);
        else if (!isBuiltin(path)) found.push(`${file}: ${path}`);
      }
    };
    visit(script);
    return found;
  };

  it('A command of scripts/ that package.json names starts before any package is installed', async () => {
    const { scripts } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    const files = [...new Set(Object.values(scripts).map((command) => command.split(' ')[1]))].filter((file) =>
      file.startsWith('scripts/'),
    );
    assert.ok(files.length > 6);
    for (const file of files) assert.deepEqual(await packagesAtStart(file), [], file);
  });

  it('A script that loads a package at its start is found', async () =>
    assert.deepEqual(await packagesAtStart('scripts/regexes.mjs'), [
      'scripts/regexes.mjs: @eslint-community/regexpp',
      'scripts/regexes.mjs: acorn',
      'scripts/regexes.mjs: esbuild',
    ]));
});
