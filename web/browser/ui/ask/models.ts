/**
 * Who answers: an endpoint that the page's owner names, or the browser's own model.
 *
 * Invariants
 *  1. Nothing is sent before `answer` is called.
 *  2. An endpoint is of the page's own origin, or reached over https; its address holds no password. It gets cookies of its own origin alone.
 *  3. A browser's model is used where it is there already; none is ever downloaded for a question.
 */
import { chatText, valuesOf } from './chat.js';
import { AskFailure } from './failure.js';
import { INSTRUCTIONS, MOST_TOKENS } from './prompt.js';

export interface Model {
  /** Whether it can be asked in this language. */
  isReady(language: string): Promise<boolean>;
  /** The answer as it comes; `prompt` makes the question for so many tokens. */
  answer(prompt: (tokens: number) => string, language: string, signal: AbortSignal): AsyncIterable<string>;
}

/** The model that an attribute `ask` names; throws in words for the page's owner. */
export function modelOf(ask: string, page: { baseURI: string; origin: string }): Model {
  return ask === 'browser' ? browserModel : endpointModel(endpointOf(ask, page));
}

export function endpointOf(ask: string, { baseURI, origin }: { baseURI: string; origin: string }): URL {
  let url: URL;
  try {
    url = new URL(ask, baseURI);
  } catch {
    throw new Error('it is no address');
  }
  if (url.username !== '' || url.password !== '')
    throw new Error('a password in a page is everybody’s; let your own server add it');
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && url.origin === origin))
    throw new Error('it has to be of the page’s own origin, or begin with https:');
  return url;
}

function endpointModel(url: URL): Model {
  return {
    isReady: async () => true,
    async *answer(prompt, _, signal) {
      const messages = [
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: prompt(MOST_TOKENS) },
      ];
      try {
        yield* chatText(await post(url, { messages, stream: true }, signal));
      } catch (error) {
        if (error instanceof TypeError)
          throw new AskFailure('noAnswer', `It cannot be reached, redirects, or breaks off: ${error.message}`);
        throw error;
      }
    },
  };
}

async function post(url: URL, question: object, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
  const { ok, status, headers, body } = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Accept: 'text/event-stream' },
    body: JSON.stringify(question),
    credentials: 'same-origin',
    redirect: 'error',
    signal,
  });
  const type = headers.get('Content-Type') ?? 'no type';
  if (ok && body !== null && type.startsWith('text/event-stream')) return body;
  body?.cancel().catch(() => {});
  if (ok) throw new AskFailure('askFailed', `Its answer should be text/event-stream, and is ${type.slice(0, 100)}.`);
  throw new AskFailure(status === 429 ? 'askBusy' : 'badAnswer', `It answers with status ${status}.`, status);
}

/** Of the Prompt API. Its older versions call the size of the context `inputQuota`. */
interface LanguageModelSession {
  readonly contextWindow?: number;
  readonly inputQuota?: number;
  promptStreaming(text: string, options: { signal: AbortSignal }): ReadableStream<unknown>;
  destroy(): void;
}
interface LanguageModels {
  availability(options: object): Promise<string>;
  create(options: object): Promise<LanguageModelSession>;
}

const languageModels = (): LanguageModels | undefined =>
  (globalThis as { LanguageModel?: LanguageModels }).LanguageModel;

const speaking = (language: string): object => {
  const expected = [{ type: 'text', languages: [language] }];
  return { expectedInputs: expected, expectedOutputs: expected };
};

const browserModel: Model = {
  // `downloadable` and `downloading` are the reader's to decide, and gigabytes.
  isReady: async (language) => (await languageModels()?.availability(speaking(language))) === 'available',
  async *answer(prompt, language, signal) {
    try {
      const session = await (languageModels() as LanguageModels).create({
        ...speaking(language),
        initialPrompts: [{ role: 'system', content: INSTRUCTIONS }],
        signal,
      });
      try {
        const context = session.contextWindow ?? session.inputQuota ?? MOST_TOKENS;
        // Half of it: the instructions and the answer need room as well.
        for await (const piece of valuesOf(session.promptStreaming(prompt(context / 2), { signal })))
          if (typeof piece === 'string') yield piece;
      } finally {
        session.destroy();
      }
    } catch (error) {
      throw new AskFailure('askFailed', `The browser's model: ${(error as Error).message}`);
    }
  },
};
