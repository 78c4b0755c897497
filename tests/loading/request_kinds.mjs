/**
 * What a request of a search brought: a script by its name, or the section of bundle or table in which most of its bytes
 * lie. A piece lies where the pieces before it end.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bytesBySection, sectionsOf } from './sections.mjs';

/** A function of a request as counting_server.mjs notes it, to a site in `folder`. */
export function requestKinds(folder) {
  const known = new Map();
  const once = (key, make) => (known.has(key) || known.set(key, make()), known.get(key));
  const sections = (file) => once(file, () => sectionsOf(join(folder, file)));
  const startOf = (pieces, number) => {
    const ends = once(pieces, () => {
      const list = readFileSync(join(folder, pieces, '0.bin'));
      let end = 0;
      return Array.from({ length: list.readUInt32LE(0) }, (_, i) => (end += list.readUInt32LE(4 + 4 * i)));
    });
    return ends[number - 1] ?? 0;
  };
  return ({ path, range, body }) => {
    const name = path.slice(1);
    if (!/\.(sheaf|bin)$/.test(name)) return basename(name);
    const what = name.includes('minilm') ? 'table' : 'bundle';
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [undefined, 0, body - 1];
    const number = name.endsWith('.bin') ? Number.parseInt(basename(name), 10) : undefined;
    if (Number(first) === 0 && (number ?? 0) === 0) return `${what}: head`;
    const begin = number === undefined ? 0 : startOf(dirname(name), number);
    const file = number === undefined ? name : `${dirname(name).replace(/\.pieces$/, '')}.sheaf`;
    const sums = bytesBySection(sections(file), [[begin + Number(first), begin + Number(last)]]);
    const [section] = [...sums].sort(([, a], [, b]) => b - a)[0];
    return `${what}: ${section}`;
  };
}
