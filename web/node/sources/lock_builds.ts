/**
 * Lock files of compiled languages, Ruby and PHP: which packages a project uses, at which versions. Pure: texts in, packages out.
 *
 *     Cargo.lock   go.mod, go.sum   pom.xml   gradle.lockfile   Gemfile.lock   composer.lock
 *
 * A package that no source here can fetch is listed too, with the reason (`why`), so that the user learns what is missing.
 * Time is linear in the text.
 */
import { filler, isCentral } from './maven.js';
import { parseJson } from './package_docs.js';
import { messageOf, SourceError, type Ecosystem } from './source.js';
import { parseToml } from './toml.js';
import { parseXml, type Element } from './xml_tree.js';

export interface LockedPackage {
  ecosystem: Ecosystem | 'gem' | 'composer';
  name: string;
  /** undefined: the file pins none. */
  version?: string;
  /** Relative to the lock file's folder, if the lock file states it. */
  folder?: string;
  /** An address on the registry that it came from, if the lock file states it. */
  registry?: string;
  /** The repository of its text, and the tag or commit, where that is all that can be had. */
  repository?: { url: string; ref: string };
  /** The hash of a Go module's zip, as go.sum has it. */
  sum?: string;
  /** Why it cannot be had. */
  why?: string;
}

type Table = Record<string, unknown>;

function record(value: unknown): Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {};
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

// ---- Rust -----------------------------------------------------------------------------------------

/** The project's own packages have no source; what they depend on is direct. */
export function parseCargoLock(text: string, file: string, transitive: boolean): LockedPackage[] {
  let lock: Table;
  try {
    lock = parseToml(text);
  } catch (error) {
    throw new SourceError('usage', `${file} is not TOML: ${messageOf(error).split('\n', 1)[0]}.`);
  }
  const packages = list(lock['package']).map(record);
  const wanted = new Set<string>();
  for (const own of packages.filter(({ source }) => source === undefined))
    for (const each of list(own['dependencies'])) if (typeof each === 'string') wanted.add(each);
  return packages.flatMap(({ name, version, source }): LockedPackage[] => {
    if (typeof name !== 'string' || typeof version !== 'string' || typeof source !== 'string') return [];
    const isDirect = [name, `${name} ${version}`, `${name} ${version} (${source})`].some((each) => wanted.has(each));
    if (!transitive && !isDirect) return [];
    const [kind, address = ''] = source.split(/\+(.*)/s);
    const found = { ecosystem: 'crate' as const, name, version };
    if (kind === 'registry' || kind === 'sparse') return [{ ...found, registry: address }];
    return [{ ...found, why: `it comes from ${address.slice(0, 200)}; add that: sheaf add NAME -s ADDRESS` }];
  });
}

// ---- Go -------------------------------------------------------------------------------------------

interface Required {
  name: string;
  version: string;
  isIndirect: boolean;
}

/** `require` and `replace`, of one line or of several in parentheses. */
export function parseGoMod(text: string, transitive: boolean): LockedPackage[] {
  const required: Required[] = [];
  const replaced = new Map<string, { name: string; version: string }>();
  let block = '';
  for (const raw of text.split(/\r?\n/)) {
    const [line = '', comment = ''] = raw.split('//', 2).map((part) => part.trim());
    if (line === ')') block = '';
    const opened = /^(require|replace|exclude|retract|tool|godebug|use)\b\s*(.*)$/.exec(line);
    if (opened?.[2] === '(') {
      block = opened[1] as string;
      continue;
    }
    const verb = opened?.[1] ?? block;
    const words = (opened?.[2] ?? line).split(/\s+/).map((word) => word.replace(/^"|"$/g, ''));
    if (verb === 'require' && words.length === 2 && /^v\d/.test(words[1] as string))
      required.push({ name: words[0] as string, version: words[1] as string, isIndirect: /^indirect\b/.test(comment) });
    const arrow = words.indexOf('=>');
    if (verb === 'replace' && arrow > 0)
      replaced.set(words.slice(0, arrow).join(' '), { name: words[arrow + 1] ?? '', version: words[arrow + 2] ?? '' });
  }
  return required
    .filter(({ isIndirect }) => transitive || !isIndirect)
    .map(({ name, version }) => {
      const other = replaced.get(`${name} ${version}`) ?? replaced.get(name);
      if (other === undefined) return { ecosystem: 'go', name, version };
      if (other.version !== '') return { ecosystem: 'go', ...other };
      return { ecosystem: 'go', name, version, why: `it is replaced by the folder ${other.name.slice(0, 200)}` };
    });
}

/** Every module once, at the last of its versions, which the highest is. */
export function parseGoSum(text: string): LockedPackage[] {
  const found = new Map<string, string>();
  for (const [, name, version] of text.matchAll(/^(\S+) (v[^\s/]+) h1:/gm))
    found.set(name as string, version as string);
  return [...found].map(([name, version]) => ({ ecosystem: 'go', name, version }));
}

// ---- the JVM --------------------------------------------------------------------------------------

