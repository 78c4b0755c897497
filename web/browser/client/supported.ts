/**
 * Whether this browser can run the search core: WebAssembly with SIMD. Some have it and forbid it, such as Safari in
 * Lockdown Mode. For pages that want to offer something else then, before they load anything.
 */

/** One function with two SIMD instructions. */
export const SIMD_MODULE: readonly number[] = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11,
];

export function isSupported(): boolean {
  return typeof WebAssembly === 'object' && WebAssembly.validate(new Uint8Array(SIMD_MODULE));
}
