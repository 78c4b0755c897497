/**
 * The common part of the servers behind `sheaf serve`:
 *
 *     request ─▶ address ─▶ guard ─▶ handler ─▶ answer
 *
 * Idea: a Service describes a server. Its handler returns an Answer, a function that sends the response. A Refusal ends
 * a request earlier; the service turns it into a response in its own format.
 *
 * Limits: addresses of 8 KiB, ten seconds to send a request.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { ARRIVAL } from '../net/connections.js';
import type { Gate } from '../net/gate.js';
import type { Log } from '../operate/log.js';
import type { Operation, OwnAnswer } from '../operate/operation.js';
import { Refusal } from '../operate/refusal.js';
import { admit, gateOf, type GuardOptions } from './guard.js';

/** As the counts of requests name them. */
const ENDPOINTS = { '/search': 'search' };

export const MAX_URL = 8 * 1024;

/** A request that passed the guard. */
export interface Asked {
  request: IncomingMessage;
  /** Only its path and query come from the request. */
  url: URL;
  /** Fires when the client goes away. */
  signal: AbortSignal;
}

export type Answer = (request: IncomingMessage, response: ServerResponse) => void | Promise<void>;

export interface Service {
  /** Who may send requests. */
  guard: GuardOptions;
  /** Its tokens, its operator's addresses, and its counts; without it, nobody is asked for a token. */
  operation?: Operation;
  /** An answer of the operation in this service's way. */
  own?(answer: OwnAnswer): Answer;
  /** Errors: Refusal; anything else is logged, and answered with `texts.failed`. */
  handle(asked: Asked): Answer | Promise<Answer>;
  /** A refusal in this service's format. */
  refuse(refusal: Refusal): Answer;
  texts: {
    unreadable: string;
    /** For an address that is too long; by default the text for an unreadable one. */
    tooLong?: string;
    failed: string;
  };
  log: Log;
}

/** The server, not yet listening. */
export function createHttpServer(service: Service): Server {
  const gate = gateOf(service.guard);
  return createServer(ARRIVAL, (request, response) => {
    const work = (): Promise<void> => respond(request, response, service, gate);
    const { operation } = service;
    void (operation === undefined ? work() : operation.observe(ENDPOINTS, request, response, work));
  });
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  service: Service,
  gate: Gate,
): Promise<void> {
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  try {
    const answer = await decide(request, gone.signal, service, gate);
    await answer(request, response);
  } catch (error) {
    if (gone.signal.aborted || response.destroyed) return; // the client left
    service.log('error', `${request.method} ${request.url}: ${told(error)}`);
    if (response.headersSent) response.destroy();
    else await service.refuse(new Refusal(500, service.texts.failed))(request, response);
  }
}

async function decide(request: IncomingMessage, signal: AbortSignal, service: Service, gate: Gate): Promise<Answer> {
  try {
    const url = addressOf(request, service);
    admit(request, gate);
    const { operation, own } = service;
    const answer = own === undefined ? undefined : await operation?.own(request, url.pathname);
    if (answer !== undefined && own !== undefined) return own(answer);
    if (request.method !== 'OPTIONS') await operation?.admit(request, 'read');
    return await service.handle({ request, url, signal });
  } catch (error) {
    if (error instanceof Refusal) return service.refuse(error);
    throw error;
  }
}

function addressOf({ url: target = '/' }: IncomingMessage, { texts }: Service): URL {
  if (target.length > MAX_URL)
    throw texts.tooLong === undefined ? new Refusal(400, texts.unreadable) : new Refusal(414, texts.tooLong);
  if (!URL.canParse(target, 'http://sheaf')) throw new Refusal(400, texts.unreadable);
  return new URL(target, 'http://sheaf');
}

/** A system error's message is enough; for any other error the stack shows where it came from. */
function told(error: unknown): string {
  if (!(error instanceof Error) || 'syscall' in error) return String(error);
  return error.stack ?? error.message;
}

/** Error: Refusal. */
export function checkMethod({ method = '' }: IncomingMessage, allowed: readonly string[], message: string): void {
  if (!allowed.includes(method)) throw new Refusal(405, message, { Allow: allowed.join(', ') });
}

/** Closes the connection if part of the request body was not read. */
export function closeUnlessRead(request: IncomingMessage, response: ServerResponse): void {
  if (!request.complete) response.shouldKeepAlive = false;
}
