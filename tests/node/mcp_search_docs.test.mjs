/** search_docs, create_index, get_index_status, delete_index: the texts and shapes of search-mcp. */
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createSearchDocs, duration, neighbours, size } from '../../dist/node/mcp/contracts/search_docs/index.js';
import { projectRoot } from '../../dist/node/mcp/contracts/search_docs/project.js';
import { ProtocolFailure } from '../../dist/node/mcp/tool.js';
import { writeTree } from '../fixtures/tree.mjs';
import { caller, freshFolder, sheafCache, testEnvironment } from './mcp_tools.mjs';
import { until } from './until.mjs';

const open = [];
after(() => Promise.all(open.map((close) => close())));

/** A project of files, and its tools. */
function project(files = {}, options = {}) {
  const root = realpathSync(freshFolder('project'));
  writeTree(root, { 'package.json': '{}', ...files });
  return { root, ...tools(root, options) };
}

function tools(cwd, options = {}) {
  const environment = testEnvironment({ cwd, ...options });
  const set = createSearchDocs(environment, { patienceMs: 60_000 }); // a build takes as long as it takes
  const call = caller(set);
  open.push(async () => {
    await set.close();
    await environment.pool.close();
  });
  return {
    environment,
    set,
    call,
    create: async (more) => JSON.parse((await call('create_index', {}, more)).text),
    search: async (query, args = {}) => JSON.parse((await call('search_docs', { query, ...args })).text),
    paths: async (query, args = {}) =>
      JSON.parse((await call('search_docs', { query, top_k: 50, ...args })).text)
        .results.map(({ path }) => path)
        .sort(),
    status: async () => JSON.parse((await call('get_index_status')).text),
    remove: async () => JSON.parse((await call('delete_index')).text),
  };
}

const GUIDE = `---
title: Firing
---

# Firing

A bisque firing rises slowly until the water has left the clay.

## Cooling

Leave the door shut until the chamber is below one hundred degrees.
`;

const FILES = {
  'README.md': '# Kiln\n\nA controller for pottery kilns.\n',
  'docs/firing.md': GUIDE,
  'docs/notes.txt': 'Thermocouples drift.\nReplace them yearly.\n',
};

async function failure(promise) {
  const error = await promise.then(
    (reply) => assert.fail(`answered ${reply.text?.slice(0, 200)}`),
    (reason) => reason,
  );
  assert.ok(error instanceof ProtocolFailure, String(error?.stack));
  return error;
}

