/** `sheaf serve DIR --playground`: a page to try the rules of a site's search. */
import { createPlaygroundServer } from '../node/serve/playground_server.js';
import { requireModule } from '../node/site/playground.js';
import { oneLine } from '../node/base/terminal.js';
import { listenUntilStopped, logTrouble } from './listening.js';
import type { ServeSite } from './serve_site.js';
import { siteRequest } from './site_flags.js';

/** Runs until SIGINT or SIGTERM. Error: it cannot listen. */
export async function servePlayground({ site, port, host, hosts, json, values }: ServeSite): Promise<void> {
  await requireModule();
  const server = createPlaygroundServer(await siteRequest(site, '', values), hosts, logTrouble);
  const warning = `Everyone who reaches ${oneLine(host)} may read ${oneLine(site)}.`;
  const { end } = await listenUntilStopped(server, { port, host, json, warning });
  await end;
}
