/**
 * Where documentation comes from. Each kind of source is one file with one function, which fetches
 * pages into its own folder and says how they are addressed. The caller (web/node/ingest/ingest.ts) packs,
 * compares and records them.
 *
 *     git_repo  sitemap  llms  local_path  archive  man  bundle  catalogue  npm, pypi, crate, go, maven, deb  installed
 *        └────────┴───────┴────────┴─────── fetchSource ────┴────────┴──────────────────┴───────────────────────┘
 *                                  │
 *                        Fetched: folder, inputs, version, base URL
 *
 * Invariants
 *  1. Nothing outside `context.folder` is written, and no code of the source runs: no hooks, no
 *     install scripts, no setup.py.
 *  2. Every address is checked before a request goes to it (guard.ts), redirect targets too.
 *  3. Everything that a stranger sends is capped before it is kept.
 */
import type { ApiPage } from '../convert/grammars.js';

export type SourceSpec =
  | { type: 'git_repo'; repo_url: string; docs_paths?: string[]; ref?: string }
  | { type: 'sitemap'; sitemap_url: string; filter_keywords?: string[]; trim_query_params?: boolean }
  /** An llms.txt or llms-full.txt. */
  | { type: 'llms'; llms_url: string }
  /** `version`: as the user names it; without, the day. */
  | { type: 'local_path'; local_path: string; version?: string }
  /** A file or an address of a .tgz, .zip, .whl, .jar, .gem, .crate or .deb. */
  | { type: 'archive'; archive: string }
  /** Manual pages of this machine: those of a name, or '' for all. */
  | { type: 'man'; page: string }
  | { type: 'bundle'; bundle: string }
  | CatalogueSpec
  | PackageSpec
  | InstalledSpec;

export interface CatalogueSpec {
  type: 'catalogue';
  /** Address of one of the user's catalogues. */
  catalogue: string;
  library: string;
  /** A version or a range; '' for the newest. */
  version: string;
}

/** The registries that packages come from; ecosystems.ts has the rules of each. */
export type Ecosystem = 'npm' | 'pypi' | 'crate' | 'go' | 'maven' | 'deb';

export interface PackageSpec {
  type: Ecosystem;
  package: string;
  /** What the package itself holds, and nothing from elsewhere. */
  readme_only?: true;
  /** Of a Go module: `VERSION h1:HASH`, as the project's go.sum has it. */
  sum?: string;
}

export interface InstalledSpec {
  type: 'installed';
  ecosystem: 'npm' | 'pypi';
  package: string;
  version: string;
  /** The package's folder in node_modules, or its .dist-info in site-packages. */
  path: string;
  readme_only?: true;
}

export interface SourceContext {
  /** An empty folder for this fetch alone; the caller removes it. */
  folder: string;
  signal: AbortSignal;
  /** Reports progress to users. */
  say(text: string): void;
  warn(text: string): void;
  progress(label: string, done: number, total: number): void;
  allowPrivate: boolean;
  /** The user typed the address, so a literal loopback or private one is intended. */
  trusted: boolean;
  /** Concurrent requests, over all hosts. */
  concurrency: number;
  /** Timeout for one page. */
  timeoutMs: number;
  env: NodeJS.ProcessEnv;
  /** The installed revision; a source still at that revision may answer `unchanged`. */
  known?: string | undefined;
  /** Order of versions: negative when `a` is older. */
  compareVersions(a: string, b: string): number;
}

export interface Fetched {
  /** The library's name, if the source gives one. */
  library?: string;
  version: string;
  /** Paths in the bundle are relative to it. */
  root: string;
  /** Files and folders below `root` to pack. */
  inputs: string[];
  /** Files below `root` that the pages include, relative to it; they may be outside the inputs. */
  included?: string[];
  baseUrl: string;
  /** As sheaf-pack's --url-style. */
  urlStyle: 'keep' | 'clean';
  /** Names such as `build` are part of the addresses, not build output. */
  noIgnore: boolean;
  /** Commit or hash that identifies the whole. */
  revision?: string;
  /** `revision` is `context.known`: nothing was fetched. */
  unchanged?: true;
  /** A ready bundle, to be taken as it is. */
  bundle?: string;
  /** A page's address by its path, if we made up the paths. */
  urls?: Map<string, string>;
  /** Of a package: where its pages come from. */
  content?: PackageContent;
  /** Of a package: where its documentation lies on the web. */
  documentation?: string;
  /** Of a package: a better place for its documentation could not be read this time. */
  incomplete?: true;
  /** Of a package: what its metadata says of it. */
  about?: About;
  /** Of a package: pages of its API, until they are joined to its documentation (api_pages.ts). */
  api?: readonly ApiPage[];
  /** Where readers find a file of the package's source; undefined: nowhere. */
  sourceAt?(path: string): string | undefined;
}

/** What something says of itself, as it says it: text of strangers. */
export interface About {
  description: string;
  licence: string;
  keywords: string[];
}

/**
 * `repository`: the repository at the version's tag. `site`: the project's site, which documents its newest version.
 * `package`: the package itself. `readme`: the package itself, which holds nothing more.
 */
export type PackageContent = 'repository' | 'site' | 'package' | 'readme';

/** `usage`: a bad request. `missing`: it does not exist. `failed`: everything else. */
export type FailureKind = 'usage' | 'missing' | 'failed';

/** The message is complete, but text of strangers in it is not yet sanitised for a terminal. */
export class SourceError extends Error {
  readonly kind: FailureKind;

  constructor(kind: FailureKind, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceError';
    this.kind = kind;
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `2025-01-31` in the local time zone. */
export function isoDay(date: Date = new Date()): string {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** One line that describes a source to users, without credentials. */
export function describeSource(spec: SourceSpec): string {
  switch (spec.type) {
    case 'git_repo':
      return `${withoutCredentials(spec.repo_url)}${spec.docs_paths?.length ? ` (${spec.docs_paths.join(', ')})` : ''}`;
    case 'sitemap':
      return withoutCredentials(spec.sitemap_url);
    case 'local_path':
      return spec.local_path;
    case 'bundle':
      return withoutCredentials(spec.bundle);
    case 'llms':
      return withoutCredentials(spec.llms_url);
    case 'archive':
      return withoutCredentials(spec.archive);
    case 'man':
      return `man:${spec.page}`;
    case 'catalogue':
      return `${spec.library}${spec.version === '' ? '' : `@${spec.version}`} of the catalogue ${spec.catalogue}`;
    case 'installed':
      return spec.path;
    default:
      return `${spec.type}:${spec.package}`;
  }
}

/** A URL without user and password; other text unchanged. */
export function withoutCredentials(url: string): string {
  return url.replace(/^([a-z][a-z0-9+.-]*:\/\/)[^/?#\\]*@/i, (all, scheme: string) =>
    /^ssh/i.test(scheme) && !/:[^/:]*@$/.test(all.slice(scheme.length)) ? all : scheme,
  );
}

/** The source in a form that we may store: a password belongs in git's credential helper, not in our files. */
export function withoutSecrets(spec: SourceSpec): SourceSpec {
  if (spec.type === 'git_repo') return { ...spec, repo_url: withoutCredentials(spec.repo_url) };
  if (spec.type === 'sitemap') return { ...spec, sitemap_url: withoutCredentials(spec.sitemap_url) };
  if (spec.type === 'bundle') return { ...spec, bundle: withoutCredentials(spec.bundle) };
  if (spec.type === 'llms') return { ...spec, llms_url: withoutCredentials(spec.llms_url) };
  if (spec.type === 'archive') return { ...spec, archive: withoutCredentials(spec.archive) };
  return spec;
}
