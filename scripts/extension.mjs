// `npm run extension`: the browser extension, for Chromium and Firefox, from one source.
//
//   npm run extension                     build/extension/{chromium,firefox}/, to load as they are, and a zip of each
//   npm run extension -- --lint           and `web-ext lint` of both (installs it below build/, once)
//   npm run extension -- --catalogue URL  offers the first libraries of this catalogue to who has none
//
// The zips are the same bytes wherever and whenever they are made: sorted entries, fixed times, no paths of the machine.
// tests/extension checks that. Needs a built tree; alone, run `npm run build` first.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { manifestFor } from "../extension/manifest.mjs";
import { cssTemplates } from "./css_templates.mjs";
import { noticesText } from "./notices.mjs";
import { Failure, main, newest, root, run, say } from "./support.mjs";
import { keepInputs, packagedExtension, languageModules } from "./third_party.mjs";

export const BROWSERS = ["chromium", "firefox"];
export const home = path.join(root, "build", "extension");
const source = (...names) => path.join(root, "extension", ...names);
const dist = (...names) => path.join(root, "dist", ...names);
const RUNTIME = ["ort.wasm.min.mjs", "ort-wasm-simd-threaded.mjs", "ort-wasm-simd-threaded.wasm"];

/** ONNX Runtime lies beside: its address is the package's own, and not one that somebody passes. */
const ownRuntime = {
  name: "own-runtime",
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]encoder[\\/]load\.js$/ }, async ({ path: file }) => {
      const text = await fs.promises.readFile(file, "utf8");
      const found = /import\((?:\/\*[^*]*\*\/\s*)*request\.runtime\)/;
      if (!found.test(text)) throw new Error(`${file} no longer imports request.runtime; see scripts/extension.mjs.`);
      return { contents: text.replace(found, 'import("../../runtime/ort.wasm.min.mjs")') };
    });
  },
};

const shared = {
  absWorkingDir: root,
  metafile: true,
  bundle: true,
  platform: "browser",
  target: "es2022",
  format: "esm",
  charset: "utf8",
  legalComments: "inline",
  logLevel: "error",
  plugins: [cssTemplates],
};

function compile() {
  const { status, stdout } = spawnSync(
    process.execPath,
    [path.join(root, "node_modules", "typescript", "bin", "tsc"), "-p", source()],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) throw new Failure(`The extension does not compile:\n${stdout}`);
}

/** All files of the package but its manifest, into a folder. */
async function assemble(folder) {
  const { build } = await import("esbuild");
  fs.rmSync(folder, { recursive: true, force: true });
  fs.cpSync(source("static"), folder, { recursive: true });
  const entry = (name) => dist("extension", `${name}.js`);
  const options = { ...shared, outbase: dist(), outdir: folder };
  // What the browser starts by itself, and the workers, are one file each.
  const single = await build({
    ...options,
    entryPoints: [...["background", "offscreen", "worker"].map(entry), dist("browser", "encoder", "worker.js")],
    external: ["onnxruntime-web/*", "../../runtime/*"],
    plugins: [...shared.plugins, ownRuntime],
  });
  const pages = await build({
    ...options,
    entryPoints: ["search", "library", "reader"].map(entry),
    splitting: true,
    chunkNames: "extension/part-[hash]",
  });
  keepInputs("extension", { outputs: { ...moved(single, folder), ...moved(pages, folder) } });
  fs.mkdirSync(path.join(folder, "browser", "core"), { recursive: true });
  for (const name of ["sheaf-core.wasm", "sheaf-text.wasm", "sheaf-wordpiece.wasm", ...languageModules()])
    fs.copyFileSync(dist("browser", "core", name), path.join(folder, "browser", "core", name));
  packManual(path.join(folder, "manual.sheaf"));
  fs.mkdirSync(path.join(folder, "models"));
  fs.copyFileSync(path.join(root, "models", "minilm-l6-256.sheaf"), path.join(folder, "models", "minilm-l6-256.sheaf"));
  fs.mkdirSync(path.join(folder, "runtime"));
  for (const name of RUNTIME)
    fs.copyFileSync(
      path.join(root, "node_modules", "onnxruntime-web", "dist", name),
      path.join(folder, "runtime", name),
    );
  for (const name of ["LICENSE", "NOTICE"]) fs.copyFileSync(path.join(root, name), path.join(folder, `${name}.txt`));
  fs.writeFileSync(path.join(folder, "THIRD_PARTY_NOTICES.txt"), noticesText(packagedExtension()));
}

/** Sheaf's own documentation, for readers who have no library yet. Decisions are for those who work on Sheaf. */
function packManual(output) {
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const about = ["--library", "sheaf", "--version", version, "--title", "Sheaf"];
  const { status, stderr } = spawnSync(
    process.execPath,
    [dist("cli", "main.js"), "pack", "docs", ...about, "--exclude", "decisions/**", "--quiet", "-o", output],
    { cwd: root, encoding: "utf8" },
  );
  if (status !== 0) throw new Failure(`The manual could not be packed:\n${stderr}`);
}

/** esbuild's outputs under the names that they have in the package. */
function moved({ metafile: { outputs } }, folder) {
  const base = path.relative(root, folder).split(path.sep).join("/");
  return Object.fromEntries(Object.entries(outputs).map(([name, output]) => [name.replace(`${base}/`, ""), output]));
}

