/** cmake/emcc_direct.sh runs the command that emcc would run, and asks emcc once for each set of settings. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { after, describe, it } from "node:test";

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sheaf emcc-"));
after(() => fs.rmSync(folder, { recursive: true, force: true }));
const at = (name) => path.join(folder, name);
const write = (name, text) => fs.writeFileSync(at(name), `#!/bin/sh\n${text}`, { mode: 0o755 });

write("clang", 'for argument; do echo "$argument"; done\n');
write(
  "emcc",
  `echo "$@" >>'${at("asked")}'\n[ "$1" = -v ] || { echo emcc itself; exit; }\n` +
    `echo ' "${at("clang")}" -target wasm32 -D"own flag"='"$2"' -v -c empty.c -o empty.o' >&2\n`,
);
fs.copyFileSync(new URL("../cmake/emcc_direct.sh", import.meta.url), at("direct"));

const direct = (...given) => {
  const { stdout, stderr, status } = spawnSync(at("direct"), given, {
    encoding: "utf8",
    env: { ...process.env, SHEAF_EMCC: at("emcc") },
  });
  assert.equal(status, 0, stderr);
  return stdout.trimEnd().split("\n");
};
const asked = () => fs.readFileSync(at("asked"), "utf8").trimEnd().split("\n").length;

describe("emcc without its start", () => {
  it("A file is compiled with emcc's own flags, then those given, unchanged, without emcc's settings", () => {
    const given = ["-std=c++20", '-DTEXT="a b"', "-fno-exceptions", "-c", "it's a file.cc", "-o", "$out"];
    assert.deepEqual(direct("-sSUPPORT_LONGJMP=wasm", ...given), ["-target", "wasm32", "-Down flag=-sSUPPORT_LONGJMP=wasm", ...given]);
  });

  it("The wrapper asks emcc once for each set of settings", () => {
    const before = asked();
    for (let i = 0; i < 3; i++) direct("-Oz", "-c", `${i}.c`);
    assert.equal(asked(), before + 1);
    assert.match(direct("-fwasm-exceptions", "-c", "a.c")[2], /=-fwasm-exceptions$/);
    assert.equal(asked(), before + 2);
  });

  it("The wrapper runs emcc itself where its flags depend on more", () => {
    assert.deepEqual(direct("-pthread", "-c", "a.c"), ["emcc itself"]);
  });
});
