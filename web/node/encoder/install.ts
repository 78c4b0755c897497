/**
 * Puts a model into the store. Whatever the source, only complete and correct files become visible.
 *
 *     source -> NAME/.partial/KEY.HOST.PID.RANDOM/data -> SHA-256 -> fsync -> rename into NAME/ -> encoder.json
 *
 * Several processes may add the same model at once, and any may be killed. There is no lock: each
 * process downloads into folders named after its host and process id, and renaming decides. With a
 * lock, one would have to tell a dead holder from a slow one, and a waiting process would see no
 * progress until the holder is done. Without one, simultaneous downloads are rare and cost only
 * bytes. If a process has died, another takes over its folder by renaming it, which only one can do,
 * and resumes the download.
 *
 * Invariants
 *  1. A file gets its final name only after its size and SHA-256 were read back from the disk.
 *  2. encoder.json lists files that are there. It is removed before a file that it lists is
 *     replaced with other content, and written again last.
 *  3. Of two processes that install two precisions at once, the last to write encoder.json sees both.
 */
import { createHash, randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, rename, rm, rmdir, stat } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { SheafError } from '../../browser/client/errors.js';
import { isAlive } from '../base/alive.js';
import { flush, flushFolder } from '../base/files.js';
import {
  DESCRIPTOR_FILE,
  PRECISIONS,
  type EncoderDescriptor,
  type FileFacts,
  type Precision,
} from '../../browser/encoder/descriptor.js';
import {
  fileProblem,
  modelFolder,
  PARTIAL_FOLDER,
  readDescriptor,
  writeDescriptor,
  type FileProgress,
  type StoredModel,
} from './store.js';

/** A folder owned by this process; `data` is the file being fetched. */
export interface Scratch {
  folder: string;
  data: string;
}

/**
 * Fetches one file to `scratch.data`, which may already hold part of it; the result is checked afterwards.
 * If it throws WrongFile, it is called once more.
 */
export type FileSource = (path: string, facts: FileFacts, scratch: Scratch) => Promise<void>;

/** The source delivered a different file. The message goes on from the file's name: "has 12 bytes, expected 13". */
export class WrongFile extends Error {}

export interface InstallRequest {
  descriptor: EncoderDescriptor;
  precisions: readonly Precision[];
  source: FileSource;
  /** Also fetch files that are already there. */
  force?: boolean;
  /** Of files that are there and are checked. */
  onCheck?: FileProgress;
  /** Something worth reporting: what went wrong and is being retried. */
  onNote?: (text: string) => void;
}

export interface Installed {
  model: StoredModel;
  /** Paths that were fetched; all others were already there. */
  brought: string[];
}

/** A process whose state cannot be checked counts as dead, and loses its downloads, after this long without a byte. */
const STALE_MS = 3_600_000;
const HOST = createHash('sha256').update(hostname()).digest('hex').slice(0, 8);

/** The descriptor of these precisions alone: their ONNX files and every file that is not an ONNX file. */
export function restrict(descriptor: EncoderDescriptor, precisions: readonly Precision[]): EncoderDescriptor {
  const models: EncoderDescriptor['models'] = {};
  for (const precision of PRECISIONS) {
    const path = descriptor.models[precision];
    if (path !== undefined && precisions.includes(precision)) models[precision] = path;
  }
  const left = new Set(Object.values(descriptor.models));
  for (const path of Object.values(models)) left.delete(path);
  left.delete(descriptor.tokenizer.vocabulary);
  if (descriptor.space.projection !== undefined) left.delete(descriptor.space.projection);
  const files = Object.fromEntries(Object.entries(descriptor.files).filter(([path]) => !left.has(path)));
  return { ...descriptor, models, files };
}

