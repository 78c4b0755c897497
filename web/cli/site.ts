/** `sheaf site`: search for a built site, once after its build or as long as an author writes it. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { TABLE_FILE } from '../node/client/paths.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { canAccess } from '../node/base/files.js';
import { leftOutLine } from '../node/packer/answer.js';
import { openPacker } from '../node/packer/choose.js';
import type { BoxReport, Packer } from '../node/packer/packer.js';
import { counted, formatBytes, oneLine, print, printJson, status, table } from '../node/base/terminal.js';
import type { Collection } from '../node/site/collections.js';
import {
  deploy,
  ENTRY,
  FOLDER,
  type Deployed,
  type PiecesChoice,
  type ReportTo,
  type SiteBundle,
} from '../node/site/deploy.js';
import { injectAll, type Injected, type InjectOptions, type PagesOfPlace } from '../node/site/inject_site.js';
import { INJECT_CHOICES } from '../node/site/place.js';
import {
  CollectionsPacker,
  packCollections,
  type PackedSite,
  type SiteRequest,
} from '../node/site/pack_collections.js';
import { keepIndexed, Replaced } from '../node/site/watch.js';
import { writing } from '../node/site/write_failure.js';
import { CountProgress } from './count_progress.js';
import { parseFlags } from './flags.js';
import { liveTeller } from './live.js';
import { SiteNotes } from './site_notes.js';
import { INDEX_FLAGS, INDEX_FLAGS_HELP, siteFolder, siteRequest } from './site_flags.js';

export const help = `Usage: sheaf site DIR [--inject]

Adds search to a built site, whatever built it: packs the HTML pages below DIR and writes DIR/sheaf,
which any static host serves. Prints the lines to paste into pages.

      --inject[=HOW]    put them into every page; a second run replaces the first one's. auto
                        (default): the button stands in the bar of a theme that is known, else it
                        floats; bar: else at the page's beginning; float; none: the script alone
      --watch           stay, and pack again what changes, until Ctrl+C. Bundles are larger
                        meanwhile: run without --watch to publish
      --file            search in pages that are opened as files, too
      --offline         keep the search in readers' browsers (a service worker)
      --name NAME       the library's name; by default the folder's, or the project's above it
      --include GLOB    take only pages that match; may be repeated. So --exclude
      --version-dir GLOB  each folder that matches is a version of its own ('v*', 'docs/*'); may be
                        repeated. Readers search the version they are on, and switch

To see pages with their search while writing them: sheaf serve DIR`;

export const more = `      --version V       its version, by default 'site'
      --base-url URL    where DIR is on the web, for pages without a canonical link; by default what
                        the start page's canonical link says, else relative to DIR
      --url-style S     of those addresses: html (default) a/b.html, clean a/b, dir a/b/
      --pieces HOW      the search data in small files, which any host serves: beside the pages'
                        data (default), only (instead of it: half the space, more requests) or
                        none, for a host that serves ranges
      --fallback URL    where browsers without WebAssembly are sent; by default the start page
      --report ADDRESS  pages tell it what was listed and chosen; sheaf report reads your server's
                        log. --report-words: the words, too (docs/site.md)
      --ask ADDRESS     who answers questions from the hits, if readers press for it: your endpoint,
                        such as /ask, or browser, for the browser's own model (docs/site.md)
      --shortcuts KEYS  keys that open the search, such as 'mod+k /'; by default the theme's own
      --playground OUT  write the page of sheaf serve --playground into a folder of its own, for a
                        team's host, and nothing else (docs/rules.md)
${INDEX_FLAGS_HELP}
      --json            print what was written as JSON; with --watch one line each time
  -q, --quiet           no progress and no notes; pages that failed are still named`;

const SNIPPET = `  <script src="/${FOLDER}/${ENTRY}" defer></script>\n  <sheaf-search></sheaf-search>`;
const FILE_NOTE =
  '\n\nIn pages opened as files, the address must lead from the page to the script, such as ../sheaf/sheaf.js; --inject writes it so.';

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('site', {
    args: args.map((arg) => (arg === '--inject' ? '--inject=auto' : arg)), // its value may be left out
    allowPositionals: true,
    options: {
      ...INDEX_FLAGS,
      name: { type: 'string' },
      version: { type: 'string' },
      'base-url': { type: 'string' },
      'url-style': { type: 'string' },
      inject: { type: 'string' },
      shortcuts: { type: 'string' },
      watch: { type: 'boolean' },
      file: { type: 'boolean' },
      offline: { type: 'boolean' },
      pieces: { type: 'string' },
      fallback: { type: 'string' },
      report: { type: 'string' },
      'report-words': { type: 'boolean' },
      ask: { type: 'string' },
      playground: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  const site = await siteFolder(positionals, 'sheaf site public');
  if (values.playground !== undefined) {
    const { writePlayground } = await import('../node/site/playground.js');
    await writePlayground(resolve(values.playground), await siteRequest(site, '', values));
    if (!values.quiet) status(`The playground is in ${oneLine(values.playground)}; any host serves it.`);
    return EXIT.OK;
  }
  const packer = await openPacker();
  const work = await writing(tmpdir(), mkdtemp(join(tmpdir(), 'sheaf-site-')));
  const run: Run = {
    site,
    packer,
    request: await siteRequest(site, work, values),
    table: values.keywords ? undefined : TABLE_FILE,
    inject: injecting(site, values),
    file: values.file ?? false,
    offline: values.offline ?? false,
    pieces: piecesChoice(values),
    fallback: fallbackOf(values.fallback),
    report: reportOf(values),
    ask: askOf(values.ask),
    json: values.json ?? false,
  };
  try {
    await (values.watch ? watch(run) : once(run));
    return EXIT.OK;
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

interface InjectValues {
  inject?: string | undefined;
  'base-url'?: string | undefined;
  fallback?: string | undefined;
  shortcuts?: string | undefined;
  quiet?: boolean | undefined;
}

/** Undefined: pages stay as they are. */
function injecting(site: string, values: InjectValues): (() => Promise<Injected>) | undefined {
  const { inject, 'base-url': baseUrl, fallback, shortcuts: keys, quiet = false } = values;
  if (inject === undefined) {
    if (keys !== undefined)
      throw usageError('--shortcuts needs --inject; in a page of yours it is the attribute shortcuts.');
    return undefined;
  }
  const choice = INJECT_CHOICES.find((each) => each === inject);
  if (choice === undefined) throw usageError(`--inject takes ${INJECT_CHOICES.join(', ')}, not '${oneLine(inject)}'.`);
  const wrong = keys?.split(/\s+/).find((key) => key !== '' && !SHORTCUT.test(key));
  if (wrong !== undefined)
    throw usageError(`--shortcuts takes keys such as 'mod+k /', with mod+, alt+ and shift+, not '${oneLine(wrong)}'.`);
  return () => injectWithProgress(site, { baseUrl, choice, keys, fallback: fallbackOf(fallback) }, quiet);
}

