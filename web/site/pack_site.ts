/**
 * Packs a built site's pages with sheaf-pack: once, or again and again in a process that stays.
 *
 * Idea: `sheaf-pack watch` keeps every page as it was prepared and answers each `again` with a line of JSON;
 * so a round costs what changed. A process that dies is started anew by the next round.
 */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, EXIT } from '../host/exit.js';
import { FOLDER } from './deploy.js';

/** The encoder table that sites get, unless they are searched by words alone. */
export const TABLE = fileURLToPath(new URL('../../models/minilm-l6-256.sheaf', import.meta.url));

export interface SitePackRequest {
  /** The site's folder. */
  site: string;
  library: string;
  version: string;
  /** Where the bundle goes. */
  output: string;
  baseUrl?: string | undefined;
  /** html (default), clean or dir: of addresses below baseUrl. */
  urlStyle?: string | undefined;
  /** The part of the site to pack, below `site`; by default all of it. */
  folder?: string | undefined;
  /** The folder of its version: canonical links that lead out of it are not believed. */
  ownUrlsIn?: string | undefined;
  /** Globs of what of the folder belongs to other bundles. */
  others?: readonly string[] | undefined;
  include?: readonly string[] | undefined;
  exclude?: readonly string[] | undefined;
  /** No vectors. */
  keywords?: boolean | undefined;
  language?: string | undefined;
  /** As sheaf-pack takes it: 512M, 2G. */
  memory?: string | undefined;
  /** No progress, though stderr is a terminal. */
  quiet?: boolean | undefined;
}

export interface FileRemark {
  path: string;
  reason: string;
}

export interface SitePackReport {
  pages: number;
  passages: number;
  /** Files that could not be read or parsed. */
  skipped: FileRemark[];
  /** What was left out on purpose, or not read as it was meant. */
  notes: FileRemark[];
}

/** What one round found, against the round before; counts are of files. */
export interface RoundReport extends SitePackReport {
  round: number;
  added: number;
  changed: number;
  removed: number;
  /** Whether there is a new bundle. */
  written: boolean;
  /** Pages in memory; fewer than `pages` when --memory has no room for all. */
  keptPages: number;
  seconds: { all: number };
  /** Pages whose last good version is in the bundle, because the file cannot be read or parsed any more. */
  inPart: FileRemark[];
}

interface Answer extends Partial<RoundReport> {
  ok: boolean;
  error?: { code: string; message: string };
}

/** There are no pages, or none that may be indexed. */
export class NothingToPack extends CliError {
  constructor(message: string, readonly notes: readonly FileRemark[]) {
    super(EXIT.FAILURE, message);
  }
}

const ALL_PAGES = ['**/*.[hH][tT][mM][lL]', '**/*.[hH][tT][mM]'];

/** The options of sheaf-pack for a site. Pure. */
export function siteArguments(request: SitePackRequest): string[] {
  const repeated = (flag: string, globs: readonly string[] = []): string[] => globs.flatMap((glob) => [flag, glob]);
  return [
    join(request.site, request.folder ?? ''), '--root', request.site, '--library', request.library, '--version', request.version,
    '--base-url', request.baseUrl ?? '/', '--url-style', request.urlStyle ?? 'html', '--no-ignore', '--honor-noindex', '--output', request.output,
    ...repeated('--include', request.include?.length ? request.include : ALL_PAGES),
    ...repeated('--exclude', request.exclude), ...repeated('--exclude', request.others), '--exclude', `${FOLDER}/**`, '--exclude', '404.html',
    ...(request.ownUrlsIn === undefined ? [] : ['--own-urls-in', request.ownUrlsIn]),
    ...(request.keywords ? ['--encoder', 'none'] : ['--encoder-table', TABLE]),
    ...(request.language === undefined ? [] : ['--language', request.language]),
    ...(request.memory === undefined ? [] : ['--memory', request.memory]),
  ];
}

