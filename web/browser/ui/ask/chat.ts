/** The text in a stream of the common chat protocol: server-sent events, each `data:` with `choices[0].delta.content`. */
import { AskFailure } from './failure.js';

/** Of one line, and of all: an endpoint may send what it likes. */
const MOST_OF_LINE = 100_000;
const MOST_BYTES = 4_000_000;

export async function* chatText(body: ReadableStream<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder();
  let rest = '';
  let bytes = 0;
  for await (const value of valuesOf(body)) {
    bytes += value.length;
    rest += decoder.decode(value, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() as string;
    for (const line of lines) {
      const content = contentOf(line);
      if (content === undefined) return;
      if (content !== '') yield content;
    }
    if (rest.length > MOST_OF_LINE)
      throw new AskFailure('askFailed', `A line of it has over ${MOST_OF_LINE} characters.`);
    if (bytes > MOST_BYTES) throw new AskFailure('askFailed', `It has over ${MOST_BYTES} bytes.`);
  }
  yield contentOf(rest + decoder.decode()) ?? '';
}

/** What a stream has; one that is left early is cancelled. */
export async function* valuesOf<Value>(stream: ReadableStream<Value>): AsyncGenerator<Value, void> {
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield value;
    }
  } finally {
    reader.cancel().catch(() => {}); // it has failed already
  }
}

/** What a line adds to the text; undefined: it is the last. */
function contentOf(line: string): string | undefined {
  const data = line.startsWith('data:') ? line.slice(5).trim() : '';
  if (data === '[DONE]') return undefined;
  if (data === '') return '';
  if (data.length > MOST_OF_LINE)
    throw new AskFailure('askFailed', `A line of it has over ${MOST_OF_LINE} characters.`);
  let event: { choices?: { delta?: { content?: unknown } }[]; error?: unknown } | null;
  try {
    event = JSON.parse(data) as typeof event;
  } catch {
    throw new AskFailure('askFailed', 'It is not in the chat protocol: each event has to be JSON.');
  }
  if (event?.error)
    throw new AskFailure('askFailed', `It holds an error: ${JSON.stringify(event.error).slice(0, 300)}`);
  const content = event?.choices?.[0]?.delta?.content;
  return typeof content === 'string' ? content : '';
}
