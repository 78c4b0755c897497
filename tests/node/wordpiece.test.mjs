/** The tokenizer in WebAssembly against the same golden answers as the native one, and its tables against their source. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { before, describe, it } from 'node:test';

import { SheafError } from '../../dist/browser/client/errors.js';
import { loadWordPieceModule } from '../../dist/browser/client/load_wordpiece.js';
import { loadWordPiece } from '../../dist/browser/encoder/wordpiece.js';
import { generate } from '../../scripts/bert_tables.mjs';

const golden = (name) => readFile(new URL(`../golden/wordpiece/${name}`, import.meta.url));
const bytesOf = (text) => new TextEncoder().encode(text);
const CLS = 101,
  SEP = 102,
  UNLIMITED = 2 ** 32 - 1;

let vocabulary, wasm, tokenizer;
before(async () => {
  vocabulary = await golden('vocab.txt');
  wasm = await readFile(new URL('../../dist/browser/core/sheaf-wordpiece.wasm', import.meta.url));
  tokenizer = await loadWordPiece({ vocabulary, wasm });
});

describe('WordPiece in WebAssembly', () => {
  it('WordPiece in WebAssembly gives the original ids for every golden text and option', async () => {
    const { cases } = JSON.parse(await golden('cases.json'));
    const made = await Promise.all(
      [0, 1, 2, 3, 4, 5, 6, 7].map((flags) =>
        loadWordPiece({ vocabulary, wasm, lowercase: (flags & 1) !== 0, stripAccents: (flags & 2) !== 0, splitCjk: (flags & 4) !== 0 }),
      ),
    );
    assert.ok(cases.length >= 1500);
    for (const [text, limit, flags, ids] of cases) {
      assert.deepEqual([...made[flags].encode(text, limit || UNLIMITED)], ids, `${JSON.stringify(text)}, limit ${limit}, flags ${flags}`);
    }
    for (const each of made) each.close();
  });

  it('WordPiece in WebAssembly defaults to uncased models, and knows padding and size', () => {
    assert.deepEqual([...tokenizer.encode('Café 中文', 16)], [CLS, 7668, 1746, 1861, SEP]);
    assert.equal(tokenizer.padding, 0);
    assert.equal(tokenizer.size, 30522);
  });

  it('WordPiece in WebAssembly reads lone surrogates as replacement characters, which vanish', () => {
    assert.deepEqual(tokenizer.encode('hel\ud800lo', 8), tokenizer.encode('hello', 8));
  });

  it('WordPiece in WebAssembly gives lasting ids, though memory grows with the next text', () => {
    const first = tokenizer.encode('hello', 8);
    const long = tokenizer.encode('word '.repeat(2_000_000), 3_000_000);
    assert.equal(long.length, 2_000_002);
    assert.deepEqual([...first], [CLS, 7592, SEP]);
    assert.equal(long[2_000_000], long[1]);
  });

  it('WordPiece in WebAssembly cuts long texts before [SEP]', () => {
    assert.deepEqual([...tokenizer.encode('hello hello hello', 3)], [CLS, 7592, SEP]);
    assert.deepEqual([...tokenizer.encode('hello', 2)], [CLS, SEP]);
  });

  it('WordPiece in WebAssembly refuses limits that leave no room for the ends', () => {
    for (const limit of [1, 0, -1, 2.5, NaN, undefined]) {
      assert.throws(
        () => tokenizer.encode('x', limit),
        (error) => error instanceof SheafError && error.code === 'INVALID_ARGUMENT' && /maxTokens/.test(error.message),
      );
    }
  });

  it('WordPiece in WebAssembly names the missing parts of a vocabulary', async () => {
    const refused = async (bytes, code, pattern) =>
      assert.rejects(
        loadWordPiece({ vocabulary: bytes, wasm }),
        (error) => error instanceof SheafError && error.code === code && pattern.test(error.message),
      );
    await refused(bytesOf(''), 'INVALID_ARGUMENT', /empty/);
    await refused(bytesOf('[PAD]\n[UNK]\n[CLS]\nhello\n'), 'INVALID_ARGUMENT', /\[SEP\]/);
    await refused(new Uint8Array(2 ** 26 + 1).fill(97), 'TOO_LARGE', /67108865/);
    await refused('vocab.txt', 'INVALID_ARGUMENT', /Uint8Array/);
  });

  it('WordPiece in WebAssembly reports code that could not be compiled or found', async () => {
    await assert.rejects(
      loadWordPiece({ vocabulary, wasm: bytesOf('not wasm') }),
      (error) => error.code === 'WASM' && /tokenizer could not be compiled/.test(error.message),
    );
    await assert.rejects(
      loadWordPiece({ vocabulary }),
      (error) => error.code === 'NETWORK' && /sheaf-wordpiece\.wasm.*pass the bytes/.test(error.message),
    );
  });

  it('WordPiece in WebAssembly is closed for good', async () => {
    const closing = await loadWordPiece({ vocabulary, wasm });
    closing.close();
    closing.close();
    assert.throws(
      () => closing.encode('x', 8),
      (error) => error.code === 'CLOSED',
    );
  });

  it('WordPiece in WebAssembly reports exhausted memory, and is not used again', async () => {
    const module = await loadWordPieceModule(wasm);
    const core = module.create();
    assert.equal(module.outOfMemory(), 0);
    const most = 2 ** 31 - 2 ** 16; // all the memory there may be, and a length that every C++ library grants a string
    assert.throws(() => module.stage(core, most), WebAssembly.RuntimeError);
    assert.equal(module.outOfMemory(), 1);
  });

  it('WordPiece in WebAssembly answers nothing before a vocabulary is loaded', async () => {
    const module = await loadWordPieceModule(wasm);
    const core = module.create();
    module.stage(core, 3);
    assert.equal(module.encode(core, 8), 0);
    assert.equal(module.size(core), 0);
    assert.notEqual(module.load(core, 7), 0);
    assert.match(Buffer.from(module.memory.buffer, module.problemAddress(core), module.problemSize(core)).toString(), /\[UNK\]|vocabulary/);
    module.destroy(core);
  });
});

describe('the tables of the tokenizer', () => {
  it("The tokenizer's tables match the output of scripts/bert_tables.mjs", async () => {
    const committed = await readFile(new URL('../../src/encode/bert_tables.inc', import.meta.url), 'utf8');
    assert.ok(generate().text === committed, 'run `node scripts/bert_tables.mjs` and commit its result');
  });

  it("The tokenizer's tables stay compact", () => assert.ok(generate().stats.brotli < 7000, `${generate().stats.brotli} bytes of brotli`));
});
