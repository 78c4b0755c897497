/**
 * The service worker of `sheaf site --offline`, one classic script at the site's root: a worker sees
 * requests of pages below its own folder only, unless the host sends Service-Worker-Allowed, which
 * static hosts do not. It answers for the folder `sheaf/` and leaves every other request alone.
 *
 * A site with a worker of its own imports it instead: importScripts('sheaf-offline.js').
 */
import { OFFLINE_SCRIPT, OfflineStore } from './store.js';

interface WorkerEvent extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
  waitUntil(work: Promise<unknown>): void;
}

interface WorkerScope {
  readonly location: Location;
  readonly registration: ServiceWorkerRegistration;
  readonly clients: { claim(): Promise<void> };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate' | 'fetch', listener: (event: WorkerEvent) => void): void;
}

const scope = globalThis as unknown as WorkerScope;
/** Not imported by a worker that has life cycle rules of its own. */
const alone = scope.location.pathname.endsWith(`/${OFFLINE_SCRIPT}`);

const store = new OfflineStore({
  folder: new URL('sheaf/', scope.registration.scope),
  caches,
  fetch: (input, init) => fetch(input, init),
  onRetired: async () => alone && scope.registration.unregister(),
});

scope.addEventListener('install', (event) => {
  if (alone) void scope.skipWaiting();
  event.waitUntil(alone ? store.refresh() : store.refresh().catch(() => {})); // must not keep another worker from installing
});
scope.addEventListener('activate', (event) => {
  if (alone) event.waitUntil(scope.clients.claim());
});
scope.addEventListener('fetch', (event) => {
  if (store.handles(event.request)) event.respondWith(store.answer(event.request, (work) => event.waitUntil(work)));
});
