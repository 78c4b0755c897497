/** `sheaf serve DIR`: a site with its search, for authors. */
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { discard } from '../node/base/leftovers.js';
import { TABLE_FILE } from '../node/client/paths.js';
import { openPacker } from '../node/packer/choose.js';
import { oneLine } from '../node/base/terminal.js';
import { createSiteServer } from '../node/serve/site_server.js';
import { deploy, ENTRY, FOLDER } from '../node/site/deploy.js';
import { injected } from '../node/site/inject.js';
import { writePlaceFiles } from '../node/site/inject_site.js';
import { allPlaceFiles } from '../node/site/place.js';
import { CollectionsPacker } from '../node/site/pack_collections.js';
import { keepIndexed, Replaced } from '../node/site/watch.js';
import { listenUntilStopped, logTrouble } from './listening.js';
import { liveTeller } from './live.js';
import { siteRequest, type SiteValues } from './site_flags.js';

export interface ServeSite {
  site: string;
  port: number;
  host: string;
  hosts: readonly string[];
  json: boolean;
  values: SiteValues;
}

/** Runs until SIGINT or SIGTERM. Error: it cannot listen, or the first index failed. */
export async function serveSite({ site, port, host, hosts, json, values }: ServeSite): Promise<void> {
  const ownPacker = await openPacker();
  const index = await mkdtemp(join(tmpdir(), 'sheaf-serve-'));
  await writePlaceFiles(index, allPlaceFiles());
  const request = await siteRequest(site, index, values);
  const table = values.keywords ? undefined : TABLE_FILE;
  const { server, announce, endStreams } = createSiteServer({
    site,
    index,
    hosts,
    page: (html) => {
      const done = injected(html, `/${FOLDER}/${ENTRY}`);
      return 'skipped' in done ? html : done.html;
    },
    log: logTrouble,
  });
  const packer = new CollectionsPacker(ownPacker, request);
  const replaced = new Replaced();
  const stopping = new AbortController();
  try {
    const warning = `Everyone who reaches ${oneLine(host)} may read ${oneLine(site)}.`;
    const { end } = await listenUntilStopped(server, { port, host, json, warning }, () => {
      stopping.abort();
      endStreams();
      void packer.close();
    });
    const indexing = keepIndexed({
      site,
      rules: request.rules,
      packer,
      publish: async () => {
        const deployed = await deploy({ site: index, bundles: packer.bundles, table, box: packer.box });
        announce(deployed.files.map(({ path }) => basename(path)).filter((name) => name.endsWith('.sheaf')));
        await replaced.publish(index, deployed);
      },
      isPublished: () => Promise.resolve(true), // only this process writes there
      tell: liveTeller(),
      signal: stopping.signal,
    });
    await Promise.race([end, indexing.then(() => end)]);
  } finally {
    stopping.abort();
    endStreams();
    server.close();
    server.closeAllConnections();
    await packer.close();
    await discard(index);
  }
}
