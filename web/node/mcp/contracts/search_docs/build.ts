/**
 * Builds a project's index: reads the files, packs copies of them, writes the state.
 *
 * It packs copies, because the packed bytes must be the hashed bytes even if the project changes meanwhile.
 */
import { createHash } from 'node:crypto';
import { appendFile, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { throwIfAborted } from '../../../../browser/client/errors.js';
import type { PackReport } from '../../../packer/packer.js';
import { packFolder, withStage } from '../../packing.js';
import { count, listFiles, readDocument, type FoundFile } from './files.js';
import { bundleName, FORMAT, saveState, type IndexedFile, type IndexState } from './state.js';

/** Done so far, of 100, and the line that says so. */
export type OnProgress = (percent: number, line: string) => void;

export interface BuildJob {
  root: string;
  folder: string;
  emptyRepository: string;
  env: NodeJS.ProcessEnv;
  signal: AbortSignal;
  onProgress: OnProgress;
}

export async function build(job: BuildJob): Promise<IndexState> {
  const readAt = Date.now();
  job.onProgress(0, 'Scanning files...');
  const { files: found, warnings } = await listFiles(job.root, job);
  return withStage(job.folder, async (stage) => {
    const copies = join(stage, 'files');
    await mkdir(copies);
    const files = await copyFiles(job, found, copies);
    const name = bundleName(files);
    const output = join(stage, name);
    job.onProgress(50, 'Generating embeddings... [0%]');
    const title = basename(job.root) || 'project';
    const version = name.slice(0, 16);
    const what = { folder: copies, output, library: 'project', version, title, env: job.env, signal: job.signal };
    const packed = files.length === 0 ? undefined : await packFolder(what);
    job.onProgress(95, 'Generating embeddings... [100%]');
    if (packed !== undefined) await rename(output, join(job.folder, name));
    warnings.push(...skippedFiles(packed));
    const state: IndexState = {
      format: FORMAT,
      project: job.root,
      bundle: packed === undefined ? null : name,
      pages: packed?.pages ?? 0,
      passages: packed?.passages ?? 0,
      files,
      readAt,
      updated: new Date().toISOString(),
      warnings,
    };
    await saveState(job.folder, state);
    job.onProgress(100, `Storing chunks... [${state.passages}/${state.passages}]`);
    await removeOthers(job.folder, state.bundle);
    return state;
  });
}

const NAMED_FILES = 10;

function skippedFiles(packed: PackReport | undefined): string[] {
  const skipped = packed?.skipped ?? [];
  const lines = skipped.slice(0, NAMED_FILES).map(({ path, reason }) => `${path}: ${reason}`);
  if (skipped.length > NAMED_FILES)
    lines.push(`${count(skipped.length - NAMED_FILES, 'more file')} could not be packed.`);
  return lines;
}

/** Minimum interval between progress reports, because clients show each one. */
const PROGRESS_MS = 100;

async function copyFiles(
  { root, signal, onProgress }: BuildJob,
  found: readonly FoundFile[],
  copies: string,
): Promise<IndexedFile[]> {
  const files: IndexedFile[] = [];
  const folders = new Set<string>();
  let told = -Infinity;
  for (const [i, file] of found.entries()) {
    throwIfAborted(signal);
    const now = performance.now();
    if (now - told >= PROGRESS_MS || i === found.length - 1) {
      told = now;
      onProgress(
        1 + Math.floor((48 * (i + 1)) / found.length),
        `Creating chunks... [${i + 1}/${found.length}] ${file.path}`,
      );
    }
    const bytes = await readDocument(root, file.path);
    if (bytes === undefined) continue;
    const target = join(copies, file.path);
    if (!folders.has(dirname(target))) await mkdir(dirname(target), { recursive: true });
    folders.add(dirname(target));
    await writeFile(target, bytes);
    files.push({ ...file, hash: hashOf(bytes) });
  }
  return files;
}

export function hashOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Removes the bundles of earlier states. A reader with one open can keep reading it. */
async function removeOthers(folder: string, keep: string | null): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.endsWith('.sheaf') && name !== keep) await rm(join(folder, name), { force: true });
  }
}

/** Writes down why a build failed; returns the file. */
export async function logFailure(folder: string, error: Error): Promise<string> {
  const path = join(folder, 'logs', 'search-mcp.log');
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await appendFile(path, `${new Date().toISOString()} ${error.message}\n`);
  return path;
}
