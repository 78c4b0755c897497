/**
 * Checks the judged development sets beside this file; README.md says how they were made.
 *
 *   node tests/quality/sets/check.mjs [NAME ...]      all sets when none is named
 *
 * Format: always. Pages: where the Debian package of a set is installed; it is packed and every judgment is held to
 * its text. Exit code 1 on any complaint. Needs build/native/sheaf-pack (or $SHEAF_PACK) and dist/.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { contentWords, spellings } from './words.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../../..');

export const KINDS = ['natural', 'paraphrase', 'keyword', 'identifier', 'typo', 'error', 'version'];
const FIELDS = 'id,query,kind,relevant';
const TEXT_FIELDS = ['package', 'version', 'root', 'licence', 'library'];
// Kinds that are put in a user's own words, so that no heading may answer them word for word.
const OWN_WORDS = new Set(['natural', 'paraphrase', 'error', 'version']);

/** The names of all sets: the folders beside this file. */
export function setNames() {
  const entries = readdirSync(here, { withFileTypes: true });
  return entries
    .filter((e) => e.isDirectory())
    .map((e) => e.name)
    .sort();
}

/** {name, about, queries, file}. Throws where a file is missing or no JSON. */
export function readSet(name) {
  const file = join(here, name, 'queries.jsonl');
  const about = JSON.parse(readFileSync(join(here, name, 'about.json'), 'utf8'));
  const queries = readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line, i) => {
      try {
        return JSON.parse(line);
      } catch (error) {
        throw new Error(`${file}:${i + 1}: not JSON (${error.message})`, { cause: error });
      }
    });
  return { name, file, queries, about };
}

const isText = (value) => typeof value === 'string' && value !== '' && value.trim() === value;

/** {set, bundle} of each set whose documentation is installed, packed into the folder `work`; others are said to be skipped. */
export function* packedSets(work) {
  for (const set of setNames().map(readSet)) {
    const missing = whyNoPages(set);
    if (missing !== undefined) {
      console.log(`${set.name} skipped: ${missing}`);
      continue;
    }
    const bundle = join(work, `${set.name}.sheaf`);
    packSet(set, bundle);
    yield { set, bundle };
  }
}

/** What is wrong with a set, as far as its own files tell. Pure. */
export function checkFormat({ name, about, queries }) {
  const ids = new Set();
  const texts = new Set();
  const complaints = checkAbout(name, about);
  for (const q of queries) {
    complaints.push(...checkQuery(name, q));
    if (ids.has(q.id)) complaints.push(`${name} ${q.id}: there are two of this id`);
    if (texts.has(String(q.query).toLowerCase())) complaints.push(`${name} ${q.id}: asked twice: ${q.query}`);
    ids.add(q.id);
    texts.add(String(q.query).toLowerCase());
  }
  const paraphrases = new Set(queries.filter((q) => q.kind === 'paraphrase').map((q) => q.id));
  const strangers = Object.keys(about.sharedWords ?? {}).filter((id) => !paraphrases.has(id));
  complaints.push(...strangers.map((id) => `${name}/about.json: sharedWords names ${id}, no paraphrase of this set`));
  return complaints;
}

function checkAbout(name, about) {
  const complaints = [];
  for (const field of TEXT_FIELDS) {
    if (!isText(about[field])) complaints.push(`${name}/about.json: "${field}" must be a text`);
  }
  if (!Number.isInteger(about.pages) || about.pages < 60) {
    complaints.push(`${name}/about.json: "pages" must be a number of at least 60, got ${about.pages}`);
  }
  return complaints;
}

function checkQuery(name, q) {
  const at = `${name} ${q.id}`;
  const complaints = [];
  if (Object.keys(q).join() !== FIELDS) complaints.push(`${at}: expected the fields ${FIELDS}, got ${Object.keys(q)}`);
  if (!new RegExp(`^${name}-\\d{3}$`).test(q.id)) complaints.push(`${at}: an id is ${name}-NNN`);
  if (!isText(q.query)) complaints.push(`${at}: "query" must be a text without blanks around it`);
  if (!KINDS.includes(q.kind)) complaints.push(`${at}: unknown kind ${q.kind}; expected one of ${KINDS.join(', ')}`);
  const pages = Array.isArray(q.relevant) ? q.relevant : [];
  if (pages.length === 0 || !pages.every(isText) || new Set(pages).size !== pages.length) {
    complaints.push(`${at}: "relevant" must list at least one page, each once`);
  }
  return complaints;
}

