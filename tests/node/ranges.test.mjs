import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SheafError } from '../../dist/browser/client/errors.js';
import { MERGE_GAP, mergeRanges, RangeLoader } from '../../dist/browser/client/ranges.js';

const spans = (ranges, gap) => mergeRanges(ranges, gap).map(({ offset, length }) => [offset, length]);

describe('mergeRanges', () => {
  it('mergeRanges joins ranges that overlap, touch or lie close together', () => {
    assert.deepEqual(
      spans(
        [
          { offset: 0, length: 10 },
          { offset: 5, length: 10 },
          { offset: 15, length: 5 },
          { offset: 24, length: 1 },
        ],
        4,
      ),
      [[0, 25]],
    );
  });

  it('mergeRanges keeps ranges apart that are further away than the gap', () => {
    assert.deepEqual(
      spans(
        [
          { offset: 0, length: 10 },
          { offset: 15, length: 5 },
        ],
        4,
      ),
      [
        [0, 10],
        [15, 5],
      ],
    );
    assert.equal(
      spans([
        { offset: 0, length: 1 },
        { offset: 1 + MERGE_GAP, length: 1 },
      ]).length,
      1,
    );
    assert.equal(
      spans([
        { offset: 0, length: 1 },
        { offset: 2 + MERGE_GAP, length: 1 },
      ]).length,
      2,
    );
  });

  it('mergeRanges takes ranges in any order, and a range within another', () => {
    assert.deepEqual(
      spans(
        [
          { offset: 50, length: 2 },
          { offset: 0, length: 100 },
          { offset: 60, length: 1 },
        ],
        0,
      ),
      [[0, 100]],
    );
    assert.deepEqual(spans([]), []);
  });

  it('mergeRanges remembers which ranges a span serves', () => {
    const [span] = mergeRanges(
      [
        { offset: 8, length: 2 },
        { offset: 0, length: 4 },
      ],
      8,
    );
    assert.deepEqual(span.parts, [
      { offset: 0, length: 4 },
      { offset: 8, length: 2 },
    ]);
  });
});

/** A source whose reads wait until they are let go. */
function heldSource() {
  const reads = [];
  return {
    reads,
    key: 'held',
    size: async () => 1e6,
    read: (offset, length, signal) =>
      new Promise((resolve, reject) => {
        const read = { offset, length, aborted: false, land: () => resolve(new Uint8Array(length).fill(offset)), fail: reject };
        signal.addEventListener('abort', () => {
          read.aborted = true;
          reject(new Error('aborted'));
        });
        reads.push(read);
      }),
  };
}

const A = { offset: 0, length: 10 };
const B = { offset: 100_000, length: 10 };

describe('RangeLoader', () => {
  it('RangeLoader reads distant ranges at the same time and supplies each once', async () => {
    const source = heldSource();
    const supplied = [];
    const loader = new RangeLoader(source, (offset, bytes) => supplied.push([offset, bytes.length]));
    const done = loader.bring([B, A]);
    assert.equal(source.reads.length, 2);
    for (const read of source.reads) read.land();
    await done;
    assert.deepEqual(supplied, [
      [0, 10],
      [100_000, 10],
    ]);
  });

  it('RangeLoader asks once for a range that two searches wait for', async () => {
    const source = heldSource();
    let supplies = 0;
    const loader = new RangeLoader(source, () => supplies++);
    const both = Promise.all([loader.bring([A]), loader.bring([A, B])]);
    assert.equal(source.reads.length, 2);
    for (const read of source.reads) read.land();
    await both;
    assert.equal(supplies, 2);
  });

  it('RangeLoader waits for a running request that brings more, and keeps its part', async () => {
    const source = heldSource();
    const kept = [];
    source.keep = (offset, bytes) => kept.push([offset, bytes.length]);
    const loader = new RangeLoader(source, () => {});
    const whole = loader.bring([{ offset: 0, length: 1000 }]);
    const part = loader.bring([{ offset: 200, length: 100 }]);
    const beyond = loader.bring([{ offset: 990, length: 20 }]);
    assert.deepEqual(
      source.reads.map(({ offset, length }) => [offset, length]),
      [
        [0, 1000],
        [990, 20],
      ],
    );
    for (const read of source.reads) read.land();
    await Promise.all([whole, part, beyond]);
    assert.deepEqual(kept, [
      [0, 1000],
      [200, 100],
      [990, 20],
    ]);
  });

  it('RangeLoader finishes a short request without waiters, since the next letter repeats it', async () => {
    const source = heldSource();
    let supplies = 0;
    const loader = new RangeLoader(source, () => supplies++);
    const controller = new AbortController();
    const first = loader.bring([A], controller.signal);
    controller.abort();
    await assert.rejects(first, { code: 'ABORTED', name: 'AbortError' });
    assert.equal(source.reads[0].aborted, false);
    const second = loader.bring([A]);
    assert.equal(source.reads.length, 1, 'it is not requested twice');
    source.reads[0].land();
    await second;
    assert.equal(supplies, 1);
  });

  it('RangeLoader aborts a long request with its last waiter, and can repeat it', async () => {
    const source = heldSource();
    const long = { offset: 0, length: 500_000 };
    const loader = new RangeLoader(source, () => {});
    const [one, two] = [new AbortController(), new AbortController()];
    const [first, second] = [loader.bring([long], one.signal), loader.bring([long], two.signal)];
    one.abort();
    await assert.rejects(first, { code: 'ABORTED' });
    assert.equal(source.reads[0].aborted, false);
    two.abort();
    await assert.rejects(second, { code: 'ABORTED' });
    assert.equal(source.reads[0].aborted, true);
    const third = loader.bring([long]);
    assert.equal(source.reads.length, 2);
    source.reads[1].land();
    await third;
  });

  it('A stopped RangeLoader supplies nothing, and tells everybody why', async () => {
    const source = heldSource();
    let supplies = 0;
    const loader = new RangeLoader(source, () => supplies++);
    const waiting = loader.bring([A]);
    loader.stop(new SheafError('CLOSED', 'closed'));
    source.reads[0].land();
    await assert.rejects(waiting, { code: 'CLOSED' });
    await assert.rejects(loader.bring([B]), { code: 'CLOSED' });
    assert.equal(supplies, 0);
  });

  it('RangeLoader refuses a source that returns another number of bytes', async () => {
    const loader = new RangeLoader({ key: 'odd', size: async () => 100, read: async () => new Uint8Array(3) }, () =>
      assert.fail('supplied'),
    );
    await assert.rejects(loader.bring([A]), { code: 'NETWORK', message: /3 bytes came for the range of 10 at 0/ });
  });
});
