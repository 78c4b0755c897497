/**
 * The machine's files as the root of the module's file system, in Node.
 *
 * Idea: on POSIX a path means the same inside and outside, so messages need no translation and `/` needs no mount
 * below it. On Windows the module's root holds one folder per drive or share (node_paths.ts translates names).
 * Emscripten's own NODEFS resolves relative links against the process's folder, has no file named like a device, and
 * takes unknown errors for success; hence this one.
 *
 * Invariants
 *  1. Every question goes to the operating system: a node caches its kind and nothing else.
 *  2. An error of the operating system reaches the module as its errno; one without a counterpart is EIO.
 *
 * Cost: one or two system calls per operation, synchronous; only for worker threads.
 */
import fs from 'node:fs';
import type { FileNode, FileSystem } from '../../browser/packer/sheaf-packer.mjs';
import { insidePath, IS_WINDOWS, outsidePath } from './node_paths.js';

/** Error numbers as the module's libc (WASI's) has them. */
const ERRNO: Readonly<Record<string, number>> = {
  E2BIG: 1,
  EACCES: 2,
  EAGAIN: 6,
  EBADF: 8,
  EBUSY: 10,
  EDQUOT: 19,
  EEXIST: 20,
  EFBIG: 22,
  EINVAL: 28,
  EIO: 29,
  EISDIR: 31,
  ELOOP: 32,
  EMFILE: 33,
  EMLINK: 34,
  ENAMETOOLONG: 37,
  ENFILE: 41,
  ENODEV: 43,
  ENOENT: 44,
  ENOMEM: 48,
  ENOSPC: 51,
  ENOSYS: 52,
  ENOTDIR: 54,
  ENOTEMPTY: 55,
  ENOTSUP: 138,
  ENXIO: 60,
  EPERM: 63,
  EPIPE: 64,
  EROFS: 69,
  ESPIPE: 70,
  ESTALE: 72,
  ETXTBSY: 74,
  EXDEV: 75,
};
const EIO = 29;

/** Open flags of the module's libc (musl's) that mean something here. */
const FLAGS: readonly (readonly [number, number])[] = [
  [0o1, fs.constants.O_WRONLY],
  [0o2, fs.constants.O_RDWR],
  [0o2000, fs.constants.O_APPEND],
];

const KINDS = 0o170000;
const FOLDER = 0o040777;

interface Attributes {
  mode?: number;
  size?: number;
}

interface Stream {
  node: FileNode;
  flags: number;
  position: number;
  file?: number;
}

/**
 * Makes the machine's files the module's root, afresh: what the module knew of them is forgotten. Its current folder
 * stays what it was.
 */
export function mountMachine(files: FileSystem): void {
  const mount = { opts: {}, mountpoint: '/', mounts: [], root: undefined as FileNode | undefined };
  const root = new MachineFiles(files).node(null, '/', FOLDER);
  root.mount = mount;
  mount.root = root;
  files.root = root;
  files.ignorePermissions = true; // the operating system checks them
}

class MachineFiles {
  readonly #files: FileSystem;
  readonly #nodeOperations: object;
  readonly #streamOperations: object;

