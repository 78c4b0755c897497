/** `sheaf serve`: a site with its search, for authors; or the installed libraries, in the form of SearXNG's JSON. */
import { ownVersion } from '../node/client/paths.js';
import { EXIT, usageError } from '../node/base/exit.js';
import { oneLine } from '../node/base/terminal.js';
import { parseFlags } from './flags.js';
import { listenUntilStopped, logTrouble, parsePort } from './listening.js';
import { OPERATION_FLAGS, OPERATION_FLAGS_HELP, parseAccess, parseLogFormat } from './operation_flags.js';
import { INDEX_FLAGS, INDEX_FLAGS_HELP, siteFolder } from './site_flags.js';

export const help = `Usage: sheaf serve DIR [--port 8383]
       sheaf serve [--port 8383]

With DIR, a built site: serves its pages with their search, and packs again what changes, which
open pages then use. Writes nothing below DIR. For authors, not for the public.

Without DIR, the libraries in the store: answers /search?q=WORDS&format=json as SearXNG does, which
can use it as an engine (docs/searxng.md). $SHEAF_SERVE_TOKEN asks clients for a bearer token.

Both run until they are stopped, and print their address.

  -p, --port N          8383 by default; 0 takes a free one
      --host ADDRESS    127.0.0.1 by default: this machine alone
      --store DIR       another folder of bundles than the user's store; not with DIR
      --allow-origin O  let pages of https://docs.example, or *, ask; may be repeated; not with DIR`;

export const more = `      --allow-host NAME another name this server is reached by; may be repeated
      --json            print the address as JSON

Without DIR
${OPERATION_FLAGS_HELP}

With DIR
      --playground      a page to try rules of the search (docs/rules.md), instead of the site
      --include GLOB    take only pages that match; may be repeated. So --exclude
      --version-dir GLOB  each folder that matches is a version of its own; may be repeated
${INDEX_FLAGS_HELP}
  -q, --quiet           no progress of the first packing`;

const OF_STORE = ['store', 'allow-origin', ...Object.keys(OPERATION_FLAGS)];

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('serve', {
    args,
    allowPositionals: true,
    options: {
      ...INDEX_FLAGS,
      ...OPERATION_FLAGS,
      port: { type: 'string', short: 'p' },
      host: { type: 'string' },
      store: { type: 'string' },
      'allow-host': { type: 'string', multiple: true },
      'allow-origin': { type: 'string', multiple: true },
      json: { type: 'boolean' },
      playground: { type: 'boolean' },
    },
  });
  const port = parsePort(values.port ?? '8383');
  const host = values.host ?? '127.0.0.1';
  const json = values.json ?? false;
  const hosts = [host, ...(values['allow-host'] ?? [])].map((name) => name.toLowerCase());
  const wrong = Object.keys(values).find((flag) =>
    (positionals.length > 0 ? OF_STORE : Object.keys(INDEX_FLAGS)).includes(flag),
  );
  if (wrong !== undefined) {
    const use =
      positionals.length > 0
        ? 'the libraries in the store, without a folder. See: sheaf serve --help'
        : `a site: sheaf serve DIR --${wrong} …`;
    throw usageError(`--${wrong} is for ${use}`);
  }
  if (values.playground && positionals.length === 0)
    throw usageError('--playground is for a site: sheaf serve DIR --playground');
  if (positionals.length > 0) {
    const site = await siteFolder(positionals, 'sheaf serve public');
    if (values.playground) {
      const { servePlayground } = await import('./serve_playground.js');
      await servePlayground({ site, port, host, hosts, json, values });
      return EXIT.OK;
    }
    const { serveSite } = await import('./serve_site.js');
    await serveSite({ site, port, host, hosts, json, values });
    return EXIT.OK;
  }
  const access = parseAccess('SHEAF_SERVE_TOKEN', values.tokens);
  const logFormat = parseLogFormat(values['log-format']);
  const origins = (values['allow-origin'] ?? []).map(parseOrigin);

  // After the flags: a wrong one costs nothing.
  const [{ LimitedPool }, { createPool }, { createSearchServer }, operate, { createLog }] = await Promise.all([
    import('../node/mcp/limits.js'),
    import('../node/mcp/pool.js'),
    import('../node/serve/search_server.js'),
    import('../node/operate/index.js'),
    import('../node/operate/log.js'),
  ]);
  const log = logFormat === 'json' ? createLog('info', 'json') : logTrouble;
  const tokens = await operate.Access.open({ token: access.token, file: access.tokens }, log);
  const pool = new LimitedPool(createPool(log, values.store === undefined ? {} : { store: values.store }));
  try {
    const operation = await operate.Operation.create({
      access: tokens,
      log,
      pool,
      version: await ownVersion(),
      metrics: values.metrics ?? false,
      logRequests: logFormat === 'json',
    });
    const server = createSearchServer({ pool, operation, log, hosts, origins });
    const warning = tokens.isGuarded
      ? undefined
      : `Everyone who reaches ${oneLine(host)} may search the store; set SHEAF_SERVE_TOKEN to ask for a token.`;
    const listening = { port, host, json, warning, graceMs: operate.END_MS };
    const { end } = await listenUntilStopped(server, listening, () => operation.end());
    await end;
  } finally {
    await pool.close();
  }
  return EXIT.OK;
}

function parseOrigin(text: string): string {
  if (text === '*') return text;
  const origin = URL.canParse(text) ? new URL(text).origin : 'null';
  if (origin === 'null' || origin !== text.replace(/\/$/, '')) {
    throw usageError(
      `--allow-origin takes a scheme and a host, as https://docs.example, or *; not '${oneLine(text)}'.`,
    );
  }
  return origin;
}
