// Fetches the sources of libraries: of zstd and Snowball, which native and WebAssembly builds both compile, of gumbo,
// which the packer compiles, and of those that a Debian system has as packages but a packer for other machines must
// compile too (`bundled`; CMake's SHEAF_BUNDLED_LIBRARIES).
//
//   node scripts/fetch_sources.mjs [--bundled]
//
// On every system they are Debian's source packages: upstream's archives and Debian's patches, if any (of libraries
// that consist of headers alone, the package with the headers). Each file
// is checked against the SHA-256 below before it is unpacked into build/third_party. So bundles have the same bytes
// wherever they are made. The bundled ones have the versions of Debian 12's -dev packages, for the same reason.
//
// They come from the Debian mirror that SHEAF_DEBIAN_MIRROR names, else from the mirrors that this machine's apt
// knows. Where apt exists, it downloads, with its own proxies and passwords; otherwise Node does. Nothing outside
// build/ changes, and root is not needed.
//
// To use source trees of your own instead, set the `variable` of each, SHEAF_ZSTD_SOURCE for example: as environment
// variables for the scripts, as -D variables for CMake.
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
  {
    name: "cmark",
    variable: "SHEAF_CMARK_SOURCE",
    package: "cmark-gfm",
    version: "0.29.0.gfm.6-6",
    proof: "src/cmark-gfm.h",
    bundled: true,
    files: {
      "cmark-gfm_0.29.0.gfm.6.orig.tar.gz": "b17d86164c0822b5db3818780b44cb130ff30e9c6ec6a64f199b6d142684dba0",
      "cmark-gfm_0.29.0.gfm.6-6.debian.tar.xz": "10abc66a62a3529d8fa97b4554c1b1c0136352f548c00491923f2c9a80690b88",
    },
  },
  {
    name: "yaml",
    variable: "SHEAF_YAML_SOURCE",
    package: "yaml-cpp",
    version: "0.7.0+dfsg-8",
    proof: "include/yaml-cpp/yaml.h",
    bundled: true,
    files: {
      "yaml-cpp_0.7.0+dfsg.orig.tar.xz": "dc63708605404e0b963e0ca3a9619d1c8270eda2839603e6fa0384e5e51e5312",
      "yaml-cpp_0.7.0+dfsg-8.debian.tar.xz": "d2d09d2e54215b5865d5dfd4a92ec887c261f9c19c0b2521303647505127163e",
    },
  },
  {
    name: "icu",
    variable: "SHEAF_ICU_SOURCE",
    package: "icu",
    version: "72.1-3+deb12u1",
    proof: "source/common/unicode/ucnv.h",
    bundled: true,
    files: {
      "icu_72.1.orig.tar.gz": "a2d2d38217092a7ed56635e34467f92f976b370e20182ad325edea6681a71d68",
      "icu_72.1-3+deb12u1.debian.tar.xz": "bd6b27fc0a18f6044a47cd96c7d687720b95e4f592718bf8e34c6391b7753a1d",
    },
  },
  // Libraries of headers alone: the package is the patched source, and a twentieth of the size.
  {
    name: "json",
    variable: "SHEAF_JSON_SOURCE",
    package: "nlohmann-json3",
    version: "3.11.2-2",
    proof: "include/nlohmann/json.hpp",
    bundled: true,
    files: {
      "nlohmann-json3-dev_3.11.2-2_all.deb": "ec57940def6b6186c30be0e0ee81d1e58f86d11a54a145b28686a1e3e4aae801",
    },
  },
  {
    name: "hnswlib",
    variable: "SHEAF_HNSWLIB_SOURCE",
    package: "hnswlib",
    version: "0.6.2-2+deb12u1",
    proof: "include/hnswlib/hnswlib.h",
    bundled: true,
    files: {
      "libhnswlib-dev_0.6.2-2+deb12u1_all.deb": "a55ef8605f10a7b687f1446c56c73b4db8a4983503233604e8e53ac1191ad44a",
    },
  },
  {
    name: "cli11",
    variable: "SHEAF_CLI11_SOURCE",
    package: "cli11",
    version: "2.1.2+ds-1",
    proof: "include/CLI/CLI.hpp",
    bundled: true,
    files: {
      "libcli11-dev_2.1.2+ds-1_all.deb": "f1f6ee9ec053e0e0bcec47345e241b6a8ee006321248b4329e9ce88d2b4b64a8",
    },
  },
  // A converter's (wasm/mandoc), in the module alone.
  {
    name: "mandoc",
    variable: "SHEAF_MANDOC_SOURCE",
    package: "mdocml",
    version: "1.14.6-1",
    proof: "mandoc_parse.h",
    bundled: true,
    files: {
      "mdocml_1.14.6.orig.tar.gz": "8bf0d570f01e70a6e124884088870cbed7537f36328d512909eb10cd53179d9c",
    },
  },
];

