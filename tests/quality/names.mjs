/**
 * `node tests/quality/names.mjs`: does a query that is a name lead to where the name is defined? README.md has the figures and their reading.
 *
 *   --root DIR     where the Debian packages are unpacked, for /
 *   --npm DIR      where npm packages are unpacked (`npm pack fastify` gives DIR/fastify)
 *   --only NAME,…  some of the libraries
 *   --misses       prints each name that was not first, with what was
 *   --write LABEL  rewrites the rows of LABEL in names.csv
 *
 * Names are drawn from the documentation's own headings, definition terms and signatures (names_drawn.mjs), 40 a library, always the same
 * ones. Each is asked twice: as the component asks (passages, grouped by page) and as a plain list of pages. A row counts where it
 * leads to a page that defines the name, at the definition's anchor; where the definition has no anchor of its own, at the heading above, with
 * a passage that holds the name at the beginning of a line. Libraries that are not here are named and keep their rows.
 *
 * Each is asked as a whole, and unfinished, as it stands while it is typed: without its last two or three letters. What else could be meant by
 * the rest is no matter of ranking, so unfinished names have no goal of their own.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { open } from '../../dist/node/client/node.js';
import { groupHits } from '../../dist/browser/ui/state/groups.js';
import { DEFAULT_UI_OPTIONS } from '../../dist/browser/ui/state/search.js';
import { parseCsv } from './chart.mjs';
import { drawNames } from './names_drawn.mjs';
import { writeTable } from './tables.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values: flags } = parseArgs({
  options: {
    root: { type: 'string', default: '/' },
    npm: { type: 'string' },
    only: { type: 'string' },
    misses: { type: 'boolean', default: false },
    write: { type: 'string' },
    count: { type: 'string', default: '40' },
  },
});
const shared = process.env.SHEAF_SHARED ?? resolve(here, '../../../shared');
const doc = (path) => join(flags.root, 'usr/share', path);

/** A method is asked with its class before it, as its readers write it: the id of a Sphinx term has all of it. */
function sphinxName(element) {
  if (element.tag !== 'dt' || !/\bsig\b/.test(element.attributes.class ?? '')) return element.tag === 'dt' ? '' : undefined;
  const [id] = element.ids;
  const shown = element.text
    .replace(/^(?:class|exception|async|static|abstract|classmethod|staticmethod|property|awaitable)\s+/g, '')
    .split(/[\s(=:[¶]/u)[0];
  if (id === undefined || shown.length < 2 || !id.endsWith(shown) || shown.includes('.')) return undefined;
  const parts = id.split('.');
  return parts.length > 1 ? parts.slice(-2).join('.') : undefined;
}
/** rustdoc: Vec::push of the page struct.Vec.html. */
function rustName({ ids }, page) {
  const type = /(?:struct|enum|trait|union|primitive)\.(\w+)\.html$/.exec(page)?.[1];
  const item = ids
    .map((id) => /^(?:method|tymethod|variant|associatedconstant)\.(\w+?)(?:-\d+)?$/.exec(id)?.[1])
    .find((name) => name !== undefined);
  if (item !== undefined) return type === undefined ? '' : `${type}::${item}`;
  return ids.some((id) => /^(?:impl|structfield|associatedtype|method|variant)/.test(id)) ? '' : undefined;
}
/** Texinfo: the id of a function's term is its name, with other characters as numbers. */
function texinfoName({ tag, ids, text }) {
  if (tag !== 'dt') return undefined;
  const id = ids
    .find((each) => each.startsWith('index-'))
    ?.slice(6)
    .replace(/_00([0-9a-f]{2})/g, (_, hex) => String.fromCharCode(parseInt(hex, 16)));
  if (id === undefined) return undefined;
  const name = id.replace(/-\d+$/, '').replace(/-\(.*$/, '');
  return name.length >= 3 && text.includes(name) && !/\s/.test(name) ? name : '';
}

const debian = (path, pages, name, packageName, more = {}) => ({
  name,
  root: doc(path),
  pages,
  from: `the Debian package ${packageName}`,
  ...more,
});
// Ten to work with, then five that nobody looked at while the ranking was made.
const LIBRARIES = [
  debian('doc/python3.11/html/library', /\.html$/, 'python', 'python3.11-doc', { format: 'Sphinx', nameOf: sphinxName }),
  debian('doc/rust-doc/html/alloc', /\.html$/, 'rust-alloc', 'rust-doc', { format: 'rustdoc', nameOf: rustName, exclude: ['all.html'] }),
  debian('doc/git-doc', /^git[^/]*\.html$/, 'git', 'git-doc', { format: 'AsciiDoc', exclude: ['**/*.txt'] }),
  debian('doc/apache2-doc/manual/en', /\.html$/, 'apache', 'apache2-doc', { format: 'own XSLT' }),
  debian('doc/sqlite3', /^(?:c3ref\/|lang_|json1|rescode|cli)[^/]*\.html$/, 'sqlite', 'sqlite3-doc', {
    format: 'own',
    exclude: ['capi3ref.html', 'doc_*_crossref.html', 'keyword_index.html'],
  }),
  debian('doc/nodejs/api', /\.html$/, 'nodejs', 'nodejs-doc', { format: 'Markdown to HTML', exclude: ['all.html'] }),
  debian('gtk-doc/html/glib', /\.html$/, 'glib', 'libglib2.0-doc', { format: 'gtk-doc' }),
  debian('doc/junit4/api', /^org\/.*[A-Z]\w*\.html$/, 'junit', 'junit4-doc', { format: 'JavaDoc' }),
  {
    name: 'octave',
    root: '/usr/share/doc/octave/octave.html',
    pages: /\.html$/,
    from: 'the Debian package octave-doc',
    format: 'Texinfo',
    nameOf: texinfoName,
  },
  { name: 'vue', root: join(shared, 'corpora/vue'), pages: /\.md$/, from: '../shared/corpora', format: 'Markdown' },
  debian('doc/python-django-doc/html', /^(?:ref|topics)\/.*\.html$/, 'django', 'python-django-doc', {
    format: 'Sphinx',
    held: true,
    nameOf: sphinxName,
    exclude: ['_modules/**'],
  }),
  debian('doc/cmake-data/html', /^(?:command|variable|prop_tgt|module|manual)\/.*\.html$/, 'cmake', 'cmake-doc', {
    format: 'Sphinx',
    held: true,
    exclude: ['_sources/**'],
  }),
  debian('doc/libjsoncpp-doc', /^(?:class|struct|namespace)[^/]*\.html$/, 'jsoncpp', 'libjsoncpp-doc', { format: 'Doxygen', held: true }),
  debian('doc/bash', /^bash(?:ref)?\.html$/, 'bash', 'bash-doc', { format: 'Texinfo, one page', held: true, nameOf: texinfoName }),
  {
    name: 'fastify',
    root: join(flags.npm ?? '/nowhere', 'fastify/docs'),
    pages: /\.md$/,
    from: 'the npm package fastify',
    format: 'Markdown',
    held: true,
  },
];

const MODES = ['keyword', 'hybrid'];
const work = mkdtempSync(join(tmpdir(), 'sheaf-names-'));
process.on('exit', () => rmSync(work, { recursive: true, force: true }));

function pack({ name, root, exclude = ['genindex*.html'] }) {
  const bundle = join(process.env.SHEAF_NAMES_BUNDLES ?? work, `${name}.sheaf`);
  const args = [
    'pack',
    root,
    '-o',
    bundle,
    '--library',
    name,
    '--version',
    'dev',
    '--quiet',
    '--graph',
    'never',
    ...exclude.flatMap((glob) => ['--exclude', glob]),
  ];
  const env = process.env.SHEAF_PACK ?? join(here, '../../build/native/sheaf-pack');
  execFileSync(env, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  return bundle;
}

const plain = (anchor) => {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
};
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&');

/** The page at a path; git's index.html is a link to git.html. */
function pageAt(root, path) {
  const file = join(root, path);
  return existsSync(file) ? realpathSync(file) : file;
}

async function leadsTo(library, root, hit, { name, definitions }) {
  const found = pageAt(root, hit.source);
  for (const { page, anchors, own } of definitions) {
    if (found !== pageAt(root, page) || ![...anchors].some((anchor) => plain(anchor) === plain(hit.anchor))) continue;
    if (own) return true;
    const { text } = await library.passage(hit.passage);
    if (new RegExp(`(?:^|\\n)[^\\p{L}\\p{N}\\n]*${escaped(name)}(?![\\w-])`, 'u').test(text)) return true;
  }
  return false;
}

/** Rank from 1 of the first row that answers; 0: none does. */
async function rankOf(library, root, hits, question) {
  for (const [i, hit] of hits.entries()) if (await leadsTo(library, root, hit, question)) return i + 1;
  return 0;
}

/** Two letters less or three, by hash; a bracket at the end is not typed yet. '' where too little would be left. */
function unfinished(name) {
  const missing = 2 + (createHash('sha256').update(name).digest()[0] % 2);
  const typed = name.replace(/>$/, '').slice(0, -missing);
  return /[A-Za-z0-9]$/.test(typed) && typed.length >= 4 ? typed : '';
}
const TYPED = { whole: (name) => name, unfinished };

const { pages, passagesPerPage } = DEFAULT_UI_OPTIONS;
const LISTS = {
  component: async (library, name, mode) => {
    const { hits } = await library.search(name, { mode, by: 'passage', topK: (pages + 1) * 2 });
    return groupHits(hits, pages, passagesPerPage).flatMap((group) => group.hits);
  },
  pages: async (library, name, mode) => (await library.search(name, { mode, topK: 10 })).hits,
};

const share = (ranks, within) => ranks.filter((rank) => rank > 0 && rank <= within).length / ranks.length;
const rows = [];
const all = new Map();
for (const source of LIBRARIES) {
  if (flags.only !== undefined && !flags.only.split(',').includes(source.name)) continue;
  if (!existsSync(source.root)) {
    console.log(`${source.name} skipped: ${source.from} is not here`);
    continue;
  }
  const questions = drawNames(source, Number(flags.count));
  if (questions.length === 0) throw new Error(`${source.name}: no names drawn from ${source.root}`);
  const library = await open(pack(source));
  for (const [typed, typedOf] of Object.entries(TYPED)) {
    const asked = questions.filter(({ name }) => typedOf(name) !== '');
    for (const mode of MODES) {
      for (const [list, ask] of Object.entries(LISTS)) {
        const ranks = [];
        for (const question of asked) {
          const hits = await ask(library, typedOf(question.name), mode);
          const rank = await rankOf(library, source.root, hits, question);
          ranks.push(rank);
          if (flags.misses && rank !== 1 && mode === 'hybrid' && list === 'component') {
            const meant = question.definitions.map(({ page, anchors }) => `${page}#${[...anchors].at(-1)}`).slice(0, 3);
            const shown = hits.slice(0, 3).map((hit) => `${hit.source}#${hit.anchor} "${[hit.title, ...hit.headings].at(-1)}"`);
            const as = typed === 'whole' ? '' : ` as ${typedOf(question.name)}`;
            console.log(`  ${source.name}: ${question.name}${as} at ${rank || 'none'}; meant ${meant.join(' ')}; got ${shown.join(' · ')}`);
          }
        }
        const part = source.held ? 'held out' : 'worked with';
        const row = { set: source.name, format: source.format, part, typed, mode, list };
        rows.push({ ...row, n: ranks.length, first: share(ranks, 1), three: share(ranks, 3) });
        const key = `${part},${typed},${mode},${list}`;
        all.set(key, [...(all.get(key) ?? []), ...ranks]);
      }
    }
  }
  await library.close();
  const shown = rows
    .filter((row) => row.set === source.name && row.mode === 'hybrid')
    .map(({ typed, list, first, three }) => `${typed}/${list} ${(100 * first).toFixed(0)} ${(100 * three).toFixed(0)}`);
  console.log(`${source.name.padEnd(12)} n ${String(questions.length).padEnd(3)} ${shown.join('   ')}`);
}
for (const [key, ranks] of all) {
  const [part, typed, mode, list] = key.split(',');
  rows.push({ set: 'all', format: '', part, typed, mode, list, n: ranks.length, first: share(ranks, 1), three: share(ranks, 3) });
  console.log(
    `${key.padEnd(41)} n ${ranks.length}: first ${(100 * share(ranks, 1)).toFixed(1)} %, in three ${(100 * share(ranks, 3)).toFixed(1)} %`,
  );
}
if (flags.write !== undefined) {
  const table = join(here, 'names.csv');
  const columns = ['set', 'state', 'format', 'part', 'typed', 'mode', 'list', 'n', 'first', 'three'];
  const measured = new Set(rows.map(({ set }) => set));
  const before = existsSync(table) ? parseCsv(readFileSync(table, 'utf8')) : [];
  const others = before.filter(({ set, state }) => measured.has(set) && state !== flags.write);
  await writeTable(table, columns, [...others, ...rows.map((row) => ({ state: flags.write, ...row }))]);
}
