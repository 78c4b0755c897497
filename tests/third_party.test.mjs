/** The notices and bills of materials that the build leaves: that nothing of others is passed on without them. */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import { noticesText } from "../scripts/notices.mjs";
import { billOfMaterials } from "../scripts/sbom.mjs";
import { root } from "../scripts/support.mjs";
import { native, packaged, sha256 } from "../scripts/third_party.mjs";
import { copyrightParagraphs, nativeLibraries } from "../scripts/third_party_sources.mjs";

const full = (name) => path.join(root, name);
const text = (name) => readFileSync(full(name), "utf8");
const json = (name) => JSON.parse(text(name));
const below = (folder) =>
  readdirSync(full(folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath ?? entry.path, entry.name)));

/** The files of dist/ that are no compiled file of web/: modules of WebAssembly and bundles. */
function made() {
  const source = (name) => {
    const own = name.slice("dist/".length).replace(/\.js$/, ".ts");
    return own.startsWith("extension/") ? own.replace("extension/", "extension/src/") : `web/${own}`;
  };
  return below("dist").filter((name) => name.endsWith(".wasm") || (/\.m?js$/.test(name) && !existsSync(full(source(name)))));
}

/** The files that a text of notices names, each with the names of what is in it. */
function table(notices) {
  const rows = [...notices.split("-".repeat(80))[0].matchAll(/^(\S+)\n {4}(.+)$/gm)];
  return Object.fromEntries(rows.map(([, file, names]) => [file, names]));
}

describe("the notices", () => {
  const notices = text("dist/THIRD_PARTY_NOTICES.txt");

  it("The notices know every module and every bundle of the package", () => {
    const known = packaged().artifacts.map(({ file }) => file);
    assert.ok(made().length > 10, "the bundles were not found");
    assert.deepEqual(
      made().filter((name) => !known.includes(name)),
      [],
    );
  });

  it("The notices name the contents of modules and bundles, with their licences", () => {
    const rows = table(notices);
    for (const name of made().filter((each) => each.endsWith(".wasm")))
      assert.match(rows[name], /Unicode.*musl.*libc\+\+.*Emscripten/, name);
    for (const name of ["dist/browser/core/sheaf-core.wasm", "dist/browser/packer/sheaf-packer.wasm"].filter((each) => each in rows))
      assert.match(rows[name], /Zstandard, Snowball/);
    assert.match(rows["dist/browser/core/language-de.wasm"], /^Snowball/);
    assert.match(rows["dist/node/mcp/sdk.mjs"], /@modelcontextprotocol\/server, zod/);
    for (const name of [
      "dist/browser/ui/lit.mjs",
      "dist/browser/ui/sheaf-search.min.js",
      "dist/node/site/code/client/site.js",
      "dist/node/site/file/page.js",
    ])
      assert.match(rows[name], /lit-html/, name);
    for (const words of [
      "Copyright (c) Meta Platforms",
      "Copyright (c) 2001, Dr Martin Porter",
      "© 2005-2020 Rich Felker",
      "The Emscripten Authors",
      "LLVM",
      "Unicode, Inc.",
      "Google LLC",
      "Colin McDonnell",
    ])
      assert.ok(notices.includes(words), words);
    assert.doesNotMatch(notices, /was not found/);
  });

  it("The notices of a site name its needs and no more", () => {
    const site = text("dist/node/site/code/THIRD_PARTY_NOTICES.txt");
    const own = Object.keys(table(site)).filter((file) => !/^core\/language-..\.wasm$/.test(file));
    // The part is that of several bundles, which holds a module.
    assert.deepEqual(
      own.map((file) => file.replace(/part-\w+/, "part")),
      ["client/part.js", "client/site.js", "core/sheaf-core.wasm", "core/sheaf-text.wasm"],
    );
    assert.match(site, /Rich Felker[\s\S]*Google LLC/);
    assert.doesNotMatch(site, /modelcontextprotocol/);
  });

  it("The packer's notices give a licence for all linked parts", () => {
    const packer = text("build/native/THIRD_PARTY_NOTICES.txt");
    for (const { name } of native().components) assert.match(packer, new RegExp(`^${name.replace(/\W/g, "\\$&")} \\S+ \\(`, "m"));
    assert.doesNotMatch(packer, /was not found/);
  });

  it("The notices leave out absent parts, and are the same for the same", () => {
    const component = (id) => ({ id, name: `Name ${id}`, version: "1", licence: "MIT", url: "u", text: () => `words of ${id}` });
    const parts = {
      artifacts: [
        { file: "a", components: ["x"] },
        { file: "b", components: [] },
      ],
      components: [component("x"), component("y")],
    };
    assert.match(noticesText(parts), /\na\n {4}Name x\n[\s\S]*Name x 1 \(MIT\)\nu\n\nwords of x\n$/);
    assert.doesNotMatch(noticesText(parts), /\nb\n|Name y/);
    assert.equal(noticesText(parts), noticesText(parts));
  });

  it("The notices read Debian's copyright files paragraph by paragraph", () => {
    assert.deepEqual(copyrightParagraphs("Files:\n a/*\n b\nLicense: MIT\n one\n .\n two\n\nLicense: X\n words"), [
      { files: "\na/*\nb", license: "MIT\none\n\ntwo" },
      { license: "X\nwords" },
    ]);
  });
});