describe('search_docs', () => {
  let kiln;
  before(async () => {
    kiln = project(FILES);
    await kiln.create();
  });

  it('search_docs describes itself to the letter', () => {
    const [tool] = kiln.set.tools;
    assert.equal(tool.name, 'search_docs');
    assert.equal(
      tool.description,
      'Search project documentation files (.md, .txt) using natural language. Optimized for prose content like README, guides, and technical docs.',
    );
    assert.deepEqual(tool.annotations, { readOnlyHint: true, openWorldHint: false, idempotentHint: true });
    assert.deepEqual(
      kiln.set.tools.map(({ name }) => name),
      ['search_docs', 'create_index', 'get_index_status', 'delete_index'],
    );
  });

  it('search_docs answers in JSON with path, text, score, startLine and endLine, also as structured content', async () => {
    const reply = await kiln.call('search_docs', { query: 'how slowly must a bisque firing rise' });
    const parsed = JSON.parse(reply.text);
    assert.equal(reply.text, JSON.stringify(parsed, null, 2));
    assert.deepEqual(reply.structured, parsed);
    assert.deepEqual(Object.keys(parsed), ['results', 'totalResults', 'searchTimeMs']);
    assert.deepEqual(Object.keys(parsed.results[0]), ['path', 'text', 'score', 'startLine', 'endLine']);
    assert.equal(parsed.totalResults, parsed.results.length);
    assert.ok(Number.isInteger(parsed.searchTimeMs));
  });

  it('search_docs gives project-relative paths, whole passages, and true lines from 1', async () => {
    const { results } = await kiln.search('bisque firing water clay');
    const [best] = results;
    assert.equal(best.path, 'docs/firing.md');
    assert.match(best.text, /A bisque firing rises slowly until the water has left the clay\./);
    const lines = GUIDE.split('\n')
      .slice(best.startLine - 1, best.endLine)
      .join('\n');
    assert.match(lines, /A bisque firing rises slowly/);
    assert.ok(!lines.includes('title: Firing'), 'the front matter is no part of it, but counts as lines');
    const notes = (await kiln.search('thermocouples drift')).results[0];
    assert.deepEqual([notes.path, notes.startLine, notes.endLine], ['docs/notes.txt', 1, 2]);
  });

  it('search_docs orders by score, with each file once and top_k results at most', async () => {
    const { results } = await kiln.search('kiln');
    for (const { score } of results) assert.ok(score >= 0 && score <= 1);
    assert.deepEqual(
      results.map(({ score }) => score),
      results.map(({ score }) => score).sort((a, b) => b - a),
    );
    assert.equal(new Set(results.map(({ path }) => path)).size, results.length);
    const one = await kiln.search('kiln', { top_k: 1 });
    assert.equal(one.results.length, 1);
    assert.equal(one.totalResults, 1);
  });

  it('search_docs answers an empty list when nothing matches', async () => {
    for (const query of ['qqzxv', '   ']) {
      const { results, totalResults } = await kiln.search(query);
      assert.deepEqual([results, totalResults], [[], 0], query);
    }
  });

  it('search_docs has a compact form: l, t, s with two decimals, n, ms', async () => {
    const reply = JSON.parse((await kiln.call('search_docs', { query: 'thermocouples', compact: true })).text);
    assert.deepEqual(Object.keys(reply), ['r', 'n', 'ms']);
    assert.deepEqual(Object.keys(reply.r[0]), ['l', 't', 's']);
    assert.equal(reply.r[0].l, 'docs/notes.txt:1-2');
    assert.equal(reply.r[0].s, Math.round(reply.r[0].s * 100) / 100);
    assert.equal(reply.n, reply.r.length);
  });

  const REFUSED = [
    ['no query', {}, 'query: Required'],
    ['an empty query', { query: '' }, 'query: String must contain at least 1 character(s)'],
    ['a query of another type', { query: ['a'] }, 'query: Expected string, received array'],
    ['a query of 1001 characters', { query: 'x'.repeat(1001) }, 'query: Query too long. Maximum length is 1000 characters.'],
    ['a query of ten megabytes', { query: 'x'.repeat(1e7) }, 'query: Query too long. Maximum length is 1000 characters.'],
    ['top_k 0', { query: 'a', top_k: 0 }, 'top_k: Number must be greater than or equal to 1'],
    ['top_k 51', { query: 'a', top_k: 51 }, 'top_k: Number must be less than or equal to 50'],
    ['top_k 1.5', { query: 'a', top_k: 1.5 }, 'top_k: Expected integer, received float'],
    ['top_k as a string', { query: 'a', top_k: '5' }, 'top_k: Expected number, received string'],
    ['two faults at once', { top_k: 0 }, 'query: Required, top_k: Number must be greater than or equal to 1'],
    ['compact as a string', { query: 'a', compact: 'yes' }, 'compact: Expected boolean, received string'],
  ];
  for (const [what, args, text] of REFUSED) {
    it(`search_docs refuses ${what} with -32602`, async () => {
      const { code, message } = await failure(kiln.call('search_docs', args));
      assert.deepEqual([code, message], [-32602, `Invalid parameters: ${text}`]);
    });
  }

  it('search_docs ignores arguments that it does not know', async () => {
    const { results } = await kiln.search('thermocouples', { mode: 'vector', alpha: 9, __proto__: null });
    assert.equal(results[0].path, 'docs/notes.txt');
  });

  it('search_docs takes queries made to break something', async () => {
    for (const query of ['../../etc/passwd', '\u001b[31m', '\0', '"); DROP TABLE', '😀'.repeat(500), '\ud800', 'a '.repeat(499)]) {
      assert.ok(Array.isArray((await kiln.search(query)).results), JSON.stringify(query.slice(0, 20)));
    }
  });

  it('search_docs says DOCS_INDEX_NOT_FOUND without an index', async () => {
    const error = await failure(project(FILES).call('search_docs', { query: 'kiln' }));
    assert.deepEqual(
      [error.code, error.message, error.data],
      [
        -32603,
        'No documentation search index exists for this project. Please create one first using the create_index tool.',
        { code: 'DOCS_INDEX_NOT_FOUND' },
      ],
    );
  });

  it('search_docs adds a developerMessage when DEBUG is on', async () => {
    const { data } = await failure(project(FILES, { env: { DEBUG: '1' } }).call('search_docs', { query: 'kiln' }));
    assert.match(data.developerMessage, /^Docs index not found at path: /);
  });

  it('search_docs says DOCS_INDEX_NOT_FOUND for an index of another path', async () => {
    const one = project(FILES);
    await one.create();
    const folder = indexFolder(one);
    const state = JSON.parse(readFileSync(join(folder, 'state.json'), 'utf8'));
    writeFileSync(join(folder, 'state.json'), JSON.stringify({ ...state, project: '/somewhere/else' }));
    assert.equal((await failure(one.call('search_docs', { query: 'kiln' }))).data.code, 'DOCS_INDEX_NOT_FOUND');
  });

  it('search_docs reports an empty index, and finds the first document by itself', async () => {
    const empty = project({ 'src/main.c': 'int main;', 'blank.md': '\n\n' });
    const created = await empty.create();
    assert.deepEqual([created.filesIndexed, created.chunksCreated], [0, 0]);
    const error = await failure(empty.call('search_docs', { query: 'kiln' }));
    assert.deepEqual(
      [error.message, error.data.code],
      ['The documentation search index is empty. Please index some documentation files first using create_index.', 'DOCS_INDEX_NOT_FOUND'],
    );
    writeTree(empty.root, { 'first.md': '# Kiln\n\nHot.\n' });
    assert.deepEqual(await empty.paths('kiln'), ['first.md']);
  });

  it('search_docs answers a failure with An unexpected error occurred. Please try again.', async () => {
    const one = project(FILES);
    await one.create();
    one.environment.pool.use = () => Promise.reject(new Error('secret detail'));
    const error = await failure(one.call('search_docs', { query: 'kiln' }));
    assert.deepEqual([error.code, error.message], [-32603, 'An unexpected error occurred. Please try again.']);
    assert.ok(!JSON.stringify(error.data).includes('secret'));
    assert.ok(one.environment.lines.some((line) => line.includes('secret detail')));
  });

  it('search_docs stops when the client cancels', async () => {
    const gone = new AbortController();
    gone.abort();
    await assert.rejects(kiln.call('search_docs', { query: 'kiln' }, { signal: gone.signal }), { name: 'AbortError' });
  });
});

