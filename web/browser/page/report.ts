/**
 * Tells a site's owner what readers search for, where `sheaf site --report` says so. No other site loads this.
 *
 * Idea: a question is what a reader settled on: he followed one of its hits, closed the box over it, went on to another
 * one, or left the page. The keys on the way to it are none. Its report is `PAGES.CHOSEN.WORDS`: how many pages were
 * listed, the place of the page that was followed (0: none), and the words, if the owner asked for them. Questions wait
 * for each other and go as a request without cookies, referrer or body, `ADDRESS?sheaf=1&s=…&s=…`, so the log of any web
 * server keeps them, and `sheaf report` reads it (web/node/site/report_log.ts).
 *
 * Readers who ask not to be tracked report nothing: Do Not Track, Global Privacy Control.
 */
import type { PageGroup } from '../ui/state/groups.js';

export interface ReportTo {
  /** From the site's folder. */
  address: string;
  words: boolean;
}

/** Longer words are cut: a report is no place for a pasted text. */
export const MOST_LETTERS = 100;
const MOST_WAITING = 10;

/** The questions of a page. Knows no browser. */
export class Questions {
  #open: { query: string; pages: number } | undefined;
  #waiting: string[] = [];

  constructor(
    private readonly words: boolean,
    private readonly send: (reports: readonly string[]) => void,
  ) {}

  /** Results are shown. */
  asked(query: string, pages: number): void {
    const before = this.#open?.query;
    // Typing on, or taking letters back, is the same question.
    if (before !== undefined && !query.startsWith(before) && !before.startsWith(query)) this.#settle(0);
    if (query.trim() !== '') this.#open = { query, pages };
  }

  /** A hit is followed, on the page of this place, from 1. */
  chose(place: number): void {
    this.#settle(place);
  }

  /** The box is closed. */
  closed(): void {
    this.#settle(0);
  }

  /** The page is left. */
  left(): void {
    this.#settle(0);
    this.#flush();
  }

  #settle(chosen: number): void {
    if (this.#open === undefined) return;
    const { query, pages } = this.#open;
    this.#open = undefined;
    const words = this.words ? [...query.trim().replace(/\s+/g, ' ')].slice(0, MOST_LETTERS).join('') : '';
    this.#waiting.push(`${pages}.${chosen}.${words}`);
    if (this.#waiting.length >= MOST_WAITING) this.#flush();
  }

  #flush(): void {
    if (this.#waiting.length > 0) this.send(this.#waiting);
    this.#waiting = [];
  }
}

/** Whether the reader asks not to be tracked. */
function isPrivate(): boolean {
  const { doNotTrack, globalPrivacyControl } = navigator as Navigator & { globalPrivacyControl?: boolean };
  return doNotTrack === '1' || globalPrivacyControl === true;
}

/** Reports the questions of this page; `root` is the site's folder. */
export function report({ address, words }: ReportTo, root: string): void {
  if (isPrivate()) return;
  const questions = new Questions(words, (reports) => {
    const url = new URL(address, root);
    url.searchParams.set('sheaf', '1');
    for (const each of reports) url.searchParams.append('s', each);
    // As a beacon, it outlives the page; unlike one, it has no cookies.
    void fetch(url, {
      method: 'POST',
      mode: 'no-cors',
      credentials: 'omit',
      referrerPolicy: 'no-referrer',
      keepalive: true,
    }).catch(() => {});
  });
  let groups: readonly PageGroup[] = [];
  const on = <Detail>(name: string, take: (detail: Detail) => void): void =>
    document.addEventListener(name, (event) => take((event as CustomEvent<Detail>).detail));
  on<{ query: string; stage: string; groups: readonly PageGroup[] }>('sheaf-search', (detail) => {
    ({ groups } = detail);
    questions.asked(detail.query, groups.length);
  });
  on<{ hit: PageGroup['hits'][number] }>('sheaf-select', ({ hit }) =>
    questions.chose(groups.findIndex(({ hits }) => hits.includes(hit)) + 1),
  );
  on<{ open: boolean }>('sheaf-toggle', ({ open }) => open || questions.closed());
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && questions.left());
  addEventListener('pagehide', () => questions.left());
}
