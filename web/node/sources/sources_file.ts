/**
 * sources.json: where libraries come from, by name.
 *
 *     { "fastapi": { "type": "git_repo", "repo_url": "https://github.com/fastapi/fastapi", "docs_paths": ["docs/en/docs"] },
 *       "kiln":    { "type": "sitemap", "sitemap_url": "https://kiln.example/sitemap.xml", "filter_keywords": ["docs"] },
 *       "house":   { "type": "local_path", "local_path": "/srv/docs" } }
 *
 * and with the types bundle {bundle}, llms {llms_url}, archive {archive}, man {page}, and npm, pypi, crate, go, maven and
 * deb {package}. The first file that knows a
 * name decides: --sources-file, sources.file_path of the configuration, .sheaf/sources.json of the project, the
 * user's $XDG_CONFIG_HOME/sheaf/sources.json; then OpenGround's ./.openground/sources.json and
 * ~/.openground/sources.json; then the list that comes with Sheaf.
 *
 * A project's file came with the project, so its addresses do not count as typed by the user, and its paths must
 * stay in the project (project_list.ts), unless the user's own file has the same entry.
 */
import { existsSync, statSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { isEcosystem } from './ecosystems.js';
import type { Ecosystem, SourceSpec } from './source.js';
import { configPath } from '../store/config.js';
import { writeAtomically } from '../base/files.js';
import { CliError, EXIT, usageError } from '../base/exit.js';
import { lock } from '../base/lock.js';
import { BUNDLED_SOURCES } from './sources_bundled.js';
import { oneLine } from '../base/terminal.js';

export interface KnownSource {
  name: string;
  spec: SourceSpec;
  /** The file, or 'built in'. */
  from: string;
  trusted: boolean;
  /** The project folder that it came with, unless the user's own file has the same entry. */
  project?: string;
}

const MAX_BYTES = 16 << 20;
/** Longer than a crashed holder keeps a lock (host/lock.ts). */
const LOCK_MS = 40_000;

/** What is at the top of a project. */
const MARKS = [
  ...[
    '.sheaf',
    '.git',
    '.hg',
    '.jj',
    'package.json',
    'deno.json',
    'pyproject.toml',
    'setup.py',
    'setup.cfg',
    'Pipfile',
  ],
  ...[
    'requirements.txt',
    'Cargo.toml',
    'go.mod',
    'pom.xml',
    'build.gradle',
    'build.gradle.kts',
    'Gemfile',
    'composer.json',
  ],
  ...['mix.exs', 'Package.swift', 'CMakeLists.txt', 'meson.build', 'mkdocs.yml'],
];

/**
 * The project that `cwd` is in: the nearest folder with a mark of one. Not the home folder, nor anything above it, nor a
 * folder that others may write to or own: everyone may put a list into /tmp.
 */
export function projectFolder(cwd: string = process.cwd()): string | undefined {
  for (let folder = resolve(cwd); folder !== homedir() && folder !== dirname(folder); folder = dirname(folder)) {
    if (!MARKS.some((mark) => existsSync(join(folder, mark)))) continue;
    const { uid, mode } = statSync(folder);
    const own = process.getuid === undefined || (uid === process.getuid() && (mode & 0o002) === 0);
    return own || folder === resolve(cwd) ? folder : undefined;
  }
  return undefined;
}

/** The project's list; in no project, where one would be read. */
export function projectSources(cwd: string = process.cwd()): string {
  return join(projectFolder(cwd) ?? cwd, '.sheaf', 'sources.json');
}

export function userSources(): string {
  return join(dirname(configPath()), 'sources.json');
}

/** One checked entry of a file; undefined if it is not a valid entry. */
export function parseSpec(value: unknown): SourceSpec | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const entry = value as Record<string, unknown>;
  const text = (key: string): string | undefined =>
    typeof entry[key] === 'string' && (entry[key] as string).length <= 4096 ? (entry[key] as string) : undefined;
  const list = (key: string): string[] | undefined => {
    const items = entry[key];
    return Array.isArray(items) &&
      items.length > 0 &&
      items.length <= 1000 &&
      items.every((item) => typeof item === 'string')
      ? (items as string[])
      : undefined;
  };
  const required =
    {
      git_repo: 'repo_url',
      sitemap: 'sitemap_url',
      local_path: 'local_path',
      bundle: 'bundle',
      catalogue: 'catalogue',
      llms: 'llms_url',
      archive: 'archive',
      man: 'page',
      installed: 'path',
    }[String(entry['type'])] ?? (isEcosystem(entry['type']) ? 'package' : undefined);
  if (required === undefined || (entry['type'] === 'man' ? text(required) === undefined : !text(required)))
    return undefined;
  const optional = (key: string, found: unknown): Record<string, unknown> =>
    found === undefined ? {} : { [key]: found };
  const readmeOnly = entry['readme_only'] === true ? { readme_only: true as const } : {};
  switch (entry['type']) {
    case 'git_repo':
      return {
        type: 'git_repo',
        repo_url: text('repo_url') as string,
        ...optional('docs_paths', list('docs_paths')),
        ...optional('ref', text('ref')),
      };
    case 'sitemap':
      return {
        type: 'sitemap',
        sitemap_url: text('sitemap_url') as string,
        ...optional('filter_keywords', list('filter_keywords')),
        ...(entry['trim_query_params'] === true ? { trim_query_params: true } : {}),
      };
    case 'local_path':
      return {
        type: 'local_path',
        local_path: text('local_path') as string,
        ...optional('version', text('version')),
      };
    case 'bundle':
      return { type: 'bundle', bundle: text('bundle') as string };
    case 'catalogue': {
      const [library, version] = [text('library'), text('version')];
      if (!library || version === undefined) return undefined;
      return { type: 'catalogue', catalogue: text('catalogue') as string, library, version };
    }
    case 'llms':
      return { type: 'llms', llms_url: text('llms_url') as string };
    case 'archive':
      return { type: 'archive', archive: text('archive') as string };
    case 'man':
      return { type: 'man', page: text('page') as string };
    case 'installed': {
      const [name, version] = [text('package'), text('version')];
      const ecosystem = entry['ecosystem'];
      if (!name || !version || (ecosystem !== 'npm' && ecosystem !== 'pypi')) return undefined;
      return { type: 'installed', ecosystem, package: name, version, path: text('path') as string, ...readmeOnly };
    }
    default:
      return { type: entry['type'] as Ecosystem, package: text('package') as string, ...readmeOnly };
  }
}

