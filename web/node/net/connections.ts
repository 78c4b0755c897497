/**
 * Limits the connections of our local servers, so that requests that never end cannot lock other clients out. A request
 * has seconds to arrive. Beyond the connection limit we close one: the oldest that has not sent a whole request, else
 * the oldest whose answer has been sent.
 *
 * Cost: a map of the open connections; one pass over it for each connection beyond the limit.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** For createServer: the headers, and the whole request, must arrive within ten seconds; checked every second. */
export const ARRIVAL = {
  headersTimeout: 10_000,
  requestTimeout: 10_000,
  connectionsCheckingInterval: 1_000,
  keepAliveTimeout: 75_000,
};

const MOST = 256;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

export function limitConnections(server: Server, most: number = MOST): void {
  const open = new Map<Socket, Exchange | undefined>(); // oldest first
  server.on('connection', (socket: Socket) => {
    if (open.size >= most) {
      const all = [...open];
      const [spare] =
        all.find(([, exchange]) => exchange?.request.complete !== true) ??
        all.find(([, exchange]) => isAnswered(exchange)) ??
        [];
      (spare ?? socket).destroy();
      if (spare === undefined) return;
      open.delete(spare);
    }
    open.set(socket, undefined);
    socket.once('close', () => open.delete(socket));
  });
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (open.has(request.socket)) open.set(request.socket, { request, response });
  });
}

function isAnswered(exchange: Exchange | undefined): boolean {
  return exchange === undefined || exchange.response.writableFinished || exchange.response.destroyed;
}
