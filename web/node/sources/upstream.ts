/**
 * What a source is upstream, learned without fetching it: which versions there are, and of each an identity that changes
 * when its text may have changed. So whoever packs again and again asks much and fetches little.
 *
 *     npm    what the registry says of the version's files (integrity)       git     the commit
 *     pypi   the hashes of the version's files                               folder  the hashes of its pages and what they include
 *     crate  the hash of its archive                                         go, maven, deb   the version, which never changes
 *     bundle, archive   the hash of a file of this machine                   others  none: they have to be fetched
 */
import { mkdtemp, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { discard } from '../base/leftovers.js';
import { hashFile, hashOf } from '../base/hash.js';
import { newestMinors } from '../store/versions.js';
import { chooseRef, openRepository, resolveRef } from './git.js';
import { parseGitAddress } from './git_url.js';
import { hashPages } from './includes.js';
import { expandPath, isPackageFile, isWebAddress } from './local.js';
import { npmIntegrity, npmVersions } from './npm.js';
import { isPackage, normalisePypi, parsePackage, releaseOf, type Releases } from './ecosystems.js';
import { pypiVersions } from './pypi.js';
import { SourceError, type Ecosystem, type PackageSpec, type SourceContext, type SourceSpec } from './source.js';

/** What orders pages, and says how they are ordered (packer/contents). */
const TABLES = ['mkdocs.yml', 'mkdocs.yaml'].concat(
  ['', 'source/', 'doc/', 'docs/', 'doc/source/', 'docs/source/'].map((folder) => `${folder}conf.py`),
);

export interface Upstream {
  /** The source at that version. */
  spec: SourceSpec;
  /** '' where only fetching can tell. */
  identity: string;
}

export interface Wanted {
  /** Versions, tags or ranges; none: what the source itself means. */
  versions: readonly string[];
  /** Instead, the newest so many minor versions. */
  newest: number | undefined;
}

/** One for each version that is wanted, in that order. Errors: SourceError. */
export async function upstreamOf(spec: SourceSpec, wanted: Wanted, context: SourceContext): Promise<Upstream[]> {
  const own = await mkdtemp(join(context.folder, 'ask-'));
  const at = { ...context, folder: own };
  try {
    switch (spec.type) {
      case 'git_repo':
        return await gitVersions(spec, wanted, at);
      case 'local_path': {
        single('', { ...wanted, versions: wanted.versions.slice(1) }); // one version is a name for it
        const path = expandPath(spec.local_path);
        const root = (await stat(path).catch(() => undefined))?.isDirectory() ? path : dirname(path);
        return [
          {
            spec,
            identity: digest(
              [...(await hashPages({ root, inputs: [path], noIgnore: false, tables: TABLES }, context.signal))].flat(),
            ),
          },
        ];
      }
      case 'bundle':
        single('', wanted);
        return [{ spec, identity: isWebAddress(spec.bundle) ? '' : await hashAt(expandPath(spec.bundle)) }];
      case 'archive':
        single('', wanted);
        return [{ spec, identity: isWebAddress(spec.archive) ? '' : await hashAt(expandPath(spec.archive)) }];
      default: {
        if (isPackage(spec) && !isPackageFile(spec.type, spec.package)) return await packageVersions(spec, wanted, at);
        const file = single(isPackage(spec) ? expandPath(spec.package) : '', wanted);
        return [{ spec, identity: file === '' ? '' : await hashAt(file) }];
      }
    }
  } finally {
    await discard(own);
  }
}

function single(path: string, { versions, newest }: Wanted): string {
  if (versions.length === 0 && newest === undefined) return path;
  throw new SourceError('usage', 'Versions can be chosen of git repositories and of packages of a registry only.');
}

async function packageVersions(spec: PackageSpec, wanted: Wanted, context: SourceContext): Promise<Upstream[]> {
  const { name, version } = parsePackage(spec.type, spec.package);
  const label = `${spec.type}:${name}`;
  const releases = await releasesOf(spec.type, name, context);
  const chosen = choose(releases, version === undefined ? wanted : { ...wanted, versions: [version] }, label);
  const found: Upstream[] = [];
  for (const one of chosen) {
    const identity = await releases.identity(one);
    found.push({
      spec: { ...spec, package: `${name}@${one}` },
      identity: identity === '' ? '' : `${label}@${one} ${identity}`,
    });
  }
  return found;
}

async function releasesOf(ecosystem: Ecosystem, name: string, context: SourceContext): Promise<Releases> {
  switch (ecosystem) {
    case 'npm':
      return {
        ...(await npmVersions(name, context)),
        identity: (version: string): Promise<string> => npmIntegrity(name, version, context),
      };
    case 'pypi': {
      const hashes = await pypiVersions(normalisePypi(name), context);
      return {
        versions: [...hashes.keys()],
        identity: (version): string => digest([...(hashes.get(version) ?? [])].sort()),
      };
    }
    case 'crate':
      return (await import('./crate.js')).crateReleases(name, context);
    case 'go':
      return (await import('./go.js')).goReleases(name, context);
    case 'maven':
      return (await import('./maven.js')).mavenReleases(name, context);
    case 'deb':
      return (await import('./deb.js')).debReleases(name, context);
  }
}

/** Exactly what is there; a name of two readings is the version itself. */
function choose(
  releases: Pick<Releases, 'versions' | 'latest'>,
  { versions, newest }: Wanted,
  label: string,
): string[] {
  if (newest !== undefined) {
    const minors = newestMinors(releases.versions, newest);
    if (minors.length > 0) return minors;
    throw new SourceError('missing', `${label} has no releases to choose the newest of.`);
  }
  const asked = versions.length === 0 ? ['latest'] : versions;
  return [...new Set(asked.map((each) => releaseOf(releases, each, label)))];
}

type Repository = Extract<SourceSpec, { type: 'git_repo' }>;

async function gitVersions(spec: Repository, wanted: Wanted, context: SourceContext): Promise<Upstream[]> {
  const address = parseGitAddress(spec.repo_url);
  const git = await openRepository(address, context);
  const refs = await git.refs();
  const names =
    wanted.newest === undefined ? wanted.versions : choose({ versions: [...refs.tags.keys()] }, wanted, git.name);
  const asked = names.length === 0 ? [spec.ref] : [...new Set(names)];
  return asked.map((name) => {
    const { ref } = chooseRef(name, address.rest, refs, git.name);
    const found = resolveRef(ref, refs, git.name, context);
    const pinned = name === undefined ? spec : { ...spec, ref: name };
    return { spec: pinned, identity: `git ${found.name} ${found.commit}` };
  });
}

function digest(parts: readonly string[]): string {
  return hashOf(parts.join('\n'));
}

const hashAt = (path: string): Promise<string> =>
  hashFile(path).catch((error: Error) => {
    throw new SourceError('missing', `${path} cannot be read: ${error.message}.`);
  });
