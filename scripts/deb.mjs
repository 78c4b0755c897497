// Makes Debian packages of the static packer, for amd64 and arm64: /usr/bin/sheaf-pack and the encoder table, without
// dependencies.
//
//   node scripts/deb.mjs [--out FOLDER]     FOLDER/sheaf-pack_VERSION_ARCH.deb; FOLDER is build/deb unless named
//
// Builds the programs first (natives.mjs). The same commit gives the same bytes: files carry the time of the commit, or
// of SOURCE_DATE_EPOCH. Needs dpkg-deb.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";
import { buildNatives, programOf } from "./natives.mjs";
import { readOwner } from "./owner.mjs";
import { Failure, ask, exists, main, root, run, say, step } from "./support.mjs";

const NAME = "sheaf-pack";
const architectures = { "linux-x64": "amd64", "linux-arm64": "arm64" };
const read = (...names) => fs.readFileSync(path.join(root, ...names), "utf8");

/** A version of npm as Debian writes it: a tilde sorts before the release, as npm's hyphen does. */
export const debianVersion = (version) => version.replace("-", "~").replaceAll("-", ".");

/** Seconds since 1970 that the files of the package carry. */
function epoch() {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? ask("git", ["log", "-1", "--format=%ct"], { cwd: root })?.trim();
  return Number(seconds || 0);
}

/** The file `control`. `size`: installed, in kB. Pure. */
export function controlText({ version, architecture, size, owner }) {
  const { name, email } = owner.author ?? { name: "The Sheaf authors", email: "unknown@example.invalid" };
  return `${[
    `Package: ${NAME}`,
    `Version: ${version}`,
    `Architecture: ${architecture}`,
    `Maintainer: ${name} <${email}>`,
    `Installed-Size: ${size}`,
    "Section: text",
    "Priority: optional",
    ...(owner.homepage === null ? [] : [`Homepage: ${owner.homepage}`]),
    "Description: pack documentation for search by words and by meaning",
    " Packs Markdown, MDX, HTML, reStructuredText, text and notebooks into one",
    " bundle, which browsers, editors and agents search without a server.",
    " .",
    " The program is static and holds everything it needs; the table that it",
    " makes vectors with is in the package.",
  ].join("\n")}\n`;
}

/** The files below the package's root: { path: { text, or bytes, or a file to copy; mode } }. */
function contents(platform, version, date) {
  const doc = `usr/share/doc/${NAME}`;
  const zip = (text) => ({ bytes: zlib.gzipSync(text, { level: 9 }) });
  const { author } = readOwner();
  const { name, email } = author ?? { name: "The Sheaf authors", email: "unknown@example.invalid" };
  const news = `  * Version ${version}: ${doc}/CHANGELOG.md.gz tells what is new.`;
  const when = date.toUTCString().replace("GMT", "+0000");
  const notices = fs.readFileSync(path.join(path.dirname(programOf(platform)), "THIRD_PARTY_NOTICES.txt"), "utf8");
  const licence = "The text of the Apache License, Version 2.0, is in /usr/share/common-licenses/Apache-2.0.";
  return {
    [`usr/bin/${NAME}`]: { copy: programOf(platform), mode: 0o755 },
    "usr/share/sheaf/minilm-l6-256.sheaf": { copy: path.join(root, "models", "minilm-l6-256.sheaf") },
    [`usr/share/man/man1/${NAME}.1.gz`]: zip(read("scripts", "deb", `${NAME}.1`).replace("@VERSION@", version)),
    [`${doc}/copyright`]: { bytes: `${read("NOTICE")}\n${licence}\n\n${notices}` },
    [`${doc}/changelog.gz`]: zip(
      `${NAME} (${version}) unstable; urgency=medium\n\n${news}\n\n -- ${name} <${email}>  ${when}\n`,
    ),
    [`${doc}/CHANGELOG.md.gz`]: zip(read("CHANGELOG.md")),
    [`usr/share/lintian/overrides/${NAME}`]: {
      bytes: `# So that it runs on every Debian and its kin.
${NAME}: statically-linked-binary [usr/bin/${NAME}]
# The notices hold licences as the libraries in the program give them.
${NAME}: copyright-file-contains-full-apache-2-license
${NAME}: old-fsf-address-in-copyright-file
`,
    },
  };
}

/** Writes the tree of a package into `folder`, each file with its mode. */
function stage(folder, files) {
  const sums = [];
  let bytes = 0;
  for (const [name, { copy, bytes: given, mode = 0o644 }] of Object.entries(files).sort()) {
    const data = copy === undefined ? Buffer.from(given) : fs.readFileSync(copy);
    fs.mkdirSync(path.join(folder, path.dirname(name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), data);
    fs.chmodSync(path.join(folder, name), mode);
    sums.push(`${createHash("md5").update(data).digest("hex")}  ${name}\n`);
    bytes += data.length;
  }
  return { sums: sums.join(""), size: Math.ceil(bytes / 1024) };
}

/** Makes the package of one platform. Returns its path. */
async function makePackage(platform, out) {
  const architecture = architectures[platform];
  const version = debianVersion(JSON.parse(read("package.json")).version);
  const tree = path.join(root, "build", "natives", `deb-${architecture}`);
  fs.rmSync(tree, { recursive: true, force: true });
  const { sums, size } = stage(tree, contents(platform, version, new Date(epoch() * 1000)));
  stage(tree, {
    "DEBIAN/control": { bytes: controlText({ version, architecture, size, owner: readOwner() }) },
    "DEBIAN/md5sums": { bytes: sums },
  });
  for (const entry of fs.readdirSync(tree, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) fs.chmodSync(path.join(entry.parentPath ?? entry.path, entry.name), 0o755);
  fs.chmodSync(tree, 0o755);
  const file = path.join(out, `${NAME}_${version}_${architecture}.deb`);
  await run("dpkg-deb", ["--root-owner-group", "-Zxz", "--build", tree, file], {
    log: `deb-${architecture}`,
    env: { SOURCE_DATE_EPOCH: String(epoch()) },
  });
  fs.rmSync(tree, { recursive: true });
  return file;
}

/** Makes the packages in the folder `out`, and the programs where they are not up to date. Returns their paths. */
export async function makeDebs(out) {
  if (!exists("dpkg-deb")) throw new Failure("dpkg-deb is missing; it makes the packages (Debian: dpkg).");
  const platforms = Object.keys(architectures);
  await buildNatives(platforms);
  fs.mkdirSync(out, { recursive: true });
  const files = [];
  await step("Making Debian packages", async () => {
    for (const platform of platforms) files.push(await makePackage(platform, out));
  });
  for (const file of files) say(`  ${file}  ${(fs.statSync(file).size / 1e6).toFixed(1)} MB`);
  return files;
}

main(import.meta.url, async () => {
  const at = process.argv.indexOf("--out");
  await makeDebs(path.resolve(at < 0 ? path.join(root, "build", "deb") : (process.argv[at + 1] ?? "")));
});
