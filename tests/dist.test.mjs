/** dist holds what the sources of this tree make, and no more (scripts/dist.mjs). */
import assert from "node:assert/strict";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { sweep, unmade } from "../scripts/dist.mjs";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sheaf-dist-"));
after(() => fs.rmSync(folder, { recursive: true, force: true }));

const write = (...names) => {
  for (const name of names) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), "");
  }
};

const sources = ["web/cli/add.ts", "web/browser/ui/words/en.ts", "web/node/sources/xml_format.d.mts", "extension/src/desk.ts"];
const made = [
  "THIRD_PARTY_NOTICES.txt",
  "browser/core/language-de.wasm",
  "browser/packer/sheaf-packer.mjs",
  "browser/ui/sheaf-search.min.js",
  "browser/ui/words/en.d.ts",
  "browser/ui/words/en.js",
  "cli/add.d.ts",
  "cli/add.js",
  "extension/desk.js",
  "node/site/code/client/part-0.js",
  "node/sources/xml_format.LICENSES.txt",
  "node/sources/xml_format.mjs",
];
const stale = [
  "browser/ui/words/fr.js",
  "cli/put.d.ts",
  "cli/put.js",
  "core/sheaf-core.wasm",
  "extension/vault.js",
  "node/mcp/deep/old.js",
  "node/sources/lock_formats.mjs",
];

describe("dist", () => {
  it("A build removes the files of renamed modules, with their folders, and keeps all others", () => {
    write(...sources, ...[...made, ...stale].map((name) => `dist/${name}`), "web/browser/packer/index.ts");
    assert.deepEqual(unmade(folder), stale);
    assert.deepEqual(sweep(folder), stale);
    const left = fs.readdirSync(path.join(folder, "dist"), { recursive: true, withFileTypes: true });
    const files = left
      .filter((entry) => entry.isFile())
      .map((entry) => path.relative(path.join(folder, "dist"), path.join(entry.parentPath ?? entry.path, entry.name)));
    assert.deepEqual(files.sort(), made);
    for (const name of ["core", "node/mcp"]) assert.equal(fs.existsSync(path.join(folder, "dist", name)), false, name);
    assert.deepEqual(sweep(folder), []);
  });

  it("Each file of dist has a source, so a package holds no stale module", () => {
    assert.deepEqual(unmade(), [], "node scripts/dist.mjs removes them");
  });
});