const thirdParty = path.join(root, "build", "third_party");

// ---- places --------------------------------------------------------------------------------------

/** Addresses of Debian's archive, each with a trailing slash. */
export function places() {
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

/** Downloads one address. Returns the reason if that fails. */
export async function get(url, file) {
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
 * Downloads one file of the archive, unless it is there, from the first place that gives it with the SHA-256 `sum`.
 * It gets its name only then. Returns why each place failed; nothing when the file is there.
 */
export async function downloadFile(pathInArchive, sum, file, from = places()) {
  if (fs.existsSync(file) && hash(file) === sum) return undefined;
  const partial = `${file}.partial`;
  const failures = [];
  for (const place of from) {
    fs.rmSync(partial, { force: true });
    const failure = await get(`${place}${pathInArchive}`, partial);
    if (failure === undefined && hash(partial) === sum) {
      fs.renameSync(partial, file);
      return undefined;
    }
    failures.push(failure ?? `${place}${pathInArchive} has SHA-256 ${hash(partial)}, expected ${sum}`);
  }
  fs.rmSync(partial, { force: true });
  if (failures.length === 0) failures.push("apt knows no mirror of Debian's main archive here");
  return failures.map((line) => `  ${line}`).join("\n");
}

/** Downloads the files of a source into `folder`, unless they are there. */
export async function download(source, folder, from = places()) {
  fs.mkdirSync(folder, { recursive: true });
  for (const [name, sum] of Object.entries(source.files)) {
    const reasons = await downloadFile(poolPath(source, name), sum, path.join(folder, name), from);
    if (reasons !== undefined)
      throw new Failure(
        `${name} of ${source.package} ${source.version} could not be had:\n${reasons}\n${wayOut([source])}`,
      );
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

/** Unpacks what a binary package installs below /usr. */
async function unpackPackage(file, tree, log) {
  await run("ar", ["x", path.resolve(file), "data.tar.xz"], { ...log, cwd: tree });
  await run("tar", ["-xf", "data.tar.xz", "--strip-components=2"], { ...log, cwd: tree });
  fs.rmSync(path.join(tree, "data.tar.xz"));
}

/**
 * Unpacks upstream's archive from `folder` and applies Debian's patches, if any, as dpkg-source does; or a package of
 * headers.
 */
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
  if (upstream === undefined) await unpackPackage(path.join(folder, archives[0]), partial, log);
  else await run("tar", ["-xf", path.join(folder, upstream), "--strip-components=1", "-C", partial], log);
  if (debian !== undefined) await patch(path.join(folder, debian), partial, log);
  fs.renameSync(partial, target);
}

/**
 * Makes sure that the source trees are there that every build needs; with `bundled` also the others. Returns quickly
 * when they are.
 */
export async function fetchSources({ bundled = false } = {}) {
  const needed = sources.filter((source) => bundled || !source.bundled);
  const named = needed.filter((source) => process.env[source.variable]);
  for (const source of named) {
    const proof = path.join(process.env[source.variable], source.proof);
    if (!fs.existsSync(proof))
      throw new Failure(`${source.variable} names ${process.env[source.variable]}, but ${proof} does not exist.`);
  }
  const wanted = needed.filter((source) => !named.includes(source) && !isUnpacked(source));
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

main(import.meta.url, () => fetchSources({ bundled: process.argv.includes("--bundled") }));
