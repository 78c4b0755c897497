/**
 * Loads a transformer encoder on the calling thread of a browser, page or worker: descriptor, files,
 * runtime, session. index.ts chooses the thread.
 */
import { asSheafError, SheafError, throwIfAborted } from '../client/errors.js';
import { readBody } from '../client/http_answer.js';
import {
  BUILT_IN,
  DESCRIPTOR_FILE,
  filesFor,
  MAX_DESCRIPTOR_BYTES,
  MINILM_PROJECTION,
  parseDescriptor,
  type EncoderDescriptor,
  type Precision,
} from './descriptor.js';
import { fetchModelFile, type ModelProgress } from './model_cache.js';
import type { Runtime } from './runtime.js';
import { TransformerEncoder } from './transformer.js';

/** What to load; plain data, so that it can cross to a worker. */
export interface EncoderRequest {
  /** Absolute URL of a folder with encoder.json, as `sheaf model path` shows one, ending in '/'. */
  folder?: string;
  /** A built-in encoder by name, from the Hugging Face hub or the mirror that `endpoint` names. */
  name?: string;
  endpoint?: string;
  precision: Precision;
  device: 'wasm' | 'webgpu';
  /** URL of onnxruntime-web's module; by default the package, as bundlers resolve it. */
  runtime?: string;
  instruction: boolean;
  cache?: string | false;
  wasm?: Uint8Array | ArrayBuffer | string;
}

export interface LoadHooks {
  signal?: AbortSignal | undefined;
  onProgress?: ((progress: ModelProgress) => void) | undefined;
}

const HUB = 'https://huggingface.co';

export async function loadHere(request: EncoderRequest, hooks: LoadHooks = {}): Promise<TransformerEncoder> {
  const { descriptor, address } = await locate(request, hooks.signal);
  // All at once: the runtime's code and the model's files.
  const [runtime, ...contents] = await Promise.all([
    loadRuntime(request),
    ...filesFor(descriptor, request.precision).map(async (path) => {
      const facts = descriptor.files[path] as { bytes: number; sha256: string };
      return [path, await fetchModelFile(path, address(path), facts, { ...hooks, cache: request.cache })] as const;
    }),
  ]);
  throwIfAborted(hooks.signal);
  const { precision, wasm, instruction } = request;
  const parts = { descriptor, precision, files: new Map(contents), runtime, wasm, instruction };
  if (request.device === 'webgpu') {
    const failure = await webGpuMissing();
    if (failure === undefined)
      return TransformerEncoder.create({ ...parts, sessionOptions: { executionProviders: ['webgpu', 'wasm'] } });
    console.warn(`sheaf: ${failure}, so ${descriptor.name} runs on WebAssembly.`);
  }
  return TransformerEncoder.create({ ...parts, sessionOptions: { executionProviders: ['wasm'] } });
}

async function locate(
  request: EncoderRequest,
  signal: AbortSignal | undefined,
): Promise<{ descriptor: EncoderDescriptor; address: (path: string) => URL }> {
  if (request.folder !== undefined) {
    const folder = request.folder;
    const descriptor = parseDescriptor(
      await fetchText(new URL(DESCRIPTOR_FILE, folder), signal),
      new URL(DESCRIPTOR_FILE, folder).href,
    );
    return { descriptor, address: (path) => new URL(path, folder) };
  }
  const descriptor =
    request.name !== undefined && Object.hasOwn(BUILT_IN, request.name) ? BUILT_IN[request.name] : undefined;
  if (descriptor?.source === undefined) {
    throw new SheafError(
      'NOT_FOUND',
      `The hub has no encoder “${String(request.name)}” for Sheaf; give the URL of its folder, as sheaf model path shows it.`,
    );
  }
  const { repository, revision } = descriptor.source;
  const base = `${(request.endpoint ?? HUB).replace(/(?<!\/)\/+$/, '')}/${repository}/resolve/${revision}/`;
  return {
    descriptor,
    // The projection ships with this package; the rest is on the hub.
    address: (path) =>
      path === MINILM_PROJECTION
        ? new URL('../../../models/minilm-l6-256.rotation.f32', import.meta.url)
        : new URL(path, base),
  };
}

async function fetchText(url: URL, signal: AbortSignal | undefined): Promise<string> {
  let response: Response;
  try {
    response = await fetch(url, signal === undefined ? {} : { signal });
  } catch (error) {
    throwIfAborted(signal);
    throw asSheafError(error, 'NETWORK', `${url.href} could not be fetched`);
  }
  if (!response.ok) {
    await response.body?.cancel().catch(() => {});
    throw new SheafError(
      'NETWORK',
      `${url.href} answered ${response.status}; a model folder, as sheaf model path shows it, has this file.`,
      { status: response.status },
    );
  }
  return new TextDecoder().decode(await readBody(response, MAX_DESCRIPTOR_BYTES, url.href, signal));
}

async function loadRuntime(request: EncoderRequest): Promise<Runtime> {
  const where = request.runtime ?? 'onnxruntime-web';
  let module: Runtime & { default?: Runtime };
  try {
    if (request.runtime !== undefined)
      module = (await import(/* @vite-ignore */ /* webpackIgnore: true */ request.runtime)) as Runtime;
    else if (request.device === 'webgpu') module = (await import('onnxruntime-web/webgpu')) as unknown as Runtime;
    else module = (await import('onnxruntime-web/wasm')) as unknown as Runtime;
  } catch (error) {
    throw asSheafError(
      error,
      'RUNTIME',
      `ONNX Runtime could not be loaded from ${where}; without a bundler, name the URL of its module in the option runtime`,
    );
  }
  const runtime: Runtime | undefined = module.InferenceSession === undefined ? module.default : module;
  if (runtime?.InferenceSession === undefined) {
    throw new SheafError(
      'RUNTIME',
      `${where} is no module of ONNX Runtime; name one in the option runtime, such as ort.wasm.min.mjs.`,
    );
  }
  // Threads need shared memory, which only a cross-origin isolated page has.
  if (runtime.env?.wasm !== undefined) {
    runtime.env.wasm.numThreads = globalThis.crossOriginIsolated
      ? Math.min(4, globalThis.navigator?.hardwareConcurrency ?? 1)
      : 1;
  }
  return runtime;
}

async function webGpuMissing(): Promise<string | undefined> {
  const gpu = (globalThis.navigator as { gpu?: { requestAdapter(): Promise<unknown> } } | undefined)?.gpu;
  if (gpu === undefined) return 'this browser has no WebGPU';
  const adapter = await gpu.requestAdapter().catch(() => null);
  return adapter === null ? 'there is no graphics adapter for WebGPU' : undefined;
}
