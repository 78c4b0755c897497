// What the component shows of a model's answer: cited sentences only.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CitedSentences, chatText } from '../../dist/browser/ui/ask/cited.js';

/** The sentences of an answer that comes in pieces of a size. */
function sentencesOf(answer, size, passages = 3) {
  const cited = new CitedSentences(passages);
  const found = [];
  for (let at = 0; at < answer.length; at += size) found.push(...cited.push(answer.slice(at, at + size)));
  return [...found, ...cited.end()];
}

const ANSWERS = [
  ['Set `port` [1]. It is 80 by default.[2] Then start it.', ['Set `port` [1].', 'It is 80 by default.[2]']],
  ['Both say so [1, 3]. One more. [2]', ['Both say so [1, 3].', 'One more. [2]']],
  ['No source here. npm has one [1]', ['npm has one [1]']],
  ['Unknown [4]. None [0]. One known, one not [1][9]. Good [2].', ['Good [2].']],
  ['Take a flag, e.g. `-x`, for 1.5 times [1].', ['Take a flag, e.g. `-x`, for 1.5 times [1].']],
  ['The first is `list[1]`. It is there [1].', ['It is there [1].']],
  ['- one [1]\n- two\n- three [3]\n', ['- one [1]', '- three [3]']],
  ['設定します[1]。起動します。終わり。[2]次です', ['設定します[1]。', '終わり。[2]']],
  ['<img src=x onerror=alert(1)> [1].', ['<img src=x onerror=alert(1)> [1].']],
  ['', []],
];

test('Only sentences that cite a known passage are kept, however the answer is cut', () => {
  for (const [answer, wanted] of ANSWERS)
    for (const size of [1, 2, 3, 7, 1000])
      assert.deepEqual(
        sentencesOf(answer, size).map(({ text }) => text),
        wanted,
        `${answer} by ${size}`,
      );
});

test('A sentence names each passage that it cites once', () => {
  assert.deepEqual(sentencesOf('So it is [3][1, 3].', 4)[0].cites, [3, 1]);
});

test('An answer is read up to its bound, and the sentence that is cut there is dropped', () => {
  const cited = new CitedSentences(1);
  const found = cited.push('Word [1]. '.repeat(10_000));
  assert.ok(cited.full);
  assert.ok(found.length > 100 && found.length <= 600, `${found.length} sentences`);
  assert.deepEqual([...cited.push('More [1]. '), ...cited.end()], []);
});

const encoded = (text) => new TextEncoder().encode(text);

function streamOf(text, size, onCancel = () => {}) {
  const bytes = encoded(text);
  let at = 0;
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close();
      controller.enqueue(bytes.subarray(at, (at += size)));
    },
    cancel: onCancel,
  });
}

const event = (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\r\n\r\n`;

async function textOf(stream) {
  let text = '';
  for await (const piece of chatText(stream)) text += piece;
  return text;
}

test('A stream of the chat protocol is read in pieces of any size, up to its end', async () => {
  const stream = `: hello\n\ndata: {"choices":[]}\n\n${event('Größe ')}${event('三 [1].')}data: [DONE]\n\n${event('late')}`;
  for (const size of [1, 5, 10_000]) assert.equal(await textOf(streamOf(stream, size)), 'Größe 三 [1].');
  assert.equal(await textOf(streamOf(event('whole').trimEnd(), 4)), 'whole');
});

test('A stream that is left is cancelled', async () => {
  let cancelled = false;
  for await (const _ of chatText(streamOf(event('a').repeat(50), 60, () => (cancelled = true)))) break;
  assert.ok(cancelled);
});

test('A stream that is not of the protocol, reports an error or never ends its line fails in one line', async () => {
  await assert.rejects(textOf(streamOf('data: <html>\n', 5)), /not in the chat protocol/);
  await assert.rejects(textOf(streamOf('data: {"error":{"message":"x"}}\n', 5)), /reports an error/);
  await assert.rejects(textOf(streamOf('x'.repeat(200_000), 50_000)), /over 100000 characters/);
});
