// The pins of the current Emscripten (scripts/emscripten): what they name, and how they are renewed.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";
import { launcher, pinned, readIndex } from "../scripts/emscripten/forky.mjs";

const pins = JSON.parse(fs.readFileSync(new URL("../scripts/emscripten/forky.json", import.meta.url), "utf8"));

describe("the packages of a current Emscripten", () => {
  it("Emscripten's packages are named by archive path and SHA-256, compilers included", () => {
    const files = Object.entries(pins.packages);
    for (const [file, sum] of files) {
      assert.match(file, /^pool\/main\/[\w.+~/-]+_[\w.+~-]+_(all|amd64)\.deb$/);
      assert.match(sum, /^[0-9a-f]{64}$/);
    }
    for (const name of ["emscripten", "binaryen", "clang-\\d+", "lld-\\d+", "llvm-\\d+", "libc6", "node-acorn"])
      assert.equal(files.filter(([file]) => new RegExp(`/${name}_`).test(file)).length, 1, name);
  });

  const index = readIndex(
    "Package: kiln\nVersion: 2\nDescription: fires\n clay: slowly\nFilename: pool/main/k/kiln/kiln_2_all.deb\nSHA256: bb\n\n" +
      "Package: kiln-doc\nFilename: pool/main/k/kiln/kiln-doc_2_all.deb\nSHA256: cc\n",
  );

  it("Emscripten's packages are pinned again from the archive's index", () => {
    assert.deepEqual(pinned({ packages: { "pool/main/k/kiln/kiln_1_all.deb": "aa" } }, index), {
      "pool/main/k/kiln/kiln_2_all.deb": "bb",
    });
  });

  it("Emscripten's missing packages are named, with the place to change", () => {
    assert.throws(
      () => pinned({ release: "forky", packages: { "pool/main/libk/libkiln1/libkiln1_1_amd64.deb": "aa" } }, index),
      /forky no longer has libkiln1\. Name its successor in scripts\/emscripten\/forky\.json/,
    );
  });
});

describe("a launcher", () => {
  const home = fs.mkdtempSync(path.join(os.tmpdir(), "sheaf-launcher-"));
  const libraries = path.join(home, "usr", "lib", "x86_64-linux-gnu");
  after(() => fs.rmSync(home, { recursive: true }));

  /** Runs the launcher of `file` with a loader that prints what it was given. */
  function run(file, ...args) {
    fs.mkdirSync(path.join(home, "bin"), { recursive: true });
    fs.mkdirSync(libraries, { recursive: true });
    const loader = path.join(libraries, "ld-linux-x86-64.so.2");
    fs.writeFileSync(loader, '#!/bin/sh\nprintf "%s\\n" "$@"\n', { mode: 0o755 });
    const program = path.join(home, "bin", path.basename(file));
    fs.writeFileSync(program, launcher(file), { mode: 0o755 });
    const [flag, folder, argv0, name, real, ...passed] = execFileSync(program, args, { encoding: "utf8" }).trim().split("\n");
    assert.deepEqual([flag, argv0, name], ["--library-path", "--argv0", program]);
    assert.equal(path.resolve(folder), libraries);
    assert.equal(path.resolve(real), path.join(home, file));
    return passed;
  }

  it("A launcher runs the program with its own loader, libraries and unchanged arguments", () => {
    assert.deepEqual(run("usr/bin/wasm-opt", "-Oz", "two words", "*"), ["-Oz", "two words", "*"]);
  });

  it("A launcher gives clang its name, but not to clang's inner commands", () => {
    assert.deepEqual(run("usr/lib/llvm-21/bin/clang++", "-c", "a.cc"), ["-c", "a.cc", "-no-canonical-prefixes"]);
    assert.deepEqual(run("usr/lib/llvm-21/bin/clang", "-cc1", "a.c"), ["-cc1", "a.c"]);
  });
});
