/**
 * Packs one task in an instance's own file system, on the thread of a worker.
 *
 * Blobs are read when the packer wants them where the thread can do so (FileReaderSync, in browsers' workers), else
 * before. Nothing outlives the task: the instance is dropped with it.
 */
import { asSheafError, SheafError, type ErrorCode } from '../client/errors.js';
import type { CancelFlag, PackTask } from './protocol.js';
import type { ReadRules } from './rules.js';
import type { Entry } from './sources.js';
import { startModule } from './start.js';
import { writePages } from './converted_pages.js';
import type { Failure, Hooks, PackerModule, PackOptions, Report } from './sheaf-packer.mjs';
import { RULES_FILE } from '../client/rules_file.js';

const INPUT = '/in';
const TABLE = '/table.sheaf';
const CONVERTED = '/converted';

/** `readRules` brings the rules of languages, as the thread can. Error: the packer's, with its code; WASM. */
export async function packTask(task: PackTask, readRules: ReadRules, hooks: Hooks): Promise<Report> {
  const module = await startModule(task.wasm, readRules);
  await mountEntries(module, task.entries);
  const encoder = task.settings.encoder ?? 'static';
  if (task.table !== undefined) module.FS.writeFile(TABLE, await bytesOf(task.table), { canOwn: true });
  module.FS.chdir(INPUT);
  const { rules = rulesAmong(task.entries) } = task.settings;
  const options = { ...task.settings, encoder, rules, inputs: ['.'], root: '.', encoderTable: task.table && TABLE };
  const converted = await convertEntries(module, options, task.entries, hooks);
  return checked(() => module.pack({ ...options, converted }, hooks));
}

/** By name: the packer looks for the file by realpath(), which finds nothing among Blobs. */
function rulesAmong(entries: readonly Entry[]): string | undefined {
  return entries.some(({ path }) => path === RULES_FILE) ? `./${RULES_FILE}` : undefined;
}

/** The folder with the pages made of files that the packer does not read; undefined: there are none. */
async function convertEntries(
  module: PackerModule,
  options: PackOptions,
  entries: readonly Entry[],
  hooks: Hooks,
): Promise<string | undefined> {
  const found = module.unread(options);
  if (!found.ok || found.files.length === 0) return undefined; // a failure comes again when it packs
  const { convertHere } = await import('../convert/convert_here.js');
  const byPath = new Map(entries.map((entry) => [entry.path, entry.data]));
  const pages = await convertHere(found.files, {
    read: (path) => bytesOf(byPath.get(path) as Entry['data']),
    readIncluded: (path) =>
      byPath.has(path) && isIncludable(path) ? module.FS.readFile(`${INPUT}/${path}`) : undefined,
    cancelled: hooks.cancelled,
  });
  writePages(module.FS, CONVERTED, pages);
  return CONVERTED;
}

/** Hidden files are never included. Pure. */
const isIncludable = (path: string): boolean => !path.split('/').some((part) => part.startsWith('.'));

/** The report of a call. Error: its failure with its code; WASM when the runtime gave up (its stack was full). */
export function checked(call: () => Report | Failure): Report {
  let result: Report | Failure;
  try {
    result = call();
  } catch (error) {
    throw asSheafError(
      error,
      'WASM',
      'The packer stopped; a document may be nested too deeply for this WebAssembly runtime',
    );
  }
  if (result.ok) return result;
  throw new SheafError(result.error.code as ErrorCode, result.error.message);
}

/** Whether the flag that an abort sets is set. */
export function asked(cancel: CancelFlag): (() => boolean) | undefined {
  const flag = cancel && new Uint8Array(cancel);
  return flag && (() => Atomics.load(flag, 0) !== 0);
}

const canReadBlobs = (): boolean => 'FileReaderSync' in globalThis;

async function mountEntries({ FS, WORKERFS }: PackerModule, entries: readonly Entry[]): Promise<void> {
  FS.mkdir(INPUT);
  const blobs: { name: string; data: Blob }[] = [];
  if (canReadBlobs()) {
    for (const { path, data } of entries)
      blobs.push({ name: path, data: data instanceof Blob ? data : new Blob([data as BlobPart]) });
    FS.mount(WORKERFS, { blobs }, INPUT);
    return;
  }
  for (const { path, data } of entries) {
    const folder = path.slice(0, path.lastIndexOf('/') + 1);
    FS.mkdirTree(`${INPUT}/${folder}`);
    FS.writeFile(`${INPUT}/${path}`, await bytesOf(data), { canOwn: true });
  }
}

async function bytesOf(data: Uint8Array | Blob): Promise<Uint8Array> {
  return data instanceof Blob ? new Uint8Array(await data.arrayBuffer()) : data;
}
