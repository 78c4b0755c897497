/** `sheaf-pack watch`: rounds on demand, each bundle the same bytes as a fresh pack's. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, it } from 'node:test';
import { requirePacker } from '../native_packer.mjs';
import { manyPages, TABLE, temporaryFolder } from './packed.mjs';

const packer = await requirePacker();
const OPTIONS = ['--library', 'kiln', '--version', '1', '--base-url', 'https://kiln.example/', '--encoder-table', TABLE, '--quiet'];
const root = temporaryFolder('watch');
let made = 0;
const started = [];
afterEach(() => started.splice(0).forEach((child) => child.kill()));

/** A watching packer over a folder of its own; `again` answers with a round's report. */
function watching({ pages = 30, options = ['--level', '3'] } = {}) {
  const folder = join(root, String(made++));
  const docs = manyPages(join(folder, 'docs'), pages);
  const output = join(folder, 'watched.sheaf');
  const child = spawn(packer, ['watch', docs, ...OPTIONS, ...options, '--output', output], { stdio: ['pipe', 'pipe', 'pipe'] });
  started.push(child);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async () => JSON.parse((await lines.next()).value);
  const say = (line) => (child.stdin.write(`${line}\n`), next());
  const fresh = () => {
    const file = join(folder, 'fresh.sheaf');
    const { status, stderr } = spawnSync(packer, ['pack', docs, ...OPTIONS, ...options, '--output', file], { encoding: 'utf8' });
    assert.ok(status === 0 || status === 3, stderr);
    return readFileSync(file);
  };
  return { docs, output, child, next, say, again: () => say('again'), fresh };
}

const counts = ({ added, changed, removed, prepared, written }) => [added, changed, removed, prepared, written];

