/** What somebody who names a library or a source means: the same for `sheaf add` and for an agent (add_for_agent.ts). */
import { isPackage, parsePackage } from '../sources/ecosystems.js';
import { isPackageFile } from '../sources/local.js';
import { isListOfSite, type Detected } from '../sources/resolve.js';
import { SourceError, withoutCredentials, type SourceContext, type SourceSpec } from '../sources/source.js';
import { knownSources, type KnownSource } from '../sources/sources_file.js';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { likeNames } from '../base/near.js';
import { oneLine } from '../base/terminal.js';
import { loadConfig } from '../store/config.js';
import { encodeFileName } from '../store/store.js';

/** `vue@^3`, `@vue/core@3.5`. */
export function splitName(text: string): { name: string; range: string } {
  const at = text.indexOf('@', 1);
  return at < 0 ? { name: text, range: '' } : { name: text.slice(0, at), range: text.slice(at + 1) };
}

/** Maps an error in the source's text to a usage error. */
export function sound<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof SourceError) throw usageError(oneLine(error.message));
    throw error;
  }
}

/** The source that is known under a name. Error: there is none; the message says what there is. */
export async function requireKnown(name: string, file?: string): Promise<KnownSource> {
  encodeFileName(name, 'latest');
  const configured = (await loadConfig()).get('sources.file_path');
  const all = await knownSources({ file, configured: typeof configured === 'string' ? configured : undefined });
  const known = all.find((each) => each.name === name);
  if (known !== undefined) return known;
  const near = await likeNames(
    name,
    all.map((each) => each.name),
  );
  const meant = near.length === 0 ? '' : ` Did you mean ${near.map((each) => oneLine(each)).join(' or ')}?`;
  const packages = /^[\w@/.-]+$/.test(name) ? `; of a package: sheaf add npm:${name}, sheaf add pypi:${name}` : '';
  throw new CliError(
    EXIT.FAILURE,
    `No source provided for library '${oneLine(name)}'. Please provide a --source URL or use a library from the source file.${meant} Known libraries: sheaf list --sources${packages}`,
  );
}

/** A web address that says nothing else is asked for the bundle that `sheaf site` put there, before its pages are read. */
export async function publishedBy(
  detected: Detected,
  context: Pick<SourceContext, 'allowPrivate' | 'trusted' | 'signal' | 'say'>,
): Promise<Detected> {
  const { spec, warning } = detected;
  if (warning === undefined || spec.type !== 'sitemap') return detected;
  const { listOf } = await import('../sources/bundle.js');
  const list = await listOf(new URL(spec.sitemap_url), context);
  if (list === undefined) return detected;
  context.say(`The site publishes its search: ${oneLine(withoutCredentials(list))}`);
  return { spec: { type: 'bundle', bundle: list } };
}

/** The source at that version. Error: the source has no versions to choose from; exit code 1. */
export function withVersion(spec: SourceSpec, version: string | undefined): SourceSpec {
  if (version === undefined) return spec;
  if (spec.type === 'git_repo') {
    encodeFileName('x', version.replaceAll('/', '-'));
    return version === 'latest' ? spec : { ...spec, ref: version };
  }
  if (spec.type === 'local_path') {
    encodeFileName('x', version);
    return { ...spec, version };
  }
  const isNamed = isPackage(spec) && !isPackageFile(spec.type, spec.package);
  if (isNamed && parsePackage(spec.type, spec.package).version === undefined) {
    return version === 'latest' ? spec : { ...spec, package: `${spec.package}@${version}` };
  }
  if (spec.type === 'bundle' && isListOfSite(spec.bundle))
    return version === 'latest' ? spec : { ...spec, bundle: `${spec.bundle}#${encodeURIComponent(version)}` };
  const why = isPackage(spec)
    ? 'the source names one already'
    : `${{ sitemap: 'a sitemap is always latest', bundle: 'a bundle brings its own', man: 'what is installed is named by the day' }[spec.type as 'sitemap' | 'bundle' | 'man'] ?? 'it has its own'}`;
  throw new CliError(EXIT.FAILURE, `--version is only for git repositories and packages: ${why}.`);
}
