/**
 * Converts on the thread that calls, one file after another: in browsers, and for `sheaf/packer` in Node. The command
 * line converts in threads that can be ended (web/node/packer/converting.ts).
 */
import { asPart, convertFile, partsOf, type Converted, type Source, type UnreadFile } from './converter.js';

export interface Tree {
  /** A file's bytes by its path below the root. */
  read(path: string): Uint8Array | Promise<Uint8Array>;
  /** The same for a file that another one asks for; undefined: not there, or not allowed. */
  readIncluded(path: string): Uint8Array | undefined;
  cancelled?: (() => boolean) | undefined;
}

/** Every file with what became of it. */
export async function convertHere(files: readonly UnreadFile[], tree: Tree): Promise<Map<string, Converted>> {
  const converted = new Map<string, Converted>();
  for (const file of files) {
    if (tree.cancelled?.()) break;
    const source = async (): Promise<Source> => ({
      path: file.path,
      bytes: await tree.read(file.path),
      read: (path) => tree.readIncluded(path),
    });
    converted.set(file.path, await convertFile(file, source));
  }
  return withoutParts(converted);
}

/** With a remark in the place of each page that is part of another one. Pure. */
export function withoutParts(converted: ReadonlyMap<string, Converted>): Map<string, Converted> {
  const parts = partsOf(converted);
  return new Map(
    [...converted].map(([path, each]) => {
      const whole = parts.get(path);
      return [path, whole === undefined || each.page === undefined ? each : asPart(whole)];
    }),
  );
}
