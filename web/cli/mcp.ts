/** `sheaf mcp`: the MCP server, for agents. */
import { resolve } from 'node:path';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { isLoopback } from '../node/net/gate.js';
import { existingFolder, parseFlags, siteAddress } from './flags.js';
import { oneLine } from '../node/base/terminal.js';
import type { McpOptions } from '../node/mcp/main.js';
import type { Environment } from '../node/mcp/tool.js';
import type { LogLevel } from '../node/operate/log.js';
import { lockedVersions } from '../node/sources/locked.js';
import { originOf } from '../node/sources/records.js';
import { OPERATION_FLAGS, OPERATION_FLAGS_HELP, parseAccess, parseLogFormat } from './operation_flags.js';

export const help = `Usage: sheaf mcp [--tools SETS] [--http [HOST:]PORT]
       sheaf mcp https://SITE/ …

Serves the libraries of the store to an agent, over stdin and stdout, or over HTTP. Clients start it
by themselves once they know it: sheaf install-mcp --help

With the address of a site that sheaf site gave search, serves the libraries of that site, or of
several, instead of the store's: read by range where they lie, kept as they were read.

      --tools SETS         openground, search_docs, knowledge, catalogue, searxng, or all; the
                           default is openground, with catalogue once you added one
      --project DIR        the project that search_docs searches, and whose lock file says what
                           "latest" is; by default the working directory
      --store DIR          another folder of bundles than the user's store
      --site ADDRESS       a site, as above; may be repeated
      --allow-add          let agents add libraries to the store, each after the user said yes; the
                           sources are registries and https addresses (docs/agents.md)
      --backend ADDRESS    the libraries of a database that sheaf export filled: lancedb:FOLDER,
                           pglite:FOLDER or postgres://HOST/DATABASE (docs/databases.md)
  -H, --http [HOST:]PORT   serve http://HOST:PORT/mcp; HOST is 127.0.0.1 by default, PORT 0 a free
                           port. Clients must send $SHEAF_MCP_TOKEN, or a token of --tokens, as a
                           bearer token; one is needed where other machines reach HOST`;

export const more = `      --allow-origin O     let pages of this origin, as https://app.example, call; repeatable
      --datasets DIR       the datasets of knowledge.search
      --underscore-names   knowledge_search for knowledge.search, where a client refuses dots
      --text-only          replies as text alone, half as long
      --memory SIZE        what open bundles may take, for example 256MB or 1GB; default 512MB
      --log-level LEVEL    debug, info (default), warn or error; logs go to stderr
${OPERATION_FLAGS_HELP}
      --stdio              the default; some clients' instructions pass it`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('mcp', {
    args,
    allowPositionals: true,
    options: {
      ...OPERATION_FLAGS,
      tools: { type: 'string' },
      'underscore-names': { type: 'boolean' },
      'text-only': { type: 'boolean' },
      project: { type: 'string' },
      datasets: { type: 'string' },
      store: { type: 'string' },
      site: { type: 'string', multiple: true },
      backend: { type: 'string' },
      'allow-add': { type: 'boolean' },
      memory: { type: 'string' },
      'log-level': { type: 'string' },
      http: { type: 'string', short: 'H' },
      'allow-origin': { type: 'string', multiple: true },
      stdio: { type: 'boolean' },
    },
  });
  for (const flag of ['allow-origin', 'tokens', 'metrics'] as const)
    if (values.http === undefined && values[flag] !== undefined) throw usageError(`--${flag} belongs to --http.`);
  if (values.stdio && values.http !== undefined) throw usageError('Give either --stdio or --http.');
  const http = values.http === undefined ? undefined : parseHttp(values.http, values);
  const { parseSets } = await import('../node/mcp/sets.js');
  const sites = [...positionals, ...(values.site ?? [])].map(siteAddress);
  if ([values.backend, values.store, sites[0]].filter((each) => each !== undefined).length > 1)
    throw usageError('Give one of --store, --backend and sites: each says which libraries are served.');
  if (values['allow-add'] && (values.backend ?? values.store ?? sites[0]) !== undefined)
    throw usageError('--allow-add adds to the store of the user, so it goes without --store, --backend and sites.');
  const { backendAddress, openBackend } = await import('../node/databases/address.js');
  const address = values.backend === undefined ? undefined : backendAddress(values.backend);
  const project = values.project === undefined ? undefined : await existingFolder('--project', values.project);
  const options = {
    sets: parseSets(values.tools ?? (await byDefault())),
    underscoreNames: values['underscore-names'] ?? false,
    logLevel: parseLevel(values['log-level'] ?? 'info'),
    logFormat: parseLogFormat(values['log-format']),
    memory: values.memory === undefined ? undefined : parseSize('--memory', values.memory),
    store: values.store === undefined ? undefined : resolve(values.store),
    env: values.datasets === undefined ? process.env : { ...process.env, SHEAF_DATASETS: resolve(values.datasets) },
    textOnly: values['text-only'] ?? false,
    project,
    sites,
    backend: address === undefined ? undefined : () => openBackend(address),
    lockedVersion: lockedVersions(project ?? process.cwd()),
    originOf,
    // Loaded when it is asked for: a server should start quickly.
    findLibraries: async (query: string, count: number, signal: AbortSignal) =>
      (await import('../node/sources/catalogue_find.js')).findLibraries(query, count, signal),
    ...(values['allow-add'] ? { planAddition } : {}),
    http,
  };
  const { runMcp } = await loadServer();
  await runMcp(options);
  return EXIT.OK;
}

