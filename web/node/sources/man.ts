/**
 * Manual pages that are installed on this machine, in English: `man:NAME` those of a name, in all sections, with the ones that
 * begin with it (git, git-add); `man:` all. They are copied, and named by the day, as a folder is.
 */
import { copyFile, mkdir, readdir, realpath, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, delimiter, join } from 'node:path';
import { libraryCharacters } from '../../browser/client/names.js';
import { isInside } from '../base/paths.js';
import { isoDay, SourceError, type Fetched, type SourceContext } from './source.js';

const LIMITS = { pages: 100_000, pageBytes: 8 << 20 };
const NAME = /^[\w[][\w.+:@[-]*$/;

/** Error: that cannot be a page's name. */
export function parseManual(text: string): string {
  if (text === '' || (NAME.test(text) && text.length <= 100)) return text;
  throw new SourceError(
    'usage',
    `'man:${text.slice(0, 100)}' names no manual page; expected one such as man:tar, or man: for all.`,
  );
}

export async function fetchMan({ page }: { page: string }, context: SourceContext): Promise<Fetched> {
  const name = parseManual(page);
  const root = join(context.folder, 'man');
  const folders = await manualFolders(context.env);
  const taken = new Set<string>();
  let [copied, unread] = [0, 0];
  for (const folder of folders) {
    for (const section of (await readdir(folder).catch(() => [])).filter((each) => /^man[1-9n]/.test(each)).sort()) {
      for (const file of (await readdir(join(folder, section)).catch(() => [])).sort()) {
        const title = file.replace(/\.[1-9n][^.]*(\.(gz|bz2|xz|zst|lzma|Z))?$/, '');
        if (title === file || (name !== '' && title !== name && !title.startsWith(`${name}-`))) continue;
        context.signal.throwIfAborted();
        const real = await realpath(join(folder, section, file)).catch(() => undefined);
        // A link is another name of a page; one that leads elsewhere is none of ours.
        if (real === undefined || taken.has(real) || !folders.some((home) => isInside(real, home))) continue;
        taken.add(real);
        const stats = await stat(real);
        if (!stats.isFile()) continue;
        if (/\.(bz2|xz|zst|lzma|Z)$/.test(real) || stats.size > LIMITS.pageBytes) {
          unread++;
          continue;
        }
        if (++copied > LIMITS.pages)
          throw new SourceError('failed', `man:${name} has more than ${LIMITS.pages} pages.`);
        await mkdir(join(root, section), { recursive: true });
        await copyFile(real, join(root, section, name === '' ? basename(real) : file));
      }
    }
  }
  if (unread > 0)
    context.warn(`Left out: ${unread} manual pages that are too large, or compressed in another way than gzip`);
  if (copied === 0)
    throw new SourceError(
      'missing',
      `No manual page ${name === '' ? '' : `of '${name}' `}is installed; looked in ${folders.join(', ') || 'no folder'}. MANPATH names others; a Debian package's are had by deb:PACKAGE.`,
    );
  const library = name === '' ? 'man' : libraryCharacters(name).replace(/^[^A-Za-z0-9_]+/, '') || 'man';
  const pages = { root, inputs: [root], baseUrl: '', urlStyle: 'keep' as const, noIgnore: false };
  return { library, version: `local-${isoDay()}`, ...pages };
}

/** MANPATH, in which an empty part stands for the usual folders. Those that exist, links resolved. */
async function manualFolders(env: NodeJS.ProcessEnv): Promise<string[]> {
  const home = env['HOME'] || homedir();
  const usual = [
    ...[join(home, '.local', 'share', 'man'), '/usr/local/share/man', '/usr/local/man'],
    ...['/opt/homebrew/share/man', '/opt/local/share/man', '/usr/share/man'],
  ];
  const stated = env['MANPATH'];
  const listed =
    stated === undefined ? usual : stated.split(delimiter).flatMap((part) => (part === '' ? usual : [part]));
  const found = await Promise.all(listed.map((folder) => realpath(folder).catch(() => undefined)));
  return [...new Set(found.filter((folder) => folder !== undefined))];
}
