/**
 * Starts `sheaf mcp` and connects the official SDK's client to it.
 *
 *     const { client, stderr, close } = await connect({ store: folder, args: ['--tools', 'all'] });
 *     const { content, structuredContent, isError } = await client.callTool({ name: 'list_libraries_tool' });
 *     await close();
 */
import { spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { bundleMcp } from '../../scripts/mcp_bundle.mjs';
import { MAIN, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

await bundleMcp();

const homes = temporaryFolder('mcp-home');
const running = new Set();
process.on('exit', () => running.forEach((child) => child.kill('SIGKILL')));

/** Both protocol eras: with the `initialize` handshake, and without sessions. */
export const ERAS = ['legacy', 'modern'];

const NEGOTIATION = { legacy: { mode: 'legacy' }, modern: { mode: { pin: '2026-07-28' } } };

export function newClient(era = 'legacy', options = {}) {
  return new Client({ name: 'sheaf-test', version: '1.0.0' }, { versionNegotiation: NEGOTIATION[era], ...options });
}

/** The environment of a server that must not see this machine's own configuration, store or stats. */
export function serverEnvironment({ home = mkdtempSync(join(homes, 'home-')), env = {} } = {}) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: `${home}/config`,
    XDG_DATA_HOME: `${home}/data`,
    XDG_CACHE_HOME: `${home}/cache`,
    ...(process.env.NODE_V8_COVERAGE === undefined ? {} : { NODE_V8_COVERAGE: process.env.NODE_V8_COVERAGE }),
    ...env,
  };
}

function serverArgs({ main = MAIN, store, args = [] }) {
  return [main, 'mcp', ...(store === undefined ? [] : ['--store', store]), ...args];
}

/** Connects over stdio. `main`: another command than the tree's. `stderr()` returns what the server has logged so far. */
export async function connect({ era = 'legacy', main, store, args, env, home, cwd, clientOptions } = {}) {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: serverArgs({ main, store, args }),
    env: serverEnvironment({ home, env }),
    cwd,
    stderr: 'pipe',
  });
  let log = '';
  transport.stderr?.on('data', (chunk) => (log += chunk));
  const client = newClient(era, clientOptions);
  await client.connect(transport);
  return { client, transport, stderr: () => log, close: () => client.close() };
}

/** The server as a bare process that exchanges lines, for tests below the client's level. `node`: flags of Node's. */
export function spawnServer({ store, args, env, home, cwd, node = [] } = {}) {
  const child = spawn(process.execPath, [...node, ...serverArgs({ store, args })], {
    env: serverEnvironment({ home, env }),
    cwd,
    stdio: 'pipe',
  });
  // `close` comes after all output, `exit` may come before.
  const server = {
    child,
    stdout: '',
    stderr: '',
    exited: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal }))),
  };
  child.stdout.setEncoding('utf8').on('data', (chunk) => (server.stdout += chunk));
  child.stderr.setEncoding('utf8').on('data', (chunk) => (server.stderr += chunk));
  child.stdin.on('error', () => {}); // some tests are about a server that ends first
  server.send = (message) =>
    child.stdin.write(typeof message === 'string' ? message : `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  /** Resolves with the answer that has this id, as soon as it arrives. */
  server.answer = (id) =>
    until(
      () =>
        server.stdout
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
          .find((message) => message.id === id),
      `answer ${id}`,
    );
  /** The 2025 handshake. */
  server.initialize = async (protocolVersion = '2025-11-25') => {
    server.send({ id: 0, method: 'initialize', params: { protocolVersion, capabilities: {}, clientInfo: { name: 'bare', version: '1' } } });
    const answer = await server.answer(0);
    server.send({ method: 'notifications/initialized' });
    return answer;
  };
  running.add(child);
  child.once('exit', () => running.delete(child));
  return server;
}

/** Over HTTP: starts the server on a free port. `request` is a bare fetch of its endpoint. */
export async function listen({ store, args = [], env, home, cwd, node } = {}) {
  const server = spawnServer({ store, args: [...args, '--http', '0'], env, home, cwd, node });
  const ended = server.exited.then(({ code }) => {
    throw new Error(`the server ended with ${code}: ${server.stderr}`);
  });
  ended.catch(() => {});
  const url = await Promise.race([ended, until(() => /http:\/\/\S+\/mcp/.exec(server.stderr)?.[0], 'listening address')]);
  return {
    ...server,
    url,
    log: () => server.stderr,
    async connect(era = 'legacy', requestInit = {}, clientOptions = {}) {
      const client = newClient(era, clientOptions);
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
      return client;
    },
    async close() {
      server.child.kill('SIGTERM');
      return server.exited;
    },
  };
}
