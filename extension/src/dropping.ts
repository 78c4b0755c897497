/** `.sheaf` files that the reader picks, or drops on a page of the extension. */
import type { DeskClient } from './connect.js';
import type { LibraryRecord } from './types.js';
import { VAULT } from './vault.js';

/** Copies a file into the vault, and has it checked and installed. Null: a question among the downloads waits. */
export async function installFile(desk: DeskClient, file: File): Promise<LibraryRecord | null> {
  const name = `drop-${crypto.randomUUID()}`;
  const root = await navigator.storage.getDirectory();
  const folder = await root.getDirectoryHandle(VAULT, { create: true });
  try {
    const handle = await folder.getFileHandle(name, { create: true });
    await file.stream().pipeTo(await handle.createWritable());
  } catch (error) {
    await folder.removeEntry(name).catch(() => {});
    throw error;
  }
  return desk.call('adopt', [name, file.name]);
}

/** Calls `take` with what is dropped anywhere on the page. */
export function acceptDrops(take: (files: File[]) => void): void {
  const root = document.documentElement;
  const hasFiles = ({ dataTransfer }: DragEvent): boolean => dataTransfer?.types.includes('Files') === true;
  document.addEventListener('dragover', (event) => {
    if (!hasFiles(event)) return;
    event.preventDefault();
    root.classList.add('dropping');
  });
  document.addEventListener('dragleave', (event) => {
    if (event.relatedTarget === null) root.classList.remove('dropping');
  });
  document.addEventListener('drop', (event) => {
    root.classList.remove('dropping');
    if (!hasFiles(event)) return;
    event.preventDefault();
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length > 0) take(files);
  });
}
