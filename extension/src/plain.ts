/**
 * Makes untrusted input harmless: catalogues, lists of sites, manifests of bundles. Pure functions.
 *
 * Invariants
 *  1. Text has no control characters and no marks that turn the direction of other text, and an end.
 *  2. An address is http: or https:, without user and password, and complete.
 *  3. A size is a whole number of bytes that a file can have.
 */
import { SheafError, type ErrorCode } from '../browser/client/errors.js';
import { isLibraryName } from '../browser/client/names.js';
import { lineOf } from '../browser/client/plain_text.js';
import type { LibraryInfo } from '../browser/client/types.js';
import type { Origin, Trouble, TroubleCode } from './types.js';

/** Larger bundles are refused: while one is checked, all of it is in memory. */
export const MOST_BYTES = 512 * 2 ** 20;
export const MOST_LIST_BYTES = 4 * 2 ** 20;
export const MOST_OFFERS = 5000;

/** An error whose code views know; it crosses ports as the client's own do. */
export class DeskError extends SheafError {
  constructor(code: TroubleCode, message: string, options: { cause?: unknown } = {}) {
    super(code as ErrorCode, message, options);
  }
}

/** Code and message of any thrown value, for views. */
export function troubleOf(error: unknown): Trouble {
  const { code, message, name } = (error ?? {}) as { code?: unknown; message?: unknown; name?: unknown };
  if (name === 'QuotaExceededError') return { code: 'QUOTA', message: 'The browser has no room for it.' };
  return {
    code: typeof code === 'string' ? (code as TroubleCode) : 'INTERNAL',
    message: plainText(typeof message === 'string' ? message : String(error), 500),
  };
}

/** One line of text of at most `most` characters, of which all are seen; '' for anything else. */
export const plainText = (value: unknown, most = 200): string => lineOf(value, most);

/** A complete web address, or undefined. */
export function webAddress(value: unknown, base?: string): string | undefined {
  if (typeof value !== 'string' || value === '' || value.length > 4096) return undefined;
  try {
    const url = new URL(value, base);
    if ((url.protocol !== 'https:' && url.protocol !== 'http:') || url.username !== '' || url.password !== '')
      return undefined;
    url.hash = '';
    return url.href;
  } catch {
    return undefined;
  }
}

export function plainSize(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : undefined;
}

/** SHA-256 in hex, or the 12 digits and more that a file's name has of it; '' for anything else. */
export function plainHash(value: unknown): string {
  return typeof value === 'string' && /^[0-9a-f]{12,64}$/.test(value) ? value : '';
}

/** As sheaf-pack names libraries and versions. */
export const isLibrary = (value: unknown): value is string => typeof value === 'string' && isLibraryName(value);

export function isVersion(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value.length <= 64 &&
    /^(?! )[^/\\\p{Cc}]+(?<! )$/u.test(value) &&
    plainText(value) === value
  );
}

/** A language tag; '' for anything else, and for pages that are packed as of none. */
export function plainLanguage(value: unknown): string {
  return typeof value === 'string' && value !== 'none' && /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,4}$/.test(value)
    ? value
    : '';
}

/** Of a manifest or a list; undefined for what is no object. */
export function fieldsOf(value: unknown): Record<string, unknown> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

/**
 * Whose a library is; its publisher and its name identify it. A catalogue counts by its address, because one host may
 * have catalogues of several owners; a site by its web origin; files that the reader gave are ''.
 */
export function publisherOf({ kind, address, list }: Origin): string {
  const from = list || address;
  return kind === 'site' ? new URL(from).origin : kind === 'file' ? '' : from;
}

/** A text of a bundle's manifest; '' where it has none of that name. */
export function textOf(info: Pick<LibraryInfo, 'manifest'> | undefined, key: string): string {
  const text = info?.manifest[key];
  return typeof text === 'string' ? text : '';
}

export function idOf(
  { library, version, language }: { library: string; version: string; language: string },
  site = false,
): string {
  return `${library}@${version}${site && language !== '' ? `#${language}` : ''}`;
}
