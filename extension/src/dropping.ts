/** `.sheaf` files that the reader picks, or drops on a page of the extension. */
import type { DeskClient } from './connect.js';
import { troubleOf } from './plain.js';
import type { LibraryRecord, Trouble } from './types.js';
import { VAULT } from './vault.js';

/** Copies a file into the vault, and has it checked and installed. Null: a question among the downloads waits. */
async function installFile(desk: DeskClient, file: File): Promise<LibraryRecord | null> {
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

/** A file that was not installed, and why. */
export interface Refused {
  name: string;
  trouble: Trouble;
}

/** Installs one file after the other; one that fails holds up no other. `begun` is called with each name. */
export async function installFiles(
  desk: DeskClient,
  files: readonly File[],
  begun: (name: string) => void = () => {},
): Promise<{ installed: LibraryRecord[]; refused: Refused[] }> {
  const installed: LibraryRecord[] = [];
  const refused: Refused[] = [];
  for (const file of files) {
    begun(file.name);
    try {
      const library = await installFile(desk, file);
      if (library !== null) installed.push(library);
    } catch (error) {
      refused.push({ name: file.name, trouble: troubleOf(error) });
    }
  }
  return { installed, refused };
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
