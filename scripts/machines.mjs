// `node scripts/machines.mjs`: core and packer on machines that differ from this one, by Debian's cross compilers.
//
//   node scripts/machines.mjs [--only=s390x,i386,arm64]
//
// For each machine: the unit tests, and docs/ packed to the same bytes as here. s390x stores the most significant byte
// first, i386 has words of 32 bits, arm64 is what many servers are. Exit code 1 when a test fails or bytes differ.
//
// By qemu, tests that start a program of that machine are left out (STARTS), since the system here would not run it.
// Cost, on two cores: a machine takes ten minutes to compile; its tests take two natively (i386), and forty by qemu.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { fetchSources, sourceSettings } from "./fetch_sources.mjs";
import { Failure, chosenParts, jobs, main, root, run, say, step } from "./support.mjs";
import { unitTests } from "./unit_tests.mjs";

/** Debian's name of the compiler, and qemu's of the machine; '' where this processor runs its programs. */
const MACHINES = {
  s390x: { triple: "s390x-linux-gnu", qemu: "s390x" },
  i386: { triple: "i686-linux-gnu", qemu: process.arch === "x64" ? "" : "i386" },
  arm64: { triple: "aarch64-linux-gnu", qemu: process.arch === "arm64" ? "" : "aarch64" },
};
const GTEST = "/usr/src/googletest";
/** By qemu, a test takes some twenty times as long. */
const PATIENCE_MS = 1_800_000;
/** Suites that start the packer or an encoder as a process of its own. */
const STARTS = ["EmbeddingClientTest", "PackCommandTest", "PassageEmbedderTest", "TransformerBundle"];

const folderOf = (name) => path.join(root, "build", "machines", name);

/** GoogleTest for the machine: Debian has libraries for this one alone, and sources for any. */
async function buildGoogleTest(name, cross) {
  const prefix = path.join(folderOf(name), "googletest");
  const tree = path.join(folderOf(name), "googletest-build");
  if (fs.existsSync(path.join(prefix, "lib", "libgtest.a"))) return prefix;
  const log = `googletest-${name}`;
  const settings = ["-DCMAKE_BUILD_TYPE=Release", "-DBUILD_GMOCK=OFF", `-DCMAKE_INSTALL_PREFIX=${prefix}`];
  await run("cmake", ["-G", "Ninja", "-S", GTEST, "-B", tree, ...cross, ...settings], { log });
  await run("cmake", ["--build", tree, "--target", "install"], { log, append: true });
  return prefix;
}

/** Builds unit tests and packer; returns the tree. */
async function build(name) {
  const { triple, qemu } = MACHINES[name];
  const cross = [
    `-DCMAKE_TOOLCHAIN_FILE=${path.join(root, "cmake", "cross.cmake")}`,
    `-DSHEAF_TRIPLE=${triple}`,
    `-DSHEAF_MACHINE=${qemu}`,
  ];
  const prefix = await buildGoogleTest(name, cross);
  const tree = path.join(folderOf(name), "tree");
  const settings = {
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_CXX_FLAGS: "-O1",
    GTest_DIR: path.join(prefix, "lib", "cmake", "GTest"),
    SHEAF_BUNDLED_LIBRARIES: "ON",
    SHEAF_STATIC: "ON",
    SHEAF_TESTS: "ON",
  };
  const defines = [...Object.entries(settings).map(([key, value]) => `-D${key}=${value}`), ...sourceSettings()];
  await run("cmake", ["-G", "Ninja", "-S", root, "-B", tree, ...cross, ...defines], { log: `configure-${name}` });
  const targets = ["sheaf_unit_tests", "sheaf-pack"];
  await run("cmake", ["--build", tree, "-j", String(jobs()), "--target", ...targets], { log: `build-${name}` });
  return tree;
}

/** A program that can be started here: itself, or a script that starts it by qemu. */
function startable(program, qemu) {
  if (qemu === "") return program;
  const script = `${program}-by-qemu`;
  fs.writeFileSync(script, `#!/bin/sh\nexec qemu-${qemu} '${program}' "$@"\n`, { mode: 0o755 });
  return script;
}

async function testsOf(name, tree) {
  const { qemu } = MACHINES[name];
  const filter = qemu === "" ? undefined : `*-${STARTS.map((suite) => `${suite}.*`).join(":")}`;
  const { tests, passed, skipped, failures } = await unitTests(startable(path.join(tree, "sheaf_unit_tests"), qemu), {
    jobs: jobs(),
    log: `machine-${name}`,
    patience: PATIENCE_MS,
    filter,
  });
  for (const [first] of failures) say(`  ✗ ${first}`);
  if (failures.length > 0 || passed === 0) throw new Failure(`${name}: ${failures.length} of ${tests} tests failed.`);
  return `${passed} passed, ${skipped} skipped`;
}

const packed = async (command, args, name) => {
  const file = path.join(root, "build", "machines", `${name}.sheaf`);
  const input = ["pack", "docs", "--library", "sheaf", "--version", "1", "--quiet", "-o", file];
  const table = ["--encoder-table", path.join("models", "minilm-l6-256.sheaf")];
  await run(command, [...args, ...input, ...table], { log: `pack-${name}` });
  return createHash("sha256").update(fs.readFileSync(file)).digest("hex");
};

async function sameBytes(name, tree) {
  const here = await packed(path.join(root, "build", "native", "sheaf-pack"), [], "here");
  const there = await packed(startable(path.join(tree, "sheaf-pack"), MACHINES[name].qemu), [], name);
  if (here !== there) throw new Failure(`${name} packs docs/ into other bytes: ${there}, expected ${here}.`);
  return undefined;
}

main(import.meta.url, async () => {
  const machines = chosenParts(Object.keys(MACHINES));
  await bootstrap("machines");
  await fetchSources({ bundled: true });
  let failed = 0;
  for (const name of machines) {
    try {
      let tree;
      await step(`Building for ${name}`, async () => void (tree = await build(name)));
      await step(`Unit tests on ${name}`, () => testsOf(name, tree));
      await step(`The same bytes on ${name}`, () => sameBytes(name, tree));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      say(`✗ ${error.message}`);
      failed++;
    }
  }
  return failed > 0 ? 1 : 0;
});
