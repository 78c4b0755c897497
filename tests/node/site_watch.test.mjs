/** Watching a folder, and keeping a site's index as new as its pages. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterEach, describe, it } from 'node:test';
import { packArguments } from '../../dist/node/packer/arguments.js';
import { requirePacker } from '../native_packer.mjs';
import { liveText } from '../../dist/cli/live.js';
import { watchFolder } from '../../dist/node/site/folder_watch.js';
import { siteJob, WHILE_WRITING } from '../../dist/node/site/pack_site.js';
import { isOfNoInterest, keepIndexed, Replaced } from '../../dist/node/site/watch.js';
import { putPage, writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, TABLE, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const root = temporaryFolder('site-watch');
let made = 0;
const freshFolder = () => {
  const folder = join(root, String(made++), 'dist');
  mkdirSync(folder, { recursive: true });
  return folder;
};
const cleanUp = [];
afterEach(async () => {
  for (const undo of cleanUp.splice(0)) await undo();
});
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

describe('watching a folder', () => {
  async function watched(options = {}) {
    const folder = freshFolder();
    writeFileSync(join(folder, 'index.html'), 'x');
    const seen = { changes: 0, polling: undefined };
    const hears = { onChange: () => seen.changes++, onPolling: (reason) => (seen.polling = reason) };
    const watch = await watchFolder(folder, { ignores: isOfNoInterest, ...hears, ...options });
    cleanUp.push(() => watch.close());
    /** Does it, and waits until it was noticed. */
    const noticed = async (what, act) => {
      const before = seen.changes;
      act();
      await until(() => seen.changes > before, what);
      await pause(60); // what belongs to it
    };
    return { folder, seen, noticed, at: (name) => join(folder, name) };
  }

  it('Watching a folder notices files that change, come, go and move, also in new folders', async () => {
    const { noticed, at } = await watched();
    await noticed('a change', () => writeFileSync(at('index.html'), 'y'));
    await noticed('a new file', () => writeFileSync(at('new.html'), 'y'));
    await noticed('a new folder', () => mkdirSync(at('a/b/c'), { recursive: true }));
    await noticed('a file in it', () => writeFileSync(at('a/b/c/page.html'), 'y'));
    await noticed('a change of that', () => writeFileSync(at('a/b/c/page.html'), 'z'));
    await noticed('a folder that moved', () => renameSync(at('a'), at('z')));
    await noticed('a change in the folder that moved', () => writeFileSync(at('z/b/c/page.html'), 'moved'));
    await noticed('a folder that went', () => rmSync(at('z'), { recursive: true }));
    await noticed('a folder of the same name', () => mkdirSync(at('a/b/c'), { recursive: true }));
    await noticed('a file in that', () => writeFileSync(at('a/b/c/page.html'), 'again'));
  });

  it('Watching a folder notices its whole replacement', async () => {
    const { folder, noticed, at } = await watched();
    await noticed('it went', () => rmSync(folder, { recursive: true }));
    await noticed('it came', () => mkdirSync(folder));
    await noticed('a file in it', () => writeFileSync(at('index.html'), 'new'));
    await noticed('a change of that', () => writeFileSync(at('index.html'), 'newer'));
  });

  it("Watching a folder passes over our own folder and editors' files", async () => {
    const { seen, noticed, at } = await watched();
    mkdirSync(at('sheaf'));
    const passing = ['index.html.4711.tmp', '.index.html.swp', 'index.html~', '4913', '#index.html#', '.#index.html'];
    for (const name of ['sheaf/site-0123456789ab.sheaf', ...passing]) writeFileSync(at(name), 'x');
    await pause(100);
    assert.equal(seen.changes, 0);
    await noticed('a page', () => writeFileSync(at('sheaf.html'), 'x'));
    assert.deepEqual(['.well-known/a.html', 'tmp/a.html', 'a.tmp/page.html', 'sheaf2/a.html'].filter(isOfNoInterest), []);
  });

  it('Watching a folder falls back to listing where the system cannot watch, and says why', async () => {
    const full = () => {
      throw Object.assign(new Error('ENOSPC: System limit for number of file watchers reached'), { code: 'ENOSPC' });
    };
    const { seen, noticed, at } = await watched({ watchWith: full });
    assert.match(seen.polling, /ENOSPC/);
    await noticed('a change', () => writeFileSync(at('index.html'), 'longer'));
    await noticed('a new file', () => writeFileSync(at('b.html'), 'x'));
    await noticed('that the folder went', () => rmSync(at('.'), { recursive: true }));
    await noticed('that it came back', () => {
      mkdirSync(at('.'));
      writeFileSync(at('index.html'), 'again');
    });
  });
});

