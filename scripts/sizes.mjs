// The size budget: what a browser downloads before its first search can run, the WASM core and the
// client's JavaScript, minified. Sizes hold on any machine, so they are checked in every test run.
//
//   node scripts/sizes.mjs [--json]      exit code 1 when the budget is exceeded
//
// The client is bundled as a site would bundle it: `index.js` for the page and `worker.js` for the
// worker, with what they share in common chunks. Every file counts once, compressed by itself, as
// a static host would send it.
import fs from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { Failure, main, root } from "./support.mjs";

export const budget = 120_000; // bytes of brotli; design.md, section 6

function measure(name, bytes) {
  return {
    name,
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length,
  };
}

export async function sizes() {
  const wasm = path.join(root, "dist", "core", "sheaf-core.wasm");
  const entries = ["index.js", "worker.js"].map((name) => path.join(root, "dist", "client", name));
  for (const file of [wasm, ...entries]) {
    if (!fs.existsSync(file)) throw new Failure(`${path.relative(root, file)} is missing: run \`npm run build\` first.`);
  }
  const { build } = await import("esbuild");
  const result = await build({
    entryPoints: entries,
    outdir: "out",
    bundle: true,
    splitting: true,
    minify: true,
    format: "esm",
    platform: "browser",
    target: "es2022",
    write: false,
    legalComments: "none",
    logLevel: "error",
  });
  const parts = [measure("sheaf-core.wasm", fs.readFileSync(wasm))];
  for (const file of result.outputFiles) parts.push(measure(path.basename(file.path).replace(/^chunk-.*/, "shared chunk"), file.contents));
  const total = { name: "total", raw: 0, gzip: 0, brotli: 0 };
  for (const part of parts) for (const key of ["raw", "gzip", "brotli"]) total[key] += part[key];
  return { parts, total, budget };
}

export function table({ parts, total }) {
  const row = (cells) => `  ${cells[0].padEnd(18)}${cells.slice(1).map((cell) => String(cell).padStart(10)).join("")}`;
  return [
    row(["to first search", "raw", "gzip", "brotli"]),
    ...[...parts, total].map((part) => row([part.name, part.raw, part.gzip, part.brotli])),
  ].join("\n");
}

main(import.meta.url, async () => {
  const result = await sizes();
  if (process.argv.includes("--json")) console.log(JSON.stringify(result, null, 2));
  else console.log(table(result));
  const fits = result.total.brotli <= budget;
  if (!process.argv.includes("--json")) {
    console.log(`  ${fits ? "within" : "OVER"} the budget of ${budget} bytes (brotli): ${Math.round((100 * result.total.brotli) / budget)} %`);
  }
  return fits ? 0 : 1;
});
