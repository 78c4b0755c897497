/**
 * The documentation of a Debian package: what it puts into /usr/share/doc, and its manual pages in English. The user's own apt
 * fetches it, from the sources that it is configured for, and checks it; dpkg-deb only opens it. Nothing is installed, and
 * none of its scripts run.
 *
 *     apt-get download -> dpkg-deb --field, identity checked -> dpkg-deb --fsys-tarfile -> pages
 */
import { readdir, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ARCHIVE_LIMITS } from './archive.js';
import { lastWords, runCommand } from './command.js';
import { checkIdentity, parsePackage, type PackageName, type Releases } from './ecosystems.js';
import { ownPages, withHome } from './package_source.js';
import { webAddress } from './repository.js';
import { SourceError, type Fetched, type PackageSpec, type SourceContext } from './source.js';
import { unpack } from './unpack.js';
import { isDocumentation } from './walk.js';

const ADVICE = 'It comes with Debian and the systems made of it.';

export async function fetchDeb(spec: PackageSpec, context: SourceContext): Promise<Fetched> {
  const asked = parsePackage('deb', spec.package);
  const folder = join(context.folder, 'apt');
  await mkdir(folder);
  const what = asked.version === undefined ? asked.name : `${asked.name}=${asked.version}`;
  context.say(`Fetching deb:${what}`);
  const result = await runCommand('apt-get', ['download', '-q', '--', what], ADVICE, { ...context, cwd: folder });
  const file = (await readdir(folder)).find((name) => name.endsWith('.deb'));
  if (result.code !== 0 || file === undefined) {
    const isMissing = /Unable to locate|was not found|no candidate|No packages found/i.test(result.stderr);
    const why = lastWords(result.stderr, 2) || `apt-get ended with ${result.code}`;
    const advice = isMissing ? ' Its lists may be old: apt-get update' : '';
    throw new SourceError(isMissing ? 'missing' : 'failed', `deb:${what} could not be had: ${why}.${advice}`);
  }
  return readDeb(join(folder, file), context, asked);
}

/** Errors: it is no package, not the one that was `asked` for, or without documentation. */
export async function readDeb(file: string, context: SourceContext, asked?: PackageName): Promise<Fetched> {
  const fields = await fieldsOf(file, context);
  const [name, stated] = [fields.get('package') ?? '', fields.get('version') ?? ''];
  if (name === '' || stated === '')
    throw new SourceError('failed', `${file} is no Debian package: it names no package and version.`);
  if (asked !== undefined) checkIdentity('deb', asked, { name, version: stated });
  const version = stated.replace(/^\d+:/, ''); // an epoch is no part of a file's name either
  const tar = join(context.folder, 'data.tar');
  const options = { ...context, output: tar, maxOutput: ARCHIVE_LIMITS.unpackedBytes };
  const opened = await runCommand('dpkg-deb', ['--fsys-tarfile', file], ADVICE, options);
  if (opened.code !== 0) throw new SourceError('failed', `${file} cannot be unpacked: ${lastWords(opened.stderr)}.`);
  const layout = { inner: (path: string): string | undefined => placeOf(path, name), isDoc, isSource: () => false };
  const unpacked = await unpack(tar, layout, context);
  const facts = { ecosystem: 'deb' as const, name, version };
  const own = ownPages(facts, unpacked, '');
  if (own === undefined) throw new SourceError('missing', `deb:${name} holds no documentation. ${beside(fields)}`);
  const [summary = ''] = (fields.get('description') ?? '').split('\n');
  const about = { description: summary, licence: '', keywords: [] };
  const home = webAddress(fields.get('homepage') ?? '');
  return withHome({ ...own, content: 'package' }, { ...facts, repository: undefined, home, about });
}

/** Where a file of the package goes; undefined: it is no documentation. Its own folder of /usr/share/doc is the top. Pure. */
export function placeOf(path: string, name: string): string | undefined {
  const doc = /^usr\/share\/(?:doc|gtk-doc\/html|javadoc)\/(.+)$/.exec(path)?.[1];
  if (doc !== undefined) return doc.startsWith(`${name}/`) ? doc.slice(name.length + 1) : doc;
  // Translations of manual pages lie in folders of languages.
  return /^usr\/(?:local\/)?share\/(man\/man[^/]+\/[^/]+)$/.exec(path)?.[1];
}

const isDoc = (path: string): boolean =>
  path.startsWith('man/')
    ? /\.[1-9n][a-z]*$/i.test(path)
    : isDocumentation(path) &&
      !/(^|\/)(copyright|licen[cs]e|copying|changelog|changes|news|todo|authors|thanks|credits)\b[^/]*$/i.test(path);

async function fieldsOf(file: string, context: SourceContext): Promise<Map<string, string>> {
  const names = ['Package', 'Version', 'Description', 'Homepage', 'Depends', 'Recommends', 'Suggests'];
  const { code, stdout, stderr } = await runCommand('dpkg-deb', ['--field', file, ...names], ADVICE, context);
  if (code !== 0) throw new SourceError('failed', `${file} is no Debian package: ${lastWords(stderr)}.`);
  const fields = new Map<string, string>();
  for (const [, name, value] of stdout.matchAll(/^([A-Z][\w-]*): (.*(?:\n[ \t].*)*)/gm))
    fields.set((name as string).toLowerCase(), value as string);
  return fields;
}

/** Documentation is often a package of its own, which the package names. */
function beside(fields: ReadonlyMap<string, string>): string {
  const named = ['depends', 'recommends', 'suggests'].map((field) => fields.get(field) ?? '').join(',');
  const found = [...new Set(named.match(/(?<![a-z0-9+.-])[a-z0-9][a-z0-9+.-]*-docs?\b/g))].slice(0, 3);
  return found.length === 0
    ? 'Look for one that does: apt-cache search --names-only doc'
    : `It names ${found.join(', ')}: sheaf add deb:${found[0]}`;
}

/** The versions in apt's lists. One that is published never changes. */
export async function debReleases(name: string, context: SourceContext): Promise<Releases> {
  const { code, stdout, stderr } = await runCommand('apt-cache', ['madison', '--', name], ADVICE, context);
  if (code !== 0) throw new SourceError('failed', `deb:${name} could not be asked about: ${lastWords(stderr)}`);
  const versions = stdout.split('\n').flatMap((line) => line.split('|')[1]?.trim() || []);
  if (versions.length === 0)
    throw new SourceError('missing', `deb:${name} is in none of apt's lists. They may be old: apt-get update`);
  return { versions: [...new Set(versions)], latest: versions[0], identity: (version) => version };
}
