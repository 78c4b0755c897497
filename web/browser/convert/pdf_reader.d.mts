/**
 * PDF.js: its reader and what usually is its worker, for one thread. dist/browser/convert/pdf_reader.mjs is made of the
 * lines below by scripts/library_bundle.mjs: one file without imports.
 */
export { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
// @ts-expect-error The package declares no types for it.
export { WorkerMessageHandler } from 'pdfjs-dist/legacy/build/pdf.worker.mjs';
