/**
 * The sources of `sheaf add`, on loopback: sites with sitemaps, git repositories by file and by HTTP,
 * package archives, and an isolated `sheaf` to fetch them with. Nothing leaves the machine.
 */
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import zlib from 'node:zlib';
import { writeTree } from '../fixtures/tree.mjs';
import { finish, MAIN } from './packed.mjs';

// ---- sheaf ----------------------------------------------------------------------------------------

/** `sheaf` with its own home below `folder`. `.start` returns the child process, `.home` and `.cwd` are its folders. */
export function isolatedSheaf(folder) {
  const home = join(folder, 'home');
  const cwd = join(folder, 'project');
  const data = join(home, 'data');
  for (const path of [home, join(cwd, '.sheaf')]) mkdirSync(path, { recursive: true }); // .sheaf: `cwd` is a project
  const base = {
    HOME: home,
    XDG_DATA_HOME: data,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    NO_COLOR: '1',
  };
  const start = (args, env = {}, options = {}) =>
    spawn(process.execPath, [MAIN, ...args], {
      env: { ...process.env, ...base, ...env },
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...options,
    });
  const sheaf = (args, env, options) => finish(start(args, env, options));
  return Object.assign(sheaf, {
    start,
    home,
    cwd,
    data,
    store: join(data, 'sheaf', 'libraries'),
    /** The page's JSON. */
    page: async (library, version, name) => JSON.parse((await sheaf(['page', name, '-l', library, '-v', version, '--json'])).stdout),
    json: async (args, env) => {
      const { code, stdout, stderr } = await sheaf([...args, '--json'], env);
      assert.equal(code, 0, stderr);
      return JSON.parse(stdout);
    },
  });
}

export { finish };

// ---- HTTP -----------------------------------------------------------------------------------------

/**
 * A server on loopback. `routes` maps a path to a text, to {status, headers, body}, or to a function of
 * (request, response). `.url`, `.seen` (paths in order), `.most` (requests at once), `.close()`.
 */
export async function serve(routes) {
  const seen = [];
  const agents = new Set();
  let active = 0;
  const state = { most: 0 };
  const server = createServer((request, response) => {
    seen.push(request.url);
    agents.add(request.headers['user-agent']);
    state.most = Math.max(state.most, ++active);
    response.on('close', () => active--);
    const route = typeof routes === 'function' ? routes(request) : (routes[request.url] ?? routes[request.url.split('?')[0]]);
    if (route === undefined) return response.writeHead(404, { 'content-type': 'text/html' }).end('not here');
    if (typeof route === 'function') return route(request, response);
    const { status = 200, headers = {}, body = '' } = typeof route === 'object' && !Buffer.isBuffer(route) ? route : { body: route };
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  });
  server.keepAliveTimeout = 60_000; // do not close a connection just as it is reused
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    host: `127.0.0.1:${server.address().port}`,
    seen,
    agents,
    get most() {
      return state.most;
    },
    routes,
    close: () =>
      new Promise((done) => {
        server.closeAllConnections();
        server.close(done);
      }),
  };
}

export const html = (title, text, head = '') =>
  `<!doctype html>\n<html><head><title>${title}</title>${head}</head>\n<body><main><h1>${title}</h1>\n<p>${text}</p></main></body></html>`;

