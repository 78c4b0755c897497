/** Packs a built site's pages: once, or again and again by a packer that stays. */
import { join } from 'node:path';
import { TABLE_FILE } from '../client/paths.js';
import { CliError, EXIT } from '../base/exit.js';
import {
  PackFailure,
  type FileRemark,
  type Packer,
  type PackJob,
  type PackReport,
  type PackRounds,
  type Show,
} from '../packer/packer.js';
import { FOLDER } from './deploy.js';

type OfJob =
  | 'library'
  | 'version'
  | 'output'
  | 'baseUrl'
  | 'urlStyle'
  | 'ownUrlsIn'
  | 'include'
  | 'exclude'
  | 'language'
  | 'rules'
  | 'memory';

/** What differs from site to site. Addresses are of the style html unless another is given. */
export interface SitePackRequest extends Pick<PackJob, OfJob> {
  /** The site's folder. */
  site: string;
  /** The part of the site to pack, below `site`; by default all of it. */
  folder?: string | undefined;
  /** Globs for the parts of the folder that belong to other bundles. */
  others?: readonly string[] | undefined;
  /** No vectors. */
  keywords?: boolean | undefined;
  /** No progress, though stderr is a terminal. */
  quiet?: boolean | undefined;
}

/** There are no pages, or none that may be indexed. */
export class NothingToPack extends CliError {
  constructor(
    message: string,
    readonly notes: readonly FileRemark[],
  ) {
    super(EXIT.FAILURE, message);
  }
}

const ALL_PAGES = ['**/*.[hH][tT][mM][lL]', '**/*.[hH][tT][mM]'];

/** The part of a site to pack. Pure. */
export function siteJob(request: SitePackRequest): PackJob {
  const { site, folder, output, rules, memory } = request;
  return {
    ...siteSettings(request),
    inputs: [join(site, folder ?? '')],
    root: site,
    output,
    ...(request.keywords ? {} : { encoderTable: TABLE_FILE }),
    rules,
    memory,
  };
}

/** The part of a job that says how, and names no place: the playground packs the same pages in a browser. */
export function siteSettings(request: SitePackRequest): Omit<PackJob, 'inputs' | 'root' | 'output' | 'encoderTable'> {
  const { library, version, ownUrlsIn, language } = request;
  return {
    library,
    version,
    baseUrl: request.baseUrl ?? '/',
    urlStyle: request.urlStyle ?? 'html',
    ignore: 'none', // a host serves every folder
    honorNoindex: true,
    include: request.include?.length ? request.include : ALL_PAGES,
    // Each has a bundle of its own where it can be told apart (collections.ts).
    onlyLanguage: 'all',
    versionFolder: 'all',
    exclude: [...(request.exclude ?? []), ...(request.others ?? []), `${FOLDER}/**`, '404.html'],
    ownUrlsIn,
    ...(request.keywords ? { encoder: 'none' } : {}),
    // Only readers that hold all vectors use one, and a site's readers fetch ranges. It would take most of the time.
    graph: 'never',
    language,
  };
}

/** Bundles for as long as somebody writes: quickly compressed. */
export const WHILE_WRITING = { level: 3 } as const;

function showFor({ quiet }: SitePackRequest): Show {
  return process.stderr.isTTY && !quiet ? 'progress' : 'nothing';
}

/** Packs once. Files that failed are named on stderr; on a terminal so is the progress. */
export async function packSite(packer: Packer, request: SitePackRequest): Promise<PackReport> {
  const { report, said } = await packer.pack(siteJob(request), { show: showFor(request) }).catch((error: unknown) => {
    if (!(error instanceof PackFailure)) throw error;
    const failed = notPacked(request, error);
    throw error.isNothing ? new NothingToPack(failed.message, error.facts.notes ?? []) : failed;
  });
  if (said !== '') process.stderr.write(said);
  return report;
}

/** A packer that stays. Whatever fails is a CliError that names the site. */
export function siteRounds(packer: Packer, request: SitePackRequest): PackRounds {
  const rounds = packer.rounds({ ...siteJob(request), ...WHILE_WRITING }, { show: showFor(request) });
  return {
    round: () =>
      rounds.round().catch((error: Error) => {
        throw notPacked(request, error);
      }),
    close: () => rounds.close(),
  };
}

function notPacked({ site }: SitePackRequest, why: Error): CliError {
  return new CliError(EXIT.FAILURE, `${site} could not be packed: ${why.message}`);
}
