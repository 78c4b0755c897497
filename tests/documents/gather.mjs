/**
 * Lays the documentation sets of sets.mjs into a folder:
 *
 *   node tests/documents/gather.mjs [NAME…] [--into=DIR] [--mirrors=DIR] [--again]
 *
 * DIR is build/documents by default. A set that is there already stays, unless --again is given. Nothing is installed:
 * packages are downloaded and unpacked. The script needs
 *   Debian's packages   apt-get (with current lists: `apt-get update`) and dpkg
 *   PyPI                python3 with pip, and tar
 *   Maven Central       the network; unzip
 *   crates.io           cargo with rustdoc
 *   GitHub              git. A repository is cloned at depth 1; --mirrors names a folder that holds OWNER+NAME/repo
 *                       repositories, bare or not, which are read instead.
 * All sets take about 3 GB. A set that could not be reached is named at the end with the reason, and the exit code is 1.
 *
 * Idea: a set appears whole or not at all, since it is laid into a folder beside its place and renamed. Pictures, fonts
 * and archives of repositories are left out.
 */
import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { SETS } from './sets.mjs';

const MEDIA = /\.(?:png|jpe?g|gif|webp|avif|ico|mp4|webm|mov|zip|gz|tgz|woff2?|ttf|otf|eot|psd|pptx?|key|sketch)$/i;
const MAVEN = process.env.SHEAF_MAVEN ?? 'https://repo.maven.apache.org/maven2';

const runFile = promisify(execFile);

/** Standard output. Error: the command's last words. */
async function run(command, args, options = {}) {
  try {
    const { stdout } = await runFile(command, args, { maxBuffer: 1 << 29, ...options });
    return stdout;
  } catch (error) {
    if (error.code === 'ENOENT') throw new Error(`${command} is not installed`);
    const said = String(error.stderr ?? '')
      .trim()
      .split('\n')
      .at(-1);
    throw new Error(`${command} ${args[0]}: ${said || error.message}`);
  }
}

/** Lays one part of a set into `out`, with `work` for what is downloaded. */
const parts = {
  async deb({ deb, path, match }, out, work) {
    const folder = join(work, deb);
    if (!existsSync(folder)) {
      const downloads = await mkdtemp(join(work, 'deb-'));
      await run('apt-get', ['download', '-q', deb], { cwd: downloads });
      await run('dpkg', ['-x', join(downloads, (await readdir(downloads))[0]), folder]);
    }
    const from = join(folder, path);
    if (!existsSync(from)) throw new Error(`package ${deb} has no ${path}`);
    // Links into packages that are not here (scripts and fonts of a theme) lead nowhere: they stay links.
    await cp(from, out, {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => match === undefined || !basename(source).includes('.') || match.test(source),
    });
  },

  async pypi({ pypi, paths }, out, work) {
    const downloads = await mkdtemp(join(work, 'pypi-'));
    await run('python3', ['-m', 'pip', 'download', '--no-deps', '--no-binary=:all:', '-q', '-d', downloads, pypi]);
    const [archive] = await readdir(downloads);
    const top = archive.replace(/\.tar\.\w+$/, '');
    const members = paths.map((path) => `${top}/${path}`);
    await run('tar', ['-xf', join(downloads, archive), '-C', out, '--strip-components=1', ...members]);
  },

  async maven({ maven }, out, work) {
    const [group, artifact, version] = maven.split(':');
    const name = `${artifact}-${version}-javadoc.jar`;
    const url = `${MAVEN}/${group.replaceAll('.', '/')}/${artifact}/${version}/${name}`;
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} answered ${answer.status}`);
    const jar = join(work, name);
    await writeFile(jar, Buffer.from(await answer.arrayBuffer()));
    await run('unzip', ['-qo', jar, '-d', out]);
  },

  async crate({ crate, features }, out, work) {
    const project = await mkdtemp(join(work, 'crate-'));
    const [name, version] = crate.split('@');
    await mkdir(join(project, 'src'));
    await writeFile(join(project, 'src/lib.rs'), '');
    const dependency = `${name} = { version = "=${version}", features = ${JSON.stringify(features)} }`;
    const manifest = '[package]\nname = "gathered"\nversion = "0.0.0"\nedition = "2021"\n[dependencies]\n';
    await writeFile(join(project, 'Cargo.toml'), `${manifest}${dependency}\n`);
    await run('cargo', ['doc', '-q', '--no-deps', '-p', name], { cwd: project });
    await cp(join(project, 'target/doc'), out, { recursive: true });
  },

  async git({ git, paths, strip = 0 }, out, work, mirrors) {
    const names = mirrors ? ['repo', 'repo/.git'].map((each) => join(mirrors, git.replace('/', '+'), each)) : [];
    let repository = names.find((each) => existsSync(join(each, 'HEAD')));
    if (repository === undefined) {
      repository = join(work, git.replace('/', '+'));
      const url = `https://github.com/${git}`;
      await run('git', ['clone', '-q', '--bare', '--depth=1', '--filter=blob:limit=4m', url, repository]);
    }
    await layTree(repository, paths, out, strip);
  },
};