/** All sources known by name, in order of precedence; the first of a name counts. */
export async function knownSources(
  options: { file?: string | undefined; configured?: string | undefined } = {},
): Promise<KnownSource[]> {
  const user = await readSources(userSources());
  const files: [string, boolean, boolean][] = [
    // path, the user's own, must exist
    ...(options.file === undefined ? [] : [[resolve(options.file), false, true] as [string, boolean, boolean]]),
    ...(options.configured === undefined
      ? []
      : [[resolve(options.configured), false, true] as [string, boolean, boolean]]),
    [projectSources(), false, false],
    [userSources(), true, false],
    // In the home folder both of OpenGround's are one file, the user's own.
    ...(process.cwd() === homedir()
      ? []
      : [[join(process.cwd(), '.openground', 'sources.json'), false, false] as [string, boolean, boolean]]),
    [join(homedir(), '.openground', 'sources.json'), true, false],
  ];
  const found = new Map<string, KnownSource>();
  for (const [path, own, mustExist] of files) {
    for (const [name, spec] of await readSources(path, mustExist)) {
      const trusted = own || sameSpec(user.get(name), spec);
      if (!found.has(name))
        found.set(name, { name, spec, from: path, trusted, ...(trusted ? {} : { project: projectOf(path) }) });
    }
  }
  for (const [name, spec] of Object.entries(BUNDLED_SOURCES))
    if (!found.has(name)) found.set(name, { name, spec, from: 'built in', trusted: false });
  return [...found.values()];
}

/** The folder that a list belongs to: its own, or the one above .sheaf and .openground. */
function projectOf(path: string): string {
  const folder = dirname(path);
  return /^\.(sheaf|openground)$/.test(basename(folder)) ? dirname(folder) : folder;
}

function sameSpec(a: SourceSpec | undefined, b: SourceSpec): boolean {
  return a !== undefined && JSON.stringify(a) === JSON.stringify(b);
}

async function readSources(path: string, mustExist = false): Promise<Map<string, SourceSpec>> {
  const specs = new Map<string, SourceSpec>();
  for (const [name, entry] of Object.entries(await readObject(path, mustExist))) {
    const spec = parseSpec(entry);
    if (spec === undefined)
      throw usageError(
        `${path}: '${oneLine(name).slice(0, 100)}' is no source; expected {"type": "git_repo", "repo_url": "…"}, {"type": "sitemap", "sitemap_url": "…"} or {"type": "local_path", "local_path": "…"}.`,
      );
    if (spec.type !== 'installed' && spec.type !== 'catalogue') specs.set(name, spec);
  }
  return specs;
}

async function readObject(path: string, mustExist: boolean): Promise<Record<string, unknown>> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if ((code === 'ENOENT' || code === 'ENOTDIR') && !mustExist) return {};
    throw new CliError(
      code === 'ENOENT' ? EXIT.NOT_FOUND : EXIT.FAILURE,
      `Sources file ${path} cannot be read: ${code === 'ENOENT' ? 'there is no such file' : (error as Error).message}.`,
    );
  }
  let value: unknown;
  try {
    value = text.length > MAX_BYTES ? undefined : JSON.parse(text);
  } catch (error) {
    throw usageError(`Invalid JSON in sources file ${path}: ${oneLine((error as Error).message)}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw usageError(`Sources file ${path} holds no JSON object.`);
  return value as Record<string, unknown>;
}

/** Adds the library to the file of the project, if this is one, and to the user's; returns the files that changed. */
export async function saveSource(name: string, spec: SourceSpec): Promise<string[]> {
  const changed: string[] = [];
  for (const path of [...(projectFolder() === undefined ? [] : [projectSources()]), userSources()]) {
    await mkdir(dirname(path), { recursive: true });
    const release = await lock(`${path}.lock`, AbortSignal.timeout(LOCK_MS)); // others may add at this moment
    try {
      if (await saveIn(path, name, spec)) changed.push(path);
    } finally {
      await release();
    }
  }
  return changed;
}

/** Whether the file changed. */
async function saveIn(path: string, name: string, spec: SourceSpec): Promise<boolean> {
  const all = await readObject(path, false);
  // Fields that are not ours (languages, comments) stay.
  const old =
    Object.hasOwn(all, name) && typeof all[name] === 'object' && all[name] !== null
      ? (all[name] as Record<string, unknown>)
      : {};
  if (sameSpec(parseSpec(old), spec)) return false;
  const entry = old['type'] === spec.type ? { ...old, ...spec } : spec;
  await writeAtomically(path, `${JSON.stringify({ ...all, [name]: entry }, null, 2)}\n`);
  return true;
}