/** Errors: FILE (store, sources), NETWORK and whatever the source throws. */
export async function installModel(request: InstallRequest): Promise<Installed> {
  const { descriptor, precisions, source, force = false, onCheck } = request;
  const folder = modelFolder(descriptor.name);
  const wanted = restrict(descriptor, precisions);
  const missing: string[] = [];
  for (const [path, facts] of Object.entries(wanted.files)) {
    const sound =
      !force &&
      (await fileProblem(join(folder, path), facts, (bytes) => onCheck?.(path, bytes, facts.bytes))) === undefined;
    if (!sound) missing.push(path);
  }
  if (missing.length === 0) {
    const there = await readDescriptor(join(folder, DESCRIPTOR_FILE)).catch(() => undefined);
    if (there !== undefined && covers(there, wanted)) return { model: { folder, descriptor: there }, brought: [] };
  }
  const ready = new Map<string, Scratch>();
  for (const path of missing) {
    const facts = wanted.files[path] as FileFacts;
    const scratch = await onDisk(folder, () => claim(folder, facts.sha256));
    await bring(path, facts, scratch, source, request.onNote);
    ready.set(path, scratch);
  }
  const stored = await onDisk(folder, () => commit(folder, descriptor, precisions, ready));
  return { model: { folder, descriptor: stored }, brought: missing };
}

function covers(there: EncoderDescriptor, wanted: EncoderDescriptor): boolean {
  const sameFiles = Object.entries(wanted.files).every(([path, { sha256 }]) => there.files[path]?.sha256 === sha256);
  return (
    sameFiles &&
    Object.entries(wanted.models).every(([precision, path]) => there.models[precision as Precision] === path)
  );
}

async function bring(
  path: string,
  facts: FileFacts,
  scratch: Scratch,
  source: FileSource,
  onNote?: (text: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    let problem: string | undefined;
    try {
      await source(path, facts, scratch);
      problem = await fileProblem(scratch.data, facts);
    } catch (error) {
      if (!(error instanceof WrongFile)) throw error;
      problem = error.message;
    }
    if (problem === undefined) return;
    await rm(scratch.folder, { recursive: true, force: true });
    if (tries === 2) {
      throw new SheafError(
        'NETWORK',
        `${path} ${problem}. It was thrown away, twice: where it comes from holds another file. Try another --revision, HF_ENDPOINT or --from.`,
      );
    }
    onNote?.(`${path} ${problem}; it is fetched once more from the start`);
    await mkdir(scratch.folder, { recursive: true });
  }
}

/** Errors of the file system as SheafErrors that name the store and the way out. */
async function onDisk<T>(folder: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof SheafError) throw error;
    throw new SheafError(
      'FILE',
      `The models' folder cannot be written: ${(error as Error).message}. Make room or rights for ${folder}, or name another folder in SHEAF_MODEL_CACHE.`,
      { cause: error },
    );
  }
}

// ---- folders of partial files ---------------------------------------------------------------------

/** An empty folder of this process inside the model's. */
export async function makeScratch(folder: string, key: string): Promise<Scratch> {
  return onDisk(folder, async () => {
    const own = join(folder, PARTIAL_FOLDER, ownName(key));
    await mkdir(own, { recursive: true });
    return { folder: own, data: join(own, 'data') };
  });
}

/** Removes such a folder, and its parents up to the model's if that leaves them empty. */
export async function dropScratch({ folder }: Scratch): Promise<void> {
  await rm(folder, { recursive: true, force: true }).catch(() => {});
  await rmdir(dirname(folder)).catch(() => {});
  await rmdir(dirname(dirname(folder))).catch(() => {});
}

/** A folder for the file with that hash: the fullest that a dead process left, or a new one. */
async function claim(folder: string, sha256: string): Promise<Scratch> {
  const parent = join(folder, PARTIAL_FOLDER);
  const left: { name: string; bytes: number }[] = [];
  for (const name of await readdir(parent).catch(() => [])) {
    if (name.startsWith(`${sha256}.`) && (await isLeft(parent, name))) {
      left.push({ name, bytes: (await stat(join(parent, name, 'data')).catch(() => undefined))?.size ?? 0 });
    }
  }
  for (const { name } of left.sort((a, b) => b.bytes - a.bytes)) {
    const own = join(parent, ownName(sha256));
    try {
      await rename(join(parent, name), own);
      return { folder: own, data: join(own, 'data') };
    } catch {
      // Another process was quicker.
    }
  }
  return makeScratch(folder, sha256);
}

