// The code that `sheaf site` puts beside a site: component, client, worker and core, in as few files
// as a browser can load in parallel.
//
//   node scripts/site_bundle.mjs        dist/site/code
//
// The folders stay as in dist (ui/, client/, core/), because the code finds its worker and its core
// beside itself, through import.meta.url. Names are plain: `sheaf site` puts all of it into a folder
// that carries the hash of its content.
import fs from "node:fs";
import path from "node:path";
import { main, newest, root, say } from "./support.mjs";

const out = path.join(root, "dist", "site", "code");
const entries = ["ui/index.js", "client/worker.js"];

/** Makes dist/site/code unless it is newer than what it is made of. Returns whether it was made. */
export async function bundleSite() {
  const inputs = ["ui", "client", "core"].map((folder) => path.join(root, "dist", folder));
  const stamp = path.join(out, "core", "sheaf-core.wasm");
  const made = path.join(out, "ui", "index.js");
  if (fs.existsSync(made) && fs.existsSync(stamp) && newest(made) > newest(...inputs, path.join(root, "scripts", "site_bundle.mjs"))) return false;
  const { build } = await import("esbuild");
  fs.rmSync(out, { recursive: true, force: true });
  await build({
    entryPoints: entries.map((entry) => path.join(root, "dist", entry)),
    outbase: path.join(root, "dist"),
    outdir: out,
    chunkNames: "client/part-[hash]",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    legalComments: "inline", // licences travel with the code
    logLevel: "error",
  });
  fs.mkdirSync(path.dirname(stamp), { recursive: true });
  fs.copyFileSync(path.join(root, "dist", "core", "sheaf-core.wasm"), stamp);
  return true;
}

main(import.meta.url, async () => say(`  dist/site/code is ${(await bundleSite()) ? "made" : "up to date"}`));
