// Where the C sources come from: which mirrors are asked, what is believed, and how Debian's patches get in.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { download, mirrorsOf, poolPath, sources, unpack } from "../scripts/fetch_sources.mjs";

describe("Debian's mirrors", () => {
  it("Debian's mirrors are those from which apt reads main", () => {
    assert.deepEqual(mirrorsOf("main http://one.example/debian/\nmain https://mirror.example/debian/\n"), [
      "http://one.example/debian/",
      "https://mirror.example/debian/",
    ]);
    assert.deepEqual(mirrorsOf(""), []);
  });

  it("Debian's mirrors are read from a mirror list, too", () => {
    const readList = (file) =>
      file === "/etc/apt/mirrors/debian.list" ? "https://a.example/debian priority:1\nhttps://b.example/debian/\n\n" : assert.fail(file);
    assert.deepEqual(mirrorsOf("main mirror+file:/etc/apt/mirrors/debian.list/", readList), [
      "https://a.example/debian/",
      "https://b.example/debian/",
    ]);
  });

  it("Debian's mirrors exclude other archives, discs, and security updates", () => {
    assert.deepEqual(
      mirrorsOf(`stable https://download.docker.com/linux/debian/
main https://deb.nodesource.com/node_20.x/
main https://packages.example/apt/
main http://security.example/debian-security/
main cdrom:[Debian]/`),
      [],
    );
  });

  it("Debian's mirrors keep a source package below its first letter, or lib and one more", () => {
    assert.deepEqual(
      ["zstd", "snowball", "gumbo"].map((name) =>
        poolPath(
          sources.find((source) => source.name === name),
          "x",
        ),
      ),
      ["pool/main/libz/libzstd/x", "pool/main/s/snowball/x", "pool/main/g/gumbo-parser/x"],
    );
  });
});

describe("a source package", () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "sheaf-sources-"));
  const sha256 = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");
  const pool = path.join(folder, "mirror", "pool", "main", "k", "kiln");
  const asked = [];
  let server;
  let source;
  let mirror;

  const write = (name, text) => {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  };

  before(async () => {
    write("kiln-1.0/kiln.h", "#define HEAT 900\n#define FUEL 1\n");
    write("debian/patches/series", "# ours\nhotter.patch\n\n");
    write(
      "debian/patches/hotter.patch",
      "Description: hotter\n--- a/kiln.h\n+++ b/kiln.h\n@@ -1,2 +1,2 @@\n-#define HEAT 900\n+#define HEAT 1200\n #define FUEL 1\n",
    );
    fs.mkdirSync(pool, { recursive: true });
    const files = {};
    for (const [name, inner] of [
      ["kiln_1.0.orig.tar.gz", "kiln-1.0"],
      ["kiln_1.0-1.debian.tar.gz", "debian"],
    ]) {
      execFileSync("tar", ["-czf", path.join(pool, name), "-C", folder, inner]);
      files[name] = sha256(path.join(pool, name));
    }
    source = { name: "kiln", variable: "SHEAF_KILN_SOURCE", package: "kiln", version: "1.0-1", proof: "kiln.h", files };
    server = http.createServer((request, response) => {
      asked.push(request.url);
      const file = path.join(folder, "mirror", request.url.replace(/^\/(debian|damaged)\//, ""));
      if (!request.url.match(/^\/(debian|damaged)\//) || !fs.existsSync(file)) return response.writeHead(404).end();
      response.end(request.url.startsWith("/damaged/") ? "something else" : fs.readFileSync(file));
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    mirror = (name) => `http://127.0.0.1:${server.address().port}/${name}/`;
  });
  after(() => {
    server.close();
    fs.rmSync(folder, { recursive: true });
  });

  /** As on a system without apt. */
  async function withoutApt(work) {
    const { PATH } = process.env;
    process.env.PATH = path.dirname(process.execPath) === "/usr/bin" ? "" : path.dirname(process.execPath);
    try {
      return await work();
    } finally {
      process.env.PATH = PATH;
    }
  }

  it("A source package comes once, from the first place with the exact bytes", async () => {
    const archives = path.join(folder, "archives");
    await withoutApt(() => download(source, archives, [mirror("none"), mirror("damaged"), mirror("debian")]));
    assert.deepEqual(fs.readdirSync(archives).sort(), Object.keys(source.files).sort());
    assert.equal(asked.length, 6);
    await withoutApt(() => download(source, archives, [mirror("debian")]));
    assert.equal(asked.length, 6, "what is there is not asked for again");
  });

  it("A source package is unpacked with Debian's patches, inside a repository too", async () => {
    const repository = path.join(folder, "repository");
    execFileSync("git", ["init", "-q", repository]);
    const target = path.join(repository, "build", "kiln");
    await unpack(source, path.join(folder, "archives"), target);
    assert.equal(fs.readFileSync(path.join(target, "kiln.h"), "utf8"), "#define HEAT 1200\n#define FUEL 1\n");
    assert.ok(!fs.existsSync(`${target}.partial`));
  });

  it("A missing source package is refused, with each place's reason and the ways out", async () => {
    const archives = path.join(folder, "nothing");
    await assert.rejects(
      withoutApt(() => download(source, archives, [mirror("none"), mirror("damaged")])),
      (error) => {
        assert.match(error.message, /kiln_1\.0\.orig\.tar\.gz of kiln 1\.0-1 could not be had:/);
        assert.match(error.message, /\/none\/pool\/main\/k\/kiln\/kiln_1\.0\.orig\.tar\.gz answered with HTTP status 404/);
        assert.match(error.message, /\/damaged\/.* has SHA-256 [0-9a-f]{64}, expected [0-9a-f]{64}/);
        assert.match(error.message, /SHEAF_KILN_SOURCE=[^]*SHEAF_DEBIAN_MIRROR=/);
        return true;
      },
    );
    assert.deepEqual(fs.readdirSync(archives), []);
  });
});
