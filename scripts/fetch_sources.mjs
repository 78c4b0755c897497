// Fetches the C sources of zstd and Snowball, which native and WebAssembly builds both compile, and of gumbo,
// which the packer compiles.
//
// On every system they are Debian's source packages: upstream's archives and Debian's patches, if any. Each file
// is checked against the SHA-256 below before it is unpacked into build/third_party/{zstd,snowball,gumbo}. So
// bundles have the same bytes wherever they are made.
//
// They come from the Debian mirror that SHEAF_DEBIAN_MIRROR names, else from the mirrors that this machine's apt
// knows. Where apt exists, it downloads, with its own proxies and passwords; otherwise Node does. Nothing outside
// build/ changes, and root is not needed.
//
// To use source trees of your own instead, set SHEAF_ZSTD_SOURCE, SHEAF_SNOWBALL_SOURCE and SHEAF_GUMBO_SOURCE:
// as environment variables for the scripts, as -D variables for CMake.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Failure, ask, exists, main, root, run, step } from "./support.mjs";

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
  {
    name: "gumbo",
    variable: "SHEAF_GUMBO_SOURCE",
    package: "gumbo-parser",
    version: "0.13.0+dfsg-2", // Debian 13's; 12 has 0.10.1, of 2015
    proof: "src/gumbo.h",
    files: {
      "gumbo-parser_0.13.0+dfsg.orig.tar.xz": "1d01316617df9cefcd3f43235b519f606a5465a526a768734714fcc51ccb79e4",
    },
  },
];

const thirdParty = path.join(root, "build", "third_party");

// ---- places --------------------------------------------------------------------------------------

/** Addresses of Debian's archive, each with a trailing slash. */
function places() {
  const named = process.env.SHEAF_DEBIAN_MIRROR;
  if (named) return [named.replace(/\/*$/, "/")];
  const known = ask("apt-get", ["indextargets", "--format", "$(COMPONENT) $(REPO_URI)", "Identifier: Packages"]) ?? "";
  return [...new Set(mirrorsOf(known))];
}

/**
 * The Debian mirrors among the sources of apt's package lists: lines of component and address. Leaves out
 * third-party archives, discs and Debian's security updates, which hold other versions.
 */
export function mirrorsOf(targets, readList = (file) => fs.readFileSync(file, "utf8")) {
  return targets.split("\n").flatMap((line) => {
    const [component, uri = ""] = line.trim().split(/\s+/);
    if (component !== "main") return [];
    const list = /^mirror\+file:(.*?)\/?$/.exec(uri)?.[1];
    const addresses =
      list === undefined
        ? [uri]
        : readList(list)
            .split("\n")
            .map((entry) => entry.trim().replace(/\/?(\s.*)?$/, "/"));
    return addresses.filter((address) => /^https?:.*\/debian\/$/.test(address));
  });
}

/** The path of a source package's file in the archive. */
export function poolPath({ package: name }, file) {
  return `pool/main/${/^lib./.test(name) ? name.slice(0, 4) : name[0]}/${name}/${file}`;
}

// ---- fetching ------------------------------------------------------------------------------------

const hash = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");
const identity = (source) => createHash("sha256").update(JSON.stringify(source)).digest("hex");
const stampOf = (source) => path.join(thirdParty, `${source.name}.stamp`);

function isUnpacked(source) {
  try {
    return (
      fs.readFileSync(stampOf(source), "utf8") === identity(source) &&
      fs.existsSync(path.join(thirdParty, source.name, source.proof))
    );
  } catch {
    return false;
  }
}

const wayOut = (list) =>
  "Get the sources by other means and name their folders:\n" +
  list
    .map(
      (s) => `  ${s.variable}=<folder of ${s.name} ${s.version.replace(/[+-].*/, "")}, the one that holds ${s.proof}>`,
    )
    .join("\n") +
  "\nas environment variables for npm run / node scripts/…, or with -D for CMake; or name a mirror of Debian:\n" +
  "  SHEAF_DEBIAN_MIRROR=<address>\ndocs/building.md has more.";

const APT_HELPER = "/usr/lib/apt/apt-helper";

/** Downloads one file. Returns the reason if that fails. */
async function get(url, file) {
  if (exists("apt-get") && fs.existsSync(APT_HELPER)) {
    const { code, output } = await run(APT_HELPER, ["download-file", url, file], {
      log: "fetch-sources",
      append: true,
      allowFailure: true,
    });
    return code === 0 ? undefined : (/^E: (.*)/m.exec(output)?.[1] ?? `apt-helper ended with ${code}`);
  }
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(300_000) });
    if (!response.ok) return `${url} answered with HTTP status ${response.status}`;
    fs.writeFileSync(file, Buffer.from(await response.arrayBuffer()));
    return undefined;
  } catch (error) {
    return `${url}: ${error.cause?.message ?? error.message}`;
  }
}