function indexFolder({ root, environment }) {
  return join(sheafCache(environment), 'projects', createHash('sha256').update(root).digest('hex').slice(0, 32));
}

describe('neighbouring passages of a file are one result, with the better score', () => {
  const hit = (page, passage, score) => ({ page, passage, score });

  it('Neighbouring passages are joined in file order, runs in the order of best hits', () => {
    const hits = [hit(1, 11, 0.9), hit(0, 4, 0.8), hit(1, 10, 0.7), hit(0, 6, 0.6), hit(1, 12, 0.5)];
    assert.deepEqual(
      neighbours(hits).map((run) => run.map(({ passage }) => passage)),
      [[10, 11, 12], [4], [6]],
    );
    assert.deepEqual(neighbours([]), []);
  });

  it('Neighbouring passages are not joined across files, though their numbers follow one another', () => {
    assert.deepEqual(neighbours([hit(0, 4, 0.8), hit(1, 5, 0.7)]).length, 2);
  });

  it('Neighbouring passages give one result with the text and the lines of all of them', async () => {
    const paragraph = (word) => `${word} `.repeat(60).trim() + ' glaze.';
    const { call } = project({ 'long.md': `# Glaze\n\n${['alpha', 'beta', 'gamma', 'delta'].map(paragraph).join('\n\n')}\n` });
    await call('create_index');
    const { results } = JSON.parse((await call('search_docs', { query: 'glaze', top_k: 10 })).text);
    assert.deepEqual(
      results.map(({ path }) => path),
      ['long.md'],
    );
    assert.deepEqual([results[0].startLine, results[0].endLine], [1, 9]);
    for (const word of ['alpha', 'delta']) assert.ok(results[0].text.includes(word));
  });
});

