/**
 * README and docs of an npm package at an exact version. The user's own npm fetches the tarball, so the
 * user's registries, mirrors, proxies and tokens apply. No script of the package runs, and project-level
 * .npmrc files are ignored.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readArchive } from './archive.js';
import { lastWords, runCommand, type CommandOptions, type CommandResult } from './command.js';
import { expandPath, isPackageFile } from './local.js';
import { isPackageDoc, parseJson, parsePackage, saveDoc } from './package_docs.js';
import { SourceError, type Fetched, type SourceContext } from './source.js';

const ADVICE = 'It comes with Node.js; put it on PATH.';

export async function fetchNpm(spec: { package: string }, context: SourceContext): Promise<Fetched> {
  const tarball = isPackageFile('npm', spec.package) ? expandPath(spec.package) : await download(spec.package, context);
  const docs = join(context.folder, 'docs');
  let manifest: Record<string, unknown> = {};
  let files = 0;
  for await (const { path, bytes } of readArchive(
    tarball,
    (path) => inner(path) === 'package.json' || isPackageDoc(inner(path)),
  )) {
    if (inner(path) === 'package.json') manifest = parseJson(bytes.toString('utf8'), `package.json of ${spec.package}`);
    else if (await saveDoc(docs, inner(path), bytes, context)) files++;
  }
  const { name, version } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string')
    throw new SourceError(
      'failed',
      `${spec.package} is no npm package: it holds no package.json with a name and a version.`,
    );
  if (files === 0)
    throw new SourceError(
      'missing',
      `npm:${name}@${version} holds no documentation (README, *.md, docs/); try its git repository.`,
    );
  return npmAddress({ name, version, root: docs });
}

/** unpkg.com serves exactly the files of a version, so a page's address leads to its text. */
export function npmAddress({ name, version, root }: { name: string; version: string; root: string }): Fetched {
  return {
    library: name,
    version,
    revision: version,
    root,
    inputs: [root],
    baseUrl: `https://unpkg.com/${name}@${version}/`,
    urlStyle: 'keep',
    noIgnore: false,
  };
}

/** Paths in a tarball begin with `package/`, or another folder in old ones. */
function inner(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

/**
 * npm searches upwards from its working directory for a project, with its .npmrc, and for an enclosing workspace. We
 * make its empty folder the project (--prefix), so that it searches no further. Corepack's npm searches for a
 * packageManager in the same way. And an npm that runs `sheaf` as a script names its workspace in variables.
 */
export function runNpm(args: readonly string[], options: CommandOptions): Promise<CommandResult> {
  const own = Object.entries(options.env).filter(
    ([name]) => !/^npm_config_(workspaces?|include_workspace_root|local_prefix)$/i.test(name),
  );
  const env = { ...Object.fromEntries(own), COREPACK_ENABLE_PROJECT_SPEC: '0', COREPACK_ENV_FILE: '0' };
  return runCommand('npm', [...args, '--prefix', '.'], ADVICE, { ...options, env });
}

async function download(given: string, context: SourceContext): Promise<string> {
  const { name, version } = parsePackage('npm', given);
  const spec = `${name}@${version ?? 'latest'}`;
  context.say(`Fetching npm:${spec}`);
  const args = [
    'pack',
    spec,
    '--ignore-scripts',
    '--pack-destination',
    '..',
    '--loglevel=error',
    '--no-audit',
    '--no-update-notifier',
  ];
  const result = await runNpm(args, context);
  if (result.code !== 0) {
    const missing = /\bE404\b|\bETARGET\b/.test(result.stderr);
    throw new SourceError(
      missing ? 'missing' : 'failed',
      `npm:${spec} could not be had: ${lastWords(result.stderr, 2) || `npm ended with ${result.code}`}`,
    );
  }
  const tarball = (await readdir(context.folder)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new SourceError('failed', `npm pack ${spec} wrote no tarball.`);
  return join(context.folder, tarball);
}
