// The PyPI package sheaf-docs: one wheel for every system. It holds the Python module, plugins of MkDocs and Sphinx,
// and in sheaf/_npm what the npm package needs at run time; Node is the one on PATH, or comes by the extra `node`.
//
//   node scripts/wheel.mjs                              of what npm would pack of this tree, in build/wheel
//     --package FILE.tgz|FOLDER                         of an npm package that was made already
//     --out FOLDER                                      elsewhere
//
// The files are laid out in build/wheel-tree and packed by hatchling, which is pinned with its dependencies by hash
// (python/build-requirements.txt) and installed into build/wheel-tools. Needs Python 3.11 or later with venv (Debian:
// python3-venv), or the one that SHEAF_PYTHON names; and PyPI, the first time.
//
// Invariant: the same files give the same bytes. Hatchling sorts entries, sets their modes, and dates them by
// SOURCE_DATE_EPOCH, else by a fixed date. There is no sdist: to install from one, pip would have to run Emscripten,
// and since the wheel fits every system nobody would.
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";
import { requireParts } from "./release/parts.mjs";
import { Failure, ask, main, root, run, say } from "./support.mjs";

const tree = path.join(root, "build", "wheel-tree");
const tools = path.join(root, "build", "wheel-tools");
const requirements = path.join(root, "python", "build-requirements.txt");
const adapters = path.join(root, "web", "node", "adapters", "python");

/** Whether a file of the npm package runs under Python: no types, and no adapters of JavaScript generators. Pure. */
export function isNeeded(file) {
  return !/\.d\.m?ts$|^web\/|^dist\/node\/adapters\/|^README\.md$/.test(file);
}

/** Fields of `[project]` that only the owner knows, from the published package.json; none while it says nothing. */
export function ownersLines({ author, homepage, repository, bugs }) {
  const text = (value) => JSON.stringify(value); // JSON's strings are TOML's
  const urls = { Homepage: homepage, Source: repository?.url?.replace(/^git\+|\.git$/g, ""), Issues: bugs?.url };
  const known = Object.entries(urls).filter(([, url]) => url !== undefined);
  return [
    ...(author === undefined ? [] : [`authors = [{ name = ${text(author.name)}, email = ${text(author.email)} }]`]),
    ...(known.length === 0 ? [] : [`urls = { ${known.map(([name, url]) => `${name} = ${text(url)}`).join(", ")} }`]),
  ];
}

/** Copies the npm package's files: of `from`, a tarball or folder, else those that npm would pack of this tree. */
async function layPackage(from, target) {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "sheaf-wheel-"));
  try {
    let folder = from ?? root;
    if (from !== undefined && fs.statSync(from).isFile()) {
      await run("tar", ["-xzf", from, "-C", scratch], { log: "wheel-unpack" });
      folder = path.join(scratch, "package");
    }
    const listed = ask("npm", ["pack", "--dry-run", "--json", "--ignore-scripts"], { cwd: folder });
    if (listed === null) throw new Failure(`npm lists no package in ${folder}.`);
    const files = JSON.parse(listed)[0].files.map((file) => file.path);
    requireParts(files, folder);
    for (const name of files.filter(isNeeded)) copy(path.join(folder, name), path.join(target, name));
  } finally {
    fs.rmSync(scratch, { recursive: true, force: true });
  }
}

function copy(from, to) {
  fs.cpSync(from, to, { recursive: true, filter: (name) => !/__pycache__|\.pyc$/.test(name) });
}

/** Writes everything that the wheel is made of into build/wheel-tree. */
async function layTree(from) {
  fs.rmSync(tree, { recursive: true, force: true });
  const inTree = (...parts) => path.join(tree, ...parts);
  copy(path.join(root, "python", "sheaf"), inTree("sheaf"));
  copy(path.join(root, "python", "README.md"), inTree("README.md"));
  copy(path.join(adapters, "sheaf_docs.py"), inTree("sheaf_docs.py"));
  await layPackage(from, inTree("sheaf", "_npm"));
  for (const name of ["LICENSE", "NOTICE"]) copy(path.join(root, name), inTree(name));
  copy(inTree("sheaf", "_npm", "dist", "THIRD_PARTY_NOTICES.txt"), inTree("THIRD_PARTY_NOTICES.txt"));
  const published = JSON.parse(fs.readFileSync(inTree("sheaf", "_npm", "package.json"), "utf8"));
  const settings = fs.readFileSync(path.join(root, "python", "pyproject.toml"), "utf8");
  const lines = ["[project]", ...ownersLines(published)].join("\n");
  fs.writeFileSync(
    inTree("pyproject.toml"),
    settings.replace(/^\[project\]$/m, () => lines),
  );
}

/** Path of the Python that has the backend; installs it if there is none, or another one. */
async function backend() {
  const python = path.join(tools, process.platform === "win32" ? "Scripts/python.exe" : "bin/python");
  const stamp = path.join(tools, "requirements");
  const wanted = fs.readFileSync(requirements, "utf8");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === wanted) return python;
  const host = process.env.SHEAF_PYTHON || "python3";
  if (ask(host, ["-c", "import sys, venv, ensurepip; assert sys.version_info >= (3, 11)"]) === null)
    throw new Failure(
      `The wheel needs Python 3.11 or later with venv, and ${host} is none: apt-get install python3-venv, or name ` +
        "another in the variable SHEAF_PYTHON.",
    );
  fs.rmSync(tools, { recursive: true, force: true });
  await run(host, ["-m", "venv", tools], { log: "wheel-venv" });
  const pip = ["-m", "pip", "install", "--require-hashes", "--only-binary", ":all:", "--disable-pip-version-check"];
  await run(python, [...pip, "-r", requirements], { log: "wheel-pip" });
  fs.writeFileSync(stamp, wanted);
  return python;
}

/** Makes the wheel in `out`. Returns { file, bytes, sha256 }. */
export async function buildWheel({ out = path.join(root, "build", "wheel"), from } = {}) {
  await layTree(from);
  const python = await backend();
  const made = path.join(root, "build", "wheel-made");
  fs.rmSync(made, { recursive: true, force: true });
  const args = ["-m", "hatchling", "build", "-t", "wheel", "-d", made];
  await run(python, args, { log: "wheel", cwd: tree, env: { PYTHONHASHSEED: "0" } });
  const [name] = fs.readdirSync(made);
  const bytes = fs.readFileSync(path.join(made, name));
  fs.mkdirSync(out, { recursive: true });
  fs.renameSync(path.join(made, name), path.join(out, name));
  return { file: path.join(out, name), bytes: bytes.length, sha256: createHash("sha256").update(bytes).digest("hex") };
}

/** What the command line says, as absolute paths. */
function flags() {
  try {
    const { values } = parseArgs({ options: { out: { type: "string" }, package: { type: "string" } } });
    const places = Object.fromEntries(Object.entries(values).map(([name, place]) => [name, path.resolve(place)]));
    if (places.package === undefined || fs.existsSync(places.package)) return places;
    throw new Failure(`There is no package at ${places.package}.`);
  } catch (error) {
    throw error instanceof Failure ? error : new Failure(`${error.message} It takes --out FOLDER and --package PLACE.`);
  }
}

main(import.meta.url, async () => {
  const { out, package: from } = flags();
  const { file, bytes, sha256 } = await buildWheel({ out, from });
  say(`  ${path.relative(process.cwd(), file)}  ${bytes} bytes  SHA-256 ${sha256}`);
});
