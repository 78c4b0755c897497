// Which third-party code is in which build output: one table, read by notices.mjs and sbom.mjs.
//
// An artifact is a file that somebody may distribute. Its contents are known from its inputs: for bundles, esbuild's
// input lists (keepInputs below); for the rest, what compiler and linker use, which the tables here and in
// third_party_sources.mjs list.
// tests/third_party.test.mjs compares these tables with CMake's files, so it fails on a linked library without a row.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { Failure, root } from "./support.mjs";
import * as source from "./third_party_sources.mjs";

const read = (file) => fs.readFileSync(file, "utf8").replace(/\r\n/g, "\n").trim();
const readJson = (...names) => JSON.parse(fs.readFileSync(path.join(root, ...names), "utf8"));

// ---- the packages in bundles ---------------------------------------------------------------------------

const inputsFile = (name) => path.join(root, "build", "bundled", `${name}.json`);

/**
 * Records from esbuild's metafile, for each output, the inputs whose code it contains, by their paths
 * below the root.
 */
export function keepInputs(name, { outputs }) {
  const held = Object.entries(outputs).map(([output, { inputs }]) => [
    output,
    Object.keys(inputs)
      .filter((input) => inputs[input].bytesInOutput > 0)
      .sort(),
  ]);
  fs.mkdirSync(path.dirname(inputsFile(name)), { recursive: true });
  fs.writeFileSync(inputsFile(name), `${JSON.stringify(Object.fromEntries(held.sort()), undefined, 1)}\n`);
}

/** Whether the inputs of a bundle are recorded; a bundle without that record is made again. */
export const hasInputs = (name) => fs.existsSync(inputsFile(name));

const BUNDLES = [
  "sdk",
  "json_edits",
  "blake2",
  "asciidoctor",
  "yaml",
  "openapi_upgrader",
  "pdf_reader",
  "zod3",
  "jose",
  "prom",
  "archive_formats",
  "lock_formats",
  "xml_format",
  "lit",
  "ui",
  "site-code",
  "site-code-client",
  "site-page",
  "site-worker",
  "site-offline",
];

/** The files that the bundling scripts made, below dist/, each with the names of the packages in it. */
function bundles() {
  const kept = Object.assign({}, ...BUNDLES.map((name) => JSON.parse(fs.readFileSync(inputsFile(name), "utf8"))));
  const packagesOf = (output) => {
    const names = new Set();
    for (const input of kept[output]) {
      const match = /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input);
      if (match) names.add(match[1]);
      else if (kept[input] !== undefined) for (const name of packagesOf(input)) names.add(name); // a bundle in a bundle
    }
    return [...names].sort();
  };
  return Object.keys(kept)
    .sort()
    .map((output) => ({ file: output, names: packagesOf(output), inputs: kept[output] }));
}

/** A module within a script (wasm/CMakeLists.txt). */
const FEDERATION = "dist/browser/core/sheaf-federation.mjs";

const LICENCE_FILE = /^licen[cs]e(\.(md|txt))?$/i;

/** The licence text that an npm package includes, or else the copy in licences/. */
export function licenceFile(name) {
  const folder = path.join(root, "node_modules", name);
  const own = fs.readdirSync(folder).find((entry) => LICENCE_FILE.test(entry));
  const file =
    own === undefined
      ? path.join(root, "licences", `${name.replace(/^@/, "").replace("/", "-")}.txt`)
      : path.join(folder, own);
  if (!fs.existsSync(file)) throw new Failure(`${name} comes without its licence; what holds it may not be passed on.`);
  return file;
}

/** An npm package as a component, with its checksum from the lock file. */
function npmComponent(name) {
  const folder = path.join(root, "node_modules", name);
  const { version, license, homepage, repository } = JSON.parse(
    fs.readFileSync(path.join(folder, "package.json"), "utf8"),
  );
  const file = licenceFile(name);
  const { integrity } = readJson("package-lock.json").packages[`node_modules/${name}`];
  const [algorithm, digest] = integrity.split(/-(.*)/s);
  return {
    id: `npm:${name}`,
    name,
    version,
    licence: license,
    url: homepage ?? repository?.url ?? repository,
    purl: `pkg:npm/${name.replace(/^@/, "%40")}@${version}`,
    hashes: [
      {
        algorithm: algorithm.toUpperCase().replace("SHA", "SHA-"),
        value: Buffer.from(digest, "base64").toString("hex"),
      },
    ],
    text: () => read(file),
  };
}

// ---- artifacts -----------------------------------------------------------------------------------------------

/**
 * The files below dist/ that contain third-party code, each with its components:
 * { artifacts: [{ file, components: [id] }], components }. Files with only our own code are listed too, without
 * components. Reads the build's outputs, so it runs last in a build.
 */
