/** The worker that the desk runs in: the vault, the core, and a port for each view. */
import { loadCore } from '../browser/client/load.js';
import { openLocal } from '../browser/client/local.js';
import { SheafError } from '../browser/client/errors.js';
import { Peer, type Methods, type Port } from '../browser/client/rpc.js';
import { Desk } from './desk.js';
import type { DeskMethods, HostMethods, ViewMethods, WorkerMethods } from './methods.js';
import { Transformer } from './transformer.js';
import { OpfsVault, VAULT } from './vault.js';

const CORE = new URL('../browser/core/sheaf-core.wasm', import.meta.url);
const TABLE = new URL('../models/minilm-l6-256.sheaf', import.meta.url);
const TABLE_SPACE = 'minilm-l6-256';

const scope = globalThis as unknown as Port;
const views = new Set<Peer<ViewMethods, DeskMethods>>();
let busy = false;

const host = new Peer<HostMethods, WorkerMethods>(scope, { start: () => desk.start() });

const desk: Desk = new Desk({
  vault: new OpfsVault(VAULT),
  readLedger: () => host.call('readLedger', []),
  writeLedger: (ledger) => host.call('writeLedger', [ledger]),
  fetch: (...args) => fetch(...args),
  async openCore(bundle, table, whole) {
    const core = await loadCore(CORE).catch(async (error: unknown) => {
      await Promise.all([bundle.close?.(), table?.close?.()]); // else they stay locked
      throw error;
    });
    const library = await openLocal(core, bundle, { lazy: !whole, encoder: table, deferEncoder: true });
    return { library, bytes: () => core.memory.buffer.byteLength };
  },
  ownTable: {
    space: TABLE_SPACE,
    async read() {
      const { body } = await fetch(TABLE);
      return body as ReadableStream<Uint8Array>;
    },
  },
  async estimate() {
    const { usage = 0, quota = 0 } = await navigator.storage.estimate();
    return { used: usage, free: Math.max(0, quota - usage), persisted: await navigator.storage.persisted() };
  },
  now: Date.now,
  encode: (query, space, signal) => transformer.encode(query, space, signal),
  changed() {
    for (const view of views) view.tell('changed');
    if (desk.busy !== busy) {
      busy = desk.busy;
      void host.call('busy', [busy]).catch(() => {});
    }
    transformer.follow(desk.wantsTransformer);
  },
});
const transformer = new Transformer((state) => desk.tellTransformer(state));

const methods: Methods<DeskMethods> = {
  state: () => desk.state(),
  search: (text, options, where, signal) => desk.search(text, { ...options, signal }, where),
  page: (id, page) => desk.page(id, page),
  findPage: async (id, candidates) => (await desk.findPage(id, candidates)) ?? null,
  contents: (id, from) => desk.contents(id, from),
  passage: (number) => desk.passage(number),
  install: (offer, replaces) => desk.install(offer, replaces ?? undefined),
  sizeOf: async (offer) => (await desk.sizeOf(offer)) ?? null,
  pause: (id) => desk.pause(id),
  resume: (id) => desk.resume(id),
  cancel: (id) => desk.cancel(id),
  replace: (id) => desk.replace(id),
  adopt: async (file, name) => (await desk.adopt(file, name)) ?? null,
  remove: (id) => desk.remove(id),
  mend: () => desk.mend(),
  addCatalogue: (typed, unsigned) => desk.addCatalogue(typed, unsigned),
  findOffers: (address, words) => desk.findOffers(address, words),
  removeCatalogue: (address) => desk.removeCatalogue(address),
  siteOffers: (text, address, title) => desk.siteOffers(text, address, title),
  setGroup: (name, members) => desk.setGroup(name, members),
  setTransformer: (on) => desk.setTransformer(on),
  memory: () => desk.memory,
};

scope.addEventListener('message', ({ ports: [port] }) => {
  if (port === undefined) return;
  const view = new Peer<ViewMethods, DeskMethods>(port, methods);
  views.add(view);
  port.addEventListener('message', ({ data }) => {
    if ((data as { type?: unknown }).type !== 'bye') return;
    views.delete(view);
    view.end(new SheafError('CLOSED', 'The view was closed.'));
    port.close();
  });
  port.start();
});
host.ready();
