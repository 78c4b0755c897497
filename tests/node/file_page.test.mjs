/** The scripts that carry bytes to pages opened as files: the writing end against the reading end. */
import assert from 'node:assert/strict';
import { randomFillSync } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { createContext, Script } from 'node:vm';
import { asFiles, fileAddress } from '../../dist/page/file_open.js';
import { decodeText, PiecesSource, readPiece } from '../../dist/page/pieces.js';
import { PIECE_BYTES, pieceScript } from '../../dist/site/file_page.js';

/** What `script` leaves on its element in a browser that reads it by its byte order mark. */
function left(script) {
  const currentScript = {};
  new Script(new TextDecoder('utf-16le').decode(script)).runInContext(createContext({ document: { currentScript } }));
  return [...currentScript.sheaf];
}

const noise = (length) => randomFillSync(Buffer.alloc(length));

describe('a piece', () => {
  it('is a script that a browser takes for UTF-16 whatever it was told, without a character that needs escaping', () => {
    const script = pieceScript(noise(70_000));
    assert.deepEqual([...script.subarray(0, 2)], [0xff, 0xfe]);
    const text = new TextDecoder('utf-16le', { fatal: true }).decode(script); // refuses halves of pairs
    assert.match(text, /^document\.currentScript\.sheaf=\[\d+,"[\u3400-\ub3ff]+"\]$/);
    assert.ok(script.length < 70_000 * 1.07 + 200, `${script.length} bytes for noise`);
  });

  it('gives every byte back, whatever the length', async () => {
    for (const length of [0, 1, 2, 7, 8, 14, 15, 16, 1000, PIECE_BYTES]) {
      const bytes = noise(length);
      const [size, text] = left(pieceScript(bytes));
      const packed = decodeText(text, size);
      const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
      assert.deepEqual(Buffer.from(await new Response(stream).arrayBuffer()), bytes, `${length} bytes`);
    }
  });

  it('of a wrong length or with strange characters is refused', () => {
    assert.deepEqual([...decodeText('\u3400', 1)], [0]);
    const lengths = [0, 2, -1, 0.5, NaN].map((length) => ['\u3400', length]);
    for (const [text, length] of [...lengths, ['', 1], ['\u33ff', 1], ['\ub400', 1], ['a', 1]]) {
      assert.equal(decodeText(text, length), undefined, JSON.stringify([text, length]));
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

  it('runs the scripts that hold a range, each once', async () => {
    const source = fresh();
    assert.equal(await source.size(), bytes.length);
    const ranges = [[0, 1], [999, 2], [1000, 1000], [500, 2500], [3000, 456], [0, 3456], [3456, 0], [1000, 0]];
    const read = await Promise.all(ranges.map(([offset, length]) => source.read(offset, length)));
    for (const [i, [offset, length]] of ranges.entries()) {
      assert.deepEqual(Buffer.from(read[i]), bytes.subarray(offset, offset + length), `${offset}+${length}`);
    }
    assert.deepEqual([...run].sort(), ['x:/p/0.js', 'x:/p/1.js', 'x:/p/2.js', 'x:/p/3.js']);
    await assert.rejects(source.read(3000, 457), { code: 'TRUNCATED' });
  });

  it('tries again after a failure', async () => {
    const source = fresh();
    const held = files.get('x:/p/1.js');
    files.delete('x:/p/1.js');
    await assert.rejects(source.read(0, 1500), { code: 'FILE', message: /x:\/p\/1\.js could not be read/ });
    files.set('x:/p/1.js', held);
    assert.deepEqual(Buffer.from(await source.read(0, 1500)), bytes.subarray(0, 1500));
    assert.deepEqual(run.filter((url) => url.endsWith('0.js')), ['x:/p/0.js'], 'what was read is kept');
  });

  it('keeps some MiB and not everything', async () => {
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

  it('refuses a piece that is shorter or longer than promised, or nothing of the kind', async () => {
    files.set('x:/short', () => left(pieceScript(noise(9))));
    files.set('x:/bomb', () => left(pieceScript(new Uint8Array(50_000_000))));
    files.set('x:/none', () => undefined);
    files.set('x:/junk', () => [4, '\u3400\u3400\u3400']);
    for (const url of ['x:/short', 'x:/bomb', 'x:/none', 'x:/junk']) {
      const refusal = { code: 'CORRUPT', message: new RegExp(`^${url} does not hold 10 bytes`) };
      await assert.rejects(readPiece(url, 10, (same) => same), refusal, url);
    }
  });
});

describe('hits on pages opened as files', () => {
  it('have the address of the file, escaped, below the base that the component replaces', () => {
    const source = 'Über uns/a #1?&100%.html';
    assert.equal(fileAddress({ source }, '/'), '/%C3%9Cber%20uns/a%20%231%3F%26100%25.html');
    assert.equal(fileAddress({ source: 'a/index.html' }, 'https://x.example/docs'), 'https://x.example/docs/a/index.html');
    assert.equal(fileAddress({ source: 'javascript:alert(1).html' }, ''), 'javascript%3Aalert(1).html');
  });

  it('come from a library that is otherwise the one beneath', async () => {
    class Beneath {
      #secret = 7;
      info = { manifest: { base_url: '/' } };
      async search(query) {
        return { hits: [{ source: `${query}.html`, url: '/x/' }], matchingPassages: this.#secret };
      }
      async passage(id) { return id + this.#secret; }
    }
    const library = asFiles(new Beneath());
    assert.deepEqual(await library.search('a b'), { hits: [{ source: 'a b.html', url: '/a%20b.html' }], matchingPassages: 7 });
    assert.equal(await library.passage(1), 8);
  });
});