describe("the tables of what is linked", () => {
  it("The tables of linked parts have every third-party source of the modules", () => {
    const compiled = json("build/wasm/compile_commands.json").map(({ file }) => path.relative(root, file));
    const ours = /^(src|wasm|tests\/bench)\/|\/cmake_pch\.hxx\.cxx$/;
    const theirs = /^build\/(third_party\/(zstd|snowball)\/|wasm\/snowball\/)/;
    assert.deepEqual(
      compiled.filter((name) => !ours.test(name) && !theirs.test(name)),
      [],
    );
    assert.ok(
      compiled.some((name) => theirs.test(name)),
      "the sources were not found",
    );
  });

  const link = /^build sheaf-pack: [\s\S]*?^ {2}LINK_LIBRARIES = (.*)$/m.exec(text("build/native/build.ninja"))?.[1];

  it("The tables of linked parts have every library of the packer", () => {
    const named = link
      .split(/\s+/)
      .map((word) =>
        path
          .basename(word)
          .replace(/^(-l|lib)/, "")
          .replace(/\.(a|so)$/, ""),
      )
      .filter((name) => !name.startsWith("-") && !name.startsWith("sheaf_"));
    const rows = { "cmark-gfm-extensions": "cmark-gfm", icuuc: "icu", icudata: "icu" };
    assert.deepEqual(
      named.map((name) => rows[name] ?? name).filter((name) => nativeLibraries[name] === undefined),
      [],
    );
    assert.ok(named.length >= 4, `${link}: the libraries were not found`);
  });

  it("The tables of linked parts have the package of every packer header", {
    skip: !existsSync("/usr/bin/dpkg") && "this is no Debian",
  }, () => {
    const { stdout } = spawnSync("ninja", ["-C", full("build/native"), "-t", "deps"], { encoding: "utf8", maxBuffer: 2 ** 28 });
    const headers = [...new Set([...stdout.matchAll(/^ {4}(\/usr\/include\/.+)$/gm)].map(([, file]) => file))];
    assert.ok(
      headers.some((file) => file.startsWith("/usr/include/nlohmann/")),
      "the headers were not found",
    );
    const owners = spawnSync("dpkg", ["-S", ...headers], { encoding: "utf8", maxBuffer: 2 ** 28 }).stdout;
    const packages = new Set([...owners.matchAll(/^([^:\s]+)(?::\w+)?: /gm)].map(([, name]) => name));
    // The C and C++ libraries come with the compiler, and are on the machine that runs the packer. The two last are for tests and benchmarks.
    const known =
      /^(libc6-dev|linux-libc-dev|libstdc\+\+-\d+-dev|libgcc-\d+-dev|libcmark-gfm-extensions-dev|libgtest-dev|libbenchmark-dev)$/;
    const rows = Object.values(nativeLibraries).map((library) => library.package);
    assert.deepEqual(
      [...packages].filter((name) => !known.test(name) && !rows.includes(name)),
      [],
    );
  });
});

