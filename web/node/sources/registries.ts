/**
 * Which registry a package of a lock file came from, and whether the user's own npm, pip, cargo or Maven would ask that one. A project
 * may use a private registry by its own settings, which do not count here (command.ts). Then the name of a package is not
 * asked of another registry: it would tell the public one a private name, and might bring another's package.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cargoSettings, isPublicIndex } from './crate.js';
import { loadYaml } from './lock_formats.mjs';
import { parseToml } from './toml.js';
import type { LockedPackage } from './lockfile.js';
import { mavenRepositories } from './maven.js';
import { npmSettings, registryFor } from './npm.js';
import { pipSettings } from './pip.js';
import type { SourceContext } from './source.js';

type Settings = Record<string, unknown>;
type Options = Pick<SourceContext, 'folder' | 'signal' | 'env' | 'say'>;

const MAX_BYTES = 1 << 20;

/** Judges the packages of one project. Reads the settings of a tool when the first package needs them. */
export class Registries {
  readonly #base: string;
  readonly #text: string;
  readonly #options: Options;
  #npm: Promise<Settings> | undefined;
  #pip: Promise<string[]> | undefined;
  #cargo: ReturnType<typeof cargoSettings> | undefined;
  #maven: ReturnType<typeof mavenRepositories> | undefined;
  #ofProject: Promise<{ npm(name: string): string | undefined; pypi: string[] }> | undefined;

  /** `base`: the folder of the lock file. `text`: the file's own, if it is one of pip's. */
  constructor(base: string, text: string, options: Options) {
    this.#base = base;
    this.#text = text;
    this.#options = options;
  }

  /** Why the package is not asked for; undefined if it may be. */
  async objection({ ecosystem, name, registry }: LockedPackage): Promise<string | undefined> {
    this.#ofProject ??= readProject(this.#base, this.#text);
    const project = await this.#ofProject;
    if (ecosystem === 'npm') {
      this.#npm ??= npmSettings(this.#options);
      const own = registryFor(name, await this.#npm);
      const stated = registry ?? project.npm(name);
      return stated === undefined || hostOf(stated) === hostOf(own) ? undefined : refusal(stated, 'npm', own);
    }
    if (ecosystem !== 'pypi') return this.#ofBuild(ecosystem, registry);
    this.#pip ??= pipSettings(this.#options).then(({ indexes, noIndex }) => (noIndex ? [] : indexes));
    const own = (await this.#pip).map(hostOf);
    const stated = registry === undefined ? project.pypi : [registry];
    const other = stated.find((address) => !own.includes(hostOf(address)));
    return other === undefined ? undefined : refusal(other, 'pip', (await this.#pip).join(', ') || 'no index');
  }

  /** Of cargo and Maven. Which modules Go asks nobody for is decided where they are fetched (go.ts). */
  async #ofBuild(ecosystem: LockedPackage['ecosystem'], stated: string | undefined): Promise<string | undefined> {
    if (stated === undefined) return undefined;
    if (ecosystem === 'crate') {
      this.#cargo ??= cargoSettings(this.#options);
      const { index } = await this.#cargo;
      return isPublicIndex(stated) || hostOf(stated) === hostOf(index) ? undefined : refusal(stated, 'cargo', index);
    }
    if (ecosystem !== 'maven') return undefined;
    this.#maven ??= mavenRepositories(this.#options);
    const own = (await this.#maven).map(({ url }) => url);
    return own.some((url) => hostOf(url) === hostOf(stated)) ? undefined : refusal(stated, 'Maven', own.join(', '));
  }
}

function refusal(stated: string, tool: string, own: string): string {
  return `not installed, and it comes from ${hostOf(stated)}, while your ${tool} asks ${hostOf(own)}; install it, or set that registry for ${tool}`;
}

/** Hosts that serve the same registry count as one. */
function hostOf(address: string): string {
  if (!URL.canParse(address)) return address;
  const { host } = new URL(address);
  if (host === 'registry.yarnpkg.com' || host === 'registry.npmjs.com') return 'registry.npmjs.org';
  return host === 'files.pythonhosted.org' || host === 'pypi.python.org' ? 'pypi.org' : host;
}

/** What the project's own files say of registries. */
async function readProject(
  base: string,
  requirements: string,
): Promise<{ npm(name: string): string | undefined; pypi: string[] }> {
  const read = async (name: string): Promise<string> =>
    readFile(join(base, name), 'utf8').then(
      (text) => text.slice(0, MAX_BYTES),
      () => '',
    );
  const settings: Settings = {};
  for (const [, key, value] of (await read('.npmrc')).matchAll(/^[ \t]*((?:@[\w.~-]+:)?registry)[ \t]*=[ \t]*(\S+)/gm))
    settings[key as string] = value;
  const yarnrc = record(await quietly(async () => loadYaml(await read('.yarnrc.yml'), null, { json: true })[0]));
  if (typeof yarnrc['npmRegistryServer'] === 'string') settings['registry'] = yarnrc['npmRegistryServer'];
  for (const [scope, entry] of Object.entries(record(yarnrc['npmScopes'])))
    settings[`@${scope}:registry`] = record(entry)['npmRegistryServer'];
  const bun = record(record(await quietly(async () => parseToml(await read('bunfig.toml'))))['install']);
  const address = (entry: unknown): unknown => (typeof entry === 'string' ? entry : record(entry)['url']);
  if (bun['registry'] !== undefined) settings['registry'] = address(bun['registry']);
  for (const [scope, entry] of Object.entries(record(bun['scopes'])))
    settings[`@${scope.replace(/^@/, '')}:registry`] = address(entry);
  const npm = (name: string): string | undefined => {
    const scope = name.startsWith('@') ? `${name.slice(0, name.indexOf('/'))}:registry` : 'registry';
    return settings[scope] === undefined && settings['registry'] === undefined
      ? undefined
      : registryFor(name, settings);
  };

  const tool = record(record(await quietly(async () => parseToml(await read('pyproject.toml'))))['tool']);
  const sources = [record(tool['uv'])['index'], record(tool['poetry'])['source'], record(tool['pdm'])['source']];
  const listed = sources.flatMap((list) => (Array.isArray(list) ? list : [])).map((entry) => record(entry)['url']);
  const lines = [...requirements.matchAll(/^[ \t]*(?:-i|--(?:extra-)?index-url)[ =][ \t]*(\S+)/gm)].map(
    ([, url]) => url,
  );
  return { npm, pypi: [...listed, ...lines].filter((url): url is string => typeof url === 'string') };
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

/** undefined for a file that is broken: its own tool will say so. */
async function quietly(read: () => Promise<unknown>): Promise<unknown> {
  return read().catch(() => undefined);
}
