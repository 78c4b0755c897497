/**
 * The documentation of a package at its version. A package mostly holds a README; its documentation lies in its
 * repository, at the version's tag. In this order:
 *
 *     1. the repository that the metadata names, at the tag of the version: its docs folders
 *     2. what the package itself holds, if that is more than a README
 *     3. what the built-in list knows of a library of that name and owner, or llms-full.txt or llms.txt of its site: both
 *        document the newest version
 *     4. the README, and where the documentation lies
 *
 * The pages of its API, made from the code of the package, are joined to any of them (api_pages.ts).
 * Whatever fails on the way is said, and the next one is tried. The repository and the site are named by the package,
 * that is by a stranger, so private addresses are refused even if the user typed the package's name.
 */
import { join } from 'node:path';
import { mkdir, realpath } from 'node:fs/promises';
import { parseGitAddress, repositoryName } from './git_url.js';
import {
  checkInputs,
  escapePattern,
  openRepository,
  pagesAt,
  sparsePatterns,
  type FoundRef,
  type Git,
  type Refs,
} from './git.js';
import { chooseDocs, isOnHost, tagsFor, type Repository } from './repository.js';
import { fetchLlms } from './llms.js';
import { isSameName, libraryOf } from './ecosystems.js';
import { joinApi } from './api_pages.js';
import { contentOf } from './package_docs.js';
import {
  messageOf,
  SourceError,
  type About,
  type Ecosystem,
  type Fetched,
  type PackageSpec,
  type SourceContext,
  type SourceSpec,
} from './source.js';
import { BUNDLED_SOURCES } from './sources_bundled.js';
import type { Unpacked } from './unpack.js';

export interface PackageFacts {
  ecosystem: Ecosystem;
  name: string;
  version: string;
  repository: Repository | undefined;
  /** Where its documentation is for people. */
  home: string | undefined;
  about: About;
  /** The package holds what its repository has for readers, or its API: it comes before the repository. */
  isWhole?: boolean;
  /** The commit that it was published from, for repositories without a tag for it. */
  commit?: () => Promise<string | undefined>;
  /** The address below which readers find the package's own files; '': nowhere. */
  sources?: () => Promise<string>;
}

export type OwnFiles = Pick<Unpacked, 'files' | 'root'> & Partial<Pick<Unpacked, 'api'>>;

/** The pages of a package itself, named by their paths below `baseUrl`; undefined if there are none. */
export function ownPages(
  { ecosystem, name, version }: Pick<PackageFacts, 'ecosystem' | 'name' | 'version'>,
  { files, root, api = [] }: OwnFiles,
  baseUrl: string,
): Fetched | undefined {
  if (files.length === 0 && api.length === 0) return undefined;
  const identity = { library: libraryOf(ecosystem, name), version, revision: version };
  const pages = { root, inputs: [root], baseUrl, urlStyle: 'keep' as const, noIgnore: false };
  return { ...identity, ...pages, content: contentOf(files), api };
}

/**
 * The documentation of a package that was fetched: with `readme_only` what it holds itself, else the best there is. The
 * pages of its API are joined to it, wherever it comes from.
 */
export async function settlePackage(
  spec: Pick<PackageSpec, 'readme_only'>,
  facts: PackageFacts,
  own: Fetched | undefined,
  context: SourceContext,
): Promise<Fetched> {
  const { api: _, ...found } = await chooseDocumentation(spec, facts, own, context);
  const api = own?.api ?? [];
  const base = api.length === 0 ? '' : ((await facts.sources?.()) ?? '');
  // Where no address shows the source, pages are named by their paths, or by the documentation where paths are addresses.
  const elsewhere = found.baseUrl === '' ? undefined : (facts.home ?? facts.repository?.url);
  const addressOf = (path: string): string | undefined =>
    found.sourceAt?.(path) ?? (base === '' ? elsewhere : base + encodePath(path));
  return joinApi(found, api, addressOf, context);
}

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/');

