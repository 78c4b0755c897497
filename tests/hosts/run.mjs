/**
 * Real servers against a site of `sheaf site`: `node tests/hosts/run.mjs [NAME]...`. Each is started on loopback with compression
 * on for every type, asked for a range as a browser asks, and searched by words and by meaning in Node. Prints the table of docs/hosts.md; exit code 1 where an answer is wrong. Servers that are not installed are named
 * and skipped: apt install nginx apache2 caddy lighttpd lighttpd-mod-deflate; `serve` and `http-server` come by npx.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { FetchSource } from '../../dist/browser/client/fetch_source.js';
import { open } from '../../dist/node/client/node.js';
import { deploy } from '../../dist/node/site/deploy.js';
import { manyPages, packFixture, TABLE } from '../node/packed.mjs';
import { HOSTS, serveLike } from './simulated.mjs';

const root = mkdtempSync(join(tmpdir(), 'sheaf-hosts-'));
const site = join(root, 'site');
const ALL =
  'text/plain text/html text/css text/javascript application/javascript application/json application/wasm application/octet-stream';

/** `start(port)`: [program, arguments], its files below `root` written. */
const SERVERS = {
  nginx: {
    programs: ['/usr/sbin/nginx'],
    start(port) {
      const conf = join(root, 'nginx.conf');
      const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((each) => `${each}_temp_path ${root}/${each};`).join(' ');
      const types = 'types { text/html html; text/javascript js; application/wasm wasm; application/json json; }';
      writeFileSync(
        conf,
        `daemon off; pid ${root}/nginx.pid; error_log stderr; events {} http { access_log off; ${temp} ${types} default_type application/octet-stream;
gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any; server { listen 127.0.0.1:${port}; root ${site}; } }`,
      );
      return ['-c', conf, '-p', root];
    },
  },
  apache2: {
    programs: ['/usr/sbin/apache2'],
    start(port) {
      const conf = join(root, 'apache.conf');
      const modules = ['mpm_event', 'authz_core', 'dir', 'mime', 'filter', 'deflate'].map(
        (name) => `LoadModule ${name}_module /usr/lib/apache2/modules/mod_${name}.so`,
      );
      writeFileSync(
        conf,
        `${modules.join('\n')}\nServerName localhost\nListen 127.0.0.1:${port}\nPidFile ${root}/apache.pid\nErrorLog ${root}/apache.log
DefaultRuntimeDir ${root}\nTypesConfig /etc/mime.types\nDocumentRoot ${site}\nDirectoryIndex index.html\n<Directory ${site}>\nRequire all granted\n</Directory>
AddType application/octet-stream .sheaf .bin\nSetOutputFilter DEFLATE\n`,
      );
      return ['-f', conf, '-DFOREGROUND'];
    },
  },
  caddy: {
    programs: ['/usr/bin/caddy'],
    start(port) {
      const conf = join(root, 'Caddyfile');
      writeFileSync(
        conf,
        `{\n admin off\n auto_https off\n}\nhttp://127.0.0.1:${port} {\n root * ${site}\n encode {\n  gzip\n  minimum_length 1\n  match {\n   header Content-Type *\n  }\n }\n file_server\n}\n`,
      );
      return ['run', '--config', conf, '--adapter', 'caddyfile'];
    },
  },
  lighttpd: {
    programs: ['/usr/sbin/lighttpd'],
    start(port) {
      const conf = join(root, 'lighttpd.conf');
      const types = ALL.split(' ')
        .map((type) => `"${type}"`)
        .join(', ');
      mkdirSync(join(root, 'deflated'), { recursive: true });
      writeFileSync(
        conf,
        `server.modules = ("mod_deflate")\nserver.document-root = "${site}"\nserver.bind = "127.0.0.1"\nserver.port = ${port}\nindex-file.names = ("index.html")
mimetype.assign = (".html" => "text/html", ".js" => "text/javascript", ".wasm" => "application/wasm", ".json" => "application/json", "" => "application/octet-stream")
deflate.mimetypes = (${types})\ndeflate.allowed-encodings = ("gzip")\ndeflate.cache-dir = "${root}/deflated"\n`,
      );
      return ['-D', '-f', conf];
    },
  },
  'python http.server': {
    programs: ['/usr/bin/python3'],
    start: (port) => ['-m', 'http.server', String(port), '--bind', '127.0.0.1', '--directory', site],
  },
  serve: { npx: 'serve@14', start: (port) => ['-L', '-l', `tcp://127.0.0.1:${port}`, site] },
  'http-server': { npx: 'http-server@14', start: (port) => [site, '-a', '127.0.0.1', '-p', String(port), '-g', '-s'] },
};

