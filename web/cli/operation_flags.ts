/** What operators of a server may set, for `sheaf mcp --http` and `sheaf serve` alike. */
import { usageError } from '../node/base/exit.js';
import { oneLine } from '../node/base/terminal.js';
import type { LogFormat } from '../node/operate/log.js';

export const OPERATION_FLAGS = {
  tokens: { type: 'string' },
  metrics: { type: 'boolean' },
  'log-format': { type: 'string' },
} as const;

export const OPERATION_FLAGS_HELP = `      --tokens FILE        who may ask: tokens with names, scopes, limits and an end, made by
                           sheaf token, and an issuer of signed ones (docs/operators.md)
      --metrics            counts at /metrics, as Prometheus reads them
      --log-format FORMAT  text (default), or json: a line for each request, with its id`;

/** The only token, by the environment variable `name`, or the path of a file of them. Error: usage. */
export function parseAccess(name: string, file: string | undefined): { token?: string; tokens?: string } {
  const token = process.env[name];
  if (token === undefined || token === '') return file === undefined ? {} : { tokens: file };
  if (file !== undefined) throw usageError(`Give either --tokens or ${name}: each says which tokens are taken.`);
  if (!/^[\x21-\x7e]+$/.test(token))
    throw usageError(`${name} must be made of printable ASCII characters without spaces.`);
  return { token };
}

export function parseLogFormat(value: string = 'text'): LogFormat {
  if (value === 'text' || value === 'json') return value;
  throw usageError(`--log-format must be text or json, not '${oneLine(value)}'.`);
}