/** As the component reads one (web/browser/ui/state/shortcut.ts), which ignores what it does not know: a character, or a key's name. */
const SHORTCUT = /^(?:(?:mod|alt|shift)\+)*(?:\S|[a-z][a-z0-9]+)$/iu;

interface Run {
  site: string;
  packer: Packer;
  request: SiteRequest;
  table: string | undefined;
  inject: (() => Promise<Injected>) | undefined;
  file: boolean;
  offline: boolean;
  pieces: PiecesChoice;
  fallback: string | undefined;
  report: ReportTo | undefined;
  ask: string | undefined;
  json: boolean;
}

/** Without pieces while watching: authors have a server of their own. */
function piecesChoice({ pieces, offline, watch }: PiecesValues): PiecesChoice {
  if (pieces === undefined) return watch ? 'none' : 'beside';
  const found = PIECES.find((each) => each === pieces);
  if (found === undefined) throw usageError(`--pieces takes ${PIECES.join(', ')}, not '${oneLine(pieces)}'.`);
  if (found === 'only' && offline)
    throw usageError('--pieces only leaves out the files that --offline stores in browsers; take --pieces beside.');
  return found;
}

const PIECES: readonly PiecesChoice[] = ['beside', 'only', 'none'];

interface PiecesValues {
  pieces?: string | undefined;
  offline?: boolean | undefined;
  watch?: boolean | undefined;
}