describe('which files: .md and .txt of the project, up to 1 MB, as .gitignore allows', () => {
  const doc = (word) => `# ${word}\n\nAbout the kiln.\n`;

  it('The index takes .md and .txt of any case, hidden folders too, only', async () => {
    const one = project({
      'a.md': doc('a'),
      'B.TXT': doc('b'),
      '.github/c.Md': doc('c'),
      'd.rst': doc('d'),
      'e.mdx': doc('e'),
      'kiln.html': doc('f'),
      md: doc('g'),
      '.env': 'kiln',
      'x.pem': 'kiln',
      'y.log': 'kiln',
    });
    await one.create();
    assert.deepEqual(await one.paths('kiln'), ['.github/c.Md', 'B.TXT', 'a.md']);
  });

  it('The index never looks into the excluded folders, however deep, with Git or without', async () => {
    const files = Object.fromEntries(
      ['node_modules', 'dist', 'build', '.idea', '.vscode', 'coverage'].flatMap((name) => [
        [`${name}/a.md`, doc('x')],
        [`lib/${name}/b/c.md`, doc('y')],
      ]),
    );
    for (const git of [true, false]) {
      const one = project({ ...files, 'lib/ok.md': doc('z') }, git ? {} : { env: { PATH: '/nonexistent' } });
      await one.create();
      assert.deepEqual(await one.paths('kiln'), ['lib/ok.md']);
    }
  });

  const IGNORES = {
    '.gitignore': 'secret/\n*.tmp.md\n!keep.tmp.md\n/only-root.md\n',
    'secret/a.md': doc('a'),
    'b.tmp.md': doc('b'),
    'keep.tmp.md': doc('keep'),
    'only-root.md': doc('c'),
    'sub/only-root.md': doc('d'),
    'sub/.gitignore': 'drafts/*\n!drafts/good.md\n',
    'sub/drafts/bad.md': doc('e'),
    'sub/drafts/good.md': doc('f'),
  };
  const KEPT = ['keep.tmp.md', 'sub/drafts/good.md', 'sub/only-root.md'];

  it('The index respects .gitignore in a repository: nested files, negation, anchors', async () => {
    const one = project(IGNORES);
    git(one.root, 'init', '-q');
    await one.create();
    assert.deepEqual(await one.paths('kiln'), KEPT);
  });

  it('The index respects .gitignore outside any repository as well', async () => {
    const one = project(IGNORES);
    await one.create();
    assert.deepEqual(await one.paths('kiln'), KEPT);
  });

  it('The index takes tracked files despite a rule, and leaves out missing ones', async () => {
    const one = project({ '.gitignore': '*.txt\n', 'a.txt': doc('a'), 'b.txt': doc('b'), 'gone.md': doc('c') });
    git(one.root, 'init', '-q');
    git(one.root, 'add', '-f', 'a.txt', 'gone.md');
    unlinkSync(join(one.root, 'gone.md'));
    await one.create();
    assert.deepEqual(await one.paths('kiln'), ['a.txt']);
  });

  it('The index takes a project that a repository around it ignores as a whole', async () => {
    const outer = realpathSync(freshFolder('outer'));
    git(outer, 'init', '-q');
    writeTree(outer, { '.gitignore': '*\n', 'inner/package.json': '{}', 'inner/a.md': doc('a') });
    const one = tools(join(outer, 'inner'));
    await one.create();
    assert.deepEqual(await one.paths('kiln'), ['a.md']);
  });

  it("The index runs no program that a repository's configuration names", async () => {
    const one = project({ 'a.md': doc('a'), 'hook.sh': '#!/bin/sh\ntouch "$(dirname "$0")/ran"\n' });
    chmodSync(join(one.root, 'hook.sh'), 0o755);
    git(one.root, 'init', '-q');
    git(one.root, 'config', 'core.fsmonitor', join(one.root, 'hook.sh'));
    spawnSync('git', ['-C', one.root, 'ls-files', '-o']);
    assert.ok(existsSync(join(one.root, 'ran')), 'plain git does run it: the test is worth something');
    unlinkSync(join(one.root, 'ran'));
    await one.create();
    await one.search('kiln');
    assert.ok(!existsSync(join(one.root, 'ran')));
  });

  it('The index passes over symbolic links: files, folders, loops, ways out', async () => {
    const outside = freshFolder('outside');
    writeTree(outside, { 'secret.md': doc('secret'), 'folder/secret.md': doc('secret') });
    for (const repository of [true, false]) {
      const one = project({ 'a.md': doc('a'), 'real/b.md': doc('b'), 'was/c.md': doc('c') });
      if (repository) {
        git(one.root, 'init', '-q');
        git(one.root, 'add', '.');
      }
      symlinkSync(join(outside, 'secret.md'), join(one.root, 'link.md'));
      symlinkSync(join(outside, 'folder'), join(one.root, 'links'));
      symlinkSync('.', join(one.root, 'loop'));
      rmSync(join(one.root, 'was'), { recursive: true });
      writeTree(outside, { 'was/c.md': doc('secret') });
      symlinkSync(join(outside, 'was'), join(one.root, 'was')); // tracked as was/c.md, and now a way out
      await one.create();
      assert.deepEqual(await one.paths('kiln'), ['a.md', 'real/b.md'], `repository: ${repository}`);
    }
  });

  it('The index leaves out files above 1 MB, and says so', async () => {
    const one = project({ 'big.md': `# Kiln\n\n${'x'.repeat(1024 * 1024)}\n`, 'a.md': doc('a') });
    const { docsWarning } = await one.create();
    assert.match(docsWarning, /1 file larger than 1 MB/);
    assert.deepEqual(await one.paths('kiln'), ['a.md']);
  });

  it('The index goes 20 folders deep and no deeper', async () => {
    const deep = (n) => 'd/'.repeat(n);
    const one = project({ [`${deep(20)}in.md`]: doc('a'), [`${deep(21)}out.md`]: doc('b') });
    await one.create();
    assert.deepEqual(await one.paths('kiln'), [`${deep(20)}in.md`]);
  });

  it('The index takes names with spaces, quotes and other alphabets, without control characters', async () => {
    const one = project({ 'a b\'c"d.md': doc('a'), 'größe/日本.md': doc('b'), 'new\nline.md': doc('c'), '-o.md': doc('d') });
    const { docsWarning } = await one.create();
    assert.deepEqual(await one.paths('kiln'), ['-o.md', 'a b\'c"d.md', 'größe/日本.md']);
    assert.match(docsWarning, /1 file whose name/);
  });

  it('The index never waits for a pipe that is named like a document', async () => {
    const one = project({ 'a.md': doc('a') });
    execFileSync('mkfifo', [join(one.root, 'pipe.md')]);
    await one.create();
    assert.deepEqual(await one.paths('kiln'), ['a.md']);
  });

  it('The index reports a missing Git when it needs .gitignore rules', async () => {
    const one = project({ '.gitignore': 'a.md\n', 'a.md': doc('a') }, { env: { PATH: '/nonexistent' } });
    assert.match((await one.create()).docsWarning, /Git was not found/);
    const without = project({ 'a.md': doc('a') }, { env: { PATH: '/nonexistent' } });
    assert.equal((await without.create()).docsWarning, undefined);
  });
});

