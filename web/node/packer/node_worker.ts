/**
 * The packer's thread in Node. It is the process that `sheaf-pack` would be: the machine's files, an environment, a
 * current folder, streams.
 *
 * Only this thread waits for files. The thread that started it stays free, and tells an abort through shared memory.
 */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workerData, type MessagePort } from 'node:worker_threads';
import { languageFile } from '../client/paths.js';
import { Peer, type Port } from '../../browser/client/rpc.js';
import { FolderFiles } from './folder_files.js';
import { bridgeOver } from './node_bridge.js';
import { mountMachine } from './node_files.js';
import {
  insideArguments,
  insideOptions,
  insidePath,
  IS_WINDOWS,
  outsideJson,
  outsidePath,
  outsideText,
} from './node_paths.js';
import type {
  CancelFlag,
  NodeWorkerMethods,
  PageMethods,
  Stream,
  Surroundings,
} from '../../browser/packer/protocol.js';
import type {
  Failure,
  OpenFile,
  PackerModule,
  PackOptions,
  Report,
  RoundReport,
  Rounds,
} from '../../browser/packer/sheaf-packer.mjs';
import { writePages } from '../../browser/packer/converted_pages.js';
import { startModule } from '../../browser/packer/start.js';
import { asked, checked, packTask } from '../../browser/packer/work.js';

const port = workerData as MessagePort;
let rounds: { module: PackerModule; rounds: Rounds } | undefined;

const page = new Peer<PageMethods, NodeWorkerMethods>(port as unknown as Port, {
  pack: (task) => packTask(task, readRules, hooks(task.cancel)),
  async packFiles({ options, surroundings }) {
    const { module } = await start(surroundings);
    const inside = insideOptions(options);
    const folder = await convertFiles(module, inside, asked(surroundings.cancel));
    try {
      const whole = folder === undefined ? inside : { ...inside, converted: insidePath(folder) };
      return outsideJson(checked(() => module.pack(whole, hooks(surroundings.cancel)))) as Report;
    } finally {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true });
    }
  },
  async run({ args, surroundings }) {
    // Backslashes of names are escaped in JSON, so it is rewritten as a whole.
    const isJson = IS_WINDOWS && args.includes('--json');
    const { module, stdout, stderr } = await start(isJson ? { ...surroundings, stdout: 'kept' } : surroundings);
    const code = module.run(insideArguments(args), { cancelled: asked(surroundings.cancel) });
    const said = isJson ? rewritten(stdout()) : outsideText(stdout());
    if (surroundings.stdout !== 'kept') writeAll(1, Buffer.from(said));
    return { code, stdout: said, stderr: outsideText(stderr()) };
  },
  async round({ options, surroundings }) {
    if (rounds === undefined) {
      const { module } = await start(surroundings);
      rounds = { module, rounds: new module.Rounds(insideOptions(options), hooks(surroundings.cancel)) };
    }
    mountMachine(rounds.module.FS); // files may have become folders since
    return outsideJson(rounds.rounds.round()) as RoundReport | Failure;
  },
});

/** A temporary folder with the pages made of files that the packer does not read; undefined: there are none. */
async function convertFiles(
  module: PackerModule,
  options: PackOptions,
  cancelled: (() => boolean) | undefined,
): Promise<string | undefined> {
  const found = options.converted === undefined ? module.unread(options) : undefined;
  if (found?.ok !== true || found.files.length === 0) return undefined; // a failure comes again when it packs
  const { convertHere } = await import('../../browser/convert/convert_here.js');
  const files = new FolderFiles(outsidePath(found.root), outsidePath(found.includesFrom));
  const byPath = new Map(found.files.map(({ path, file }) => [path, outsidePath(file)]));
  const pages = await convertHere(found.files, {
    read: (path) => files.readPage(byPath.get(path) as string),
    readIncluded: (path) => files.read(path),
    cancelled,
  });
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-converted-'));
  const disk = {
    mkdirTree: (path: string) => void mkdirSync(path, { recursive: true }),
    writeFile: (path: string, text: string | Uint8Array) => writeFileSync(path, text),
  };
  writePages(disk, folder, pages);
  return folder;
}

/** From beside the package's core. */
const readRules = (language: string): BufferSource => readFileSync(languageFile(language));

function hooks(cancel: CancelFlag): Parameters<PackerModule['pack']>[1] {
  return {
    progress: (progress) => page.tell('progress', progress),
    remark: (remark, isProblem) => page.tell('remark', remark, isProblem),
    cancelled: asked(cancel),
  };
}

async function start({ wasm, env, folder, bridge, ...streams }: Surroundings) {
  const module = await startModule(wasm, readRules, env);
  module.setFileMask(process.umask());
  mountMachine(module.FS);
  module.FS.chdir(insidePath(folder));
  if (bridge !== undefined) module.setBridge(bridgeOver(bridge));
  (module.FS.getStream(0) as OpenFile).stream_ops = { read: () => 0 };
  return { module, stdout: redirect(module, 1, streams.stdout), stderr: redirect(module, 2, streams.stderr) };
}

/** Far more than sheaf-pack writes; what comes after it is dropped. */
const MAX_KEPT = 64 * 1024 * 1024;

/** Redirects one of the module's open files. Returns a function that gives what was kept. */
function redirect(module: PackerModule, fd: 1 | 2, how: Stream): () => string {
  const kept: Buffer[] = [];
  let room = MAX_KEPT;
  const file = module.FS.getStream(fd) as OpenFile;
  file.tty = how === 'terminal' ? {} : undefined;
  file.stream_ops = {
    write(_, heap, at, length) {
      const bytes = Buffer.from(heap.buffer as ArrayBuffer, heap.byteOffset + at, length);
      if (how !== 'kept') {
        writeAll(fd, Buffer.from(outsideText(bytes.toString('latin1')), 'latin1'));
      } else if (room > 0) {
        kept.push(Buffer.from(bytes.subarray(0, room)));
        room -= length;
      }
      return length;
    },
  };
  return () => Buffer.concat(kept).toString();
}

function rewritten(json: string): string {
  try {
    return `${JSON.stringify(outsideJson(JSON.parse(json)), null, 2)}\n`;
  } catch {
    return json; // nothing was printed, or help
  }
}

function writeAll(fd: number, bytes: Buffer): void {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(fd, bytes, at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'EPIPE') return; // nobody reads
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5); // a pipe that does not block is full
    }
  }
}

port.start();
page.ready();
