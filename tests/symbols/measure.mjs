/**
 * How well exact and unfinished names are found, on names that no one chose: every entry that a reference lists of
 * itself (Sphinx' objects.inv, Javadoc's member index, rustdoc's anchors, a folder of commands, the directives of nginx and httpd).
 *
 *     node tests/symbols/measure.mjs KIND FOLDER [--every N] [--packer FILE] [--bundle FILE]
 *
 * KIND: sphinx, javadoc, rustdoc, pages, directives. FOLDER: what to pack. Prints, by kind: names, first right, in three, and of
 * names without their last third, in three. Right is the page with the entry's anchor, or one of a namesake.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { inflateSync } from 'node:zlib';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    every: { type: 'string', default: '1' },
    packer: { type: 'string', default: 'build/native/sheaf-pack' },
    bundle: { type: 'string' },
    misses: { type: 'string', default: '0' },
  },
});
const [form, folder] = positionals;

function* filesOf(top, name = /\.html?$/) {
  for (const entry of readdirSync(top, { withFileTypes: true })) {
    const path = join(top, entry.name);
    if (entry.isDirectory()) yield* filesOf(path, name);
    else if (name.test(entry.name)) yield path;
  }
}

/** name, kind, page, anchor; '' for the page itself. */
const readers = {
  sphinx() {
    const file = readFileSync(join(folder, 'objects.inv'));
    let at = 0;
    for (let line = 0; line < 4; line++) at = file.indexOf(10, at) + 1;
    const names = [];
    for (const line of inflateSync(file.subarray(at)).toString().split('\n')) {
      const [, name, role, uri] = /^(.+?)\s+(\S+:\S+)\s+-?\d+\s+(\S*)\s+.*$/.exec(line) ?? [];
      if (name === undefined || /^std:(doc|label|term|token|pdbcommand)$|:parameter$|:templateParam$|enumerator/.test(role)) continue;
      const [page, anchor = ''] = uri.split('#');
      // Of an option, the program comes first in the inventory alone.
      const shown = /cmdoption/.test(role)
        ? name.replace('.--', ' --').replace('.-', ' -')
        : name.replace(/^(command|variable|envvar|module|policy|genex|generator|prop_\w+|manual|guide|cpack_gen):/, '');
      names.push({ name: shown, kind: role, page, anchor: anchor.replace('$', name) });
    }
    return names;
  },
  javadoc() {
    const read = (file) => JSON.parse(/\[.*\]/s.exec(readFileSync(join(folder, file), 'utf8'))[0]);
    const pathOf = (p, c) => `${p.replaceAll('.', '/')}/${c}.html`;
    const names = [];
    for (const { p, l } of read('type-search-index.js')) {
      if (p) names.push({ name: `${p}.${l}`, kind: 'class', page: pathOf(p, l), anchor: '' });
    }
    for (const { p, c, l, u } of read('member-search-index.js')) {
      const anchor = decodeURIComponent(u ?? l);
      names.push({ name: `${c}.${l.replace(/\(.*/, '')}`, kind: l.includes('(') ? 'method' : 'field', page: pathOf(p, c), anchor });
    }
    return names;
  },
  rustdoc() {
    const names = [];
    for (const file of filesOf(folder)) {
      const page = relative(folder, file);
      const item = /(?:^|\/)(struct|enum|trait|fn|macro|type|union|primitive|constant)\.([^/.]+)\.html$/.exec(page);
      if (item === null || page.startsWith('src/')) continue;
      const module = page.slice(0, item.index).replaceAll('/', '::');
      const name = item[1] === 'primitive' ? item[2] : `${module ? `${module}::` : ''}${item[2]}`;
      names.push({ name, kind: item[1], page, anchor: '' });
      if (names.length % 4 !== 0) continue; // methods of every fourth
      const own = readFileSync(file, 'utf8').split('id="trait-implementations"')[0];
      for (const [, kind, method] of own.matchAll(/<section id="(method|tymethod)\.(\w+)"/g)) {
        names.push({ name: `${item[2]}::${method}`, kind: 'method', page, anchor: `${kind}.${method}` });
      }
    }
    return names;
  },
  directives() {
    const names = [];
    for (const file of filesOf(folder)) {
      const text = readFileSync(file, 'utf8');
      const nginx = text.matchAll(/<a name="()(\w+)"><\/a><div class="directive">/g);
      const httpd = text.matchAll(/<h2 id="(\w+)"><span id="\w+">(?:&lt;)?(\w+)(?:&gt;)?<\/span> Directive/g);
      for (const [, anchor, name] of [...nginx, ...httpd])
        names.push({ name, kind: 'setting', page: relative(folder, file), anchor: anchor || name });
    }
    return names;
  },
  pages() {
    return [...filesOf(folder, /\.md$/)]
      .filter((file) => !/index/.test(file))
      .map((file) => {
        const title = /^title:\s*['"]?([^\n'"]+)/m.exec(readFileSync(file, 'utf8'))?.[1] ?? '';
        return { name: title, kind: 'command', page: relative(folder, file), anchor: '' };
      })
      .filter(({ name }) => name !== '');
  },
};

const dir = mkdtempSync(join(tmpdir(), 'symbols-'));
let bundle = values.bundle;
if (bundle === undefined) {
  bundle = join(dir, 'set.sheaf');
  execFileSync(values.packer, ['pack', folder, '--library', 'set', '--version', '1', '--encoder', 'none', '-o', bundle, '--quiet'], {
    stdio: ['ignore', 'ignore', 'ignore'],
  });
}
const all = readers[form]();
const every = Number(values.every);
const names = all.filter((_, i) => i % every === 0);
const search = (query, exact) => {
  const args = ['search', bundle, '-k', '3', '--mode', 'keyword', '--json', '--', query];
  const { stdout } = spawnSync(values.packer, args, { encoding: 'utf8', maxBuffer: 1 << 26 });
  try {
    return JSON.parse(stdout).hits;
  } catch {
    return [];
  }
};
const lastOf = (name) => name.split(/[.:#/\\ ]+/).at(-1) || name;
const plain = (path) => decodeURIComponent(path);
const isIt = (hit, wanted) => {
  if (plain(hit.source) !== plain(wanted.page)) return false;
  if (wanted.anchor === '') return true;
  const heading = (hit.headings.at(-1) ?? hit.title).replace(/\(.*/, '');
  return (
    plain(hit.anchor) === plain(wanted.anchor) ||
    hit.symbol?.anchor === wanted.anchor ||
    (hit.symbol !== undefined && lastOf(hit.symbol.name) === lastOf(wanted.name)) ||
    lastOf(heading.trim()) === lastOf(wanted.name)
  );
};
const table = new Map();
const misses = [];
const byLast = new Map();
for (const one of all) {
  const last = lastOf(one.name).toLowerCase();
  byLast.set(last, [...(byLast.get(last) ?? []), one]);
}
for (const wanted of names) {
  const row = table.get(wanted.kind) ?? { kind: wanted.kind, names: 0, first: 0, three: 0, bare: 0, unfinished: 0 };
  table.set(wanted.kind, row);
  row.names++;
  const hits = search(wanted.name);
  if (hits[0] && isIt(hits[0], wanted)) row.first++;
  else misses.push(`${wanted.kind} ${wanted.name} -> ${hits[0]?.source}#${hits[0]?.anchor} (${wanted.page}#${wanted.anchor})`);
  if (hits.some((hit) => isIt(hit, wanted))) row.three++;
  // The last part alone: any namesake is right.
  const last = lastOf(wanted.name);
  const namesakes = byLast.get(last.toLowerCase());
  const bare = search(last);
  if (bare[0] && namesakes.some((one) => isIt(bare[0], one))) row.bare++;
  const cut = Math.max(4, Math.ceil(wanted.name.length * 0.7));
  const typed = wanted.name.slice(0, cut);
  const begun = all.filter(({ name }) => name.toLowerCase().startsWith(typed.toLowerCase()));
  if (search(typed).some((hit) => begun.some((one) => isIt(hit, one)))) row.unfinished++;
}
const total = { kind: 'all', names: 0, first: 0, three: 0, bare: 0, unfinished: 0 };
for (const row of table.values()) for (const key of ['names', 'first', 'three', 'bare', 'unfinished']) total[key] += row[key];
const share = (n, of) => `${((100 * n) / of).toFixed(1)} %`;
console.log(`${folder}: ${names.length} of ${all.length} names; bundle ${statSync(bundle).size} bytes`);
for (const row of [...table.values(), total])
  console.log(
    `  ${row.kind.padEnd(22)} ${String(row.names).padStart(6)}  first ${share(row.first, row.names)}  in three ${share(row.three, row.names)}  bare first ${share(row.bare, row.names)}  unfinished ${share(row.unfinished, row.names)}`,
  );
for (const miss of misses.slice(0, Number(values.misses))) console.log(`  missed: ${miss}`);
rmSync(dir, { recursive: true });
