/** Text that several converters need. */

/** Strict UTF-8, else Latin-1, without a byte order mark. Pure. */
export function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('latin1').decode(bytes);
  }
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** As text or an attribute's value of HTML. Pure. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"]/g, (each) => ESCAPES[each] as string);

/** Joins a relative path to a folder (with its slash, or empty). Undefined: it leads above the top. Pure. */
export function joinPath(folder: string, relative: string): string | undefined {
  const parts: string[] = [];
  for (const part of `${folder}${relative}`.split('/')) {
    if (part === '..') {
      if (parts.pop() === undefined) return undefined;
    } else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}

/** The folder of a path, with its slash, or empty. Pure. */
export const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1);

/** A path as it is written in `from`'s folder. Pure. */
export function relativePath(from: string, to: string): string {
  const own = folderOf(from).split('/').slice(0, -1);
  const other = to.split('/');
  let same = 0;
  while (same < own.length && same < other.length - 1 && own[same] === other[same]) ++same;
  return [...own.slice(same).map(() => '..'), ...other.slice(same)].join('/');
}

/** One document of YAML or JSON. Error: it is none. */
export async function readYaml(text: string): Promise<unknown> {
  const { loadYaml, JSON_SCHEMA } = await import('./yaml.mjs');
  return loadYaml(text, { schema: JSON_SCHEMA, json: true });
}
