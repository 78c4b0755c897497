/** A thread that converts one file after another, as converting.ts asks; it can be ended in the middle of one. */
import { parentPort } from 'node:worker_threads';
import { convertFile, type UnreadFile } from '../../browser/convert/converter.js';
import { FolderFiles } from './folder_files.js';

export interface ConvertTask {
  file: UnreadFile & { file: string };
  root: string;
  /** The folder that included files lie in, the root in it. */
  within: string;
}

parentPort?.on('message', ({ file, root, within }: ConvertTask) => {
  const files = new FolderFiles(root, within);
  void convertFile(file, () => ({
    path: file.path,
    bytes: files.readPage(file.file),
    read: (path) => files.read(path),
  })).then((converted) => parentPort?.postMessage({ converted, looked: files.looked() }));
});
