/**
 * Documentation from a git repository, with the user's own git: one commit, only the blobs of
 * documentation files, no hooks, no prompts, no submodules, no large-file filters.
 *
 *     ls-remote  ->  which commit            fetch --depth 1 --filter=blob:none  ->  its trees
 *     sparse-checkout, checkout  ->  the documentation files below the chosen paths
 *
 * git itself follows no redirects here: we resolve them first, hop by hop, under the guard.
 *
 *     FOLDER/git    the repository        FOLDER/tree    its files, and nothing else: what is packed
 *
 * So no link in the tree reaches the repository's configuration. The configuration holds no password
 * either: git gets an address's user and password through environment variables while it runs.
 */
import { existsSync, lstatSync } from 'node:fs';
import { mkdir, realpath, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '../base/paths.js';
import { fillFromCheckout } from './api_pages.js';
import { lastWords, runCommand, type CommandResult } from './command.js';
import { parseGitAddress, repositoryName, type Credentials, type GitAddress } from './git_url.js';
import { Guard } from './guard.js';
import { Fetcher } from './http.js';
import { findIncluded } from './includes.js';
import { SourceError, withoutCredentials, type Fetched, type SourceContext } from './source.js';
import { hashFiles } from './walk.js';
import { withoutEndSlashes } from '../base/slashes.js';

export interface GitSpec {
  repo_url: string;
  docs_paths?: string[];
  /** Tag, branch or commit; by default what the address names, else the default branch. */
  ref?: string;
}

const ADVICE = 'Install git (https://git-scm.com), or give a folder or a sitemap instead.';
const DOC_PATTERNS = [
  '*.[mM][dD]',
  '*.[mM][dD][xX]',
  '*.[rR][sS][tT]',
  '*.[tT][xX][tT]',
  '*.[hH][tT][mM]',
  '*.[hH][tT][mM][lL]',
  '*.[iI][pP][yY][nN][bB]',
  'README*',
  'readme',
];

export async function fetchGit(spec: GitSpec, context: SourceContext): Promise<Fetched> {
  const address = parseGitAddress(spec.repo_url);
  const git = await openRepository(address, context);
  const refs = await git.refs();
  const { ref, path } = chooseRef(spec.ref, address.rest, refs, git.name);
  const found = resolveRef(ref, refs, git.name, context);
  const version = found.isDefault ? 'latest' : found.name.replaceAll('/', '-');
  const paths = docsPaths([...(spec.docs_paths ?? []), ...(path === '' ? [] : [path])]);
  const shared = {
    library: repositoryName(address),
    version,
    revision: found.commit,
    root: git.tree,
    urlStyle: 'keep' as const,
    noIgnore: false,
  };
  const baseUrl = pagesAt(address, found);
  if (context.known === found.commit) return { ...shared, baseUrl, inputs: [], unchanged: true };
  context.say(`Fetching ${git.name} at ${found.name} (${found.commit.slice(0, 12)})`);
  await git.fetch(found);
  const patterns = sparsePatterns(paths);
  await git.checkout(patterns);
  const inputs = await checkInputs(git, paths, found.name);
  const included = await git.checkoutIncluded(patterns, inputs, context.signal);
  const sources = async (): Promise<string[]> => {
    const own = [...patterns, ...included.map((path) => `/${escapePattern(path)}`)];
    await git.checkout([...own, '*.py', '*.pyi']);
    // A link may lead anywhere, so links are no source.
    const isFile = (path: string): boolean =>
      lstatSync(join(git.tree, path), { throwIfNoEntry: false })?.isFile() ?? false;
    return (await git.files()).filter((path) => /\.pyi?$/.test(path) && isFile(path));
  };
  return fillFromCheckout({ ...shared, baseUrl, inputs, included }, sources, context);
}

/** An empty repository that knows the address, after all checks. Errors: the address is refused. */
export async function openRepository(address: GitAddress, context: SourceContext): Promise<Git> {
  const git = new Git(address, context, await guardAddress(address, context));
  await git.init();
  return git;
}

/** What git connects to. */
interface Target {
  /** The address after all redirects. */
  repo: string;
  /** For http.curloptResolve: the host's checked addresses, so that git does not resolve the name again. */
  resolve?: string;
}

/** Errors: the address, or one that it redirects to, is private. */
async function guardAddress(address: GitAddress, context: SourceContext): Promise<Target> {
  if (address.url === undefined) {
    if (!context.trusted)
      throw new SourceError(
        'failed',
        `${address.repo} is refused: a list of sources may not name repositories on this machine; give it with --source.`,
      );
    return { repo: address.repo };
  }
  const guard = new Guard(context.allowPrivate, context.trusted ? address.url : undefined);
  await guard.checkHost(address.url);
  if (address.protocol === 'ssh') return { repo: address.repo };
  const repo = await endOfRedirects(address, guard, context);
  const url = new URL(repo);
  const addresses = await guard.checkHost(url);
  if (addresses.length === 0) return { repo };
  const port = url.port || (url.protocol === 'https:' ? '443' : '80');
  return {
    repo,
    resolve: `${url.hostname}:${port}:${addresses.map((one) => (one.includes(':') ? `[${one}]` : one)).join(',')}`,
  };
}

async function endOfRedirects(address: GitAddress, guard: Guard, context: SourceContext): Promise<string> {
  const fetcher = new Fetcher(guard, context.signal, context.say);
  const suffix = '/info/refs?service=git-upload-pack';
  try {
    const reply = await fetcher.get(address.repo + suffix, { timeoutMs: 30_000, maxBytes: 1024, truncate: true });
    const moved =
      reply.url.endsWith(suffix) &&
      new URL(reply.url).origin + new URL(reply.url).pathname !== address.repo + suffix.split('?')[0];
    return moved ? withoutCredentials(reply.url.slice(0, -suffix.length)) : address.repo;
  } catch (error) {
    if (context.signal.aborted || (error instanceof SourceError && error.message.includes('is refused'))) throw error;
    return address.repo; // git reports the error better, or knows a proxy
  } finally {
    fetcher.close();
  }
}

// ---- refs -----------------------------------------------------------------------------------------

export interface Refs {
  /** The default branch, or undefined. */
  head?: { commit: string; branch?: string };
  tags: Map<string, string>;
  branches: Map<string, string>;
}

/** The output of `git ls-remote --symref`. Pure. */
export function parseRefs(output: string): Refs {
  const refs: Refs = { tags: new Map(), branches: new Map() };
  let branch: string | undefined;
  for (const line of output.split('\n')) {
    const symbolic = /^ref: refs\/heads\/(\S+)\tHEAD$/.exec(line);
    if (symbolic !== null) branch = symbolic[1] as string;
    const match = /^([0-9a-f]{40}|[0-9a-f]{64})\t(?:(HEAD)|refs\/(tags|heads)\/(\S+))$/.exec(line);
    if (match === null) continue;
    const [, commit, head, kind, name] = match as unknown as [
      string,
      string,
      string | undefined,
      string | undefined,
      string,
    ];
    if (head !== undefined) refs.head = { commit };
    else if (kind === 'heads') refs.branches.set(name, commit);
    else if (name.endsWith('^{}'))
      refs.tags.set(name.slice(0, -3), commit); // an annotated tag's commit
    else if (!refs.tags.has(name)) refs.tags.set(name, commit);
  }
  if (refs.head !== undefined && branch !== undefined) refs.head.branch = branch;
  return refs;
}

/** A requested version overrides the ref in the address; the path of the address stays. */
export function chooseRef(
  asked: string | undefined,
  rest: readonly string[],
  refs: Refs,
  name: string,
): { ref: string | undefined; path: string } {
  if (rest.length === 0) return { ref: asked, path: '' };
  for (let length = rest.length; length > 0; length--) {
    const ref = rest.slice(0, length).join('/');
    if (refs.branches.has(ref) || refs.tags.has(ref) || isCommit(ref))
      return { ref: asked ?? ref, path: rest.slice(length).join('/') };
  }
  if (asked !== undefined) return { ref: asked, path: rest.slice(1).join('/') };
  throw new SourceError('missing', `${name} has no branch or tag '${rest[0] ?? ''}'.`);
}

export interface FoundRef {
  name: string;
  commit: string;
  /** The argument for `git fetch`. */
  fetch: string;
  isDefault: boolean;
}

/** Exact name first, then with or without a leading `v`; tags before branches. */
export function resolveRef(
  wanted: string | undefined,
  refs: Refs,
  name: string,
  { compareVersions }: Pick<SourceContext, 'compareVersions'>,
): FoundRef {
  const { head } = refs;
  if (wanted === undefined || wanted === 'latest' || wanted === head?.branch) {
    if (head !== undefined) return { name: head.branch ?? 'HEAD', commit: head.commit, fetch: 'HEAD', isDefault: true };
    if (wanted !== 'latest' && wanted !== undefined)
      throw new SourceError('missing', `${name} has no branch '${wanted}'.`);
    throw new SourceError('missing', `${name} is empty: it has no default branch.`);
  }
  for (const candidate of [wanted, wanted.startsWith('v') ? wanted.slice(1) : `v${wanted}`]) {
    for (const [kind, known] of [
      ['tags', refs.tags],
      ['heads', refs.branches],
    ] as const) {
      const commit = known.get(candidate);
      if (commit !== undefined)
        return { name: candidate, commit, fetch: `refs/${kind}/${candidate}`, isDefault: false };
    }
  }
  if (isCommit(wanted)) return { name: wanted, commit: wanted, fetch: wanted, isDefault: false };
  const newest = [...refs.tags.keys()].sort(compareVersions).reverse().slice(0, 10);
  throw new SourceError(
    'missing',
    `Version '${wanted}' is neither a tag nor a branch of ${name}.${newest.length > 0 ? ` Newest tags: ${newest.join(', ')}` : ' It has no tags.'}`,
  );
}

function isCommit(ref: string): boolean {
  return /^([0-9a-f]{40}|[0-9a-f]{64})$/.test(ref);
}

// ---- git ------------------------------------------------------------------------------------------

export class Git {
  readonly name: string;
  /** The folder of the checked-out files. */
  readonly tree: string;
  readonly #address: GitAddress;
  readonly #context: SourceContext;
  readonly #repo: string;
  readonly #resolve: string | undefined;
  readonly #store: string;

  constructor(address: GitAddress, context: SourceContext, { repo, resolve }: Target) {
    this.name = address.repo;
    this.tree = join(context.folder, 'tree');
    this.#store = join(context.folder, 'git');
    this.#address = address;
    this.#context = context;
    this.#repo = repo;
    this.#resolve = resolve;
  }

  /** Creates an empty repository. Every command runs in it, so that git does not search for another one. */
  async init(): Promise<void> {
    await mkdir(this.tree);
    await this.#must(['init', '--quiet', '--template='], 'could not be set up');
    await this.#must(['remote', 'add', 'origin', this.#repo], 'could not be set up');
  }

  async refs(): Promise<Refs> {
    const { stdout } = await this.#must(
      ['ls-remote', '--symref', 'origin', 'HEAD', 'refs/heads/*', 'refs/tags/*'],
      'cannot be read',
    );
    return parseRefs(stdout);
  }

  /** Fetches one commit and its trees; its files come with `checkout` and `show`. */
  async fetch(found: FoundRef): Promise<void> {
    const fetch = [
      'fetch',
      '--quiet',
      '--depth=1',
      '--filter=blob:none',
      '--no-tags',
      '--no-recurse-submodules',
      'origin',
      found.fetch,
    ];
    await this.#must(fetch, `could not be fetched at ${found.name}`);
  }

  /** Puts the files that match into `tree`, beside those that are there. */
  async checkout(patterns: readonly string[]): Promise<void> {
    await this.#must(
      ['sparse-checkout', 'set', '--no-cone', '--stdin'],
      'could not be set up',
      `${patterns.join('\n')}\n`,
    );
    const { stderr } = await this.#must(['checkout', '--quiet', '--detach', 'FETCH_HEAD'], 'could not be checked out');
    for (const [, path, reason] of stderr.matchAll(/^error: unable to create file (.*): (.*)$/gm))
      this.#context.warn(`Left out: ${path?.slice(0, 200)}: ${reason}`);
  }

  /** Adds the files that the pages of `inputs` include, which `patterns` left out, and returns their paths. */
  async checkoutIncluded(
    patterns: readonly string[],
    inputs: readonly string[],
    signal: AbortSignal,
  ): Promise<string[]> {
    const pages = (await hashFiles(this.tree, inputs, true, signal)).keys();
    const all = new Set<string>();
    let wanted = [...patterns];
    return findIncluded(this.tree, pages, async (candidates) => {
      if (candidates.length === 0) return [];
      if (all.size === 0) for (const path of await this.files()) all.add(path);
      const there = candidates.filter((path) => all.has(path));
      wanted = [...wanted, ...there.map((path) => `/${escapePattern(path)}`)];
      if (there.length > 0) await this.checkout(wanted);
      return there;
    });
  }

  /** Names at the top of what was fetched. */
  async topLevel(): Promise<string[]> {
    const { stdout } = await this.#must(['ls-tree', '--name-only', 'FETCH_HEAD'], 'cannot be listed');
    return stdout.split('\n').filter((name) => name !== '');
  }

  /** Paths of all files of what was fetched. Names that are not UTF-8 are left out. */
  async files(): Promise<string[]> {
    const { stdout } = await this.#must(['ls-tree', '-r', '-z', '--name-only', 'FETCH_HEAD'], 'cannot be listed');
    return stdout.split('\0').filter((path) => path !== '' && !path.includes('\ufffd'));
  }

  /** The text of one file of what was fetched. */
  async show(path: string): Promise<string> {
    return (await this.#must(['cat-file', 'blob', `FETCH_HEAD:${path}`], `has no ${path}`)).stdout;
  }

  async #must(args: readonly string[], what: string, input?: string): Promise<CommandResult> {
    const safe = [
      'core.hooksPath=/dev/null',
      'http.followRedirects=false',
      'http.lowSpeedLimit=100',
      'http.lowSpeedTime=60',
      'gc.auto=0',
      'advice.detachedHead=false',
    ];
    if (this.#resolve !== undefined) safe.push(`http.curloptResolve=${this.#resolve}`);
    const own = [`--git-dir=${this.#store}`, `--work-tree=${this.tree}`];
    const { folder, signal, env, say } = this.#context;
    const { protocol, credentials } = this.#address;
    const given = this.#repo === this.#address.repo ? credentials : undefined; // they are for the typed address only
    const result = await runCommand('git', [...safe.flatMap((setting) => ['-c', setting]), ...own, ...args], ADVICE, {
      folder,
      signal,
      say,
      env: {
        ...gitEnvironment(env, protocol),
        GIT_CEILING_DIRECTORIES: folder,
        ...credentialVariables(this.#repo, given),
      },
      ...(input === undefined ? {} : { input }),
    });
    if (result.code === 0) return result;
    throw new SourceError(
      'failed',
      `${this.name} ${what}: ${lastWords(result.stderr).replaceAll(this.#repo, this.name) || `git ended with ${result.code}`}`,
    );
  }
}

/** Our environment, without the variables that an enclosing git command set for its own repository. */
function gitEnvironment(env: NodeJS.ProcessEnv, protocol: string): NodeJS.ProcessEnv {
  const kept =
    /^GIT_(SSH|SSH_COMMAND|SSH_VARIANT|SSL_.*|CONFIG_GLOBAL|CONFIG_SYSTEM|CONFIG_NOSYSTEM|EXEC_PATH|PROXY_.*|TRACE.*|CURL_VERBOSE)$/;
  const clean = Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('GIT_') || kept.test(key)));
  return {
    ...clean,
    LC_ALL: 'C',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GCM_INTERACTIVE: 'never',
    GIT_LFS_SKIP_SMUDGE: '1',
    GIT_ALLOW_PROTOCOL: protocol,
    GIT_SSH_COMMAND: env['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes',
  };
}

