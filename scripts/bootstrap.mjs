// From a fresh clone to a built tree: system packages, node modules, C sources, native packer, WASM
// core, JavaScript. Each step is skipped, in milliseconds, when there is nothing to do.
//
//   node scripts/bootstrap.mjs [--PURPOSE…]      see `purposes` below
//
// `--module` adds the packer in WebAssembly, which every package of Sheaf holds. `npm test`, `npm run demo` and others
// call `bootstrap` with purposes of their own. Missing Debian packages are installed if that takes no
// prompt (as root, or with a sudo without a password); otherwise the script lists them and stops.
//
// Environment: SHEAF_SKIP_PACKAGES=1 skips Debian's packages on systems that get the tools another
// way; SHEAF_ZSTD_SOURCE, SHEAF_SNOWBALL_SOURCE and SHEAF_GUMBO_SOURCE name source trees (fetch_sources.mjs).
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { sweep } from "./dist.mjs";
import { fetchSources, sourceSettings } from "./fetch_sources.mjs";
import { bundleLibraries } from "./library_bundle.mjs";
import { writeManPage } from "./man.mjs";
import { bundleMcp } from "./mcp_bundle.mjs";
import { writeNotices } from "./notices.mjs";
import { writeSbom } from "./sbom.mjs";
import { bundleSite } from "./site_bundle.mjs";
import { bundleUi } from "./ui_bundle.mjs";
import { Failure, ask, exists, jobs, main, newest, note, root, run, say, seconds, step, together } from "./support.mjs";

// ---- system packages -----------------------------------------------------------------------------

/**
 * Browsers. The extension's tests want all of Chromium, others its headless shell. Without Firefox (the extension's tests
 * too) or WebKit, whose MiniBrowser needs a screen, their tests are skipped.
 */
const browsers = ["chromium", "chromium-headless-shell", "firefox-esr", "webkit2gtk-driver", "xvfb"];

const documentation = ["postgresql-doc-15", "rust-doc", "python-pil-doc", "fish-common", "octave-doc"];

/** Debian's packages for the builds. */
const buildPackages = [
  "cmake",
  "ninja-build",
  "ccache", // cmake/cache.cmake
  "g++",
  "pkg-config",
  "git",
  "xz-utils", // unpack the sources and patch them
  "ca-certificates",
  "emscripten",
  "nlohmann-json3-dev",
  "libcli11-dev",
  "libcmark-gfm-dev",
  "libcmark-gfm-extensions-dev",
  "libyaml-cpp-dev",
  "libicu-dev",
  "libhnswlib-dev",
];

const product = ["native", "wasm", "javascript"];

/** For each purpose: the packages that it needs beside those of the builds, and what it needs built. */
const purposes = {
  build: { packages: [], builds: product },
  demo: { packages: ["postgresql-doc-15"], builds: product },
  bench: { packages: ["libbenchmark-dev", "postgresql-doc-15"], builds: product },
  module: { packages: [], builds: [...product, "wasm-packer"] },
  browsers: { packages: browsers, builds: product },
  release: { packages: ["python3-venv", "python3-pip"], builds: [...product, "wasm-packer"] }, // hatchling for the wheel, Zig for the static packers
  // The parts of `npm test`, which builds the unit tests itself.
  cpp: {
    // With clang's sanitizers, and llvm-symbolizer, which puts lines into their reports.
    packages: ["libgtest-dev", "postgresql-doc-15", "clang", "libclang-rt-14-dev", "llvm"],
    builds: ["sources"],
  },
  node: {
    packages: [
      ...documentation,
      "searx",
      "chromium",
      "python3-docutils",
      "docutils-doc",
      "python3-numpy", // the second reader, tests/conformance/reader
      "python3-zstandard",
      "python3-xxhash",
      "python3-snowballstemmer",
    ],
    builds: [...product, "wasm-packer"],
  },
  browser: { packages: [...documentation, ...browsers], builds: [...product, "wasm-packer"] },
  extension: { packages: [...documentation, ...browsers], builds: [...product, "wasm-packer"] },
  quality: { packages: documentation, builds: product },
  sizes: { packages: [], builds: [...product, "wasm-packer"] },
  // scripts/machines.mjs
  machines: {
    packages: ["g++-s390x-linux-gnu", "g++-i686-linux-gnu", "g++-aarch64-linux-gnu", "qemu-user", "libgtest-dev"],
    builds: ["native", "sources"],
  },
  lint: { packages: ["clang-format-14", "clang-tidy-14"], builds: [] },
  tidy: { packages: [], builds: ["sources", "headers"] }, // clang-tidy wants the headers that are generated
};

