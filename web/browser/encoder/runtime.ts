/**
 * The part of the ONNX Runtime API used here, common to `onnxruntime-node` and `onnxruntime-web`.
 * Declared rather than imported: both are optional peers, and no path but this one needs them.
 */
export interface Tensor {
  readonly data: unknown;
  readonly dims: readonly number[];
}

export interface Session {
  readonly inputNames: readonly string[];
  readonly outputNames: readonly string[];
  run(feeds: Record<string, Tensor>): Promise<Record<string, Tensor>>;
  release?(): Promise<void>;
}

export interface Runtime {
  InferenceSession: { create(model: Uint8Array, options?: Record<string, unknown>): Promise<Session> };
  Tensor: new (type: 'int64', data: BigInt64Array, dims: readonly number[]) => Tensor;
  env?: { wasm?: { numThreads?: number; wasmPaths?: unknown }; logLevel?: string };
}