/**
 * Downloads the files of a source into `folder`, unless they are there. A file gets its name only
 * after its checksum matched.
 */
export async function download(source, folder, from = places()) {
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, sum] of Object.entries(source.files)) {
    const file = path.join(folder, name);
    if (fs.existsSync(file) && hash(file) === sum) continue;
    const partial = `${file}.partial`;
    const failures = [];
    for (const place of from) {
      fs.rmSync(partial, { force: true });
      const failure = await get(`${place}${poolPath(source, name)}`, partial);
      if (failure !== undefined) failures.push(failure);
      else if (hash(partial) === sum) break;
      else failures.push(`${place}${poolPath(source, name)} has SHA-256 ${hash(partial)}, expected ${sum}`);
    }
    if (failures.length === from.length) {
      fs.rmSync(partial, { force: true });
      const reasons =
        failures.map((line) => `  ${line}`).join("\n") || "  apt knows no mirror of Debian's main archive here";
      throw new Failure(
        `${name} of ${source.package} ${source.version} could not be had:\n${reasons}\n${wayOut([source])}`,
      );
    }
    fs.renameSync(partial, file);
  }
}

/** Applies the patches of Debian's archive to a tree, in the order of their series file. */
async function patch(archive, tree, log) {
  await run("tar", ["-xf", archive, "-C", tree], log);
  for (const line of fs.readFileSync(path.join(tree, "debian", "patches", "series"), "utf8").split("\n")) {
    const name = line.replace(/#.*/, "").trim();
    if (name === "") continue;
    // Hide the surrounding repository: Git would look for the files there.
    const env = { GIT_CEILING_DIRECTORIES: path.dirname(tree) };
    await run("git", ["apply", "-p1", path.join("debian", "patches", name)], { ...log, cwd: tree, env });
  }
}

/** Unpacks upstream's archive from `folder` and applies Debian's patches, if any, as dpkg-source does. */
export async function unpack(source, folder, target) {
  if (!exists("git")) throw new Failure(`git is missing; it applies the patches.\n${wayOut([source])}`);
  const archives = Object.keys(source.files);
  const [upstream, debian] = [/\.orig\.tar\./, /\.debian\.tar\./].map((kind) =>
    archives.find((name) => kind.test(name)),
  );
  const partial = `${target}.partial`;
  for (const old of [target, partial]) fs.rmSync(old, { recursive: true, force: true });
  fs.mkdirSync(partial, { recursive: true });
  const log = { log: "fetch-sources", append: true };
  await run("tar", ["-xf", path.join(folder, upstream), "--strip-components=1", "-C", partial], log);
  if (debian !== undefined) await patch(path.join(folder, debian), partial, log);
  fs.renameSync(partial, target);
}

/** Makes sure that all source trees are there. Returns quickly when they are. */
export async function fetchSources() {
  const named = sources.filter((source) => process.env[source.variable]);
  for (const source of named) {
    const proof = path.join(process.env[source.variable], source.proof);
    if (!fs.existsSync(proof))
      throw new Failure(`${source.variable} names ${process.env[source.variable]}, but ${proof} does not exist.`);
  }
  const wanted = sources.filter((source) => !named.includes(source) && !isUnpacked(source));
  if (wanted.length === 0) return;
  await step(`Fetching sources: ${wanted.map((s) => `${s.name} ${s.version}`).join(", ")}`, async () => {
    const archives = path.join(thirdParty, "archives");
    for (const source of wanted) {
      await download(source, archives);
      await unpack(source, archives, path.join(thirdParty, source.name));
      fs.writeFileSync(stampOf(source), identity(source));
    }
  });
}

/** CMake settings for trees named by environment variables. */
export function sourceSettings() {
  return sources
    .filter((s) => process.env[s.variable])
    .map((s) => `-D${s.variable}=${path.resolve(process.env[s.variable])}`);
}

main(import.meta.url, fetchSources);