/** Prints the two lines that git expects of a credential helper, from variables that other users cannot see. */
const HELPER =
  '!f() { test "$1" = get && printf "username=%s\\npassword=%s\\n" "$SHEAF_GIT_USERNAME" "$SHEAF_GIT_PASSWORD"; }; f';

/** The address's credentials as git configuration in variables, which keeps them out of files and process lists. */
function credentialVariables(repo: string, credentials: Credentials | undefined): NodeJS.ProcessEnv {
  if (credentials === undefined) return {};
  const { username, password } = credentials;
  // An empty helper first resets the list: the user's own helpers are neither asked nor given the password.
  const settings =
    password === undefined
      ? [[`credential.${new URL(repo).origin}.username`, username]]
      : [
          ['credential.helper', ''],
          ['credential.helper', HELPER],
        ];
  const variables = settings.flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    GIT_CONFIG_COUNT: String(settings.length),
    ...Object.fromEntries(variables),
    ...(password === undefined ? {} : { SHEAF_GIT_USERNAME: username, SHEAF_GIT_PASSWORD: password }),
  };
}

// ---- paths ----------------------------------------------------------------------------------------

/** Relative paths without `.` or `..`; the whole repository for none, `/` or `.`. */
function docsPaths(given: readonly string[]): string[] {
  const paths = given.map((path) => {
    const parts = path
      .replaceAll('\\', '/')
      .split('/')
      .filter((part) => part !== '' && part !== '.');
    if (parts.includes('..') || parts.includes('.git') || /[\u0000-\u001f]/.test(path)) {
      throw new SourceError(
        'usage',
        `--docs-path ${path}: expected a path within the repository, such as docs or packages/core/README.md.`,
      );
    }
    return parts.join('/');
  });
  return paths.includes('') ? [] : [...new Set(paths)];
}

