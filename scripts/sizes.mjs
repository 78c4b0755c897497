// The size budgets: what a browser downloads before a feature works, minified and compressed as a
// static host would send it; and the npm tarball. Sizes are the same on any machine, so every test run checks them.
//
//   node scripts/sizes.mjs [--json]      exit code 1 when a budget is exceeded
//
//   first search   the core's WebAssembly and the client: page and worker, each in one file
//   transformer    what sheaf/encoder adds: its page and worker, and the tokenizer. ONNX Runtime and
//                  the model come on top; their size is not in our hands
//   component      <sheaf-search> with Lit, styles and English; client and core come with the
//                  first bundle, and are counted above. A list of one line a section costs 1,900 bytes: rows 370,
//                  looks 370, words 240, notes and footer 210, choosing 130, icons and grouping the rest.
//                  Lists before the first query cost 1,000, the sheet 600, room for a preview 400, words for them 200
//   a language     the words of a page that is not in English
//   preview        what wide screens load in addition, with the first hit: its script, and what reads the text
//   asking         what an element with `ask` loads in addition
//   several bundles  what an element with several languages, versions or sites loads in addition
//   converters     what a page loads in addition, each with the first file of its format: AsciiDoc 81 kB, OpenAPI 20,
//                  PDF 420, manual pages 125
//   packer         sheaf/packer: its page and worker, and the module with its glue; without the encoder table. Left out
//                  where the module is not built (`npm test` builds it)
//   npm tarball    what `npm install sheaf` downloads, and what it takes on disk
import fs from "node:fs";
import path from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { cssTemplates } from "./css_templates.mjs";
import { listPackage } from "./release/npm_package.mjs";
import { Failure, browsers, main, root } from "./support.mjs";
import { textInside } from "./site_bundle.mjs";
import { LATER } from "./ui_bundle.mjs";

