// Which third-party code is in which build output: one table, read by notices.mjs and sbom.mjs.
//
// An artifact is a file that somebody may distribute. Its contents are known from its inputs: for bundles, esbuild's
// input lists (keepInputs below); for the rest, what compiler and linker use, which the tables here list.
// tests/third_party.test.mjs compares these tables with CMake's files, so it fails on a linked library without a row.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { sources } from "./fetch_sources.mjs";
import { Failure, ask, root } from "./support.mjs";

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
  "archive_formats",
  "lock_formats",
  "xml_format",
  "lit",
  "ui",
  "site-code",
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
    .map((output) => ({ file: output, names: packagesOf(output) }));
}

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

// ---- C and C++ ---------------------------------------------------------------------------------------------

/** A source package that fetch_sources.mjs pins; its checksums are those of the files it is unpacked from. */
function sourceComponent(name, { title, licence, url, file, text }) {
  const source = sources.find((each) => each.name === name);
  const folder = process.env[source.variable] ?? path.join(root, "build", "third_party", name);
  return {
    id: name,
    name: title,
    version: source.version,
    licence,
    url,
    purl: `pkg:deb/debian/${source.package}@${encodeURIComponent(source.version)}?arch=source`,
    archives: Object.entries(source.files).map(([archive, sha256]) => ({ name: archive, sha256 })),
    text: text ?? (() => read(path.join(folder, file))),
  };
}

/** The paragraphs of a Debian copyright file (DEP 5), as maps from lower-case field name to value. */
export function copyrightParagraphs(text) {
  return text.split(/\n[ \t]*\n/).map((paragraph) => {
    const fields = {};
    let field;
    for (const line of paragraph.split("\n")) {
      const start = /^([A-Za-z-]+):[ \t]*(.*)$/.exec(line);
      if (start) {
        field = start[1].toLowerCase();
        fields[field] = start[2];
      } else if (field !== undefined) {
        fields[field] += `\n${line.replace(/^ \.$/, "").replace(/^ /, "")}`;
      }
    }
    return fields;
  });
}

/**
 * Copyright and licence of the paragraph for exactly these files. A licence text given elsewhere in
 * the file is included.
 */
function copyrightOf(text, files) {
  const paragraphs = copyrightParagraphs(text);
  const own = paragraphs.find((fields) => fields.files?.trim() === files);
  if (own === undefined) throw new Failure(`Emscripten's copyright file has no paragraph for ${files}.`);
  const [name, ...words] = own.license.split("\n");
  const elsewhere = (licence) =>
    paragraphs.find((fields) => fields.files === undefined && fields.license?.startsWith(`${licence}\n`))?.license;
  // Where there is a choice of licences, take the first.
  const body = words.length > 0 ? words.join("\n") : (elsewhere(name.split(" or ")[0]) ?? name);
  return `Copyright\n${own.copyright.replace(/^\n/, "")}\n\n${words.length > 0 ? `${name}\n` : ""}${body}`.trim();
}

