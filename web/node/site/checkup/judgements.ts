/** What single answers of a host, or all of a kind, mean for the search. Pure. */
import { gzipSync } from 'node:zlib';
import { LIST } from '../../../browser/client/successor.js';
import { formatBytes } from '../../base/terminal.js';
import { ENTRY, FOLDER } from '../deploy.js';
import type { DataFile } from './data_file.js';
import { headerOf, inTime, lifetimeOf, validatorOf, type Finding } from './findings.js';
import { codingOf, decodedBody, typeOf, type Answer } from './visitor.js';

export const MAX_CODE = 4 * 1024 * 1024;
export const SCRIPT_TYPES = /^(?:text|application)\/(?:javascript|x-javascript|ecmascript)$/;
const LONG = 7 * 86_400;
const SHORT = 3600;
const DAY = 86_400;
/** Downloads that a reader notices. */
const MUCH = 1e6;
/** The client takes what is no larger whole (WHOLE_LIMIT of web/browser/client/types.ts). */
const SMALL = 512 * 1024;
/** The client refuses to hold more (web/browser/client/source.ts). */
const TOO_MUCH = 2 ** 30;

export type Part = Omit<Finding, 'name'>;
export const ok = (detail: string): Part => ({ state: 'ok', detail });
export const warn = (detail: string, advice: string): Part => ({ state: 'warn', detail, advice });
export const fail = (detail: string, advice: string): Part => ({ state: 'fail', detail, advice });

/** Of sheaf.js and site.json. */
export function shortCaching({ url, headers }: Answer): Part {
  const lifetime = lifetimeOf(headers);
  const name = nameOf(url.pathname);
  const short = `Send ${ENTRY} and ${LIST} with Cache-Control: no-cache, or a max-age of minutes.`;
  const isForever = /\bimmutable\b/i.test(headers['cache-control'] ?? '');
  if (lifetime === undefined || (lifetime <= SHORT && !isForever)) return ok('');
  const detail = `readers keep ${name} for ${isForever ? 'good' : inTime(lifetime)}, and with it the search of an older deploy`;
  return lifetime > DAY || isForever ? fail(detail, short) : warn(detail, short);
}

export function compression(code: readonly Answer[]): Part[] {
  const large = code.filter(({ status, body }) => status === 200 && body.length > 4096);
  const plain = large.filter(({ headers }) => codingOf(headers) === '');
  const sent = sum(code.map(({ body }) => body.length));
  if (plain.length === 0) {
    const codings = [...new Set(large.map(({ headers }) => codingOf(headers)))].join(' and ');
    return [ok(`code is sent as ${codings || 'it is'}, ${formatBytes(sent)}`)];
  }
  const less = sum(plain.map(({ body }) => body.length - gzipSync(body).length));
  const what = [...new Set(plain.map(({ url }) => `.${url.pathname.split('.').pop()}`))].join(' and ');
  return [
    warn(
      `${what} files come uncompressed: ${formatBytes(sent)} of code, ${formatBytes(sent - less)} with gzip`,
      'Compress .js and .wasm with Brotli or gzip.',
    ),
  ];
}

/** `hasPieces`: the file lies there in pieces too, which readers then read. */
export function ranges({ ranges: found, why, url, size, first, hasPieces }: DataFile): Part {
  const name = nameOf(url.pathname);
  const header = headerOf(first);
  const bytes = size ?? header?.size;
  const whole = bytes === undefined ? 'the whole file' : formatBytes(bytes);
  const wayOut = 'Serve .sheaf files by a host that answers Range requests with 206.';
  switch (found) {
    case 'missing':
      return fail(
        why,
        `Deploy the folder ${FOLDER} whole; some hosts leave out files of unknown types, or large ones.`,
      );
    case 'wrong':
      if (hasPieces)
        return warn(
          `${name}: ${why}; it is read in pieces`,
          'Turn off compression and caching of parts for .sheaf files, on host and CDN alike, or deploy with --pieces only.',
        );
      return fail(
        `${name}: ${why}`,
        'Turn off compression and caching of parts for .sheaf files, on host and CDN alike.',
      );
    case 'ignored':
      if (hasPieces && (bytes ?? MUCH) > SMALL)
        return ok(`ignored; ${name} is read in pieces. With --pieces only, readers lose no time in finding that out`);
      if ((bytes ?? 0) > TOO_MUCH)
        return fail(`${name}: ranges are ignored, and ${whole} is more than a browser holds`, wayOut);
      return (bytes ?? MUCH) >= MUCH
        ? warn(`${name}: ranges are ignored, so every reader's first search downloads ${whole}`, wayOut)
        : ok(`ignored, which costs ${whole}`);
    case 'pieces':
      return ok(`not needed: ${name} lies there in pieces alone`);
    case 'ok':
      if (header !== undefined && header.size !== size)
        return fail(
          `${name} has ${formatBytes(size ?? 0)}, and should have ${formatBytes(header.size)}`,
          'Upload it again, as binary.',
        );
      return ok('206, and the bytes asked for');
  }
}