describe("a bill of materials", () => {
  const bills = { "dist/sbom.cdx.json": packaged(), "build/native/sbom.cdx.json": native() };
  const HASH = { "SHA-256": 64, "SHA-512": 128 };
  const IDS = ["Apache-2.0", "MIT", "BSD-2-Clause", "BSD-3-Clause", "Unicode-3.0", "Unicode-DFS-2016", "BlueOak-1.0.0", "ISC"];

  for (const [file, { artifacts, components }] of Object.entries(bills)) {
    const bill = json(file);
    const ref = (each) => each["bom-ref"];

    it(`A bill of materials has the shape of CycloneDX 1.6: ${file}`, () => {
      assert.deepEqual([bill.bomFormat, bill.specVersion, bill.version], ["CycloneDX", "1.6", 1]);
      assert.match(bill.serialNumber, /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
      const all = [bill.metadata.component, ...bill.components];
      assert.equal(new Set(all.map(ref)).size, all.length, "each reference is one component's");
      for (const component of all) {
        assert.ok(["library", "application", "file"].includes(component.type), component.type);
        assert.ok(component.name.length > 0);
        for (const { alg, content } of component.hashes ?? [])
          assert.match(content, new RegExp(`^[0-9a-f]{${HASH[alg]}}$`), component.name);
        for (const { license, expression } of component.licenses ?? [])
          assert.ok(expression === undefined ? IDS.includes(license.id) : / WITH /.test(expression), component.name);
        if (component.purl !== undefined) assert.match(component.purl, /^pkg:[a-z]+\/\S+@[^\s@]+$/);
        if (component.type === "library") assert.ok(component.licenses.length === 1, component.name);
      }
      const refs = all.map(ref);
      for (const { ref: from, dependsOn } of bill.dependencies)
        for (const each of [from, ...dependsOn]) assert.ok(refs.includes(each), each);
      assert.deepEqual(bill.dependencies.map((each) => each.ref).sort(), refs.sort());
    });

    it(`A bill of materials lists the files with checksums and contents: ${file}`, () => {
      for (const artifact of artifacts) {
        assert.equal(bill.components.find((each) => ref(each) === artifact.file)?.hashes[0].content, sha256(artifact.file), artifact.file);
        assert.deepEqual(bill.dependencies.find((each) => each.ref === artifact.file).dependsOn, artifact.components);
      }
      for (const { id, version } of components) assert.equal(bill.components.find((each) => ref(each) === id)?.version, version);
    });
  }

  it("A bill of materials has the checksums of lock file and pinned sources", () => {
    const bill = json("dist/sbom.cdx.json");
    const lit = bill.components.find(({ name }) => name === "lit-html");
    const integrity = json("package-lock.json").packages["node_modules/lit-html"].integrity;
    assert.equal(`sha512-${Buffer.from(lit.hashes[0].content, "hex").toString("base64")}`, integrity);
    const zstd = bill.components.find(({ name }) => name === "Zstandard");
    assert.equal(
      zstd.externalReferences.filter(({ type, hashes }) => type === "distribution" && hashes[0].content.length === 64).length,
      3,
    );
  });

  it("A bill of materials changes its serial number with its content alone", () => {
    const subject = { "bom-ref": "s", type: "library", name: "s" };
    const of = (hash) => billOfMaterials(subject, { artifacts: [{ file: "f", components: [] }], components: [] }, () => hash).serialNumber;
    assert.equal(of("a".repeat(64)), of("a".repeat(64)));
    assert.notEqual(of("a".repeat(64)), of("b".repeat(64)));
  });
});

describe("the licence", () => {
  it("The licence is Apache-2.0, whole, and in every package", () => {
    assert.match(text("LICENSE"), /^\s*Apache License\s+Version 2\.0, January 2004[\s\S]*END OF TERMS AND CONDITIONS/);
    assert.equal(json("package.json").license, "Apache-2.0");
    for (const name of ["NOTICE", "licences"]) assert.ok(json("package.json").files.includes(name), name);
  });
});
