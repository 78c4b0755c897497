/**
 * The collections that search engines are compared on, as every one gets them: the pages and passages that
 * Sheaf's packer extracts, in plain text. So the comparison is about ranking; who extracts better is another question.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { open } from '../../../dist/node/client/node.js';
import { parseJudgments } from '../../../dist/node/eval/judgments.js';
import { packSet, readSet, setNames, whyNoPages } from '../sets/check.mjs';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../../..');
const shared = process.env.SHEAF_SHARED ?? resolve(root, '../shared');
const SHARED_SETS = ['vue', 'rust-book'];

/** Every set by name: how to pack it, where its queries lie, or why it cannot be asked here. */
export function collectionNames() {
  return [...SHARED_SETS, ...setNames()];
}

export function describeCollection(name) {
  if (!SHARED_SETS.includes(name)) {
    const set = readSet(name);
    return { name, queries: set.file, missing: whyNoPages(set), pack: (bundle, flags = []) => packSet(set, bundle, flags) };
  }
  const queries = join(shared, `eval/${name}/queries.jsonl`);
  const folder = join(shared, `corpora/${name}`);
  const there = existsSync(queries) && existsSync(folder);
  const missing = there ? undefined : `no evaluation set at ${shared} (not part of the product; $SHEAF_SHARED names another place)`;
  const pack = (bundle, flags = []) => {
    const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
    const args = ['pack', folder, '-o', bundle, '--library', name, '--version', 'dev', '--quiet', ...flags];
    execFileSync(packer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  };
  return { name, queries, missing, pack };
}

/** Packs and reads: {name, bundle, file, pack, queries: [{id, query, kind, relevant: Set of page numbers}], pages, passages}. */
export async function readCollection(description, bundle) {
  const { name, queries: file, pack } = description;
  pack(bundle);
  const library = await open(bundle, { encoder: false });
  try {
    const pages = [];
    for (let id = 0; id < library.info.pages; id++) pages.push(plainPage(await library.page(id)));
    const numbers = new Map(pages.map((page) => [page.source, page.id]));
    const queries = parseJudgments(readFileSync(file, 'utf8'), file).map(({ id, query, kind, relevant }) => {
      return { id, query, kind, relevant: new Set(relevant.map((source) => numberOf(numbers, source, file))) };
    });
    return { name, bundle, file, pack, queries, pages, passages: pages.flatMap((page) => page.passages) };
  } finally {
    await library.close();
  }
}

function numberOf(numbers, source, file) {
  const number = numbers.get(source);
  if (number === undefined) {
    throw new Error(`${file} judges ${source}, which the packed documentation lacks; a set goes with the version that about.json names.`);
  }
  return number;
}

function plainPage({ id, source, title, passages }) {
  const own = passages.map(({ headings, text }) => {
    return { page: id, title, headings, text: plainText(text), embedded: embeddedText(title, headings, text) };
  });
  const headings = [...new Set(passages.flatMap((passage) => passage.headings))];
  return { id, source, title, headings, text: own.map((passage) => passage.text).join('\n'), passages: own };
}

/** What is embedded of a passage, as sheaf-pack does it (packer/embed/embedding_text.h). */
function embeddedText(title, headings, text) {
  const above = [...new Set([title, ...headings])].filter((part) => part !== '').join(' > ');
  return above === '' ? text : `${above}\n${text}`;
}

const FENCE = /^\s*(```+|~~~+)(.*)$/;

/** Without Markdown's marks and the addresses of links, which Sheaf does not index either; words and code stay. Pure. */
export function plainText(markdown) {
  const lines = markdown.split('\n');
  const fences = lines.filter((line) => FENCE.test(line));
  // A long code block is cut: a passage may begin inside of one, and then its first fence closes.
  let inCode = fences.length % 2 === 1 && FENCE.exec(fences[0])[2].trim() === '';
  const kept = lines.map((line) => {
    if (!FENCE.test(line)) return inCode ? line : plainLine(line);
    inCode = !inCode;
    return '';
  });
  return kept
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

function plainLine(line) {
  return line
    .replace(/^#{1,6} /, '')
    .replace(/!?\[([^\]]*)\]\([^()\s]*(?:\([^()]*\)[^()\s]*)*\)/g, '$1')
    .replace(/\*\*|`/g, '');
}
