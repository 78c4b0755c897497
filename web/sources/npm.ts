/**
 * README and docs of an npm package at an exact version: the tarball that the user's own npm fetches,
 * so that registries, mirrors, proxies and tokens are those of `npm install`. No script of the package
 * runs.
 */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { readArchive } from './archive.js';
import { lastWords, runCommand } from './command.js';
import { expandPath } from './local.js';
import { isPackageDoc, parseJson, parsePackage, saveDoc } from './package_docs.js';
import { SourceError, type Fetched, type SourceContext } from './source.js';

const ADVICE = 'It comes with Node.js; put it on PATH.';

export async function fetchNpm(spec: { package: string }, context: SourceContext): Promise<Fetched> {
  const isFile = /\.t(ar\.)?gz$/i.test(spec.package);
  const tarball = isFile ? expandPath(spec.package) : await download(spec.package, context);
  const docs = join(context.folder, 'docs');
  let manifest: Record<string, unknown> = {};
  let files = 0;
  for await (const { path, bytes } of readArchive(tarball, (path) => inner(path) === 'package.json' || isPackageDoc(inner(path)))) {
    if (inner(path) === 'package.json') manifest = parseJson(bytes.toString('utf8'), `package.json of ${spec.package}`);
    else {
      await saveDoc(docs, inner(path), bytes);
      files++;
    }
  }
  const { name, version } = manifest;
  if (typeof name !== 'string' || typeof version !== 'string') throw new SourceError('failed', `${spec.package} is no npm package: it holds no package.json with a name and a version.`);
  if (files === 0) throw new SourceError('missing', `npm:${name}@${version} holds no documentation (README, *.md, docs/); try its git repository.`);
  return npmAddress({ name, version, root: docs });
}

/** unpkg.com serves exactly the files of a version, so a page's address leads to its text. */
export function npmAddress({ name, version, root }: { name: string; version: string; root: string }): Fetched {
  return { library: name, version, revision: version, root, inputs: [root], baseUrl: `https://unpkg.com/${name}@${version}/`, urlStyle: 'keep', noIgnore: false };
}

/** Paths in a tarball begin with `package/`, or another folder in old ones. */
function inner(path: string): string {
  return path.slice(path.indexOf('/') + 1);
}

async function download(given: string, { folder, signal, env, say }: SourceContext): Promise<string> {
  const { name, version } = parsePackage('npm', given);
  const spec = `${name}@${version ?? 'latest'}`;
  say(`Fetching npm:${spec}`);
  const args = ['pack', spec, '--ignore-scripts', '--pack-destination', folder, '--loglevel=error', '--no-audit', '--no-update-notifier'];
  const result = await runCommand('npm', args, ADVICE, { signal, env });
  if (result.code !== 0) {
    const missing = /\bE404\b|\bETARGET\b/.test(result.stderr);
    throw new SourceError(missing ? 'missing' : 'failed', `npm:${spec} could not be had: ${lastWords(result.stderr, 2) || `npm ended with ${result.code}`}`);
  }
  const tarball = (await readdir(folder)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new SourceError('failed', `npm pack ${spec} wrote no tarball.`);
  return join(folder, tarball);
}
