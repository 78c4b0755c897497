// Who may include whom, read from the #include and import lines of the tree.
//
//   base  <-  text  bundle  lexical  vector  (siblings do not know each other)
//             encode: text, bundle, vector
//             search: all of these
//   *_builder    may write what its room reads; the WASM core may not include one
//   packer       the core, its builders, parsers; within it, floors from packer/base up (packerRooms below)
//   wasm         the engine, results; nothing below. wasm/packer is a room of its own: packer/job, cli, and what they use
//   web/browser  what runs in a reader's browser. It knows nothing of web/node, and no `node:`
//     client     the built modules, the one way to the core
//     encoder, packer, catalogue   client: transformers, the packer as a module, the form of a catalogue and what may be believed
//     convert    nothing: readers of formats that the packer does not read; packer loads them
//     ui         the component: client alone, and no circle among its own files: the element (sheaf-search.ts) knows
//                controllers, views and scope, these know host.ts, and that the plain data of state and words
//     playground client, packer, and convert for its YAML: the page that tries an owner's rules
//     page       client, ui: what runs in pages that `sheaf site` gave search
//     offline    client: the service worker of such pages
//   web/node     what runs in Node, over what of web/browser each names
//     client, encoder, packer   the same in Node: files instead of requests, threads instead of workers, the native packer
//     convert            packages of grammars on this machine, for converters of source
//     published          what other sites publish for their search, by range: over the guarded requests
//     base, net, store   files, terminal and exit codes; guarded requests; bundles, configuration and versions on a machine
//     sources, ingest    where documentation comes from; from there into the store
//     catalogue, publish the user's catalogues and keys; builds of catalogues, here or on a cluster
//     operate            who may ask a server, its counts, traces, log and end; over client, base and net
//     mcp/clients        files of other programs that start the MCP server; the server does not know them
//     databases, doctor, eval, models, mcp, serve, site, pipe, adapters   see docs/architecture.md
//   web/node/mcp/contracts   web/node/mcp and below, and not one another; of web/node/mcp, sets.ts alone knows them
//   web/node/adapters start the `sheaf` command, and read the themes' table; packages of generators are the site's own
//   web/cli      flags and printing, over all of these
//
// A new folder or an unknown library fails the test: give it a line here, and a reason in
// docs/architecture.md.
import assert from "node:assert/strict";
import fs from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");

// ---- reading the tree ---------------------------------------------------------------------------

function files(folder, pattern) {
  const full = path.join(root, folder);
  if (!fs.existsSync(full)) return [];
  return fs
    .readdirSync(full, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && pattern.test(entry.name))
    .map((entry) =>
      path
        .relative(root, path.join(entry.parentPath ?? entry.path, entry.name))
        .split(path.sep)
        .join("/"),
    )
    .filter((file) => !file.includes("/node_modules/")) // tests/quality/peers installs other search engines there
    .sort();
}

const withoutComments = (text) => text.replace(/\/\*[\s\S]*?\*\//g, "").replace(/^\s*\/\/.*$/gm, "");

/** `#include` lines as { quoted, name }. */
export function includes(text) {
  return [...withoutComments(text).matchAll(/^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)/gm)].map((match) =>
    match[1] === undefined ? { quoted: false, name: match[2] } : { quoted: true, name: match[1] },
  );
}

