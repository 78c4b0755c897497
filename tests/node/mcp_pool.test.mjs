/** The pool of open bundles: lazy, bounded, and right about files that come, change and go. */
import assert from 'node:assert/strict';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { createPool } from '../../dist/node/mcp/pool.js';
import { packFixture, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const root = temporaryFolder('mcp-pool');
let kiln; // kiln 1.4.0
let other; // the same library and version, with one page alone

before(async () => {
  kiln = await packFixture(join(root, 'kiln.sheaf'));
  const docs = mkdtempSync(join(root, 'docs-'));
  writeFileSync(join(docs, 'new.md'), '# Brand new\n\nThe zebra crossing protocol.\n');
  other = await packFixture(join(root, 'other.sheaf'), { docs });
});

function freshStore(...names) {
  const store = mkdtempSync(join(root, 'store-'));
  for (const name of names) copyFileSync(kiln, join(store, name));
  return store;
}

function logged() {
  const lines = [];
  return { lines, log: (level, message) => lines.push(`[${level}] ${message}`) };
}

async function withPool(options, work) {
  const { log, lines } = logged();
  const pool = createPool(log, options);
  try {
    return await work(pool, lines);
  } finally {
    await pool.close();
  }
}

const pages = (pool, bundle) => pool.use(bundle, async (library) => library.info.pages);
const put = (from, to) => {
  copyFileSync(from, `${to}.tmp`);
  renameSync(`${to}.tmp`, to);
};

describe('the store as the pool sees it', () => {
  it("The pool's store is empty without a folder, and follows a new one", async () => {
    const store = join(root, 'later');
    await withPool({ store }, async (pool) => {
      assert.deepEqual(await pool.list(), []);
      mkdirSync(store);
      copyFileSync(kiln, join(store, 'kiln@1.4.0.sheaf'));
      assert.deepEqual(
        (await pool.list()).map(({ library, version }) => [library, version]),
        [['kiln', '1.4.0']],
      );
    });
  });

  it("The pool's store is right after every change, however quickly they follow", async () => {
    const store = freshStore();
    await withPool({ store }, async (pool) => {
      for (let i = 0; i < 50; i++) {
        linkSync(kiln, join(store, `kiln@${i}.sheaf`));
        assert.equal((await pool.list()).length, i + 1);
      }
      for (let i = 0; i < 50; i++) {
        rmSync(join(store, `kiln@${i}.sheaf`));
        assert.equal((await pool.list()).length, 49 - i);
      }
    });
  });

  it("The pool's store reports added, replaced and removed bundles, and no others", async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store }, async (pool) => {
      let changes = 0;
      const stop = pool.onChange(() => changes++);
      await pool.list(); // after the look that changes are told from
      await new Promise((resolve) => setTimeout(resolve, 200));
      assert.equal(changes, 0);
      for (const change of [
        () => put(kiln, join(store, 'kiln@2.sheaf')),
        () => put(other, join(store, 'kiln@2.sheaf')),
        () => rmSync(join(store, 'kiln@2.sheaf')),
      ]) {
        const before = changes;
        change();
        await until(() => changes > before, 'a change to be noticed');
      }
      const before = changes;
      writeFileSync(join(store, 'notes.txt'), 'not a bundle');
      await new Promise((resolve) => setTimeout(resolve, 300));
      assert.equal(changes, before);
      stop();
    });
  });
});

