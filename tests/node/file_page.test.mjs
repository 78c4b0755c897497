/** The scripts that carry bytes to pages opened as files: the writing end against the reading end. */
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createContext, Script } from 'node:vm';
import { asFiles, fileAddress } from '../../dist/browser/page/file_open.js';
import { decodePiece, PiecesSource, readPiece } from '../../dist/browser/page/pieces.js';
import { PIECE_BYTES, pieceScript, placeForFiles } from '../../dist/node/site/file_page.js';
import { temporaryFolder } from './packed.mjs';

/** What `script` leaves on its element in a browser. */
function left(script) {
  const currentScript = {};
  new Script(script).runInContext(createContext({ document: { currentScript } }));
  return currentScript.sheaf;
}

const BUILT = fileURLToPath(new URL('../../dist/node/site/file/', import.meta.url));
const noise = (length) => randomFillSync(Buffer.alloc(length));

describe('a piece', () => {
  it('A piece is an ASCII script without escapes, the same in every encoding', () => {
    const script = pieceScript(noise(70_000));
    assert.match(script, /^document\.currentScript\.sheaf="[A-Za-z0-9+/]+=*"\n$/);
    assert.ok(script.length < 70_000 * 1.334 + 200, `${script.length} bytes for noise`);
  });

  it('A piece gives every byte back, whatever the length', () => {
    for (const length of [0, 1, 2, 3, 4, 7, 8, 14, 15, 16, 1000, PIECE_BYTES]) {
      const bytes = noise(length);
      assert.deepEqual(Buffer.from(decodePiece(left(pieceScript(bytes)), length)), bytes, `${length} bytes`);
    }
  });

  it('A piece of a wrong length or with strange characters is refused', () => {
    assert.deepEqual([...decodePiece('AA==', 1)], [0]);
    const lengths = [0, 2, 3, 4, -1, 0.5, NaN].map((length) => ['AA==', length]);
    for (const [text, length] of [
      ...lengths,
      ['', 1],
      ['AA=A', 1],
      ['AAA\u0100', 3],
      ['A\u00ff==', 1],
      ['AA\n=', 1],
      [undefined, 1],
      [['AA=='], 1],
      [{ length: 4 }, 1],
    ]) {
      assert.equal(decodePiece(text, length), undefined, JSON.stringify([text, length]));
    }
  });
});

describe('reading pieces', () => {
  const PIECE = 1000;
  const bytes = noise(3456);
  const files = new Map();
  let run = [];

  /** A document whose scripts are `files`. */
  before(() => {
    for (let i = 0; i * PIECE < bytes.length; i++) {
      const script = pieceScript(bytes.subarray(i * PIECE, (i + 1) * PIECE));
      files.set(`x:/p/${i}.js`, () => left(script));
    }
    const head = {
      append(script) {
        run.push(script.src);
        const content = files.get(script.src);
        if (content !== undefined) script.sheaf = content();
        queueMicrotask(() => script.dispatchEvent(new Event(content === undefined ? 'error' : 'load')));
      },
    };
    globalThis.document = { head, createElement: () => Object.assign(new EventTarget(), { remove() {} }) };
  });
  after(() => delete globalThis.document);

  const fresh = () => {
    run = [];
    return new PiecesSource('x:/p/', bytes.length, PIECE, (url) => url);
  };

  it('Reading pieces runs the scripts that hold a range, each once', async () => {
    const source = fresh();
    assert.equal(await source.size(), bytes.length);
    const ranges = [
      [0, 1],
      [999, 2],
      [1000, 1000],
      [500, 2500],
      [3000, 456],
      [0, 3456],
      [3456, 0],
      [1000, 0],
    ];
    const read = await Promise.all(ranges.map(([offset, length]) => source.read(offset, length)));
    for (const [i, [offset, length]] of ranges.entries()) {
      assert.deepEqual(Buffer.from(read[i]), bytes.subarray(offset, offset + length), `${offset}+${length}`);
    }
    assert.deepEqual([...run].sort(), ['x:/p/0.js', 'x:/p/1.js', 'x:/p/2.js', 'x:/p/3.js']);
    await assert.rejects(source.read(3000, 457), { code: 'TRUNCATED' });
  });

  it('Reading pieces tries again after a failure', async () => {
    const source = fresh();
    const held = files.get('x:/p/1.js');
    files.delete('x:/p/1.js');
    await assert.rejects(source.read(0, 1500), { code: 'FILE', message: /x:\/p\/1\.js could not be read/ });
    files.set('x:/p/1.js', held);
    assert.deepEqual(Buffer.from(await source.read(0, 1500)), bytes.subarray(0, 1500));
    assert.deepEqual(
      run.filter((url) => url.endsWith('0.js')),
      ['x:/p/0.js'],
      'what was read is kept',
    );
  });

  it('Reading pieces keeps some MiB and not everything', async () => {
    const empty = pieceScript(new Uint8Array(1));
    for (let i = 0; i < 40; i++) files.set(`x:/many/${i}.js`, () => left(empty));
    const source = new PiecesSource('x:/many/', 40, 1, (url) => url);
    run = [];
    await source.read(0, 40);
    await source.read(39, 1);
    assert.equal(run.length, 40);
    await source.read(0, 1);
    assert.equal(run.length, 41);
  });

  it('Reading pieces refuses a wrong length, or a file of another kind', async () => {
    files.set('x:/short', () => left(pieceScript(noise(9))));
    files.set('x:/bomb', () => left(pieceScript(new Uint8Array(50_000_000))));
    files.set('x:/none', () => undefined);
    files.set('x:/junk', () => '!'.repeat(16));
    for (const url of ['x:/short', 'x:/bomb', 'x:/none', 'x:/junk']) {
      const refusal = { code: 'CORRUPT', message: new RegExp(`^${url} does not hold 10 bytes`) };
      await assert.rejects(
        readPiece(url, 10, (same) => same),
        refusal,
        url,
      );
    }
  });
});