  constructor(files: FileSystem) {
    this.#files = files;
    this.#nodeOperations = this.#guarded({
      getattr: (node: FileNode) => this.#attributes(this.#pathOf(node)),
      setattr: (node: FileNode, attributes: Attributes) => this.#change(node, attributes),
      lookup: (parent: FileNode, name: string) =>
        this.node(parent, name, this.#attributes(this.#pathOf(parent, name)).mode),
      mknod: (parent: FileNode, name: string, mode: number) => this.#create(parent, name, mode),
      rename: (node: FileNode, folder: FileNode, name: string) => {
        fs.renameSync(this.#pathOf(node), this.#pathOf(folder, name));
        node.name = name;
        node.parent = folder;
      },
      unlink: (parent: FileNode, name: string) => fs.unlinkSync(this.#pathOf(parent, name)),
      readdir: (node: FileNode) => this.#list(node),
      readlink: (node: FileNode) => insidePath(fs.readlinkSync(this.#pathOf(node))),
    });
    this.#streamOperations = this.#guarded({
      open: (stream: Stream) => {
        // Folders are read by readdir. What is neither folder nor file is opened as the system would.
        if (!files.isDir(stream.node.mode)) stream.file = fs.openSync(this.#pathOf(stream.node), flagsOf(stream.flags));
      },
      close: (stream: Stream) => {
        if (stream.file !== undefined) fs.closeSync(stream.file);
      },
      read: (stream: Stream, heap: Int8Array, at: number, length: number, position: number) =>
        fs.readSync(fileOf(stream), new Uint8Array(heap.buffer), at, length, position),
      write: (stream: Stream, heap: Int8Array, at: number, length: number, position: number) =>
        fs.writeSync(fileOf(stream), new Uint8Array(heap.buffer), at, length, position),
      llseek: (stream: Stream, offset: number, whence: number) => {
        const from = whence === 1 ? stream.position : whence === 2 ? fs.fstatSync(fileOf(stream)).size : 0;
        return from + offset;
      },
      fsync: (stream: Stream) => {
        if (stream.file !== undefined) fs.fsyncSync(stream.file);
        return 0;
      },
    });
  }

  node(parent: FileNode | null, name: string, mode: number): FileNode {
    const node = this.#files.createNode(parent, name, mode, 0);
    node.node_ops = this.#nodeOperations;
    node.stream_ops = this.#streamOperations;
    return node;
  }

  /** The outside path of a node, or of `name` in it. */
  #pathOf(node: FileNode, name?: string): string {
    const names = name === undefined ? [] : [name];
    // An outside path as one name: an embedding process names its vocabulary so.
    const whole = name ?? node.name;
    if (IS_WINDOWS && /^[A-Za-z]:\\/.test(whole)) return whole;
    for (let at = node; at.parent !== at; at = at.parent) names.unshift(at.name);
    return outsidePath(`/${names.join('/')}`);
  }

  #attributes(path: string): { mode: number } {
    if (IS_WINDOWS && path === '/') return { ...NO_DRIVE };
    const { dev, ino, mode, nlink, uid, gid, rdev, size, atime, mtime, ctime, blksize, blocks } = fs.lstatSync(path);
    const seen = IS_WINDOWS ? mode | ((mode & 0o444) >> 2) : mode; // Windows has no permission to search a folder
    const facts = { dev, ino, mode: seen, nlink, uid, gid, rdev, size, atime, mtime, ctime, blksize, blocks };
    return facts;
  }

  #change(node: FileNode, { mode, size }: Attributes): void {
    const path = this.#pathOf(node);
    if (mode !== undefined) {
      fs.chmodSync(path, mode & 0o7777);
      node.mode = (node.mode & KINDS) | (mode & 0o7777);
    }
    if (size !== undefined) fs.truncateSync(path, size);
  }

  /** O_EXCL is not passed down to `mknod`; a name that is taken is always refused. */
  #create(parent: FileNode, name: string, mode: number): FileNode {
    const path = this.#pathOf(parent, name);
    if (this.#files.isDir(mode)) fs.mkdirSync(path, mode & 0o7777);
    else fs.closeSync(fs.openSync(path, 'wx', mode & 0o7777));
    return this.node(parent, name, mode);
  }

  #list(node: FileNode): string[] {
    const path = this.#pathOf(node);
    return IS_WINDOWS && path === '/' ? [] : fs.readdirSync(path);
  }

  /** The operations, failing as the module understands. */
  #guarded(operations: Record<string, (...args: never[]) => unknown>): object {
    const { ErrnoError } = this.#files;
    const guard =
      (operation: (...args: never[]) => unknown) =>
      (...args: never[]): unknown => {
        try {
          return operation(...args);
        } catch (error) {
          const code = (error as NodeJS.ErrnoException).code;
          if (error instanceof ErrnoError || code === undefined) throw error;
          throw new ErrnoError(ERRNO[code] ?? EIO);
        }
      };
    return Object.fromEntries(Object.entries(operations).map(([name, operation]) => [name, guard(operation)]));
  }
}

/** The root on Windows, which holds drives and is on none. */
const NO_DRIVE = {
  dev: 0,
  ino: 0,
  mode: FOLDER,
  nlink: 1,
  uid: 0,
  gid: 0,
  rdev: 0,
  size: 0,
  atime: new Date(0),
  mtime: new Date(0),
  ctime: new Date(0),
  blksize: 4096,
  blocks: 0,
};

function flagsOf(flags: number): number {
  return FLAGS.reduce((all, [inside, outside]) => ((flags & inside) === inside ? all | outside : all), 0);
}

function fileOf(stream: Stream): number {
  if (stream.file === undefined) throw Object.assign(new Error('not a file'), { code: 'EISDIR' });
  return stream.file;
}
