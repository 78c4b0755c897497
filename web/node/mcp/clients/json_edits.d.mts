/**
 * The parser of JSON files that people write, with comments and trailing commas. dist/node/mcp/clients/json_edits.mjs is made of the line
 * below by scripts/library_bundle.mjs: one file without imports.
 */
export {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  parseTree,
  printParseErrorCode,
  type Node,
  type ParseError,
} from 'jsonc-parser';
