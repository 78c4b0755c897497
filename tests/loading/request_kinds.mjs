/**
 * What a request of a search brought: a script by its name, or the section of bundle or table in which most of its bytes
 * lie. A piece begins where those before it end.
 */
import { readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { bytesBySection, sectionsOf } from './sections.mjs';
import { TABLE } from './sites.mjs';

const once = (known, key, make) => {
  if (!known.has(key)) known.set(key, make());
  return known.get(key);
};

/**
 * A function of a request, as counting_server.mjs notes it, to a site in `folder`: {what, from, to}, where `what` is bundle or
 * table, and the bytes from `from` to before `to` of it came. undefined for other requests.
 */
export function locator(folder) {
  const lists = new Map();
  const endsOf = (pieces) =>
    once(lists, pieces, () => {
      const list = readFileSync(join(folder, pieces, '0.bin'));
      let end = 0;
      return Array.from({ length: list.readUInt32LE(0) }, (_, i) => (end += list.readUInt32LE(4 + 4 * i)));
    });
  const startOf = (path) => {
    const number = basename(path, '.bin');
    const ends = endsOf(dirname(path));
    return number === '0' ? -4 - 4 * ends.length : ends[number - 1];
  };
  return ({ path, range, body }) => {
    const isPiece = /\.pieces\/\d+\.bin$/.test(path);
    if (!isPiece && !path.endsWith('.sheaf')) return undefined;
    const start = isPiece ? startOf(path) : 0;
    const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(range ?? '') ?? [undefined, 0, body - 1];
    const [from, to] = [start + Number(first), start + Number(last) + 1].map((at) => Math.max(0, at));
    return { what: path.includes('minilm') ? 'table' : 'bundle', from, to };
  };
}

/** A function of a request: what it brought. `site`: as sites.mjs prepares one. */
export function requestKinds({ folder, bundle }) {
  const locate = locator(folder);
  const known = new Map();
  return (request) => {
    const found = locate(request);
    if (found === undefined) return basename(request.path);
    if (found.from === 0) return `${found.what}: head`;
    const sections = once(known, found.what, () => sectionsOf(found.what === 'table' ? TABLE : join(folder, bundle)));
    const [[section]] = [...bytesBySection(sections, [[found.from, found.to - 1]])].sort(([, a], [, b]) => b - a);
    return `${found.what}: ${section}`;
  };
}
