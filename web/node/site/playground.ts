/**
 * The files of the playground: a page that packs the site in the browser, under rules that its owner edits there
 * (decision 52). They are the same for `sheaf serve DIR --playground` and for a folder that any host serves.
 *
 * Limits: 256 MiB of pages, since a browser holds them all.
 */
import { isUtf8 } from 'node:buffer';
import { cp, mkdir, readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CliError, EXIT } from '../base/exit.js';
import { canAccess, writeAtomically } from '../base/files.js';
import { TABLE_FILE } from '../client/paths.js';
import { collectionRequests, type SiteRequest } from './pack_collections.js';
import { FOLDER, walk } from './deploy.js';
import { isHtml, pathBelow } from './files.js';
import { siteSettings, WHILE_WRITING } from './pack_site.js';
import { PLAYGROUND_LOOKS, PLAYGROUND_PAGE } from './playground_page.js';
import { RULES_FILE } from '../../browser/client/rules_file.js';

const MAX_BYTES = 256 * 2 ** 20;
const BROWSER = fileURLToPath(new URL('../../browser', import.meta.url));
const PACKER = join(BROWSER, 'packer', 'sheaf-packer.wasm');
const NOTICES = fileURLToPath(new URL('../../THIRD_PARTY_NOTICES.txt', import.meta.url));

type PlaygroundFile = { text: string } | { file: string } | { folder: string };

/** What is the same for every site, by its path. */
export const PLAYGROUND_FILES: ReadonlyMap<string, PlaygroundFile> = new Map<string, PlaygroundFile>([
  ['index.html', { text: PLAYGROUND_PAGE }],
  ['playground.css', { text: PLAYGROUND_LOOKS }],
  ...['playground', 'packer', 'client', 'core', 'convert'].map(
    (name) => [`dist/browser/${name}`, { folder: join(BROWSER, name) }] as const,
  ),
  ['models/minilm-l6-256.sheaf', { file: TABLE_FILE }],
]);

/** What the packer reads no HTML with: readers of other formats, declarations. */
export function isOfPlayground(path: string): boolean {
  if (/\.d\.m?ts$|\.txt$/.test(path)) return false;
  const folders = path.split(/[/\\]/);
  const name = folders.pop() ?? '';
  const at = folders.lastIndexOf('convert');
  return at < 0 || name === 'yaml.mjs' || !(folders[at + 1] === 'api' || name.endsWith('.mjs'));
}

/** Error: the packer's module is not built. */
export async function requireModule(): Promise<void> {
  if (await canAccess(PACKER)) return;
  throw new CliError(EXIT.NO_PACKER, `The playground packs in the browser, and its packer is missing: ${PACKER}`);
}

/** The site as the page wants it (SiteData of web/browser/playground/site.ts). Error: CliError. */
export async function playgroundData(request: SiteRequest): Promise<Buffer> {
  const { site, rules, library } = request;
  const files: { path: string; text?: string; base64?: string }[] = [];
  let bytes = 0;
  for (const path of (await walk(site)).filter(isHtml)) {
    const name = pathBelow(site, path);
    if (name.startsWith(`${FOLDER}/`)) continue;
    const content = await readFile(path);
    bytes += content.length;
    if (bytes > MAX_BYTES)
      throw new CliError(
        EXIT.FAILURE,
        `The playground takes ${MAX_BYTES / 2 ** 20} MiB of pages, and ${site} has more. Name a part of it with --include, or a folder below it.`,
      );
    files.push({
      path: name,
      ...(isUtf8(content) ? { text: content.toString('utf8') } : { base64: content.toString('base64') }),
    });
  }
  const collections = (await collectionRequests(request)).map((each) => {
    const name = [each.version === request.version ? undefined : each.version, each.language];
    return {
      label: name.filter((part) => part !== undefined).join(', ') || library,
      folder: each.folder ? each.folder.replace(/\/?$/, '/') : '',
      settings: { ...siteSettings(each), ...WHILE_WRITING },
    };
  });
  return Buffer.from(JSON.stringify({ title: library, rules: await rulesText(site, rules), collections, files }));
}

async function rulesText(site: string, rules: string | undefined): Promise<string> {
  if (rules === 'none') return '';
  return readFile(rules ?? join(site, RULES_FILE), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' && rules === undefined) return '';
    throw new CliError(EXIT.NOT_FOUND, `The rules cannot be read: ${error.message}`);
  });
}

/** Writes the playground into a folder of its own, for any host. Returns its path. Error: the folder holds other files. */
export async function writePlayground(folder: string, request: SiteRequest): Promise<void> {
  await requireModule();
  const isThere = (await stat(folder).catch(() => undefined)) !== undefined;
  if (isThere && !(await canAccess(join(folder, 'playground.css'))) && (await walk(folder)).length > 0)
    throw new CliError(EXIT.FAILURE, `${folder} holds other files than a playground; name a new folder.`);
  const data = await playgroundData(request);
  for (const [name, file] of PLAYGROUND_FILES) {
    const target = join(folder, name);
    await mkdir(dirname(target), { recursive: true });
    if ('text' in file) await writeAtomically(target, file.text);
    else await cp('file' in file ? file.file : file.folder, target, { recursive: true, filter: isOfPlayground });
  }
  if (await canAccess(NOTICES)) await cp(NOTICES, join(folder, 'THIRD_PARTY_NOTICES.txt'));
  await writeAtomically(join(folder, 'data.json'), data);
}
