/**
 * MCP over stdin and stdout, for both protocol eras. Ends with stdin, with a signal, or when nobody
 * reads stdout any more.
 */
import { PassThrough, type Readable, type Writable } from 'node:stream';
import { serveStdio, StdioServerTransport } from './sdk.mjs';
import type { Service } from './server.js';
import type { Log } from './tool.js';

/** A message beyond this ends the connection; arguments are refused far below, with an answer. */
const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;
/** How long requests that are under way when stdin ends have to be answered. */
const GRACE_MS = 10_000;
/** How long the SDK needs at most to hand on what it has read. */
const HANDOVER_MS = 50;

/** Resolves when the connection is over. */
export async function runStdio(service: Service, stdout: Writable, log: Log, stop: AbortSignal): Promise<void> {
  const input = withGrace(process.stdin, service);
  const transport = new StdioServerTransport(input, stdout, { maxBufferSize: MAX_MESSAGE_BYTES });
  const handle = serveStdio(() => service.createServer(), {
    transport,
    onerror: (error) => log('debug', error.message),
  });
  await new Promise<void>((resolve) => {
    input.once('close', resolve);
    stdout.once('error', () => resolve()); // the client is gone
    stop.addEventListener('abort', () => resolve(), { once: true });
    if (stop.aborted) resolve();
    const closed = transport.onclose; // the SDK's own, set by serveStdio
    transport.onclose = () => {
      closed?.();
      resolve();
    };
  });
  await handle.close();
  process.stdin.destroy();
}

/** stdin whose end waits for the answers to what came before it: `printf … | sheaf mcp` works. */
function withGrace(stdin: Readable, service: Service): Readable {
  const input = new PassThrough();
  stdin.pipe(input, { end: false });
  const finish = async (): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, HANDOVER_MS));
    await Promise.race([service.idle(), new Promise((resolve) => setTimeout(resolve, GRACE_MS).unref())]);
    input.end();
  };
  stdin.once('end', () => void finish());
  stdin.once('error', () => input.end());
  return input;
}