/** Loaded when it is asked for, as above. */
const planAddition: Environment['planAddition'] = async (request, signal) =>
  (await import('../node/ingest/add_for_agent.js')).planAddition(request, signal);

async function byDefault(): Promise<string> {
  const { readPins } = await import('../node/catalogue/pins.js');
  const added = await readPins().catch(() => []); // the tool itself says what is wrong with them
  return added.length > 0 ? 'openground,catalogue' : 'openground';
}

/** The server needs one built file beside the compiled ones. */
async function loadServer(): Promise<typeof import('../node/mcp/main.js')> {
  try {
    return await import('../node/mcp/main.js');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new CliError(
      EXIT.FAILURE,
      `A part of the server is missing (${oneLine((error as Error).message)}). Build it with: npm run build`,
    );
  }
}

interface HttpFlags {
  'allow-origin'?: string[] | undefined;
  tokens?: string | undefined;
  metrics?: boolean | undefined;
}

function parseHttp(value: string, flags: HttpFlags): NonNullable<McpOptions['http']> {
  const match = /^(?:(\[[0-9a-f:.]+\]|[^:[\]/\s]+):)?(\d{1,5})$/i.exec(value);
  const port = Number(match?.[2]);
  if (match === null || port > 65535)
    throw usageError(`--http takes PORT or HOST:PORT, for example 8383 or 127.0.0.1:8383, not '${oneLine(value)}'.`);
  const access = parseAccess('SHEAF_MCP_TOKEN', flags.tokens);
  const { 'allow-origin': allowOrigins = [], metrics = false } = flags;
  for (const origin of allowOrigins) {
    if (!/^[a-z][a-z0-9+.-]*:\/\/[^/\s?#]+\/?$/i.test(origin))
      throw usageError(`--allow-origin takes an origin such as https://app.example, not '${oneLine(origin)}'.`);
  }
  const host = match[1] ?? '127.0.0.1';
  if (!isLoopback(host) && access.token === undefined && access.tokens === undefined) {
    throw usageError(
      `${host} can be reached from other machines, so a token is needed: set SHEAF_MCP_TOKEN, or give --tokens.`,
    );
  }
  return { host, port, ...access, metrics, allowOrigins };
}

function parseLevel(value: string): LogLevel {
  if (value === 'debug' || value === 'info' || value === 'warn' || value === 'error') return value;
  throw usageError(`--log-level must be debug, info, warn or error, not '${oneLine(value)}'.`);
}

/** `512MB`, `1.5GB`, `64m`, or bytes. */
export function parseSize(flag: string, value: string): number {
  const match = /^(\d+(?:\.\d+)?) ?(k|m|g)?(?:i?b)?$/i.exec(value.trim());
  const bytes =
    match === null
      ? Number.NaN
      : Math.round(Number(match[1]) * 1024 ** ['', 'k', 'm', 'g'].indexOf((match[2] ?? '').toLowerCase()));
  if (!Number.isSafeInteger(bytes))
    throw usageError(`${flag} takes a size such as 256MB or 1GB, not '${oneLine(value)}'.`);
  return bytes;
}
