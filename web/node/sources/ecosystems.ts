/**
 * The registries that packages come from, and what a name and a version are on each: one row a registry. Pure.
 *
 *     NAME[@VERSION] -> parsePackage -> { name, version? }       asked for, found inside -> checkIdentity
 *
 * A name goes into addresses and on command lines of the user's own tools, so it must be a name and no path, option or
 * address. On every registry `@` parts it from the version; some have a second way.
 */
import { resolveVersion } from '../store/versions.js';
import { SourceError, type Ecosystem, type PackageSpec, type SourceSpec } from './source.js';

export interface PackageName {
  name: string;
  /** What follows the last `@`, `==` (PyPI) or second `:` (Maven). */
  version?: string;
}

/** What a registry has of a package. */
export interface Releases {
  versions: readonly string[];
  /** What the registry itself calls the newest. */
  latest?: string | undefined;
  /** What changes when the files of a version do; '' if the registry does not say. */
  identity(version: string): string | Promise<string>;
}

/** The version that a name, a range or `latest` means. Error: the registry has none. */
export function releaseOf({ versions, latest }: Omit<Releases, 'identity'>, asked: string, label: string): string {
  const meant = resolveVersion(versions, asked, latest);
  if (meant !== undefined) return meant;
  throw new SourceError('missing', `${label} has no version ${asked.slice(0, 64)}.`);
}

interface Rules {
  name: RegExp;
  longest: number;
  /** The end of the name, and of what parts it from the version; undefined: there is no version. */
  cut(text: string): { end: number; length: number } | undefined;
  isSameName(a: string, b: string): boolean;
  isSameVersion(a: string, b: string): boolean;
  /** What a library of it is called: what people call it. */
  library(name: string): string;
  /** For messages. */
  examples: string;
  /** What shows which registry serves a package. */
  shownBy: string;
}

const exactly = (a: string, b: string): boolean => a === b;
const itself = (name: string): string => name;

function at(text: string, from = 1): { end: number; length: number } | undefined {
  const end = text.indexOf('@', from);
  return end < 0 ? undefined : { end, length: 1 };
}

/** Versions, ranges and tags that are one word; no address, path or option. Debian's may have a colon. */
const VERSION = /^[\w^~*][\w.+~^*:-]*$/;
const LONGEST_VERSION = 64;

const RULES: Readonly<Record<Ecosystem, Rules>> = {
  npm: {
    name: /^(?:@[a-z0-9_~][\w.~-]*\/)?[a-z0-9_~][\w.~-]*$/i,
    longest: 128,
    cut: at,
    isSameName: exactly,
    isSameVersion: sameNpmVersion,
    library: itself,
    examples: 'npm:vue, npm:@vue/core@3.5.0 or npm:./package.tgz',
    shownBy: 'npm config get registry',
  },
  pypi: {
    name: /^[a-z0-9](?:[\w.-]*[a-z0-9])?$/i,
    longest: 128,
    cut: (text) => {
      const end = text.search(/@|==/);
      return end < 0 ? undefined : { end, length: text[end] === '@' ? 1 : 2 };
    },
    isSameName: (a, b) => normalisePypi(a) === normalisePypi(b),
    isSameVersion: (a, b) => normaliseVersion(a) === normaliseVersion(b), // 1.0-beta.2 is 1.0.0b2
    library: normalisePypi,
    examples: 'pypi:fastapi, pypi:fastapi@0.115.0 or pypi:./package.tar.gz',
    shownBy: 'pip config list',
  },
  crate: {
    name: /^[a-z][a-z0-9_-]*$/i,
    longest: 64,
    cut: at,
    isSameName: exactly,
    isSameVersion: exactly,
    library: itself,
    examples: 'crate:serde or crate:serde@1.0.200',
    shownBy: 'cargo config get source, or config.toml in CARGO_HOME',
  },
  go: {
    // A host, then parts; none is `.` or `..`, begins with a dot or ends with one.
    name: /^[a-z0-9-]+(?:\.[a-z0-9-]+)+(?:\/[\w~-](?:[\w.~-]*[\w~-])?)*$/i,
    longest: 256,
    cut: at,
    isSameName: exactly,
    isSameVersion: (a, b) => a.replace(/^v/, '') === b.replace(/^v/, ''),
    library: libraryOfModule,
    examples: 'go:github.com/gin-gonic/gin or go:github.com/gin-gonic/gin@v1.10.0',
    shownBy: 'go env GOPROXY',
  },
  maven: {
    name: /^[\w-]+(?:\.[\w-]+)*:[\w-][\w.-]*$/,
    longest: 256,
    cut: (text) => {
      const second = text.indexOf(':', text.indexOf(':') + 1);
      return text.includes('@') || second < 0 ? at(text) : { end: second, length: 1 };
    },
    isSameName: exactly,
    isSameVersion: exactly,
    library: (name) => name.slice(name.indexOf(':') + 1),
    examples: 'maven:com.google.guava:guava or maven:com.google.guava:guava:33.0.0-jre',
    shownBy: 'mirrors in settings.xml of ~/.m2',
  },
  deb: {
    name: /^[a-z0-9][a-z0-9+.-]+$/,
    longest: 128,
    cut: at,
    isSameName: exactly,
    isSameVersion: (a, b) => a.replace(/^\d+:/, '') === b.replace(/^\d+:/, ''),
    library: itself,
    examples: 'deb:curl or deb:nginx-doc',
    shownBy: 'apt-cache policy NAME',
  },
};

