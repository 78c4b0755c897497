/**
 * Asciidoctor.js. dist/browser/convert/asciidoctor.mjs is made of the line below by scripts/library_bundle.mjs: one
 * file without imports.
 */
export { Extensions, Html5Converter, IncludeProcessor, load, LoggerManager, MemoryLogger } from '@asciidoctor/core';
