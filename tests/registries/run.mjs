/**
 * `node tests/registries/run.mjs --to DIR [NAME …]`: what sixty packages of six registries give (docs/registries.md).
 *
 * Adds each package of packages.json to a store of its own below DIR, with the grammars in $SHEAF_MODULES, and prints the table's
 * rows: pages and how many of them are API, symbols and how many have a signature, seconds with packing, bytes. A package
 * that is in the store stays, with the figures that were written when it came; name it to fetch it again.
 *
 *   --python FILE   a Python with what tests/conformance/reader needs, which counts symbols (default: python3)
 *   --main FILE     another build's dist/cli/main.js
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { readPages } from '../documents/read_bundle.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' }, python: { type: 'string', default: 'python3' }, main: { type: 'string' } },
});
if (values.to === undefined) throw new Error('--to names the folder that the packages go to');
const to = resolve(values.to);
const main = resolve(values.main ?? join(here, '../../dist/cli/main.js'));
const store = { XDG_DATA_HOME: join(to, 'data'), XDG_CONFIG_HOME: join(to, 'config') };
mkdirSync(join(to, 'log'), { recursive: true });

const packages = Object.entries(JSON.parse(readFileSync(join(here, 'packages.json'), 'utf8')));
console.log('| package | version | pages | of API | symbols | signed | seconds | kB | remark |');
console.log('|---|---|--:|--:|--:|--:|--:|--:|---|');
for (const [registry, names] of packages) {
  for (const name of names) {
    const source = `${registry}:${name}`;
    const isAsked = positionals.some((one) => one === source || one === registry || one === name);
    if (positionals.length > 0 && !isAsked) continue;
    const kept = join(to, 'log', `${source.replace(/[^\w.-]+/g, '-')}.json`);
    if (isAsked || !existsSync(kept)) writeFileSync(kept, JSON.stringify(await add(source)));
    const { version = '–', pages, api, symbols, signed, seconds, bytes, remark } = JSON.parse(readFileSync(kept, 'utf8'));
    const number = (value) => Math.round(value).toLocaleString('en');
    const counts = [pages, api, symbols, signed].map(number);
    console.log(`| \`${source}\` | ${[version, ...counts, seconds.toFixed(1), number(bytes / 1000), remark].join(' | ')} |`);
  }
}

async function add(source) {
  const begun = performance.now();
  const { stdout, stderr } = spawnSync(process.execPath, [main, 'add', source, '-y', '--build', '--json'], {
    cwd: to,
    env: { ...process.env, ...store },
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const seconds = (performance.now() - begun) / 1000;
  const nothing = { pages: 0, api: 0, symbols: 0, signed: 0, bytes: 0 };
  writeFileSync(join(to, 'log', `${source.replace(/[^\w.-]+/g, '-')}.txt`), `${stderr}\n${stdout}`);
  const said = stdout.trim() === '' ? {} : JSON.parse(stdout);
  if (said.path === undefined) return { ...nothing, seconds, remark: stderr.trim().split('\n').at(-1)?.slice(0, 300) };
  const counted = execFileSync(values.python, [join(here, 'count_symbols.py'), said.path], { encoding: 'utf8' });
  const pages = await readPages(said.path);
  return {
    version: said.version,
    pages: pages.length,
    api: pages.filter(({ url }) => isApi(source, url)).length,
    ...JSON.parse(counted),
    seconds,
    bytes: statSync(said.path).size,
    path: said.path,
    remark: said.content ?? '',
  };
}

/** Pages that a converter made of source, Javadoc's, manual pages. */
function isApi(source, url) {
  if (source.startsWith('maven:')) return !/readme/i.test(url);
  return source.startsWith('deb:') ? /(^|\/)man\//.test(url) : /(^|\/)api\/[^/]+$/.test(url);
}
