/**
 * Builds the sample projects with the real generators, in build/adapters: node packages by `npm ci` from the
 * lock files here, MkDocs and Sphinx from Debian. The package `sheaf` is the tarball that `npm pack` makes; for the projects
 * named wheel-…, the wheel in a bare virtual environment, with today's MkDocs and Sphinx and without Node on PATH.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildWheel } from '../../scripts/wheel.mjs';
import { requirePacker } from '../native_packer.mjs';
import { writePages } from './pages.mjs';

const HERE = fileURLToPath(new URL('.', import.meta.url));
const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const WORK = join(ROOT, 'build', 'adapters');
const PYTHON = join(ROOT, 'web', 'node', 'adapters', 'python');

const program = (name) => [...(process.env.PATH ?? '').split(delimiter), '/usr/bin'].map((folder) => join(folder, name)).find(existsSync);

function run(command, args, { cwd, env = {}, log }) {
  const {
    status,
    stdout = '',
    stderr = '',
    error,
  } = spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, NO_COLOR: '1', CI: '1', ...env }, maxBuffer: 1 << 26 });
  writeFileSync(join(WORK, `${log}.log`), `${stdout}\n${stderr}`);
  if (status !== 0)
    throw new Error(`${command} ${args.join(' ')} in ${cwd} failed (${error ?? status}):\n${(stdout + stderr).slice(-3000)}`);
  return stdout + stderr;
}

/**
 * Not `npm ci`: it refuses locks that leave out the optional packages of other systems, as npm itself writes them. Below
 * `npm --silent run` npm would say nothing of why it fails; its own log does.
 */
function npmInstall(project, name) {
  const logs = join(WORK, `${name}-npm-logs`);
  rmSync(logs, { recursive: true, force: true });
  try {
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=notice', `--logs-dir=${logs}`], {
      cwd: project,
      log: `${name}-npm`,
    });
  } catch (error) {
    const last = existsSync(logs) ? readdirSync(logs).sort().pop() : undefined;
    if (last === undefined) throw error;
    const lines = readFileSync(join(logs, last), 'utf8').trimEnd().split('\n');
    throw new Error(`${error.message}\n${join(logs, last)} ends with:\n${lines.slice(-30).join('\n')}`);
  }
}

/** node_modules/sheaf, unpacked from what would be published. */
let tarball;
function installSheaf(project) {
  if (tarball === undefined) {
    mkdirSync(WORK, { recursive: true });
    const [{ filename }] = JSON.parse(
      spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', WORK], { cwd: ROOT, encoding: 'utf8' }).stdout,
    );
    tarball = join(WORK, filename);
  }
  const folder = join(project, 'node_modules', 'sheaf');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  run('tar', ['-xzf', tarball, '-C', folder, '--strip-components=1'], { cwd: project, log: 'tar' });
  const bin = join(project, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  rmSync(join(bin, 'sheaf'), { force: true });
  chmodSync(join(folder, 'dist', 'cli', 'main.js'), 0o755); // as npm does
  symlinkSync('../sheaf/dist/cli/main.js', join(bin, 'sheaf'));
}

/** A fresh copy of the project; its node_modules stay while the lock file does. */
function prepare(name, as = name) {
  const project = join(WORK, as);
  mkdirSync(project, { recursive: true });
  for (const entry of readdirSync(project))
    if (entry !== 'node_modules' && entry !== '.npm-stamp') rmSync(join(project, entry), { recursive: true, force: true });
  cpSync(join(HERE, name), project, { recursive: true });
  if (existsSync(join(project, 'package-lock.json'))) {
    const lock = createHash('sha256')
      .update(readFileSync(join(project, 'package-lock.json')))
      .digest('hex');
    const stamp = join(project, '.npm-stamp');
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== lock) {
      npmInstall(project, as);
      writeFileSync(stamp, lock);
    }
  }
  installSheaf(project);
  // Bundlers take packages of one version to be the same for ever; ours is not while it is worked on.
  for (const cache of ['.cache', '.vite', '.astro']) rmSync(join(project, 'node_modules', cache), { recursive: true, force: true });
  return project;
}

/** `own`: with the theme's own search instead of ours, for pictures of both (tests/looks/themes.mjs). */
async function environment(own = false) {
  return {
    TIDEMARK_SEARCH: own ? 'own' : '',
    SHEAF_PACK: await requirePacker(),
    ASTRO_TELEMETRY_DISABLED: '1',
    DOCUSAURUS_NO_TELEMETRY: '1',
  };
}

const all = () => true;

async function vitepress(own) {
  const project = prepare('vitepress');
  writePages(project, 'vitepress', all);
  const output = run(process.execPath, ['node_modules/vitepress/bin/vitepress.js', 'build'], {
    cwd: project,
    env: await environment(own),
    log: 'vitepress',
  });
  return { dir: join(project, '.vitepress', 'dist'), base: '/docs/', output };
}

