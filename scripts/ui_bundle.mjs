// What `<sheaf-search>` needs beside our own compiled files.
//
//   node scripts/ui_bundle.mjs      dist/browser/ui/lit.mjs           Lit in one file: dist/browser/ui/index.js loads without a bundler;
//                                                             lit.d.mts beside it has what our own types say about it
//                                   dist/browser/ui/sheaf-search.min.js   the whole component in one minified file; the client
//                                                             (../client/) is loaded with the first bundle
//
// Run this after the TypeScript compiler. It makes both only when something changed.
import fs from "node:fs";
import path from "node:path";
import { cssTemplates } from "./css_templates.mjs";
import { browsers, main, newest, root, say } from "./support.mjs";
import { hasInputs, keepInputs } from "./third_party.mjs";

const folder = path.join(root, "dist", "browser", "ui");
const entry = path.join(root, "web", "browser", "ui", "lit.d.mts");
const types = path.join(root, "web", "browser", "ui", "lit_types.d.mts");
const shared = {
  absWorkingDir: root,
  metafile: true,
  bundle: true,
  minify: true,
  format: "esm",
  platform: "browser",
  ...browsers,
  charset: "utf8",
  legalComments: "none",
  logLevel: "error",
};

// Servers import the module to render pages; there, the classes that Lit extends are empty stubs.
const onServers = "const{HTMLElement=class{},document={createTreeWalker(){},createComment(){}}}=globalThis;";

async function make(name, output, inputs, options) {
  const file = path.join(folder, output);
  if (fs.existsSync(file) && hasInputs(name) && newest(file) > newest(...inputs)) return false;
  const { build } = await import("esbuild");
  const { metafile } = await build({ ...shared, outfile: file, ...options });
  keepInputs(name, metafile);
  return true;
}

/** What the component loads once it is asked for. */
export const LATER = [
  "../client/open.js",
  "./scope/*",
  "./languages/*",
  "./views/preview.js",
  "./ask/*",
  "./page_tools.js",
  "./landed.js",
  "./drag.js",
];

/** Returns the names of the files that were made. */
export async function bundleUi() {
  const always = [
    path.join(root, "package-lock.json"),
    ...["ui_bundle.mjs", "css_templates.mjs"].map((name) => path.join(root, "scripts", name)),
  ];
  const made = [];
  const lit = {
    stdin: { contents: fs.readFileSync(entry, "utf8"), loader: "ts", resolveDir: root, sourcefile: "lit.mts" },
    banner: { js: onServers },
  };
  if (await make("lit", "lit.mjs", [entry, types, ...always], lit)) {
    made.push("lit.mjs");
    fs.copyFileSync(types, path.join(folder, "lit.d.mts"));
    fs.copyFileSync(path.join(root, "node_modules", "lit", "LICENSE"), path.join(folder, "lit.LICENSE.txt"));
  }
  const ours = fs
    .readdirSync(folder, { recursive: true })
    .filter((name) => /\.m?js$/.test(name) && !name.endsWith(".min.js"))
    .map((name) => path.join(folder, name));
  // All that it takes of the client.
  for (const name of ["written.js", "marked_words.js", "spelled_letters.js"])
    ours.push(path.join(root, "dist/browser/client", name));
  if (
    await make("ui", "sheaf-search.min.js", [...ours, ...always], {
      entryPoints: [path.join(folder, "index.js")],
      external: LATER,
      plugins: [cssTemplates],
    })
  )
    made.push("sheaf-search.min.js");
  return made;
}

main(import.meta.url, async () => {
  const made = await bundleUi();
  for (const name of made) say(`  dist/browser/ui/${name}  ${fs.statSync(path.join(folder, name)).size} bytes`);
  if (made.length === 0) say("  dist/browser/ui is up to date");
});
