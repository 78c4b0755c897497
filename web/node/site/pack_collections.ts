/**
 * Packs a site that may fall into several bundles (collections.ts): once, or again and again while somebody writes.
 *
 * Idea: while somebody writes, each bundle has a process of its own that stays (pack_site.ts), with its share of the
 * memory. Which pages belong to which bundle is found anew in each round; a process whose options would change
 * is replaced, and so prepares its pages again.
 */
import { join } from 'node:path';
import { CliError, EXIT } from '../base/exit.js';
import { joinedLeftOut } from '../packer/answer.js';
import type { BoxReport, FileRemark, Packer, PackReport, PackRounds, RoundReport } from '../packer/packer.js';
import { canonicalBase } from './base_url.js';
import { collect, type Collection } from './collections.js';
import type { SiteBundle } from './deploy.js';
import { NothingToPack, packSite, siteJob, siteRounds, type SitePackRequest } from './pack_site.js';

export interface SiteRequest extends Omit<SitePackRequest, 'output' | 'folder' | 'ownUrlsIn' | 'others'> {
  /** A folder of the caller's, where the bundles go. */
  work: string;
  /** Globs of folders that are versions. */
  versionDirs?: readonly string[] | undefined;
}

export interface PackedSite {
  report: PackReport;
  /** Those that have a bundle, with the pages that are in it. */
  collections: readonly Collection[];
  bundles: readonly SiteBundle[];
}

/** Error: nothing could be packed. A collection among several without a page that may be indexed is left out. */
export async function packCollections(packer: Packer, request: SiteRequest): Promise<PackedSite> {
  const collections = await collectionsOf(request);
  const baseUrl = await baseUrlOf(request);
  const reports: PackReport[] = [];
  const packed: Collection[] = [];
  const bundles: SiteBundle[] = [];
  const without: FileRemark[] = [];
  for (const [i, collection] of collections.entries()) {
    const file = join(request.work, `${i}.sheaf`);
    try {
      const report = await packSite(packer, requestOf(request, collection, file, baseUrl));
      reports.push(report);
      packed.push({ ...collection, pages: report.pages });
      bundles.push(bundleOf(file, request, collection, collections, report.language));
    } catch (error) {
      if (!(error instanceof NothingToPack) || collections.length === 1) throw error;
      without.push(...error.notes);
    }
  }
  if (bundles.length === 0) throw new CliError(EXIT.FAILURE, `${request.site}: no page could be packed.`);
  const report = joined(reports);
  return { report: { ...report, notes: [...report.notes, ...without] }, collections: packed, bundles };
}

interface Member {
  rounds: PackRounds;
  file: string;
  /** Its options, to see whether they are still right. */
  options: string;
}

/** Packers that stay, one for each bundle. One round at a time. */
export class CollectionsPacker {
  readonly #packer: Packer;
  readonly #request: SiteRequest;
  readonly #members = new Map<string, Member>();
  #made = 0;
  #rounds = 0;
  /** A bundle was written by a round that another bundle made fail. */
  #isNewer = false;
  #closed = false;
  /** Of the last round. */
  collections: readonly Collection[] = [];
  bundles: readonly SiteBundle[] = [];
  box: BoxReport | undefined;

  constructor(packer: Packer, request: SiteRequest) {
    this.#packer = packer;
    this.#request = request;
  }