async function docusaurus(own) {
  const project = prepare('docusaurus');
  const english = writePages(join(project, 'docs'), 'docusaurus');
  writePages(join(project, 'versioned_docs', 'version-1.0'), 'docusaurus', undefined, (text) => `${text}\nWritten for version 1.0.\n`);
  cpSync(join(HERE, 'pages', 'de', 'index.md'), join(project, 'i18n', 'de', 'docusaurus-plugin-content-docs', 'current', 'index.md'), {
    recursive: true,
  });
  cpSync(join(HERE, 'pages', 'de', 'index.md'), join(project, 'i18n', 'de', 'docusaurus-plugin-content-docs', 'version-1.0', 'index.md'), {
    recursive: true,
  });
  writeFileSync(join(project, 'versions.json'), '["1.0"]');
  mkdirSync(join(project, 'versioned_sidebars'), { recursive: true });
  writeFileSync(join(project, 'versioned_sidebars', 'version-1.0-sidebars.json'), '{"docs": [{"type": "autogenerated", "dirName": "."}]}');
  const output = run(process.execPath, ['node_modules/@docusaurus/core/bin/docusaurus.mjs', 'build'], {
    cwd: project,
    env: await environment(own),
    log: 'docusaurus',
  });
  return { dir: join(project, 'build'), base: '/manual/', output, pages: english.length };
}

async function starlight(own) {
  const project = prepare('starlight');
  writePages(join(project, 'src', 'content', 'docs'), 'starlight', all);
  writeFileSync(
    join(project, 'src', 'content', 'docs', 'guide', 'unlisted.md'),
    '---\ntitle: Unlisted\npagefind: false\n---\n\nNot to be found.\n',
  );
  const output = run(process.execPath, ['node_modules/astro/astro.js', 'build'], {
    cwd: project,
    env: await environment(own),
    log: 'starlight',
  });
  return { dir: join(project, 'dist'), base: '/handbook/', output };
}

const mkdocs = (theme, config) => async (own) => {
  const project = prepare('mkdocs', `mkdocs-${theme}`);
  writePages(join(project, 'docs'), 'mkdocs');
  cpSync(join(PYTHON, 'sheaf_docs.py'), join(project, 'sheaf_docs.py'));
  const output = run(program('mkdocs'), ['build', '--config-file', own ? 'own.yml' : config, '--site-dir', 'site'], {
    cwd: project,
    env: await environment(),
    log: `mkdocs-${theme}`,
  });
  return { dir: join(project, 'site'), base: '/book/', output };
};

function writeSphinxPages(project) {
  const written = writePages(project, 'sphinx');
  const entries = written.map(({ path }) => path.replace(/\.md$/, '')).filter((path) => path !== 'index');
  writeFileSync(
    join(project, 'index.md'),
    `${readFileSync(join(project, 'index.md'), 'utf8')}\n\`\`\`{toctree}\n:hidden:\n${entries.join('\n')}\n\`\`\`\n`,
  );
}

const sphinx = (theme) => async (own) => {
  const project = prepare('sphinx', `sphinx-${theme}`);
  writeSphinxPages(project);
  cpSync(PYTHON, project, { recursive: true });
  const output = run(program('sphinx-build'), ['-b', 'html', '-q', '.', '_build/html'], {
    cwd: project,
    env: { ...(await environment(own)), TIDEMARK_THEME: theme },
    log: `sphinx-${theme}`,
  });
  return { dir: join(project, '_build', 'html'), base: '/sphinx/', output };
};

/** The virtual environment with nothing but the wheel and what wheel/requirements.txt names; its folder of programs. */
let environmentOfWheel;
function wheelPrograms() {
  environmentOfWheel ??= (async () => {
    const { file } = await buildWheel({ out: join(WORK, 'wheel') });
    const venv = join(WORK, 'venv');
    const python = join(venv, 'bin', 'python');
    const requirements = join(HERE, 'wheel', 'requirements.txt');
    const stamp = join(venv, 'requirements.txt');
    const pip = ['-m', 'pip', 'install', '--disable-pip-version-check'];
    if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== readFileSync(requirements, 'utf8')) {
      rmSync(venv, { recursive: true, force: true });
      run('python3', ['-m', 'venv', venv], { cwd: WORK, log: 'wheel-venv' });
      run(python, [...pip, '--require-hashes', '-r', requirements], { cwd: WORK, log: 'wheel-pip' });
      cpSync(requirements, stamp);
    }
    run(python, [...pip, '--no-deps', '--no-index', '--force-reinstall', file], { cwd: WORK, log: 'wheel-install' });
    run(python, ['-m', 'pip', 'check'], { cwd: WORK, log: 'wheel-check' }); // what the wheel depends on is there
    return join(venv, 'bin');
  })();
  return environmentOfWheel;
}

