/**
 * Counters in the form that Prometheus reads. dist/node/operate/prom.mjs is made of the line below by
 * scripts/library_bundle.mjs: one file without imports but Node's. Only `--metrics` loads it.
 */
export { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