async function chooseDocumentation(
  { readme_only }: Pick<PackageSpec, 'readme_only'>,
  facts: PackageFacts,
  own: Fetched | undefined,
  context: SourceContext,
): Promise<Fetched> {
  if (!readme_only) return findDocumentation(facts, own, context);
  if (own !== undefined) return withHome(own, facts);
  throw new SourceError(
    'missing',
    `No documentation found in ${facts.ecosystem}:${facts.name}@${facts.version} (README, *.md, docs/); try its git repository.`,
  );
}

/** `own`: what the package itself holds; undefined if that is nothing. */
export async function findDocumentation(
  facts: PackageFacts,
  own: Fetched | undefined,
  context: SourceContext,
): Promise<Fetched> {
  const { ecosystem, name, version } = facts;
  const label = `${ecosystem}:${name}@${version}`;
  const stranger: SourceContext = { ...context, trusted: false, folder: join(context.folder, 'found') };
  await mkdir(stranger.folder);
  const documentation = facts.home ?? facts.repository?.url;
  const say = (what: string): void => context.say(`${label}: ${what}`);
  let failed = false;
  const settle = (found: Fetched): Fetched => (failed ? { ...found, incomplete: true } : found);
  const attempt = async (what: () => Promise<Fetched | undefined>): Promise<Fetched | undefined> => {
    try {
      const found = await what();
      return found === undefined
        ? undefined
        : withHome({ ...found, library: libraryOf(ecosystem, name), version }, facts);
    } catch (error) {
      context.signal.throwIfAborted();
      if (!(error instanceof SourceError)) throw error;
      say(messageOf(error));
      failed = true;
      return undefined;
    }
  };
  if (facts.isWhole && own?.content === 'package') return withHome(own, facts);
  const inRepository = await attempt(() => fromRepository(facts, stranger, say, own));
  if (inRepository !== undefined) return inRepository;
  if (own?.content === 'package') return settle(withHome(own, facts));
  const known = builtIn(facts);
  if (known?.type === 'git_repo') {
    const inList = await attempt(async () => {
      const { fetchGit } = await import('./git.js');
      const folder = join(stranger.folder, 'listed');
      await mkdir(folder);
      const found = await fetchGit(known, { ...stranger, folder, known: undefined });
      context.warn(`Taken from ${known.repo_url}, which documents the newest version, not necessarily this one`);
      return { ...found, content: 'site' as const };
    });
    if (inList !== undefined) return settle(inList);
  }
  const site = facts.home;
  if (site !== undefined && !isOnHost(site)) {
    const onSite = await attempt(() => fetchLlms(site, stranger));
    if (onSite !== undefined) return settle(onSite);
  }
  if (own !== undefined) return settle(withHome(own, facts));
  throw new SourceError(
    'missing',
    `${label} holds no documentation (README, *.md, docs/)${documentation === undefined ? '; name its repository or its site' : `; it says that it lies at ${documentation}`}.`,
  );
}

/** With what the package says of itself, and the address where the documentation lies, if it states one. */
export function withHome(found: Fetched, { home, repository, about }: PackageFacts): Fetched {
  const documentation = home ?? repository?.url;
  return documentation === undefined ? { ...found, about } : { ...found, about, documentation };
}

// ---- the repository -------------------------------------------------------------------------------