describe('keeping an index', () => {
  /** keepIndexed over a packer that only counts pages. */
  function keeping(folder, { packer = {}, ...options } = {}) {
    const published = [];
    const events = [];
    const stopping = new AbortController();
    let round = 0;
    const names = () =>
      readdirSync(folder, { recursive: true })
        .filter((name) => name.endsWith('.html'))
        .sort();
    const fake = { round: async () => ({ round: ++round, pages: names().length, written: true }), ...packer };
    const ended = keepIndexed({
      site: folder,
      packer: fake,
      publish: async () => void published.push(names()),
      isPublished: async () => true,
      tell: (event) => events.push(event),
      signal: stopping.signal,
      quietMs: 100,
      longQuietMs: 700,
      ...options,
    });
    cleanUp.push(() => (stopping.abort(), ended.catch(() => {})));
    return { published, events, ended, stop: () => stopping.abort() };
  }
  const pages = (folder, count, from = 0) => {
    for (let i = from; i < count; i++) writeFileSync(join(folder, `p${i}.html`), `<h1>${i}</h1>`);
  };

  it('Keeping an index answers a burst of changes with one round, after it', async () => {
    const folder = freshFolder();
    pages(folder, 3);
    const { published } = keeping(folder, { quietMs: 2000 }); // far longer than a machine stops between two writes
    await until(() => published.length === 1, 'the first index');
    for (let i = 3; i < 10; i++) {
      pages(folder, i + 1, i);
      await pause(30);
    }
    await until(() => published.length === 2, 'the second index');
    await pause(300);
    assert.deepEqual(
      published.map((names) => names.length),
      [3, 10],
    );
  });

  it('Keeping an index publishes no half-empty site during a rebuild', async () => {
    const folder = freshFolder();
    pages(folder, 12);
    const { published, events } = keeping(folder);
    await until(() => published.length === 1, 'the first index');
    for (const name of readdirSync(folder)) rmSync(join(folder, name));
    await until(() => events.at(-1)?.kind === 'waiting', 'the empty folder');
    pages(folder, 3); // rendered so far; the builder thinks
    await pause(350); // beyond the short silence, within the long one; timers end in their order, however late
    assert.equal(published.length, 1, 'a third of the pages is no site');
    pages(folder, 12);
    await until(() => published.length === 2, 'the second index');
    assert.equal(published[1].length, 12);
  });

  it('Keeping an index accepts fewer pages in the end', async () => {
    const folder = freshFolder();
    pages(folder, 12);
    const { published } = keeping(folder);
    await until(() => published.length === 1, 'the first index');
    for (let i = 1; i < 12; i++) rmSync(join(folder, `p${i}.html`));
    await until(() => published.length === 2, 'the smaller index');
    assert.equal(published[1].length, 1);
  });

  it('Keeping an index waits for the first page', async () => {
    const folder = freshFolder();
    const { published, events } = keeping(folder);
    await until(() => events.length === 1, 'a word');
    assert.equal(events[0].kind, 'waiting');
    pages(folder, 1);
    await until(() => published.length === 1, 'the first index');
  });

  it('Keeping an index survives a failed round, and sees changes during a round', async () => {
    const folder = freshFolder();
    pages(folder, 1);
    let rounds = 0;
    const round = async () => {
      rounds++;
      if (rounds === 2) pages(folder, 3); // while it packs
      if (rounds === 3) throw new Error('disk full');
      return { round: rounds, pages: 1, written: true };
    };
    const { events, published } = keeping(folder, { packer: { round } });
    await until(() => published.length === 1, 'the first index');
    pages(folder, 2);
    await until(() => events.some(({ kind }) => kind === 'failed'), 'the third round');
    assert.equal(published.length, 2);
    pages(folder, 4);
    await until(() => published.length === 3, 'a round after the failure');
    assert.match(liveText(events.find(({ kind }) => kind === 'failed')), /was not updated: disk full/);
  });

  it('Keeping an index ends when the first round fails', async () => {
    const folder = freshFolder();
    pages(folder, 1);
    const { ended } = keeping(folder, {
      packer: {
        round: async () => {
          throw new Error('no packer');
        },
      },
    });
    await assert.rejects(ended, /no packer/);
  });

  it('Keeping an index ignores its own changes to pages', async () => {
    const folder = freshFolder();
    pages(folder, 2);
    let prepared = 0;
    const prepare = async () => {
      prepared++;
      for (const name of readdirSync(folder)) writeFileSync(join(folder, name), `<p>${prepared}</p>`);
    };
    const { published } = keeping(folder, { prepare });
    await until(() => published.length === 1, 'the first index');
    await pause(500);
    assert.equal(prepared, 1);
  });

  it('Keeping an index publishes again when the published files are gone', async () => {
    const folder = freshFolder();
    pages(folder, 2);
    let there = true;
    const round = async () => ({ round: 1, pages: 2, written: false });
    const { published, events } = keeping(folder, { packer: { round }, isPublished: async () => there });
    await until(() => events.length === 1, 'a round');
    assert.equal(published.length, 0, 'nothing new');
    there = false;
    pages(folder, 1);
    await until(() => published.length === 1, 'it is back');
  });

  it('Keeping an index removes its replaced files, all but the last', async () => {
    const site = freshFolder();
    const replaced = new Replaced();
    const publish = async (name) => {
      writeFileSync(join(site, name), 'x');
      await replaced.publish(site, {
        files: [
          { path: name, bytes: 1 },
          { path: 'table.sheaf', bytes: 1 },
        ],
        removed: [],
      });
      return readdirSync(site)
        .filter((each) => each !== 'table.sheaf')
        .sort()
        .join(' ');
    };
    writeFileSync(join(site, 'table.sheaf'), 'x');
    assert.equal(await publish('a.sheaf'), 'a.sheaf');
    assert.equal(await publish('b.sheaf'), 'a.sheaf b.sheaf');
    assert.equal(await publish('b.sheaf'), 'a.sheaf b.sheaf', 'the same again');
    assert.equal(await publish('c.sheaf'), 'b.sheaf c.sheaf');
    assert.equal(await publish('b.sheaf'), 'b.sheaf c.sheaf', 'an earlier one is back');
    assert.ok(existsSync(join(site, 'table.sheaf')));
  });
});

