/**
 * A small SDK of OpenTelemetry, as operators load one: `node --import tests/node/traces_sdk.mjs …`. Each span that ends is a
 * line of JSON in $SPANS_FILE, and in `ended`.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { appendFileSync } from 'node:fs';
import { context, propagation, ROOT_CONTEXT, trace } from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { BasicTracerProvider, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

export const ended = [];

const exporter = {
  export(spans, done) {
    for (const span of spans) {
      const { name, kind, attributes, status, duration, parentSpanContext, instrumentationScope } = span;
      const { traceId, spanId } = span.spanContext();
      const plain = {
        name,
        kind,
        traceId,
        spanId,
        parent: parentSpanContext?.spanId,
        scope: instrumentationScope,
        status,
        attributes,
        duration,
      };
      ended.push(plain);
      if (process.env.SPANS_FILE) appendFileSync(process.env.SPANS_FILE, `${JSON.stringify(plain)}\n`);
    }
    done({ code: 0 });
  },
  shutdown: async () => {},
};

const storage = new AsyncLocalStorage();
const manager = {
  active: () => storage.getStore() ?? ROOT_CONTEXT,
  with: (active, work, self, ...args) => storage.run(active, () => work.apply(self, args)),
  bind: (_, target) => target,
  enable: () => manager,
  disable: () => manager,
};

context.setGlobalContextManager(manager);
propagation.setGlobalPropagator(new W3CTraceContextPropagator());
trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