async function fromRepository(
  facts: PackageFacts,
  context: SourceContext,
  say: (what: string) => void,
  own: Fetched | undefined,
): Promise<Fetched | undefined> {
  const { repository, version } = facts;
  if (repository === undefined) {
    say('it names no repository');
    return undefined;
  }
  const address = parseGitAddress(repository.url);
  const git = await openRepository(address, context);
  const found = await findVersion(facts, git, await git.refs(), repositoryName(address));
  if (found === undefined) {
    say(`${git.name} has no tag for ${version}`);
    return undefined;
  }
  const shared = { version, revision: found.commit, root: git.tree, urlStyle: 'keep' as const, noIgnore: true };
  const documentation = { ...shared, baseUrl: pagesAt(address, found), content: 'repository' as const };
  // Pages of the API may have come or gone with the grammars on this machine.
  if (context.known === found.commit && !own?.api?.length) return { ...documentation, inputs: [], unchanged: true };
  const all = new Set(await git.files());
  const { folders, without, files } = chooseDocs([...all], repository.directory);
  if (folders.length === 0) {
    say(`${git.name} has no folder of documentation at ${found.name}`);
    return undefined;
  }
  context.say(`Fetching ${folders.join(', ')} of ${git.name} at ${found.name} (${found.commit.slice(0, 12)})`);
  const patterns = [...sparsePatterns([...folders, ...files]), ...without.map((path) => `!/${escapePattern(path)}/**`)];
  await git.checkout(patterns);
  const there: string[] = []; // a README may be a link to a file that is not among the documentation
  for (const file of files) if (await realpath(join(git.tree, file)).catch(() => undefined)) there.push(file);
  const inputs = await checkInputs(git, [...folders, ...there], found.name);
  const included = await git.checkoutIncluded(patterns, inputs, context.signal);
  const sourceAt = (path: string): string | undefined => {
    const there = [`${repository.directory}/${path}`, path, `src/${path}`].find((one) => all.has(one));
    return there === undefined || documentation.baseUrl === '' ? undefined : documentation.baseUrl + encodePath(there);
  };
  return { ...documentation, inputs, included, sourceAt };
}

/** The list's own source of a library of that name, if it is of the same owner: a namesake on another registry is not. */
export function builtIn({ ecosystem, name, repository }: PackageFacts): SourceSpec | undefined {
  const library = libraryOf(ecosystem, name);
  const spec = Object.hasOwn(BUNDLED_SOURCES, library) ? BUNDLED_SOURCES[library] : undefined;
  if (spec?.type !== 'git_repo' || repository === undefined) return undefined;
  const ownerOf = (address: string): string => new URL(address).pathname.split('/')[1]?.toLowerCase() ?? '';
  const isSameHost = new URL(spec.repo_url).host === new URL(repository.url).host;
  return isSameHost && ownerOf(spec.repo_url) === ownerOf(repository.url) ? spec : undefined;
}

/** The commit of the version, fetched; tags of other packages of the repository are passed over. */
async function findVersion(
  facts: PackageFacts,
  git: Git,
  refs: Refs,
  repository: string,
): Promise<FoundRef | undefined> {
  for (const { tag, isOwn } of tagsFor({ ...facts, repository }, refs.tags.keys()).slice(0, 4)) {
    const commit = refs.tags.get(tag) as string;
    const ref = { name: tag, commit, fetch: `refs/tags/${tag}`, isDefault: false };
    await git.fetch(ref);
    if (isOwn || (await isOfPackage(facts, git, commit))) return ref;
  }
  const commit = await facts.commit?.();
  if (commit === undefined) return undefined;
  const ref = { name: commit, commit, fetch: commit, isDefault: false };
  await git.fetch(ref);
  return ref;
}

/**
 * Whether the package has that version in what was fetched, or does not say: `v1.2.3` may be the tag of another package
 * of the repository.
 */
async function isOfPackage(facts: PackageFacts, git: Git, tagged: string): Promise<boolean> {
  const { ecosystem, name, version, repository } = facts;
  // A crate says which commit it was made of.
  if (ecosystem === 'crate') return ((await facts.commit?.()) ?? tagged) === tagged;
  if (ecosystem !== 'npm' || !repository?.directory) return true;
  const text = await git.show(`${repository.directory}/package.json`).catch(() => undefined);
  if (text === undefined) return true;
  try {
    const manifest = JSON.parse(text) as Record<string, unknown>;
    const there = manifest['version'];
    if (!isSameName(ecosystem, manifest['name'], name) || typeof there !== 'string') return true;
    return there === version || /^0\.0\.0\b/.test(there) || /semantic|development/.test(there);
  } catch {
    return true;
  }
}