export function packaged() {
  const { zstd, snowball, unicode, musl, llvm, runtime } = source;
  const wasm = [zstd, snowball, unicode, musl, llvm, runtime].map((component) => component());
  const inWasm = wasm.map(({ id }) => id);
  // The tokenizer neither stems nor decompresses.
  const inWordpiece = inWasm.filter((id) => id !== "zstd" && id !== "snowball");
  const inText = inWasm.filter((id) => id !== "zstd");
  const inFederation = [musl, llvm, runtime].map((component) => component().id); // it reads no text
  const inLanguage = inWasm.filter((id) => id !== "zstd");
  const packer = packerModule();
  const artifacts = [
    { file: "dist/browser/core/sheaf-core.wasm", components: inWasm },
    { file: "dist/browser/core/sheaf-wordpiece.wasm", components: inWordpiece },
    { file: "dist/browser/core/sheaf-text.wasm", components: inText },
    { file: FEDERATION, components: inFederation },
    { file: "dist/node/databases/sheaf-rows.wasm", components: inWasm },
    ...languageModules().map((name) => ({ file: `dist/browser/core/${name}`, components: inLanguage })),
    ...packer.artifacts(inWasm),
    ...bundles().map(({ file, names, inputs }) => ({
      file,
      components: [...names.map((name) => `npm:${name}`), ...(inputs.includes(FEDERATION) ? inFederation : [])],
    })),
  ].sort((a, b) => (a.file < b.file ? -1 : 1));
  const fromNpm = [...new Set(artifacts.flatMap(({ components }) => components))]
    .filter((id) => id.startsWith("npm:"))
    .sort();
  return { artifacts, components: [...wasm, ...packer.components, ...fromNpm.map((id) => npmComponent(id.slice(4)))] };
}

/** The same for the browser extension; scripts/extension.mjs has just recorded its bundles. */
export function packagedExtension() {
  const { artifacts, components } = packaged();
  const kept = readJson("build", "bundled", "extension.json");
  const inWasm = artifacts.find(({ file }) => file === "dist/browser/core/sheaf-core.wasm").components;
  const inWordpiece = artifacts.find(({ file }) => file === "dist/browser/core/sheaf-wordpiece.wasm").components;
  const inText = artifacts.find(({ file }) => file === "dist/browser/core/sheaf-text.wasm").components;
  const packagesOf = (inputs) => {
    const names = inputs.flatMap((input) => /(?:^|\/)node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(input)?.[1] ?? []);
    const inside = inputs.flatMap((input) => artifacts.find(({ file }) => file === input)?.components ?? []);
    return [...new Set([...names.map((name) => `npm:${name}`), ...inside])].sort();
  };
  const own = [
    { file: "browser/core/sheaf-core.wasm", components: inWasm },
    { file: "browser/core/sheaf-wordpiece.wasm", components: inWordpiece },
    { file: "browser/core/sheaf-text.wasm", components: inText },
    ...languageModules().map((name) => ({
      file: `browser/core/${name}`,
      components: artifacts.find(({ file }) => file === `dist/browser/core/${name}`).components,
    })),
    { file: "runtime/", components: ["npm:onnxruntime-web"] },
    ...Object.entries(kept).map(([file, inputs]) => ({ file, components: packagesOf(inputs) })),
  ].sort((a, b) => (a.file < b.file ? -1 : 1));
  const known = new Set(components.map(({ id }) => id));
  const more = [...new Set(own.flatMap((artifact) => artifact.components))].filter((id) => !known.has(id)).sort();
  return { artifacts: own, components: [...components, ...more.map((id) => npmComponent(id.slice(4)))] };
}

/** The rules of languages but English: names of files in dist/browser/core. */
export function languageModules() {
  return fs
    .readdirSync(path.join(root, "dist", "browser", "core"))
    .filter((name) => /^language-..\.wasm$/.test(name))
    .sort();
}

/**
 * The packer as a module, where it is built: the components that it has and the core has not, and its files, given the
 * ids of the core's components.
 */
function packerModule() {
  if (!fs.existsSync(path.join(root, "dist", "browser", "packer", "sheaf-packer.wasm")))
    return { components: [], artifacts: () => [] };
  const components = [source.gumbo(), ...source.bundledLibraries("cmark", "yaml", "icu", "hnswlib", "json")];
  const mandoc = source.mandoc();
  const artifacts = (inWasm) => [
    { file: "dist/browser/packer/sheaf-packer.wasm", components: [...inWasm, ...components.map(({ id }) => id)] },
    { file: "dist/browser/packer/sheaf-packer.mjs", components: ["emscripten"] }, // its glue
    // C alone, with its glue in the same file.
    {
      file: "dist/browser/convert/mandoc.mjs",
      components: [...inWasm.filter((id) => !["zstd", "snowball", "unicode"].includes(id)), "mandoc"],
    },
  ];
  return { components: [...components, mandoc], artifacts };
}

/** The same for the packer, which is built on each machine and is in no package. */
export function native() {
  const components = [
    source.zstd(),
    source.snowball(),
    source.gumbo(),
    source.unicode(),
    ...Object.entries(source.nativeLibraries).map(([id, about]) => source.systemComponent(id, about)),
  ];
  return { artifacts: [{ file: "build/native/sheaf-pack", components: components.map(({ id }) => id) }], components };
}

/** The same for a static packer that Zig built: `file` below the root; `zig` as for zigLibraries. */
export function staticPacker(file, zig) {
  const components = [
    source.zstd(),
    source.snowball(),
    source.gumbo(),
    source.unicode(),
    ...source.bundledLibraries(),
    ...source.zigLibraries(zig),
  ];
  return { artifacts: [{ file, components: components.map(({ id }) => id) }], components };
}

/** The SHA-256 of a file below the root, in hexadecimal. */
export const sha256 = (file) =>
  createHash("sha256")
    .update(fs.readFileSync(path.join(root, file)))
    .digest("hex");
