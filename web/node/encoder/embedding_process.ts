/**
 * The embedding process that sheaf-pack talks to (docs/embedding-protocol.md).
 *
 *   frame  u32 length of what follows · u8 type · payload, little-endian
 *     <- 1 hello    JSON {protocol, packer}
 *     -> 2 ready    JSON {protocol, encoder, hash, precision, space, dimensions, input: "tokens", …}
 *     <- 3 batch    u32 id · u32 count · count × (u32 n · n × u32 token ids)
 *     -> 4 vectors  u32 id · u32 count · count × dimensions × f32
 *     -> 5 error    u32 id · u32 item · UTF-8 message
 *
 * It answers batches in order, one at a time; the packer keeps the next one ready in the pipe. Stdout
 * carries only frames.
 */
import { once } from 'node:events';
import { SheafError } from '../../browser/client/errors.js';
import { EXIT } from '../base/exit.js';
import { status } from '../base/terminal.js';
import type { TransformerEncoder } from './node.js';

const PROTOCOL = 1;
const MAX_FRAME = 64 * 1024 * 1024;
const HELLO = 1;
const READY = 2;
const BATCH = 3;
const VECTORS = 4;
const ERROR = 5;
const NOT_A_BATCH = 0xffffffff;
const WHOLE_BATCH = 0xffffffff;

interface Loaded {
  encoder: TransformerEncoder;
  facts: { hash: string; vocabulary: string; batchTokens: number };
}

/** Answers frames from `input` on `output` until the input ends. */
export async function serve(
  input: AsyncIterable<Buffer>,
  output: NodeJS.WritableStream,
  load: () => Promise<Loaded>,
): Promise<number> {
  const send = async (type: number, ...parts: Uint8Array[]): Promise<void> => {
    const head = Buffer.alloc(5);
    head.writeUInt32LE(1 + parts.reduce((sum, part) => sum + part.length, 0), 0);
    head.writeUInt8(type, 4);
    // The pipe is full: wait, so that vectors do not pile up here.
    if (!output.write(Buffer.concat([head, ...parts]))) await once(output, 'drain');
  };
  const sendError = (id: number, item: number, error: unknown): Promise<void> => {
    const head = Buffer.alloc(8);
    head.writeUInt32LE(id, 0);
    head.writeUInt32LE(item, 4);
    return send(ERROR, head, Buffer.from(error instanceof Error ? error.message : String(error)));
  };
  let encoder: TransformerEncoder | undefined;
  try {
    for await (const { type, payload } of frames(input)) {
      if (type === HELLO) {
        const { protocol } = JSON.parse(payload.toString('utf8')) as { protocol?: unknown };
        if (protocol !== PROTOCOL)
          throw new SheafError(
            'UNSUPPORTED_VERSION',
            `The packer speaks version ${String(protocol)} of the embedding protocol, this process version ${PROTOCOL}; install both from one release.`,
          );
        const loaded = await load();
        encoder = loaded.encoder;
        await send(READY, Buffer.from(JSON.stringify(describe(loaded))));
      } else if (type === BATCH && encoder !== undefined) {
        const { id, items } = decodeBatch(payload);
        try {
          await send(VECTORS, ...encodeVectors(id, await encoder.embedTokens(items)));
        } catch (error) {
          await sendError(id, WHOLE_BATCH, error);
        }
      } else {
        throw new SheafError(
          'INVALID_ARGUMENT',
          `A frame of type ${type} was not expected here; docs/embedding-protocol.md has the order.`,
        );
      }
    }
    return EXIT.OK;
  } catch (error) {
    await sendError(NOT_A_BATCH, WHOLE_BATCH, error);
    status(`sheaf embed: ${error instanceof Error ? error.message : String(error)}`);
    return EXIT.FAILURE;
  } finally {
    await encoder?.close();
  }
}

function describe({ encoder, facts }: Loaded): object {
  const { name, maxTokens, tokenizer, prefix } = encoder.descriptor;
  const { lowercase, stripAccents, splitCjk } = tokenizer;
  return {
    protocol: PROTOCOL,
    encoder: name,
    hash: facts.hash,
    precision: encoder.precision,
    space: encoder.space,
    dimensions: encoder.dimensions,
    input: 'tokens',
    vocabulary: facts.vocabulary,
    lowercase,
    stripAccents,
    splitCjk,
    maxTokens,
    prefix: prefix.document,
    batchTokens: facts.batchTokens,
    inFlight: 2,
  };
}

/** Cuts a stream of chunks into frames. */
async function* frames(input: AsyncIterable<Buffer>): AsyncGenerator<{ type: number; payload: Buffer }> {
  let chunks: Buffer[] = [];
  let held = 0;
  let wanted = 4;
  for await (const chunk of input) {
    chunks.push(chunk);
    held += chunk.length;
    while (held >= wanted) {
      const joined = chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
      const length = joined.readUInt32LE(0);
      if (length === 0 || length > MAX_FRAME)
        throw new SheafError('CORRUPT', `A frame of ${length} bytes; 1 to ${MAX_FRAME} are allowed.`);
      wanted = 4 + length;
      chunks = [joined];
      if (held < wanted) break;
      yield { type: joined.readUInt8(4), payload: joined.subarray(5, wanted) };
      chunks = [joined.subarray(wanted)];
      held -= wanted;
      wanted = 4;
    }
  }
  if (held > 0)
    throw new SheafError('TRUNCATED', `The packer stopped within a frame, after ${held} of ${wanted} bytes.`);
}

function decodeBatch(payload: Buffer): { id: number; items: Uint32Array[] } {
  const broken = (): SheafError => new SheafError('CORRUPT', 'A batch is shorter or longer than its counts say.');
  if (payload.length < 8) throw broken();
  const id = payload.readUInt32LE(0);
  const count = payload.readUInt32LE(4);
  const items: Uint32Array[] = [];
  let at = 8;
  for (let item = 0; item < count; item++) {
    if (at + 4 > payload.length) throw broken();
    const n = payload.readUInt32LE(at);
    at += 4;
    if (n > (payload.length - at) / 4) throw broken();
    items.push(Uint32Array.from({ length: n }, (_, i) => payload.readUInt32LE(at + 4 * i)));
    at += 4 * n;
  }
  if (at !== payload.length) throw broken();
  return { id, items };
}

function encodeVectors(id: number, vectors: readonly Float32Array[]): Uint8Array[] {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(id, 0);
  head.writeUInt32LE(vectors.length, 4);
  return [head, ...vectors.map((vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength))];
}