describe('bundles in use', () => {
  it('Bundles in use are opened once for fifty calls at the same time', async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store }, async (pool) => {
      const [bundle] = await pool.list();
      const seen = new Set();
      const answers = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          pool.use(bundle, async (library) => {
            seen.add(library);
            return library.search(`wait for batches ${i % 5}`, { topK: 3 });
          }),
        ),
      );
      assert.equal(seen.size, 1);
      for (const { hits } of answers) assert.ok(hits.length > 0);
    });
  });

  it('Bundles in use answer by meaning, with the package table shared', async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store }, async (pool) => {
      const [bundle] = await pool.list();
      const { usedSemantic } = await pool.use(bundle, (library) => library.search('send workers home when there is nothing to do'));
      assert.equal(usedSemantic, true);
    });
    await withPool({ store, encoder: () => 'none' }, async (pool) => {
      const [bundle] = await pool.list();
      assert.equal(await pool.use(bundle, async (library) => library.info.semantic), false);
    });
  });

  it('Bundles in use stay with the static table when a configured model is not installed', async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store, encoder: () => 'no-such-model' }, async (pool, lines) => {
      const [bundle] = await pool.list();
      const { usedSemantic } = await pool.use(bundle, (library) => library.search('send workers home'));
      assert.equal(usedSemantic, true);
      await until(() => lines.some((line) => line.includes('no-such-model')), 'a warning that names the model');
    });
  });

  it('Replaced bundles are opened anew, while running calls finish on the old', async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store }, async (pool) => {
      const [bundle] = await pool.list();
      assert.equal(await pages(pool, bundle), 8);
      let begun;
      let release;
      const inside = new Promise((resolve) => (begun = resolve));
      const gate = new Promise((resolve) => (release = resolve));
      const slow = pool.use(bundle, async (library) => {
        begun();
        await gate;
        return (await library.search('batches')).hits.length;
      });
      await inside; // it holds the old file from here on
      put(other, bundle.path);
      assert.equal(await pages(pool, bundle), 1);
      release();
      assert.ok((await slow) > 0);
    });
  });

  it('Bundles in use are opened anew when the file was overwritten in place', async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store }, async (pool) => {
      const [bundle] = await pool.list();
      assert.equal(await pages(pool, bundle), 8);
      writeFileSync(bundle.path, readFileSync(other));
      assert.equal(await pages(pool, bundle), 1);
    });
  });

  it('Removed bundles end in an error that says so', async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store }, async (pool) => {
      const [bundle] = await pool.list();
      await pages(pool, bundle);
      rmSync(bundle.path);
      await assert.rejects(pages(pool, bundle), { code: 'FILE', message: 'kiln 1.4.0 is not available: it was removed from the store.' });
    });
  });

  it('Damaged bundles name the file and the way out, and work once mended', async () => {
    const store = freshStore('kiln@1.4.0.sheaf');
    await withPool({ store }, async (pool) => {
      const [bundle] = await pool.list();
      for (const damage of [
        () => truncateSync(bundle.path, 5000),
        () => writeFileSync(bundle.path, 'not a bundle at all'.repeat(100)),
        () => writeFileSync(bundle.path, ''),
      ]) {
        damage();
        await assert.rejects(
          pages(pool, bundle),
          (error) => error.message.includes(bundle.path) && error.message.includes(`sheaf inspect --verify '${bundle.path}'`),
        );
        await assert.rejects(pages(pool, bundle));
      }
      put(kiln, bundle.path);
      assert.equal(await pages(pool, bundle), 8);
    });
  });

  it('Folders or dangling links as bundles are errors, not crashes', async () => {
    const store = freshStore();
    mkdirSync(join(store, 'folder@1.sheaf'));
    symlinkSync('/nowhere/at/all', join(store, 'link@1.sheaf'));
    await withPool({ store }, async (pool) => {
      assert.deepEqual(await pool.list(), []);
      for (const name of ['folder', 'link']) {
        await assert.rejects(pages(pool, { library: name, version: '1', path: join(store, `${name}@1.sheaf`), bytes: 1 }), {
          code: 'FILE',
        });
      }
    });
  });

  it('Bundles are closed when memory runs short, least recently used first, never in use', async () => {
    const store = freshStore('a@1.sheaf', 'b@1.sheaf', 'c@1.sheaf');
    await withPool({ store, memory: 6 * 1024 * 1024 }, async (pool) => {
      const [a, b, c] = await pool.list();
      const take = (bundle) => pool.use(bundle, async (library) => library);
      const first = await take(a);
      await take(b);
      assert.equal(await take(a), first, 'two have room');
      await take(c);
      assert.equal(await take(a), first, 'b went, which was used longest ago');
      await pool.use(b, async (library) => {
        await take(c);
        await take(a);
        await take(c);
        assert.ok((await library.search('batches')).hits.length > 0, 'in use, so still open');
      });
    });
  });

  it('Bundles in use survive a store that is rewritten all the while', async () => {
    const store = freshStore('kiln@1.4.0.sheaf', 'kiln@2.sheaf');
    await withPool({ store }, async (pool) => {
      const bundles = await pool.list();
      let writing = true;
      const writer = (async () => {
        for (let i = 0; writing; i++) {
          const { path } = bundles[i % 2];
          if (i % 7 === 6) rmSync(path, { force: true });
          else put(i % 3 === 0 ? other : kiln, path);
          await new Promise((resolve) => setTimeout(resolve, 2));
        }
      })();
      // A refusal names the reason, and an answer is right; how many there are of each is up to the clock.
      const reader = async (bundle) => {
        for (let answered = 0; answered < 20; ) {
          try {
            const { hits } = await pool.use(bundle, (library) => library.search('zebra crossing batches', { topK: 3 }));
            assert.ok(hits.length > 0);
            answered++;
          } catch (error) {
            assert.match(error.message, /is not available: it was removed/);
            await new Promise((resolve) => setTimeout(resolve, 1)); // for the writer's turn
          }
        }
      };
      try {
        await Promise.all(Array.from({ length: 10 }, (_, i) => reader(bundles[i % 2])));
      } finally {
        writing = false;
        await writer;
      }
    });
  });

  it('Bundles in use leave no file open behind', {
    skip: process.platform === 'linux' ? false : 'counts open files in /proc',
  }, async () => {
    const open = () => readdirSync('/proc/self/fd').length;
    const store = freshStore('kiln@1.4.0.sheaf');
    const before = open();
    await withPool({ store }, async (pool) => {
      const [bundle] = await pool.list();
      for (let i = 0; i < 5; i++) {
        put(i % 2 ? kiln : other, bundle.path);
        await pages(pool, bundle);
      }
      writeFileSync(bundle.path, 'damaged');
      await assert.rejects(pages(pool, bundle));
    });
    // What was replaced is closed in its own time.
    await until(() => open() <= before + 1, `at most ${before + 1} open files`);
  });
});
