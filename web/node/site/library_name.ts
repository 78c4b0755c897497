/**
 * What a built site is called when nobody says: the name of its folder, unless builders choose that one (`docs/.vitepress/dist`,
 * `public`). Then that of the nearest folder above with something to say: a project file with a name, or a name of its own.
 * Last the title of the start page.
 *
 * Hidden folders are passed over, as are names that say only that there is documentation.
 * Files that cannot be read or parsed are ignored.
 */
import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { libraryCharacters } from '../../browser/client/names.js';

const GENERIC =
  /^(dist|public|build|out|site|_site|html|_build|output|www|docs?|documentation|website|web|src|root|app)$/i;
const MOST_FOLDERS = 4;

/** `site` is an absolute path. */
export async function libraryName(site: string): Promise<string> {
  const own = nameOf(basename(site));
  if (own !== undefined) return own;
  let folder = dirname(site);
  for (let i = 0; i < MOST_FOLDERS && folder !== dirname(folder) && folder !== homedir(); i++) {
    const name = (await projectName(folder)) ?? nameOf(basename(folder));
    if (name !== undefined) return name;
    folder = dirname(folder);
  }
  return (await titleName(site)) ?? 'site';
}

/** Who says what a project is called, and how. */
const SAYINGS: readonly (readonly [file: string, name: (text: string) => unknown])[] = [
  ['package.json', (text) => (JSON.parse(text) as { name?: unknown }).name],
  ['mkdocs.yml', (text) => /^site_name:[ \t]*(["']?)([^\n#]*?)\1[ \t]*(?:#.*)?$/m.exec(text)?.[2]],
  ['pyproject.toml', (text) => /^\[project\]\s(?:(?!\[)[\s\S])*?^name\s*=\s*["']([^"'\n]*)["']/m.exec(text)?.[1]],
];

async function projectName(folder: string): Promise<string | undefined> {
  for (const [file, read] of SAYINGS) {
    try {
      const name = read(await readFile(join(folder, file), 'utf8'));
      const found = typeof name === 'string' ? nameOf(name.replace(/^@[^/]*\//, '')) : undefined;
      if (found !== undefined) return found;
    } catch {
      // it is not there, or says nothing that can be read
    }
  }
  return undefined;
}

async function titleName(site: string): Promise<string | undefined> {
  const html = await readFile(join(site, 'index.html'), 'utf8').catch(() => '');
  const title = /<title\b[^<>]*>([^<]{1,200})</i.exec(html)?.[1] ?? '';
  return nameOf((title.split(/\s[|·–—-]\s/)[0] as string).replace(/&#?\w+;/g, ' '));
}

/** As a library is named; undefined for hidden folders, and where nothing is said. Pure. */
function nameOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (trimmed.startsWith('.') || GENERIC.test(trimmed)) return undefined;
  return (
    libraryCharacters(trimmed)
      .replace(/^[^A-Za-z0-9_]+/, '')
      .replace(/(?<!-)-+$/, '')
      .slice(0, 80) || undefined
  );
}