describe('a site for files', () => {
  it('A site for files writes pieces beside those of another Sheaf, and keeps its own', async () => {
    const folder = temporaryFolder('file-page');
    const bytes = noise(PIECE_BYTES + 1);
    writeFileSync(join(folder, 'site-0123456789ab.sheaf'), bytes);
    mkdirSync(join(folder, 'site-0123456789ab.pieces'));
    writeFileSync(join(folder, 'site-0123456789ab.pieces', '0.js'), 'of another version');
    const { piece, pieces } = await placeForFiles(folder, ['site-0123456789ab.sheaf']);
    const { folder: name, bytes: size } = pieces['site-0123456789ab.sheaf'];
    assert.match(name, /^site-[0-9a-f]{12}\.pieces$/);
    const read = (number, length) => decodePiece(left(readFileSync(join(folder, name, `${number}.js`), 'latin1')), length);
    assert.deepEqual(Buffer.concat([read(0, piece), read(1, size - piece)]), bytes);
    assert.deepEqual((await placeForFiles(folder, ['site-0123456789ab.sheaf'])).pieces['site-0123456789ab.sheaf'].folder, name);
  });

  it('A site for files holds worker and core as pieces beside the page’s script', async () => {
    const folder = temporaryFolder('file-code');
    const { code, worker, core, text } = await placeForFiles(folder, []);
    const read = (name, size) => decodePiece(left(readFileSync(join(folder, code, name), 'latin1')), size);
    assert.deepEqual(Buffer.from(read('core.js', core)), readFileSync(new URL('../../dist/browser/core/sheaf-core.wasm', import.meta.url)));
    assert.deepEqual(Buffer.from(read('text.js', text)), readFileSync(new URL('../../dist/browser/core/sheaf-text.wasm', import.meta.url)));
    assert.deepEqual(Buffer.from(read('worker.js', worker)), readFileSync(join(BUILT, 'worker.js')));
    assert.match(readFileSync(join(folder, code, 'page.js'), 'utf8'), /document\.currentScript\.sheaf=/);
  });
});

describe('hits on pages opened as files', () => {
  it('Hits on file pages have the escaped address below the base', () => {
    const source = 'Über uns/a #1?&100%.html';
    assert.equal(fileAddress({ source }, '/'), '/%C3%9Cber%20uns/a%20%231%3F%26100%25.html');
    assert.equal(fileAddress({ source: 'a/index.html' }, 'https://x.example/docs'), 'https://x.example/docs/a/index.html');
    assert.equal(fileAddress({ source: 'javascript:alert(1).html' }, ''), 'javascript%3Aalert(1).html');
  });

  it('Hits on file pages come from the same library otherwise', async () => {
    class Beneath {
      #secret = 7;
      info = { manifest: { base_url: '/' } };
      async search(query) {
        return { hits: [{ source: `${query}.html`, url: '/x/' }], matchingPassages: this.#secret };
      }
      async passage(id) {
        return id + this.#secret;
      }
    }
    const library = asFiles(new Beneath());
    assert.deepEqual(await library.search('a b'), { hits: [{ source: 'a b.html', url: '/a%20b.html' }], matchingPassages: 7 });
    assert.equal(await library.passage(1), 8);
  });
});
