// Fetches the C sources of zstd and Snowball, which native and WebAssembly builds both compile.
//
// They come as Debian source packages of fixed versions. The machine's own apt settings are only
// read: its Debian entries (both notations) are turned into a private `deb-src` configuration with
// private lists below build/, so nothing in /etc or /var changes and root is not needed. Every file
// is checked against the SHA-256 below before it is unpacked into build/third_party/{zstd,snowball}.
//
// Instead of fetching, a tree of your own can be named: SHEAF_ZSTD_SOURCE and SHEAF_SNOWBALL_SOURCE,
// as environment variables for the scripts, as -D variables for CMake.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Failure, ask, exists, main, root, run, step } from "./support.mjs";

const release = "bookworm"; // Debian 12, whatever release this machine has: the versions are fixed

export const sources = [
  {
    name: "zstd",
    variable: "SHEAF_ZSTD_SOURCE",
    package: "libzstd",
    version: "1.5.4+dfsg2-5", // Debian's patches fix upstream's block splitter
    proof: "lib/zstd.h",
    files: {
      "libzstd_1.5.4+dfsg2-5.dsc": "8f602f92b575aa8b5e979196fb6ee82d78f233521dc9636526d3ecba1f63c1b1",
      "libzstd_1.5.4+dfsg2.orig.tar.xz": "8cf4bbb65e77ec348d052c8d6230eba66d435bddf64c8b5be2fcb16880c19953",
      "libzstd_1.5.4+dfsg2-5.debian.tar.xz": "82ce911445772861d0838bd4545f93bc50658bc7f3cefdb17a307dfb8ffca5d8",
    },
  },
  {
    name: "snowball",
    variable: "SHEAF_SNOWBALL_SOURCE",
    package: "snowball",
    version: "2.2.0-2",
    proof: "algorithms/english.sbl",
    files: {
      "snowball_2.2.0-2.dsc": "eb649a11e8d3a16d3e4ede21552b7ec59292e01db89ea84278457a701d9cca3d",
      "snowball_2.2.0.orig.tar.gz": "425cdb5fba13a01db59a1713780f0662e984204f402d3dae1525bda9e6d30f1a",
      "snowball_2.2.0-2.debian.tar.xz": "e9c8977b7df88a278428165d0e1737ea372e4703dfb75ceedbb140bb19190857",
    },
  },
];

const thirdParty = path.join(root, "build", "third_party");

// ---- the machine's Debian entries ---------------------------------------------------------------

/** Entries of a deb822 file (`*.sources`) as maps from lower-case field name to value. */
export function parseDeb822(text) {
  const entries = [];
  for (const stanza of text.split(/\n[ \t]*\n/)) {
    const entry = {};
    let field = null;
    for (const line of stanza.split("\n")) {
      if (line.startsWith("#")) continue;
      const start = /^([A-Za-z][A-Za-z0-9-]*):[ \t]*(.*)$/.exec(line);
      if (start) {
        field = start[1].toLowerCase();
        entry[field] = start[2].trim();
      } else if (field && /^[ \t]/.test(line)) {
        entry[field] += `\n${line}`; // an embedded key, or a folded list
      }
    }
    if (entry.types && entry.uris) entries.push(entry);
  }
  return entries;
}

