// Assembles the page that shows Sheaf at work (docs/try) with parts of the package, ready for any static host.
//
//   node scripts/try_page.mjs [FOLDER [BUNDLE.sheaf…]]      default: dist/try, and no library but what its reader drops
//
// Needs a built tree with the packer's module: npm run build -- --module
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { Failure, main, root, say } from "./support.mjs";

const PARTS = [
  ["docs/try", "."],
  ["dist/browser/client", "sheaf/client"],
  ["dist/browser/core", "sheaf/core"],
  ["dist/browser/packer", "sheaf/packer"],
  ["dist/browser/convert", "sheaf/convert"],
  ...["dom", "explain", "hits"].map((name) => [`dist/browser/playground/${name}.js`, `sheaf/playground/${name}.js`]),
  ["dist/browser/ui/headless.js", "sheaf/ui/headless.js"],
  ["dist/browser/ui/state", "sheaf/ui/state"],
  ["models/minilm-l6-256.sheaf", "sheaf/minilm-l6-256.sheaf"],
];

/** What a browser never asks for. */
const UNUSED = /\.d\.m?ts$|\/packer\/node[_.]/;

/**
 * `libraries` is what the page offers: { src, label, bytes }, `src` relative to it, and where known `question`, `spec` for `sheaf add`,
 * `base` of its pages, `isSite` for those of the site that it stands in.
 */
export async function assemble(folder, libraries = []) {
  fs.rmSync(folder, { recursive: true, force: true });
  for (const [from, to] of PARTS) {
    const source = path.join(root, from);
    if (!fs.existsSync(source)) throw new Failure(`${from} is missing; build it: npm run build -- --module`);
    fs.cpSync(source, path.join(folder, to), { recursive: true, filter: (name) => !UNUSED.test(name) });
  }
  const { HIT_LOOKS } = await import(pathToFileURL(path.join(root, "dist", "node", "site", "playground_page.js")).href);
  fs.writeFileSync(path.join(folder, "sheaf", "playground", "hits.css"), HIT_LOOKS);
  writeLibraries(folder, libraries);
}

export const writeLibraries = (folder, libraries) =>
  fs.writeFileSync(path.join(folder, "libraries.json"), `${JSON.stringify(libraries)}\n`);

main(import.meta.url, async () => {
  const folder = path.resolve(process.argv[2] ?? path.join(root, "dist", "try"));
  if (fs.existsSync(folder) && !fs.existsSync(path.join(folder, "try.js")))
    throw new Failure(`${folder} is there already and holds something else; name another folder.`);
  const bundles = process.argv.slice(3).map((file) => ({ file, name: path.basename(file) }));
  await assemble(
    folder,
    bundles.map(({ file, name }) => ({
      src: `./libraries/${encodeURIComponent(name)}`,
      label: name.replace(/\.sheaf$/, "").replace("@", " "),
      bytes: fs.statSync(file).size,
    })),
  );
  for (const { file, name } of bundles) fs.cpSync(file, path.join(folder, "libraries", name));
  say(`  Assembled in ${folder}. Serve it with any static server, such as: npx sheaf serve ${folder}`);
});
