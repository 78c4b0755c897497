/**
 * What a server counts, in the form that Prometheus reads. docs/operators.md says what each means. A name of a token is a
 * label; of signed tokens it is `issuer`, because their number has no bound.
 */
import type { Counter, Gauge, Histogram, Registry } from './prom.mjs';

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** What the counts are read from while they are asked for. */
export interface Measured {
  version: string;
  /** Libraries, each version one. */
  libraries(): Promise<number>;
  memory?(): { used: number; cap: number; open: number } | undefined;
  inFlight(): number;
  isReady(): Promise<boolean>;
}

export class Metrics {
  readonly #registry: Registry;
  readonly #requests: Counter<'endpoint' | 'status'>;
  readonly #seconds: Histogram<'endpoint'>;
  readonly #calls: Counter<'tool' | 'outcome'>;
  readonly #callSeconds: Histogram<'tool'>;
  readonly #tokens: Counter<'token'>;
  readonly #refused: Counter<'status'>;
  readonly #changes: Counter;

  private constructor(prom: typeof import('./prom.mjs'), measured: Measured) {
    const registry = new prom.Registry();
    const registers = [registry];
    this.#registry = registry;
    prom.collectDefaultMetrics({ register: registry });
    const counter = <const Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new prom.Counter<Label>({ name, help, labelNames, registers });
    const histogram = <const Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
      new prom.Histogram<Label>({ name, help, labelNames, registers, buckets: SECONDS });
    const gauge = (name: string, help: string, read: () => number | undefined | Promise<number | undefined>): Gauge =>
      new prom.Gauge({
        name,
        help,
        registers,
        async collect() {
          const value = await read();
          if (value !== undefined) this.set(value);
        },
      });

    this.#requests = counter('sheaf_requests_total', 'Requests, by what they asked for and how they ended.', [
      'endpoint',
      'status',
    ]);
    this.#seconds = histogram('sheaf_request_seconds', 'Time from a request to the end of its answer.', ['endpoint']);
    this.#calls = counter('sheaf_calls_total', 'Calls of tools, by how they ended.', ['tool', 'outcome']);
    this.#callSeconds = histogram('sheaf_call_seconds', 'Time that a tool took.', ['tool']);
    this.#tokens = counter('sheaf_token_requests_total', 'Requests that were let in, by the name of their token.', [
      'token',
    ]);
    this.#refused = counter('sheaf_refused_total', 'Requests that were refused, by status.', ['status']);
    this.#changes = counter('sheaf_library_changes_total', 'How often the list of libraries changed.', []);
    const { libraries, memory, inFlight, isReady, version } = measured;
    gauge('sheaf_requests_in_flight', 'Requests that are being answered.', inFlight);
    gauge('sheaf_ready', '1 where /readyz says ready.', async () => Number(await isReady()));
    gauge('sheaf_libraries', 'Libraries that are served, each version one.', () => libraries().catch(() => undefined));
    gauge('sheaf_open_libraries', 'Libraries that are open.', () => memory?.()?.open);
    gauge('sheaf_open_bytes', 'Bytes that open libraries take, as estimated.', () => memory?.()?.used);
    gauge('sheaf_open_bytes_limit', 'Bytes that open libraries may take (--memory).', () => memory?.()?.cap);
    new prom.Gauge({ name: 'sheaf_info', help: 'Always 1.', labelNames: ['version'], registers }).set({ version }, 1);
  }

  static async create(measured: Measured): Promise<Metrics> {
    return new Metrics(await import('./prom.mjs'), measured);
  }

  request(endpoint: string, status: string, seconds: number): void {
    this.#requests.inc({ endpoint, status });
    this.#seconds.observe({ endpoint }, seconds);
  }

  call(tool: string, outcome: string, seconds: number): void {
    this.#calls.inc({ tool, outcome });
    this.#callSeconds.observe({ tool }, seconds);
  }

  admitted(token: string): void {
    this.#tokens.inc({ token });
  }

  refused(status: number): void {
    this.#refused.inc({ status: String(status) });
  }

  libraryChange(): void {
    this.#changes.inc();
  }

  async text(): Promise<{ type: string; body: string }> {
    return { type: this.#registry.contentType, body: await this.#registry.metrics() };
  }
}