/** What a TypeScript or JavaScript file imports; `type`: types alone, `later`: when it is needed. */
export function imports(text) {
  const code = withoutComments(text);
  const found = [];
  for (const match of code.matchAll(/\b(?:import|export)\s+(type\s)?[^'";]*?\bfrom\s*['"]([^'"]+)['"]/g)) {
    found.push({ name: match[2], type: match[1] !== undefined });
  }
  for (const match of code.matchAll(/\bimport\s*['"]([^'"]+)['"]/g)) found.push({ name: match[1], type: false });
  for (const match of code.matchAll(/\bimport\s*\(\s*['"]([^'"]+)['"]/g)) found.push({ name: match[1], type: false, later: true });
  return found;
}

/** A way around in `edges` (name → names), from a name back to it; null where there is none. */
export function cycleIn(edges) {
  const done = new Set();
  const visit = (name, way) => {
    if (way.includes(name)) return [...way.slice(way.indexOf(name)), name];
    if (done.has(name)) return null;
    done.add(name);
    for (const next of edges.get(name) ?? []) {
      const cycle = visit(next, [...way, name]);
      if (cycle !== null) return cycle;
    }
    return null;
  };
  for (const name of edges.keys()) {
    const cycle = visit(name, []);
    if (cycle !== null) return cycle;
  }
  return null;
}

const read = (file) => fs.readFileSync(path.join(root, file), "utf8");
const isBuilder = (name) => /_builder\.(cc|h)$/.test(name);

// ---- the table ----------------------------------------------------------------------------------

const rooms = {
  base: [],
  text: ["base"],
  bundle: ["base"],
  lexical: ["base"],
  vector: ["base"],
  encode: ["base", "text", "bundle", "vector"],
  search: ["base", "text", "bundle", "lexical", "vector", "encode"],
};

// Floors of packer/: folders and what of packer/ each may include. "parse" is the chooser parse_file.cc and what all
// parsers are declared in.
const packerRooms = {
  base: [],
  document: ["base"],
  source: ["base"],
  output: ["base"],
  host: ["base"],
  embed: ["base"],
  "parse/shared": ["base", "document"],
  "parse/markdown": ["base", "document", "parse/shared", "include", "parse"],
  "parse/html": ["base", "document", "parse/shared", "include", "parse"],
  "parse/rst": ["base", "document", "parse/shared", "include", "parse"],
  "parse/notebook": ["base", "document", "parse/shared", "parse/markdown", "include", "parse"],
  "parse/text": ["base", "document", "parse/shared", "parse/markdown", "include", "parse"],
  include: ["base", "parse/shared"],
  template: ["base", "parse/shared", "include"],
  parse: ["base", "document", "include", "template", "parse/html", "parse/shared"],
  chunk: ["base", "document"],
  contents: ["base", "source", "parse/markdown"],
  survey: ["base", "document", "source"],
  rules: ["base", "document", "source"],
  pipeline: ["base", "document", "source", "include", "parse", "chunk", "embed", "survey", "rules"],
  job: ["base", "source", "contents", "output", "host", "embed", "pipeline", "rules"],
  cli: ["base", "source", "output", "host", "embed", "job"],
};
// Of parse/ itself, its folders know the declarations alone.
const PARSERS_DECLARED = "packer/parse/parse.h";

// Third-party C and C++ by the room that may use it; the standard library is free to all but for
// what follows.
const thirdParty = [
  { pattern: /^(zstd|zdict|zstd_errors)\.h$/, rooms: ["bundle", "search builder", "bundle builder", "packer"] },
  { pattern: /^common\/xxhash\.h$/, rooms: ["base"] },
  { pattern: /^(api|stem_UTF_8_english)\.h$/, rooms: ["text"] },
  { pattern: /^hnswlib\//, rooms: ["vector builder"] },
  { pattern: /^nlohmann\//, rooms: ["packer", "search builder", "bundle builder", "encode builder"] },
  { pattern: /^CLI\//, rooms: ["packer"], folders: ["cli"] },
  { pattern: /^cmark-gfm/, rooms: ["packer"], folders: ["parse/markdown"] },
  { pattern: /^(gumbo\.h|(parser|tokenizer)\.[ch])$/, rooms: ["packer"], folders: ["parse/html"] },
  { pattern: /^yaml-cpp\//, rooms: ["packer"], folders: ["parse/shared", "contents", "template", "rules"] },
  { pattern: /^unicode\//, rooms: ["packer"], folders: ["base", "parse/shared", "parse/rst"] },
  { pattern: /^emscripten\//, rooms: ["wasm"] },
  { pattern: /^wasm_simd128\.h$|^(arm_neon|[a-z]*mmintrin)\.h$/, rooms: ["vector", "base"] },
];

// The core is a pure function of bytes: no files, clock, threads, streams.
const impure =
  /^(fstream|iostream|ostream|istream|sstream|filesystem|thread|mutex|shared_mutex|condition_variable|atomic|future|chrono|ctime|time\.h|unistd\.h|sys\/.*|random|locale|regex|stdio\.h|cstdio)$/;

/** The room of a C++ file, with " builder" added for the files that only the packer links. */
function roomOf(file) {
  const [top, inner] = file.split("/");
  if (top !== "src") return top;
  return isBuilder(file) ? `${inner} builder` : inner;
}

/** The floor of a file of packer/: "parse/html". */
const packerRoomOf = (file) => path.posix.dirname(file).replace(/^packer\/?/, "");

/** Why a file of packer/ may not include that one, or null. */
function packerComplaint(file, name) {
  const [own, target] = [packerRoomOf(file), packerRoomOf(name)];
  if (!(own in packerRooms)) return `packer/${own} has no line in tests/layering.test.mjs`;
  if (target === own) return null;
  if (target === "parse" && own.startsWith("parse/") && name !== PARSERS_DECLARED)
    return `folders of packer/parse may include ${PARSERS_DECLARED} of it`;
  return packerRooms[own].includes(target) ? null : `packer/${own} may include ${packerRooms[own].join(", ")}`;
}

/** Why `file` may not include this, or null. */
export function complaint(file, { name, quoted }) {
  const room = roomOf(file);
  const inCore = file.startsWith("src/");
  const known = thirdParty.find(({ pattern }) => pattern.test(name));
  if (known) {
    const isHome =
      known.rooms.includes(room) && (room !== "packer" || known.folders === undefined || known.folders.includes(packerRoomOf(file)));
    return isHome ? null : `${name} belongs to ${(known.folders?.map((folder) => `packer/${folder}`) ?? known.rooms).join(", ")}`;
  }
  if (!quoted) {
    if (inCore && !isBuilder(file) && impure.test(name)) return `<${name}> has no place in the core, which does no I/O and keeps no time`;
    return name.includes("/") && inCore ? `<${name}> is not a library this tree knows` : null;
  }
  const target = name.split("/")[0];
  if (inCore) {
    const own = room.replace(" builder", "");
    if (!(target in rooms)) return `"${name}" is outside src/`;
    if (isBuilder(name) && !isBuilder(file)) return `"${name}" is a builder: it would ship to browsers`;
    // A builder of `search` assembles the others' sections, so it may use their builders; any
    // other builder keeps to its room.
    return target === own || rooms[own].includes(target) ? null : `${own} may include ${rooms[own].concat(own).join(", ")}`;
  }
  if (room === "packer") {
    if (target === "packer") return packerComplaint(file, name);
    return target in rooms ? null : `"${name}" is neither packer/ nor the core`;
  }
  if (file.startsWith("wasm/packer/")) {
    if (!name.includes("/")) return null; // its own headers
    const floor = name.split("/").slice(0, 2).join("/");
    return target === "base" || ["packer/base", "packer/cli", "packer/embed", "packer/job"].includes(floor)
      ? null
      : "wasm/packer translates packer/job and packer/cli";
  }
  if (room === "wasm") {
    if (!name.includes("/")) return null; // its own headers
    if (file === "wasm/wordpiece.cc" && name === "encode/wordpiece.h") return null; // a module of its own
    if (file === "wasm/text.cc" && ["text", "lexical"].includes(target) && !isBuilder(name)) return null; // likewise, pure functions
    if (/^wasm\/language(_host)?\.cc$/.test(file) && /^text\/language(_table)?\.h$/.test(name)) return null; // likewise, and the door to it
    return (["search", "base"].includes(target) && !isBuilder(name)) || target === "wasm"
      ? null
      : "wasm translates search/ and base/, and knows nothing below";
  }
  return `${room}/ has no line in tests/layering.test.mjs`;
}

// ---- the tests ----------------------------------------------------------------------------------

const cxx = ["src", "packer", "wasm"].flatMap((folder) => files(folder, /\.(h|c|cc|inc)$/));

describe("C++ layering", () => {
  it("The layering check finds C++ sources", () => {
    assert.ok(cxx.filter((file) => file.startsWith("src/")).length > 10, "the C++ sources were not found");
  });

  it("The layering table has every folder of src/", () => {
    const unknown = cxx.filter((file) => file.startsWith("src/") && !(file.split("/")[1] in rooms));
    assert.deepEqual(unknown, [], "give the folder a line in the table of tests/layering.test.mjs");
  });

  it("Each C++ file includes only the rooms that its own may know", () => {
    const wrong = cxx
      .flatMap((file) => includes(read(file)).map((include) => [file, include, complaint(file, include)]))
      .filter(([, , why]) => why !== null)
      .map(([file, { name }, why]) => `${file} includes ${name}: ${why}`);
    assert.deepEqual(wrong, []);
  });

  it("The layering table has every folder of packer/", () => {
    const folders = new Set(cxx.filter((file) => file.startsWith("packer/")).map(packerRoomOf));
    assert.deepEqual(
      [...folders].filter((folder) => !(folder in packerRooms)),
      [],
      "give the folder a line in the table of tests/layering.test.mjs",
    );
    assert.deepEqual(
      Object.keys(packerRooms).filter((folder) => !folders.has(folder)),
      [],
      "the table names a folder that is gone",
    );
  });

  it("C++ rooms have no cycle", () => {
    const edges = new Map(Object.keys(rooms).map((room) => [room, new Set()]));
    for (const file of cxx.filter((name) => name.startsWith("src/"))) {
      for (const { name, quoted } of includes(read(file))) {
        const [from, to] = [file.split("/")[1], name.split("/")[0]];
        if (quoted && to in rooms && to !== from) edges.get(from)?.add(to);
      }
    }
    assert.equal(cycleIn(edges), null);
  });

  it("The layering check detects each forbidden include", () => {
    const no = (file, line) => assert.notEqual(complaint(file, includes(line)[0]), null, `${file}: ${line} was let through`);
    const yes = (file, line) => assert.equal(complaint(file, includes(line)[0]), null, `${file}: ${line} was refused`);
    no("src/text/a.cc", '#include "lexical/lexicon.h"');
    no("src/base/a.h", '#include "text/analyzer.h"');
    no("src/search/engine.cc", '#include "search/bundle_builder.h"');
    no("src/search/engine.cc", "#include <nlohmann/json.hpp>");
    no("src/vector/hnsw.cc", "#include <hnswlib/hnswlib.h>");
    no("src/bundle/container.cc", "#include <fstream>");
    no("src/search/engine.cc", '#include "packer/document.h"');
    no("wasm/bindings.cc", '#include "lexical/lexicon.h"');
    yes("src/vector/hnsw_builder.cc", "#include <hnswlib/hnswlib.h>");
    yes("src/search/engine.cc", '#include "lexical/lexicon.h"');
    yes("src/encode/static_encoder.cc", '#include "bundle/container.h"');
    yes("packer/pipeline/pipeline.cc", '#include "search/bundle_builder.h"');
    no("packer/base/charset.cc", '#include "packer/parse/parse.h"');
    no("packer/parse/html/parse_html.cc", '#include "packer/parse/markdown/markdown.h"');
    no("packer/parse/html/parse_html.cc", '#include "packer/parse/parse_file.h"');
    no("packer/chunk/chunker.cc", '#include "packer/parse/parse.h"');
    no("packer/source/source.cc", "#include <gumbo.h>");
    no("packer/new_folder/a.cc", '#include "packer/base/charset.h"');
    yes("packer/parse/html/parse_html.cc", '#include "packer/parse/parse.h"');
    yes("packer/cli/cmd_pack.cc", '#include "packer/job/pack_job.h"');
    no("packer/cli/cmd_pack.cc", '#include "packer/pipeline/pipeline.h"');
    no("packer/job/options.cc", "#include <CLI/CLI.hpp>");
    no("packer/pipeline/pipeline.cc", '#include "packer/job/options.h"');
    assert.deepEqual(includes('// #include "a.h"\n/* #include "b.h" */\n#include "c.h"'), [{ quoted: true, name: "c.h" }]);
  });
});

const web = files("web", /\.(ts|mts|js|mjs)$/);
// Rooms of web/, in two floors, and the rooms that each may import; browser/client is the one way to the core.
const webRooms = {
  "browser/client": [],
  "browser/encoder": ["browser/client"],
  "browser/convert": ["browser/client"],
  "browser/packer": ["browser/client", "browser/convert"],
  "browser/catalogue": ["browser/client"],
  "browser/offline": ["browser/client"],
  "browser/ui": ["browser/client"],
  "browser/page": ["browser/client", "browser/ui"],
  "browser/playground": ["browser/client", "browser/packer", "browser/convert"],
  "node/client": ["browser/client"],
  "node/base": ["browser/client"],
  "node/net": ["browser/client"],
  "node/published": ["browser/client", "node/base", "node/net"],
  "node/encoder": ["browser/client", "browser/encoder", "node/client", "node/base"],
  "node/store": ["browser/client", "browser/encoder", "node/client", "node/encoder", "node/base"],
  "node/convert": ["browser/convert", "node/client"],
  "node/packer": ["browser/client", "browser/convert", "browser/packer", "node/client", "node/base"],
  "node/eval": ["browser/client", "node/base"],
  "node/catalogue": ["browser/client", "browser/catalogue", "node/client", "node/base", "node/store"],
  "node/databases": ["browser/client", "browser/encoder", "node/client", "node/encoder", "node/base", "node/store"],
  "node/sources": [
    "browser/client",
    "browser/catalogue",
    "node/client",
    "node/base",
    "node/convert",
    "node/net",
    "node/published",
    "node/store",
    "node/catalogue",
  ],
  "node/models": ["browser/encoder", "node/encoder", "node/base", "node/sources"],
  "node/doctor": ["node/client", "node/encoder", "node/base", "node/store", "node/packer", "node/sources"],
  "node/ingest": ["node/base", "node/store", "node/packer", "node/sources"],
  "node/publish": [
    "browser/client",
    "browser/catalogue",
    "node/client",
    "node/base",
    "node/store",
    "node/packer",
    "node/catalogue",
    "node/sources",
  ],
  "node/operate": ["node/client", "node/base", "node/net"],
  "node/mcp": [
    "browser/client",
    "browser/encoder",
    "node/client",
    "node/encoder",
    "node/base",
    "node/net",
    "node/operate",
    "node/published",
    "node/store",
    "node/packer",
    "node/databases",
  ],
  "node/mcp/contracts": [
    "browser/client",
    "browser/encoder",
    "node/client",
    "node/encoder",
    "node/base",
    "node/net",
    "node/store",
    "node/packer",
    "node/mcp",
  ],
  "node/mcp/clients": ["node/base", "node/sources"],
  "node/site": ["browser/client", "browser/offline", "node/client", "node/base", "node/net", "node/published", "node/store", "node/packer"],
  "node/serve": ["browser/client", "node/base", "node/net", "node/operate", "node/mcp", "node/mcp/contracts", "node/site"],
  "node/pipe": ["browser/client", "node/client", "node/base", "node/packer"],
  "node/adapters": ["node/serve", "node/site"],
};
/** The command knows all rooms but those of pages and generators. */
const NOT_OF_THE_COMMAND = ["browser/page", "browser/offline", "browser/ui", "node/adapters"];
webRooms.cli = Object.keys(webRooms).filter((room) => !NOT_OF_THE_COMMAND.includes(room));
// Rooms of web/browser/ui and what each may import of it; the files beside them put everything together.
const uiRooms = {
  state: [],
  words: ["state", "languages"],
  languages: ["words"], // what texts there are
  host: ["state", "words"],
  controllers: ["host", "state", "words"],
  later: [],
  views: ["host", "state", "words", "lit", "later"],
  open: [],
  agents: ["host", "page_tools"],
  page_tools: ["host", "state"],
  scope: ["open", "host", "state", "words", "later"],
  ask: ["host", "state", "words", "later"],
};
/** `web/browser/ui/views/hit.ts` → `views`, `web/browser/ui/host.ts` → `host`. */
const uiRoomOf = (file) => file.split("/")[3].replace(/\.(d\.)?m?ts$/, "");
/** The room of a file below web/, the innermost that the table has; else its folder. */
const webRoomOf = (file) => {
  const folders = file.split("/").slice(1);
  for (let depth = Math.min(3, folders.length); depth > 0; depth--) {
    const room = folders.slice(0, depth).join("/");
    if (room in webRooms) return room;
  }
  return folders.slice(0, 2).join("/");
};
// The one file of a room that may import what the others may not.
const registries = { "web/node/mcp/sets.ts": ["node/mcp/contracts"], "web/node/site/words.ts": ["browser/ui"] };
// Rooms of which another may name types, and run nothing.
const typesOf = { "node/site": ["browser/page"] };
// Packages that are loaded only by who asks for them, and said to be missing in clear words.
const OPTIONAL_PEERS = /^onnxruntime-web\/(wasm|webgpu)$/;
// What an adapter's component imports, resolved in the site that uses the generator.
const GENERATORS = /^(vue|vitepress|react|@docusaurus\/(router|useDocusaurusContext|plugin-content-docs\/client))$/;
describe("TypeScript layering", () => {
  it("The layering check finds TypeScript sources", () => assert.ok(web.length > 5, "web/ holds no TypeScript"));

  it("The layering table has every folder of web/", () => {
    assert.deepEqual(
      web.filter((file) => !(webRoomOf(file) in webRooms)),
      [],
      "give the folder a line in tests/layering.test.mjs",
    );
  });

  it("TypeScript imports only downwards, and the core through web/browser/client alone", () => {
    const wrong = [];
    for (const file of web) {
      const room = webRoomOf(file);
      for (const { name, type } of imports(read(file))) {
        if (!name.startsWith(".")) continue;
        const target = path.posix.normalize(path.posix.join(path.posix.dirname(file), name));
        const to = webRoomOf(target);
        if ((type && typesOf[room]?.includes(to)) || registries[file]?.includes(to)) continue;
        if (to === "browser/core" ? room !== "browser/client" : to !== room && !webRooms[room]?.includes(to))
          wrong.push(`${file} imports ${name}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  /** The files of web/ that each of `those` imports, as far as `counts` says that an import counts. */
  const importsOf = (those, counts) =>
    new Map(
      those.map((file) => {
        const names = imports(read(file))
          .filter((each) => each.name.startsWith(".") && counts(each))
          .map(({ name }) => path.posix.join(path.posix.dirname(file), name));
        return [file, names.map((name) => name.replace(/\.mjs$/, ".d.mts").replace(/js$/, "ts")).filter((name) => those.includes(name))];
      }),
    );

  it("Files of web/ that load together have no cycle", () => {
    assert.equal(cycleIn(importsOf(web, ({ type, later }) => !type && !later)), null);
  });

  it("The component has no cycle, even with types and later loads", () => {
    const ui = importsOf(
      web.filter((file) => file.startsWith("web/browser/ui/")),
      () => true,
    );
    assert.ok([...ui.values()].flat().length > 100, "the imports were not found");
    assert.equal(cycleIn(ui), null);
  });

  it("Each folder of the component knows only its permitted folders", () => {
    const wrong = [];
    for (const [file, names] of importsOf(
      web.filter((name) => name.startsWith("web/browser/ui/")),
      () => true,
    )) {
      const room = uiRoomOf(file);
      if (!(room in uiRooms)) assert.ok(!file.includes("/", "web/browser/ui/".length), `give web/browser/ui/${room} a line in uiRooms`);
      else
        wrong.push(
          ...names
            .filter((name) => uiRoomOf(name) !== room && !uiRooms[room].includes(uiRoomOf(name)))
            .map((name) => `${file} imports ${name}`),
        );
    }
    assert.deepEqual(wrong, []);
  });

  it("Only the entries know the element", () => {
    const knowing = web.filter((file) => imports(read(file)).some(({ name }) => /(^|\/)sheaf-search\.js$/.test(name)));
    assert.deepEqual(knowing, ["web/browser/page/begin.ts", "web/browser/ui/index.ts"]);
  });

  it("The layering check finds a way around", () => {
    assert.deepEqual(
      cycleIn(
        new Map([
          ["a", ["b"]],
          ["b", ["c", "d"]],
          ["c", []],
          ["d", ["b"]],
        ]),
      ),
      ["b", "d", "b"],
    );
    assert.deepEqual(cycleIn(new Map([["a", ["a"]]])), ["a", "a"]);
    assert.equal(
      cycleIn(
        new Map([
          ["a", ["b", "c"]],
          ["b", ["c"]],
          ["c", []],
        ]),
      ),
      null,
    );
  });

  it("The contracts of web/node/mcp stay apart", () => {
    const contractOf = (file) => /^web\/node\/mcp\/contracts\/([^/]+)\//.exec(file)?.[1];
    const contracts = web.filter((file) => contractOf(file) !== undefined);
    assert.ok(new Set(contracts.map(contractOf)).size >= 4, "the contracts were not found");
    const wrong = contracts.flatMap((file) =>
      imports(read(file))
        .map(({ name }) => [name, contractOf(path.posix.join(path.posix.dirname(file), name))])
        .filter(([name, other]) => name.startsWith(".") && other !== undefined && other !== contractOf(file))
        .map(([name]) => `${file} imports ${name}`),
    );
    assert.deepEqual(wrong, []);
  });

  it("The shared code of web/node/mcp names no contract, except in the registry", () => {
    const named = /openground|search_docs|searxng|knowledge|list_libraries_tool|search_documents_tool|get_full_content/i;
    const shared = web.filter((file) => webRoomOf(file) === "node/mcp" && !(file in registries));
    assert.ok(shared.length > 10, "the shared files were not found");
    assert.deepEqual(
      shared.filter((file) => named.test(read(file))),
      [],
    );
  });

  it("Browser code imports no node: module", () => {
    const wrong = web
      .filter((file) => file.startsWith("web/browser/"))
      .flatMap((file) =>
        imports(read(file))
          .filter(({ name }) => name.startsWith("node:"))
          .map(({ name }) => `${file} imports ${name}`),
      );
    assert.deepEqual(wrong, []);
  });

  it("The runtime needs no package", () => {
    // Bundled while building (scripts/*_bundle.mjs): each becomes a .mjs in dist that holds the packages.
    const bundled = [
      "web/browser/catalogue/blake2.d.mts",
      "web/browser/convert/asciidoctor.d.mts",
      "web/browser/convert/openapi_upgrader.d.mts",
      "web/browser/convert/pdf_reader.d.mts",
      "web/browser/convert/yaml.d.mts",
      "web/node/mcp/clients/json_edits.d.mts",
      "web/node/mcp/contracts/zod3.d.mts",
      "web/node/mcp/sdk.d.mts",
      "web/node/operate/jose.d.mts",
      "web/node/operate/prom.d.mts",
      "web/node/sources/archive_formats.d.mts",
      "web/node/sources/lock_formats.d.mts",
      "web/node/sources/xml_format.d.mts",
      "web/browser/ui/lit.d.mts",
    ];
    const wrong = web
      .filter((file) => !bundled.includes(file))
      .flatMap((file) =>
        imports(read(file))
          .filter(
            ({ name, type }) =>
              !type &&
              !/^(\.|node:)/.test(name) &&
              !OPTIONAL_PEERS.test(name) &&
              !(file.startsWith("web/node/adapters/") && GENERATORS.test(name)),
          )
          .map(({ name }) => `${file} imports ${name}`),
      );
    assert.deepEqual(wrong, []);
  });

  it("Every compiled file that scripts and tests name has a source", () => {
    const named = [...files("scripts", /\.mjs$/), ...files("tests", /\.mjs$/)].flatMap((file) => {
      const text = read(file).replace(/"dist", "([\w-]+)", "([\w-]+\.js)"/g, "dist/$1/$2"); // path.join(root, "dist", …)
      return [...text.matchAll(/\bdist\/([a-z]+(?:\/[\w-]+)+)\.js\b/g)].map((match) => [file, match[1]]);
    });
    assert.ok(named.length > 50, "the names were not found");
    const sourceOf = (name) => (name.startsWith("extension/") ? `${name.replace("extension/", "extension/src/")}.ts` : `web/${name}.ts`);
    const wrong = named
      .filter(([, name]) => !/^node\/site\/(code|file)\//.test(name) && !fs.existsSync(path.join(root, sourceOf(name))))
      .map(([file, name]) => `${file} names dist/${name}.js`);
    assert.deepEqual(wrong, []);
  });

  it("The layering check reads import lines of every form", () => {
    const text = `import a from './a.js';\nimport {\n  b,\n} from "./b.js";\nexport * from './c.js';\nimport type { D } from './d.js';\nimport 'e';\nawait import('./f.js');\n// import './g.js'`;
    assert.deepEqual(
      imports(text)
        .map(({ name }) => name)
        .sort(),
      ["./a.js", "./b.js", "./c.js", "./d.js", "./f.js", "e"],
    );
  });
});

describe("one text", () => {
  // Ranking, stems, foldings and function words are the core's (src/), in whatever module it is asked for them.
  const forbidden = {
    "a constant of BM25": /\bk1\b|\b2\.2 \*|\/ \(1\.2 \+/,
    "a stemmer": /\(ings\?|\bedly\|/,
    "a list of function words": /\babout after all also\b/,
    "the ranking of a database": /\bts_rank_cd\b|\bfusion\b.*\bSELECT\b|\bto_tsvector\b/,
    "an idf": /\bln\(1 \+|\bMath\.log\(1 \+/,
  };

  it("Each text function stands in web/ only once", () => {
    const found = files("web", /\.(ts|mts)$/).flatMap((file) =>
      Object.entries(forbidden)
        .filter(([, pattern]) => pattern.test(withoutComments(read(file))))
        .map(([what]) => `${file} has ${what}`),
    );
    assert.deepEqual(found, []);
  });
});