describe('sheaf site --watch', () => {
  const bundleOf = (site) => {
    const entry = readFileSync(join(site, 'sheaf/sheaf.js'), 'utf8');
    return readFileSync(join(site, 'sheaf', /site-[0-9a-f]{12}\.sheaf/.exec(entry)[0]));
  };

  function start(site, ...args) {
    const temporary = join(root, `tmp-${made++}`);
    mkdirSync(temporary);
    const env = { ...process.env, TMPDIR: temporary };
    const child = spawn(process.execPath, [MAIN, 'site', site, '--watch', '--json', ...args], { stdio: ['ignore', 'pipe', 'pipe'], env });
    let stderr = '';
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text));
    const ended = once(child, 'close');
    cleanUp.push(() => (child.kill('SIGKILL'), ended));
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async () => {
      const { value, done } = await lines.next();
      assert.ok(!done, `it ended: ${stderr}`);
      return JSON.parse(value);
    };
    return { child, ended, next, temporary, stderr: () => stderr };
  }

  it("sheaf site --watch publishes a fresh pack's bytes after changes and rebuilds", async () => {
    const site = writeBuiltSite(freshFolder());
    const { next, child, ended, temporary } = start(site);
    const first = await next();
    assert.deepEqual([first.round, first.published, first.pages], [1, true, 5]);
    const fresh = async () => {
      const output = join(root, `fresh-${made++}.sheaf`);
      const request = { site, library: first.library ?? /\/(\d+)\/dist$/.exec(site)[1], version: 'site', output };
      const job = { ...siteJob(request), ...WHILE_WRITING };
      const { status, stderr } = spawnSync(await requirePacker(), ['pack', '--quiet', ...packArguments(job)], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      return readFileSync(output);
    };
    assert.ok(bundleOf(site).equals(await fresh()));
    putPage(join(site, 'guide/batches.html'), '<html><head><title>New</title></head><body><h1>New</h1><p>Text.</p></body></html>');
    const second = await next();
    assert.deepEqual([second.changed, second.prepared, second.published], [1, 1, true]);
    assert.ok(bundleOf(site).equals(await fresh()));

    // Whole in each step: a round finds the old pages, none, or all of the new ones.
    const again = writeBuiltSite(join(site, '../again'));
    renameSync(site, join(site, '../old'));
    renameSync(again, site);
    const third = await next();
    assert.equal(third.published, true);
    assert.ok(bundleOf(site).equals(await fresh()), 'the index is back, with the folder that held it');
    child.kill('SIGINT');
    assert.deepEqual(await ended, [0, null]);
    assert.deepEqual(readdirSync(temporary), [], 'nothing is left behind');
  });

  it('sheaf site --watch packs again when the rules beside the site change', async () => {
    const site = writeBuiltSite(freshFolder());
    const rules = join(site, '../sheaf.search.yaml');
    writeFileSync(rules, 'synonyms: [[oven, furnace]]\n');
    const { next, child, ended, stderr } = start(site);
    assert.equal((await next()).published, true);
    const before = bundleOf(site);
    writeFileSync(rules, 'synonyms: [[oven, furnace], [ember, ashes]]\n');
    const second = await next();
    assert.deepEqual([second.round, second.published], [2, true]);
    assert.ok(!bundleOf(site).equals(before));
    writeFileSync(rules, 'synonym: []\n');
    await until(() => /sheaf\.search\.yaml:1: synonym: is unknown/.test(stderr()), 'the mistake is named');
    writeFileSync(rules, 'synonyms: [[oven, furnace]]\n');
    const mended = await next();
    assert.equal(mended.published, true);
    assert.ok(bundleOf(site).equals(before), 'the rules of before give the bundle of before');
    child.kill('SIGINT');
    await ended;
  });

  it('sheaf site --watch injects into rebuilt pages, without going round in circles', async () => {
    const site = writeBuiltSite(freshFolder());
    const { next, child, ended, stderr } = start(site, '--inject');
    assert.equal((await next()).injected.length, 6);
    const page = readFileSync(join(site, 'index.html'), 'utf8');
    putPage(join(site, 'index.html'), page.replace(/<script[^]*?<\/script>/, '').replace('Kiln fires', 'Kiln bakes'));
    const second = await next();
    assert.equal(second.changed, 1);
    assert.match(readFileSync(join(site, 'index.html'), 'utf8'), /data-sheaf-site/);
    const { mtimeMs } = statSync(join(site, 'index.html'));
    await pause(700);
    assert.equal(statSync(join(site, 'index.html')).mtimeMs, mtimeMs);
    child.kill('SIGTERM');
    assert.deepEqual(await ended, [0, null]);
    assert.match(stderr(), /5 pages, 1 changed, in \d+\.\d s/);
  });

  it('sheaf site --watch names the fault and ends, when it cannot begin', async () => {
    const site = writeBuiltSite(freshFolder());
    const { ended, stderr } = start(site, '--memory', 'lots');
    assert.equal((await ended)[0], 1);
    assert.match(stderr(), /--memory lots: expected a size/);
    assert.ok(!existsSync(join(site, 'sheaf')));
    assert.ok(existsSync(TABLE));
  });
});