function ownName(key: string): string {
  return `${key}.${HOST}.${process.pid}.${randomBytes(4).toString('hex')}`;
}

/** Whether nobody works in KEY.HOST.PID.RANDOM any more. */
async function isLeft(parent: string, name: string): Promise<boolean> {
  const match = /\.([0-9a-f]{8})\.(\d{1,10})\.[0-9a-f]{8}$/.exec(name);
  if (match === null) return false;
  if (match[1] === HOST && !isAlive(Number(match[2]))) return true;
  const path = join(parent, name);
  const stats = (await stat(join(path, 'data')).catch(() => undefined)) ?? (await stat(path).catch(() => undefined));
  return stats !== undefined && Date.now() - stats.mtimeMs > STALE_MS;
}

/** Removes what dead processes left, and the folder if nobody needs it. */
async function sweep(folder: string): Promise<void> {
  const parent = join(folder, PARTIAL_FOLDER);
  for (const name of await readdir(parent).catch(() => [])) {
    if (await isLeft(parent, name)) await rm(join(parent, name), { recursive: true, force: true }).catch(() => {});
  }
  await rmdir(parent).catch(() => {});
}

// ---- making it visible ----------------------------------------------------------------------------

async function commit(
  folder: string,
  descriptor: EncoderDescriptor,
  precisions: readonly Precision[],
  ready: ReadonlyMap<string, Scratch>,
): Promise<EncoderDescriptor> {
  const before = await readDescriptor(join(folder, DESCRIPTOR_FILE)).catch(() => undefined);
  const outdated = Object.entries(before?.files ?? {}).filter(
    ([path, { sha256 }]) => descriptor.files[path]?.sha256 !== sha256,
  );
  if (outdated.length > 0) await rm(join(folder, DESCRIPTOR_FILE), { force: true });
  for (const [path, scratch] of ready) {
    const target = join(folder, path);
    await flush(scratch.data);
    await mkdir(dirname(target), { recursive: true });
    await rename(scratch.data, target);
    await flushFolder(dirname(target));
    await rm(scratch.folder, { recursive: true, force: true });
  }
  const needed = restrict(descriptor, precisions).files;
  for (const [path] of outdated) if (needed[path] === undefined) await rm(join(folder, path), { force: true });
  return writePresent(folder, descriptor, precisions);
}

/** Writes encoder.json for the files present; repeats until they do not change during the write. */
async function writePresent(
  folder: string,
  descriptor: EncoderDescriptor,
  precisions: readonly Precision[],
): Promise<EncoderDescriptor> {
  const scratch = await makeScratch(folder, 'descriptor');
  const checked = new Map<string, boolean>(); // an outside precision's file, by identity
  let written: Precision[] = [];
  for (;;) {
    const present: Precision[] = [];
    for (const precision of PRECISIONS) {
      if (precisions.includes(precision) || (await isPresent(folder, descriptor, precision, checked)))
        present.push(precision);
    }
    if (present.join() === written.join()) break;
    await writeDescriptor(folder, restrict(descriptor, present), scratch.folder);
    written = present;
  }
  await rm(scratch.folder, { recursive: true, force: true });
  await sweep(folder);
  return restrict(descriptor, written);
}

async function isPresent(
  folder: string,
  descriptor: EncoderDescriptor,
  precision: Precision,
  checked: Map<string, boolean>,
): Promise<boolean> {
  const path = descriptor.models[precision];
  const facts = path === undefined ? undefined : descriptor.files[path];
  const stats = path === undefined ? undefined : await stat(join(folder, path)).catch(() => undefined);
  if (path === undefined || facts === undefined || stats?.size !== facts.bytes) return false;
  const identity = `${path} ${stats.ino} ${stats.mtimeMs}`;
  const known = checked.get(identity) ?? (await fileProblem(join(folder, path), facts)) === undefined;
  checked.set(identity, known);
  return known;
}

