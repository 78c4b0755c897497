// `npm run bench`: measures speed and size. Prints to stdout; asserts nothing.
//
//   1. sizes of the WASM core and the client
//   2. native micro-benchmarks (tests/bench/*.cc, Google Benchmark)
//   3. every tests/bench/*.mjs: packing speed, bundle size, query latency in WASM
//
//   npm run bench -- --only=sizes,native,js
import fs from "node:fs";
import path from "node:path";
import { spawnSync } from "node:child_process";
import { bootstrap, buildPreset } from "./bootstrap.mjs";
import { bold, chosenParts, main, root } from "./support.mjs";
import { sizes, table } from "./sizes.mjs";

const parts = ["sizes", "native", "js"];

main(import.meta.url, async () => {
  const only = chosenParts(parts);
  await bootstrap("bench");
  const folder = path.join(root, "tests", "bench");
  const files = fs.existsSync(folder) ? fs.readdirSync(folder).sort() : [];
  let failed = 0;
  const show = (title, command, args) => {
    console.log(`\n${bold(title)}`);
    if (spawnSync(command, args, { cwd: root, stdio: "inherit" }).status !== 0) failed += 1;
  };
  if (only.includes("sizes")) console.log(`\n${bold("Sizes")}\n${table(await sizes())}`);
  if (only.includes("native") && files.some((name) => name.endsWith(".cc"))) {
    await buildPreset("native", "Building the native benchmarks", ["sheaf_bench"], ["-DSHEAF_BENCH=ON"]);
    show("Native", path.join(root, "build", "native", "sheaf_bench"), []);
  }
  if (only.includes("js")) {
    for (const name of files.filter((file) => file.endsWith(".mjs")))
      show(name, process.execPath, [path.join(folder, name)]);
  }
  return failed ? 1 : 0;
});