/** An address from the site's folder, or on the web; undefined: it is none. */
function addressOf(address: string): URL | undefined {
  const base = 'https://site.example/';
  const url = URL.canParse(address, base) ? new URL(address, base) : undefined;
  return /^https?:$/.test(url?.protocol ?? '') ? url : undefined;
}

/** A page's address. */
function fallbackOf(address: string | undefined): string | undefined {
  if (address !== undefined && addressOf(address) === undefined)
    throw usageError(`--fallback takes a page's address, not '${oneLine(address)}'.`);
  return address;
}

/** Where questions are reported, and how. */
function reportOf(values: { report?: string | undefined; 'report-words'?: boolean | undefined }): ReportTo | undefined {
  const { report: address, 'report-words': words = false } = values;
  if (address === undefined) {
    if (words) throw usageError('--report-words goes with --report ADDRESS.');
    return undefined;
  }
  if (addressOf(address) === undefined)
    throw usageError(`--report takes an address such as /search-log, not '${oneLine(address)}'.`);
  return { address, words };
}

/** Who answers: an endpoint, or the browser's own model. */
function askOf(ask: string | undefined): string | undefined {
  if (ask === undefined) return undefined;
  const url = addressOf(ask);
  if (ask === '' || url === undefined)
    throw usageError(`--ask takes an address such as /ask, or browser, not '${oneLine(ask)}'.`);
  if (url.username || url.password)
    throw usageError('--ask takes an address without a password: every reader gets it. Let your server add it.');
  return ask;
}

function publish(
  { site, table, file, offline, pieces, fallback, report, ask }: Run,
  bundles: readonly SiteBundle[],
  box: BoxReport | undefined,
): Promise<Deployed> {
  // Words are far apart in a table, so its pieces cost readers next to nothing; a service worker stores whole files.
  const tableInPieces = pieces !== 'none' && !offline;
  return writing(
    site,
    deploy({ site, bundles, table, file, offline, pieces, tableInPieces, fallback, report, ask, box }),
  );
}

async function once(run: Run): Promise<void> {
  const packed = await packCollections(run.packer, run.request);
  const deployed = await publish(run, packed.bundles, packed.report.box);
  const pages = await run.inject?.();
  show(run, packed, deployed, pages);
  if (!run.json && !run.request.quiet) {
    new SiteNotes().say(packed.report.notes);
    const leftOut = leftOutLine(packed.report);
    if (leftOut !== undefined) status(leftOut);
  }
  if (pages?.injected.length === 0) {
    const [first] = pages.skipped;
    const why = first === undefined ? 'there is none' : `${oneLine(first.path)}: ${first.why}`;
    throw new CliError(EXIT.FAILURE, `The search is in no page of ${oneLine(run.site)}: ${why}.`);
  }
}

