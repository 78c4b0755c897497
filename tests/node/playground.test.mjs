/** What the playground's page is given: a site's pages, its bundles, its rules, and no other files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createPlaygroundServer } from '../../dist/node/serve/playground_server.js';
import { playgroundData } from '../../dist/node/site/playground.js';
import { MAIN, temporaryFolder } from './packed.mjs';

const root = temporaryFolder('playground-data');
const site = join(root, 'public');
const request = { site, work: '', library: 'orchard', version: 'site' };

function put(path, content) {
  mkdirSync(dirname(join(site, path)), { recursive: true });
  writeFileSync(join(site, path), content);
}

before(() => {
  put('index.html', '<html lang="en"><title>Orchard</title><p>Übersicht</p></html>');
  put('de/index.html', '<html lang="de"><title>Obstgarten</title><p>Seiten</p></html>');
  put('old.html', Buffer.from('<html lang="en"><meta charset="latin1"><title>Caf\u00e9</title></html>', 'latin1'));
  put('sheaf/own.html', 'ours');
  put('secret.txt', 'not a page');
});

describe('the data of the playground', () => {
  it('The playground gets every page, and nothing else of the site', async () => {
    const { title, rules, files } = JSON.parse(await playgroundData(request));
    assert.deepEqual([title, rules], ['orchard', '']);
    assert.deepEqual(files.map(({ path }) => path).sort(), ['de/index.html', 'index.html', 'old.html']);
    assert.match(files.find(({ path }) => path === 'index.html').text, /Übersicht/);
    const old = files.find(({ path }) => path === 'old.html');
    assert.match(Buffer.from(old.base64, 'base64').toString('latin1'), /Café/);
  });

  it('Each language is a bundle of its own, packed as the site is, and no path of this machine is told', async () => {
    const text = String(await playgroundData(request));
    assert.ok(!text.includes(root));
    const { collections } = JSON.parse(text);
    assert.deepEqual(collections.map(({ label }) => label).sort(), ['de', 'en']);
    const german = collections.find(({ label }) => label === 'de');
    assert.equal(german.folder, 'de/');
    assert.deepEqual([german.settings.library, german.settings.urlStyle, german.settings.language], ['orchard', 'html', 'de']);
  });

  it('The rules are those that the site is packed with', async () => {
    const rules = join(root, 'rules.yaml');
    writeFileSync(rules, 'start: [index.html]\n');
    assert.equal(JSON.parse(await playgroundData({ ...request, rules })).rules, 'start: [index.html]\n');
    assert.equal(JSON.parse(await playgroundData({ ...request, rules: 'none' })).rules, '');
    await assert.rejects(playgroundData({ ...request, rules: join(root, 'gone.yaml') }), { exitCode: 4 });
  });
});

describe('the server of the playground', () => {
  let server;
  let origin;
  before(async () => {
    server = createPlaygroundServer(request, [], () => {});
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
    origin = `http://127.0.0.1:${server.address().port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });

  it('The playground is served with its code, and without the rest of the package', async () => {
    for (const [path, type] of [
      ['/', 'text/html; charset=utf-8'],
      ['/playground.css', 'text/css; charset=utf-8'],
      ['/data.json', 'application/json; charset=utf-8'],
      ['/dist/browser/playground/main.js', 'text/javascript; charset=utf-8'],
      ['/dist/browser/convert/yaml.mjs', 'text/javascript; charset=utf-8'],
      ['/dist/browser/core/sheaf-core.wasm', 'application/wasm'],
      ['/models/minilm-l6-256.sheaf', 'application/octet-stream'],
    ]) {
      const response = await fetch(origin + path);
      assert.deepEqual([response.status, response.headers.get('content-type')], [200, type], path);
      await response.body.cancel();
    }
    for (const path of [
      '/secret.txt',
      '/dist/browser/playground',
      '/dist/browser/playground/main.d.ts',
      '/dist/browser/ui/index.js',
      '/dist/browser/convert/pdf_reader.mjs',
      '/dist/cli/main.js',
      '/dist/browser/client/..%2f..%2fcli/main.js',
      '/models/',
    ])
      assert.equal((await fetch(origin + path)).status, 404, path);
  });

  it('The playground takes no rules and writes nothing: it answers GET alone, to its own names', async () => {
    assert.equal((await fetch(`${origin}/data.json`, { method: 'POST', body: 'x' })).status, 405);
    assert.equal((await fetch(`${origin}/`, { headers: { Origin: 'https://evil.example' } })).status, 403);
  });
});

describe('flags of the playground', () => {
  it('The playground needs a site', () => {
    const { status, stderr } = spawnSync(process.execPath, [MAIN, 'serve', '--playground'], { encoding: 'utf8' });
    assert.equal(status, 2);
    assert.match(stderr, /--playground is for a site: sheaf serve DIR --playground/);
  });
});
