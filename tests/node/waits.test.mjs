/** Waits for a network: each has an end, and is named after two seconds. */
import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { hostFetch } from '../../dist/node/published/host_fetch.js';
import { CatalogueFiles } from '../../dist/node/sources/catalogue.js';
import { runCommand } from '../../dist/node/sources/command.js';
import { Guard } from '../../dist/node/sources/guard.js';
import { Fetcher } from '../../dist/node/sources/http.js';
import { fetchSource } from '../../dist/node/sources/index.js';
import { runNpm } from '../../dist/node/sources/npm.js';
import { temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const folder = temporaryFolder('waits');
const bin = join(folder, 'bin');
mkdirSync(bin);
const silent = createServer(() => {});
silent.listen(0, '127.0.0.1');
await once(silent, 'listening');
const address = `http://127.0.0.1:${silent.address().port}/x`;
after(() => (silent.closeAllConnections(), silent.close()));

/** A tool of this name that runs a shell script. */
function tool(name, script) {
  writeFileSync(join(bin, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(bin, name), 0o755);
}
const options = (more = {}) => ({
  folder,
  signal: new AbortController().signal,
  say: () => {},
  env: { PATH: `${bin}:${process.env.PATH}` },
  ...more,
});

describe('waits for a network', () => {
  it('A tool that takes longer than two seconds is named, and one that is quick is not', async () => {
    tool('slow', 'exec sleep 2.5');
    tool('quick', 'exit 0');
    const said = [];
    await runCommand('slow', ['--quiet', 'view', 'vue', 'third'], '', options({ say: (text) => said.push(text) }));
    await runCommand('quick', ['view'], '', options({ say: (text) => said.push(text) }));
    assert.deepEqual(said, ['Waiting for slow view vue …']);
  });

  it('A tool that does not end is stopped at its limit, by its name', async () => {
    tool('stuck', 'exec sleep 60');
    const begun = performance.now();
    await assert.rejects(
      runCommand('stuck', ['fetch'], '', options({ limitMs: 300 })),
      /stuck fetch did not end within 0\.3 s and was stopped/,
    );
    assert.ok(performance.now() - begun < 5000);
  });

  it('The npm of the user is told not to wait minutes between its tries, unless they say so', async () => {
    tool('npm', 'echo "$npm_config_fetch_retries $npm_config_fetch_retry_mintimeout"');
    assert.equal((await runNpm(['view', 'vue'], options())).stdout, '1 1000\n');
    const own = options();
    own.env.npm_config_fetch_retries = '5';
    assert.equal((await runNpm(['view', 'vue'], own)).stdout, '5 1000\n');
  });

  it('A host that does not answer is named after two seconds, once, and given up at its deadline', async () => {
    const said = [];
    const fetcher = new Fetcher(new Guard(true), new AbortController().signal, (text) => said.push(text));
    const asked = [1, 2].map(() => fetcher.get(address, { timeoutMs: 2600, maxBytes: 10 }));
    for (const each of asked) await assert.rejects(each, /127\.0\.0\.1:\d+\/x: no complete answer within 2\.6 s/);
    assert.deepEqual(said, [`Waiting for ${new URL(address).host} …`]);
    fetcher.close();
  });

  it('A catalogue, an archive and an llms.txt that do not answer are named, too', async () => {
    const host = new URL(address).host;
    const context = (say, signal) => ({
      ...options(),
      say,
      signal,
      allowPrivate: true,
      trusted: true,
      warn: say,
      timeoutMs: 60_000,
      concurrency: 1,
    });
    const sources = {
      catalogue: (say, signal) =>
        new CatalogueFiles({ address: new URL('/', address).href, insecure: true, private: true }, signal, say, process.env).get(
          'catalogue.json',
          10,
        ),
      archive: (say, signal) => fetchSource({ type: 'archive', archive: `${address}.zip` }, context(say, signal)),
      llms: (say, signal) => fetchSource({ type: 'llms', llms_url: `${address}/llms.txt` }, context(say, signal)),
      bundle: (say, signal) => fetchSource({ type: 'bundle', bundle: `${address}.sheaf` }, context(say, signal)),
      sitemap: (say, signal) => fetchSource({ type: 'sitemap', sitemap_url: `${address}.xml` }, context(say, signal)),
    };
    await Promise.all(
      Object.entries(sources).map(async ([name, fetch]) => {
        const said = [];
        const stop = new AbortController();
        const asked = assert.rejects(fetch((text) => said.push(text), stop.signal));
        await until(() => said.includes(`Waiting for ${host} …`), `the words about the wait for the ${name}`);
        stop.abort(new Error('enough'));
        await asked;
      }),
    );
  });

  it('A site that sheaf mcp serves is named after two seconds, and given up at its deadline', async () => {
    const said = [];
    const ask = hostFetch({ own: new URL(address), onWait: (host) => said.push(host), answerMs: 2600 });
    await assert.rejects(async () => (await ask(address)).text(), new RegExp(new URL(address).host));
    assert.deepEqual(said, [new URL(address).host]);
  });
});
