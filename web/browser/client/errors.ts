/**
 * The one error vocabulary of the JavaScript side.
 *
 * Idea: whatever fails, the caller gets a `SheafError` whose `code` is a readable, stable string and
 * whose message names the thing, says what was expected and found, and ends with the way out.
 *
 * CORE_CODES is the twin of src/base/result.h; tests/parity compares the two lists. The host codes
 * cover what the core never sees: networks, files. ABORTED is for both: the packer's cancelled run, and here the caller's
 * AbortSignal (then `name` is 'AbortError' or 'TimeoutError').
 */

/** Codes of the core, with the numbers that cross the WASM border. */
export const CORE_CODES = {
  OK: 0,
  INVALID_ARGUMENT: 10,
  NOT_A_BUNDLE: 20,
  UNSUPPORTED_VERSION: 21,
  WRONG_KIND: 22,
  TRUNCATED: 23,
  CHECKSUM_MISMATCH: 24,
  CORRUPT: 25,
  /** The bundle is sound, but a newer or another Sheaf made its words. Search by meaning, or update. */
  UNKNOWN_ANALYSIS: 26,
  TOO_LARGE: 30,
  SPACE_MISMATCH: 40,
  NO_ENCODER: 41,
  NO_VECTORS: 42,
  NOT_FOUND: 50,
  ABORTED: 60,
  INTERNAL: 90,
  NEEDS_BYTES: 99,
} as const;

export type CoreErrorCode = keyof typeof CORE_CODES;

/** Codes that only a host can meet. */
export type HostErrorCode =
  | 'NETWORK' // a request failed, or its response was not valid HTTP
  | 'FILE' // a file could not be read or written
  | 'SOURCE_CHANGED' // the file behind a source was replaced while it was being read
  | 'CLOSED' // the library was closed
  | 'WASM' // the core's code could not be read or compiled
  | 'RUNTIME'; // ONNX Runtime is missing, or failed on a model

export type ErrorCode = CoreErrorCode | HostErrorCode;

/** Codes that say the bytes are not a bundle this reader can use. */
export const BAD_BUNDLE_CODES: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'NOT_A_BUNDLE',
  'UNSUPPORTED_VERSION',
  'WRONG_KIND',
  'TRUNCATED',
  'CHECKSUM_MISMATCH',
  'CORRUPT',
]);

export interface SheafErrorOptions {
  cause?: unknown;
  /** HTTP status, where a server gave one. */
  status?: number;
  /** Milliseconds that the server asked to wait before another try. */
  retryAfter?: number | undefined;
}

export class SheafError extends Error {
  readonly code: ErrorCode;
  /** HTTP status, where a server gave one. */
  readonly status?: number;
  /** Milliseconds that the server asked to wait before another try; does not cross threads. */
  readonly retryAfter?: number;

  constructor(code: ErrorCode, message: string, options: SheafErrorOptions = {}) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.name = 'SheafError';
    this.code = code;
    if (options.status !== undefined) this.status = options.status;
    if (options.retryAfter !== undefined) this.retryAfter = options.retryAfter;
  }
}

const NAME_OF_CODE: ReadonlyMap<number, CoreErrorCode> = new Map(
  (Object.entries(CORE_CODES) as [CoreErrorCode, number][]).map(([name, code]) => [code, name]),
);

/** The error that the core reported by number. */
export function coreError(code: number, message: string): SheafError {
  const name = NAME_OF_CODE.get(code);
  if (name === undefined) {
    return new SheafError(
      'INTERNAL',
      `The core reported the unknown error code ${code} (“${message}”); sheaf-core.wasm and the JavaScript files are of different versions: install them together.`,
    );
  }
  return new SheafError(name, message);
}

/**
 * The error of a call whose signal fired. Its `name` follows the signal's reason ('AbortError',
 * 'TimeoutError'), so that code written for fetch recognises it; the reason itself is the cause.
 */
export function abortError(signal: AbortSignal): SheafError {
  const reason: unknown = signal.reason;
  const error = new SheafError('ABORTED', 'The call was aborted by its signal.', { cause: reason });
  error.name = reason instanceof Error && reason.name === 'TimeoutError' ? 'TimeoutError' : 'AbortError';
  return error;
}

export function throwIfAborted(signal: AbortSignal | undefined): void {
  if (signal?.aborted) throw abortError(signal);
}

/** Settles like `promise`, or rejects with the abort error as soon as `signal` fires. */
export function abortable<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  if (signal.aborted) {
    promise.catch(() => {}); // nobody is waiting for it any more
    return Promise.reject(abortError(signal));
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(abortError(signal));
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Any thrown value as a SheafError; `code` and `context` apply to values that are not one yet. */
export function asSheafError(error: unknown, code: ErrorCode, context: string): SheafError {
  if (error instanceof SheafError) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new SheafError(code, `${context}: ${detail}`, { cause: error });
}

/** A SheafError as plain data, for crossing between threads. */
export interface PlainError {
  name: string;
  code: ErrorCode;
  message: string;
  status?: number;
}

export function toPlainError(error: unknown): PlainError {
  const known = asSheafError(error, 'INTERNAL', 'unexpected failure');
  const plain: PlainError = { name: known.name, code: known.code, message: known.message };
  if (known.status !== undefined) plain.status = known.status;
  return plain;
}

export function fromPlainError(plain: PlainError): SheafError {
  const error = new SheafError(plain.code, plain.message, plain.status === undefined ? {} : { status: plain.status });
  error.name = plain.name;
  return error;
}