/** A pom names its direct dependencies only. Versions that a parent or an imported pom decides are not in it. */
export function parsePom(text: string, file: string): LockedPackage[] {
  const project = parseXml(text);
  if (project?.name !== 'project') throw new SourceError('usage', `${file} is no pom: it holds no <project>.`);
  const fill = filler(project);
  const of = (element: Element, name: string): string => fill(element.of(name) ?? '');
  const managed = new Map<string, string>();
  for (const each of project.at('dependencyManagement/dependencies')?.all('dependency') ?? [])
    managed.set(`${of(each, 'groupId')}:${of(each, 'artifactId')}`, of(each, 'version'));
  const dependencies = project.at('dependencies')?.all('dependency') ?? [];
  const repositories = project.at('repositories')?.all('repository') ?? [];
  const [registry] = repositories.map((each) => of(each, 'url')).filter((url) => !isCentral(url));
  return dependencies
    .filter((each) => each.of('scope') !== 'system')
    .map((each) => {
      const name = `${of(each, 'groupId')}:${of(each, 'artifactId')}`;
      const version = of(each, 'version') || managed.get(name) || '';
      const isPinned = version !== '' && !/[[\]()$,]/.test(version);
      return { ecosystem: 'maven', name, ...(isPinned ? { version } : {}), ...(registry ? { registry } : {}) };
    });
}

/** Lines `group:artifact:version=configurations`. `build`: the build files beside it, which name what is direct. */
export function parseGradleLock(text: string, build: string, transitive: boolean): LockedPackage[] {
  const [registry] = [...build.matchAll(/\burl[ \t=(]{0,9}(?:uri[ \t(]{1,9})?["'](https?:\/\/[^"'\s]{1,500})/g)]
    .map(([, url]) => url as string)
    .filter((url) => !isCentral(url));
  // In a build file `group:artifact:version`, in a version catalogue also `name = "artifact"`.
  const words = build.split(/[^\w.:-]+/);
  const direct = new Set(words.map((word) => word.split(':', 2).join(':')));
  for (const [index, word] of words.entries()) if (word === 'name') direct.add(words[index + 1] as string);
  const found: LockedPackage[] = [];
  for (const [, group, artifact, version] of text.matchAll(/^([\w.-]+):([\w.-]+):([^=\s:]+)=/gm)) {
    const name = `${group}:${artifact}`;
    const isDirect = build === '' || direct.has(name) || direct.has(artifact as string);
    if (transitive || isDirect)
      found.push({ ecosystem: 'maven', name, version: version as string, ...(registry ? { registry } : {}) });
  }
  return found;
}

// ---- Ruby and PHP -----------------------------------------------------------------------------------

/** Gems: the `specs` of all sections; direct are those of DEPENDENCIES. */
export function parseGemfileLock(text: string, transitive: boolean): LockedPackage[] {
  const wanted = new Set<string>();
  const found: LockedPackage[] = [];
  let section = '';
  for (const line of text.split(/\r?\n/)) {
    section = /^([A-Z][A-Z ]*)$/.exec(line)?.[1] ?? section;
    const spec = /^ {4}([\w.-]+) \(([^()\s]+)\)$/.exec(line);
    if (spec !== null && section !== 'DEPENDENCIES') {
      const [, name, version] = spec as unknown as [string, string, string];
      const why = `a gem: RubyGems is no source here; add its file (sheaf add ${name}-${version}.gem) or its repository`;
      found.push({ ecosystem: 'gem', name, version, why });
    }
    const direct = section === 'DEPENDENCIES' ? /^ {2}([\w.-]+)/.exec(line)?.[1] : undefined;
    if (direct !== undefined) wanted.add(direct);
  }
  return found.filter(({ name }) => transitive || wanted.size === 0 || wanted.has(name));
}

/** Of a PHP package its repository at the version can be had. `manifest`: composer.json, if it is there. */
export function parseComposerLock(
  text: string,
  file: string,
  manifest: string | undefined,
  transitive: boolean,
): LockedPackage[] {
  const lock = parseJson(text, file);
  const own = manifest === undefined ? undefined : parseJson(manifest, file.replace(/lock$/, 'json'));
  const wanted = new Set(['require', 'require-dev'].flatMap((group) => Object.keys(record(own?.[group]))));
  return ['packages', 'packages-dev']
    .flatMap((group) => list(lock[group]).map(record))
    .flatMap(({ name, version, source }): LockedPackage[] => {
      if (typeof name !== 'string' || typeof version !== 'string') return [];
      if (!transitive && own !== undefined && !wanted.has(name)) return [];
      const { type, url, reference } = record(source);
      const found = { ecosystem: 'composer' as const, name, version };
      if (type !== 'git' || typeof url !== 'string' || !/^https:\/\//.test(url))
        return [{ ...found, why: 'a PHP package without a public git repository in the lock file' }];
      const ref = /^dev-|-dev$/.test(version) && typeof reference === 'string' ? reference : version;
      return [{ ...found, repository: { url, ref } }];
    });
}
