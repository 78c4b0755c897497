/** What of a site was left out, or not read as its author meant it: like remarks in one line, on stderr. */
import { oneLine, status } from '../host/terminal.js';
import type { FileRemark } from '../host/packer/packer.js';

const MOST_LINES = 20;

/** Says each remark once, also where rounds repeat it. */
export class SiteNotes {
  #said = new Set<string>();

  say(notes: readonly FileRemark[]): void {
    const fresh = notes.filter((note) => !this.#said.has(keyOf(note)));
    this.#said = new Set(notes.map(keyOf)); // what was mended and comes back is said again
    for (const line of noteLines(fresh)) status(line);
  }
}

/** Reasons that name one other page each would never be alike. */
const ABOUT_ANOTHER = /^(left out: it only forwards to |has the same URL as )(.*?)(, which is the one .*)?$/s;

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
