/** A bundle or an encoder table on a host: whether its ranges are right, and its bytes for the search core. */
import { SheafError } from '../../../browser/client/errors.js';
import { formatBytes } from '../../base/terminal.js';
import { openPieces, type Pieces } from '../../../browser/client/pieces.js';
import type { Source } from '../../../browser/client/source.js';
import { rangeOf, validatorOf } from './findings.js';
import { codingOf, decodedBody, typeOf, type Answer, type Visitor } from './visitor.js';

/** As browsers begin (web/browser/client/source.ts). */
const FIRST = 24 * 1024;
const OVERLAP = 256;
/** A file that comes whole is read up to this. */
const MOST_WHOLE = 64 * 1024 * 1024;
const MOST_PIECE = 16 * 1024 * 1024;

export interface DataFile {
  url: URL;
  /** Of the first answer. */
  answer: Answer;
  /**
   * ok: ranges work. ignored: it comes whole. wrong: `why` is a clause. pieces: it is there in pieces alone. missing: there
   * is no such file.
   */
  ranges: 'ok' | 'ignored' | 'wrong' | 'pieces' | 'missing';
  /** It is there in pieces. Asked for only where ranges do not work. */
  hasPieces: boolean;
  why: string;
  size: number | undefined;
  /** The beginning of the file. */
  first: Buffer;
}

/** Asks for two ranges that share bytes. */
export async function readDataFile(visitor: Visitor, url: URL): Promise<DataFile> {
  const file = await tryRanges(visitor, url).catch((error: unknown): DataFile => {
    const nothing = { url, status: 0, headers: {}, body: Buffer.alloc(0) };
    const why = `${url.href}: ${(error as Error).message}`;
    return { url, answer: nothing, ranges: 'missing', why, size: undefined, first: nothing.body, hasPieces: false };
  });
  if (file.ranges === 'ok') return file;
  const hasPieces = (await openPieces(url.href, getOf(visitor), undefined).catch(() => null)) !== null;
  return { ...file, hasPieces, ranges: hasPieces && file.ranges === 'missing' ? 'pieces' : file.ranges };
}

/** How the client's reader of pieces asks. */
function getOf(visitor: Visitor): (url: string) => Promise<Response> {
  return async (url) => {
    const answer = await visitor.get(new URL(url), { maxBytes: MOST_PIECE });
    const headers = { 'Content-Type': typeOf(answer.headers) };
    return new Response(new Uint8Array(decodedBody(answer, MOST_PIECE)), { status: answer.status || 404, headers });
  };
}

async function tryRanges(visitor: Visitor, url: URL): Promise<DataFile> {
  const answer = await visitor.get(url, { headers: { range: `bytes=0-${FIRST - 1}` }, maxBytes: FIRST + 1 });
  const file: DataFile = {
    url,
    answer,
    ranges: 'ok',
    why: '',
    size: undefined,
    first: answer.body.subarray(0, FIRST),
    hasPieces: false,
  };
  const wrong = (why: string): DataFile => ({ ...file, ranges: 'wrong', why });
  if (answer.status === 200 && typeOf(answer.headers) !== 'text/html') {
    const length = Number(answer.headers['content-length'] ?? Number.NaN);
    const isPlain = codingOf(answer.headers) === '' && Number.isSafeInteger(length);
    return { ...file, ranges: 'ignored', size: isPlain ? length : undefined };
  }
  if (answer.status !== 206) return { ...file, ranges: 'missing', why: `${url.pathname} answers ${answer.status}` };
  const coding = codingOf(answer.headers);
  if (coding !== '') return wrong(`ranges are cut from the ${coding} encoding of the file`);
  const range = rangeOf(answer.headers);
  if (range === undefined) return wrong(`Content-Range is '${answer.headers['content-range'] ?? 'missing'}'`);
  file.size = range.total;
  const end = Math.min(FIRST, range.total) - 1;
  if (range.start !== 0 || range.end !== end)
    return wrong(`bytes 0-${end} were asked for, ${range.start}-${range.end} sent`);
  if (answer.body.length !== end + 1) return wrong(`${end + 1} bytes were promised, ${answer.body.length} sent`);

  const from = Math.max(0, end + 1 - OVERLAP);
  const to = Math.min(range.total, from + 2 * OVERLAP) - 1;
  const second = await visitor.get(url, { headers: { range: `bytes=${from}-${to}` }, maxBytes: 4 * OVERLAP });
  const got = rangeOf(second.headers);
  if (second.status !== 206) return wrong(`bytes ${from}-${to} are answered with ${second.status}`);
  if (got?.start !== from || got.end !== to || got.total !== range.total || second.body.length !== to - from + 1)
    return wrong(`bytes ${from}-${to} were asked for, '${second.headers['content-range'] ?? 'no Content-Range'}' sent`);
  if (!second.body.subarray(0, OVERLAP).equals(answer.body.subarray(from)))
    return wrong('two ranges that share bytes differ in them');
  if (validatorOf(second.headers) !== validatorOf(answer.headers))
    return wrong('the ETag changes from one request to the next, as if the file did');
  return file;
}

/** The file for the core; what comes whole is read once. */
export function sourceOf(visitor: Visitor, { url, ranges, size, first, hasPieces }: DataFile): Source {
  if (ranges !== 'ok' && hasPieces) return sourceInPieces(visitor, url);
  let whole: Promise<Buffer> | undefined;
  const readWhole = async (): Promise<Buffer> => {
    const { body } = await visitor.get(url, { maxBytes: MOST_WHOLE + 1 });
    if (body.length > MOST_WHOLE)
      throw new SheafError('TOO_LARGE', `${url.href} is larger than ${formatBytes(MOST_WHOLE)}`);
    return body;
  };
  const isWhole = ranges !== 'ok' || size === undefined;
  return {
    key: url.href,
    local: isWhole,
    size: async () => (isWhole ? (await (whole ??= readWhole())).length : size),
    async read(offset, length) {
      if (isWhole) return (await (whole ??= readWhole())).subarray(offset, offset + length);
      if (offset + length <= first.length) return first.subarray(offset, offset + length);
      const range = `bytes=${offset}-${offset + length - 1}`;
      const { status, body } = await visitor.get(url, { headers: { range }, maxBytes: length });
      if (status !== 206 || body.length !== length)
        throw new SheafError('NETWORK', `${url.href}: ${range} was answered with ${status} and ${body.length} bytes`);
      return body;
    },
  };
}

function sourceInPieces(visitor: Visitor, url: URL): Source {
  let opened: Promise<Pieces> | undefined;
  const open = (): Promise<Pieces> =>
    (opened ??= openPieces(url.href, getOf(visitor), undefined).then((pieces) => {
      if (pieces === null) throw new SheafError('NETWORK', `${url.href}: its pieces are gone`);
      return pieces;
    }));
  return {
    key: url.href,
    size: async () => (await open()).size,
    read: async (offset, length) => (await open()).read(offset, length),
  };
}
