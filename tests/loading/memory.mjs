/**
 * Whether a library that is searched for hours keeps growing: JavaScript heaps of page and worker and the core's
 * memory, after 100 and after 1,000 searches.
 *
 * The searches repeat a site's forty queries in both modes, so after a hundred every byte range that they need is
 * there, and what grows afterwards is kept for nothing.
 */
import { urlsOf, visit } from './measure.mjs';

const EARLY = 100;
export const LATE = 1000;
/** Growth between the two that is noise: caches of the JavaScript runtime, a last page of the core's heap. */
const BOUND = { heap: 1_000_000, core: 1_000_000 };

/** A worker that shows the core's memory, and is the deployed one otherwise. */
const watchedWorker = ({ worker }) => `
self.memories = [];
for (const name of ['instantiate', 'instantiateStreaming']) {
  const original = WebAssembly[name];
  WebAssembly[name] = async (...given) => {
    const made = await original.apply(WebAssembly, given);
    for (const value of Object.values((made.instance ?? made).exports)) if (value instanceof WebAssembly.Memory) self.memories.push(value);
    return made;
  };
}
await import('/${worker}');
`;

export const placesOf = (site) => ({ '/loading/worker.js': watchedWorker(site) });

/**
 * [{searches, page, worker, core}], bytes, of a library read by ranges (`lazy`) or resident. The bench must serve `placesOf`; from
 * now on it does so without delay.
 */
export async function measureMemory(bench, queries, lazy) {
  bench.server.settings.delay = 0;
  return visit(bench, async (page) => {
    const session = await page.context().newCDPSession(page);
    const { attached } = await firstWorker(session);
    await page.evaluate(
      async (urls) => {
        const { open } = await import(urls.client);
        window.library = await open(urls.bundle, { encoder: urls.table, lazy: urls.lazy, worker: '/loading/worker.js' });
        window.searchMany = async (texts, from, to) => {
          for (let i = from; i < to; i++) {
            const { hits } = await window.library.search(texts[(i >> 1) % texts.length], { mode: i % 2 === 0 ? 'keyword' : 'hybrid' });
            if (!Array.isArray(hits)) throw new Error('no hits');
          }
        };
      },
      { ...urlsOf(bench.site), lazy },
    );
    const [worker] = page.workers();
    const state = async (searches) => ({
      searches,
      page: await heapOf((method) => session.send(method)),
      worker: await heapOf(await attached),
      core: await worker.evaluate(() => self.memories.reduce((sum, memory) => sum + memory.buffer.byteLength, 0)),
    });
    const texts = queries.map(({ query }) => query);
    const states = [];
    for (const [from, to] of [
      [0, EARLY],
      [EARLY, LATE],
    ]) {
      await page.evaluate(({ texts: list, from: first, to: last }) => window.searchMany(list, first, last), { texts, from, to });
      states.push(await state(to));
    }
    if (states[0].core === 0) throw new Error('The memory of the core was not seen; does it still come with the exports of the module?');
    return states;
  });
}

async function heapOf(send) {
  await send('HeapProfiler.collectGarbage');
  return (await send('Runtime.getHeapUsage')).usedSize;
}

/** A promise, in an object so that it can be handed on, of a function that sends commands to the page's first worker. */
async function firstWorker(session) {
  const pending = new Map();
  let last = 0;
  session.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result, error } = JSON.parse(message);
    const waiting = pending.get(id);
    pending.delete(id);
    if (error === undefined) waiting?.resolve(result);
    else waiting?.reject(new Error(error.message));
  });
  const attached = new Promise((resolve) => {
    session.once('Target.attachedToTarget', ({ sessionId }) =>
      resolve(
        (method) =>
          new Promise((done, failed) => {
            const id = ++last;
            pending.set(id, { resolve: done, reject: failed });
            session.send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) }).catch(failed);
          }),
      ),
    );
  });
  await session.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: false });
  return { attached };
}

/** How much the second state exceeds the first, and what of it is too much. */
export function growth([early, late]) {
  const heap = late.page + late.worker - early.page - early.worker;
  const core = late.core - early.core;
  const complaints = [];
  if (heap > BOUND.heap)
    complaints.push(`JavaScript heaps grew by ${heap} bytes between ${EARLY} and ${LATE} searches, expected at most ${BOUND.heap}`);
  if (core > BOUND.core)
    complaints.push(`the core's memory grew by ${core} bytes between ${EARLY} and ${LATE} searches, expected at most ${BOUND.core}`);
  return { heap, core, complaints };
}
