/**
 * Some hundred real libraries of this machine, as a list for `sheaf publish build`: Debian's documentation packages, the packages
 * of node_modules, and what installed Python packages say of themselves.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const HERE = fileURLToPath(new URL('.', import.meta.url));

/** Of Debian 12, small ones; what cannot be downloaded is left out. */
const PACKAGES = `python-flask-doc python-requests-doc python-jinja2-doc python-aiohttp-doc python-tornado-doc python-werkzeug-doc
  python-lxml-doc mypy-doc python-pytest-doc sphinx-doc python-celery-doc python-djangorestframework-doc php-twig-doc
  libcurl4-doc debian-faq developers-reference libjs-bootstrap5-doc haproxy-doc python-scrapy-doc python-ipython-doc
  python-attr-doc python-babel-doc python-click-doc python-docutils-doc python-markdown-doc python-mock-doc python-sqlparse-doc
  python-docker-doc libxml2-doc libevent-doc libgsl-doc`.split(/\s+/);
/** Pages of one library: more would make the list a matter of three libraries. */
const MOST_PAGES = 120;

/** Path of the list; `folder` is for what has to be written. At most `most` libraries. */
export function writeRealList(folder, { most = Number.POSITIVE_INFINITY, say = () => {} } = {}) {
  const kinds = { debian: debian(say), npm: nodeModules(), pypi: sitePackages(join(folder, 'pypi')) };
  const lines = [];
  for (const [kind, found] of Object.entries(kinds))
    for (const [name, path, version] of found)
      lines.push(`${kind}-${name.replace(/[^\w.-]+/g, '-').replace(/^-/, '')} -s "${path}" -v ${version}`);
  const unique = [...new Map(lines.map((line) => [line.split(' ')[0].toLowerCase(), line])).values()];
  // A little of each kind at any number.
  const chosen =
    unique.length <= most
      ? unique
      : unique.filter((_, at) => Math.floor((at * most) / unique.length) !== Math.floor(((at - 1) * most) / unique.length));
  const list = join(folder, 'list.txt');
  writeFileSync(list, `${chosen.join('\n')}\n`);
  const counts = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, chosen.filter((line) => line.startsWith(`${kind}-`)).length]));
  return { list, count: chosen.length, counts };
}

const isPage = (name) => /\.(md|rst|txt|html?)$/i.test(name);
const pagesOf = (path) => readdirSync(path, { recursive: true }).filter(isPage).length;

function debian(say) {
  const cache = join(HERE, '.docs');
  mkdirSync(cache, { recursive: true });
  for (const name of PACKAGES) {
    const place = join(cache, name);
    if (existsSync(place)) continue;
    const { status } = spawnSync('apt-get', ['download', '-qq', name], { cwd: cache, stdio: 'ignore' });
    const file = status === 0 ? readdirSync(cache).find((each) => each.startsWith(`${name}_`)) : undefined;
    if (file === undefined) {
      say(`${name} cannot be downloaded and is left out.`);
      mkdirSync(place);
    } else execFileSync('dpkg-deb', ['-x', file, place], { cwd: cache });
  }
  const folders = [
    ...readdirSync('/usr/share/doc').map((name) => [name, join('/usr/share/doc', name)]),
    ...readdirSync(cache)
      .filter((name) => existsSync(join(cache, name, 'usr/share/doc')))
      .map((name) => [name, join(cache, name, 'usr/share')]),
  ];
  // What is held out for evaluation stays out here too.
  return folders
    .filter(([name, path]) => !/^(postgresql|rust)/.test(name) && statSync(path).isDirectory())
    .filter(([, path]) => readdirSync(path, { recursive: true }).some((each) => /\.html?$/.test(each)) && pagesOf(path) <= MOST_PAGES)
    .map(([name, path]) => [name, path, '12']);
}

function nodeModules() {
  const modules = join(ROOT, 'node_modules');
  return readdirSync(modules)
    .flatMap((name) => (name.startsWith('@') ? readdirSync(join(modules, name)).map((own) => join(name, own)) : [name]))
    .map((name) => join(modules, name))
    .filter((path) => existsSync(join(path, 'package.json')))
    .map((path) => [JSON.parse(readFileSync(join(path, 'package.json'), 'utf8')), path])
    .filter(([, path]) => readdirSync(path).some((name) => /^readme/i.test(name)) && pagesOf(path) <= MOST_PAGES)
    .map(([{ name, version }, path]) => [name.replace('@', '').replace('/', '-'), path, version]);
}

/** The long descriptions of installed packages, each as a README. */
function sitePackages(folder) {
  const script =
    'import importlib.metadata as m, json; print(json.dumps([[d.name, d.version, d.metadata.get_payload() or d.metadata["Description"] or ""] for d in m.distributions()]))';
  const pythons = [process.env.SHEAF_PYTHON, 'python3', '/usr/bin/python3'].filter(Boolean);
  const found = new Map();
  for (const python of pythons) {
    const { status, stdout } = spawnSync(python, ['-c', script], { encoding: 'utf8', maxBuffer: 1 << 28 });
    for (const [name, version, text] of status === 0 ? JSON.parse(stdout) : [])
      if (text.trim().length > 200) found.set(name.toLowerCase(), [name, version, text]);
  }
  return [...found.values()].map(([name, version, text]) => {
    const place = join(folder, basename(name));
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'README.md'), text);
    return [name, place, version];
  });
}
