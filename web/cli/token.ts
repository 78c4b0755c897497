/** `sheaf token`: makes a token for a server's `--tokens FILE`. */
import { resolve } from 'node:path';
import { EXIT, usageError } from '../node/base/exit.js';
import { oneLine, print, status } from '../node/base/terminal.js';
import { SCOPES, type Scope } from '../node/operate/identity.js';
import { parseFlags } from './flags.js';

export const help = `Usage: sheaf token NAME --tokens FILE

Makes a token, adds its hash to FILE, and prints it: this once, because only the hash is kept. FILE is
made where there is none. A server that runs with --tokens FILE takes it within a second; a token whose
entry is removed from FILE ends as fast (docs/operators.md).

      --tokens FILE        the file of sheaf mcp --http and sheaf serve
      --scope SCOPE        read (default), write: tools that change something, or metrics; repeatable
      --library NAME       only this library, or acme-* for all that begin so; repeatable
      --expires WHEN       as 2027-01-31, when the day begins in UTC, or 2027-01-31T12:00:00Z
      --per-minute N       requests a minute`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('token', {
    args,
    allowPositionals: true,
    options: {
      tokens: { type: 'string' },
      scope: { type: 'string', multiple: true },
      library: { type: 'string', multiple: true },
      expires: { type: 'string' },
      'per-minute': { type: 'string' },
    },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0 || values.tokens === undefined)
    throw usageError('sheaf token takes one name and a file: sheaf token NAME --tokens FILE');
  const scopes = values.scope ?? ['read'];
  const wrong = scopes.find((scope) => !SCOPES.includes(scope as Scope));
  if (wrong !== undefined) throw usageError(`--scope takes ${SCOPES.join(', ')}, not '${oneLine(wrong)}'.`);
  const perMinute = values['per-minute'];
  if (perMinute !== undefined && !/^[1-9]\d{0,8}$/.test(perMinute))
    throw usageError(`--per-minute takes a whole number above 0, not '${oneLine(perMinute)}'.`);
  const { addToken } = await import('../node/operate/tokens_file.js');
  const token = await addToken(resolve(values.tokens), {
    name,
    scopes: scopes as Scope[],
    ...(values.library === undefined ? {} : { libraries: values.library }),
    ...(values.expires === undefined ? {} : { expires: values.expires }),
    ...(perMinute === undefined ? {} : { perMinute: Number(perMinute) }),
  });
  print(token);
  status(`Added ${oneLine(name)} to ${oneLine(values.tokens)}. Keep the token: it is not shown again.`);
  return EXIT.OK;
}
