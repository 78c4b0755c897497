/**
 * The MCP server, independent of the transport: a Toolbox and a Pool behind the SDK's Server.
 *
 * The SDK's low-level Server is used rather than its McpServer: the tools' contracts fix validation
 * texts, JSON-RPC error codes and calls without arguments, and their schemas are plain JSON Schema.
 *
 * Invariants
 *  1. Nothing about the store or the core is touched before a tool or a resource is asked for:
 *     handshake, discovery and tools/list are answered from memory.
 *  2. A call ends in a reply or in a JSON-RPC error, whatever a tool throws; the process goes on.
 *
 * A question to the user is a result of the protocol's newer era: the client asks, and sends the call again with the
 * answer. For clients of the older era, the SDK asks and calls the handler again itself. The answer belongs to the
 * question's own text, so none can be given before it is known.
 */
import { createHash } from 'node:crypto';
import { throwIfAborted } from '../../browser/client/errors.js';
import { oneLine } from '../base/terminal.js';
import { asking } from '../operate/asking.js';
import { refusalOf } from './limits.js';
import { SKILL_URI, SKILLS_EXTENSION, type Skill } from './skill.js';
import { listPages, pageTemplates, readPage, type PageGuide } from './resources.js';
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  inputResponse,
  ProtocolError,
  ResourceNotFoundError,
  Server,
  type CallToolResult,
  type InputRequiredResult,
  type ServerContext,
  type WireTool,
} from './sdk.mjs';
import {
  ProtocolFailure,
  RPC,
  type Consent,
  type JsonObject,
  type Log,
  type Pool,
  type Tool,
  type ToolCall,
  type ToolReply,
} from './tool.js';
import type { Toolbox } from './toolbox.js';

/** Limit for arguments; larger ones are refused, because no tool needs them. */
export const MAX_ARGUMENT_BYTES = 1024 * 1024;

/** How long clients may keep what changes by a notification only. */
const LASTING = { ttlMs: 3_600_000, cacheScope: 'private' } as const;
/** A Standard Schema: the handlers check by themselves. */
const ANYTHING = {
  '~standard': { version: 1, vendor: 'sheaf', validate: (value: unknown) => ({ value }) },
} as const;

/** Minimum interval between progress notifications to a client. */
const PROGRESS_MS = 100;

/** `failed`: the reply says what the caller can do; `error`: the server failed; `asked`: it waits for the user. */
export type CallOutcome = 'ok' | 'failed' | 'refused' | 'asked' | 'cancelled' | 'error';

export interface ServiceOptions {
  toolbox: Toolbox;
  /** Tools that texts about pages point to. */
  guide: PageGuide;
  pool: Pool;
  log: Log;
  version: string;
  /** Counts a call in the statistics. Must not throw. */
  count?: (tool: string) => void;
  /** Told of each call when it has ended. Must not throw. */
  called?: (tool: string, outcome: CallOutcome, seconds: number) => void;
  /** Replies are text alone, without the structured form that says the same again. */
  textOnly?: boolean;
  /** The skill that is about the served tools, if there is one. Must not throw. */
  skill?: () => Promise<Skill | undefined>;
  /** What each call waits for: a look at the configuration. Must not throw. */
  ready?: () => Promise<void>;
}

export class Service {
  readonly #options: ServiceOptions;
  readonly #servers = new Set<Server>();
  readonly #idle = new Set<() => void>();
  #underWay = 0;

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  get version(): string {
    return this.#options.version;
  }

  /** A server for one connection (stdio) or one request (HTTP). */
  createServer(): Server {
    const { toolbox, version, skill } = this.#options;
    const server = new Server(
      { name: 'sheaf', version, title: 'Sheaf documentation search' },
      {
        capabilities: {
          tools: {},
          resources: { listChanged: true },
          ...(skill === undefined ? {} : { extensions: { [SKILLS_EXTENSION]: {} } }),
        },
        instructions: toolbox.instructions,
        // Our only form has no fields: the action is the answer.
        jsonSchemaValidator: {
          getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
        },
        cacheHints: {
          'tools/list': LASTING,
          'server/discover': LASTING,
          // Pages live as long as their bundle; a change is told (resources/list_changed).
          'resources/list': LASTING,
          'resources/templates/list': LASTING,
          'resources/read': LASTING,
        },
      },
    );
    server.onerror = (error) => this.#options.log('debug', error.message);
    server.onclose = () => this.#servers.delete(server);
    this.#servers.add(server);
    this.#serveTools(server);
    this.#serveResources(server);
    if (skill !== undefined) this.#serveSkill(server, skill);
    return server;
  }

