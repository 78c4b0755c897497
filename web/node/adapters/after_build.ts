/**
 * What every adapter does when its generator has written the site: run `sheaf site` on the folder.
 *
 * Idea: the command is the one way to pack and deploy; adapters translate a generator's settings into its
 * flags and know nothing of bundles. It runs as a process of its own, so what it holds in memory while
 * packing is gone when the generator goes on.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SHEAF = fileURLToPath(new URL('../../cli/main.js', import.meta.url));

/** Options for site owners; all are optional. */
export interface SheafOptions {
  /** Name of the library, by default from the site's title. */
  name?: string | undefined;
  /** Its version. */
  version?: string | undefined;
  /** Globs of pages, relative to the built folder. */
  include?: string[] | undefined;
  exclude?: string[] | undefined;
  /** Search by words alone. */
  keywords?: boolean | undefined;
  /** Language of the pages: a tag such as `de`, or `none`. */
  language?: string | undefined;
}

/** What the generator knows. */
export interface BuiltSite {
  /** The folder that was written. */
  dir: string;
  /** Where it will be served: `https://example.org/docs/`, or a path alone. */
  baseUrl: string;
  title?: string | undefined;
  /** `clean` where pages are linked without `.html`. */
  urlStyle?: 'html' | 'clean' | undefined;
}

interface Report {
  pages: number;
  passages: number;
}

/** The command's arguments. Pure. */
export function siteArguments({ dir, baseUrl, title, urlStyle }: BuiltSite, options: SheafOptions = {}): string[] {
  const name = options.name ?? slug(title);
  const flag = (key: string, value: string | undefined): string[] => (value === undefined ? [] : [`--${key}`, value]);
  return [
    'site',
    dir,
    '--quiet',
    '--json',
    '--base-url',
    baseUrl,
    ...flag('name', name),
    ...flag('version', options.version),
    ...flag('language', options.language),
    ...flag('url-style', urlStyle === 'clean' ? urlStyle : undefined),
    ...(options.include ?? []).flatMap((glob) => ['--include', glob]),
    ...(options.exclude ?? []).flatMap((glob) => ['--exclude', glob]),
    ...(options.keywords ? ['--keywords'] : []),
  ];
}

/** Packs the built site. Returns a line to log. Errors: what `sheaf site` says on stderr. */
export function addSearch(site: BuiltSite, options?: SheafOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(
      process.execPath,
      [SHEAF, ...siteArguments(site, options)],
      { maxBuffer: 1 << 28 },
      (error, stdout, stderr) => {
        if (error !== null) {
          reject(new Error(`sheaf could not add search to ${site.dir}: ${stderr.trim() || error.message}`));
          return;
        }
        process.stderr.write(stderr); // pages that could not be read
        const { pages, passages } = JSON.parse(stdout) as Report;
        resolve(`search over ${pages} pages, ${passages} passages, in ${join(site.dir, 'sheaf')}`);
      },
    );
  });
}

/** A title as a library's name; undefined when nothing is left of it. */
function slug(title: string | undefined): string | undefined {
  return (
    title
      ?.trim()
      .toLowerCase()
      .replace(/[^a-z0-9._]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '') || undefined
  );
}
