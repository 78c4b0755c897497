import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { CORE_CODES, coreError } from '../../dist/browser/client/errors.js';
import * as wire from '../../dist/browser/client/wire.js';
import { answer, failure, needs, writeHit, Writer } from './fake_core.mjs';

const f32 = Math.fround;

const HIT = {
  page: 3,
  passage: 70_000,
  score: f32(0.75),
  title: 'Größe',
  place: ['Guide', 'Sizes'],
  url: 'https://example.org/a',
  source: 'a.md',
  anchor: 'b',
  headings: ['One', 'Two'],
  firstLine: 1,
  lastLine: 300,
  kind: 'code',
  snippet: 'a 🌾 sheaf',
  highlights: [{ start: 5, length: 5 }],
  titleHighlights: [{ start: 0, length: 5 }],
  headingHighlights: [],
  meta: { image: '/i.png', author: 'Anne' },
  symbol: { kind: 'function', deprecated: true, name: 'field.reap', signature: 'reap(sickle)' },
  explanation: {
    keywordRaw: f32(12.5),
    keyword: f32(0.5),
    cosine: f32(-0.25),
    semantic: 0,
    semanticWeight: f32(0.3),
    coverage: 1,
    pageBonus: f32(0.01),
    terms: [{ word: 'shef', term: 'sheaf', kind: 'typo', idf: f32(2.5), weight: f32(0.7), frequency: 1, score: f32(1.2) }],
  },
};

function searchMessage() {
  return answer()
    .varint(12)
    .varint(1)
    .u8(1)
    .u8(0)
    .u8(1)
    .list([{ word: 'shef', term: 'sheaf' }], (w, c) => w.string(c.word).string(c.term))
    .list([HIT, { ...HIT, explanation: undefined }], writeHit)
    .string('author\tAnne\t2\nauthor\tBo\t1\nkind\tguide\t3\n')
    .done();
}

const damaged = { name: 'SheafError', code: 'INTERNAL' };

