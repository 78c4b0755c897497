// `npm run demo`: packs real documentation and queries it, starting from a fresh clone.
//
//   npm run demo                              pack, then six questions
//   npm run demo -- "WORDS" [-l LIBRARY] …    pack, then your question; any flag of `sheaf query`
//
// It packs PostgreSQL's manual as Debian ships it and the READMEs of the installed node modules, each
// as its own library under its exact version. Bundles go to a store below build/demo and are rebuilt
// when their sources, the packer or the encoder table are newer. The WASM core searches them, through
// the `sheaf` command.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { bootstrap } from "./bootstrap.mjs";
import { ask, bold, dim, Failure, main, newest, root, run, say, seconds, step } from "./support.mjs";

const data = path.join(root, "build", "demo");
const cli = path.join(root, "dist", "cli", "main.js");
const packer = path.join(root, "build", "native", "sheaf-pack");
const encoder = path.join(root, "models", "minilm-l6-256.sheaf");
const env = { XDG_DATA_HOME: data, SHEAF_PACK: packer };

const questions = [
  ["postgresql", "which queries make my database slow"],
  ["postgresql", "take back changes when something goes wrong halfway"],
  ["postgresql", "max_wal_size"],
  ["postgresql", "keep readers from blocking writers"],
  ["postgresql", "CREATE INDEX CONCURENTLY"], // a typing error, on purpose
  ["typescript", "how do I report a bug"],
];

function postgresql() {
  const source = "/usr/share/doc/postgresql-doc-15/html";
  if (!fs.existsSync(source)) {
    say(`  ${source} is not there (Debian's package postgresql-doc-15): the demo goes on with READMEs only.`);
    return [];
  }
  const version =
    /^[\d.]+/.exec(ask("dpkg-query", ["-W", "-f=${Version}", "postgresql-doc-15"]) ?? "")?.[0].replace(/\.$/, "") ??
    "15";
  return [{ library: "postgresql", version, source, flags: ["--base-url", "https://www.postgresql.org/docs/15/"] }];
}

/** The READMEs of all packages in node_modules, one library each. */
function readmes() {
  const modules = path.join(root, "node_modules");
  const names = fs
    .readdirSync(modules)
    .filter((name) => !name.startsWith("."))
    .flatMap((name) =>
      name.startsWith("@") ? fs.readdirSync(path.join(modules, name)).map((inner) => `${name}/${inner}`) : [name],
    );
  const found = [];
  for (const name of names.sort()) {
    const home = path.join(modules, name);
    try {
      const { version } = JSON.parse(fs.readFileSync(path.join(home, "package.json"), "utf8"));
      const readme = fs.readdirSync(home).find((file) => /^readme(\.md|\.markdown|\.txt)?$/i.test(file));
      if (!version || !readme) continue;
      if (fs.readFileSync(path.join(home, readme), "utf8").trim() === "") continue; // a page without text is none
      found.push({
        library: name,
        version,
        source: path.join(home, readme),
        flags: ["--base-url", `https://unpkg.com/${name}@${version}/`, "--url-style", "keep"],
      });
    } catch {
      // not a package
    }
  }
  return found;
}

const size = (bytes) => (bytes < 1e6 ? `${Math.max(1, Math.round(bytes / 1e3))} kB` : `${(bytes / 1e6).toFixed(1)} MB`);

/** Packs what is missing or out of date. Returns the libraries with their bundle's path and size. */
async function pack(libraries) {
  const { encodeFileName } = await import(pathToFileURL(path.join(root, "dist", "node", "store", "store.js")).href);
  const store = path.join(data, "sheaf", "libraries");
  fs.mkdirSync(store, { recursive: true });
  const withVectors = fs.existsSync(encoder);
  if (!withVectors) say(`  ${path.relative(root, encoder)} is missing: packing for keyword search only.`);
  const tools = newest(packer, encoder);
  for (const library of libraries) {
    library.bundle = path.join(store, encodeFileName(library.library, library.version));
    if (newest(library.bundle) > Math.max(tools, newest(library.source))) continue;
    await step(`Packing ${library.library} ${library.version}`, async () => {
      const { output } = await run(
        packer,
        [
          "pack",
          library.source,
          "--output",
          library.bundle,
          "--library",
          library.library,
          "--version",
          library.version,
          ...library.flags,
          ...(withVectors ? ["--encoder-table", encoder] : ["--encoder", "none"]),
        ],
        { log: `pack-${library.library.replace(/[^\w.-]+/g, "_")}`, accept: [0, 3] },
      ); // 3: packed, but a file was left out
      const pages = /([\d,.' ]+) pages?\b/.exec(output)?.[1].trim();
      return `${pages ? `${pages} page${pages === "1" ? "" : "s"}, ` : ""}${size(fs.statSync(library.bundle).size)}`;
    });
  }
  return libraries.filter((library) => fs.existsSync(library.bundle));
}

/** All of the demo's bundles, packed where they are missing or out of date: each with library, version and bundle. */
export const packDemo = () => pack([...postgresql(), ...readmes()]);

function query(words) {
  return (
    spawnSync(process.execPath, [cli, "query", ...words], {
      cwd: root,
      stdio: "inherit",
      env: { ...process.env, ...env },
    }).status ?? 1
  );
}

main(import.meta.url, async () => {
  const begun = Date.now();
  const own = process.argv.slice(2);
  await bootstrap("demo");
  const libraries = await packDemo();
  if (libraries.length === 0) throw new Failure("There is nothing to search: no documentation was found to pack.");

  if (own.length > 0) {
    // Search the manual unless another library is named.
    const named = own.some((arg) => /^(-l|--library|-b|--bundle)/.test(arg));
    return query([...own, ...(named ? [] : ["-l", libraries[0].library])]);
  }

  let failed = 0;
  for (const [library, words] of questions) {
    if (!libraries.some((one) => one.library === library)) continue;
    console.log(`\n${bold(`▸ ${words}`)}  ${dim(library)}`);
    if (query([words, "-l", library, "-k", "3"]) !== 0) failed += 1;
  }

  console.log(`\n${bold("Libraries")}`);
  const width = Math.max(...libraries.map((one) => one.library.length + one.version.length + 1));
  for (const one of libraries) {
    console.log(
      `  ${`${one.library} ${one.version}`.padEnd(width)}  ${size(fs.statSync(one.bundle).size).padStart(7)}`,
    );
  }
  console.log(`
${bold("Ask your own")}
  npm run demo -- "your question"                 the first library: ${libraries[0].library}
  npm run demo -- "your question" -l esbuild -k 5 --explain
${bold("Pack your own")}
  build/native/sheaf-pack docs/ --library mine --version 1.0 -o mine.sheaf
  node dist/cli/main.js query "your question" -b mine.sheaf
`);
  say(dim(`Done in ${seconds(Date.now() - begun)}.`));
  if (failed > 0) throw new Failure(`${failed} of the questions could not be answered; see above.`);
  return 0;
});