describe('sheaf-pack watch', () => {
  it("sheaf-pack watch writes a fresh pack's bytes after each change, preparing only changes", async () => {
    const { docs, output, next, again, fresh } = watching();
    const at = (name) => join(docs, name);
    const first = await next();
    assert.deepEqual([first.ok, first.round, first.added, first.written], [true, 1, first.pages, true]);
    assert.ok(readFileSync(output).equals(fresh()), 'at first');
    const rounds = [
      ['nothing', () => {}, [0, 0, 0, 0, false]],
      ['touched', () => utimesSync(at('page-3.md'), new Date(), new Date()), [0, 0, 0, 0, false]],
      ['changed', () => writeFileSync(at('page-3.md'), '# Kiln\n\nThe furnace has a new door.\n'), [0, 1, 0, 1, true]],
      ['added', () => (mkdirSync(at('new')), writeFileSync(at('new/a.md'), '# Ashes\n\nWhat is left.\n')), [1, 0, 0, 1, true]],
      ['renamed', () => renameSync(at('page-4.md'), at('page-x.md')), [1, 0, 1, 1, true]],
      ['deleted', () => rmSync(at('page-5.md')), [0, 0, 1, 0, true]],
    ];
    for (const [what, change, expected] of rounds) {
      change();
      assert.deepEqual(counts(await again()), expected, what);
      assert.ok(readFileSync(output).equals(fresh()), what);
    }
  });

  it('sheaf-pack watch takes the given level, and prepares pages again beyond its memory', async () => {
    const { output, docs, next, again, fresh } = watching({ pages: 1500, options: ['--memory', '16M', '--level', '1'] });
    const first = await next();
    assert.ok(first.keptPages > 0 && first.keptPages < first.pages, `${first.keptPages} of ${first.pages} kept`);
    assert.ok(first.keptBytes <= 8 << 20);
    writeFileSync(join(docs, 'page-3.md'), '# Changed\n\nText.\n');
    const second = await again();
    assert.deepEqual([second.changed, second.prepared >= second.pages - first.keptPages], [1, true]);
    assert.ok(readFileSync(output).equals(fresh()));
  });

  it('sheaf-pack watch keeps the last good version of an unparsable page, and names it', async () => {
    const { docs, output, next, again } = watching();
    const before = await next().then(() => readFileSync(output));
    const note = join(docs, 'note.ipynb');
    const cell = { cell_type: 'markdown', metadata: {}, source: ['# Note\n', '\n', 'Good.\n'] };
    writeFileSync(note, JSON.stringify({ cells: [cell], metadata: {}, nbformat: 4, nbformat_minor: 5 }));
    assert.equal((await again()).added, 1);
    const good = readFileSync(output);
    writeFileSync(note, '{');
    const broken = await again();
    assert.deepEqual([broken.ok, broken.inPart.map(({ path }) => path), broken.written], [true, ['note.ipynb'], false]);
    assert.match(broken.inPart[0].reason, /last good version stays/);
    assert.ok(readFileSync(output).equals(good));
    rmSync(note);
    assert.equal((await again()).removed, 1);
    assert.ok(readFileSync(output).equals(before));
  });

  it('sheaf-pack watch keeps its bundle and state while the folder is empty or gone', async () => {
    const { docs, output, next, again } = watching();
    await next();
    const before = readFileSync(output);
    const aside = `${docs}-aside`;
    renameSync(docs, aside);
    const gone = await again();
    assert.deepEqual([gone.ok, gone.error.code], [false, 'NOT_FOUND']);
    mkdirSync(docs);
    const empty = await again();
    assert.deepEqual([empty.ok, empty.error.code], [false, 'NOT_FOUND']);
    assert.ok(readFileSync(output).equals(before));
    rmSync(docs, { recursive: true });
    renameSync(aside, docs);
    const back = await again();
    assert.deepEqual([back.ok, back.prepared, back.written], [true, 0, false], 'nothing is prepared again');
  });

  it("sheaf-pack watch writes a failed round's pages in the next round", async () => {
    const { docs, output, next, again, fresh } = watching({ pages: 3, options: ['--level', '3', '--strict'] });
    await next();
    writeFileSync(join(docs, 'page-1.md'), '# Kiln\n\nThe furnace has a new door.\n');
    writeFileSync(join(docs, 'zz.ipynb'), '{');
    assert.equal((await again()).ok, false);
    rmSync(join(docs, 'zz.ipynb'));
    const mended = await again();
    assert.deepEqual([mended.ok, mended.written], [true, true]);
    assert.ok(readFileSync(output).equals(fresh()));
    assert.equal((await again()).written, false);
  });

  it('sheaf-pack watch answers unknown lines, and ends with its input', async () => {
    const { child, next, say } = watching();
    await next();
    const answer = await say('what');
    assert.deepEqual([answer.ok, answer.error.code], [false, 'INVALID_ARGUMENT']);
    assert.match(answer.error.message, /expected 'again', got 'what'/);
    child.stdin.end();
    assert.deepEqual(await once(child, 'close'), [0, null]);
  });

  it('sheaf-pack watch leaves out pages without data-pagefind-body while any page has it', async () => {
    const { docs, output, again, next, fresh } = watching({ pages: 3, options: ['--level', '3', '--honor-noindex'] });
    const page = (mark, word = 'kiln') =>
      `<html><head><title>Page</title></head><body><div ${mark}><h1>Page</h1><p>furnace ${word}</p></div></body></html>`;
    writeFileSync(join(docs, 'a.html'), page('', 'oven'));
    const pages = [(await next()).pages];
    const round = async (mark) => {
      writeFileSync(join(docs, 'zz.html'), page(mark));
      const report = await again();
      pages.push(report.pages);
      assert.ok(readFileSync(output).equals(fresh()), `with ${mark}`);
      return counts(report);
    };
    const first = await round('');
    assert.deepEqual(await round('data-pagefind-body'), [0, 1, 0, 1, true]);
    await round('data-pagefind-body="x"');
    await round('');
    assert.deepEqual(
      pages.map((count) => count - pages[0]),
      [0, 1, 0, 0, 1],
      String(first),
    );
  });

  it('sheaf-pack watch ends with 1 or 2 when it cannot begin', () => {
    const folder = join(root, 'wrong');
    mkdirSync(folder);
    const run = (...args) => spawnSync(packer, ['watch', folder, ...OPTIONS, ...args], { encoding: 'utf8', input: '' });
    const small = run('--memory', '1K', '--output', join(folder, 'a.sheaf'));
    assert.deepEqual([small.status, small.stdout], [1, '']);
    assert.match(small.stderr, /--memory 1K: expected a size of at least 16M/);
    const nowhere = run('--output', join(folder, 'no/such/a.sheaf'));
    assert.equal(nowhere.status, 2);
    assert.equal(existsSync(join(folder, 'a.sheaf')), false);
  });
});
