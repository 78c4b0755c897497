/** What the header of every container says (docs/format.md); the core rejects anything else. */

export const HEADER = 64;

/** The file's size; NaN without a header. */
export const sizeIn = (head?: Uint8Array): number =>
  head === undefined ? NaN : Number(new DataView(head.buffer, head.byteOffset).getBigUint64(16, true));

export const identityIn = (head: Uint8Array): string => String(head.subarray(16, 32));
