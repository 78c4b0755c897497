/**
 * The models on this machine: one folder a model, in
 *
 *     $SHEAF_MODEL_CACHE, or $XDG_CACHE_HOME/sheaf/models, or ~/.cache/sheaf/models
 *       all-MiniLM-L6-v2/
 *         encoder.json         the descriptor of exactly the files here
 *         vocab.txt            its files, by the descriptor's paths
 *         onnx/model.onnx
 *         .partial/            downloads on their way (install.ts)
 *
 * A folder without encoder.json holds no model yet. For Node.
 *
 * Invariants
 *  1. encoder.json is written last and replaced by renaming; files are renamed into place after
 *     their SHA-256 was checked. If encoder.json exists, the files are complete.
 *  2. Names never lead outside the store.
 *
 * Cost: finding a model reads encoder.json and hashes nothing; `verifyModel` reads every byte.
 */
import { statSync } from 'node:fs';
import { lstat, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { hashFile } from '../base/hash.js';
import { SheafError } from '../../browser/client/errors.js';
import { flush, flushFolder } from '../base/files.js';
import { userFolder } from '../client/paths.js';
import {
  BUILT_IN,
  DESCRIPTOR_FILE,
  MAX_DESCRIPTOR_BYTES,
  parseDescriptor,
  PRECISIONS,
  type EncoderDescriptor,
  type FileFacts,
} from '../../browser/encoder/descriptor.js';

export interface StoredModel {
  /** Absolute. */
  folder: string;
  /** Describes what the folder holds: a model may be installed in one precision only. */
  descriptor: EncoderDescriptor;
}

export interface FileProblem {
  path: string;
  /** "is missing", "has 12 bytes, expected 13", ... */
  problem: string;
}

export const PARTIAL_FOLDER = '.partial';

/** The folder of all models. */
export function modelsFolder(env: NodeJS.ProcessEnv = process.env): string {
  const named = env['SHEAF_MODEL_CACHE'];
  if (named) return resolve(named);
  return join(userFolder('cache', env), 'sheaf', 'models');
}

/** Where the model of that name is, or would be. Error: INVALID_ARGUMENT when the name is invalid. */
export function modelFolder(name: string): string {
  if (!isModelName(name)) {
    throw new SheafError(
      'INVALID_ARGUMENT',
      `'${name}' cannot be a model's name; expected letters, digits, dots, dashes and underscores, at most 64.`,
    );
  }
  return join(modelsFolder(), name);
}

export function isModelName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(name);
}

/**
 * The model of a name in the store, of a folder with encoder.json, or of a path to an encoder.json.
 * Errors: NOT_FOUND, saying how to get it; INVALID_ARGUMENT when encoder.json is malformed; FILE.
 */
export async function findModel(nameOrPath: string): Promise<StoredModel> {
  if (isModelName(nameOrPath)) {
    const folder = modelFolder(nameOrPath);
    const descriptor = await readDescriptor(join(folder, DESCRIPTOR_FILE));
    if (descriptor !== undefined) return { folder, descriptor };
  }
  const path = resolve(nameOrPath);
  const file = (await stat(path).catch(() => undefined))?.isDirectory() ? join(path, DESCRIPTOR_FILE) : path;
  const looksLikePath = !isModelName(nameOrPath) || file.endsWith('.json') || file !== path;
  const descriptor = looksLikePath ? await readDescriptor(file) : undefined;
  if (descriptor !== undefined) return { folder: dirname(file), descriptor };
  throw notInstalled(nameOrPath);
}

function notInstalled(name: string): SheafError {
  if (!isModelName(name))
    return new SheafError(
      'NOT_FOUND',
      `There is no ${DESCRIPTOR_FILE} at ${name}; expected a model's folder or its descriptor.`,
    );
  const known = Object.hasOwn(BUILT_IN, name)
    ? ''
    : ` Built in are ${Object.keys(BUILT_IN).join(', ')}; others need a descriptor file.`;
  const how = Object.hasOwn(BUILT_IN, name) ? name : 'NAME';
  return new SheafError(
    'NOT_FOUND',
    `The model ${name} is not in ${modelsFolder()}.${known} Get it with: sheaf model add ${how}`,
  );
}

