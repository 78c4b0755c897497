/**
 * The parts of the libraries that read tar and zip. dist/node/sources/archive_formats.mjs is made of the lines
 * below by scripts/library_bundle.mjs: one file without imports but Node's.
 */
export { extract as readTarEntries } from 'tar-stream';
export { getFileNameLowLevel as zipEntryName, openPromise as openZip } from 'yauzl';
