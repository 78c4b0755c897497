// Bundles the code that `sheaf site` puts beside a site, into as few files as a browser can load in parallel.
//
//   node scripts/site_bundle.mjs        dist/node/site/code    for pages that a host serves: component, client, worker; the core is that of dist/browser/core
//                                       dist/node/site/file    for pages that are opened as files: page and worker, classic scripts
//                                       dist/node/site/sheaf-offline.min.js    the service worker of sites that ask for one
//
// dist/node/site/code has the same folders as dist/browser (client/, core/), because the code finds its worker and its
// core relative to itself, through import.meta.url. File names carry no hash: `sheaf site` puts everything
// into folders named by the hash of their content.
import fs from "node:fs";
import path from "node:path";
import { cssTemplates } from "./css_templates.mjs";
import { Failure, browsers, main, newest, root, say } from "./support.mjs";
import { hasInputs, keepInputs } from "./third_party.mjs";

const dist = (...names) => path.join(root, "dist", ...names);
const code = dist("node", "site", "code");
const file = dist("node", "site", "file");
const offline = dist("node", "site", "sheaf-offline.min.js");
// The licences go with the code.
const shared = {
  absWorkingDir: root,
  metafile: true,
  bundle: true,
  minify: true,
  platform: "browser",
  ...browsers,
  legalComments: "inline",
  logLevel: "error",
};

/**
 * A dynamically imported chunk imports others, and a browser learns of those only once it has read the first. So this
 * requests all at once, which saves a round trip before the first answer.
 */
function importTogether({ outputs }) {
  const behind = (name) =>
    outputs[name].imports
      .filter(({ kind }) => kind === "import-statement")
      .flatMap(({ path: next }) => [next, ...behind(next)]);
  for (const [name, { imports }] of Object.entries(outputs)) {
    const later = imports.filter(({ kind, external }) => kind === "dynamic-import" && !external);
    if (later.length === 0) continue;
    const present = new Set(behind(name));
    const address = (target) =>
      JSON.stringify(path.posix.relative(path.posix.dirname(name), target).replace(/^(?!\.)/, "./"));
    let text = fs.readFileSync(path.join(root, name), "utf8");
    for (const { path: target } of later) {
      const others = [...new Set(behind(target))].filter((other) => !present.has(other));
      const single = `import(${address(target)})`;
      if (!text.includes(single)) throw new Failure(`${name}: expected ${single}, as esbuild's list of imports says.`);
      if (others.length === 0) continue;
      const all = [target, ...others].map((each) => `import(${address(each)})`).join(",");
      text = text.replaceAll(single, `Promise.all([${all}]).then(([part])=>part)`);
    }
    fs.writeFileSync(path.join(root, name), text);
  }
}

/**
 * What `entry` shares with later chunks lies in a chunk of its own, which a browser learns of once it has read the entry,
 * and every page needs. So this puts it into the entry, whence the later chunks take it.
 */
async function joinShared(build, { outputs }, entry) {
  const chunks = outputs[entry].imports.filter(({ kind }) => kind === "import-statement").map(({ path: name }) => name);
  if (chunks.length !== 1) throw new Failure(`${entry}: expected one chunk shared with others, got ${chunks.length}.`);
  const [part, own] = [chunks[0], entry].map((name) => `./${path.posix.basename(name)}`);
  const folder = path.join(root, path.dirname(entry));
  const { outputFiles } = await build({
    ...shared,
    stdin: { contents: `export * from "${own}"; export * from "${part}";`, resolveDir: folder },
    format: "esm",
    charset: "utf8",
    write: false,
    plugins: [
      {
        name: "later-apart",
        setup({ onResolve }) {
          onResolve({ filter: /^/ }, ({ path: name, kind }) =>
            kind === "dynamic-import" ? { path: name, external: true } : undefined,
          );
        },
      },
    ],
  });
  fs.writeFileSync(path.join(root, entry), outputFiles[0].contents);
  fs.rmSync(path.join(root, chunks[0]));
  Object.assign(outputs[entry].inputs, outputs[chunks[0]].inputs);
  delete outputs[chunks[0]];
  for (const name of Object.keys(outputs).filter((each) => each !== entry && each !== chunks[0])) {
    const text = fs.readFileSync(path.join(root, name), "utf8");
    fs.writeFileSync(path.join(root, name), text.replaceAll(JSON.stringify(part), JSON.stringify(own)));
  }
}

/**
 * Leaves dynamic imports of the client's scripts to the browser: each is a file of its own. So is each language of the
 * component; `sheaf site` copies them from dist/browser/ui.
 */
