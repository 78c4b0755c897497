/**
 * Opens several bundles in one worker, each over a port of its own; on this thread where no worker starts.
 * The worker begins with the first bundle and ends with the last.
 */
import { absolute } from './absolute.js';
import { open, type BundleSource } from './open.js';
import { openRemote } from './remote.js';
import { ownScript, startWorker } from './start_worker.js';
import type { BaseOpenOptions, Library } from './types.js';

/** How one bundle is opened; `encoder: false` asks for none, because another bundle's serves. */
export type OpenOne = (
  src: BundleSource,
  options: BaseOpenOptions & { encoder?: BundleSource | false },
) => Promise<Library>;

interface Shared {
  worker: Promise<Worker | undefined>;
  users: number;
}

export function sharedWorker(choice: boolean | URL | string | undefined): OpenOne {
  let current: Shared | undefined;

  /** The worker, with one more user; undefined where none can start. */
  async function enter(): Promise<{ worker: Worker; leave: () => void } | undefined> {
    if (choice === false || typeof Worker !== 'function') return undefined;
    const script =
      choice === undefined || choice === true ? ownScript(new URL('./worker.js', import.meta.url)) : choice;
    const shared = (current ??= { worker: startWorker(script), users: 0 });
    shared.users++;
    const worker = await shared.worker;
    if (worker === undefined) return undefined;
    const forget = (): void => {
      if (current === shared) current = undefined;
    };
    worker.addEventListener('error', forget); // it died: the next bundle starts another
    const leave = (): void => {
      if (--shared.users > 0) return;
      forget();
      worker.terminate();
    };
    return { worker, leave };
  }

  return async (src, { encoder, ...rest }) => {
    // Reject invalid addresses before starting anything.
    const bundle = located(src);
    const table = encoder ? located(encoder) : undefined;
    const wasm = typeof rest.wasm === 'string' ? absolute(rest.wasm) : rest.wasm;
    const entered = await enter();
    if (entered === undefined)
      return open(bundle, { ...rest, ...(table === undefined ? {} : { encoder: table }), worker: false });
    const { worker, leave } = entered;
    const { port1, port2 } = new MessageChannel();
    // A port gets no event when the worker at its other end dies.
    const died = ({ message }: ErrorEvent): void => void port1.dispatchEvent(new ErrorEvent('error', { message }));
    worker.addEventListener('error', died);
    const end = (): void => {
      worker.removeEventListener('error', died);
      port1.close();
      leave();
    };
    worker.postMessage({ type: 'port' }, [port2]);
    port1.start();
    return openRemote(port1, end, bundle, { ...rest, encoder: table, wasm: wasm instanceof URL ? wasm.href : wasm });
  };
}

function located(source: BundleSource): Exclude<BundleSource, string> {
  return typeof source === 'string' ? absolute(source) : source;
}
