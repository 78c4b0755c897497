// Assembles the page that packs what its reader drops (docs/try) with the package, ready for any static host.
//
//   node scripts/try_page.mjs [FOLDER]      default: dist/try
//
// Needs a built tree with the packer's module: npm run build -- --module
import fs from "node:fs";
import path from "node:path";
import { Failure, main, root, say } from "./support.mjs";

const PARTS = [
  ["docs/try", "."],
  ["dist/browser/client", "sheaf/client"],
  ["dist/browser/core", "sheaf/core"],
  ["dist/browser/packer", "sheaf/packer"],
  ["dist/browser/convert", "sheaf/convert"],
  ["dist/browser/ui/sheaf-search.min.js", "sheaf/ui/sheaf-search.min.js"],
  ["models/minilm-l6-256.sheaf", "sheaf/minilm-l6-256.sheaf"],
];

/** What a browser never asks for. */
const UNUSED = /\.d\.m?ts$|\/packer\/node[_.]/;

export function assemble(folder) {
  fs.rmSync(folder, { recursive: true, force: true });
  for (const [from, to] of PARTS) {
    const source = path.join(root, from);
    if (!fs.existsSync(source)) throw new Failure(`${from} is missing; build it: npm run build -- --module`);
    fs.cpSync(source, path.join(folder, to), { recursive: true, filter: (name) => !UNUSED.test(name) });
  }
}

main(import.meta.url, async () => {
  const folder = path.resolve(process.argv[2] ?? path.join(root, "dist", "try"));
  if (fs.existsSync(folder) && !fs.existsSync(path.join(folder, "try.js")))
    throw new Failure(`${folder} is there already and holds something else; name another folder.`);
  assemble(folder);
  say(`  Assembled in ${folder}. Serve it with any static server, such as: npx sheaf serve ${folder}`);
});