const QUERIES = ['firing the kiln too fast', 'certificate clock'];

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function startReal(server) {
  const port = await freePort();
  const program = server.programs?.find((each) => existsSync(each));
  if (program === undefined && server.npx === undefined) return undefined;
  const args = server.start(port);
  const child = program
    ? spawn(program, args, { stdio: 'ignore' })
    : spawn('npx', ['--yes', server.npx, ...args], { stdio: 'ignore', detached: true });
  const origin = `http://127.0.0.1:${port}`;
  for (let i = 0; i < 150; i++) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    if (await fetch(`${origin}/index.html`).catch(() => undefined)) break;
    await sleep(200);
  }
  const close = async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined;
    if (program) child.kill();
    else process.kill(-child.pid);
    await ended;
  };
  return { origin, close };
}

/** What a browser's first request for the bundle brings. */
async function firstAnswer(origin, bundle) {
  const stop = new AbortController();
  const answer = await fetch(origin + bundle, { headers: { range: 'bytes=0-38911', 'accept-encoding': 'identity' }, signal: stop.signal });
  const asked = await fetch(origin + bundle, { headers: { range: 'bytes=0-38911', 'accept-encoding': 'gzip, br' }, signal: stop.signal });
  const of = ({ status, headers }) => `${status}${headers.get('content-encoding') ? ` ${headers.get('content-encoding')}` : ''}`;
  const told = [of(answer), of(asked)];
  stop.abort();
  return told;
}

async function search(origin, names) {
  const answers = [];
  let pieces = 0;
  let whole = 0;
  for (const mode of ['keyword', 'hybrid']) {
    const counting = (url, init) => {
      if (String(url).includes('.pieces/')) pieces++;
      else if (init?.headers?.Range === undefined) whole++;
      return fetch(url, init);
    };
    const table = new FetchSource(origin + names.table, { first: 16 * 1024, fetch: counting });
    const library = await open(new FetchSource(origin + names.bundle, { fetch: counting }), {
      encoder: mode === 'keyword' ? false : table,
      lazy: true,
    });
    for (const query of QUERIES) answers.push((await library.search(query, { mode })).hits.map(({ passage }) => passage));
    await library.close();
  }
  return { answers, way: pieces > 0 ? 'pieces' : whole > 0 ? 'whole' : 'ranges' };
}

mkdirSync(site);
writeFileSync(join(site, 'index.html'), '<!doctype html><title>Kiln</title>');
try {
  const bundle = await packFixture(join(root, 'kiln.sheaf'), { docs: manyPages(join(root, 'docs'), 700), options: ['--level', '3'] });
  await deploy({ site, bundles: [{ file: bundle }], table: TABLE, pieces: 'beside' });
  const files = readdirSync(join(site, 'sheaf'));
  const named = (begin) => `/sheaf/${files.find((name) => name.startsWith(begin) && name.endsWith('.sheaf'))}`;
  const names = { bundle: named('site-'), table: named('minilm') };
  spawnSync('chmod', ['-R', 'a+rX', root]);
  const good = await serveLike('good', site);
  const { answers: expected } = await search(good.origin, names);
  await good.close();
  const wanted = process.argv.slice(2);
  const isWanted = (name) => wanted.length === 0 || wanted.includes(name);
  console.log('| server | a range | a range, encodings allowed | read by |\n|---|---|---|---|');
  const starts = [
    ...Object.entries(SERVERS).map(([name, server]) => [name, () => startReal(server)]),
    ...Object.keys(HOSTS).map((name) => [`(simulated) ${name}`, () => serveLike(name, site)]),
  ];
  for (const [name, start] of starts) {
    if (!isWanted(name)) continue;
    let host;
    try {
      host = await start();
      if (host === undefined) {
        console.log(`| ${name} | not installed | | |`);
        continue;
      }
      const first = await firstAnswer(host.origin, names.bundle);
      const { answers, way } = await search(host.origin, names);
      assert.deepEqual(answers, expected, 'other answers than by ranges');
      console.log(`| ${name} | ${first.join(' | ')} | ${way} |`);
    } catch (error) {
      console.log(`| ${name} | FAILED: ${error.message.split('\n')[0]} | | |`);
      process.exitCode = 1;
    } finally {
      await host?.close();
    }
  }
} finally {
  rmSync(root, { recursive: true, force: true });
}