/** A descriptor file, or undefined when there is none. Errors: FILE, INVALID_ARGUMENT. */
export async function readDescriptor(path: string): Promise<EncoderDescriptor | undefined> {
  try {
    const { size } = await stat(path);
    if (size > MAX_DESCRIPTOR_BYTES) {
      throw new SheafError(
        'INVALID_ARGUMENT',
        `${path} has ${size} bytes; a descriptor has at most ${MAX_DESCRIPTOR_BYTES}. Name an ${DESCRIPTOR_FILE}.`,
      );
    }
    return parseDescriptor(await readFile(path, 'utf8'), path);
  } catch (error) {
    if (error instanceof SheafError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new SheafError('FILE', `${path} cannot be read: ${message}.`, { cause: error });
  }
}

/** Absolute path of a file that the descriptor lists. Errors: FILE when it is missing or of another size. */
export function modelFile(model: StoredModel, path: string): string {
  const facts = Object.hasOwn(model.descriptor.files, path) ? model.descriptor.files[path] : undefined;
  if (facts === undefined)
    throw new SheafError(
      'INVALID_ARGUMENT',
      `${model.descriptor.name} has no file ${path}; its ${DESCRIPTOR_FILE} lists ${Object.keys(model.descriptor.files).join(', ')}.`,
    );
  const file = join(model.folder, path);
  let found: string | undefined;
  try {
    const stats = statSync(file);
    if (stats.isFile() && stats.size === facts.bytes) return file;
    found = stats.isFile() ? `has ${stats.size} bytes, expected ${facts.bytes}` : 'is no file';
  } catch (error) {
    found =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'is missing' : `cannot be read: ${(error as Error).message}`;
  }
  throw new SheafError(
    'FILE',
    `${file} ${found}. Check the model with: sheaf model verify ${model.descriptor.name} — and repair it with: ${repairOf(model)}`,
  );
}

/** The command that restores what a stored model lacks. */
export function repairOf({ descriptor }: StoredModel): string {
  const builtIn = Object.hasOwn(BUILT_IN, descriptor.name) ? BUILT_IN[descriptor.name] : undefined;
  if (builtIn === undefined) return `sheaf model add DESCRIPTOR`;
  const fromHub = Object.entries(descriptor.files).every(
    ([path, { sha256 }]) => builtIn.files[path]?.sha256 === sha256,
  );
  const [only, another] = PRECISIONS.filter((precision) => descriptor.models[precision] !== undefined);
  return `sheaf model add ${descriptor.name}${another === undefined ? ` --precision ${only}` : ''}${fromHub ? '' : ' --from-pypi'}`;
}

/** Called with the bytes hashed so far of one file. */
export type FileProgress = (path: string, bytes: number, of: number) => void;

/** Reads and hashes every file; returns the problems it finds instead of throwing. */
export async function verifyModel(model: StoredModel, onProgress?: FileProgress): Promise<FileProblem[]> {
  const problems: FileProblem[] = [];
  for (const [path, facts] of Object.entries(model.descriptor.files)) {
    const problem = await fileProblem(join(model.folder, path), facts, (bytes) =>
      onProgress?.(path, bytes, facts.bytes),
    );
    if (problem !== undefined) problems.push({ path, problem });
  }
  return problems;
}

/** What is wrong with a file, or undefined when its size and SHA-256 are as described. */
export async function fileProblem(
  file: string,
  facts: FileFacts,
  onBytes?: (bytes: number) => void,
): Promise<string | undefined> {
  try {
    const stats = await stat(file);
    if (!stats.isFile()) return 'is no file';
    if (stats.size !== facts.bytes) return `has ${stats.size} bytes, expected ${facts.bytes}`;
    const sha256 = await hashFile(file, onBytes);
    return sha256 === facts.sha256 ? undefined : `has the SHA-256 ${sha256}, expected ${facts.sha256}`;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
      ? 'is missing'
      : `cannot be read: ${(error as Error).message}`;
  }
}

/** Every model of the store by name. A folder whose encoder.json cannot be used comes with its `problem`. */
export async function listModels(): Promise<(StoredModel | { folder: string; name: string; problem: string })[]> {
  const root = modelsFolder();
  let names: string[];
  try {
    names = await readdir(root);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw new SheafError('FILE', `The models' folder ${root} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  const models = [];
  for (const name of names.filter(isModelName).sort()) {
    const folder = join(root, name);
    try {
      const descriptor = await readDescriptor(join(folder, DESCRIPTOR_FILE));
      if (descriptor !== undefined) models.push({ folder, descriptor });
    } catch (error) {
      models.push({ folder, name, problem: (error as Error).message });
    }
  }
  return models;
}

/** Bytes of the files that a model's descriptor lists. */
export function totalBytes(descriptor: EncoderDescriptor): number {
  return Object.values(descriptor.files).reduce((sum, { bytes }) => sum + bytes, 0);
}

/**
 * Removes a model's folder, unfinished downloads included; returns the bytes it freed. encoder.json
 * goes first, so that nobody finds half a model. Errors: NOT_FOUND, FILE.
 */
export async function removeModel(name: string): Promise<number> {
  const folder = modelFolder(name);
  const bytes = await treeBytes(folder);
  if (bytes === undefined)
    throw new SheafError(
      'NOT_FOUND',
      `There is no model ${name} in ${modelsFolder()}. To list those there are: sheaf model list`,
    );
  try {
    await rm(join(folder, DESCRIPTOR_FILE), { force: true });
    await rm(folder, { recursive: true, force: true });
  } catch (error) {
    throw new SheafError('FILE', `${folder} cannot be removed: ${(error as Error).message}.`, { cause: error });
  }
  return bytes;
}

async function treeBytes(path: string): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined || !stats.isDirectory()) return stats?.size;
  let total = 0;
  for (const name of await readdir(path)) total += (await treeBytes(join(path, name))) ?? 0;
  return total;
}

/** Writes encoder.json whole or not at all. */
export async function writeDescriptor(folder: string, descriptor: EncoderDescriptor, scratch: string): Promise<void> {
  const temporary = join(scratch, DESCRIPTOR_FILE);
  await writeFile(temporary, `${JSON.stringify(descriptor, null, 2)}\n`);
  await flush(temporary);
  await rename(temporary, join(folder, DESCRIPTOR_FILE));
  await flushFolder(folder);
}