export function untouched({ url, headers }: Answer): Part {
  const coding = codingOf(headers);
  if (coding === '') return ok('.sheaf files are not compressed again');
  const detail = `${nameOf(url.pathname)} is sent as ${coding}: it is compressed already, and a range of an encoding is no range of the file`;
  return warn(detail, 'Exclude .sheaf from compression, on host and CDN alike.');
}

export function longCaching({ url, status, headers }: Answer): Part {
  const lifetime = lifetimeOf(headers);
  if ((status !== 200 && status !== 206) || (lifetime ?? 0) >= LONG)
    return ok('hashed files for long, the others briefly');
  const isStored = !/\bno-store\b/i.test(headers['cache-control'] ?? '');
  const now = !isStored
    ? 'not at all'
    : lifetime === 0
      ? 'but asked for each time'
      : lifetime === undefined
        ? 'as long as the browser likes'
        : `for ${inTime(lifetime)}`;
  const detail = `${isData(url) ? '.sheaf files' : 'code'} with a hash in the name: kept ${now}`;
  return warn(
    detail,
    `Send ${FOLDER}/code-*/ and ${FOLDER}/*.sheaf with Cache-Control: public, max-age=31536000, immutable.`,
  );
}

export function validators({ url, status, headers }: Answer): Part {
  if (validatorOf(headers) !== '' || (status !== 200 && status !== 206)) return ok('ETag or Last-Modified');
  return warn(
    `${nameOf(url.pathname)} has neither ETag nor Last-Modified`,
    'Send one: a file that is replaced while it is read is noticed by it.',
  );
}

export function cors(own: string, headers: Readonly<Record<string, string | undefined>>, isRead: boolean): Part {
  const allowed = headers['access-control-allow-origin'];
  if (allowed !== '*' && allowed !== own)
    return fail(
      `Access-Control-Allow-Origin is ${allowed ?? 'missing'}`,
      `Send Access-Control-Allow-Origin: * or ${own}.`,
    );
  const exposed = (headers['access-control-expose-headers'] ?? '')
    .toLowerCase()
    .split(',')
    .map((name) => name.trim());
  const hidden = ['Content-Range', 'ETag'].filter(
    (name) => !exposed.includes('*') && !exposed.includes(name.toLowerCase()),
  );
  if (!isRead || hidden.length === 0) return ok(`allows ${allowed === '*' ? 'every origin' : own}`);
  return warn(
    `${hidden.join(' and ')} hidden, which costs a request and the notice of a replaced file`,
    'Send Access-Control-Expose-Headers: Content-Range, ETag.',
  );
}

export function absent({ status, headers }: Answer): Part {
  if (status === 404 || status === 410) return ok(`answered with ${status}`);
  const detail = `a path without a file answers ${status}, ${typeOf(headers)}`;
  return warn(detail, `Let ${FOLDER}/ answer 404: pages opened before a deploy tell by it that a file is gone.`);
}

/** What one reader gets: of the component's words, no more than one language. */
export function sizes(files: readonly Answer[], data: readonly DataFile[]): Part {
  const code = files.filter(({ url }) => !/\/client\/languages\/[^/]+$/.test(url.pathname));
  const raw = sum(code.map((answer) => decodedBody(answer, MAX_CODE).length));
  const sent = sum(code.map(({ body }) => body.length));
  const of = (kind: string): string[] =>
    data
      .filter(({ first }) => headerOf(first)?.kind === kind)
      .map(({ first, size }) => formatBytes(size ?? headerOf(first)?.size ?? 0));
  const part = (name: string, all: readonly string[]): string[] =>
    all.length === 0 ? [] : [`${name} ${all.slice(0, 4).join(', ')}${all.length > 4 ? ', …' : ''}`];
  const codes = `code ${formatBytes(raw)}${sent < raw ? `, ${formatBytes(sent)} as sent` : ''}`;
  return ok([codes, ...part('bundle', of('bundle')), ...part('table', of('table'))].join('; '));
}

export const nameOf = (path: string): string => path.split('/').pop() ?? path;
export const isData = ({ pathname }: URL): boolean => pathname.endsWith('.sheaf');
export const sum = (numbers: readonly number[]): number => numbers.reduce((all, each) => all + each, 0);