/** Why the pages of a set cannot be read here, or undefined where they can. */
export function whyNoPages({ about }) {
  return existsSync(about.root) ? undefined : `Debian package ${about.package} is not installed (no ${about.root})`;
}

/** Packs a set's documentation as its judgments were made. */
export function packSet({ about }, bundle, flags = []) {
  const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
  const exclude = (about.exclude ?? []).flatMap((glob) => ['--exclude', glob]);
  const named = ['--library', about.library, '--version', about.version.replace(/-[^-]*$/, '')];
  const args = ['pack', about.root, '-o', bundle, '--quiet', ...named, ...exclude, ...flags];
  execFileSync(packer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** What the documentation, packed, says against a set. */
export async function checkPages(set) {
  const pages = await readPages(set);
  const { name, about, queries } = set;
  const complaints = [];
  if (pages.size !== about.pages) {
    complaints.push(`${name}/about.json: "pages" is ${about.pages}, the bundle has ${pages.size}`);
  }
  const everywhere = new Set([...pages.values()].flatMap((p) => [...p.spellings]));
  const headings = new Set([...pages.values()].flatMap((p) => p.headings));
  for (const q of queries) {
    const missing = q.relevant.filter((path) => !pages.has(path));
    complaints.push(...missing.map((path) => `${name} ${q.id}: no page ${path} in ${about.package}`));
    if (missing.length > 0) continue;
    const copied = OWN_WORDS.has(q.kind) && headings.has(plain(q.query));
    if (copied) complaints.push(`${name} ${q.id}: copied from a heading: ${q.query}`);
    if (q.kind === 'paraphrase') complaints.push(...checkParaphrase(set, q, pages));
    const unknown = q.kind === 'typo' ? [...spellings(q.query)].filter((word) => !everywhere.has(word)) : [''];
    if (unknown.length !== 1) {
      const got = unknown.join(', ') || 'none';
      complaints.push(`${name} ${q.id}: expected one word that the documentation lacks, got ${got}`);
    }
  }
  return complaints;
}

const plain = (text) =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, ' ')
    .trim();

async function readPages(set) {
  const { open } = await import('../../../dist/node/client/node.js');
  const work = mkdtempSync(join(tmpdir(), 'sheaf-sets-'));
  let library;
  try {
    const bundle = join(work, 'set.sheaf');
    packSet(set, bundle, ['--encoder', 'none']);
    library = await open(bundle, { encoder: false });
    const pages = new Map();
    for (let i = 0; i < library.info.pages; i++) {
      const { source, title, text, passages } = await library.page(i);
      const whole = `${title}\n${text}`;
      const headings = passages.flatMap((p) => p.headings.map(plain));
      pages.set(source, { words: contentWords(whole), spellings: spellings(whole), headings });
    }
    return pages;
  } finally {
    await library?.close();
    rmSync(work, { recursive: true, force: true });
  }
}

// The first page shares no word with its paraphrase; further pages share those alone that about.json states.
function checkParaphrase({ name, about }, q, pages) {
  const asked = contentWords(q.query);
  const stated = about.sharedWords?.[q.id] ?? {};
  return q.relevant.flatMap((path, rank) => {
    const { words } = pages.get(path);
    const shared = [...asked]
      .filter(([stem]) => words.has(stem))
      .map(([, word]) => word)
      .sort();
    const allowed = rank === 0 ? [] : (stated[path] ?? []);
    if (shared.join() === [...allowed].sort().join()) return [];
    return [`${name} ${q.id}: shares with ${path}: ${shared.join(' ') || 'nothing'}; stated: ${allowed.join(' ') || 'nothing'}`];
  });
}

async function main(names) {
  let failed = 0;
  for (const name of names.length > 0 ? names : setNames()) {
    const set = readSet(name);
    const complaints = checkFormat(set);
    const why = whyNoPages(set);
    if (complaints.length === 0 && why === undefined) complaints.push(...(await checkPages(set)));
    for (const complaint of complaints) console.error(complaint);
    const unread = why === undefined ? '' : `; pages not checked: ${why}`;
    console.log(`${name}: ${set.queries.length} queries, ${complaints.length} complaints${unread}`);
    failed += complaints.length;
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main(process.argv.slice(2));