function git(root, ...args) {
  execFileSync('git', ['-C', root, ...args], { stdio: 'ignore' });
}

describe('freshness: edits show up in the next search', () => {
  it('The next search follows edits, additions, renames and deletions', async () => {
    const one = project(FILES);
    await one.create();
    writeTree(one.root, { 'README.md': '# Kiln\n\nNow with a pyrometer.\n' });
    assert.equal((await one.search('pyrometer')).results[0].path, 'README.md');
    writeTree(one.root, { 'new/added.md': '# Refractory\n\nBricks.\n' });
    assert.equal((await one.search('refractory bricks')).results[0].path, 'new/added.md');
    renameSync(join(one.root, 'new/added.md'), join(one.root, 'moved.md'));
    assert.deepEqual(
      (await one.paths('refractory bricks')).filter((path) => path !== 'README.md' && !path.startsWith('docs/')),
      ['moved.md'],
    );
    unlinkSync(join(one.root, 'moved.md'));
    assert.ok(!(await one.paths('refractory bricks')).includes('moved.md'));
  });

  it('The next search sees an edit of the same length within one clock tick', async () => {
    const one = project({ 'a.md': '# Kiln\n\nalpha\n' });
    await one.create();
    const path = join(one.root, 'a.md');
    const { atime, mtime } = statSync(path);
    writeTree(one.root, { 'a.md': '# Kiln\n\ngamma\n' });
    utimesSync(path, atime, mtime);
    assert.match((await one.search('kiln')).results[0].text, /gamma/);
  });

  it('The next search packs nothing when only times changed', async () => {
    const one = project(FILES);
    await one.create();
    const { lastUpdated } = await one.status();
    utimesSync(join(one.root, 'README.md'), new Date(), new Date());
    await one.search('kiln');
    assert.equal((await one.status()).lastUpdated, lastUpdated);
    const later = new Date(Date.now() - 60_000);
    for (const name of Object.keys(FILES)) utimesSync(join(one.root, name), later, later);
    await one.search('kiln');
    assert.equal((await one.status()).lastUpdated, lastUpdated);
  });

  it('The next search counts a new rule in .gitignore as a change', async () => {
    const one = project(FILES);
    await one.create();
    writeTree(one.root, { '.gitignore': 'docs/\n' });
    assert.deepEqual(await one.paths('kiln'), ['README.md']);
  });

  it('The next search answers from the old index, with a warning, while another process builds', async () => {
    const one = project(FILES);
    await one.create();
    holdLock(indexFolder(one), process.pid);
    writeTree(one.root, { 'README.md': '# Kiln\n\nNow with a pyrometer.\n' });
    const { results, warning } = await one.search('controller for pottery kilns');
    assert.match(results[0].text, /controller for pottery/);
    assert.match(warning, /currently being built/);
    assert.equal((await one.status()).status, 'indexing');
    const compact = JSON.parse((await one.call('search_docs', { query: 'kiln', compact: true })).text);
    assert.match(compact.w, /currently being built/);
    rmSync(join(indexFolder(one), 'lock'));
    assert.match((await one.search('pyrometer')).results[0].text, /pyrometer/);
  });

  it('The next search answers from the old index, with a warning, when the packer fails', async () => {
    const one = project(FILES);
    await one.create();
    const { SHEAF_PACK } = one.environment.env;
    one.environment.env.SHEAF_PACK = '/nonexistent/sheaf-pack';
    writeTree(one.root, { 'README.md': '# Kiln\n\nNow with a pyrometer.\n' });
    const { results, warning } = await one.search('controller for pottery kilns');
    assert.match(results[0].text, /controller for pottery/);
    assert.match(warning, /could not be brought up to date.*SHEAF_PACK/);
    const { status, warning: why } = await one.status();
    assert.deepEqual([status, /SHEAF_PACK/.test(why)], ['failed', true]);
    if (SHEAF_PACK === undefined) delete one.environment.env.SHEAF_PACK;
    else one.environment.env.SHEAF_PACK = SHEAF_PACK;
    assert.equal((await one.search('pyrometer')).warning, undefined);
    assert.equal((await one.status()).status, 'ready');
  });

  it('The next search sees the index that another server made', async () => {
    const one = project(FILES);
    const other = tools(one.root, { cache: one.environment.cache });
    await failure(one.call('search_docs', { query: 'kiln' }));
    await other.create();
    assert.equal((await one.search('thermocouples')).results[0].path, 'docs/notes.txt');
    writeTree(one.root, { 'more.md': '# Pyrometer\n\nGlows.\n' });
    assert.equal((await other.search('pyrometer')).results[0].path, 'more.md');
    assert.equal((await one.search('pyrometer')).results[0].path, 'more.md');
  });

  it('The next search rebuilds a damaged or missing bundle', async () => {
    const one = project(FILES);
    await one.create();
    const bundle = () =>
      join(
        indexFolder(one),
        readdirSync(indexFolder(one)).find((name) => name.endsWith('.sheaf')),
      );
    const path = bundle();
    writeFileSync(path, readFileSync(path).subarray(0, 900));
    assert.equal((await one.search('thermocouples')).results[0].path, 'docs/notes.txt');
    unlinkSync(bundle());
    assert.equal((await one.search('thermocouples')).results[0].path, 'docs/notes.txt');
  });

  it('The next search takes a broken state file for no index', async () => {
    const one = project(FILES);
    await one.create();
    for (const state of [
      '',
      '{',
      'null',
      '[]',
      '{"format":1}',
      JSON.stringify({ format: 1, project: one.root, files: [], bundle: '../../../etc/passwd' }),
    ]) {
      writeFileSync(join(indexFolder(one), 'state.json'), state);
      assert.equal((await failure(one.call('search_docs', { query: 'kiln' }))).data.code, 'DOCS_INDEX_NOT_FOUND', state);
    }
    await one.create();
    assert.equal((await one.search('thermocouples')).results[0].path, 'docs/notes.txt');
  });

  it('The next search answers 30 searches at once while files change', async () => {
    const one = project(FILES);
    await one.create();
    const searches = Array.from({ length: 30 }, async (_, i) => {
      await sleep(i * 5);
      if (i % 5 === 0) writeTree(one.root, { 'docs/extra.md': `# Extra ${i}\n\nPyrometer.\n` });
      return one.search('thermocouples drift');
    });
    for (const { results } of await Promise.all(searches)) assert.equal(results[0].path, 'docs/notes.txt');
  });
});