/** Writes files of a repository's newest commit, `strip` folders higher; those whose contents the repository lacks are left out. */
async function layTree(repository, paths, out, strip) {
  const git = ['-C', repository];
  const listed = await run('git', [...git, 'ls-tree', '-r', '-z', 'HEAD', '--', ...paths]);
  const files = listed
    .split('\0')
    .map((line) => /^(\d+) blob ([\da-f]+)\t([\s\S]+)$/.exec(line))
    .filter((match) => match !== null && match[1] !== '120000' && !MEDIA.test(match[3]))
    .map(([, , id, path]) => ({ id, path }));
  if (files.length === 0) throw new Error(`the repository has no ${paths.join(', ')}`);
  const contents = await batch(
    repository,
    files.map(({ id }) => id),
  );
  await Promise.all(
    files.map(async ({ path }, at) => {
      if (contents[at] === undefined) return;
      const place = join(out, ...path.split('/').slice(strip));
      await mkdir(dirname(place), { recursive: true });
      await writeFile(place, contents[at]);
    }),
  );
}

/** The contents of objects by `git cat-file --batch`; undefined where one is missing. */
async function batch(repository, ids) {
  const child = spawn('git', ['-C', repository, 'cat-file', '--batch'], { stdio: ['pipe', 'pipe', 'ignore'] });
  child.stdin.end(`${ids.join('\n')}\n`);
  const chunks = [];
  for await (const chunk of child.stdout) chunks.push(chunk);
  const all = Buffer.concat(chunks);
  let at = 0;
  return ids.map(() => {
    const end = all.indexOf(10, at);
    const [, type, size] = all.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type === 'missing') return undefined;
    const content = all.subarray(at, at + Number(size));
    at += Number(size) + 1;
    return content;
  });
}

async function lay({ name, from, pack = '.' }, into, work, mirrors) {
  const place = join(into, name);
  const fresh = `${place}.new`;
  await rm(fresh, { recursive: true, force: true });
  await mkdir(fresh, { recursive: true });
  try {
    for (const part of from) {
      const kind = Object.keys(parts).find((each) => each in part);
      await parts[kind](part, fresh, work, mirrors);
    }
    if (!existsSync(join(fresh, pack))) throw new Error(`there is no ${pack} in it`);
    await rm(place, { recursive: true, force: true });
    await rename(fresh, place);
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function main() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      into: { type: 'string', default: fileURLToPath(new URL('../../build/documents', import.meta.url)) },
      mirrors: { type: 'string' },
      again: { type: 'boolean', default: false },
    },
  });
  const into = resolve(values.into);
  const unknown = positionals.filter((name) => !SETS.some((set) => set.name === name));
  if (unknown.length > 0) throw new Error(`No set is called ${unknown.join(', ')}; tests/documents/sets.mjs lists them.`);
  const chosen = positionals.length > 0 ? SETS.filter(({ name }) => positionals.includes(name)) : SETS;
  await mkdir(into, { recursive: true });
  const work = await mkdtemp(join(tmpdir(), 'sheaf-gather-'));
  const missed = [];
  try {
    for (const set of chosen) {
      if (!values.again && existsSync(join(into, set.name))) continue;
      try {
        await lay(set, into, work, values.mirrors);
        console.log(`${set.name}: ${set.kind}`);
      } catch (error) {
        missed.push(`${set.name}: ${error.message}`);
      }
    }
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  console.log(`${chosen.length - missed.length} of ${chosen.length} sets lie in ${into}`);
  if (missed.length === 0) return;
  console.error(`Not reached:\n${missed.map((line) => `  ${line}`).join('\n')}`);
  process.exitCode = 1;
}

await main();
