/**
 * Reads what readers' pages reported (web/browser/page/report.ts), from the log of any server: each line is searched for
 * `sheaf=1&s=PAGES.CHOSEN.WORDS&s=…`, percent-encoded, whatever else the line holds.
 *
 * Cost: linear in the log; memory for the distinct questions, of which it keeps MOST_QUESTIONS.
 */
export interface AskedQuestion {
  words: string;
  asked: number;
  /** Nothing was listed. */
  empty: number;
  /** Of the others, none was followed. */
  unanswered: number;
  /** A page below the fifth was followed. */
  deep: number;
}

export interface SearchReport {
  questions: number;
  empty: number;
  unanswered: number;
  deep: number;
  /** Questions whose words were not reported. */
  withoutWords: number;
  /** Further distinct questions, which were counted and not kept. */
  dropped: number;
  asked: AskedQuestion[];
}

const MOST_QUESTIONS = 200_000;
const MOST_LINE = 64 * 1024;
const MOST_WORDS = 200;
const DEEP = 5;

export class ReportLog {
  readonly #byWords = new Map<string, AskedQuestion>();
  readonly #sums = { questions: 0, empty: 0, unanswered: 0, deep: 0, withoutWords: 0, dropped: 0 };

  /** A line of a log. What is no report is passed over. */
  add(line: string): void {
    if (line.length > MOST_LINE) return;
    const at = line.indexOf('sheaf=1&s=');
    if (at < 0) return;
    const query = /^[^\s"'<>\\]*/.exec(line.slice(at))?.[0] ?? '';
    for (const value of new URLSearchParams(query).getAll('s')) this.#take(value);
  }

  #take(value: string): void {
    const [, pages, chosen, words = ''] = /^(\d{1,6})\.(\d{1,6})\.(.*)$/s.exec(value) ?? [];
    if (pages === undefined) return;
    const count = {
      empty: Number(pages === '0'),
      unanswered: Number(pages !== '0' && chosen === '0'),
      deep: Number(Number(chosen) > DEEP),
    };
    this.#sums.questions += 1;
    for (const name of ['empty', 'unanswered', 'deep'] as const) this.#sums[name] += count[name];
    const shown = words.slice(0, MOST_WORDS).trim().replace(/\s+/g, ' ');
    if (shown === '') {
      this.#sums.withoutWords += 1;
      return;
    }
    const key = shown.toLowerCase();
    let own = this.#byWords.get(key);
    if (own === undefined) {
      if (this.#byWords.size === MOST_QUESTIONS) {
        this.#sums.dropped += 1;
        return;
      }
      own = { words: shown, asked: 0, empty: 0, unanswered: 0, deep: 0 };
      this.#byWords.set(key, own);
    }
    own.asked += 1;
    for (const name of ['empty', 'unanswered', 'deep'] as const) own[name] += count[name];
  }

  /** The questions by how often they were asked, then by their words. */
  report(): SearchReport {
    const asked = [...this.#byWords.values()];
    asked.sort((a, b) => b.asked - a.asked || (a.words < b.words ? -1 : Number(a.words > b.words)));
    return { ...this.#sums, asked };
  }
}