export const isEcosystem = (text: unknown): text is Ecosystem => typeof text === 'string' && Object.hasOwn(RULES, text);

/** Whether the source is a package of a registry. */
export const isPackage = (spec: SourceSpec): spec is PackageSpec => isEcosystem(spec.type);

/** `npm|pypi|…`, for a regular expression. */
export const ECOSYSTEMS: string = Object.keys(RULES).join('|');

export function parsePackage(ecosystem: Ecosystem, text: string): PackageName {
  const rules = RULES[ecosystem];
  const cut = rules.cut(text);
  const name = cut === undefined ? text : text.slice(0, cut.end);
  const version = cut === undefined ? undefined : text.slice(cut.end + cut.length);
  const good =
    rules.name.test(name) &&
    name.length <= rules.longest &&
    (version === undefined || (VERSION.test(version) && version.length <= LONGEST_VERSION));
  if (good) return version === undefined ? { name } : { name, version };
  throw new SourceError(
    'usage',
    `'${ecosystem}:${text.slice(0, 200)}' names no package; expected one such as ${rules.examples}.`,
  );
}

/** The name of the library that documents the package. */
export const libraryOf = (ecosystem: Ecosystem, name: string): string => RULES[ecosystem].library(name);

/**
 * Error: a package's own metadata names another package or version than was asked for. A registry, a mirror or a cache may serve
 * anything under a name; what it is filed under here must be what it is.
 */
export function checkIdentity(ecosystem: Ecosystem, asked: PackageName, found: Required<PackageName>): void {
  const { name, version } = asked;
  const { isSameVersion, shownBy } = RULES[ecosystem];
  if (isSameName(ecosystem, found.name, name) && (version === undefined || isSameVersion(version, found.version)))
    return;
  const wanted = version === undefined ? name : `${name} ${version}`;
  throw new SourceError(
    'failed',
    `${ecosystem}:${name} was asked for, so its metadata should name ${wanted}; it names ${found.name.slice(0, 128)} ${found.version.slice(0, 64)}. Nothing was added. See which registry serves it (${shownBy}); if that other package is meant, add it by its own name.`,
  );
}

/** Whether two packages' names are one on their registry. */
export function isSameName(ecosystem: Ecosystem, a: unknown, b: string): boolean {
  return typeof a === 'string' && RULES[ecosystem].isSameName(a, b);
}

/** npm cleans versions when it publishes: a package may say `v1.0.0beta+1` of what the registry calls 1.0.0-beta. */
function sameNpmVersion(a: string, b: string): boolean {
  const clean = (version: string): string => version.trim().replace(/^[v=\s]+|\+.*$|-(?=[a-z])/gis, '');
  return clean(a) === clean(b);
}

const PEP_440 =
  /^v?(?:(\d+)!)?(\d+(?:\.\d+)*)(?:[-_.]?(a|b|c|rc|alpha|beta|pre|preview)[-_.]?(\d*))?(?:-(\d+)|[-_.]?(post|rev|r)[-_.]?(\d*))?(?:[-_.]?(dev)[-_.]?(\d*))?(?:\+(.+))?$/;

/** As PEP 440 compares. */
function normaliseVersion(version: string): string {
  const text = version.trim().toLowerCase();
  const parts = text.length > 128 ? null : PEP_440.exec(text);
  if (parts === null) return text;
  const [, epoch, release = '', pre, preNumber, bare, post, postNumber, dev, devNumber, local = ''] = parts;
  const numbers = release.split('.').map(Number);
  while (numbers.at(-1) === 0) numbers.pop();
  const kind = pre === undefined ? '' : /^[ab]/.test(pre) ? pre[0] : 'rc';
  return JSON.stringify([
    Number(epoch ?? 0),
    numbers,
    kind === '' ? [] : [kind, Number(preNumber)],
    bare !== undefined ? [Number(bare)] : post === undefined ? [] : [Number(postNumber)],
    dev === undefined ? [] : [Number(devNumber)],
    local.replace(/[-_]/g, '.'),
  ]);
}

/** As PyPI compares names: `Typing_Extensions` is typing-extensions. */
export function normalisePypi(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-');
}

/** github.com/labstack/echo/v4 is `echo`, gopkg.in/yaml.v3 `yaml`, golang.org/x/net `x/net`. */
function libraryOfModule(path: string): string {
  const parts = path.replace(/[/.]v\d+$/, '').split('/');
  return parts[0] === 'golang.org' && parts.length === 3 ? parts.slice(1).join('/') : (parts.at(-1) as string);
}
