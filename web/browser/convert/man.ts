/**
 * Manual pages, of man and mdoc, to HTML by mandoc, whose own parsers and HTML run as a module (wasm/mandoc).
 *
 * A page that only names another one (`.so man1/other.1`) is an alias, and no page of its own. Other files that a page
 * reads by `.so` are put in its place, if they lie in the tree: below the folder of its section, or beside it.
 *
 * Bounds: MAX_BYTES unpacked, MAX_FILES read by `.so`, 256 MB of the module's memory.
 */
import type { Conversion, Source } from './converter.js';
import { unpacked } from './gzip.js';
import start, { type MandocModule } from './mandoc.mjs';
import { escapeHtml, folderOf, joinPath, textOf } from './text.js';

const MAX_BYTES = 8 * 1024 * 1024;
const MAX_FILES = 100;

export async function convert(source: Source): Promise<Conversion> {
  const text = textOf(await unpacked(source.bytes, MAX_BYTES));
  if (!isManual(text)) return { leftOut: 'no manual page' };
  const alias = aliasOf(text);
  if (alias !== undefined) return { leftOut: 'an alias, which only names another manual page' };
  const { whole, missing } = await withIncludes(text, source);
  const mandoc = await start();
  mandoc.FS.writeFile('/in', new TextEncoder().encode(whole));
  if (convertedAs(mandoc) === 0) return { leftOut: 'no manual page' };
  const html = mandoc.FS.readFile('/out.html', { encoding: 'utf8' });
  const title = titleOf(mandoc.UTF8ToString(mandoc._sheaf_title()), source.path);
  return {
    text: `<!doctype html><html><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body><main>\n<h1>${escapeHtml(title)}</h1>\n${asContent(html)}\n</main></body></html>\n`,
    warnings: missing.length > 0 ? [`it reads files that are missing: ${missing.slice(0, 3).join(', ')}`] : [],
  };
}

/** Error: mandoc gave up, which ends its process. */
function convertedAs(mandoc: MandocModule): number {
  try {
    return mandoc._sheaf_convert();
  } catch {
    throw new Error('mandoc gave up; the page may take more than 256 MB');
  }
}

const isManual = (text: string): boolean => /^\.(?:TH|Dd|so|SH|Sh)\s/m.test(text.slice(0, 65_536));

/** What the page names, if it does nothing else. */
function aliasOf(text: string): string | undefined {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !/^['.]?\\"/.test(line));
  return lines.length === 1 ? /^\.so\s+(\S+)/.exec(lines[0] as string)?.[1] : undefined;
}

async function withIncludes(text: string, source: Source): Promise<{ whole: string; missing: string[] }> {
  const missing: string[] = [];
  let files = 0;
  let size = text.length;
  const expand = async (given: string, open: readonly string[]): Promise<string> => {
    const out: string[] = [];
    for (const line of given.split('\n')) {
      const target = /^\.so\s+(\S+)/.exec(line)?.[1];
      if (target === undefined) {
        out.push(line);
        continue;
      }
      const found = open.includes(target) || ++files > MAX_FILES ? undefined : await find(target, source);
      size += found?.length ?? 0;
      if (found === undefined || size > MAX_BYTES) missing.push(target);
      else out.push(await expand(found, [...open, target]));
    }
    return out.join('\n');
  };
  return { whole: await expand(text, []), missing };
}

/** `man1/x.1` lies below the folder above the page's, where sections are; `x.1` beside the page. */
async function find(target: string, source: Source): Promise<string | undefined> {
  const own = folderOf(source.path);
  for (const folder of [folderOf(own.replace(/\/$/, '')), own]) {
    const path = joinPath(folder, target);
    for (const name of path === undefined ? [] : [path, `${path}.gz`]) {
      const bytes = source.read(name);
      if (bytes !== undefined) return textOf(await unpacked(bytes, MAX_BYTES));
    }
  }
  return undefined;
}

/** As the file spells it where only capitals differ: `LS(1)` of ls.1.gz is `ls(1)`. */
function titleOf(said: string, path: string): string {
  const plain = said.replace(/\\&/g, '');
  const [, name = '', section = ''] = /^(.*)\(([^()]*)\)$/.exec(plain) ?? [];
  const file = path
    .slice(folderOf(path).length)
    .replace(/\.gz$/, '')
    .replace(/\.[^.]*$/, '');
  if (name === '' || name.toLowerCase() === file.toLowerCase()) return section === '' ? file : `${file}(${section})`;
  return plain;
}

/** Without mandoc's head and foot, its headings below the title's, and links of headings to themselves. */
function asContent(html: string): string {
  return html
    .replace(/<table class="(?:head|foot)">[\s\S]*?<\/table>/g, '')
    .replace(/<a class="permalink"[^>]*>([\s\S]*?)<\/a>/g, '$1')
    .replace(/<(\/?)h2\b/g, '<$1h3')
    .replace(/<(\/?)h1\b/g, '<$1h2');
}