function holdLock(folder, pid, host = hostname()) {
  writeFileSync(join(folder, 'lock'), JSON.stringify({ pid, host, token: 'held by the test' }));
}

describe('create_index', () => {
  it('create_index takes no parameters and reports its work', async () => {
    const one = project(FILES);
    const reply = await one.call('create_index');
    const parsed = JSON.parse(reply.text);
    assert.deepEqual(Object.keys(parsed), ['status', 'projectPath', 'filesIndexed', 'chunksCreated', 'duration']);
    assert.deepEqual([parsed.status, parsed.projectPath, parsed.filesIndexed], ['success', one.root, 3]);
    assert.ok(parsed.chunksCreated >= 3);
    assert.match(parsed.duration, /^\d+s$/);
    assert.deepEqual(reply.structured, parsed);
  });

  it('create_index asks for consent in its description: Index project at PATH?', () => {
    const one = project();
    const { description, annotations } = one.set.tools[1];
    assert.ok(description.includes(`Index project at ${one.root}? This may take a few minutes for large projects.`));
    assert.deepEqual([annotations.readOnlyHint, annotations.destructiveHint], [false, false]);
  });

  it('create_index writes durations as 2m 30s, and sizes as 45MB', () => {
    assert.deepEqual([0.2, 12, 60, 150, 3725].map(duration), ['0s', '12s', '1m 0s', '2m 30s', '62m 5s']);
    assert.deepEqual([0, 500, 1024, 1536, 45 * 1024 ** 2, 1.2 * 1024 ** 3].map(size), ['0B', '500B', '1KB', '1.5KB', '45MB', '1.2GB']);
  });

  it('create_index reports progress as Scanning files... and Creating chunks... [i/n], never going back', async () => {
    const one = project(FILES);
    const told = [];
    await one.create({ progress: (done, total, message) => told.push({ done, total, message }) });
    const messages = told.map(({ message }) => message);
    assert.equal(messages[0], 'Scanning files...');
    assert.ok(messages.includes('Creating chunks... [3/3] docs/notes.txt'), messages.join('\n'));
    assert.ok(messages.includes('Generating embeddings... [0%]') && messages.includes('Generating embeddings... [100%]'));
    assert.match(messages.at(-1), /^Storing chunks\.\.\. \[(\d+)\/\1\]$/);
    assert.deepEqual(
      told.map(({ done }) => done),
      told.map(({ done }) => done).sort((a, b) => a - b),
    );
    assert.ok(told.every(({ total }) => total === 100));
    for (const message of messages) assert.ok(one.environment.lines.includes(`[info] ${message}`), message);
  });

  it('create_index rebuilds where an index exists', async () => {
    const one = project(FILES);
    await one.create();
    const first = await one.status();
    await sleep(5);
    assert.equal((await one.create()).status, 'success');
    assert.notEqual((await one.status()).lastUpdated, first.lastUpdated);
  });

  it('create_index ends with cancelled when the client cancels, and leaves the old index', async () => {
    const one = project(FILES);
    await one.create();
    const cancel = new AbortController();
    const reply = await one.create({ signal: cancel.signal, progress: () => cancel.abort() });
    assert.equal(reply.status, 'cancelled');
    assert.equal((await one.search('thermocouples')).results[0].path, 'docs/notes.txt');
    const isLeft = (name) => name.startsWith('stage-') || name === 'lock';
    await until(() => !readdirSync(indexFolder(one)).some(isLeft), 'the given up build to be cleared away');
  });

  it('create_index serves two callers with one build, and either may leave', async () => {
    const one = project(FILES);
    const leaving = new AbortController();
    const [first, second] = await Promise.all([one.create({ signal: leaving.signal, progress: () => leaving.abort() }), one.create()]);
    assert.deepEqual([first.status, second.status], ['cancelled', 'success']);
    assert.equal(one.environment.lines.filter((line) => line.includes('Scanning files')).length, 1 + 1, 'one scan, told to both');
    assert.equal(second.filesIndexed, 3);
  });

  it("create_index lets two servers build in turn, and the second reuses the first's", async () => {
    const one = project(FILES);
    const other = tools(one.root, { cache: one.environment.cache });
    const replies = await Promise.all([one.create(), other.create(), one.create(), other.create()]);
    for (const reply of replies) assert.deepEqual([reply.status, reply.filesIndexed], ['success', 3]);
    assert.equal(readdirSync(indexFolder(one)).filter((name) => name.endsWith('.sheaf')).length, 1);
    assert.equal((await one.search('thermocouples')).results[0].path, 'docs/notes.txt');
  });

  it('create_index takes over the lock of a dead process, and an abandoned one', async () => {
    const one = project(FILES);
    await one.create();
    const ended = spawnSync(process.execPath, ['-e', '']);
    holdLock(indexFolder(one), ended.pid);
    assert.equal((await one.status()).status, 'ready');
    assert.equal((await one.create()).status, 'success');
    holdLock(indexFolder(one), 1, 'another-machine');
    assert.equal((await one.status()).status, 'indexing');
    utimesSync(join(indexFolder(one), 'lock'), new Date(0), new Date(0));
    assert.equal((await one.create()).status, 'success');
  });

  it('create_index waits for a lock that is held, and can be cancelled meanwhile', async (t) => {
    const one = project(FILES);
    mkdirSync(indexFolder(one), { recursive: true });
    const holder = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
    t.after(() => holder.kill());
    holdLock(indexFolder(one), holder.pid);
    const cancel = new AbortController();
    const waiting = one.create({ signal: cancel.signal });
    await sleep(100);
    assert.equal((await one.status()).status, 'indexing');
    cancel.abort();
    assert.equal((await waiting).status, 'cancelled');
    const exit = new Promise((resolve) => holder.once('exit', resolve));
    const next = one.create();
    holder.kill();
    await exit;
    assert.equal((await next).status, 'success');
  });

  it('create_index writes a log, and names it in a failure', async () => {
    const one = project(FILES, { env: { SHEAF_PACK: '/nonexistent/sheaf-pack' } });
    const error = await failure(one.call('create_index'));
    const log = join(indexFolder(one), 'logs', 'search-mcp.log');
    assert.deepEqual([error.code, error.data.code], [-32603, 'PACKER_NOT_FOUND']);
    assert.ok(error.message.endsWith(`\n\nFor debugging, check logs at: ${log}`));
    assert.match(readFileSync(log, 'utf8'), /SHEAF_PACK/);
    assert.equal((await one.status()).status, 'failed');
  });

  it('create_index reports a packer that breaks off', async () => {
    const bin = freshFolder('bin');
    writeTree(bin, { 'sheaf-pack': '#!/bin/sh\necho "out of \x1b[31mpaper" >&2\nexit 2\n' });
    chmodSync(join(bin, 'sheaf-pack'), 0o755);
    const error = await failure(project(FILES, { env: { SHEAF_PACK: join(bin, 'sheaf-pack') } }).call('create_index'));
    assert.equal(error.data.code, 'INDEXING_FAILED');
    assert.match(error.message, /^sheaf-pack failed: out of .\[31mpaper\n/u);
    assert.ok(!error.message.includes('\x1b'));
  });
});

describe('get_index_status and delete_index', () => {
  it('get_index_status says not_found and nothing else without an index', async () => {
    assert.deepEqual(await project(FILES).status(), { status: 'not_found' });
  });

  it('get_index_status reports totals, size and time of a ready index', async () => {
    const one = project(FILES);
    const created = await one.create();
    const status = await one.status();
    assert.deepEqual(
      [status.status, status.projectPath, status.totalFiles, status.totalChunks],
      ['ready', one.root, 3, created.chunksCreated],
    );
    assert.match(status.storageSize, /^\d+(\.\d)?KB$/);
    assert.equal(new Date(status.lastUpdated).toISOString(), status.lastUpdated);
  });

  it('delete_index deletes the index and all its files, and says so once', async () => {
    const one = project(FILES);
    await one.create();
    assert.deepEqual(await one.remove(), { status: 'success', projectPath: one.root, message: 'Index deleted successfully.' });
    assert.ok(!existsSync(indexFolder(one)));
    assert.equal((await failure(one.call('search_docs', { query: 'kiln' }))).data.code, 'DOCS_INDEX_NOT_FOUND');
    assert.deepEqual(await one.remove(), { status: 'not_found', message: 'No search index exists for this project.' });
    assert.ok(existsSync(join(one.root, 'README.md')));
    const { annotations, description } = one.set.tools[3];
    assert.equal(annotations.destructiveHint, true);
    assert.ok(description.includes(`Delete the index for ${one.root}? This cannot be undone.`));
  });
});

describe('project root and storage: the nearest folder with .git or a manifest', () => {
  it('The project root is the nearest folder upwards with a marker', () => {
    for (const marker of ['.git', 'package.json', 'pyproject.toml', 'Cargo.toml', 'go.mod']) {
      const root = realpathSync(freshFolder('root'));
      writeTree(root, { 'a/b/c/x.md': '', [`a/${marker}`]: '' });
      assert.equal(projectRoot(join(root, 'a/b/c')), join(root, 'a'), marker);
      assert.equal(projectRoot(join(root, 'a')), join(root, 'a'));
    }
  });

  it("The index lies below the cache, under 32 digits of the path's SHA-256", async () => {
    const one = project(FILES);
    await one.create();
    assert.ok(existsSync(join(indexFolder(one), 'state.json')));
    assert.equal(statSync(indexFolder(one)).mode & 0o777, 0o700);
  });
});