describe('wire', () => {
  it('The wire reads a search answer with all its fields', () => {
    const { explanation: _, ...plain } = HIT;
    assert.deepEqual(wire.decodeMessage(searchMessage(), wire.readAnswer), {
      kind: 'answer',
      value: {
        matchingPassages: 12,
        ignoredWords: 1,
        usedKeyword: true,
        usedSemantic: false,
        weak: true,
        corrections: [{ word: 'shef', term: 'sheaf' }],
        hits: [HIT, plain],
        facets: [
          {
            key: 'author',
            values: [
              { value: 'Anne', pages: 2 },
              { value: 'Bo', pages: 1 },
            ],
          },
          { key: 'kind', values: [{ value: 'guide', pages: 3 }] },
        ],
      },
    });
  });

  it("The wire takes meta's keys as mere names, and damaged lines without harm", () => {
    const message = answer().varint(0).varint(0).u8(1).u8(0).u8(0).varint(0);
    const { explanation: _, meta: __, symbol: ___, ...plain } = HIT;
    message
      .list([plain], (w, hit) => {
        const inner = new Writer();
        writeHit(inner, hit);
        w.bytes.push(...inner.bytes.slice(0, -3)); // up to the empty meta
        w.list(
          [
            ['__proto__', 'x'],
            ['alone', ''],
          ],
          (v, [key, value]) => v.string(key).string(value),
        )
          .u8(0)
          .u8(0);
      })
      .string('alone\na\tb\tc\n');
    const { value } = wire.decodeMessage(message.done(), wire.readAnswer);
    assert.equal(Object.getPrototypeOf(value.hits[0].meta), Object.prototype);
    assert.deepEqual(Object.entries(value.hits[0].meta), [
      ['__proto__', 'x'],
      ['alone', ''],
    ]);
    assert.deepEqual(value.facets, [
      { key: 'alone', values: [{ value: '', pages: 0 }] },
      { key: 'a', values: [{ value: 'b', pages: 0 }] },
    ]);
  });

  it('The wire reads the facts of a bundle', () => {
    const bytes = answer()
      .string('@vue/core')
      .string('3.5')
      .string('{}')
      .varint(10)
      .varint(200)
      .varint(3000)
      .varint(256)
      .varint(4)
      .u8(1)
      .string('minilm-l6-256')
      .varint(5_000_000_000)
      .string('de')
      .done();
    assert.deepEqual(wire.decodeMessage(bytes, wire.readInfo).value, {
      library: '@vue/core',
      version: '3.5',
      manifest: '{}',
      pages: 10,
      passages: 200,
      terms: 3000,
      dimensions: 256,
      vectorBits: 4,
      hasGraph: true,
      space: 'minilm-l6-256',
      fileSize: 5_000_000_000,
      language: 'de',
    });
  });

  it('The wire reads pages, passages, vectors and numbers', () => {
    const passage = (w) =>
      w
        .varint(8)
        .varint(2)
        .string('top')
        .list(['H'], (v, s) => v.string(s))
        .varint(1)
        .varint(9)
        .string('\ufeffx\0y');
    const expected = { id: 8, page: 2, anchor: 'top', headings: ['H'], firstLine: 1, lastLine: 9, text: '\ufeffx\0y' };
    const message = answer();
    passage(message);
    assert.deepEqual(wire.decodeMessage(message.done(), wire.readPassage).value, expected);
    const page = answer()
      .varint(2)
      .string('T')
      .string('u')
      .string('s')
      .string('d')
      .string('2024-01-02')
      .list([passage], (w, write) => write(w))
      .done();
    assert.deepEqual(wire.decodeMessage(page, wire.readPage).value, {
      id: 2,
      title: 'T',
      url: 'u',
      source: 's',
      description: 'd',
      lastModified: '2024-01-02',
      passages: [expected],
    });
    assert.deepEqual(
      wire.decodeMessage(
        answer()
          .list([1, -0.5], (w, v) => w.f32(v))
          .done(),
        wire.readVector,
      ).value,
      Float32Array.of(1, -0.5),
    );
    assert.equal(
      wire.decodeMessage(
        answer()
          .varint(2 ** 53 - 1)
          .done(),
        wire.readNumber,
      ).value,
      2 ** 53 - 1,
    );
    assert.deepEqual(wire.decodeMessage(answer().done(), wire.readNothing), { kind: 'answer', value: undefined });
  });

  it('The wire reads needs with offsets beyond 32 bits', () => {
    const ranges = [
      { source: 0, offset: 6_000_000_000, length: 512 },
      { source: 1, offset: 0, length: 1 },
    ];
    assert.deepEqual(wire.decodeMessage(needs(ranges).done(), wire.readNothing), { kind: 'needs', needs: ranges });
  });

  it('The wire turns the core’s error codes into readable ones', () => {
    const { kind, error } = wire.decodeMessage(failure(24, 'block 7 is damaged').done(), wire.readNothing);
    assert.equal(kind, 'error');
    assert.equal(error.code, 'CHECKSUM_MISMATCH');
    assert.equal(error.message, 'block 7 is damaged');
    assert.equal(coreError(77, 'x').code, 'INTERNAL');
    assert.match(coreError(77, 'x').message, /unknown error code 77/);
  });

  it('The wire refuses a message that was cut anywhere', () => {
    const whole = searchMessage();
    for (let length = 0; length < whole.length; length++) {
      assert.throws(() => wire.decodeMessage(whole.subarray(0, length), wire.readAnswer), damaged, `cut at ${length}`);
    }
  });

  it('The wire refuses bytes after the end, unknown tags and unknown kinds of match', () => {
    assert.throws(() => wire.decodeMessage(answer().u8(1).done(), wire.readNothing), damaged);
    assert.throws(() => wire.decodeMessage(Uint8Array.of(3), wire.readNothing), damaged);
    const odd = answer();
    writeHit(odd, { ...HIT, explanation: { ...HIT.explanation, terms: [{ ...HIT.explanation.terms[0], kind: 'none' }] } });
    assert.throws(() => wire.decodeMessage(Uint8Array.from(odd.bytes), (r) => r.list(() => undefined)), damaged);
  });

  it('The wire refuses counts larger than the message, without allocating for them', () => {
    const bomb = new Writer()
      .u8(1)
      .varint(2 ** 50)
      .done();
    assert.throws(() => wire.decodeMessage(bomb, wire.readNothing), damaged);
    assert.throws(
      () =>
        wire.decodeMessage(
          answer()
            .varint(2 ** 40)
            .done(),
          (r) => r.string(),
        ),
      damaged,
    );
  });

  it('The wire refuses numbers beyond 2^53 and endless ones', () => {
    assert.throws(() => wire.decodeMessage(Uint8Array.of(0, ...Array(7).fill(0xff), 0x7f), wire.readNumber), damaged);
    assert.throws(() => wire.decodeMessage(Uint8Array.of(0, ...Array(20).fill(0x80), 0), wire.readNumber), damaged);
  });

  it('The wire reads messages that lie at an odd address of a larger buffer', () => {
    const heap = new Uint8Array(100);
    const bytes = answer()
      .list([1.5], (w, v) => w.f32(v))
      .done();
    heap.set(bytes, 33);
    assert.deepEqual(wire.decodeMessage(heap.subarray(33, 33 + bytes.length), wire.readVector).value, Float32Array.of(1.5));
  });
});

describe('error codes', () => {
  it('Error codes are those of src/base/result.h, with the same numbers and names', async () => {
    const header = await readFile(new URL('../../src/base/result.h', import.meta.url), 'utf8');
    const numbers = new Map([...header.matchAll(/^\s+(k\w+) = (\d+),/gm)].map((m) => [m[1], Number(m[2])]));
    const names = new Map([...header.matchAll(/case ErrorCode::(k\w+): return "(\w+)";/g)].map((m) => [m[1], m[2]]));
    assert.ok(numbers.size > 10);
    assert.deepEqual(CORE_CODES, Object.fromEntries([...numbers].map(([key, number]) => [names.get(key), number])));
  });
});
