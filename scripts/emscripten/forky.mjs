// A current Emscripten on any Debian for amd64: the packages of Debian's next release, unpacked below build/third_party.
//
//   node scripts/emscripten/forky.mjs           fetches and unpacks what forky.json names; prints the folder of emcc
//   node scripts/emscripten/forky.mjs --pin     first writes the archive's versions of today into forky.json
//
// forky.json has the SHA-256 of every package; --pin takes them from the archive's index, whose signature gpgv checks
// with the keys of this machine's Debian. Nothing is installed, and root is not needed. The programs want a newer C
// library than this machine has: they run through that library's own loader, which lies beside them, and find only
// libraries from these packages. Node and Python are this machine's.
//
// Cost: 85 MB to fetch, 430 MB unpacked. Emscripten compiles its C and C++ libraries when it first links with them,
// which takes minutes; they stay in the folder.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { downloadFile, get, places } from "../fetch_sources.mjs";
import { Failure, exists, main, note, root, run, step } from "../support.mjs";

const PINS = fileURLToPath(new URL("forky.json", import.meta.url));
const KEYS = "/usr/share/keyrings/debian-archive-keyring.gpg";
const thirdParty = path.join(root, "build", "third_party");
const home = path.join(thirdParty, "emscripten-forky");
const LAYOUT = 1; // raised when what configure() lays out changes
const LIBRARIES = "usr/lib/x86_64-linux-gnu";
const log = { log: "emscripten-forky", append: true };

/** The programs that Emscripten starts, by the package's folder where they lie. */
const PROGRAMS = {
  llvm: "clang clang++ clang-scan-deps wasm-ld llvm-ar llvm-nm llvm-objcopy llvm-ranlib llvm-strip llvm-dwp llvm-dwarfdump",
  binaryen:
    "wasm-opt wasm-emscripten-finalize wasm-metadce wasm-ctor-eval wasm-as wasm-dis wasm-split wasm-merge wasm2js",
};

const readPins = () => JSON.parse(fs.readFileSync(PINS, "utf8"));

// ---- pins ----------------------------------------------------------------------------------------

/** What the index of an archive says, as one object for each package. */
export function readIndex(text) {
  return text
    .split("\n\n")
    .map((paragraph) =>
      Object.fromEntries([...paragraph.matchAll(/^([\w-]+): (.*)$/gm)].map((field) => field.slice(1))),
    );
}

/** The packages of `pinned`, each as `index` has it now: paths in the archive and SHA-256. Throws for one that is gone. */
export function pinned(pins, index) {
  const names = Object.keys(pins.packages).map((file) => path.basename(file).split("_")[0]);
  const found = names.map((name) => {
    const entry = index.find((each) => each.Package === name);
    if (!entry)
      throw new Failure(
        `Debian ${pins.release} no longer has ${name}. Name its successor in ${path.relative(root, PINS)}.`,
      );
    return [entry.Filename, entry.SHA256];
  });
  return Object.fromEntries(found);
}

/** Writes today's versions of the pinned packages into forky.json. */
async function pin() {
  const pins = readPins();
  const folder = path.join(thirdParty, "archives", `index-${pins.release}`);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  const [place] = places();
  if (place === undefined)
    throw new Failure("apt knows no mirror of Debian here. Name one: SHEAF_DEBIAN_MIRROR=<address>");
  const signed = path.join(folder, "InRelease");
  const failure = await get(`${place}dists/${pins.release}/InRelease`, signed);
  if (failure) throw new Failure(`${place} has no release ${pins.release}: ${failure}`);
  const release = path.join(folder, "Release");
  await run("gpgv", ["--keyring", KEYS, "--output", release, signed], log);
  const said = fs.readFileSync(release, "utf8");
  const name = `main/binary-${pins.architecture}/Packages.xz`;
  const sum = said.match(new RegExp(`^ ([0-9a-f]{64}) +\\d+ ${name}$`, "m"))?.[1];
  if (sum === undefined) throw new Failure(`The release ${pins.release} of ${place} has no SHA-256 of ${name}.`);
  const packed = path.join(folder, "Packages.xz");
  const reasons = await downloadFile(`dists/${pins.release}/${name}`, sum, packed, [place]);
  if (reasons) throw new Failure(`${name} could not be had:\n${reasons}`);
  await run("xz", ["--decompress", "--keep", packed], log);
  pins.packages = pinned(pins, readIndex(fs.readFileSync(path.join(folder, "Packages"), "utf8")));
  pins.archive = new Date(said.match(/^Date: (.*)$/m)[1]).toISOString().slice(0, 10);
  fs.writeFileSync(PINS, `${JSON.stringify(pins, null, 2)}\n`);
  note(`forky.json names the packages of ${pins.archive}`);
}

