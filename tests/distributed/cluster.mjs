/** A Ray cluster on loopback for tests (cluster.py), a server that speaks S3, and `sheaf` with them. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { MAIN } from '../node/packed.mjs';

const path = (name) => fileURLToPath(new URL(name, import.meta.url));

export const ENCODER = path('table_encoder.py');

/** An ephemeral port that nobody listens on now. */
export function freePort() {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

/** What Ray and its workers see. Ray's own logs and sockets lie in /tmp/ray, whose paths must be short. */
export function environment(home, python) {
  return {
    PATH: process.env.PATH,
    HOME: home,
    XDG_CONFIG_HOME: join(home, 'config'),
    XDG_CACHE_HOME: join(home, 'cache'),
    XDG_DATA_HOME: join(home, 'data'),
    SHEAF_PYTHON: python,
    SHEAF_OFFLINE: '1',
    SHEAF_COMMAND: `'${process.execPath}' '${MAIN}'`,
    // Workers are as important as whatever else runs here; otherwise they wait for it.
    RAY_worker_niceness: '0',
    RAY_AUTH_MODE: 'disabled',
    RAY_USAGE_STATS_ENABLED: '0',
    PYTHONWARNINGS: 'ignore',
  };
}

export class Cluster {
  #child;
  #lines;
  address;
  client;

  static async start(python, env) {
    const cluster = new Cluster();
    const port = await freePort();
    cluster.#child = spawn(python, [path('cluster.py'), String(port)], {
      env,
      stdio: ['pipe', 'pipe', process.env.SHEAF_TEST_LOUD ? 'inherit' : 'ignore'],
    });
    cluster.#lines = createInterface({ input: cluster.#child.stdout })[Symbol.asyncIterator]();
    cluster.address = (await cluster.#next()).address;
    cluster.client = `ray://127.0.0.1:${port}`;
    return cluster;
  }

  async #next() {
    const { value, done } = await this.#lines.next();
    if (done) throw new Error('the cluster ended');
    return JSON.parse(value);
  }

  ask(what, more = {}) {
    this.#child.stdin.write(`${JSON.stringify({ do: what, ...more })}\n`);
    return this.#next();
  }

  async add(options = {}) {
    return (await this.ask('add', options)).node;
  }

  lose(node) {
    return this.ask('lose', { node });
  }

  /** Pids of Ray's processes that do `what`, now. */
  async working(what) {
    const { workers } = await this.ask('workers');
    return workers.filter(([, title]) => title.startsWith(`ray::${what}`)).map(([pid]) => pid);
  }

  kill(pid) {
    return this.ask('kill', { pid });
  }

  async end() {
    const ended = new Promise((resolve) => this.#child.once('close', resolve));
    this.#child.stdin.end();
    await ended;
  }
}

/** Runs `sheaf`; `onStart` gets the child. */
export function run(args, { env, cwd, onStart }) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [MAIN, ...args], { env, cwd });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk) => (stdout += chunk));
    child.stderr.on('data', (chunk) => {
      stderr += chunk;
      if (process.env.SHEAF_TEST_LOUD) process.stderr.write(chunk);
    });
    child.on('close', (code, signal) => resolve({ code, signal, stdout, stderr }));
    onStart?.(child, () => stderr);
  });
}

/** Moto's server: S3 in a process of this machine. */
export async function startS3(python, env) {
  const port = await freePort();
  const child = spawn(python, ['-m', 'moto.server', '-H', '127.0.0.1', '-p', String(port)], { env, stdio: 'ignore' });
  const address = `http://127.0.0.1:${port}`;
  for (let tries = 0; ; tries++) {
    if (
      await fetch(address).then(
        () => true,
        () => false,
      )
    )
      break;
    if (tries > 300) throw new Error('moto does not answer');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  const keys = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_DEFAULT_REGION: 'us-east-1' };
  return {
    address,
    env: { ...keys, AWS_ENDPOINT_URL: address },
    makeBucket: (name) => fetch(`${address}/${name}`, { method: 'PUT' }),
    end: () =>
      new Promise((resolve) => {
        child.once('close', resolve);
        child.kill('SIGKILL');
      }),
  };
}

/** `count` small libraries of invented words below `folder`, and the list that names them. */
export function makeLibraries(folder, count, { pages = 3 } = {}) {
  const subjects = ['kiln', 'glaze', 'loom', 'press', 'forge', 'lathe', 'dye', 'clay'];
  const lines = [];
  for (let at = 0; at < count; at++) {
    const name = `${subjects[at % subjects.length]}-${at}`;
    mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(
      join(folder, name, 'licence.md'),
      '# Licence\n\nUse it as you like, at your own risk; it is the same for every library of this house.\n',
    );
    for (let page = 0; page < pages; page++) {
      const shared = 'Licences, installation and how to report what is wrong are the same for every library of this house.';
      const text = `# ${name} ${page}\n\nHow ${name} works with ${subjects[(at + page) % 8]}, number ${at * page}.\n\n## Shared\n\n${shared}\n`;
      writeFileSync(join(folder, name, `page-${page}.md`), text);
    }
    lines.push(`${name} -s ./${name} -v 1.${at}`);
  }
  const list = join(folder, 'list.txt');
  writeFileSync(list, `${lines.join('\n')}\n`);
  return list;
}
