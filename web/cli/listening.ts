/** Starts and stops the command line's servers. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { isLoopback, plainHost } from '../node/net/gate.js';
import { oneLine, print, printJson, status } from '../node/base/terminal.js';
import type { Log } from '../node/operate/log.js';

/** Log lines for the person who runs a server, on stderr. */
export const logTrouble: Log = (level, message) => {
  if (level === 'warn' || level === 'error') status(`[${level}] ${oneLine(message)}`);
};

export function parsePort(text: string): number {
  const port = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (!(port <= 65535)) throw usageError(`--port must be a number from 0 to 65535, not '${oneLine(text)}'.`);
  return port;
}

function listen(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? `port ${port} is taken; choose another with --port` : error.message;
      reject(new CliError(EXIT.FAILURE, `The server cannot listen at ${oneLine(host)}: ${reason}.`));
    });
    server.listen(port, plainHost(host), resolve);
  });
}

function addressOf(server: Server): { url: string; host: string; port: number } {
  const { address, port, family } = server.address() as AddressInfo;
  return { url: `http://${family === 'IPv6' ? `[${address}]` : address}:${port}/`, host: address, port };
}

export interface Listening {
  port: number;
  host: string;
  /** Print the address as JSON. */
  json: boolean;
  /** Warning to print if other machines can reach the server. */
  warning?: string | undefined;
  /** How long running requests may take to finish when it stops; three seconds by default. */
  graceMs?: number;
}

/** Listens and prints the address. The server runs until `end`. Error: it cannot listen. */
export async function listenUntilStopped(
  server: Server,
  { port, host, json, warning, graceMs = 3_000 }: Listening,
  onStop?: () => void,
): Promise<{ end: Promise<void> }> {
  await listen(server, port, host);
  const end = stopped(server, graceMs, onStop); // before printing the address: its reader may stop us at once
  const address = addressOf(server);
  if (json) printJson(address);
  else print(address.url);
  if (!isLoopback(host) && warning !== undefined) status(`[warn] ${warning}`);
  return { end };
}

/** Resolves after SIGINT or SIGTERM; gives running requests `graceMs` to finish. */
function stopped(server: Server, graceMs: number, onStop: () => void = () => {}): Promise<void> {
  return new Promise((resolve) => {
    const stop = (): void => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
      server.close(() => resolve());
      onStop();
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), graceMs).unref();
    };
    process.once('SIGINT', stop);
    process.once('SIGTERM', stop);
  });
}
