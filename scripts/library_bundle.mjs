// Bundles libraries into dist, so that an installed Sheaf needs no node_modules.
//
//   node scripts/library_bundle.mjs      makes what `bundles` lists
//
// Each bundle is built from a declaration file in web/ that says which part of which package is used. Our
// own files import the bundle, and TypeScript reads the declarations. It is built once per version, because
// recompiling our own files does not change it. The licences of its packages are beside it; build/bundled
// lists the bundle's inputs, for other scripts to read.
import fs from "node:fs";
import path from "node:path";
import { Failure, main, newest, root, say } from "./support.mjs";
import { hasInputs, keepInputs, licenceFile } from "./third_party.mjs";

// Packages in CommonJS call `require` for what Node itself has.
const withRequire = 'import{createRequire}from"node:module";const require=createRequire(import.meta.url);';

/** Leaves out the shell grammar, and includes one copy of the YAML parser, not both its module formats. */
const leanLockFormats = {
  name: "lean-lock-formats",
  setup({ onResolve }) {
    const file = (...names) => ({ path: path.join(root, "node_modules", ...names) });
    onResolve({ filter: /^@yarnpkg\/parsers$/ }, () => file("@yarnpkg", "parsers", "lib", "syml.js"));
    onResolve({ filter: /^js-yaml$/ }, () => file("js-yaml", "dist", "js-yaml.mjs"));
  },
};

const leanYaml = {
  name: "lean-yaml",
  setup({ onResolve }) {
    onResolve({ filter: /^js-yaml$/ }, () => ({
      path: path.join(root, "node_modules", "js-yaml", "dist", "js-yaml.mjs"),
    }));
  },
};

/** Leaves out what reads files: browsers have none of it, and converters may not. */
const withoutNode = {
  name: "without-node",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path: name }) => ({ path: name, namespace: "none" }));
    onLoad({ filter: /.*/, namespace: "none" }, () => ({ contents: "module.exports = {};", loader: "js" }));
  },
};

/** A compressed stream of a PDF may grow to 256 MiB; PDF.js itself has no bound. */
const boundedStreams = {
  name: "bounded-streams",
  setup({ onLoad }) {
    onLoad({ filter: /pdfjs-dist[\\/]legacy[\\/]build[\\/]pdf\.worker\.mjs$/ }, ({ path: file }) => {
      const text = fs.readFileSync(file, "utf8");
      const grows = "    let size = this.minBufferLength;\n    while (size < requested) {";
      const streams = "async asyncGetBytesFromDecompressionStream(name) {";
      for (const part of [grows, streams])
        if (text.split(part).length !== 2) throw new Failure(`${file} has changed: look for ${part}`);
      const limit = '    if (requested > 268435456) throw new Error("a stream of more than 256 MiB");\n';
      const contents = text
        .replace(grows, limit + grows)
        // The browser's own decompression has no bound either.
        .replace(
          streams,
          `${streams}\n    if (name) { this.stream.reset(); return { decompressed: null, compressed: this.stream.getBytes() }; }`,
        );
      return { contents, loader: "js" };
    });
  },
};

const withoutStylesheets = {
  name: "without-stylesheets",
  setup({ onLoad }) {
    onLoad({ filter: /@asciidoctor[\\/]core[\\/]src[\\/]data[\\/]/ }, () => ({
      contents: 'export default "";',
      loader: "js",
    }));
  },
};

/** Each is built from web/NAME.d.mts into dist/NAME.mjs. */
export const bundles = {
  // The package's main file looks for its parts in a way that bundlers do not see.
  "node/mcp/clients/json_edits": { mainFields: ["module", "main"] },
  "browser/catalogue/blake2": {},
  // Its imports of Node's modules are for files and servers, which the safe mode forbids.
  "browser/convert/asciidoctor": { plugins: [withoutNode, withoutStylesheets] },
  "browser/convert/yaml": { plugins: [leanYaml] },
  "browser/convert/openapi_upgrader": {},
  // As in a browser everywhere, and without its classes for drawing: only its text is wanted.
  "browser/convert/pdf_reader": {
    platform: "browser",
    target: "es2022",
    define: { process: "undefined", navigator: "noNavigator" },
    banner: {
      js: 'const noNavigator={userAgent:"",platform:"",language:"en"};globalThis.DOMMatrix??=class{};globalThis.ImageData??=class{};globalThis.Path2D??=class{};',
    },
    plugins: [boundedStreams],
  },
  "node/mcp/contracts/zod3": {},
  "node/operate/jose": {},
  "node/operate/prom": { banner: { js: withRequire } },
  "node/sources/archive_formats": { banner: { js: withRequire } },
  "node/sources/lock_formats": { plugins: [leanLockFormats] },
  "node/sources/xml_format": { banner: { js: withRequire } },
};

const script = path.join(root, "scripts", "library_bundle.mjs");

/**
 * Makes dist/NAME.mjs and NAME.LICENSES.txt beside it, unless they are newer than their inputs.
 * `chosenIn`: the script that chose the options. Returns whether the bundle was made.
 */
export async function bundleLibrary(name, options, chosenIn = script) {
  const entry = path.join(root, "web", `${name}.d.mts`);
  const output = path.join(root, "dist", `${name}.mjs`);
  const inputs = [entry, path.join(root, "package-lock.json"), path.join(root, "licences"), script, chosenIn];
  if (fs.existsSync(output) && hasInputs(path.basename(name)) && newest(output) > newest(...inputs)) return false;
  const { build } = await import("esbuild");
  const { metafile } = await build({
    stdin: {
      contents: fs.readFileSync(entry, "utf8"),
      loader: "ts",
      resolveDir: root,
      sourcefile: `${path.basename(name)}.mts`,
    },
    absWorkingDir: root,
    outfile: output,
    bundle: true,
    minify: true,
    format: "esm",
    platform: "node",
    target: "node20",
    legalComments: "none", // whole licences lie beside the file
    metafile: true,
    logLevel: "silent",
    ...options,
  });
  fs.writeFileSync(
    output.replace(/\.mjs$/, ".LICENSES.txt"),
    licencesOf(path.basename(output), Object.keys(metafile.inputs)),
  );
  keepInputs(path.basename(name), metafile);
  return true;
}

/** Makes all of `bundles`. Returns the names of those that were made. */
export async function bundleLibraries() {
  const made = [];
  for (const [name, options] of Object.entries(bundles)) if (await bundleLibrary(name, options)) made.push(name);
  return made;
}

// ---- what is in a bundle -------------------------------------------------------------------------

/** The licences of the packages whose files went into a bundle. */
function licencesOf(file, inputs) {
  const names = new Set();
  for (const input of inputs) {
    const match = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
    if (match) names.add(match[1]);
  }
  const texts = [...names].sort().map((name) => {
    const { version, license } = JSON.parse(
      fs.readFileSync(path.join(root, "node_modules", name, "package.json"), "utf8"),
    );
    return `${name} ${version} (${license})\n\n${fs.readFileSync(licenceFile(name), "utf8").trim()}\n`;
  });
  return `${file} is made of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n\n`)}`;
}

main(import.meta.url, async () => {
  const made = await bundleLibraries();
  for (const name of made) say(`  dist/${name}.mjs  ${fs.statSync(path.join(root, "dist", `${name}.mjs`)).size} bytes`);
  if (made.length === 0) say("  The bundles of libraries are up to date");
});
