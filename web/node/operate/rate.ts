/**
 * Requests a minute, for each name: a bucket that holds a minute's worth and fills evenly.
 *
 * Limits: 10,000 names; then those asked for least recently begin anew.
 */
const MOST = 10_000;

export class Rates {
  /** Least recently used first. */
  readonly #buckets = new Map<string, { left: number; at: number }>();
  readonly #now: () => number;

  /** `now`: milliseconds that only grow. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Takes one request; returns the seconds after which there is one again, 0 where it was allowed. */
  take(name: string, perMinute: number): number {
    const now = this.#now();
    const bucket = this.#buckets.get(name) ?? { left: perMinute, at: now };
    const left = Math.min(perMinute, bucket.left + ((now - bucket.at) * perMinute) / 60_000);
    this.#buckets.delete(name);
    this.#buckets.set(name, { left: left >= 1 ? left - 1 : left, at: now });
    if (this.#buckets.size > MOST) this.#buckets.delete(this.#buckets.keys().next().value as string);
    return left >= 1 ? 0 : Math.max(1, Math.ceil(((1 - left) * 60) / perMinute));
  }
}