// ---- unpacking -----------------------------------------------------------------------------------

async function fetchPackages({ release, archive, packages }) {
  const folder = path.join(thirdParty, "archives");
  fs.mkdirSync(folder, { recursive: true });
  const from = places();
  for (const [inArchive, sum] of Object.entries(packages)) {
    const file = path.join(folder, path.basename(inArchive));
    const reasons = await downloadFile(inArchive, sum, file, from);
    if (reasons !== undefined)
      throw new Failure(
        `${path.basename(inArchive)} could not be had:\n${reasons}\n` +
          `Debian ${release} moves on; it had this version on ${archive}. Any of these helps:\n` +
          "  node scripts/emscripten/forky.mjs --pin      takes the versions of today\n" +
          `  SHEAF_DEBIAN_MIRROR=<address>                a snapshot of Debian's archive of ${archive}\n` +
          "  EMSDK=<folder>                               an installed emsdk instead",
      );
    await run("dpkg-deb", ["--extract", file, home], log);
  }
}

/**
 * A launcher that runs a program with the loader and the libraries of these packages. It lies in the folder bin;
 * `file`, the program, is named as seen from the folder that holds bin.
 */
export function launcher(file) {
  const library = `"$here/../${LIBRARIES}`;
  // Clang starts itself again and looks for its headers beside itself: it must go by the name it was called, since its
  // process is the loader's. Its inner commands (-cc1) do not know that flag.
  const flag = path.basename(file).startsWith("clang")
    ? 'case $1 in -cc1*) ;; *) set -- "$@" -no-canonical-prefixes ;; esac\n'
    : "";
  const start = `exec ${library}/ld-linux-x86-64.so.2" --library-path ${library}" --argv0 "$0" "$here/../${file}" "$@"`;
  return `#!/bin/sh\nhere=\${0%/*}\n${flag}${start}\n`;
}

/** Lays launchers and Emscripten's configuration beside the unpacked packages. */
function configure(share) {
  const llvm = fs.readdirSync(path.join(home, "usr", "lib")).find((name) => /^llvm-\d+$/.test(name));
  const folders = { llvm: `usr/lib/${llvm}/bin`, binaryen: "usr/bin" };
  fs.mkdirSync(path.join(home, "bin"));
  for (const [kind, programs] of Object.entries(PROGRAMS)) {
    for (const program of programs.split(" ")) {
      const file = `${folders[kind]}/${program}`;
      if (!fs.existsSync(path.join(home, file))) continue; // not every version has all of them
      fs.writeFileSync(path.join(home, "bin", program), launcher(file), { mode: 0o755 });
    }
  }
  fs.mkdirSync(path.join(home, "lib"));
  fs.symlinkSync(`../usr/lib/${llvm}/lib/clang`, path.join(home, "lib", "clang"));
  fs.writeFileSync(
    path.join(share, ".emscripten"),
    // $CFGDIR is the folder of this file.
    `LLVM_ROOT = "$CFGDIR/../../../bin"\nBINARYEN_ROOT = "$CFGDIR/../../.."\nCACHE = "$CFGDIR/../../../cache"\n` +
      `NODE_JS = ${JSON.stringify(process.execPath)}\n`,
  );
  // Debian's Node looks for modules in /usr/share/nodejs; others look here.
  fs.symlinkSync("../nodejs", path.join(share, "node_modules"));
  // Some of its scripts are CommonJS, whatever the package.json above them says.
  fs.writeFileSync(path.join(home, "package.json"), '{ "type": "commonjs" }\n');
}

/** Makes sure that Emscripten is there. Returns the folder that holds emcc. */
export async function forkyEmscripten() {
  const pins = readPins();
  if (process.platform !== "linux" || process.arch !== "x64" || !exists("dpkg-deb"))
    throw new Failure(
      `Debian ${pins.release}'s Emscripten is taken from packages for ${pins.architecture}, unpacked by dpkg-deb; ` +
        `this is ${process.platform}-${process.arch}. Install an emsdk and name it: EMSDK=<folder>.`,
    );
  const share = path.join(home, "usr", "share", "emscripten");
  const stamp = path.join(home, "ready");
  const wanted = createHash("sha256")
    .update(JSON.stringify([LAYOUT, pins.packages, process.execPath]))
    .digest("hex");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === wanted) return share;
  await step(`Fetching Debian ${pins.release}'s Emscripten`, async () => {
    fs.rmSync(home, { recursive: true, force: true });
    fs.mkdirSync(home, { recursive: true });
    await fetchPackages(pins);
    configure(share);
    fs.writeFileSync(stamp, wanted);
  });
  return share;
}

main(import.meta.url, async () => {
  if (process.argv.includes("--pin")) await pin();
  console.log(await forkyEmscripten());
});
