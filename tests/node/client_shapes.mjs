/**
 * What each client takes in its file, as its own documentation or schema says, in our words. `required` and `optional` are the
 * keys of a server that is started as a command; where `closed` is true, the client refuses others. A kind is a type, a list of
 * it, a map of it, or the texts that are allowed.
 */
const text = (value) => typeof value === 'string';
const flag = (value) => typeof value === 'boolean';
const number = (value) => Number.isFinite(value);
const texts = (value) => Array.isArray(value) && value.every(text);
const map = (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && Object.values(value).every(text);
const one = (...allowed) => Object.assign((value) => allowed.includes(value), { allowed });
const command = { command: text };
const launch = { args: texts, env: map };

export const SHAPES = {
  // code.claude.com/docs/en/mcp, "Project scope"
  'claude-code': {
    args: ['--project', '.'],
    file: '.mcp.json',
    servers: 'mcpServers',
    required: command,
    optional: { ...launch, type: one('stdio') },
  },
  // modelcontextprotocol.io/docs/develop/connect-local-servers
  'claude-desktop': { file: '.config/Claude/claude_desktop_config.json', servers: 'mcpServers', required: command, optional: launch },
  // cursor.com/docs/context/mcp, "STDIO server configuration"
  cursor: {
    file: '.cursor/mcp.json',
    servers: 'mcpServers',
    required: command,
    optional: { ...launch, type: one('stdio'), envFile: text },
  },
  // opencode.ai/config.json, McpLocalConfig
  opencode: {
    file: '.config/opencode/opencode.json',
    servers: 'mcp',
    closed: true,
    required: { type: one('local'), command: texts },
    optional: { enabled: flag, environment: map, timeout: number, cwd: text },
  },
  // code.visualstudio.com/docs/copilot/reference/mcp-configuration
  vscode: {
    file: '.vscode/mcp.json',
    servers: 'servers',
    closed: true,
    required: { type: one('stdio'), ...command },
    optional: { ...launch, envFile: text, cwd: text },
  },
  // developers.openai.com/codex/config-reference, mcp_servers
  codex: {
    file: '.codex/config.toml',
    servers: 'mcp_servers',
    closed: true,
    required: command,
    optional: {
      ...launch,
      cwd: text,
      enabled: flag,
      startup_timeout_sec: number,
      tool_timeout_sec: number,
      enabled_tools: texts,
      disabled_tools: texts,
    },
  },
  // github.com/google-gemini/gemini-cli, docs/tools/mcp-server.md
  gemini: {
    file: '.gemini/settings.json',
    servers: 'mcpServers',
    closed: true,
    required: command,
    optional: { ...launch, cwd: text, timeout: number, trust: flag, includeTools: texts, excludeTools: texts },
  },
  // docs.windsurf.com/windsurf/cascade/mcp
  windsurf: {
    file: '.codeium/windsurf/mcp_config.json',
    servers: 'mcpServers',
    required: command,
    optional: { ...launch, disabled: flag },
  },
  // zed.dev/docs/ai/mcp, "Custom servers"; `source` is of the versions until 2025, and passed over since
  zed: {
    file: '.config/zed/settings.json',
    servers: 'context_servers',
    required: command,
    optional: { ...launch, source: one('custom'), enabled: flag, timeout: number },
  },
  // docs.github.com/copilot/how-tos/copilot-cli/customize-copilot/add-mcp-servers
  copilot: {
    file: '.copilot/mcp-config.json',
    servers: 'mcpServers',
    required: { type: one('local', 'stdio'), ...command, args: texts, tools: texts },
    optional: { env: map, cwd: text, timeout: number },
  },
  // github.com/cline/cline, StdioServerConfig of its command line
  cline: {
    file: '.cline/data/settings/cline_mcp_settings.json',
    servers: 'mcpServers',
    required: command,
    optional: { ...launch, type: one('stdio'), cwd: text, autoApprove: texts, disabled: flag, timeout: number },
  },
  // jetbrains.com/help/junie/model-context-protocol-mcp.html
  jetbrains: { file: '.junie/mcp/mcp.json', servers: 'mcpServers', required: command, optional: launch },
};

/** What is wrong with a server's entry; empty where nothing is. */
export function complaints({ required, optional, closed }, entry) {
  const known = { ...required, ...optional };
  const missing = Object.keys(required).filter((key) => !(key in entry));
  const wrong = Object.keys(entry).filter((key) => key in known && !known[key](entry[key]));
  const foreign = closed ? Object.keys(entry).filter((key) => !(key in known)) : [];
  return [
    ...missing.map((key) => `no ${key}`),
    ...wrong.map((key) => `${key} is of another kind`),
    ...foreign.map((key) => `unknown ${key}`),
  ];
}
