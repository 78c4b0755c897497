/**
 * The one way from this page's search to the network. It counts what passes, and it can be shut.
 *
 * The browser's own list of requests (PerformanceObserver) says less: a page does not see there what its worker asks for, nor everywhere
 * whether an answer was a range. So the page reads the files itself, and its worker asks the page for ranges of them.
 */
import { SheafError } from './sheaf/client/errors.js';
import { FetchSource } from './sheaf/client/fetch_source.js';

/** Requests that are shown. */
const SHOWN = 6;

export class Door {
  /** Nothing passes; what is asked for is refused. */
  isShut = false;
  refused = 0;
  range = { requests: 0, bytes: 0 };
  whole = { requests: 0, bytes: 0 };
  /** The latest, oldest first: { file, from, to, bytes, words }. */
  latest = [];
  #changed;
  #wordsNow;

  /** `changed` is called after each change, `wordsNow` says what stands in the box. */
  constructor(changed, wordsNow) {
    this.#changed = changed;
    this.#wordsNow = wordsNow;
  }

  /** As the global one; nothing comes from a cache. */
  fetch = async (address, init = {}) => {
    const file = decodeURIComponent(new URL(address, location.href).pathname.split('/').pop());
    if (this.isShut) {
      this.refused += 1;
      this.#changed();
      throw new SheafError('NETWORK', `${file} was not asked for: the network is switched off on this page.`, {
        status: 403,
      });
    }
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(new Headers(init.headers).get('Range') ?? '') ?? [];
    const seen = { file, from, to, bytes: 0, words: this.#wordsNow() };
    let kind = from === undefined ? this.whole : this.range;
    kind.requests += 1;
    this.latest = [...this.latest, seen].slice(-SHOWN);
    this.#changed();
    const response = await fetch(address, { ...init, cache: 'no-store' });
    if (kind === this.range && response.status !== 206) {
      // A host without ranges.
      kind.requests -= 1;
      kind = this.whole;
      kind.requests += 1;
      seen.from = undefined;
    }
    const count = (bytes) => {
      seen.bytes += bytes;
      kind.bytes += bytes;
      this.#changed();
    };
    const body = response.body?.pipeThrough(
      new TransformStream({
        transform(bytes, out) {
          count(bytes.length);
          out.enqueue(bytes);
        },
      }),
    );
    const headers = new Headers(response.headers);
    headers.delete('Cache-Control'); // what is held here is gone with the page
    return new Response(body, { status: response.status, statusText: response.statusText, headers });
  };
}

/** A file behind the door, as `open` takes it. After `load` nothing of it is asked for again. */
export function fileBehind(door, address, first) {
  let held = new Uint8Array(0); // the longest beginning that was read
  const kept = {
    open: async () => {},
    has: () => false,
    get: async (offset, length) =>
      offset + length <= held.length ? held.subarray(offset, offset + length) : undefined,
    put(offset, bytes) {
      if (offset === 0 && bytes.length > held.length) held = bytes;
    },
    clear() {
      held = new Uint8Array(0);
    },
  };
  const source = new FetchSource(new URL(address, import.meta.url), { fetch: door.fetch, first, kept: () => kept });
  return {
    key: source.key,
    size: (signal) => source.size(signal),
    async read(offset, length, signal) {
      const bytes = await source.read(offset, length, signal);
      kept.put(offset, bytes);
      return bytes;
    },
    reset: () => source.reset(),
    /** All its bytes. */
    async load(signal) {
      if (held.length < (await source.size(signal))) kept.put(0, await source.readAll(signal));
      return held;
    },
  };
}
