/** Which sections of a bundle the ranges of a search came from: where its bytes go. */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { median } from './tally.mjs';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** [{name, from, to}] of a bundle; what no section covers is its header and directory. */
export function sectionsOf(bundle) {
  const { sections } = JSON.parse(execFileSync(process.execPath, [MAIN, 'inspect', bundle, '--json'], { encoding: 'utf8' }));
  return sections.map(({ name, offset, storedBytes }) => ({ name, from: offset, to: offset + storedBytes }));
}

/** Bytes of each section in a list of ranges [first, last]. Pure. */
export function bytesBySection(sections, ranges) {
  const sums = new Map();
  const add = (name, bytes) => bytes > 0 && sums.set(name, (sums.get(name) ?? 0) + bytes);
  for (const [first, last] of ranges) {
    let rest = last + 1 - first;
    for (const { name, from, to } of sections) {
      const covered = Math.max(0, Math.min(to, last + 1) - Math.max(from, first));
      add(name, covered);
      rest -= covered;
    }
    add('directory', rest);
  }
  return sums;
}

/** [{contestant, name, median}] over visits with `ranges`, largest first. Pure. */
export function sectionRows(sections, visits) {
  const rows = [];
  for (const contestant of ['keyword', 'hybrid']) {
    const sums = visits.filter((visit) => visit.contestant === contestant).map(({ ranges }) => bytesBySection(sections, ranges));
    for (const name of new Set(sums.flatMap((sum) => [...sum.keys()])))
      rows.push({ contestant, name, median: Math.round(median(sums.map((sum) => sum.get(name) ?? 0))) });
  }
  return rows.sort((a, b) => b.median - a.median);
}
