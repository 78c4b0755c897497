/** Remarks about pages left out or not read as intended, on stderr; similar remarks share one line. */
import { oneLine, status } from '../node/base/terminal.js';
import type { FileRemark } from '../node/packer/packer.js';

const MOST_LINES = 20;

/** Prints each remark once, even if later rounds repeat it. */
export class SiteNotes {
  #said = new Set<string>();

  say(notes: readonly FileRemark[]): void {
    const fresh = notes.filter((note) => !this.#said.has(keyOf(note)));
    this.#said = new Set(notes.map(keyOf)); // a remark that was fixed and returns is printed again
    for (const line of noteLines(fresh)) status(line);
  }
}

/** Reasons that each name a different page would never group. */
const ABOUT_ANOTHER = /^(left out: it only forwards to |has the same URL as )(.*?)(; a lookup by URL .*)?$/s;

const keyOf = ({ path, reason }: FileRemark): string => `${path}\0${reason}`;

/** Pure. */
export function noteLines(notes: readonly FileRemark[]): string[] {
  const paths = new Map<string, string[]>();
  for (const { path, reason: full } of notes) {
    const reason = full.replace(ABOUT_ANOTHER, '$1another page$3');
    const known = paths.get(reason);
    if (known === undefined) paths.set(reason, [path]);
    else known.push(path);
  }
  const lines = [...paths].map(([reason, [first = '', ...others]]) => {
    const more = others.length === 0 ? '' : ` and ${others.length} more`;
    return `note: ${oneLine(first)}${more}: ${oneLine(reason)}`;
  });
  if (lines.length <= MOST_LINES) return lines;
  return [
    ...lines.slice(0, MOST_LINES),
    `and ${lines.length - MOST_LINES} more kinds of notes; --json lists all of them`,
  ];
}
