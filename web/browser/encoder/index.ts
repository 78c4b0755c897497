/**
 * Transformer query encoders in browsers: opt-in, loaded on demand, in a worker of their own.
 *
 *     import { open } from 'sheaf';
 *     import { loadEncoder, withTransformer } from 'sheaf/encoder';
 *     const plain = await open('/docs/vue.sheaf', { encoder: '/docs/minilm-l6-256.sheaf' });
 *     const library = withTransformer(plain, loadEncoder({ model: '/models/all-MiniLM-L6-v2/' }));
 *
 * Needs the optional package onnxruntime-web. Node: sheaf/encoder/node.
 */
import { absolute } from '../client/absolute.js';
import { SheafError } from '../client/errors.js';
import { ownScript, startWorker } from '../client/start_worker.js';
import { BUILT_IN, type Precision } from './descriptor.js';
import { loadHere, type EncoderRequest, type LoadHooks } from './load.js';
import type { ModelProgress } from './model_cache.js';
import { loadRemote } from './remote.js';
import type { QueryEncoder } from './transformer.js';

export { BUILT_IN, parseDescriptor, type EncoderDescriptor, type Pooling, type Precision } from './descriptor.js';
export type { ModelProgress } from './model_cache.js';
export type { QueryEncoder } from './transformer.js';
export { checkFit, withTransformer, type EncoderState, type UpgradedLibrary, type UpgradeOptions } from './upgrade.js';

export interface LoadEncoderOptions {
  /**
   * A model's folder by URL (it holds encoder.json; `sheaf model path NAME` shows one to copy), or the
   * name of a built-in encoder, which is fetched from the Hugging Face hub.
   */
  model: string | URL;
  /** Default int8: a quarter of the bytes, and good enough for queries. */
  precision?: Precision;
  /** 'webgpu' is used if requested and available; otherwise WebAssembly. Default 'wasm'. */
  device?: 'wasm' | 'webgpu';
  /** URL of onnxruntime-web's module, for pages without a bundler: …/ort.wasm.min.mjs, or ort.webgpu.min.mjs. */
  runtime?: string | URL;
  /** A mirror of the hub. Default https://huggingface.co. */
  endpoint?: string;
  /** Put the model's instruction before queries, where it has one. Default false. */
  instruction?: boolean;
  /** Name of the Cache Storage that keeps the files, or false. Default 'sheaf-models'. */
  cache?: string | false;
  /** As for `open`: a worker by default, this thread where there is none. */
  worker?: boolean | URL | string;
  /** The tokenizer's code: bytes, or where to fetch it. By default the package's own file. */
  wasm?: Uint8Array | ArrayBuffer | URL | string;
  signal?: AbortSignal;
  onProgress?: (progress: ModelProgress) => void;
}

/** Rejects with NETWORK, CHECKSUM_MISMATCH, INVALID_ARGUMENT (a bad descriptor), NOT_FOUND, RUNTIME or ABORTED. */
export async function loadEncoder(options: LoadEncoderOptions): Promise<QueryEncoder> {
  const request = toRequest(options);
  const hooks: LoadHooks = { signal: options.signal, onProgress: options.onProgress };
  if (options.worker !== false && typeof Worker === 'function') {
    const url =
      typeof options.worker === 'string' || options.worker instanceof URL
        ? address(options.worker)
        : ownScript(new URL('./worker.js', import.meta.url));
    const worker = await startWorker(url, options.signal);
    if (worker !== undefined) return loadRemote(worker, request, hooks);
    console.warn(
      "sheaf: no worker could be started for the encoder (Content-Security-Policy needs worker-src 'self'), so it runs on this thread.",
    );
  }
  return loadHere(request, hooks);
}

function toRequest(options: LoadEncoderOptions): EncoderRequest {
  const { model, precision = 'int8', device = 'wasm', instruction = false, endpoint, cache, runtime, wasm } = options;
  if (model === undefined)
    throw new SheafError('INVALID_ARGUMENT', 'Which model? Give the URL of its folder, or its name.');
  const named = typeof model === 'string' && Object.hasOwn(BUILT_IN, model);
  return {
    precision,
    device,
    instruction,
    ...(named ? { name: model } : { folder: asFolder(address(model)) }),
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(cache === undefined ? {} : { cache }),
    ...(runtime === undefined ? {} : { runtime: address(runtime).href }),
    ...(wasm === undefined
      ? {}
      : { wasm: wasm instanceof Uint8Array || wasm instanceof ArrayBuffer ? wasm : address(wasm).href }),
  };
}

function asFolder(url: URL): string {
  return url.href.endsWith('/') ? url.href : `${url.href.replace(/\/encoder\.json$/, '')}/`;
}

const address = (url: string | URL): URL => absolute(url, '');
