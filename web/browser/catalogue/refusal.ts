/** Why a catalogue, or something of it, is not taken. Each reason has a name that callers and tests can tell apart. */

export type RefusalCode =
  | 'MISSING' // there is no catalogue
  | 'MALFORMED' // it is not in its documented form, or larger than it may be
  | 'INSECURE' // plain http to another machine
  | 'UNSIGNED' // no signature where one is needed
  | 'BAD_SIGNATURE' // the head is not what the key signed
  | 'WRONG_KEY' // signed by another key than the pinned one
  | 'BAD_ROTATION' // a new key that the pinned one has not signed as it should
  | 'OTHER_CATALOGUE' // signed, but it is not the catalogue that was pinned
  | 'ROLLBACK' // older than what was seen before
  | 'EXPIRED'
  | 'TAMPERED'; // a shard, the index or a bundle is not what the head commits to

export class CatalogueRefusal extends Error {
  readonly code: RefusalCode;

  constructor(code: RefusalCode, message: string) {
    super(message);
    this.name = 'CatalogueRefusal';
    this.code = code;
  }
}