  /** Packs what changed since the last round, or everything. Undefined: there is no page, and the bundles are as they were. */
  async round(): Promise<RoundReport | undefined> {
    const collections = await collectionsOf(this.#request);
    const baseUrl = await baseUrlOf(this.#request);
    const reports: RoundReport[] = [];
    const packed: Collection[] = [];
    const bundles: SiteBundle[] = [];
    const wanted = new Set(collections.map(keyOf));
    for (const collection of collections) {
      const { rounds, file } = await this.#member(collection, collections, baseUrl);
      if (this.#closed) throw new CliError(EXIT.FAILURE, 'The packer was closed.'); // a round would start a process that nobody ends
      const report = await rounds.round();
      if (report === undefined) continue;
      this.#isNewer ||= report.written;
      reports.push(report);
      packed.push({ ...collection, pages: report.pages });
      bundles.push(bundleOf(file, this.#request, collection, collections, report.language));
    }
    if (reports.length === 0) return undefined;
    this.box = reports[0]?.box;
    for (const [key, member] of this.#members) if (!wanted.has(key)) await this.#drop(key, member);
    const written = this.#isNewer || JSON.stringify(bundles) !== JSON.stringify(this.bundles);
    [this.collections, this.bundles, this.#isNewer] = [packed, bundles, false];
    return { ...joinedRounds(reports), round: ++this.#rounds, written };
  }

  /** Ends the processes, also in the middle of a round; the bundles are whole or as they were. */
  async close(): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#members.values()].map(({ rounds }) => rounds.close()));
  }

  async #member(collection: Collection, all: readonly Collection[], baseUrl: string): Promise<Member> {
    const key = keyOf(collection);
    const known = this.#members.get(key);
    const file = known?.file ?? join(this.#request.work, `${this.#made++}.sheaf`);
    const request = requestOf(this.#request, collection, file, baseUrl);
    const options = JSON.stringify(siteJob(request));
    if (known?.options === options) return known;
    if (known !== undefined) await this.#drop(key, known);
    const rounds = siteRounds(this.#packer, { ...request, memory: shareOf(request.memory, all.length) });
    const member = { rounds, file, options };
    this.#members.set(key, member);
    return member;
  }

  async #drop(key: string, { rounds }: Member): Promise<void> {
    this.#members.delete(key);
    await rounds.close();
  }
}

/** How each collection of a site is packed; the output is the caller's to choose. */
export async function collectionRequests(request: SiteRequest): Promise<SitePackRequest[]> {
  const [collections, baseUrl] = await Promise.all([collectionsOf(request), baseUrlOf(request)]);
  return collections.map((collection) => requestOf(request, collection, '', baseUrl));
}

function collectionsOf({ site, versionDirs = [], language }: SiteRequest): Promise<Collection[]> {
  return collect(site, { versionDirs, languages: language === undefined });
}

async function baseUrlOf({ site, baseUrl }: SiteRequest): Promise<string> {
  return baseUrl ?? canonicalBase(site);
}

const keyOf = ({ path, language }: Collection): string => JSON.stringify([path, language]);

function requestOf(request: SiteRequest, collection: Collection, output: string, baseUrl: string): SitePackRequest {
  const { work: _, versionDirs: __, ...rest } = request;
  const { folder, exclude, version = request.version, path, language } = collection;
  return {
    ...rest,
    output,
    baseUrl,
    folder,
    ownUrlsIn: path,
    others: exclude,
    version,
    language: request.language ?? language,
  };
}

/** One bundle alone needs no name beside others. */
function bundleOf(
  file: string,
  request: SiteRequest,
  { version, path, language }: Collection,
  all: readonly Collection[],
  recognised: string | undefined,
): SiteBundle {
  const speaks = request.language ?? language ?? recognised;
  const own = { file, ...(speaks === undefined ? {} : { speaks }) };
  return all.length === 1 ? own : { ...own, version, path, language };
}

const LEAST_MEMORY = 16 * 2 ** 20;

/** The part of a size such as `2G` that one of `count` processes gets; what is no size is left for sheaf-pack to refuse. Pure. */
export function shareOf(memory = '1G', count: number): string {
  const match = /^(\d+)([KMG]?)$/i.exec(memory);
  if (match === null || count === 1) return memory;
  const bytes = Number(match[1]) * 1024 ** ['', 'K', 'M', 'G'].indexOf((match[2] as string).toUpperCase());
  return String(Math.max(Math.min(bytes, LEAST_MEMORY), Math.floor(bytes / count)));
}

function joined(reports: readonly PackReport[]): PackReport {
  const [first] = reports as [PackReport];
  const sum = (field: 'pages' | 'passages'): number => reports.reduce((total, report) => total + report[field], 0);
  const all = (field: 'skipped' | 'notes'): FileRemark[] => reports.flatMap((report) => report[field]);
  return {
    ...first,
    pages: sum('pages'),
    passages: sum('passages'),
    skipped: all('skipped'),
    notes: all('notes'),
    leftOut: joinedLeftOut(reports),
  };
}

function joinedRounds(reports: readonly RoundReport[]): RoundReport {
  const [first] = reports as [RoundReport];
  if (reports.length === 1) return first;
  const sum = (field: 'added' | 'changed' | 'removed' | 'keptPages'): number =>
    reports.reduce((total, report) => total + report[field], 0);
  return {
    ...first,
    ...joined(reports),
    added: sum('added'),
    changed: sum('changed'),
    removed: sum('removed'),
    keptPages: sum('keptPages'),
    seconds: { all: reports.reduce((total, { seconds }) => total + seconds.all, 0) },
    inPart: reports.flatMap(({ inPart }) => inPart),
  };
}
