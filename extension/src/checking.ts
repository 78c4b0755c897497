/** Checks files against their offers, where they lie in the vault: the checked bytes are the ones that are read later. */
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { asSheafError } from '../browser/client/errors.js';
import type { LibraryInfo } from '../browser/client/types.js';
import type { DeskParts } from './parts.js';
import { DeskError, isLibrary, isVersion } from './plain.js';
import type { Offer } from './types.js';
import type { Vault } from './vault.js';

const HASH_STEP = 2 ** 20;

/** Size and hash of the whole file, against what was announced. */
export async function checkFile(
  vault: Vault,
  { hash: announced, bytes: stated }: Pick<Offer, 'hash' | 'bytes'>,
  file: string,
): Promise<{ hash: string; bytes: number }> {
  const source = await vault.source(file);
  try {
    const size = await source.size();
    if (stated !== undefined && size !== stated)
      throw new DeskError('HASH', `Expected ${stated} bytes; the file has ${size}.`);
    const hash = sha256.create();
    for (let at = 0; at < size; at += HASH_STEP) {
      hash.update(await source.read(at, Math.min(HASH_STEP, size - at)));
      if (at % (16 * HASH_STEP) === 0) await new Promise((resolve) => setTimeout(resolve)); // searches go on
    }
    const hex = bytesToHex(hash.digest());
    if (announced !== '' && !hex.startsWith(announced))
      throw new DeskError('HASH', 'The file is not the announced one: its hash differs. It was deleted.');
    return { hash: hex, bytes: size };
  } finally {
    await source.close?.();
  }
}

/** Reads all of it with the core, and compares what it documents with what was announced. */
export async function checkBundle(parts: DeskParts, offer: Offer, file: string): Promise<LibraryInfo> {
  const { library } = await parts.openCore(await parts.vault.source(file), undefined, true);
  try {
    await library.verify();
    const { info } = library;
    if (!isLibrary(info.library) || !isVersion(info.version))
      throw new DeskError('CORRUPT', 'The bundle has an invalid name or version.');
    if (offer.library !== '' && (offer.library !== info.library || offer.version !== info.version))
      throw new DeskError(
        'OTHER_LIBRARY',
        `Expected ${offer.library} ${offer.version}; the file is ${info.library} ${info.version}. It was deleted.`,
      );
    return info;
  } catch (error) {
    throw error instanceof DeskError ? error : asSheafError(error, 'CORRUPT', 'The file could not be checked');
  } finally {
    await library.close();
  }
}

/** Opens the table beside its library; rejects unless kind, space and dimensions agree. */
export async function checkTable({ vault, openCore }: DeskParts, bundle: string, table: string): Promise<void> {
  const { library } = await openCore(await vault.source(bundle), await vault.source(table), false);
  try {
    await library.embed('table');
  } finally {
    await library.close();
  }
}
