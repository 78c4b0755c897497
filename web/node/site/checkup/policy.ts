/**
 * Content security policies, as far as the search is concerned: may its code run, and may it read its bundle?
 *
 * Follows CSP level 3 for what is asked here. A page may have several policies; each of them must allow a thing.
 */

type Directives = ReadonlyMap<string, readonly string[]>;

/** The policies of a header's value, or of a `<meta>`. Pure. */
export function parsePolicies(value: string): Directives[] {
  return value
    .split(',')
    .map((policy) => {
      const directives = new Map<string, readonly string[]>();
      for (const part of policy.split(';')) {
        const [name, ...sources] = part.trim().split(/\s+/);
        const key = (name ?? '').toLowerCase();
        if (key !== '' && !directives.has(key)) directives.set(key, sources); // a second one is ignored
      }
      return directives;
    })
    .filter((directives) => directives.size > 0);
}

export interface Wanted {
  page: URL;
  /** sheaf.js, and whether its tag carries a nonce or a hash. */
  script: URL;
  isTrusted: boolean;
  /** What is fetched: bundles, tables, lists. */
  data: readonly URL[];
}

/** What the policies forbid, each as what to add: `script-src 'wasm-unsafe-eval'`. Pure. */
export function missingFrom(policies: readonly Directives[], { page, script, isTrusted, data }: Wanted): string[] {
  const missing = new Set<string>();
  for (const policy of policies) {
    const of = (...names: string[]): readonly string[] | undefined =>
      names.map((name) => policy.get(name)).find((sources) => sources !== undefined);
    const need = (sources: readonly string[] | undefined, url: URL, directive: string): void => {
      if (sources !== undefined && !allows(sources, url, page))
        missing.add(`${directive} ${url.origin === page.origin ? "'self'" : url.origin}`);
    };
    const scripts = of('script-src', 'default-src');
    const has = (keyword: string): boolean => scripts?.some((each) => each.toLowerCase() === keyword) ?? false;
    if (scripts !== undefined && !has("'wasm-unsafe-eval'") && !has("'unsafe-eval'"))
      missing.add("script-src 'wasm-unsafe-eval'");
    if (has("'strict-dynamic'")) {
      if (!isTrusted) missing.add("a nonce or a hash on the tag of sheaf.js, for 'strict-dynamic'");
    } else if (!isTrusted) need(of('script-src-elem', 'script-src', 'default-src'), script, 'script-src');
    const workers = of('worker-src', 'child-src', 'script-src', 'default-src');
    if (workers !== scripts || !has("'strict-dynamic'")) need(workers, script, 'worker-src');
    for (const url of data) need(of('connect-src', 'default-src'), url, 'connect-src');
    const types = policy.get('trusted-types');
    if (policy.has('require-trusted-types-for') && types !== undefined && !types.includes('*')) {
      const names = ['lit-html', 'sheaf'].filter((name) => !types.includes(name));
      if (names.length > 0) missing.add(`trusted-types ${names.join(' ')}`);
    }
  }
  return [...missing];
}

/** Whether a source list allows an address. Pure. */
export function allows(sources: readonly string[], url: URL, page: URL): boolean {
  return sources.some((source) => {
    const text = source.toLowerCase();
    if (text === "'self'") return url.origin === page.origin;
    if (text === '*') return /^https?:$/.test(url.protocol);
    if (/^[a-z][a-z0-9+.-]*:$/.test(text)) return isScheme(text, url);
    const match = /^(?:([a-z][a-z0-9+.-]*:)\/\/)?(\*|(?:\*\.)?[^/:*]+)(?::(\d+|\*))?(\/[^?#]*)?$/.exec(text);
    if (match === null || text.startsWith("'")) return false;
    const [, scheme = page.protocol, host = '', port, path] = match;
    if (!isScheme(scheme, url)) return false;
    const isHost =
      host === '*' || (host.startsWith('*.') ? url.hostname.endsWith(host.slice(1)) : url.hostname === host);
    if (!isHost) return false;
    const standard = url.protocol === 'https:' ? '443' : '80';
    const own = url.port || standard;
    if (port === undefined ? own !== standard : port !== '*' && port !== own) return false;
    if (path === undefined || path === '/') return true;
    return path.endsWith('/') ? url.pathname.toLowerCase().startsWith(path) : url.pathname.toLowerCase() === path;
  });
}

/** A scheme covers its secure twin. */
function isScheme(scheme: string, url: URL): boolean {
  return url.protocol === scheme || (scheme === 'http:' && url.protocol === 'https:');
}
