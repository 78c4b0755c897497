/**
 * The XML parser for sitemaps. dist/node/sources/xml_format.mjs is made of the line below by
 * scripts/library_bundle.mjs: one file without imports but Node's.
 */
export { parser as xmlParser } from 'sax';