function filesBelow(folder) {
  return fs
    .readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) =>
      path
        .relative(folder, path.join(entry.parentPath ?? entry.path, entry.name))
        .split(path.sep)
        .join("/"),
    )
    .sort((a, b) => (a < b ? -1 : 1));
}

async function zip(folder, output) {
  const { zipSync } = await import("fflate");
  const entries = {};
  for (const name of filesBelow(folder)) {
    const stored = name.endsWith(".sheaf") || name.endsWith(".png"); // compressed already
    entries[name] = [new Uint8Array(fs.readFileSync(path.join(folder, name))), { level: stored ? 0 : 9 }];
  }
  const bytes = zipSync(entries, { mtime: new Date(1980, 0, 1), os: 3 });
  fs.writeFileSync(`${output}.tmp`, bytes);
  fs.renameSync(`${output}.tmp`, output);
  return bytes.length;
}

/** Makes folders and zips. `catalogue`: the address that an empty extension offers libraries of. */
export async function makeExtension({ folder = home, catalogue = "", zips = true } = {}) {
  if (
    !fs.existsSync(dist("browser", "client", "federated.js")) ||
    !fs.existsSync(dist("browser", "core", "sheaf-core.wasm"))
  )
    throw new Failure("The tree is not built; run `npm run build` first.");
  compile();
  const { version } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  fs.mkdirSync(folder, { recursive: true });
  const made = [];
  const parts = path.join(folder, "parts");
  await assemble(parts);
  for (const browser of BROWSERS) {
    const target = path.join(folder, browser);
    fs.rmSync(target, { recursive: true, force: true });
    fs.cpSync(parts, target, { recursive: true });
    fs.rmSync(path.join(target, browser === "chromium" ? "background.html" : "offscreen.html"));
    if (browser === "firefox") fs.rmSync(path.join(target, "extension", "offscreen.js"));
    fs.writeFileSync(
      path.join(target, "manifest.json"),
      `${JSON.stringify(manifestFor(browser, version), undefined, 2)}\n`,
    );
    fs.writeFileSync(path.join(target, "settings.json"), `${JSON.stringify({ catalogue })}\n`);
    const file = path.join(folder, `sheaf-${browser}-${version}.zip`);
    made.push({ browser, folder: target, file, bytes: zips ? await zip(target, file) : 0 });
  }
  fs.rmSync(parts, { recursive: true });
  return made;
}

/** Makes the folders unless they are newer than what they are made of; for tests. */
export async function extensionFolder(browser) {
  const stamp = path.join(home, browser, "manifest.json");
  const inputs = [
    source(),
    path.join(root, "docs"),
    dist("browser", "client"),
    dist("browser", "ui"),
    dist("browser", "core"),
    dist("browser", "encoder"),
    path.join(root, "scripts", "extension.mjs"),
  ];
  if (!fs.existsSync(stamp) || newest(stamp) < newest(...inputs)) await makeExtension();
  return path.join(home, browser);
}

/**
 * What `web-ext lint` says and nobody can change here, by file and code. All of it is in other people's code: Lit makes
 * its templates' elements from strings of the source (and only those), ONNX Runtime loads the script beside it.
 */
const KNOWN = new Set(["UNSAFE_VAR_ASSIGNMENT in Lit", "UNSAFE_VAR_ASSIGNMENT in runtime/ort.wasm.min.mjs"]);

/** web-ext as tests/extension/lint pins it, installed below build/. Errors, and warnings that are not known, fail. */
async function lint(made) {
  const tool = path.join(root, "build", "web-ext");
  const pins = path.join(root, "tests", "extension", "lint");
  fs.mkdirSync(tool, { recursive: true });
  for (const name of ["package.json", "package-lock.json"])
    fs.copyFileSync(path.join(pins, name), path.join(tool, name));
  await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], { cwd: tool, log: "web-ext-install" });
  const { folder } = made.find(({ browser }) => browser === "firefox"); // Chromium has no such check
  const { stdout } = spawnSync(
    process.execPath,
    [
      path.join(tool, "node_modules", "web-ext", "bin", "web-ext.js"),
      "lint",
      "--source-dir",
      folder,
      "--output",
      "json",
      "--no-config-discovery",
    ],
    { encoding: "utf8", maxBuffer: 2 ** 26 },
  );
  const { errors, warnings, notices } = JSON.parse(stdout);
  const isLit = (file) => fs.readFileSync(path.join(folder, file), "utf8").includes("litHtmlVersions");
  const nameOf = ({ code, file }) => `${code} in ${file && isLit(file) ? "Lit" : file}`;
  const fresh = [...errors, ...notices, ...warnings].filter((each) => !KNOWN.has(nameOf(each)));
  for (const each of fresh) say(`  ${each._type} ${nameOf(each)}:${each.line ?? ""} ${each.message}`);
  say(
    `  web-ext lint: ${errors.length} errors, ${warnings.length} warnings, all in other people's code but ${fresh.length}`,
  );
  if (fresh.length > 0) throw new Failure("web-ext lint is not content with the package for Firefox.");
}

main(import.meta.url, async () => {
  const at = process.argv.indexOf("--catalogue");
  const catalogue = at < 0 ? "" : (process.argv[at + 1] ?? "");
  const made = await makeExtension({ catalogue });
  for (const { browser, folder, file, bytes } of made)
    say(
      `  ${browser.padEnd(9)} ${path.relative(root, folder)}  ${path.relative(root, file)}  ${(bytes / 1e6).toFixed(1)} MB`,
    );
  if (process.argv.includes("--lint")) await lint(made);
});
