/** Vectors of queries, by the encoder of a space: the table that ships with Sheaf, another, or a transformer. */
import { ENCODER, CoreHost } from '../../browser/client/core_host.js';
import { SheafError } from '../../browser/client/errors.js';
import { FetchSource } from '../../browser/client/fetch_source.js';
import { FileSource } from '../client/file_source.js';
import { loadCore } from '../../browser/client/load.js';
import { readCore, tableOf } from '../client/paths.js';
import { parseEncoder } from '../store/encoder_choice.js';
import { stat } from 'node:fs/promises';

export interface QueryVectors {
  /** Of length 1; empty where no word is known. Undefined: nothing encodes queries for this space. */
  embed(space: string, text: string): Promise<Float32Array | undefined>;
  /** Whether queries of this space are encoded by a table, which knows words. */
  hasTable(space: string): boolean;
  /** Whether the table of this space has a word, folded, so that it is none that was mistyped. A transformer tells of no word. */
  knows(space: string, word: string): Promise<boolean>;
  close(): Promise<void>;
}

interface Encoder {
  space: string;
  embed(text: string): Promise<Float32Array>;
  knows?(word: string): Promise<boolean>;
  close(): Promise<void>;
}

/** `encoder` as in `--encoder`. */
export function queryVectors(encoder: string | undefined): QueryVectors {
  const choice = parseEncoder(encoder);
  const open = new Map<string, Promise<Encoder | undefined>>();
  const load = (space: string): Promise<Encoder | undefined> => {
    if (choice.kind === 'none') return Promise.resolve(undefined);
    if (choice.kind === 'model') return loadModel(choice.name, choice.precision);
    return loadTable(choice.table ?? tableOf(space));
  };
  const encoderOf = async (space: string): Promise<Encoder | undefined> => {
    if (space === '') return undefined;
    let loading = open.get(space);
    if (loading === undefined) {
      loading = load(space);
      open.set(space, loading);
      loading.catch(() => open.delete(space));
    }
    const found = await loading;
    if (found !== undefined && found.space !== space)
      throw new SheafError(
        'SPACE_MISMATCH',
        `The rows have vectors of ${space}, and the encoder makes those of ${found.space}; name another with --encoder.`,
      );
    return found;
  };
  return {
    embed: async (space, text) => (await encoderOf(space))?.embed(text),
    hasTable: (space) => space !== '' && choice.kind === 'table',
    knows: async (space, word) => (await (await encoderOf(space))?.knows?.(word)) ?? false,
    async close() {
      const all = await Promise.allSettled(open.values());
      await Promise.all(all.map((each) => (each.status === 'fulfilled' ? each.value?.close() : undefined)));
    },
  };
}

async function loadTable(where: string | undefined): Promise<Encoder | undefined> {
  if (where === undefined) return undefined;
  const isWeb = /^https?:\/\//i.test(where);
  if (!isWeb && !(await stat(/^file:/i.test(where) ? new URL(where) : where).catch(() => undefined))?.isFile())
    return undefined;
  const host = new CoreHost(await loadCore(await readCore()));
  try {
    const source = isWeb ? new FetchSource(where) : new FileSource(/^file:/i.test(where) ? new URL(where) : where);
    await host.attach(ENCODER, source, { lazy: false });
    const space = await host.openEncoder();
    return {
      space,
      embed: (text) => host.embed(text),
      knows: async (word) => (await host.knowsWord(word)) === 1,
      close: () => host.close(),
    };
  } catch (error) {
    await host.close();
    throw error;
  }
}

async function loadModel(name: string, precision: 'fp32' | 'int8' | undefined): Promise<Encoder> {
  const { loadEncoder } = await import('../encoder/node.js');
  return loadEncoder(name, precision === undefined ? {} : { precision });
}