export function escapePattern(path: string): string {
  return path.replace(/[\\*?[\]!#]/g, '\\$&');
}

/** Documentation files below each path, and the path itself when it is a file. */
export function sparsePatterns(paths: readonly string[]): string[] {
  if (paths.length === 0) return DOC_PATTERNS;
  return paths.flatMap((path) => {
    const escaped = escapePattern(path);
    return [...DOC_PATTERNS.map((pattern) => `/${escaped}/**/${pattern}`), `/${escaped}`].filter(
      (pattern) => pattern !== `/${escaped}` || /\.\w+$|readme[^/]*$/i.test(path),
    );
  });
}

/**
 * The address below which a host shows the files of a ref: /tree/ on GitHub and on hosts that we do not know. A
 * repository on this machine has the addresses of its work tree; a bare one has none, so its pages are named by their
 * paths.
 */
export function pagesAt({ web, protocol, repo }: GitAddress, { name, fetch, isDefault }: FoundRef): string {
  if (protocol === 'file') {
    const base = new URL(`${withoutEndSlashes(repo)}/`);
    const tree = base.pathname.endsWith('/.git/') ? new URL('..', base) : base;
    return isDefault && existsSync(new URL('.git', tree)) ? tree.href : '';
  }
  const ref = name.split('/').map(encodeURIComponent).join('/');
  const { hostname } = new URL(web);
  if (hostname.startsWith('gitlab.')) return `${web}/-/tree/${ref}/`;
  if (hostname === 'bitbucket.org') return `${web}/src/${ref}/`;
  if (hostname === 'git.sr.ht') return `${web}/tree/${ref}/item/`;
  if (hostname === 'codeberg.org' || hostname.startsWith('gitea.')) {
    const kind = fetch.startsWith('refs/tags/') ? 'tag' : isCommit(fetch) ? 'commit' : 'branch';
    return `${web}/src/${kind}/${ref}/`;
  }
  return `${web}/tree/${ref}/`;
}

/** Each path as it will be packed. Links must not lead out of the checkout. */
export async function checkInputs(git: Git, paths: readonly string[], ref: string): Promise<string[]> {
  const folder = git.tree;
  if (paths.length === 0) return [folder];
  const home = await realpath(folder);
  const inputs: string[] = [];
  for (const path of paths) {
    const full = join(folder, path);
    const real = await realpath(full).catch(() => undefined);
    if (real === undefined) {
      const top = await git.topLevel();
      const hint =
        top.length > 0
          ? `There is: ${top.slice(0, 20).join(', ')}`
          : 'Leave --docs-path out to take the whole repository.';
      throw new SourceError('missing', `${git.name} has no documentation in '${path}' at ${ref}. ${hint}`);
    }
    if (!isInside(real, home))
      throw new SourceError('failed', `${git.name}: '${path}' is a link that leads out of the repository.`);
    if ((await stat(real)).isFile() || (await stat(real)).isDirectory()) inputs.push(full);
  }
  return inputs;
}
