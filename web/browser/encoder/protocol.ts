/** The methods that a page and its encoder's worker call on each other, through client/rpc.ts. */
import type { Precision } from './descriptor.js';
import type { EncoderRequest } from './load.js';
import type { ModelProgress } from './model_cache.js';

export interface EncoderFacts {
  name: string;
  space: string;
  dimensions: number;
  precision: Precision;
}

export interface WorkerMethods {
  /** The first call. */
  load(request: EncoderRequest): EncoderFacts;
  embed(text: string): Float32Array;
}

export interface PageMethods {
  progress(progress: ModelProgress): void;
}