function missingPackages(wanted) {
  // One line per package; for a package that dpkg does not know it reports an error and prints no line.
  const known = new Map();
  const printed =
    ask("sh", [
      "-c",
      "dpkg-query -W -f='${Package} ${db:Status-Status}\\n' \"$@\" 2>/dev/null; true",
      "sh",
      ...wanted,
    ]) ?? "";
  for (const line of printed.split("\n")) {
    const [name, status] = line.trim().split(" ");
    if (name) known.set(name, known.get(name) === "installed" ? "installed" : status);
  }
  return wanted.filter((name) => known.get(name) !== "installed" && !(name === "emscripten" && privateEmscripten()));
}

const emscriptenHome = path.join(root, "build", "third_party", "emscripten");
const privateEmscripten = () => fs.existsSync(path.join(emscriptenHome, "ready"));

/**
 * NodeSource's `nodejs` does not satisfy `nodejs:any`, which Debian's Emscripten requires through
 * node-acorn, so apt refuses the package although a suitable Node is installed. In that case its
 * dependencies are installed as packages, and Emscripten itself is unpacked below build/.
 */
async function unpackEmscripten(asRoot, aptOptions) {
  const log = "apt-emscripten";
  await asRoot(
    [
      "apt-get",
      ...aptOptions,
      "install",
      "-y",
      "--no-install-recommends",
      "--no-remove",
      "binaryen",
      "clang-14",
      "lld-14",
      "llvm-14",
      "python3",
    ],
    log,
  );
  fs.rmSync(emscriptenHome, { recursive: true, force: true });
  fs.mkdirSync(emscriptenHome, { recursive: true });
  await run(
    "apt-get",
    ["-o", `APT::Sandbox::User=${ask("id", ["-un"])?.trim()}`, "download", "emscripten", "node-acorn", "node-xtend"],
    { log, cwd: emscriptenHome, append: true },
  );
  for (const name of fs.readdirSync(emscriptenHome).filter((file) => file.endsWith(".deb"))) {
    await run("dpkg-deb", ["--extract", name, "."], { log, cwd: emscriptenHome, append: true });
    fs.rmSync(path.join(emscriptenHome, name));
  }
  const share = path.join(emscriptenHome, "usr", "share", "emscripten");
  const config = path.join(share, ".emscripten");
  fs.writeFileSync(
    config,
    fs
      .readFileSync(config, "utf8")
      .replace(/^EMSCRIPTEN_ROOT\s*=.*$/m, `EMSCRIPTEN_ROOT = ${JSON.stringify(share)}`)
      .replace(/^NODE_JS\s*=.*$/m, `NODE_JS = ${JSON.stringify(process.execPath)}`),
  );
  // Debian's launchers have /usr/share/emscripten hard-coded.
  for (const tool of fs.readdirSync(share).filter((file) => /^em[a-z+-]*\.py$/.test(file))) {
    fs.writeFileSync(path.join(share, tool.replace(/\.py$/, "")), '#!/bin/sh\nexec python3 "$0.py" "$@"\n', {
      mode: 0o755,
    });
  }
  // Its scripts are CommonJS, whatever the package.json above them says.
  fs.writeFileSync(path.join(emscriptenHome, "package.json"), '{ "type": "commonjs" }\n');
  fs.writeFileSync(path.join(emscriptenHome, "ready"), "");
}

