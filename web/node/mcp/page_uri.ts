/**
 * Names of pages as MCP resources: `sheaf://LIBRARY/VERSION/PAGE`, PAGE being the page's path in the
 * packed folder. Library and version are percent-encoded, PAGE keeps its slashes:
 * `sheaf://%40vue%2Fcore/3.5/guide/start.md`.
 */
export const PAGE_TEMPLATE = 'sheaf://{library}/{version}/{+page}';

const MAX_URI = 4096;

export interface PageName {
  library: string;
  version: string;
  page: string;
}

export function pageUri({ library, version, page }: PageName): string {
  return `sheaf://${encodeURIComponent(library)}/${encodeURIComponent(version)}/${page.split('/').map(encodeURIComponent).join('/')}`;
}

/** Undefined for anything that `pageUri` could not have made. Nothing of it is ever a path. */
export function parsePageUri(uri: string): PageName | undefined {
  const match = uri.length > MAX_URI ? null : /^sheaf:\/\/([^/]+)\/([^/]+)\/(.+)$/su.exec(uri);
  if (match === null) return undefined;
  try {
    const [library, version, page] = match.slice(1).map(decodeURIComponent) as [string, string, string];
    return { library, version, page };
  } catch {
    return undefined; // a stray percent sign
  }
}
