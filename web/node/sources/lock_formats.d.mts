/**
 * The parsers of lock files. dist/node/sources/lock_formats.mjs is made of the lines below by
 * scripts/library_bundle.mjs: one file without imports.
 */
export { parse as parseToml } from 'smol-toml';
export { FAILSAFE_SCHEMA, loadAll as loadYaml } from 'js-yaml';
export { parseSyml as parseYarn } from '@yarnpkg/parsers';