/** Entries of a classic list (`deb [options] uri suite components`), in the shape of deb822. */
export function parseList(text) {
  const entries = [];
  for (const line of text.split("\n")) {
    const match = /^\s*(deb(?:-src)?)\s+(?:\[([^\]]*)\]\s*)?(\S+)\s+(\S+)\s*([^#]*)/.exec(line);
    if (!match) continue;
    const [, types, options, uris, suites, components] = match;
    const entry = { types, uris, suites, components: components.trim() };
    for (const option of (options ?? "").split(/\s+/)) {
      const [name, value] = option.split(/=(.*)/s);
      if (value !== undefined) entry[name.toLowerCase()] = value;
    }
    entries.push(entry);
  }
  return entries;
}

/** True for an entry that points at Debian's main archive (or a mirror), not at somebody else's. */
export function isDebian(entry) {
  const words = (value) => (value ?? "").split(/\s+/).filter(Boolean);
  if (/^no$/i.test(entry.enabled ?? "")) return false;
  if (!words(entry.components).includes("main")) return false;
  // A plain release: updates, security and backports hold other versions.
  if (!words(entry.suites).some((suite) => /^[a-z]+$/.test(suite))) return false;
  const signed = /debian-archive-/.test(entry["signed-by"] ?? "");
  return words(entry.uris).every((uri) =>
    !uri.startsWith("cdrom:") &&
    (signed || /\/\/([a-z0-9.-]+\.)?debian\.org[/:]/i.test(uri) || /\/debian(\.list)?\/?$/.test(uri)));
}

/** The same entry as a deb-src stanza for the release that holds our versions. */
export function toSourceStanza(entry) {
  const lines = ["Types: deb-src", `URIs: ${entry.uris}`, `Suites: ${release}`, "Components: main"];
  for (const [field, name] of [["signed-by", "Signed-By"], ["trusted", "Trusted"], ["check-valid-until", "Check-Valid-Until"]]) {
    if (entry[field]) lines.push(`${name}: ${entry[field]}`);
  }
  return `${lines.join("\n")}\n`;
}

function debianEntries(etc = "/etc/apt") {
  const files = [path.join(etc, "sources.list")];
  try {
    for (const name of fs.readdirSync(path.join(etc, "sources.list.d")).sort()) files.push(path.join(etc, "sources.list.d", name));
  } catch { /* no such folder */ }
  const stanzas = new Set();
  for (const file of files) {
    let text;
    try {
      text = fs.readFileSync(file, "utf8");
    } catch {
      continue;
    }
    const entries = file.endsWith(".sources") ? parseDeb822(text) : file.endsWith(".list") ? parseList(text) : [];
    for (const entry of entries) if (isDebian(entry)) stanzas.add(toSourceStanza(entry));
  }
  return [...stanzas];
}

// ---- fetching ------------------------------------------------------------------------------------

const hash = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");
const identity = (source) => createHash("sha256").update(JSON.stringify(source)).digest("hex");
const stampOf = (source) => path.join(thirdParty, `${source.name}.stamp`);
const archive = path.join(thirdParty, "archives");

function isUnpacked(source) {
  try {
    return fs.readFileSync(stampOf(source), "utf8") === identity(source) &&
      fs.existsSync(path.join(thirdParty, source.name, source.proof));
  } catch {
    return false;
  }
}

const isDownloaded = (source) =>
  Object.entries(source.files).every(([name, sum]) => fs.existsSync(path.join(archive, name)) && hash(path.join(archive, name)) === sum);

const wayOut = (list) =>
  "Get the sources by other means and name their folders:\n" +
  list.map((s) => `  ${s.variable}=<folder of ${s.name} ${s.version.replace(/[+-].*/, "")}, the one that holds ${s.proof}>`).join("\n") +
  "\nas environment variables for npm run / node scripts/…, or with -D for CMake. docs/building.md has more.";

async function download(wanted) {
  const shown = wanted.map((s) => `${s.package} ${s.version}`).join(" and ");
  if (!exists("apt-get")) throw new Failure(`apt-get is missing, so ${shown} cannot be fetched as Debian source packages.\n${wayOut(wanted)}`);
  const entries = debianEntries();
  if (entries.length === 0) {
    throw new Failure(`apt's settings (/etc/apt) hold no entry for Debian's own archive with component main, so ${shown} cannot be fetched.\n${wayOut(wanted)}`);
  }
  fs.mkdirSync(archive, { recursive: true });
  const apt = path.join(thirdParty, "apt");
  fs.rmSync(apt, { recursive: true, force: true });
  fs.mkdirSync(path.join(apt, "lists", "partial"), { recursive: true });
  fs.mkdirSync(path.join(apt, "cache", "archives", "partial"), { recursive: true });
  fs.writeFileSync(path.join(apt, "src.sources"), entries.join("\n"));
  const options = [
    ["Dir::Etc::SourceParts", "/dev/null"],
    ["Dir::Etc::SourceList", path.join(apt, "src.sources")],
    ["Dir::State::Lists", path.join(apt, "lists")],
    ["Dir::Cache", path.join(apt, "cache")],
    // As root apt would switch to its own user, who may not enter this folder.
    ["APT::Sandbox::User", ask("id", ["-un"])?.trim() ?? "root"],
  ].flatMap(([name, value]) => ["-o", `${name}=${value}`]);
  try {
    await run("apt-get", [...options, "update"], { log: "fetch-sources" });
    for (const source of wanted) {
      const result = await run("apt-get", [...options, "source", "--only-source", "--download-only", `${source.package}=${source.version}`],
        { log: "fetch-sources", cwd: archive, append: true, allowFailure: true });
      if (result.code !== 0) {
        throw new Failure(`Debian's archive did not give ${source.package} ${source.version}: it may have been replaced by a newer version, or the network failed ` +
          `(build/log/fetch-sources.log):\n${result.output.trimEnd().split("\n").slice(-6).map((line) => `  ${line}`).join("\n")}\n${wayOut([source])}`);
      }
    }
  } finally {
    fs.rmSync(apt, { recursive: true, force: true });
  }
}

async function unpack(source) {
  for (const [name, sum] of Object.entries(source.files)) {
    const got = hash(path.join(archive, name));
    if (got !== sum) {
      throw new Failure(`${name}: SHA-256 is ${got}, expected ${sum}. The file in build/third_party/archives is damaged or not the one we know; it was not unpacked. Delete it and try again.`);
    }
  }
  if (!exists("dpkg-source")) throw new Failure(`dpkg-source is missing: install the package dpkg-dev.\n${wayOut([source])}`);
  const target = path.join(thirdParty, source.name);
  const partial = `${target}.partial`;
  fs.rmSync(target, { recursive: true, force: true });
  fs.rmSync(partial, { recursive: true, force: true });
  const dsc = Object.keys(source.files).find((name) => name.endsWith(".dsc"));
  // The signature needs no second look: the checksums above fix every byte.
  await run("dpkg-source", ["--no-check", "--no-copy", "--extract", path.join(archive, dsc), partial], { log: "fetch-sources", append: true });
  fs.renameSync(partial, target);
  fs.writeFileSync(stampOf(source), identity(source));
}

/** Makes sure that both source trees are there. Does nothing, quickly, when they are. */
export async function fetchSources() {
  const named = sources.filter((source) => process.env[source.variable]);
  for (const source of named) {
    const proof = path.join(process.env[source.variable], source.proof);
    if (!fs.existsSync(proof)) throw new Failure(`${source.variable} names ${process.env[source.variable]}, but ${proof} does not exist.`);
  }
  const wanted = sources.filter((source) => !named.includes(source) && !isUnpacked(source));
  if (wanted.length === 0) return;
  await step(`Fetching sources: ${wanted.map((s) => `${s.name} ${s.version}`).join(", ")}`, async () => {
    const missing = wanted.filter((source) => !isDownloaded(source));
    if (missing.length > 0) await download(missing);
    for (const source of wanted) await unpack(source);
  });
}

/** CMake settings for trees named by environment variables. */
export function sourceSettings() {
  return sources.filter((s) => process.env[s.variable]).map((s) => `-D${s.variable}=${path.resolve(process.env[s.variable])}`);
}

main(import.meta.url, fetchSources);
