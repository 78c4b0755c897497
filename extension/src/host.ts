/**
 * The page that keeps the worker: Chromium's offscreen document, or Firefox's background page. It passes messages between
 * the worker and the views that connect, and starts another worker when one dies. It computes nothing.
 *
 * A service worker cannot start workers and ends after half a minute; this page stays, and the open libraries with it.
 */
import { SheafError } from '../browser/client/errors.js';
import { Peer, type Port } from '../browser/client/rpc.js';
import type { LedgerKeeper } from './ledger_keeper.js';
import type { HostMethods, WorkerMethods } from './methods.js';
import type { Ledger } from './types.js';

/** A port that tells when its other end is gone. */
export interface Ending {
  onEnd(listener: () => void): void;
}

/** Extension pages are kept only while they do something that the browser sees. */
const STIR_EVERY_MS = 15_000;

export class Host {
  readonly #keeper: LedgerKeeper;
  /** Ends the ports to the worker, when it dies; their users connect again. */
  readonly #ends = new Set<() => void>();
  #worker: Worker | undefined;
  #stirring: ReturnType<typeof setInterval> | undefined;

  constructor(keeper: LedgerKeeper) {
    this.#keeper = keeper;
  }

  start(): void {
    void navigator.storage.persist?.().catch(() => {});
    chrome.runtime.onConnect.addListener((port) => {
      if (port.name === DESK && port.sender?.id === chrome.runtime.id) this.#relay(port);
    });
  }

  /** The desk, for code of this page itself. */
  port(): Port & Ending {
    const { port1, onEnd } = this.#open();
    return Object.assign(port1, { onEnd });
  }

  #open(): { port1: MessagePort; end: () => void; onEnd: (listener: () => void) => void } {
    const { port1, port2 } = new MessageChannel();
    this.#living().postMessage({ type: 'port' }, [port2]);
    port1.start();
    const listeners: (() => void)[] = [];
    const end = (): void => {
      if (!this.#ends.delete(end)) return;
      port1.postMessage({ type: 'bye' });
      port1.close();
      for (const listener of listeners) listener();
    };
    this.#ends.add(end);
    return { port1, end, onEnd: (listener) => listeners.push(listener) };
  }

  #relay(port: chrome.runtime.Port): void {
    const { port1, end, onEnd } = this.#open();
    onEnd(() => port.disconnect());
    port1.addEventListener('message', ({ data }) => port.postMessage(data));
    port.onMessage.addListener((message) => port1.postMessage(message));
    port.onDisconnect.addListener(end);
    port.postMessage({ type: 'ready' }); // connect.ts waits for it
  }

  #living(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    const worker = new Worker(chrome.runtime.getURL('extension/worker.js'), { type: 'module', name: 'sheaf' });
    this.#worker = worker;
    const methods = {
      readLedger: () => this.#keeper.read(),
      writeLedger: (ledger: Ledger) => this.#keeper.write(ledger),
      busy: (busy: boolean) => this.#stir(busy),
    };
    new Peer<WorkerMethods, HostMethods>(worker, methods, {
      end: () => worker.terminate(),
      died: (detail) => {
        console.warn(`sheaf: the worker stopped (${detail}).`);
        if (this.#worker === worker) this.#worker = undefined;
        worker.terminate();
        this.#stir(false);
        for (const end of [...this.#ends]) end();
        return new SheafError('INTERNAL', 'The worker stopped.');
      },
    });
    return worker;
  }

  #stir(busy: boolean): void {
    clearInterval(this.#stirring);
    this.#stirring = busy ? setInterval(() => void chrome.runtime.getPlatformInfo?.(), STIR_EVERY_MS) : undefined;
  }
}

/** The name of ports that lead to the desk. */
export const DESK = 'sheaf-desk';