const GROUPS = [
  {
    title: "first search",
    wasm: "dist/browser/core/sheaf-core.wasm",
    entries: ["dist/browser/client/open.js", "dist/browser/client/worker.js"],
    alone: true, // as `sheaf site` deploys them
    external: ["./open_here.js", "./language.js"], // only where no worker starts, or for languages but English
    budget: 114_650, // 99 kB of it the core. One verdict on damaged files takes 1.4: the manifest's form, UTF-8, names in order. Rules of owners take 1.1: synonyms and pins among a word's forms. Other wordings of a question take 1.3; reading pieces, in which sites have their data, takes 1.2: it was a script, and a request, of its own. Symbols take 3.2: keys, leaves and their order; titles in any order, "what is", kin and few passages take .7, the doors to languages .4, words cut in two .4, to hosts without ranges .3, digits and letters of all scripts .15, vectors for export .1, the places that copies took .05
  },
  {
    title: "transformer",
    wasm: "dist/browser/core/sheaf-wordpiece.wasm",
    entries: ["dist/browser/encoder/index.js", "dist/browser/encoder/worker.js"],
    budget: 27_000,
  },
  {
    title: "component",
    entries: ["dist/browser/ui/index.js"],
    external: LATER,
    budget: 26_210, // the door to asking took .13; addresses of names that end with the word asked for (`os.major`) took .04; reasons of errors took .02, the kind that a query asks for, as a chip, took .02, the word for a deprecated name .03; keys that stay in its fields and sizes that follow the reader's font took .1 kB; the place in a list that Back returns to, the words that a followed hit takes along and the query that a reload keeps took .2 kB; the query in the address .45, agents .26, the list 1.9, lists before typing 1.0, the sheet .6, the preview's hook .4
  },
  // What browsers that hand tools to agents load in addition; others when a page's `window.sheaf` is called.
  { title: "page tools", entries: ["dist/browser/ui/page_tools.js"], budget: 3_075 }, // the same addresses took .05; sections as agents elsewhere get them
  // What a page in another language than English loads in addition; Russian has the longest words.
  { title: "a language", entries: ["dist/browser/ui/languages/ru.js"], budget: 1_200 },
  {
    title: "preview",
    entries: ["dist/browser/ui/views/preview.js"], // a script of its own, as `sheaf site` deploys it
    plugins: [textInside],
    budget: 16_400, // 11.7 kB of it the core's reader of text; the scripts that load it and decode its answer are 1.8. In the core it would be 4.6 for every reader, in a request of its own .8 less, which its headers take
  },
  // What an element with `ask` loads in addition, behind its first good answer.
  { title: "asking", entries: ["dist/browser/ui/ask/ask.js"], budget: 5_400 },
  {
    title: "several bundles",
    entries: ["dist/browser/ui/scope/index.js"],
    external: [
      "./open_here.js",
      "./language.js",
      "./languages/*",
      "./page_tools.js",
      "./landed.js",
      "./drag.js",
      "./ask/*",
    ],
    shared: ["dist/browser/ui/index.js", "dist/browser/ui/views/preview.js", "dist/browser/client/open.js"],
    budget: 12_600, // 2.5 kB of it the core's scale for several bundles; .95: chips that keep their place and say how many are out of sight
  },
  {
    title: "packer",
    wasm: "dist/browser/packer/sheaf-packer.wasm",
    entries: ["dist/browser/packer/index.js", "dist/browser/packer/worker.js"],
    external: ["../convert/*"], // only where a file needs a converter
    isOptional: true,
    quality: 9, // 11 takes ten seconds and saves a tenth
    // Records, tables of contents, links of HTML and compounds took 22 kB, recognising languages 12.5: half of it words,
    // 2.4 of it what keeps a few pages, relatives and names of programming languages from deciding; reading stored
    // Markdown as blocks took 1.
    // Naming files for converters and taking their pages took 9.
    budget: 1_960_000, // brotli makes 2 kB more or less of the same code in another order; selectors of parts, weights by kind, version and date and texts of the box took 14.5 kB; owners' rules and reading HTML in runs took 24 kB; entries of TypeDoc, OpenAPI and directives, MyST's substitutions and the writer of other wordings took 16 kB; symbols take 18 kB, languages and versions side by side 9
  },
  {
    title: "converters",
    wasm: "dist/browser/convert/mandoc.mjs", // its WebAssembly is in it
    entries: ["dist/browser/convert/converter.js"],
    external: ["./mandoc.mjs"],
    isOptional: true,
    budget: 655_000, // PDF.js 420, mandoc 125, Asciidoctor 81, YAML 13
  },
];

const TARBALL_BUDGET = 9_892_000; // asking took 26 kB, of it words in 23 languages 7; rules by selector, kind, version and date took 10 kB; sheaf init, the manual page, the builder of mpnet and one verdict on damage took 25 kB; tokens, metrics and the verifier of a server took 40 kB, of it prom-client 21, and the playground 13; owners' rules, reports, hashes of Go modules and a larger packer took 50 kB; other wordings took 19 kB, OpenAPI, TypeDoc and directives 10, reasons of errors in 23 languages 8; the module of texts within the preview took 10 kB; themes, directives filled from source, packages in parts and adding for agents took 54 kB; symbols took 40 kB, readers of source code 35, registries 27, what agents are served 20; what the packer learned of templates, generators and twins took 140 kB; converters took 800 kB, of it PDF.js 535, mandoc 136, Asciidoctor 97; before, the core for databases' rows took 110 kB, the module of texts 12, zod's version 3 16; before, since 7.93 MB: rules of 27 languages 120 kB, databases 34 kB, the pinned packages of a cluster 65 kB, catalogues, words of 20 languages

/** Sizes of a file as it is and as a static host sends it, in bytes. */
export function measure(name, bytes, quality = 11) {
  return {
    name,
    raw: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    brotli: brotliCompressSync(bytes, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length },
    }).length,
  };
}

