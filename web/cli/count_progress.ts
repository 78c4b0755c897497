/** Shows a count's progress on a terminal, `injecting 1,234 of 32,101 pages`; prints nothing elsewhere. */
export class CountProgress {
  readonly #shown: boolean;
  readonly #noun: string;
  #drawn = 0;

  constructor(noun: string, quiet: boolean) {
    this.#noun = noun;
    this.#shown = Boolean(process.stderr.isTTY) && process.env['TERM'] !== 'dumb' && !quiet;
  }

  update(verb: string, done: number, all: number): void {
    const now = performance.now();
    if (!this.#shown || now - this.#drawn < 100) return;
    this.#drawn = now;
    process.stderr.write(`\r\u001b[K${verb} ${done.toLocaleString('en')} of ${all.toLocaleString('en')} ${this.#noun}`);
  }

  clear(): void {
    if (this.#drawn > 0) process.stderr.write('\r\u001b[K');
  }
}
