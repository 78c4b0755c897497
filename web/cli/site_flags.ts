/** The flags of `sheaf site` and `sheaf serve DIR` that choose what to index. */
import { stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { libraryName } from '../node/site/library_name.js';
import type { SiteRequest } from '../node/site/pack_collections.js';
import { RULES_FILE } from '../browser/client/rules_file.js';

/** Which pages, and how. */
export const INDEX_FLAGS = {
  include: { type: 'string', multiple: true },
  exclude: { type: 'string', multiple: true },
  'version-dir': { type: 'string', multiple: true },
  rules: { type: 'string' },
  keywords: { type: 'boolean' },
  language: { type: 'string' },
  memory: { type: 'string' },
  quiet: { type: 'boolean', short: 'q' },
} as const;

export interface SiteValues {
  name?: string | undefined;
  version?: string | undefined;
  'base-url'?: string | undefined;
  'url-style'?: string | undefined;
  include?: string[] | undefined;
  exclude?: string[] | undefined;
  'version-dir'?: string[] | undefined;
  rules?: string | undefined;
  keywords?: boolean | undefined;
  language?: string | undefined;
  memory?: string | undefined;
  quiet?: boolean | undefined;
}

export const INDEX_FLAGS_HELP = `      --rules FILE      synonyms, pinned pages, weights (docs/rules.md), or none; by default
                        sheaf.search.yaml in DIR or beside it
      --keywords        search by words alone: no vectors, no encoder table
      --language L      all pages as one, in the language L (de, pt-BR, …) or none. By default
                        each <html lang> gets a bundle of its own
      --memory SIZE     for pages and index while packing, 1G by default, at least 16M`;

/** The folder that was named. */
export async function siteFolder(positionals: readonly string[], example: string): Promise<string> {
  const [dir, ...more] = positionals;
  if (dir === undefined || more.length > 0)
    throw usageError(`Name the folder that your site generator wrote, for example: ${example}`);
  const site = resolve(dir);
  if (!(await stat(site).catch(() => undefined))?.isDirectory()) {
    const likely = 'the one that your site generator wrote, such as dist, public, site or _site';
    throw new CliError(EXIT.NOT_FOUND, `${site} is not a folder. Name ${likely}.`);
  }
  return site;
}

/** The rules beside the site's folder; those within it go first, and the packer finds them. */
async function rulesBeside(site: string): Promise<string | undefined> {
  const places = [site, dirname(site)].map((folder) => join(folder, RULES_FILE));
  const there = await Promise.all(
    places.map((file) =>
      stat(file).then(
        (found) => found.isFile(),
        () => false,
      ),
    ),
  );
  return places[there.indexOf(true)];
}

/** `work` is a folder for the bundles. */
export async function siteRequest(site: string, work: string, values: SiteValues): Promise<SiteRequest> {
  return {
    site,
    work,
    library: values.name ?? (await libraryName(site)),
    version: values.version ?? 'site',
    baseUrl: values['base-url'],
    urlStyle: values['url-style'],
    include: values.include,
    exclude: values.exclude,
    versionDirs: values['version-dir'],
    rules: values.rules ?? (await rulesBeside(site)),
    keywords: values.keywords,
    language: values.language,
    memory: values.memory,
    quiet: values.quiet,
  };
}
