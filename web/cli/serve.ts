/** `sheaf serve`: the installed libraries over HTTP, in the form of SearXNG's JSON. */
import type { Server } from 'node:http';
import { isIP, type AddressInfo } from 'node:net';
import { CliError, EXIT, usageError } from '../host/exit.js';
import { parseFlags } from './flags.js';
import { oneLine, print, printJson, status } from '../host/terminal.js';

export const help = `Usage: sheaf serve [--port 8383] [--host 127.0.0.1]

Answers /search?q=WORDS&format=json from the libraries in the store, in SearXNG's form, so that SearXNG
can use it as an engine (docs/searxng.md). Runs until it is stopped; its address goes to stdout.

      --port N          8383 by default; 0 takes a free one
      --host ADDRESS    127.0.0.1 by default: this machine alone
      --store DIR       a folder of bundles instead of the user's store
      --token T         ask for 'Authorization: Bearer T'; better: $SHEAF_SERVE_TOKEN, which no list of
                        processes shows
      --allow-host NAME another name this server is reached by; may be repeated
      --allow-origin O  let pages of this site ask, as https://docs.example, or *; may be repeated
      --json            print the address as JSON`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('serve', {
    args,
    allowPositionals: true,
    options: {
      port: { type: 'string', short: 'p' },
      host: { type: 'string' },
      store: { type: 'string' },
      token: { type: 'string' },
      'allow-host': { type: 'string', multiple: true },
      'allow-origin': { type: 'string', multiple: true },
      json: { type: 'boolean' },
    },
  });
  // A folder here will be a site to serve.
  if (positionals.length > 0) throw usageError(`'${oneLine(positionals[0] as string)}': sheaf serve takes no folder; for a folder of bundles: --store DIR`);
  const port = parsePort(values.port ?? '8383');
  const host = values.host ?? '127.0.0.1';
  const token = values.token ?? process.env['SHEAF_SERVE_TOKEN'];
  if (token !== undefined && !/^[\x21-\x7e]+$/.test(token)) throw usageError('The token must be of visible ASCII characters, without spaces.');
  const origins = (values['allow-origin'] ?? []).map(parseOrigin);

  const { createPool } = await import('../mcp/pool.js'); // after the flags: a wrong one costs nothing
  const { createSearchServer } = await import('../serve/server.js');
  const log = (level: string, message: string): void => {
    if (level === 'warn' || level === 'error') status(`[${level}] ${oneLine(message)}`);
  };
  const pool = createPool(log, values.store === undefined ? {} : { store: values.store });
  const hosts = [host, ...(values['allow-host'] ?? [])].map((name) => name.toLowerCase());
  const server = createSearchServer({ pool, log, hosts, origins, token: token || undefined });
  try {
    await listen(server, port, host);
    const end = stopped(server); // before the address is told: who reads it may end us
    const address = addressOf(server);
    if (values.json) printJson(address);
    else print(address.url);
    if (!isLoopback(host) && !token) status(`[warn] Whoever reaches ${oneLine(host)} may search the store; --token asks for a secret.`);
    await end;
  } finally {
    await pool.close();
  }
  return EXIT.OK;
}

function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw usageError(`--port must be a number from 0 to 65535, not '${oneLine(text)}'.`);
  return port;
}

function parseOrigin(text: string): string {
  if (text === '*') return text;
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin === 'null' || origin !== text.replace(/\/$/, '')) {
    throw usageError(`--allow-origin takes a scheme and a host, as https://docs.example, or *; not '${oneLine(text)}'.`);
  }
  return origin;
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? `port ${port} is taken; choose another with --port` : error.message;
      reject(new CliError(EXIT.FAILURE, `The server cannot listen at ${oneLine(host)}: ${reason}.`));
    });
    server.listen(port, host, resolve);
  });
}

function addressOf(server: Server): { url: string; host: string; port: number } {
  const { address, port, family } = server.address() as AddressInfo;
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`, host: address, port };
}

/** Until SIGINT or SIGTERM; searches under way may finish, for three seconds at most. */
function stopped(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      server.close(() => resolve());
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), 3000).unref();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}