  /** Tells every connection that the pages changed. */
  resourcesChanged(): void {
    for (const server of this.#servers) {
      if (server.transport === undefined) continue;
      server.sendResourceListChanged().catch((error: unknown) => this.#options.log('debug', String(error)));
    }
  }

  /** Resolves once no request is being worked on. */
  async idle(): Promise<void> {
    if (this.#underWay > 0) await new Promise<void>((resolve) => this.#idle.add(resolve));
  }

  #serveTools(server: Server): void {
    const { toolbox } = this.#options;
    server.setRequestHandler('tools/list', () => ({
      tools: [...toolbox.tools]
        .filter(([, tool]) => refusalOf(tool, toolbox) === undefined)
        .map(([name, tool]) => wireTool(name, tool, this.#options.textOnly)),
    }));
    server.setRequestHandler('tools/call', ({ params }, ctx) =>
      this.#working(() => this.#call(params.name, params.arguments ?? {}, ctx, consentOf(server, ctx))),
    );
  }

  #serveResources(server: Server): void {
    const { pool, log, guide } = this.#options;
    server.setRequestHandler('resources/list', ({ params }, ctx) =>
      this.#working(async () => {
        const listed = await listPages(pool, params?.cursor, log, ctx.mcpReq.signal);
        if (listed === undefined)
          throw new ProtocolError(
            RPC.INVALID_PARAMS,
            'This cursor is not one of this server; list from the start again.',
          );
        return listed;
      }),
    );
    server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: pageTemplates(guide) }));
    server.setRequestHandler('resources/read', ({ params }, ctx) =>
      this.#working(async () => {
        const skill = params.uri === SKILL_URI ? await this.#options.skill?.() : undefined;
        if (skill !== undefined) return { contents: [{ uri: SKILL_URI, mimeType: 'text/markdown', text: skill.text }] };
        const read = await readPage(pool, params.uri, ctx.mcpReq.signal).catch((error: unknown) => {
          throw new ProtocolError(RPC.INTERNAL_ERROR, error instanceof Error ? error.message : String(error));
        });
        if (read === undefined)
          throw new ResourceNotFoundError(
            params.uri,
            `There is no page ${oneLine(params.uri).slice(0, 300)}; ${guide.pages} gives the names of pages.`,
          );
        return read;
      }),
    );
  }

  #serveSkill(server: Server, read: NonNullable<ServiceOptions['skill']>): void {
    server.setRequestHandler('skills/list', { params: ANYTHING }, async () => {
      const skill = await read();
      return { skills: skill === undefined ? [] : [skill.entry], ...LASTING };
    });
    server.setRequestHandler('skills/get', { params: ANYTHING }, async (params) => {
      const skill = await read();
      const { uri } = (params ?? {}) as { uri?: unknown };
      if (skill === undefined || uri !== SKILL_URI)
        throw new ProtocolError(RPC.INVALID_PARAMS, `There is no skill ${oneLine(String(uri)).slice(0, 300)}.`);
      return { skill: skill.entry, ...LASTING };
    });
  }

  async #call(
    name: string,
    args: JsonObject,
    ctx: ServerContext,
    consent: ToolCall['consent'],
  ): Promise<CallToolResult | InputRequiredResult> {
    const { toolbox, count, textOnly } = this.#options;
    const tool = toolbox.find(name);
    if (tool === undefined) return unknownTool(toolbox, name, textOnly);
    if (ctx.mcpReq.inputResponses === undefined) count?.(tool.name);
    const began = performance.now();
    const ended = (outcome: CallOutcome): void => {
      const current = asking();
      if (current !== undefined) Object.assign(current, { tool: tool.name, outcome });
      this.#options.called?.(tool.name, outcome, (performance.now() - began) / 1000);
    };
    const refusal = refusalOf(tool, toolbox);
    if (refusal !== undefined) {
      ended('refused');
      return failure(refusal);
    }
    return this.#run(tool, args, ctx, consent, ended);
  }

  async #run(
    tool: Tool,
    args: JsonObject,
    ctx: ServerContext,
    consent: ToolCall['consent'],
    ended: (outcome: CallOutcome) => void,
  ): Promise<CallToolResult | InputRequiredResult> {
    const { log, ready, textOnly } = this.#options;
    const { signal } = ctx.mcpReq;
    try {
      const bytes = Buffer.byteLength(JSON.stringify(args));
      if (bytes > MAX_ARGUMENT_BYTES) {
        ended('failed');
        return failure(
          `The arguments of ${tool.name} have ${bytes} bytes; at most ${MAX_ARGUMENT_BYTES} are taken. Ask with fewer words.`,
        );
      }
      await ready?.();
      throwIfAborted(signal);
      const reply = await tool.call({ args, signal, progress: progressOf(ctx, log), consent });
      ended(reply.isError ? 'failed' : 'ok');
      return wireReply(reply, textOnly);
    } catch (error) {
      if (error instanceof Question) {
        ended('asked');
        return error.asked();
      }
      if (error instanceof ProtocolFailure) {
        ended('failed');
        throw protocolError(error);
      }
      if (signal.aborted) {
        ended('cancelled');
        return failure('The call was cancelled.'); // nobody reads it any more
      }
      ended('error');
      log('error', `${tool.name}: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`);
      return failure(`Tool execution failed: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  async #working<T>(work: () => Promise<T>): Promise<T> {
    this.#underWay++;
    try {
      return await work();
    } finally {
      // The answer is written after this returns: a waiting shutdown looks a little later.
      if (--this.#underWay === 0) {
        for (const resolve of this.#idle) setImmediate(resolve);
        this.#idle.clear();
      }
    }
  }
}

function wireTool(
  name: string,
  { title, description, input, output, annotations }: Tool,
  textOnly: boolean | undefined,
): WireTool {
  return {
    name,
    title,
    description,
    inputSchema: input,
    ...(textOnly ? {} : { outputSchema: output }), // who declares one must send what it describes
    annotations: { title, ...annotations },
  } as WireTool;
}

function wireReply({ text, structured, isError, links = [] }: ToolReply, textOnly?: boolean): CallToolResult {
  return {
    content: [
      { type: 'text', text },
      ...links.map((link) => ({ type: 'resource_link' as const, mimeType: 'text/markdown', ...link })),
    ],
    ...(structured === undefined || textOnly ? {} : { structuredContent: structured }),
    ...(isError ? { isError: true } : {}),
  };
}

function failure(text: string): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true };
}

function unknownTool(toolbox: Toolbox, name: string, textOnly?: boolean): CallToolResult {
  const shown = oneLine(name).slice(0, 200);
  const reply = ofContract(() => toolbox.unknownTool(shown));
  if (reply !== undefined) return wireReply(reply, textOnly);
  throw new ProtocolError(RPC.INVALID_PARAMS, `Unknown tool: ${shown}. Tools: ${[...toolbox.tools.keys()].join(', ')}`);
}

function ofContract<T>(answer: () => T): T {
  try {
    return answer();
  } catch (error) {
    throw error instanceof ProtocolFailure ? protocolError(error) : error;
  }
}

/** With the prefix that MCP's first SDK put into messages on the wire: clients show it, and some look for it. */
function protocolError({ code, message, data }: ProtocolFailure): ProtocolError {
  const prefix = `MCP error ${code}: `;
  return new ProtocolError(code, message.startsWith(prefix) ? message : prefix + message, data);
}

/** Progress notifications for a client that asked for them: increasing and rate-limited. */
function progressOf(ctx: ServerContext, log: Log): ToolCall['progress'] {
  const progressToken = ctx.mcpReq._meta?.progressToken;
  if (progressToken === undefined) return () => {};
  let told = -Infinity;
  let toldAt = -Infinity;
  return (done, total, message) => {
    const now = performance.now();
    const last = total !== undefined && done >= total;
    if (ctx.mcpReq.signal.aborted || !(done > told) || (now - toldAt < PROGRESS_MS && !last)) return;
    told = done;
    toldAt = now;
    const params = {
      progressToken,
      progress: done,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message }),
    };
    ctx.mcpReq
      .notify({ method: 'notifications/progress', params })
      .catch((error: unknown) => log('debug', String(error)));
  };
}

/** Ends a call that must wait for the user. */
class Question extends Error {
  readonly #key: string;

  constructor(question: string, key: string) {
    super(question);
    this.#key = key;
  }

  asked(): InputRequiredResult {
    const requestedSchema = { type: 'object' as const, properties: {} };
    const question = inputRequired.elicit({ message: this.message, requestedSchema });
    return inputRequired({ inputRequests: { [this.#key]: question } });
  }
}

function consentOf(server: Server, ctx: ServerContext): ToolCall['consent'] {
  return (question): Consent => {
    const key = `consent-${createHash('sha256').update(question).digest('hex').slice(0, 16)}`;
    const answer = inputResponse(ctx.mcpReq.inputResponses, key);
    if (answer.kind === 'elicit') return answer.action === 'accept' ? 'given' : 'refused';
    if (!canAsk(server, ctx)) return 'impossible';
    throw new Question(question, key);
  };
}

/** Whether the client shows forms; one that names no kind of question does. */
function canAsk(server: Server, ctx: ServerContext): boolean {
  const ofRequest = ctx.mcpReq.envelope as { [CLIENT_CAPABILITIES_META_KEY]?: unknown } | undefined;
  const capabilities = ofRequest?.[CLIENT_CAPABILITIES_META_KEY] ?? server.getClientCapabilities();
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { form?: unknown; url?: unknown } };
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}
