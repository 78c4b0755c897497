/** Puts the pages that converters made where the packer looks for them (packer/source/unread.h). */
import { folderOf } from '../convert/text.js';
import type { Converted } from '../convert/converter.js';
import type { FileSystem } from './sheaf-packer.mjs';

export function writePages(
  FS: Pick<FileSystem, 'mkdirTree' | 'writeFile'>,
  folder: string,
  pages: ReadonlyMap<string, Converted>,
): void {
  for (const [path, { page, remarks }] of pages) {
    FS.mkdirTree(`${folder}/${folderOf(path)}`);
    if (page !== undefined) FS.writeFile(`${folder}/${path}${page.extension}`, page.text);
    if (remarks !== undefined) FS.writeFile(`${folder}/${path}.json`, JSON.stringify(remarks));
  }
}
