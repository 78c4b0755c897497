/**
 * What a page and its encoder worker say to each other.
 *
 *   page -> worker   load(request) · embed(id, text) · abort(id) · close
 *   worker -> page   ready · progress · loaded(facts) · failed(error) · vector(id) · error(id)
 *
 * `load` has the id 0 for `abort`.
 */
import type { PlainError } from '../client/errors.js';
import type { Precision } from './descriptor.js';
import type { EncoderRequest } from './load.js';
import type { ModelProgress } from './model_cache.js';

export const LOAD_ID = 0;

export interface EncoderFacts {
  name: string;
  space: string;
  dimensions: number;
  precision: Precision;
}

export type ToEncoder =
  | { type: 'load'; request: EncoderRequest }
  | { type: 'embed'; id: number; text: string }
  | { type: 'abort'; id: number }
  | { type: 'close' };

export type FromEncoder =
  | { type: 'ready' }
  | { type: 'progress'; progress: ModelProgress }
  | { type: 'loaded'; facts: EncoderFacts }
  | { type: 'failed'; error: PlainError }
  | { type: 'vector'; id: number; vector: Float32Array }
  | { type: 'error'; id: number; error: PlainError };