async function systemPackages(wanted) {
  if (process.env.SHEAF_SKIP_PACKAGES === "1") return;
  const isDebian = exists("apt-get") && exists("dpkg-query");
  const missing = isDebian ? missingPackages(wanted) : wanted;
  if (missing.length === 0) return;
  const sudo =
    process.getuid?.() === 0 ? [] : exists("sudo") && ask("sudo", ["-n", "true"]) !== null ? ["sudo", "-n"] : null;
  if (!isDebian || sudo === null) {
    throw new Failure(
      `${isDebian ? "These Debian packages are missing, and this user may not install them" : "apt is missing here. The build needs what these Debian 12 packages hold"}:\n\n` +
        `  ${missing.join(" ")}\n\n` +
        (isDebian
          ? `Install them as root and try again:\n\n  apt-get update && apt-get install -y --no-install-recommends ${missing.join(" ")}`
          : 'Install their counterparts (docs/building.md, "Other systems") and set SHEAF_SKIP_PACKAGES=1.'),
    );
  }
  const env = { DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" };
  const options = ["-o", "DPkg::Lock::Timeout=300", "-o", "Dpkg::Use-Pty=0", "-o", "APT::Color=0"];
  const asRoot = (command, log, more = {}) => {
    const [head, ...rest] = [
      ...sudo,
      ...(sudo.length ? ["env", ...Object.entries(env).map(([k, v]) => `${k}=${v}`)] : []),
      ...command,
    ];
    return run(head, rest, { log, env, ...more });
  };
  note(`Missing Debian packages: ${missing.join(" ")}`);
  await step("Reading Debian's package lists", () =>
    asRoot(["apt-get", ...options, "update"], "apt-update").then(() => undefined),
  );
  await step("Installing them", async () => {
    // --no-remove: apt must not remove anything from this machine.
    const install = ["install", "-y", "--no-install-recommends", "--no-remove"];
    let list = missing;
    if (
      missing.includes("emscripten") &&
      ask("apt-get", ["install", "-s", "--no-install-recommends", "--no-remove", "emscripten"]) === null
    ) {
      list = missing.filter((name) => name !== "emscripten");
    }
    if (list.length > 0) await asRoot(["apt-get", ...options, ...install, ...list], "apt-install");
    if (list.length < missing.length) {
      note(
        "Debian's emscripten package does not go with this machine's nodejs package: unpacking it below build/ instead",
      );
      await unpackEmscripten(asRoot, options);
    }
  });
}

// ---- node modules --------------------------------------------------------------------------------

async function nodeModules() {
  const lock = createHash("sha256")
    .update(fs.readFileSync(path.join(root, "package-lock.json")))
    .digest("hex");
  const stamp = path.join(root, "node_modules", ".sheaf-lock");
  if (fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === lock) return;
  await step("Installing node modules", async () => {
    // Do not run packages' own scripts: none of ours needs one (esbuild's binary is a package).
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { log: "npm-ci" });
    fs.writeFileSync(stamp, lock);
  });
}

// ---- builds --------------------------------------------------------------------------------------

/** Configures a preset unless that was done before, for this folder and with these options. */
async function configure(preset, settings) {
  const dir = path.join(root, "build", preset);
  const wanted = JSON.stringify([root, ...settings]);
  const stamp = path.join(dir, ".sheaf-configured");
  if (fs.existsSync(path.join(dir, "build.ninja")) && fs.existsSync(stamp) && fs.readFileSync(stamp, "utf8") === wanted)
    return;
  await run("cmake", ["--preset", preset, "--fresh", ...settings], { log: `configure-${preset}` });
  fs.writeFileSync(stamp, wanted);
}

/** Configures and builds one CMake preset; `targets` empty means all. */
export async function buildPreset(preset, title, targets = [], settings = []) {
  await step(title, async () => {
    await configure(preset, [...sourceSettings(), ...settings]);
    const chosen = targets.flatMap((target) => ["--target", target]);
    const { output } = await run("cmake", ["--build", `build/${preset}`, "-j", String(jobs()), ...chosen], {
      log: `build-${preset}`,
    });
    return /ninja: no work to do/.test(output) ? "up to date" : undefined;
  });
}