export const urlset = (...urls) =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.map((url) => `<url><loc>${url}</loc></url>`).join('\n')}</urlset>`;

// ---- git ------------------------------------------------------------------------------------------

export function git(cwd, ...args) {
  const env = {
    ...process.env,
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_AUTHOR_NAME: 'a',
    GIT_AUTHOR_EMAIL: 'a@example.org',
    GIT_COMMITTER_NAME: 'a',
    GIT_COMMITTER_EMAIL: 'a@example.org',
  };
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] }).trim();
}

/** A work tree on branch main, and `publish()`, which pushes it to the bare repository `bare`. */
export function makeRepository(folder, files) {
  const work = join(folder, 'work');
  const bare = join(folder, 'kiln.git');
  mkdirSync(work, { recursive: true });
  git(work, 'init', '-q', '-b', 'main');
  writeTree(work, files);
  git(folder, 'init', '-q', '--bare', '-b', 'main', bare);
  git(bare, 'config', 'uploadpack.allowFilter', 'true');
  git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
  git(bare, 'config', 'http.receivepack', 'false');
  const repository = {
    work,
    bare,
    commit(message, changes = {}) {
      writeTree(work, changes);
      git(work, 'add', '-A');
      git(work, 'commit', '-q', '-m', message);
      return repository;
    },
    publish() {
      git(work, 'push', '-q', '--mirror', bare);
      return repository;
    },
  };
  return repository;
}

/**
 * Serves the repositories below `folder` by git's smart protocol, through git's own http-backend. With `login`,
 * `user:password`, it answers 401 to requests without these credentials.
 */
export function gitOverHttp(folder, { moved, login } = {}) {
  const program = join(execFileSync('git', ['--exec-path'], { encoding: 'utf8' }).trim(), 'git-http-backend');
  return serve((request) => (_, response) => {
    const [path, query = ''] = request.url.split('?');
    if (moved !== undefined && path.startsWith(moved.from))
      return response.writeHead(301, { location: moved.to + request.url.slice(moved.from.length) }).end();
    if (login !== undefined && request.headers.authorization !== `Basic ${Buffer.from(login).toString('base64')}`)
      return response.writeHead(401, { 'www-authenticate': 'Basic realm="kiln"' }).end();
    const env = {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: '1',
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: request.headers['content-type'] ?? '',
      HTTP_GIT_PROTOCOL: request.headers['git-protocol'] ?? '',
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'] ?? '',
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: 'safe.directory',
      GIT_CONFIG_VALUE_0: '*',
    };
    const child = spawn(program, { env });
    request.pipe(child.stdin).on('error', () => {});
    const chunks = [];
    child.stdout.on('data', (chunk) => chunks.push(chunk));
    child.on('close', () => {
      const all = Buffer.concat(chunks);
      const end = all.indexOf('\r\n\r\n');
      const head = Object.fromEntries(
        all
          .toString('latin1', 0, Math.max(end, 0))
          .split('\r\n')
          .filter(Boolean)
          .map((line) => line.split(/:\s*/, 2)),
      );
      const { Status = '200', ...headers } = head;
      response.writeHead(Number.parseInt(Status, 10), headers).end(all.subarray(end + 4));
    });
  });
}

// ---- archives -------------------------------------------------------------------------------------

/** A .tar.gz of {path: text}; a value {link} makes a symbolic link, {type, text, size} any other entry, of that stated size. */
export function tarGz(files) {
  const blocks = [];
  for (const [path, value] of Object.entries(files)) {
    const entry = typeof value === 'string' || Buffer.isBuffer(value) ? { type: '0', text: value } : value;
    const data = Buffer.from(entry.text ?? '');
    const header = Buffer.alloc(512);
    header.write(path.slice(0, 100), 0);
    header.write('0000644\0', 100);
    header.write(`${(entry.size ?? data.length).toString(8).padStart(11, '0')}\0`, 124);
    header.write('00000000000\0', 136);
    header.write('        ', 148);
    header.write(entry.link === undefined ? (entry.type ?? '0') : '2', 156);
    if (entry.link !== undefined) header.write(entry.link, 157);
    header.write('ustar\x0000', 257, 'latin1');
    const sum = header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148);
    blocks.push(header, data, Buffer.alloc((512 - (data.length % 512)) % 512));
  }
  return zlib.gzipSync(Buffer.concat([...blocks, Buffer.alloc(1024)]));
}

/** A zip of {path: text}. */
export function zip(files) {
  const locals = [];
  const directory = [];
  let offset = 0;
  for (const [path, text] of Object.entries(files)) {
    const data = Buffer.from(text);
    const packed = zlib.deflateRawSync(data);
    const name = Buffer.from(path);
    const fields = Buffer.alloc(26); // version … extra length, as both headers have them
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(zlib.crc32?.(data) ?? 0, 10);
    fields.writeUInt32LE(packed.length, 14);
    fields.writeUInt32LE(data.length, 18);
    fields.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fields, name, packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\0', 'latin1'), fields, tail, name]));
    locals.push(local);
    offset += local.length;
  }
  const listing = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(directory.length, 8);
  end.writeUInt16LE(directory.length, 10);
  end.writeUInt32LE(listing.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...locals, listing, end]);
}
