/**
 * The packer's thread in Node. It is the process that `sheaf-pack` would be: the machine's files, an environment, a
 * current folder, streams.
 *
 * Only this thread waits for files. The thread that started it stays free, and tells an abort through shared memory.
 */
import { writeSync } from 'node:fs';
import { workerData, type MessagePort } from 'node:worker_threads';
import { Peer, type Port } from '../client/rpc.js';
import { bridgeOver } from './node_bridge.js';
import { mountMachine } from './node_files.js';
import { insideArguments, insidePath, outsideText } from './node_paths.js';
import type { CancelFlag, NodeWorkerMethods, PageMethods, Stream, Surroundings } from './protocol.js';
import type { OpenFile, PackerModule, PackOptions, Rounds } from './sheaf-packer.mjs';
import { startModule } from './start.js';
import { asked, checked, packTask } from './work.js';

const port = workerData as MessagePort;
let rounds: { module: PackerModule; rounds: Rounds } | undefined;

const page = new Peer<PageMethods, NodeWorkerMethods>(port as unknown as Port, {
  pack: (task) => packTask(task, hooks(task.cancel)),
  async packFiles({ options, surroundings }) {
    const { module } = await start(surroundings);
    return outside(checked(() => module.pack(inside(options), hooks(surroundings.cancel))));
  },
  async run({ args, surroundings }) {
    const { module, stdout, stderr } = await start(surroundings);
    const code = module.run(insideArguments(args), { cancelled: asked(surroundings.cancel) });
    return { code, stdout: stdout(), stderr: stderr() };
  },
  async round({ options, surroundings }) {
    if (rounds === undefined) {
      const { module } = await start(surroundings);
      rounds = { module, rounds: new module.Rounds(inside(options), hooks(surroundings.cancel)) };
    }
    mountMachine(rounds.module.FS); // files may have become folders since
    return outside(rounds.rounds.round());
  },
});

function hooks(cancel: CancelFlag): Parameters<PackerModule['pack']>[1] {
  return {
    progress: (progress) => page.tell('progress', progress),
    remark: (remark, isProblem) => page.tell('remark', remark, isProblem),
    cancelled: asked(cancel),
  };
}

async function start({ wasm, env, folder, bridge, ...streams }: Surroundings) {
  const module = await startModule(wasm, env);
  module.setFileMask(process.umask());
  mountMachine(module.FS);
  module.FS.chdir(insidePath(folder));
  if (bridge !== undefined) module.setBridge(bridgeOver(bridge));
  (module.FS.getStream(0) as OpenFile).stream_ops = { read: () => 0 };
  return { module, stdout: redirect(module, 1, streams.stdout), stderr: redirect(module, 2, streams.stderr) };
}

function inside(options: PackOptions): PackOptions {
  const path = (name: string | undefined): string | undefined => (name === undefined ? undefined : insidePath(name));
  return {
    ...options,
    inputs: options.inputs.map((each) => insidePath(each)),
    output: path(options.output),
    root: path(options.root),
    scratch: path(options.scratch),
    encoderTable: path(options.encoderTable),
  };
}

/** The report with paths as they are outside. */
function outside<T extends object>(report: T): T {
  const text = (value: unknown): unknown => {
    if (typeof value === 'string') return outsideText(value);
    if (Array.isArray(value)) return value.map(text);
    if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, text(each)]));
  };
  return process.platform === 'win32' ? (text(report) as T) : report;
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
  return () => outsideText(Buffer.concat(kept).toString());
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