async function typescript() {
  if (!fs.existsSync(path.join(root, "tsconfig.json"))) return;
  const stamp = path.join(root, "build", "typescript.stamp");
  const inputs = [
    "tsconfig.json",
    "package-lock.json",
    "web",
    "extension/src",
    "extension/tsconfig.json",
    "dist/browser/core/sheaf-core.d.mts",
    "dist/browser/core/sheaf-wordpiece.d.mts",
    "dist/browser/core/sheaf-text.d.mts",
    "dist/browser/core/sheaf-federation.d.mts",
    "dist/node/databases/sheaf-rows.d.mts",
    "dist/browser/core/language.d.mts",
    "wasm/packer/module.d.ts",
    "wasm/mandoc/mandoc.d.ts",
  ].map((name) => path.join(root, name));
  // The compiler wants the types of modules that not every tree builds.
  for (const [types, place] of [
    ["packer/module.d.ts", "packer/sheaf-packer.d.mts"],
    ["mandoc/mandoc.d.ts", "convert/mandoc.d.mts"],
  ]) {
    const copy = path.join(root, "dist", "browser", place);
    fs.mkdirSync(path.dirname(copy), { recursive: true });
    fs.copyFileSync(path.join(root, "wasm", types), copy);
  }
  await step("Compiling TypeScript", async () => {
    if (
      fs.existsSync(stamp) &&
      fs.existsSync(path.join(root, "dist", "browser", "client", "index.js")) &&
      newest(stamp) > newest(...inputs)
    )
      return "up to date";
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "tsconfig.json"], { log: "tsc" });
    await bundleUi(); // its types are what the extension is compiled against
    await run(process.execPath, ["node_modules/typescript/bin/tsc", "-p", "extension"], { log: "tsc-extension" });
    fs.writeFileSync(stamp, "");
    return undefined;
  });
}

/** Installs and builds everything that the given purposes need: names in `purposes`. */
export async function bootstrap(...names) {
  const [major] = process.versions.node.split(".").map(Number);
  if (major < 20) throw new Failure(`Node ${process.versions.node} is too old: Sheaf needs Node 20 or newer.`);
  const begun = Date.now();
  const unknown = names.find((name) => !Object.hasOwn(purposes, name));
  if (unknown) throw new Failure(`${unknown}: expected some of ${Object.keys(purposes).join(", ")}.`);
  const builds = new Set(names.flatMap((name) => purposes[name].builds));
  const packages = names.flatMap((name) => purposes[name].packages);
  await together(systemPackages([...new Set([...(builds.size > 0 ? buildPackages : []), ...packages])]), nodeModules());
  if (builds.size > 0) await fetchSources({ bundled: builds.has("wasm-packer") });
  if (builds.has("headers")) await buildPreset("native", "Generating headers", ["sheaf_snowball_headers"]);
  // Side by side, one uses the cores that the others leave idle while they configure and link.
  await together(
    ...(builds.has("native")
      ? [
          buildPreset(
            "native",
            "Building the packer (native)",
            ["sheaf-pack"],
            names.includes("bench") ? ["-DSHEAF_BENCH=ON"] : [],
          ),
        ]
      : []),
    ...(builds.has("wasm") ? [buildPreset("wasm", "Building the search core (WebAssembly)")] : []),
    ...(builds.has("wasm-packer")
      ? [buildPreset("wasm-packer", "Building the packer (WebAssembly)", ["sheaf-packer", "sheaf-mandoc"])]
      : []),
  );
  if (builds.has("javascript")) await javascript();
  say(`  Ready after ${seconds(Date.now() - begun)}. Logs: build/log`);
}

/** Compiles and bundles TypeScript, removes what older sources left in dist, and writes the notices of what is built. */
async function javascript() {
  await typescript();
  await step("Bundling libraries", async () => {
    const made = await bundleLibraries();
    return (await bundleMcp()) || made.length > 0 ? undefined : "up to date";
  });
  await step("Bundling the component", async () => {
    const made = await bundleUi();
    return (await bundleSite()) || made.length > 0 ? undefined : "up to date";
  });
  for (const name of sweep()) note(`dist/${name} removed: no source makes it`);
  await step("Writing notices, bills of materials and the manual page", async () => {
    const written = [writeNotices(), writeSbom(), await writeManPage()];
    return written.includes(true) ? undefined : "up to date";
  });
}

main(import.meta.url, () => bootstrap("build", ...process.argv.slice(2).map((flag) => flag.replace(/^--/, ""))));