const clientApart = {
  name: "client-apart",
  setup({ onResolve }) {
    onResolve({ filter: /\/(open|open_here|language|languages\/[\w-]+)\.js$/ }, ({ path: name, kind }) =>
      kind === "dynamic-import" ? { path: name, external: true } : undefined,
    );
    // Beside the client, whence it finds its module. Apart, so that pages load no more of the client than they need.
    onResolve({ filter: /\/(preview|ask|page_tools|landed|drag)\.js$/ }, ({ path: name, kind }) =>
      kind === "dynamic-import" ? { path: `./${path.posix.basename(name)}`, external: true } : undefined,
    );
  },
};

/**
 * Puts sheaf-text.wasm into the script that needs it, the preview's, as a string of its bytes: one request less, for the same
 * bytes once compressed.
 */
export const textInside = {
  name: "text-inside",
  setup({ onLoad }) {
    onLoad({ filter: /\/client\/load_text\.js$/ }, ({ path: file }) => {
      const bytes = fs.readFileSync(dist("browser", "core", "sheaf-text.wasm")).toString("latin1");
      const address = 'new URL("../core/sheaf-text.wasm", import.meta.url)'.replaceAll('"', "'");
      const text = fs.readFileSync(file, "utf8");
      if (!text.includes(address)) throw new Failure(`${file}: expected ${address}, where the module is.`);
      return {
        contents: text.replace(address, () => `Uint8Array.from(${JSON.stringify(bytes)}, (c) => c.charCodeAt(0))`),
      };
    });
  },
};

async function bundleCode(build) {
  // open.js is for pages with an interface of their own; the component brings it along.
  // A script of the client is one file: a few kilobytes that others have as well cost less than the round trip in which
  // the browser asks for the parts of a script that it has read.
  const client = await build({
    ...shared,
    entryPoints: {
      ...Object.fromEntries(
        ["open", "open_here", "worker", "language"].map((name) => [
          `client/${name}`,
          dist("browser", "client", `${name}.js`),
        ]),
      ),
      "client/preview": dist("browser", "ui", "views", "preview.js"),
      "client/ask": dist("browser", "ui", "ask", "ask.js"),
      "client/page_tools": dist("browser", "ui", "page_tools.js"),
      "client/landed": dist("browser", "ui", "landed.js"),
      "client/drag": dist("browser", "ui", "drag.js"),
    },
    outdir: code,
    format: "esm",
    charset: "utf8",
    plugins: [clientApart, textInside],
  });
  keepInputs("site-code-client", client.metafile);
  const { metafile } = await build({
    ...shared,
    entryPoints: { "client/site": dist("browser", "page", "site.js") }, // beside the scripts that it names
    outdir: code,
    chunkNames: "client/part-[hash]",
    splitting: true,
    format: "esm",
    charset: "utf8", // of every module; a classic script has its page's
    plugins: [cssTemplates, clientApart],
  });
  importTogether(metafile);
  await joinShared(build, metafile, "dist/node/site/code/client/site.js");
  keepInputs("site-code", metafile);
}

/** One classic script. Classic scripts have no import.meta, so they are passed everything. */
async function bundleScript(build, name, entry, outfile, plugins = []) {
  const { metafile } = await build({
    ...shared,
    entryPoints: [entry],
    outfile,
    format: "iife",
    define: { "import.meta.url": '""' },
    plugins,
  });
  keepInputs(name, metafile);
}

/** Makes all files unless they are newer than their inputs. Returns whether they were made. */
export async function bundleSite() {
  const inputs = ["ui", "client", "core", "page", "offline"].map((folder) => dist("browser", folder));
  const made = [
    path.join(code, "client", "site.js"),
    ...["page.js", "worker.js"].map((name) => path.join(file, name)),
    offline,
  ];
  const latest = newest(
    ...inputs,
    ...["site_bundle.mjs", "css_templates.mjs"].map((name) => path.join(root, "scripts", name)),
  );
  const known = ["site-code", "site-code-client", "site-page", "site-worker", "site-offline"].every(hasInputs);
  if (known && made.every((each) => fs.existsSync(each)) && newest(made[0]) > latest) return false;
  const { build } = await import("esbuild");
  for (const folder of [code, file]) fs.rmSync(folder, { recursive: true, force: true });
  await bundleScript(build, "site-page", dist("browser", "page", "file.js"), path.join(file, "page.js"), [
    cssTemplates,
  ]);
  await bundleScript(build, "site-worker", dist("browser", "client", "worker.js"), path.join(file, "worker.js"));
  await bundleScript(build, "site-offline", dist("browser", "offline", "worker.js"), offline); // importable by a worker of the site's own
  await bundleCode(build);
  return true;
}

main(import.meta.url, async () =>
  say(
    `  dist/node/site/code, dist/node/site/file and the service worker are ${(await bundleSite()) ? "made" : "up to date"}`,
  ),
);
