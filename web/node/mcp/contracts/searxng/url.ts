/** Addresses in parts, as Python's urlparse gives them; none is refused. */

/** Scheme, host with port, path, params, query, fragment. */
export function parseUrl(text: string): string[] {
  const match = /^(?:([a-z][a-z0-9+.-]*):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/is.exec(text);
  const [, scheme = '', host = '', path = '', query = '', fragment = ''] = match ?? [];
  const [, before = path, params = ''] = /^(.*?);([^/]*)$/s.exec(path) ?? [];
  return [scheme.toLowerCase(), host, before, params, query, fragment];
}

export function fullUrl(parts: readonly string[]): string {
  const [scheme = '', host = '', path = '', params = '', query = '', fragment = ''] = parts;
  const start = (scheme === '' ? '' : `${scheme}:`) + (host === '' ? '' : `//${host}`);
  return start + path + (params && `;${params}`) + (query && `?${query}`) + (fragment && `#${fragment}`);
}

/** Whether a reader may be sent there: a bundle's addresses are a stranger's, and `javascript:` is one. */
export function isLinkable(text: string): boolean {
  const bare = text.replace(/[\u0000-\u0020]/g, ''); // browsers overlook these, also within `javascript:`
  return ['', 'http', 'https', 'ftp', 'file'].includes(parseUrl(bare)[0] as string);
}
