/** `sheaf site`: search for a built site, in one command after its build. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, posix, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { writeAtomically } from '../host/config.js';
import { CliError, EXIT, usageError } from '../host/exit.js';
import { requirePacker } from '../host/native.js';
import { oneLine, print, printJson, status, table } from '../host/terminal.js';
import { deploy, ENTRY, FOLDER, walk, type Deployed } from '../site/deploy.js';
import { injected } from '../site/inject.js';
import { parseFlags } from './flags.js';

export const help = `Usage: sheaf site DIR [--inject] [OPTIONS]

Adds search to a built site, whatever built it: packs the HTML pages below DIR and writes DIR/sheaf,
which any static host serves. Prints the lines to paste into pages.

      --inject          put them into every page; a second run replaces the first one's
      --name NAME       the library's name, by default the folder's
      --version V       its version, by default 'site'
      --base-url URL    where DIR is on the web; pages without a canonical link get addresses below it,
                        by default relative to DIR
      --include GLOB    take only pages that match; may be repeated. So --exclude
      --keywords        search by words alone: no vectors, no encoder table
      --language L      of the stemmer, en (default) or none
      --json            print what was written as JSON
  -q, --quiet           no progress`;

const run_ = promisify(execFile);
const TABLE = fileURLToPath(new URL('../../models/minilm-l6-256.sheaf', import.meta.url));

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('site', {
    args,
    allowPositionals: true,
    options: {
      inject: { type: 'boolean' },
      name: { type: 'string' },
      version: { type: 'string' },
      'base-url': { type: 'string' },
      include: { type: 'string', multiple: true },
      exclude: { type: 'string', multiple: true },
      keywords: { type: 'boolean' },
      language: { type: 'string' },
      json: { type: 'boolean' },
      quiet: { type: 'boolean', short: 'q' },
    },
  });
  const [dir, ...more] = positionals;
  if (dir === undefined || more.length > 0) throw usageError('Which site? Name the folder that your site generator wrote: sheaf site public');
  const site = resolve(dir);
  if (!(await stat(site).catch(() => undefined))?.isDirectory()) throw new CliError(EXIT.NOT_FOUND, `${site} is not a folder. Name the one that your site generator wrote, such as dist, public, site or _site.`);

  const work = await mkdtemp(join(tmpdir(), 'sheaf-site-'));
  try {
    const bundle = join(work, 'site.sheaf');
    const report = await pack(site, bundle, values);
    const deployed = await deploy({ site, bundle, table: values.keywords ? undefined : TABLE });
    const pages = values.inject ? await injectAll(site) : undefined;
    if (values.json) printJson({ site, ...report, ...deployed, injected: pages?.injected ?? [], left_alone: pages?.skipped ?? [] });
    else print(render(site, report, deployed, pages));
    for (const { path, why } of pages?.skipped ?? []) status(`${oneLine(path)}: left alone, ${why}`);
    return EXIT.OK;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface PackReport {
  pages: number;
  passages: number;
  skipped: { source: string; reason: string }[];
}

async function pack(site: string, output: string, values: { [flag: string]: string | boolean | string[] | undefined }): Promise<PackReport> {
  const packer = await requirePacker();
  const repeated = (flag: string): string[] => ((values[flag] as string[] | undefined) ?? []).flatMap((glob) => [`--${flag}`, glob]);
  const included = repeated('include');
  const args = [
    'pack', site, '--library', (values['name'] as string | undefined) ?? libraryName(site), '--version', (values['version'] as string | undefined) ?? 'site',
    '--base-url', (values['base-url'] as string | undefined) ?? '/', '--url-style', 'html', '--no-ignore', '--honor-noindex', '--json', '--output', output,
    ...(included.length > 0 ? included : ['--include', '**/*.html', '--include', '**/*.htm', '--include', '*.html', '--include', '*.htm']),
    ...repeated('exclude'), '--exclude', `${FOLDER}/**`, '--exclude', '404.html',
    ...(values['keywords'] ? ['--encoder', 'none'] : ['--encoder-table', TABLE]),
    ...(values['language'] === undefined ? [] : ['--language', values['language'] as string]),
    ...(values['quiet'] ? ['--quiet'] : []),
  ];
  const WRITTEN_IN_PART = 3;
  const stdout = await run_(packer, args, { maxBuffer: 1 << 28 }).then(
    (done) => done.stdout,
    (error: { code?: number; stdout?: string; stderr?: string }) => {
      if (error.code === WRITTEN_IN_PART && error.stdout) return error.stdout;
      throw new CliError(EXIT.FAILURE, `${site} could not be packed: ${(error.stderr ?? '').trim() || String(error)}`);
    },
  );
  return JSON.parse(stdout) as PackReport;
}

/** The folder's name, or its parent's where builders choose it (`docs/dist`), as a library name. */
export function libraryName(site: string): string {
  const own = basename(site);
  const name = /^(dist|public|build|out|site|_site|html|_build|output|www)$/i.test(own) ? basename(dirname(site)) : own;
  return name.replace(/[^A-Za-z0-9._+-]+/g, '-').replace(/^[^A-Za-z0-9_]+/, '') || 'site';
}

interface Injected {
  injected: string[];
  skipped: { path: string; why: string }[];
}

async function injectAll(site: string): Promise<Injected> {
  const result: Injected = { injected: [], skipped: [] };
  for (const file of (await walk(site)).filter((path) => /\.html?$/i.test(path))) {
    const path = relative(site, file).split('\\').join('/');
    if (path.startsWith(`${FOLDER}/`)) continue;
    const html = await readFile(file, 'utf8');
    const done = injected(html, posix.join(posix.relative(posix.dirname(path), '.') || '.', FOLDER, ENTRY).replace(/^(?!\.)/, './'));
    if ('skipped' in done) {
      result.skipped.push({ path, why: done.skipped });
      continue;
    }
    result.injected.push(path);
    if (done.html === html) continue;
    await writeAtomically(file, done.html);
  }
  result.injected.sort();
  return result;
}

function render(site: string, report: PackReport, { files, removed }: Deployed, pages: Injected | undefined): string {
  const size = (bytes: number): string => (bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(2)} MB`);
  const code = files.filter(({ path }) => path.startsWith(`${FOLDER}/code-`));
  const rows = [
    ...files.filter((file) => !code.includes(file)).map(({ path, bytes }) => [oneLine(path), size(bytes)]),
    [`${code[0]?.path.split('/').slice(0, 2).join('/') ?? ''}/`, size(code.reduce((sum, { bytes }) => sum + bytes, 0))],
  ];
  const next =
    pages === undefined
      ? `Paste this into your pages (or run again with --inject):\n\n  <script type="module" src="/${FOLDER}/${ENTRY}"></script>\n  <sheaf-search></sheaf-search>`
      : `Search is in ${pages.injected.length} pages.`;
  return `${report.pages} pages, ${report.passages} passages in ${oneLine(join(site, FOLDER))}\n\n${table(rows, new Set([1]))}${removed.length > 0 ? `\nremoved: ${removed.join(', ')}` : ''}\n\n${next}`;
}