// ---- files of this machine ------------------------------------------------------------------------

/** Files that ship with the package, by SHA-256. */
const PACKAGED: Readonly<Record<string, URL>> = {
  '884661b84474a00aa275c1c0190ed9bf1395760b3359ad51fde3e7b7b309f856': new URL(
    '../../../models/minilm-l6-256.rotation.f32',
    import.meta.url,
  ),
};

/** The package's own file of that content, if it has one. */
export function packagedFile(facts: FileFacts): URL | undefined {
  return Object.hasOwn(PACKAGED, facts.sha256) ? PACKAGED[facts.sha256] : undefined;
}

export async function copyInto(scratch: Scratch, from: string | URL): Promise<void> {
  try {
    await copyFile(from, scratch.data);
  } catch (error) {
    throw new SheafError('FILE', `${String(from)} cannot be copied to ${scratch.data}: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

const MAX_ENTRIES = 20_000;
const MAX_DEPTH = 8;

/**
 * Takes files from folders: by the descriptor's path, by base name, or whatever has that size and
 * SHA-256. Errors: FILE, saying what was found instead.
 */
export async function folderSource(folders: readonly string[]): Promise<FileSource> {
  const found: { path: string; relative: string; bytes: number }[] = [];
  for (const folder of folders) await walk(folder, '', 0, found);
  return async (path, facts, scratch) => {
    const base = path.slice(path.lastIndexOf('/') + 1);
    const rank = (relative: string): number =>
      relative === path ? 0 : relative === base || relative.endsWith(`/${base}`) ? 1 : 2;
    const candidates = found
      .filter(({ bytes }) => bytes === facts.bytes)
      .sort((a, b) => rank(a.relative) - rank(b.relative));
    for (const candidate of candidates) {
      if ((await fileProblem(candidate.path, facts)) === undefined) return copyInto(scratch, candidate.path);
    }
    const packaged = packagedFile(facts);
    if (packaged !== undefined) return copyInto(scratch, packaged);
    const namesake = found
      .filter(({ relative }) => rank(relative) < 2)
      .sort((a, b) => rank(a.relative) - rank(b.relative))[0];
    const instead =
      namesake === undefined
        ? 'no file there has that content'
        : `${namesake.path} ${await fileProblem(namesake.path, facts)}`;
    throw new SheafError(
      'FILE',
      `${path} (${facts.bytes} bytes, SHA-256 ${facts.sha256}) was not found in ${folders.join(', ')}: ${instead}.`,
    );
  };
}

async function walk(
  folder: string,
  prefix: string,
  depth: number,
  found: { path: string; relative: string; bytes: number }[],
): Promise<void> {
  let entries;
  try {
    entries = await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (depth > 0) return;
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new SheafError(
      missing ? 'NOT_FOUND' : 'FILE',
      `The folder ${folder} ${missing ? 'does not exist' : `cannot be read: ${(error as Error).message}`}.`,
      { cause: error },
    );
  }
  for (const entry of entries) {
    const path = join(folder, entry.name);
    const relative = `${prefix}${entry.name}`;
    if (found.length >= MAX_ENTRIES)
      throw new SheafError(
        'FILE',
        `${folder} and what is around it hold more than ${MAX_ENTRIES} files; name a smaller folder.`,
      );
    if (entry.isDirectory()) {
      if (depth < MAX_DEPTH) await walk(path, `${relative}/`, depth + 1, found);
      continue;
    }
    const stats = await stat(path).catch(() => undefined); // links to files count, as in the hub's own cache
    if (stats?.isFile()) found.push({ path, relative, bytes: stats.size });
  }
}
