/**
 * Brings missing byte ranges from a source into the core.
 *
 * Idea: every running search names the ranges it lacks. Nearby ranges share one request, requests run
 * in parallel, and what a running request brings is not requested again. A request that nobody waits for any
 * more goes on unless it is long: whoever types asks for most of it again, with the next letter.
 *
 * Invariants
 *  1. A span is handed to `supply` once, before any of its waiters go on.
 *  2. After `stop`, nothing is supplied and no request is left running.
 */
import { abortable, SheafError } from './errors.js';
import type { Source } from './source.js';

export interface ByteRange {
  offset: number;
  length: number;
}

/** A span to read in one request, with the ranges that it covers. */
export interface Span extends ByteRange {
  parts: ByteRange[];
}

/**
 * Ranges at most this far apart are read in one request: the bytes between them cost less than another request, which
 * takes 400 to 800 bytes of headers and, over HTTP/1.1, one of six connections for a round trip.
 */
export const MERGE_GAP = 2048;

/** A request of more bytes than this is aborted when nobody waits for it. */
const LONG = 128 * 1024;

/** Joins overlapping and neighbouring ranges. Cost: one sort. */
export function mergeRanges(ranges: readonly ByteRange[], gap: number = MERGE_GAP): Span[] {
  const spans: Span[] = [];
  for (const range of [...ranges].sort((a, b) => a.offset - b.offset)) {
    const last = spans[spans.length - 1];
    if (last !== undefined && range.offset <= last.offset + last.length + gap) {
      last.length = Math.max(last.length, range.offset + range.length - last.offset);
      last.parts.push(range);
    } else {
      spans.push({ offset: range.offset, length: range.length, parts: [range] });
    }
  }
  return spans;
}

interface Flight extends Span {
  controller: AbortController;
  waiters: number;
  landed: Promise<void>;
}

export class RangeLoader {
  readonly #source: Source;
  readonly #supply: (offset: number, bytes: Uint8Array) => void;
  readonly #flights = new Set<Flight>();
  #stopped: SheafError | undefined;

  constructor(source: Source, supply: (offset: number, bytes: Uint8Array) => void) {
    this.#source = source;
    this.#supply = supply;
  }

  /** Resolves when all of `ranges` have been supplied. */
  async bring(ranges: readonly ByteRange[], signal?: AbortSignal): Promise<void> {
    if (this.#stopped !== undefined) throw this.#stopped;
    const flights = new Set<Flight>();
    const near: ByteRange[] = [];
    const far: ByteRange[] = [];
    for (const range of ranges) {
      const flight = this.#covering(range);
      if (flight !== undefined) flights.add(flight);
      else (this.#source.has?.(range.offset, range.length) ? near : far).push(range);
    }
    for (const range of near) flights.add(this.#launch({ ...range, parts: [range] }));
    for (const span of mergeRanges(far)) flights.add(this.#launch(span));
    for (const flight of flights) flight.waiters++;
    try {
      await abortable(Promise.all([...flights].map((flight) => flight.landed)), signal);
    } finally {
      for (const flight of flights) {
        if (--flight.waiters === 0 && flight.length > LONG) this.#cancel(flight);
      }
    }
  }

  /** Aborts every request; their waiters, and later calls, reject with `reason`. */
  stop(reason: SheafError): void {
    this.#stopped ??= reason;
    for (const flight of this.#flights) this.#cancel(flight);
  }

  /** The request under way that brings all of a range; the range becomes one of its parts. */
  #covering({ offset, length }: ByteRange): Flight | undefined {
    for (const flight of this.#flights) {
      if (flight.offset > offset || offset + length > flight.offset + flight.length) continue;
      if (!flight.parts.some((part) => part.offset === offset && part.length === length))
        flight.parts.push({ offset, length });
      return flight;
    }
    return undefined;
  }

  #launch(span: Span): Flight {
    const flight: Flight = { ...span, controller: new AbortController(), waiters: 0, landed: Promise.resolve() };
    flight.landed = this.#read(flight, flight.controller.signal).finally(() => this.#flights.delete(flight));
    flight.landed.catch(() => {}); // a flight may fail after its last waiter left
    this.#flights.add(flight);
    return flight;
  }

  async #read(span: Span, signal: AbortSignal): Promise<void> {
    let bytes: Uint8Array;
    try {
      // A source may ignore the signal; do not keep its waiters waiting.
      bytes = await abortable(this.#source.read(span.offset, span.length, signal), signal);
    } catch (error) {
      throw this.#stopped ?? error;
    }
    if (this.#stopped !== undefined) throw this.#stopped;
    if (bytes.length !== span.length) {
      throw new SheafError(
        'NETWORK',
        `${this.#source.key}: ${bytes.length} bytes came for the range of ${span.length} at ${span.offset}; a source's read() must return exactly what it is asked for.`,
      );
    }
    this.#supply(span.offset, bytes);
    for (const { offset, length } of span.parts) {
      const from = offset - span.offset;
      this.#source.keep?.(offset, bytes.subarray(from, from + length));
    }
  }

  /** A landed flight is already forgotten; aborting it has no effect. */
  #cancel(flight: Flight): void {
    this.#flights.delete(flight);
    flight.controller.abort();
  }
}
