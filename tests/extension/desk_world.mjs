/** The extension's service in Node: over a vault in memory, and what an earlier one left in a world. */
import { readFileSync } from 'node:fs';
import { SheafError } from '../../dist/browser/client/errors.js';
import { loadCore } from '../../dist/browser/client/load.js';
import { openLocal } from '../../dist/browser/client/local.js';
import { BytesSource } from '../../dist/browser/client/source.js';
import { Desk } from '../../dist/extension/desk.js';
import { TABLE } from '../node/packed.mjs';

const WASM = readFileSync(new URL('../../dist/browser/core/sheaf-core.wasm', import.meta.url));

export class MemoryVault {
  files = new Map();
  room = Infinity;
  names = async () => [...this.files.keys()];
  size = async (name) => this.files.get(name)?.length;
  remove = async (name) => void this.files.delete(name);
  async source(name) {
    const bytes = this.files.get(name);
    if (bytes === undefined) throw new SheafError('FILE', 'gone');
    return new BytesSource(bytes, name);
  }
  async writer(name) {
    const vault = this;
    let bytes = Buffer.from(this.files.get(name) ?? []);
    const keep = () => vault.files.set(name, new Uint8Array(bytes));
    return {
      get size() {
        return bytes.length;
      },
      write(more) {
        if (bytes.length + more.length > vault.room) throw new DOMException('full', 'QuotaExceededError');
        bytes = Buffer.concat([bytes, more]);
      },
      truncate: () => void (bytes = Buffer.alloc(0)),
      close: keep,
    };
  }
}

/** A desk over what an earlier one left. */
export function deskOver(world, more = {}) {
  return new Desk({
    vault: world.vault,
    readLedger: async () => world.ledger && structuredClone(world.ledger),
    writeLedger: async (ledger) => {
      world.writes = (world.writes ?? 0) + 1;
      world.ledger = structuredClone(ledger);
    },
    fetch: (...args) => fetch(...args),
    async openCore(bundle, table, whole) {
      const core = await loadCore(WASM);
      const library = await openLocal(core, bundle, { lazy: !whole, encoder: table, deferEncoder: true });
      return { library, bytes: () => core.memory.buffer.byteLength };
    },
    ownTable: { space: 'minilm-l6-256', read: async () => new Blob([readFileSync(TABLE)]).stream() },
    estimate: async () => ({ used: 0, free: world.free ?? 1e12, persisted: true }),
    changed: () => {},
    now: Date.now,
    ...more,
  });
}
