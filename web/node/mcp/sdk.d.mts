/**
 * The part of the official MCP SDK that the server uses. dist/node/mcp/sdk.mjs is made of the lines below by
 * scripts/mcp_bundle.mjs: one file without imports but Node's, so that an installed Sheaf needs no
 * node_modules.
 */
export {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  inputRequired,
  inputResponse,
  ProtocolError,
  ResourceNotFoundError,
  Server,
} from '@modelcontextprotocol/server';
export { serveStdio, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
export type {
  CallToolResult,
  InputRequiredResult,
  McpHttpHandler,
  ServerContext,
  Tool as WireTool,
} from '@modelcontextprotocol/server';
export type { StdioServerHandle } from '@modelcontextprotocol/server/stdio';