async function sizesOf({
  title,
  wasm,
  entries,
  alone = false,
  shared = [],
  external = [],
  plugins = [],
  quality,
  budget,
}) {
  for (const file of [...(wasm ? [wasm] : []), ...entries]) {
    if (!fs.existsSync(path.join(root, file))) throw new Failure(`${file} is missing: run \`npm run build\` first.`);
  }
  const { build } = await import("esbuild");
  const result = await build({
    ...(alone ? { outbase: path.join(root, "dist") } : {}),
    entryPoints: [...entries, ...shared].map((file) => path.join(root, file)),
    outdir: "out",
    bundle: true,
    splitting: !alone,
    minify: true,
    format: "esm",
    platform: "browser",
    ...browsers,
    charset: "utf8", // of every module
    plugins: [cssTemplates, ...plugins],
    metafile: true,
    absWorkingDir: root,
    external: ["onnxruntime-web/*", ...external],
    write: false,
    legalComments: "none",
    logLevel: "error",
  });
  const parts = wasm ? [measure(path.basename(wasm), fs.readFileSync(path.join(root, wasm)), quality)] : [];
  const counted = shared.length === 0 ? result.outputFiles : ownFiles(result, shared);
  for (const file of counted)
    parts.push(measure(path.basename(file.path).replace(/^chunk-.*/, "shared chunk"), file.contents));
  const total = { name: "total", raw: 0, gzip: 0, brotli: 0 };
  for (const part of parts) for (const key of ["raw", "gzip", "brotli"]) total[key] += part[key];
  return { title, parts, total, budget };
}

/**
 * The part of the output that is not loaded already: without what the entry points `shared` reach by
 * static imports.
 */
function ownFiles({ metafile, outputFiles }, shared) {
  const reached = new Set();
  const reach = (output) => {
    if (reached.has(output)) return;
    reached.add(output);
    for (const { path: imported, kind } of metafile.outputs[output].imports)
      if (kind === "import-statement") reach(imported);
  };
  for (const [output, { entryPoint }] of Object.entries(metafile.outputs))
    if (entryPoint !== undefined && shared.includes(entryPoint)) reach(output);
  const kept = Object.keys(metafile.outputs).filter((output) => !reached.has(output));
  return outputFiles.filter((file) => kept.some((output) => path.resolve(root, output) === file.path));
}

export async function sizes() {
  const groups = [];
  for (const group of GROUPS) {
    if (group.isOptional && !fs.existsSync(path.join(root, group.wasm))) continue;
    groups.push(await sizesOf(group));
  }
  const { size, unpackedSize, files } = listPackage();
  return { groups, tarball: { bytes: size, unpacked: unpackedSize, files: files.length, budget: TARBALL_BUDGET } };
}

/** One line per exceeded budget. */
export function overBudget({ groups, tarball }) {
  return [
    ...groups
      .filter(({ total, budget }) => total.brotli > budget)
      .map(({ title, total, budget }) => `${title}: ${total.brotli} bytes (brotli) are over the budget of ${budget}`),
    ...(tarball.bytes > tarball.budget
      ? [`npm tarball: ${tarball.bytes} bytes are over the budget of ${tarball.budget}`]
      : []),
  ];
}

/** What the npm package weighs, in one line. */
export function tarballLine({ tarball: { bytes, unpacked, files, budget } }) {
  return `${bytes} of ${budget} bytes: npm tarball, ${unpacked} unpacked in ${files} files`;
}

export function table({ groups, tarball }) {
  const row = (cells) =>
    `  ${cells[0].padEnd(22)}${cells
      .slice(1)
      .map((cell) => String(cell).padStart(10))
      .join("")}`;
  const rows = groups.flatMap(({ title, parts, total, budget }) => [
    row([title, "raw", "gzip", "brotli"]),
    ...[...parts, total].map((part) => row([part.name, part.raw, part.gzip, part.brotli])),
    `  ${Math.round((100 * total.brotli) / budget)} % of the budget of ${budget} bytes (brotli)`,
  ]);
  return [...rows, `  ${tarballLine({ tarball })}`].join("\n");
}

main(import.meta.url, async () => {
  const result = await sizes();
  console.log(process.argv.includes("--json") ? JSON.stringify(result, null, 2) : table(result));
  for (const line of overBudget(result)) console.error(`OVER ${line}`);
  return overBudget(result).length === 0 ? 0 : 1;
});
