/**
 * File progress on stderr. On a terminal a bar redraws itself; elsewhere it prints a line
 * every two seconds and at the end of each file; when quiet it prints nothing.
 *
 *     onnx/model.onnx  [=========>          ]  46%  41.6 of 90.4 MB · 9.3 MB/s · 5 s left
 *
 * Cost: an update only reads the clock until it is time to draw.
 */
import { formatBytes, paint } from '../node/base/terminal.js';

const BAR = 20;
const LINES_EVERY_MS = 2000;
const BAR_EVERY_MS = 100;

/** 12 s, 3 min 20 s, 2 h 5 min. */
export function formatDuration(seconds: number): string {
  const whole = Math.ceil(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
}

/** The line above; no bar when `columns` is 0. `rate` is bytes a second, 0 while it is not known. */
export function formatTransfer(name: string, done: number, total: number, rate: number, columns: number): string {
  const share = total > 0 ? Math.min(1, done / total) : 1;
  const parts = [`${formatBytes(done)} of ${formatBytes(total)}`];
  if (rate > 0) parts.push(`${formatBytes(rate)}/s`);
  if (rate > 0 && done < total) parts.push(`${formatDuration((total - done) / rate)} left`);
  const percent = `${String(Math.floor(share * 100)).padStart(3)}%  ${parts.join(' · ')}`;
  const filled = Math.round(share * BAR);
  const bar =
    columns === 0
      ? ''
      : `[${'='.repeat(filled)}${filled < BAR ? '>' : ''}${' '.repeat(Math.max(0, BAR - filled - 1))}]`;
  const line = bar === '' ? `${name} ${percent}` : `${name}  ${bar} ${percent}`;
  return columns === 0 ? line : line.slice(0, columns);
}

export class TransferProgress {
  readonly #stream = process.stderr;
  readonly #quiet: boolean;
  readonly #bar: boolean;
  #name = '';
  #drawn = 0;
  #begun = 0;
  #from = 0;
  #shown = false;

  constructor(quiet: boolean) {
    this.#quiet = quiet;
    this.#bar = Boolean(this.#stream.isTTY) && process.env['TERM'] !== 'dumb';
  }

  /** `done` of `total` bytes of that file. Bytes present at its first update do not count towards the rate. */
  update(name: string, done: number, total: number): void {
    if (this.#quiet) return;
    const now = performance.now();
    if (name !== this.#name || done < this.#from) {
      this.#name = name;
      this.#begun = now;
      this.#from = done;
      this.#drawn = this.#bar ? 0 : now;
    }
    const whole = done >= total;
    if (!whole && now - this.#drawn < (this.#bar ? BAR_EVERY_MS : LINES_EVERY_MS)) return;
    this.#drawn = now;
    const seconds = (now - this.#begun) / 1000;
    const rate = seconds > 0.2 ? (done - this.#from) / seconds : 0;
    if (this.#bar) {
      this.#stream.write(
        `\r\u001b[K${paint('cyan', formatTransfer(name, done, total, rate, (this.#stream.columns || 80) - 1), this.#stream)}`,
      );
      this.#shown = true;
    } else if (!whole || done > this.#from) {
      this.#stream.write(`${formatTransfer(name, done, total, rate, 0)}\n`);
    }
    if (whole) this.#name = '';
  }

  /** A line of its own, above the bar. */
  note(text: string): void {
    if (this.#quiet) return;
    this.clear();
    this.#stream.write(`${text}\n`);
  }

  /** Removes the bar. */
  clear(): void {
    if (this.#shown) this.#stream.write('\r\u001b[K');
    this.#shown = false;
  }
}
