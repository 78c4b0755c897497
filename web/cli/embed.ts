/** `sheaf embed`: the embedding process, for the packer. */
import { PRECISIONS, type Precision } from '../browser/encoder/descriptor.js';
import { usageError } from '../node/base/exit.js';
import { serve } from '../node/encoder/embedding_process.js';
import { findModel, loadEncoder, modelHash } from '../node/encoder/node.js';
import { modelFile } from '../node/encoder/store.js';
import { parseCount, parseFlags } from './flags.js';

export const help = `Usage: sheaf embed MODEL [--precision fp32|int8]

Embeds passages for sheaf-pack over stdin and stdout (docs/embedding-protocol.md). sheaf pack starts
it by itself: sheaf pack DOCS --library NAME --version V --encoder MODEL

  --precision P      fp32 (default) or int8
  --batch-tokens N   tokens of a batch, padding included, 4096 by default`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('embed', {
    args,
    allowPositionals: true,
    options: { precision: { type: 'string' }, 'batch-tokens': { type: 'string' } },
  });
  const [name, ...more] = positionals;
  if (name === undefined || more.length > 0)
    throw usageError('Name one model, for example: sheaf embed all-MiniLM-L6-v2');
  const precision = parsePrecision(values.precision) ?? 'fp32';
  const batchTokens = parseCount('--batch-tokens', values['batch-tokens'], 4096);
  return serve(process.stdin, process.stdout, async () => {
    const encoder = await loadEncoder(name, { precision });
    const { tokenizer } = encoder.descriptor;
    return {
      encoder,
      facts: {
        hash: modelHash(encoder.descriptor, precision),
        vocabulary: modelFile(await findModel(name), tokenizer.vocabulary),
        batchTokens,
      },
    };
  });
}

export function parsePrecision(value: string | undefined): Precision | undefined {
  if (value === undefined || PRECISIONS.includes(value as Precision)) return value as Precision | undefined;
  throw usageError(`--precision must be ${PRECISIONS.join(' or ')}, not '${value}'.`);
}
