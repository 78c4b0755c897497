/**
 * Transformer encoders in Node: models from the store (`sheaf model add`), inference by
 * onnxruntime-node, or by onnxruntime-web's WebAssembly where only that is installed.
 */
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import { asSheafError, SheafError } from '../../browser/client/errors.js';
import { filesFor, PRECISIONS, type EncoderDescriptor, type Precision } from '../../browser/encoder/descriptor.js';
import type { Runtime } from '../../browser/encoder/runtime.js';
import { findModel, modelFile } from './store.js';
import { TransformerEncoder } from '../../browser/encoder/transformer.js';

export { parseDescriptor, BUILT_IN, type EncoderDescriptor, type Precision } from '../../browser/encoder/descriptor.js';
export { findModel, modelFolder } from './store.js';
export { TransformerEncoder, type QueryEncoder } from '../../browser/encoder/transformer.js';
export {
  withTransformer,
  type EncoderState,
  type UpgradedLibrary,
  type UpgradeOptions,
} from '../../browser/encoder/upgrade.js';

export interface NodeEncoderOptions {
  /** By default int8 where it is installed, which is what queries want; fp32 is for documents. */
  precision?: Precision;
  /** Threads of one inference; by default all cores. */
  threads?: number;
  /** Put the model's instruction before queries, where it has one. Default false. */
  instruction?: boolean;
  /** Which package runs it; by default the first that is installed. */
  runtime?: 'onnxruntime-node' | 'onnxruntime-web';
  /** How many recent queries' vectors are kept. Default 64. */
  recent?: number;
}

/**
 * Loads a model of the store by name, or a model folder by path.
 * Errors: NOT_FOUND (not installed), CHECKSUM_MISMATCH, RUNTIME (no ONNX Runtime, or it failed).
 */
export async function loadEncoder(nameOrPath: string, options: NodeEncoderOptions = {}): Promise<TransformerEncoder> {
  const model = await findModel(nameOrPath);
  const { descriptor } = model;
  const precision = options.precision ?? preferred(descriptor);
  const files = new Map<string, Uint8Array>();
  for (const path of filesFor(descriptor, precision))
    files.set(path, await readChecked(modelFile(model, path), descriptor, path));
  const { runtime, web } = await loadRuntime(options.runtime);
  const threads = options.threads ?? availableParallelism();
  if (web && runtime.env?.wasm !== undefined) runtime.env.wasm.numThreads = threads;
  return TransformerEncoder.create({
    descriptor,
    precision,
    files,
    runtime,
    wasm: await ownWasm(),
    instruction: options.instruction,
    recent: options.recent,
    // Idle threads sleep: a spinning pool takes cores from other processes that pack or serve.
    sessionOptions: {
      intraOpNumThreads: threads,
      executionMode: 'sequential',
      ...(web ? {} : { extra: { session: { intra_op: { allow_spinning: '0' } } } }),
    },
  });
}

/** SHA-256 of the ONNX file that `precision` names: what a manifest records as the encoder's hash. */
export function modelHash(descriptor: EncoderDescriptor, precision: Precision): string {
  return descriptor.files[filesFor(descriptor, precision).at(-1) as string]?.sha256 ?? '';
}

function preferred(descriptor: EncoderDescriptor): Precision {
  return descriptor.models.int8 !== undefined
    ? 'int8'
    : (PRECISIONS.find((precision) => descriptor.models[precision] !== undefined) as Precision);
}

async function readChecked(file: string, descriptor: EncoderDescriptor, path: string): Promise<Uint8Array> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    throw asSheafError(error, 'FILE', `${file} cannot be read`);
  }
  const expected = descriptor.files[path]?.sha256;
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== expected) {
    throw new SheafError(
      'CHECKSUM_MISMATCH',
      `${file} has the SHA-256 ${found}, expected ${expected}; fetch it again: sheaf model add ${descriptor.name} --force`,
    );
  }
  return bytes;
}

async function loadRuntime(wanted: NodeEncoderOptions['runtime']): Promise<{ runtime: Runtime; web: boolean }> {
  const names = wanted === undefined ? (['onnxruntime-node', 'onnxruntime-web'] as const) : [wanted];
  for (const name of names) {
    try {
      // A variable keeps bundlers and the compiler from following an optional package.
      const module = (await import(name)) as Runtime & { default?: Runtime };
      return {
        runtime: module.InferenceSession === undefined ? (module.default as Runtime) : module,
        web: name === 'onnxruntime-web',
      };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ERR_MODULE_NOT_FOUND') continue;
      throw asSheafError(error, 'RUNTIME', `${name} is installed but does not load here`);
    }
  }
  throw new SheafError(
    'RUNTIME',
    `Transformer encoders need ONNX Runtime, which is not installed. Install it beside sheaf: npm install ${names[0]}`,
  );
}

async function ownWasm(): Promise<Uint8Array> {
  const path = fileURLToPath(new URL('../../browser/core/sheaf-wordpiece.wasm', import.meta.url));
  try {
    return await readFile(path);
  } catch (error) {
    throw asSheafError(error, 'WASM', `The tokenizer could not be read from ${path}`);
  }
}
