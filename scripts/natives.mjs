// Builds static sheaf-pack programs, which run on every machine of their platform without any library.
//
//   node scripts/natives.mjs [PLATFORM…]     build/natives/PLATFORM/sheaf-pack, and its notices
//
// Platforms: linux-x64 and linux-arm64, both unless one is named; and macos-x64 and macos-arm64, which are built only
// when named and which nobody has run yet. The compiler is Zig's, which carries the C and C++ libraries of every
// target; pip installs the pinned release into build/natives/zig. The same tree gives the same bytes on every machine:
// no path, date or machine's own library gets in.
//
// Needs what the native build needs (scripts/bootstrap.mjs), and Python with pip.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { fetchSources, sourceSettings } from "./fetch_sources.mjs";
import { writeStaticNotices } from "./notices.mjs";
import { Failure, exists, jobs, main, root, run, say, step } from "./support.mjs";

const folder = path.join(root, "build", "natives");

/** Platforms, named as Node and npm do, and Zig's names for them. */
const targets = {
  "linux-x64": "x86_64-linux-musl",
  "linux-arm64": "aarch64-linux-musl",
  "macos-x64": "x86_64-macos.13.0-none",
  "macos-arm64": "aarch64-macos.13.0-none",
};

/** Those that are tested, and therefore published. */
const tested = ["linux-x64", "linux-arm64"];

/** The program of a platform. */
export const programOf = (platform) => path.join(folder, platform, "sheaf-pack");

const zigFolder = path.join(folder, "zig");
const zig = path.join(zigFolder, "ziglang", "zig");

const pins = path.join(root, "scripts", "natives.requirements.txt");
const zigVersion = () => /^ziglang==(\S+)/m.exec(fs.readFileSync(pins, "utf8"))[1];

/** Installs the pinned Zig unless it is there. */
async function installZig() {
  const stamp = path.join(zigFolder, "stamp");
  const wanted = createHash("sha256").update(fs.readFileSync(pins)).digest("hex");
  if (fs.existsSync(zig) && fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === wanted) return "up to date";
  if (!exists("python3")) throw new Failure("python3 is missing; its pip installs Zig (Debian: python3-pip).");
  fs.rmSync(zigFolder, { recursive: true, force: true });
  const options = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--disable-pip-version-check"];
  await run("python3", ["-m", "pip", "install", ...options, "--target", zigFolder, "-r", pins], { log: "pip-zig" });
  fs.writeFileSync(stamp, wanted);
  return undefined;
}

/** Compiles the program of a platform and copies it to its place. */
async function build(platform) {
  const tree = path.join(folder, `cmake-${targets[platform]}`);
  const cache = path.join(folder, "cache");
  // ccache, where a machine has it, would otherwise shorten the paths that assertions name.
  const env = { ZIG_GLOBAL_CACHE_DIR: cache, ZIG_LOCAL_CACHE_DIR: cache, CCACHE_BASEDIR: "" };
  const settings = {
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_TOOLCHAIN_FILE: path.join(root, "cmake", "zig.cmake"),
    SHEAF_ZIG: zig,
    SHEAF_ZIG_TARGET: targets[platform],
    SHEAF_BUNDLED_LIBRARIES: "ON",
    SHEAF_STATIC: "ON",
    SHEAF_PRECOMPILE: "OFF",
  };
  const defines = [...Object.entries(settings).map(([name, value]) => `-D${name}=${value}`), ...sourceSettings()];
  await run("cmake", ["-G", "Ninja", "-S", root, "-B", tree, ...defines], { log: `configure-${platform}`, env });
  await run("cmake", ["--build", tree, "-j", String(jobs()), "--target", "sheaf-pack"], {
    log: `build-${platform}`,
    env,
  });
  fs.mkdirSync(path.join(folder, platform), { recursive: true });
  fs.copyFileSync(path.join(tree, "sheaf-pack"), programOf(platform));
  fs.chmodSync(programOf(platform), 0o755);
  writeStaticNotices(platform, { folder: path.join(zigFolder, "ziglang"), version: zigVersion() });
  return `${(fs.statSync(programOf(platform)).size / 1e6).toFixed(1)} MB`;
}

/** Builds the programs of these platforms. */
export async function buildNatives(platforms = tested) {
  for (const platform of platforms)
    if (targets[platform] === undefined)
      throw new Failure(`${platform} is no platform; expected any of ${Object.keys(targets).join(", ")}.`);
  await fetchSources({ bundled: true });
  await step("Installing Zig's compiler", installZig);
  for (const platform of platforms) await step(`Building sheaf-pack for ${platform}`, () => build(platform));
  for (const platform of platforms) say(`  ${path.relative(root, programOf(platform))}`);
}

main(import.meta.url, () => {
  const named = process.argv.slice(2);
  return buildNatives(named.length > 0 ? named : undefined);
});
