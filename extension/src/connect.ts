/**
 * The way to the desk, from any part of the extension. Connects when it is first used, and again when the page that
 * keeps the worker, or the worker, has gone; what only reads is then asked once more.
 */
import { SheafError } from '../browser/client/errors.js';
import { Peer, type Methods, type Port } from '../browser/client/rpc.js';
import { DESK, type Ending } from './host.js';
import type { DeskMethods, ViewMethods } from './methods.js';

const READS: ReadonlySet<keyof DeskMethods> = new Set([
  'state',
  'search',
  'page',
  'findPage',
  'passage',
  'sizeOf',
  'memory',
  'siteOffers',
]);

type DeskPeer = Peer<DeskMethods, ViewMethods>;

export class DeskClient {
  readonly #listeners = new Set<() => void>();
  readonly #open: () => Promise<Port>;
  #peer: Promise<DeskPeer> | undefined;

  /** `open`: a port of this page's own, where the worker is here. */
  constructor(open: () => Promise<Port> = connect) {
    this.#open = open;
  }

  async call<Name extends keyof DeskMethods & string>(
    name: Name,
    args: Parameters<DeskMethods[Name]>,
    signal?: AbortSignal,
  ): Promise<ReturnType<DeskMethods[Name]>> {
    for (let again = false; ; again = true) {
      const peer = await this.#reach();
      try {
        return await peer.call(name, args, signal);
      } catch (error) {
        if (again || (error as SheafError).code !== 'CLOSED' || !READS.has(name) || signal?.aborted) throw error;
      }
    }
  }

  /** Calls `listener` when what is installed, or being installed, changes. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #reach(): Promise<DeskPeer> {
    this.#peer ??= this.#connect().catch((error: unknown) => {
      this.#peer = undefined;
      throw error;
    });
    return this.#peer;
  }

  async #connect(): Promise<DeskPeer> {
    const port = await this.#open();
    const methods: Methods<ViewMethods> = { changed: () => this.#listeners.forEach((listener) => listener()) };
    const peer = new Peer<DeskMethods, ViewMethods>(port, methods);
    (port as Partial<Ending>).onEnd?.(() => {
      peer.end(new SheafError('CLOSED', 'The connection to the search ended.'));
      this.#peer = undefined;
    });
    return peer;
  }
}

/**
 * A port of the runtime, as the calls of client/rpc.ts want it. The page that keeps the worker may be there and not listen
 * yet, while somebody else has it started; then the port ends at once, and this tries again. It may also end while it
 * takes the port, and then nothing is heard of it: this waits longer each time.
 */
async function connect(): Promise<Port & Ending> {
  for (let pause = 10; ; pause *= 2) {
    await ensureHost();
    const port = chrome.runtime.connect({ name: DESK });
    let timer: ReturnType<typeof setTimeout> | undefined;
    const listens = await new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ANSWER_MS + 10 * pause);
      port.onDisconnect.addListener(() => {
        void chrome.runtime.lastError; // read, so that it is not reported
        resolve(false);
      });
      port.onMessage.addListener(() => resolve(true)); // `ready`
    });
    clearTimeout(timer);
    if (!listens) {
      port.disconnect();
      if (pause > 5000)
        throw new SheafError('CLOSED', 'The search of the extension does not start; reload the extension.');
      await new Promise((resolve) => setTimeout(resolve, pause));
      continue;
    }
    return {
      postMessage: (message) => port.postMessage(message),
      addEventListener: (_, listener) =>
        port.onMessage.addListener((data: unknown) => listener({ data } as MessageEvent)),
      onEnd: (listener) => port.onDisconnect.addListener(listener),
    };
  }
}

/** The least that a page which starts gets to answer in. */
const ANSWER_MS = 3000;

/** Chromium: there is at most one offscreen document, and several may want it at once. Firefox wakes its background by itself. */
export async function ensureHost(): Promise<void> {
  const { offscreen } = chrome as { offscreen?: typeof chrome.offscreen };
  if (offscreen === undefined) return;
  for (let pause = 10; ; pause *= 2) {
    const contexts = await chrome.runtime.getContexts({
      contextTypes: ['OFFSCREEN_DOCUMENT' as chrome.runtime.ContextType],
    });
    try {
      if (contexts.length === 0)
        await offscreen.createDocument({
          url: 'offscreen.html',
          reasons: ['WORKERS' as chrome.offscreen.Reason],
          justification: 'Searches the installed documentation in a worker, which a service worker cannot start.',
        });
      return;
    } catch (error) {
      if (pause > 1000) throw error; // else somebody else is just creating it
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
