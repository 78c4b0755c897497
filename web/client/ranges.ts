/**
 * Brings missing byte ranges from a source into the core.
 *
 * Idea: every running search names the ranges it lacks. Nearby ranges share one request, requests run
 * in parallel, and a range that another search already waits for is not requested twice. A request that
 * nobody waits for any more is aborted.
 *
 * Invariants
 *  1. A range is handed to `supply` once, before any of its waiters go on.
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
 * Ranges at most this far apart are read in one request: the bytes between them cost less than the headers
 * and the latency of another request.
 */
export const MERGE_GAP = 512;

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

interface Flight {
  controller: AbortController;
  waiters: number;
  landed: Promise<void>;
  parts: ByteRange[];
}

export class RangeLoader {
  readonly #source: Source;
  readonly #supply: (offset: number, bytes: Uint8Array) => void;
  readonly #flights = new Map<string, Flight>();
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
      const flight = this.#flights.get(keyOf(range));
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
        if (--flight.waiters === 0) this.#cancel(flight);
      }
    }
  }

  /** Aborts every request; their waiters, and later calls, reject with `reason`. */
  stop(reason: SheafError): void {
    this.#stopped ??= reason;
    for (const flight of new Set(this.#flights.values())) this.#cancel(flight);
  }

  #launch(span: Span): Flight {
    const controller = new AbortController();
    const flight: Flight = { controller, waiters: 0, landed: Promise.resolve(), parts: span.parts };
    flight.landed = this.#read(span, controller.signal).finally(() => this.#forget(flight));
    flight.landed.catch(() => {}); // a flight may fail after its last waiter left
    for (const part of span.parts) this.#flights.set(keyOf(part), flight);
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
    this.#forget(flight);
    flight.controller.abort();
  }

  #forget(flight: Flight): void {
    for (const part of flight.parts) {
      if (this.#flights.get(keyOf(part)) === flight) this.#flights.delete(keyOf(part));
    }
  }
}

function keyOf(range: ByteRange): string {
  return `${range.offset}+${range.length}`;
}