/** The Emscripten that built the modules: its folder, its version, and Debian's copyright file where it is Debian's. */
function emscripten() {
  const cache = read(path.join(root, "build", "wasm", "CMakeCache.txt"));
  const folder = /^SHEAF_EMSCRIPTEN:INTERNAL=(.+)$/m.exec(cache)?.[1];
  if (folder === undefined)
    throw new Failure(
      "build/wasm does not tell which Emscripten it is built with; configure it again: cmake --preset wasm",
    );
  return {
    folder,
    version: read(path.join(folder, "emscripten-version.txt")).replace(/"/g, ""),
    copyright: path.join(folder, "..", "doc", "emscripten", "copyright"),
  };
}

/**
 * A part of Emscripten's system libraries, with its own licence file if it has one; Debian's package
 * has one file for all parts.
 */
function emscriptenComponent(id, { name, licence, url, file, files }) {
  const { folder, version, copyright } = emscripten();
  return {
    id,
    name,
    version: id === "emscripten" ? version : `emscripten-${version}`,
    licence,
    url,
    ...(id === "emscripten" ? { purl: `pkg:github/emscripten-core/emscripten@${version}` } : {}),
    text: () =>
      fs.existsSync(path.join(folder, file)) ? read(path.join(folder, file)) : copyrightOf(read(copyright), files),
  };
}

/** A system library that sheaf-pack links or includes. */
function systemComponent(id, { name, licence, url, package: debian }) {
  const version = ask("dpkg-query", ["-W", "-f=${Version}", debian])?.trim();
  const file = `/usr/share/doc/${debian}/copyright`;
  return {
    id,
    name,
    version: version ?? "of this machine",
    licence,
    url,
    ...(version === undefined ? {} : { purl: `pkg:deb/debian/${debian}@${encodeURIComponent(version)}` }),
    text: () =>
      fs.existsSync(file) ? read(file) : `Its licence was not found on the machine that this was built on: ${url}`,
  };
}

const unicode = () => ({
  id: "unicode",
  name: "Unicode Character Database",
  version: /from Unicode (\S+);/.exec(read(path.join(root, "src", "text", "unicode_tables.inc")))[1],
  licence: "Unicode-3.0",
  url: "https://www.unicode.org/ucd/",
  text: () => read(path.join(root, "licences", "Unicode-3.0.txt")),
});
const zstd = () =>
  sourceComponent("zstd", {
    title: "Zstandard",
    licence: "BSD-3-Clause",
    url: "https://github.com/facebook/zstd",
    file: "LICENSE",
  });
const snowball = () =>
  sourceComponent("snowball", {
    title: "Snowball",
    licence: "BSD-3-Clause",
    url: "https://snowballstem.org/",
    file: "COPYING",
  });
const gumbo = () =>
  sourceComponent("gumbo", {
    title: "gumbo",
    licence: "Apache-2.0",
    url: "https://codeberg.org/gumbo-parser/gumbo-parser",
    text: () => `Copyright 2010 Google Inc.\n\n${read(path.join(root, "LICENSE"))}`, // its archive names the licence in each file
  });
const musl = () =>
  emscriptenComponent("musl", {
    name: "musl",
    licence: "MIT",
    url: "https://musl.libc.org/",
    file: "system/lib/libc/musl/COPYRIGHT",
    files: "system/lib/libc/musl/*",
  });
const llvm = () =>
  emscriptenComponent("llvm", {
    name: "libc++, libc++abi and compiler-rt",
    licence: "Apache-2.0 WITH LLVM-exception",
    url: "https://llvm.org/",
    file: "system/lib/libcxx/LICENSE.TXT",
    files: "system/lib/libcxx/*",
  });
const runtime = () =>
  emscriptenComponent("emscripten", {
    name: "Emscripten",
    licence: "MIT",
    url: "https://emscripten.org/",
    file: "LICENSE",
    files: "*",
  });

/** What else sheaf-pack links or includes: CMake's name for it, and where it comes from. */
export const nativeLibraries = {
  "cmark-gfm": {
    name: "cmark-gfm",
    licence: "BSD-2-Clause",
    url: "https://github.com/github/cmark-gfm",
    package: "libcmark-gfm-dev",
  },
  "yaml-cpp": {
    name: "yaml-cpp",
    licence: "MIT",
    url: "https://github.com/jbeder/yaml-cpp",
    package: "libyaml-cpp-dev",
  },
  icu: { name: "ICU", licence: "Unicode-3.0", url: "https://icu.unicode.org/", package: "libicu-dev" },
  hnswlib: {
    name: "hnswlib",
    licence: "Apache-2.0",
    url: "https://github.com/nmslib/hnswlib",
    package: "libhnswlib-dev",
  },
  nlohmann: {
    name: "JSON for Modern C++",
    licence: "MIT",
    url: "https://github.com/nlohmann/json",
    package: "nlohmann-json3-dev",
  },
  CLI: { name: "CLI11", licence: "BSD-3-Clause", url: "https://github.com/CLIUtils/CLI11", package: "libcli11-dev" },
};

// ---- artifacts -----------------------------------------------------------------------------------------------

/**
 * The files below dist/ that contain third-party code, each with its components:
 * { artifacts: [{ file, components: [id] }], components }. Files with only our own code are listed too, without
 * components. Reads the build's outputs, so it runs last in a build.
 */
export function packaged() {
  const wasm = [zstd(), snowball(), unicode(), musl(), llvm(), runtime()];
  const inWasm = wasm.map(({ id }) => id);
  // The tokenizer neither stems nor decompresses.
  const inWordpiece = inWasm.filter((id) => id !== "zstd" && id !== "snowball");
  const artifacts = [
    { file: "dist/core/sheaf-core.wasm", components: inWasm },
    { file: "dist/core/sheaf-wordpiece.wasm", components: inWordpiece },
    { file: "dist/site/code/core/sheaf-core.wasm", components: inWasm },
    ...bundles().map(({ file, names }) => ({ file, components: names.map((name) => `npm:${name}`) })),
  ].sort((a, b) => (a.file < b.file ? -1 : 1));
  const fromNpm = [...new Set(artifacts.flatMap(({ components }) => components))]
    .filter((id) => id.startsWith("npm:"))
    .sort();
  return { artifacts, components: [...wasm, ...fromNpm.map((id) => npmComponent(id.slice(4)))] };
}

/** The same for the packer, which is built on each machine and is in no package. */
export function native() {
  const components = [
    zstd(),
    snowball(),
    gumbo(),
    unicode(),
    ...Object.entries(nativeLibraries).map(([id, about]) => systemComponent(id, about)),
  ];
  return { artifacts: [{ file: "build/native/sheaf-pack", components: components.map(({ id }) => id) }], components };
}

/** The SHA-256 of a file below the root, in hexadecimal. */
export const sha256 = (file) =>
  createHash("sha256")
    .update(fs.readFileSync(path.join(root, file)))
    .digest("hex");