/** Injects before it packs, so that its own writes do not trigger another round. */
async function watch(run: Run): Promise<void> {
  const stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  const packer = new CollectionsPacker(run.packer, run.request);
  const replaced = new Replaced();
  const say = liveTeller();
  let injected: Injected | undefined;
  let deployed: Deployed | undefined;
  stopping.signal.addEventListener('abort', () => void packer.close());
  try {
    await keepIndexed({
      site: run.site,
      rules: run.request.rules,
      packer,
      prepare: run.inject === undefined ? undefined : async () => void (injected = await run.inject?.()),
      publish: async () => {
        deployed = await publish(run, packer.bundles, packer.box);
        await replaced.publish(run.site, deployed);
      },
      isPublished: () => canAccess(join(run.site, FOLDER, ENTRY)),
      tell: (event) => {
        const { collections } = packer;
        if (event.kind === 'round' && event.report.round === 1 && !run.json) {
          show(run, { report: event.report, collections }, deployed as Deployed, injected);
        }
        if (event.kind === 'round' && run.json) {
          const { report, published } = event;
          print(
            JSON.stringify({
              site: run.site,
              ...report,
              published,
              collections: told(collections),
              ...deployed,
              ...named(injected),
            }),
          );
        }
        say(event);
      },
      signal: stopping.signal,
    });
  } finally {
    await packer.close();
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

type Shown = Pick<PackedSite, 'report' | 'collections'>;

function show(run: Run, packed: Shown, deployed: Deployed, pages: Injected | undefined): void {
  if (run.json)
    printJson({
      site: run.site,
      ...packed.report,
      collections: told(packed.collections),
      ...deployed,
      ...named(pages),
    });
  else print(render(run, packed, deployed, pages));
  for (const { path, why } of pages?.skipped ?? []) status(`${oneLine(path)}: left alone, ${why}`);
}

function told(collections: readonly Collection[]): Omit<Collection, 'exclude'>[] {
  return collections.map(({ exclude: _, ...collection }) => collection);
}

function named(pages: Injected | undefined): {
  injected: string[];
  places: PagesOfPlace[];
  left_alone: Injected['skipped'];
} {
  return { injected: pages?.injected ?? [], places: pages?.places ?? [], left_alone: pages?.skipped ?? [] };
}

async function injectWithProgress(site: string, options: InjectOptions, quiet: boolean): Promise<Injected> {
  const progress = new CountProgress('pages', quiet);
  try {
    return await writing(
      site,
      injectAll(site, { ...options, progress: (done, all) => progress.update('injecting', done, all) }),
    );
  } finally {
    progress.clear();
  }
}

function render(
  { site, file }: Run,
  { report, collections }: Shown,
  { files, removed }: Deployed,
  pages: Injected | undefined,
): string {
  const sizes = new Map<string, number>(); // folders are one row
  for (const { path, bytes } of files) {
    const row = path.split('/').slice(0, 2).join('/') + (path.split('/').length > 2 ? '/' : '');
    sizes.set(row, (sizes.get(row) ?? 0) + bytes);
  }
  const rows = [...sizes].map(([path, bytes]) => [oneLine(path), formatBytes(bytes)]);
  const next =
    pages === undefined
      ? `Paste this into your pages (or run again with --inject):\n\n${SNIPPET}${file ? FILE_NOTE : ''}`
      : `Search is in ${counted(pages.injected.length, 'page')}${leftAlone(pages)}.${placeLines(pages.places)}`;
  const gone = removed.length > 0 ? `\nremoved: ${removed.join(', ')}` : '';
  const counts = `${counted(report.pages, 'page')}${partsOf(collections)}, ${counted(report.passages, 'passage')}`;
  return `${counts} in ${oneLine(join(site, FOLDER))}\n\n${table(rows, new Set([1]))}${gone}\n\n${next}`;
}

/** Where the button stands, a line for each kind of page. */
function placeLines(places: readonly PagesOfPlace[]): string {
  const rows = places.map(({ theme, place, why, pages }) => [
    String(pages),
    theme ?? (place === 'own' ? '' : 'no known theme'),
    PLACES[place] + (why === '' || (theme === undefined && place === 'float') ? '' : `: ${why}`),
  ]);
  return rows.length === 0 ? '' : `\n\n${table(rows, new Set([0]))}`;
}

const PLACES: Readonly<Record<PagesOfPlace['place'], string>> = {
  bar: "in the theme's bar",
  float: 'floats at a corner',
  start: 'at the beginning of the page',
  none: 'the script alone',
  own: "in the page's own <sheaf-search>",
};

function leftAlone({ skipped }: Injected): string {
  return skipped.length === 0 ? '' : `; ${counted(skipped.length, 'page')} left alone`;
}

function partsOf(collections: readonly Collection[]): string {
  if (collections.length === 1) return '';
  const nameOf = ({ version, language }: Collection): string =>
    oneLine([version, language].filter(Boolean).join(' ') || 'rest');
  const parts = collections.map((collection) => `${nameOf(collection)}: ${collection.pages}`);
  return ` (${parts.join(', ')})`;
}
