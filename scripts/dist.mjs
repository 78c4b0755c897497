// Removes from dist the files that no source makes: those of modules that were renamed or removed. The compiler leaves them,
// and a package made of this tree would hold them.
//
//   node scripts/dist.mjs
//
// A file of dist is made of the source of its name: NAME.js and NAME.d.ts of web/NAME.ts, a bundle NAME.mjs and its licences
// of web/NAME.d.mts, dist/extension of extension/src. Bundles of several sources and WebAssembly have no source of their
// name: they stand in a folder that web/ has too, or in one of `written`.
import fs from "node:fs";
import path from "node:path";
import { main, root, say } from "./support.mjs";

/** Folders that a build writes as a whole, or that web/ does not have. */
const written = ["browser/core", "node/site/code", "node/site/file", "try"];
/** Files of several sources that are named as if they had one. */
const bundled = [
  "browser/convert/mandoc.mjs",
  "browser/packer/sheaf-packer.mjs",
  "browser/ui/sheaf-search.min.js",
  "node/site/sheaf-offline.min.js",
];

const suffixes = [
  [".d.ts", ".ts"],
  [".js", ".ts"],
  [".LICENSES.txt", ".d.mts"],
  [".mjs", ".d.mts"],
];

/** The files of dist, as paths below it, that no source of `tree` makes. */
export function unmade(tree = root) {
  const dist = path.join(tree, "dist");
  const isThere = (...names) => fs.existsSync(path.join(tree, ...names));
  const isMade = (name) => {
    const folder = path.posix.dirname(name);
    if (bundled.includes(name) || written.some((each) => `${name}/`.startsWith(`${each}/`))) return true;
    const ours = folder === "extension" || folder.startsWith("extension/");
    const source = ours ? name.replace(/^extension\//, "extension/src/") : `web/${name}`;
    const suffix = suffixes.find(([made]) => name.endsWith(made));
    if (suffix) return isThere(source.slice(0, -suffix[0].length) + suffix[1]);
    return folder === "." || isThere(path.posix.dirname(source));
  };
  if (!fs.existsSync(dist)) return [];
  return fs
    .readdirSync(dist, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) =>
      path
        .relative(dist, path.join(entry.parentPath ?? entry.path, entry.name))
        .split(path.sep)
        .join("/"),
    )
    .filter((name) => !isMade(name))
    .sort();
}

/** Removes them, with the folders that this empties, and returns their names. */
export function sweep(tree = root) {
  const names = unmade(tree);
  for (const name of names) {
    let place = path.join(tree, "dist", name);
    fs.rmSync(place);
    while (fs.readdirSync(path.dirname(place)).length === 0) fs.rmdirSync((place = path.dirname(place)));
  }
  return names;
}

main(import.meta.url, async () => {
  for (const name of sweep()) say(`  dist/${name}  removed: no source makes it`);
});
