// The C and C++ of others that is compiled into modules and programs: each library as a component, with where it comes
// from and its licence text. third_party.mjs says which is in which file.
import fs from "node:fs";
import path from "node:path";
import { sources } from "./fetch_sources.mjs";
import { Failure, ask, root } from "./support.mjs";

const read = (file) => fs.readFileSync(file, "utf8").replace(/\r\n/g, "\n").trim();

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
export function systemComponent(id, { name, licence, url, package: debian }) {
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

export const unicode = () => ({
  id: "unicode",
  name: "Unicode Character Database",
  version: /from Unicode (\S+);/.exec(read(path.join(root, "src", "text", "unicode_tables.inc")))[1],
  licence: "Unicode-3.0",
  url: "https://www.unicode.org/ucd/",
  text: () => read(path.join(root, "licences", "Unicode-3.0.txt")),
});
export const zstd = () =>
  sourceComponent("zstd", {
    title: "Zstandard",
    licence: "BSD-3-Clause",
    url: "https://github.com/facebook/zstd",
    file: "LICENSE",
  });
export const snowball = () =>
  sourceComponent("snowball", {
    title: "Snowball",
    licence: "BSD-3-Clause",
    url: "https://snowballstem.org/",
    file: "COPYING",
  });
export const gumbo = () =>
  sourceComponent("gumbo", {
    title: "gumbo",
    licence: "Apache-2.0",
    url: "https://codeberg.org/gumbo-parser/gumbo-parser",
    text: () => `Copyright 2010 Google Inc.\n\n${read(path.join(root, "LICENSE"))}`, // its archive names the licence in each file
  });
export const mandoc = () =>
  sourceComponent("mandoc", { title: "mandoc", licence: "ISC", url: "https://mandoc.bsd.lv/", file: "LICENSE" });
export const musl = () =>
  emscriptenComponent("musl", {
    name: "musl",
    licence: "MIT",
    url: "https://musl.libc.org/",
    file: "system/lib/libc/musl/COPYRIGHT",
    files: "system/lib/libc/musl/*",
  });
export const llvm = () =>
  emscriptenComponent("llvm", {
    name: "libc++, libc++abi and compiler-rt",
    licence: "Apache-2.0 WITH LLVM-exception",
    url: "https://llvm.org/",
    file: "system/lib/libcxx/LICENSE.TXT",
    files: "system/lib/libcxx/*",
  });
export const runtime = () =>
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
  icu: { name: "ICU", licence: "Unicode-DFS-2016", url: "https://icu.unicode.org/", package: "libicu-dev" },
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

/**
 * The same libraries where they are compiled here, from the sources that fetch_sources.mjs pins: for WebAssembly, and for
 * programs that run on other machines. `file`: the licence in the source tree.
 */
const bundled = {
  cmark: { of: "cmark-gfm", file: "COPYING" },
  yaml: { of: "yaml-cpp", file: "LICENSE" },
  icu: { of: "icu", file: "LICENSE" },
  hnswlib: { of: "hnswlib", file: "share/doc/libhnswlib-dev/copyright" },
  json: { of: "nlohmann", file: "share/doc/nlohmann-json3-dev/copyright" },
  cli11: { of: "CLI", file: "share/doc/libcli11-dev/copyright" },
};

/** Those libraries as components, by the names of their sources; all of them without names. */
export function bundledLibraries(...names) {
  return (names.length > 0 ? names : Object.keys(bundled)).map((name) => {
    const { of, file } = bundled[name];
    const { name: title, url, licence } = nativeLibraries[of];
    return sourceComponent(name, { title, licence, url, file });
  });
}

/**
 * What Zig's compiler links into a static program: parts of the libraries that it carries. `zig`: { folder, version },
 * the folder that holds its `lib`.
 */
export function zigLibraries({ folder, version }) {
  const part = (id, name, licence, url, file) => ({
    id,
    name,
    version: `zig-${version}`,
    licence,
    url,
    text: () => read(path.join(folder, "lib", file)),
  });
  const llvm = "Apache-2.0 WITH LLVM-exception";
  return [
    part("musl", "musl", "MIT", "https://musl.libc.org/", "libc/musl/COPYRIGHT"),
    part("llvm", "libc++, libc++abi and compiler-rt", llvm, "https://llvm.org/", "libcxx/LICENSE.TXT"),
    part("libunwind", "libunwind", llvm, "https://llvm.org/", "libunwind/LICENSE.TXT"),
  ];
}
