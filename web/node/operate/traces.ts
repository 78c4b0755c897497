/**
 * Traces by OpenTelemetry: a span for each request, a child of what its `traceparent` names (docs/operators.md).
 *
 * Idea: Sheaf calls the API alone. The operator loads an SDK before Sheaf starts (NODE_OPTIONS), which decides where spans
 * go. Copies of the API find each other by a symbol of the process: where it is missing, there is no SDK, and nothing is
 * loaded.
 */
import type { IncomingMessage } from 'node:http';
import type * as Api from '@opentelemetry/api';
import { importOptional, installAdvice } from '../client/modules.js';
import type { Asking } from './asking.js';
import type { Log } from './log.js';

const API = '@opentelemetry/api';
const SDK = '@opentelemetry/auto-instrumentations-node';
/** Set by the first SDK of the process, whichever copy of the API it has. */
const LOADED = Symbol.for('opentelemetry.js.api.1');
/** Libraries that a span names. */
const MOST_LIBRARIES = 16;

export interface TracesOptions {
  env: NodeJS.ProcessEnv;
  version: string;
  log: Log;
  /** Undefined where the API is not installed. */
  load?: () => Promise<typeof Api | undefined>;
}

/** How a request ended. */
export interface Ended {
  /** Undefined where the client left before its answer. */
  status: number | undefined;
  asked: Asking;
}

/** What is traced of one request. */
export interface Span {
  /** Of the whole trace, in hexadecimal. */
  readonly traceId: string;
  /** Whatever `work` starts is a child. */
  within<T>(work: () => T): T;
  end(ended: Ended): void;
}

export class Traces {
  readonly #api: typeof Api;
  readonly #tracer: Api.Tracer;

  private constructor(api: typeof Api, version: string) {
    this.#api = api;
    this.#tracer = api.trace.getTracer('sheaf', version);
  }

  /** Undefined where no SDK is loaded; one line of the log says what is missing where the environment asks for traces. */
  static async open({
    env,
    version,
    log,
    load = () => importOptional(API),
  }: TracesOptions): Promise<Traces | undefined> {
    const isLoaded = LOADED in globalThis;
    if ((!isLoaded && !isConfigured(env)) || env['OTEL_SDK_DISABLED'] === 'true') return undefined;
    const nothing = (why: string): undefined => void log('warn', `There are no traces: ${why}`);
    if (!isLoaded)
      return nothing(
        `OTEL_… is set, but no SDK of OpenTelemetry is loaded. Install ${API} and ${SDK}, and start with NODE_OPTIONS='--require ${SDK}/register' (docs/operators.md).`,
      );
    try {
      const api = await load();
      if (api === undefined)
        return nothing(
          `an SDK of OpenTelemetry is loaded, but ${API} is not installed beside sheaf. ${installAdvice([API])}`,
        );
      if (!hasTracer(api.trace.getTracerProvider()))
        return nothing(`the SDK of OpenTelemetry has no tracer for this ${API}; install the version that the SDK has.`);
      return new Traces(api, version);
    } catch (error) {
      return nothing(`${API} is installed but did not load: ${(error as Error).message}`);
    }
  }

  /** `route`: undefined for an address that is none of the server's. */
  begin({ method = '', headers }: IncomingMessage, route: string | undefined, id: string): Span {
    const { context, propagation, trace, SpanKind } = this.#api;
    const active = context.active();
    // An SDK that follows HTTP itself has begun a span for this request, and read its headers.
    const isFollowed = trace.getSpan(active) !== undefined;
    const parent = isFollowed ? active : propagation.extract(active, headers);
    const span = this.#tracer.startSpan(
      route === undefined ? method : `${method} ${route}`,
      {
        kind: isFollowed ? SpanKind.INTERNAL : SpanKind.SERVER,
        attributes: {
          'http.request.method': method,
          ...(route === undefined ? {} : { 'http.route': route }),
          'sheaf.request': id,
        },
      },
      parent,
    );
    const own = trace.setSpan(parent, span);
    return {
      traceId: span.spanContext().traceId,
      within: (work) => context.with(own, work),
      end: (ended) => this.#end(span, ended),
    };
  }

  #end(span: Api.Span, { status, asked: { who, tool, outcome, libraries } }: Ended): void {
    if (who !== undefined) span.setAttribute('sheaf.token', who.name);
    if (libraries !== undefined && libraries.size > 0)
      span.setAttribute('sheaf.libraries', [...libraries].slice(0, MOST_LIBRARIES));
    if (tool !== undefined) {
      span.updateName(`tools/call ${tool}`);
      span.setAttributes({
        'mcp.method.name': 'tools/call',
        'gen_ai.operation.name': 'execute_tool',
        'gen_ai.tool.name': tool,
      });
    }
    if (outcome !== undefined) span.setAttribute('sheaf.outcome', outcome);
    if (status !== undefined) span.setAttribute('http.response.status_code', status);
    const error = errorOf(status, outcome);
    if (error !== undefined) {
      span.setAttribute('error.type', error);
      if (error !== 'gone') span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
    }
    span.end();
  }
}

function isConfigured(env: NodeJS.ProcessEnv): boolean {
  return Object.entries(env).some(([name, value]) => name.startsWith('OTEL_') && value !== undefined && value !== '');
}

/** The API's provider passes on to the SDK's, once one is there that it can use. */
function hasTracer(provider: Api.TracerProvider): boolean {
  const { getDelegateTracer } = provider as Partial<Api.ProxyTracerProvider>;
  return getDelegateTracer === undefined || getDelegateTracer.call(provider, 'sheaf') !== undefined;
}

/** As OpenTelemetry's conventions name it: a refusal is the client's, and no error of a server. */
function errorOf(status: number | undefined, outcome: string | undefined): string | undefined {
  if (status === undefined) return 'gone';
  if (status >= 500) return String(status);
  return outcome === 'error' ? 'tool_error' : undefined;
}