/** Bundles for as long as somebody writes: quickly compressed, and searched without a graph. */
const WHILE_WRITING = ['--level', '3', '--hnsw', 'never'];

const WRITTEN: ReadonlySet<number | null> = new Set([0, 3]); // all, and all but files that failed

/** Packs once. Files that failed are named on stderr; on a terminal so is the progress. */
export async function packSite(packer: string, request: SitePackRequest): Promise<SitePackReport> {
  const isShown = Boolean(process.stderr.isTTY) && !request.quiet;
  const args = ['pack', ...siteArguments(request), '--json', isShown ? '--brief' : '--quiet'];
  const { code, stdout, stderr } = await new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve, reject) => {
    const child = spawn(packer, args, { stdio: ['ignore', 'pipe', isShown ? 'inherit' : 'pipe'] });
    const text = { stdout: '', stderr: '' };
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk));
    child.once('error', (error) => reject(cannotStart(packer, error)));
    child.once('close', (status) => resolve({ code: status, ...text }));
  });
  const answer = parse(stdout);
  if (!WRITTEN.has(code) || !answer?.ok) {
    const why = answer?.error?.message ?? (stderr.trim() || `sheaf-pack ended with ${code ?? 'a signal'}`);
    const error = notPacked(request, why);
    throw answer?.error?.code === 'NOT_FOUND' ? new NothingToPack(error.message, answer.notes ?? []) : error;
  }
  if (stderr !== '') process.stderr.write(stderr);
  return { ...answer, pages: answer.pages ?? 0, passages: answer.passages ?? 0, skipped: answer.skipped ?? [], notes: answer.notes ?? [] };
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** A packer that stays. One round at a time. */
export class SitePacker {
  readonly #packer: string;
  readonly #request: SitePackRequest;
  #child: Child | undefined;
  #lines: AsyncIterator<string> | undefined;
  #ended: Promise<number | string> = Promise.resolve(0);

  constructor(packer: string, request: SitePackRequest) {
    this.#packer = packer;
    this.#request = request;
  }

  /** Packs what changed since the last round, or everything. Undefined: there is no page, and the bundle is as it was. */
  async round(): Promise<RoundReport | undefined> {
    if (this.#child === undefined) this.#start();
    else this.#child.stdin.write('again\n');
    const next = await (this.#lines as AsyncIterator<string>).next();
    if (next.done) {
      this.#child = undefined;
      const how = await this.#ended;
      throw notPacked(this.#request, typeof how === 'string' ? how : `sheaf-pack ended with ${how}, see above`);
    }
    const answer = parse(next.value);
    if (answer?.error?.code === 'NOT_FOUND') return undefined;
    if (!answer?.ok) throw notPacked(this.#request, answer?.error?.message ?? 'sheaf-pack gave an answer that cannot be read');
    return answer as Answer & RoundReport;
  }

  /** Ends the process, also in the middle of a round; the bundle is whole or as it was. */
  async close(): Promise<void> {
    this.#child?.kill();
    await this.#ended;
    this.#child = undefined;
  }

  #start(): void {
    const isShown = Boolean(process.stderr.isTTY) && !this.#request.quiet;
    const args = ['watch', ...siteArguments(this.#request), ...WHILE_WRITING, ...(isShown ? [] : ['--quiet'])];
    const child = spawn(this.#packer, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => {}); // it ended: the answer that does not come says so
    this.#ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(cannotStart(this.#packer, error).message));
      child.once('close', (code, signal) => resolve(code ?? `sheaf-pack was ended by ${signal}`));
    });
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    this.#child = child;
  }
}

function notPacked({ site }: SitePackRequest, why: string): CliError {
  return new CliError(EXIT.FAILURE, `${site} could not be packed: ${why}`);
}

function cannotStart(packer: string, error: Error): CliError {
  return new CliError(EXIT.NO_PACKER, `${packer} could not be started: ${error.message}.`);
}

function parse(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}