/** A fresh copy of the sample project below `wheel/`. */
function prepareForWheel(name) {
  const project = join(WORK, `wheel-${name}`);
  rmSync(project, { recursive: true, force: true });
  cpSync(join(HERE, 'wheel', name), project, { recursive: true });
  return project;
}

async function wheelMkdocs() {
  const PATH = await wheelPrograms();
  const project = prepareForWheel('mkdocs');
  writePages(join(project, 'docs'), 'mkdocs');
  const output = run(join(PATH, 'mkdocs'), ['build'], { cwd: project, env: { ...(await environment()), PATH }, log: 'wheel-mkdocs' });
  return { dir: join(project, 'site'), base: '/book/', output };
}

async function wheelSphinx() {
  const PATH = await wheelPrograms();
  const project = prepareForWheel('sphinx');
  writeSphinxPages(project);
  const output = run(join(PATH, 'sphinx-build'), ['-b', 'html', '-q', '.', '_build/html'], {
    cwd: project,
    env: { ...(await environment()), PATH },
    log: 'wheel-sphinx',
  });
  return { dir: join(project, '_build', 'html'), base: '/sphinx/', output };
}

/** No generator: the pages that one of them wrote, with nothing of ours, and one command. */
async function plain() {
  const project = join(WORK, 'plain');
  rmSync(project, { recursive: true, force: true });
  cpSync(join(HERE, 'plain'), join(project, 'public'), { recursive: true });
  installSheaf(project);
  const output = run(join(project, 'node_modules', '.bin', 'sheaf'), ['site', 'public', '--inject'], {
    cwd: project,
    env: await environment(),
    log: 'plain',
  });
  return { dir: join(project, 'public'), base: '/', output };
}

/** Name -> how it is built, and why it cannot be here ('' when it can). */
export const projects = {
  vitepress: { build: vitepress, missing: '' },
  docusaurus: { build: docusaurus, missing: '' },
  starlight: { build: starlight, missing: '' },
  'mkdocs-material': { build: mkdocs('material', 'mkdocs.yml'), missing: needs('mkdocs', 'mkdocs mkdocs-material') },
  'mkdocs-readthedocs': { build: mkdocs('readthedocs', 'readthedocs.yml'), missing: needs('mkdocs', 'mkdocs') },
  'mkdocs-mkdocs': { build: mkdocs('mkdocs', 'bootstrap.yml'), missing: needs('mkdocs', 'mkdocs') },
  'sphinx-alabaster': { build: sphinx('alabaster'), missing: needs('sphinx-build', 'python3-sphinx python3-myst-parser') },
  'sphinx-sphinx_rtd_theme': {
    build: sphinx('sphinx_rtd_theme'),
    missing: needs('sphinx-build', 'python3-sphinx python3-myst-parser python3-sphinx-rtd-theme'),
  },
  'sphinx-furo': { build: sphinx('furo'), missing: needs('sphinx-build', 'python3-sphinx python3-myst-parser furo') },
  'wheel-mkdocs': { build: wheelMkdocs, missing: withoutWheel() },
  'wheel-sphinx': { build: wheelSphinx, missing: withoutWheel() },
  plain: { build: plain, missing: '' },
};

// Each project is built once, whoever asks; with its own search it takes the other's place.
for (const project of Object.values(projects)) {
  const built = new Map();
  const { build } = project;
  project.build = (own = false) => {
    if (!built.has(own)) built.set(own, build(own));
    return built.get(own);
  };
}

/** Why the wheel cannot be installed here; '' when it can. Asks PyPI, by its ordinary client. */
function withoutWheel() {
  const wanted = process.env.SHEAF_ADAPTERS?.split(',');
  if (wanted !== undefined && !wanted.some((name) => name.startsWith('wheel-'))) return '';
  if (spawnSync('python3', ['-c', 'import sys, ensurepip; assert sys.version_info >= (3, 11)']).status !== 0)
    return 'Python 3.11 or later with venv is not installed: apt-get install python3-venv';
  return reachesPypi() ? '' : 'PyPI cannot be reached';
}

function reachesPypi() {
  mkdirSync(WORK, { recursive: true });
  const scratch = join(WORK, 'pypi');
  rmSync(scratch, { recursive: true, force: true });
  const started = spawnSync('python3', ['-m', 'venv', scratch]).status === 0;
  const download = ['-m', 'pip', 'download', '--no-deps', '--retries', '0', '--timeout', '20', '--dest', scratch, 'mergedeep==1.3.4'];
  return started && spawnSync(join(scratch, 'bin', 'python'), download).status === 0;
}

function needs(name, debian) {
  return program(name) === undefined ? `${name} is not installed: apt-get install ${debian}` : '';
}
