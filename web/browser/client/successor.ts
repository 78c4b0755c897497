/**
 * Where a file has gone. `sheaf site` names files by their content (`site-0123456789ab.sheaf`) and lists
 * the current ones in `site.json` beside them. A page that was opened before the last deploy asks for
 * a file that its host may have removed; the file with the same stem has replaced it.
 */

const HASHED = /^([\w.-]+)-([0-9a-f]{12})\.sheaf$/;
/** Lists what a site's search consists of now. */
export const LIST = 'site.json';
const MAX_LIST_CHARACTERS = 1 << 20;

/** Whether a response means that the file is missing: some hosts send an HTML page instead of 404. */
export function isGone(url: string, response: Response): boolean {
  if (response.status === 404 || response.status === 410) return true;
  return response.ok && nameOf(url) !== undefined && /^text\/html\b/i.test(response.headers.get('Content-Type') ?? '');
}

/** The address of the file that replaced the one at `url`; undefined when there is none, or it cannot be learned. */
export async function successorOf(
  url: string,
  fetch: typeof globalThis.fetch,
  signal?: AbortSignal,
): Promise<string | undefined> {
  const name = nameOf(url);
  if (name === undefined) return undefined;
  try {
    const response = await fetch(new URL(LIST, url).href, {
      cache: 'no-cache',
      ...(signal === undefined ? {} : { signal }),
    });
    const text = response.ok ? await response.text() : '';
    if (text.length > MAX_LIST_CHARACTERS) return undefined;
    const { files } = JSON.parse(text) as { files: unknown[] };
    const stem = HASHED.exec(name)?.[1];
    const found = files.find((file) => typeof file === 'string' && file !== name && HASHED.exec(file)?.[1] === stem);
    return found === undefined ? undefined : new URL(found as string, url).href;
  } catch {
    return undefined; // not made by `sheaf site`, or the network failed again: report the first error
  }
}

/** The hash that a file carries in its name. */
export function hashOf(url: string): string | undefined {
  return HASHED.exec(nameOf(url) ?? '')?.[2];
}

/** The file's name, where it carries a hash. */
function nameOf(url: string): string | undefined {
  const name =
    url
      .replace(/[?#].*$/s, '')
      .split('/')
      .pop() ?? '';
  return HASHED.test(name) ? name : undefined;
}
