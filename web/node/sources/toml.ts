/** TOML as objects without a prototype. Integers that no number can hold are BigInt: one of them is no reason to refuse a file. */
import { parseToml as parse } from './lock_formats.mjs';

export const parseToml = (text: string): Record<string, unknown> => parse(text, { integersAsBigInt: 'asNeeded' });
