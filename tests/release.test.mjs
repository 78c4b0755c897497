/** How a release is made: the owner's facts, the checks before it, and what stands in its files. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";
import yaml from "js-yaml";
import { missingFacts, PLACEHOLDER, readOwner, withRepository } from "../scripts/owner.mjs";
import { gitState, publishingProblems, versionProblems } from "../scripts/release/checks.mjs";
import { nativeManifest, stageNative } from "../scripts/release/native_packages.mjs";
import { publishedServer } from "../scripts/release/outputs.mjs";
import { PARTS, requireParts } from "../scripts/release/parts.mjs";
import { builderId, checksums, provenance } from "../scripts/release/provenance.mjs";
import { publishingCommands, releaseNotes } from "../scripts/release/publishing.mjs";
import { root } from "../scripts/support.mjs";
import { temporaryFolder } from "./node/packed.mjs";

const folder = temporaryFolder("release");
const read = (name) => readFileSync(path.join(root, name), "utf8");
const json = (name) => JSON.parse(read(name));

/** The facts that owner.json with these fields gives. */
function owner(fields) {
  const file = path.join(folder, "owner.json");
  writeFileSync(file, JSON.stringify({ about: "a test", ...fields }));
  return readOwner(file);
}

const KNOWN = {
  author: { name: "Ada Example", email: "ada@example.org" },
  repository: "https://github.com/example/docs-search",
  npmScope: "@example",
};

describe("a package without the packer", () => {
  const message = /No package is made: dist\/browser\/packer\/sheaf-packer\.wasm is missing in .*\. Build it: npm run build -- --module/;

  it("A package without the packer is refused for any missing part, with the build command", () => {
    requireParts(PARTS);
    for (const part of PARTS)
      assert.throws(
        () =>
          requireParts(
            PARTS.filter((name) => name !== part),
            folder,
          ),
        (error) => {
          assert.ok(error.message.startsWith(`No package is made: ${part} is missing in `));
          return error.message.endsWith(". Build it: npm run build -- --module");
        },
      );
  });

  it("A package without the packer is made neither by npm pack nor as a wheel nor as an .mcpb", () => {
    const tree = path.join(folder, "tree");
    for (const name of [
      "scripts",
      "web",
      "licences",
      "package.json",
      "package-lock.json",
      "python",
      "owner.json",
      "README.md",
      "LICENSE",
      "NOTICE",
    ])
      cpSync(path.join(root, name), path.join(tree, name), { recursive: true });
    symlinkSync(path.join(root, "node_modules"), path.join(tree, "node_modules"));
    for (const name of PARTS.filter((part) => !part.endsWith("sheaf-packer.wasm"))) {
      mkdirSync(path.dirname(path.join(tree, name)), { recursive: true });
      writeFileSync(path.join(tree, name), "");
    }
    for (const [command, ...args] of [
      ["npm", "pack", "--dry-run"],
      [process.execPath, "scripts/wheel.mjs"],
      [process.execPath, "scripts/mcp_bundle.mjs", "--mcpb"],
    ]) {
      const { status, stderr } = spawnSync(command, args, { cwd: tree, encoding: "utf8" });
      assert.equal(status, 1, `${command} ${args.join(" ")}: ${stderr}`);
      assert.match(stderr, message);
    }
  });
});

describe("owner.json", () => {
  it("owner.json implies homepage, issues and MCP registry name by its repository", () => {
    const facts = owner(KNOWN);
    assert.equal(facts.homepage, "https://github.com/example/docs-search#readme");
    assert.equal(facts.bugs, "https://github.com/example/docs-search/issues");
    assert.equal(facts.mcpName, "io.github.example/docs-search");
    assert.deepEqual(missingFacts(facts), []);
  });

  it("owner.json is read as it stands, and lacks only its stated gaps", () => {
    const facts = readOwner();
    for (const line of missingFacts(facts)) assert.equal(facts[/^\w+/.exec(line)[0]], null);
  });

  it("owner.json is refused with the field that is wrong", () => {
    for (const [fields, message] of [
      [{ repository: "git@github.com:a/b.git" }, /repository is "git@.*expected "https:/],
      [{ author: "Ada" }, /author is "Ada"; expected \{/],
      [{ npmScope: "example" }, /npmScope is "example"; expected "@scope"/],
      [{ license: "MIT" }, /no field license; expected some of author,/],
    ])
      assert.throws(() => owner(fields), message);
  });

  it("owner.json is the only place that names the repository", () => {
    const { stdout } = spawnSync("git", ["grep", "-l", "-F", PLACEHOLDER], { cwd: root, encoding: "utf8" });
    const users = stdout.split("\n").filter((name) => name.startsWith("web/") || name === "package.json");
    assert.deepEqual(users, [], "what runs must not hold a placeholder");
    assert.equal(withRepository(`uses: ${PLACEHOLDER}@v0`, owner(KNOWN)), "uses: example/docs-search@v0");
  });
});

/** A tree with the files that checks read, as they stand here, committed and tagged. */
function tree(name, tag = `v${json("package.json").version}`) {
  const at = path.join(folder, name);
  mkdirSync(path.join(at, "docs"), { recursive: true });
  mkdirSync(path.join(at, "src/bundle"), { recursive: true });
  for (const file of ["package.json", "package-lock.json", "server.json", "docs/format.md", "src/bundle/format.h"])
    cpSync(path.join(root, file), path.join(at, file));
  cpSync(path.join(root, "tests/golden/v1"), path.join(at, "tests/golden/v1"), { recursive: true });
  writeFileSync(path.join(at, "CHANGELOG.md"), `# Changelog\n\n## ${json("package.json").version}\n\n- first\n`);
  const git = (...args) => execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@example.org", ...args], { cwd: at });
  git("init", "-q");
  git("add", "-A");
  git("commit", "-q", "-m", "all");
  if (tag) git("tag", tag);
  return at;
}

const edit = (file, from, to) => writeFileSync(file, readFileSync(file, "utf8").replace(from, to));

describe("the checks before a release", () => {
  it("The release checks agree that this tree states one version", () => assert.deepEqual(versionProblems(root), []));

  it("The release checks let a clean, tagged commit of a known owner pass", () => {
    assert.deepEqual(publishingProblems(tree("good"), owner(KNOWN)), []);
  });

  it("The release checks name every place that states another version", () => {
    const at = tree("versions");
    edit(path.join(at, "server.json"), '"version": "0.1.0"', '"version": "0.0.9"');
    edit(path.join(at, "CHANGELOG.md"), "## 0.1.0", "## 0.1.00");
    edit(path.join(at, "docs/format.md"), "format version 1", "format version 2");
    const problems = versionProblems(at);
    assert.deepEqual(
      problems.map((line) => line.split(" ")[0]),
      ["server.json", "CHANGELOG.md", "docs/format.md"],
    );
  });

  it("The release checks name changed files, a missing tag and missing facts", () => {
    const at = tree("untagged", null);
    writeFileSync(path.join(at, "new.txt"), "");
    const problems = publishingProblems(at, owner({})).join("\n");
    assert.match(problems, /differs from its commit:\n\s+\?\? new\.txt/);
    assert.match(problems, /has no tag v/);
    assert.match(problems, /owner\.json lacks repository/);
    assert.equal(gitState(at).tags.length, 0);
  });
});

describe("the files of a release", () => {
  const built = path.join(folder, "natives");
  mkdirSync(path.join(built, "linux-arm64"), { recursive: true });
  writeFileSync(path.join(built, "linux-arm64", "sheaf-pack"), "a program");

  it("Release files hold native packages that npm installs only where they fit", () => {
    const { name, os, cpu, version, scripts } = nativeManifest("linux-arm64", json("package.json"), owner(KNOWN));
    assert.deepEqual([name, os, cpu, version], ["@example/pack-linux-arm64", ["linux"], ["arm64"], json("package.json").version]);
    assert.equal(scripts, undefined);
  });

  it("Release files hold no program without the notices of its linked parts", () => {
    const stage = path.join(folder, "native-stage");
    const from = { natives: built, owner: owner(KNOWN) };
    assert.throws(() => stageNative(stage, "linux-arm64", from), /linux-arm64 needs .*THIRD_PARTY_NOTICES\.txt, which is not there/);
    writeFileSync(path.join(built, "linux-arm64", "THIRD_PARTY_NOTICES.txt"), "notices");
    stageNative(stage, "linux-arm64", from);
    assert.equal(statSync(path.join(stage, "bin/sheaf-pack")).mode & 0o777, 0o755);
  });

  it("Release files name the .mcpb with its checksum in server.json once known", () => {
    const mcpb = { name: "sheaf-1.2.0.mcpb", sha256: "ab", version: "1.2.0" };
    const known = publishedServer(json("server.json"), owner(KNOWN), mcpb);
    assert.equal(known.name, "io.github.example/docs-search");
    const icon = "https://raw.githubusercontent.com/example/docs-search/main/extension/static/icons/sheaf-128.png";
    assert.deepEqual(
      known.icons.map(({ src }) => src),
      [icon],
    );
    assert.deepEqual(
      known.packages.map((each) => each.identifier),
      ["sheaf", "https://github.com/example/docs-search/releases/download/v1.2.0/sheaf-1.2.0.mcpb"],
    );
    assert.deepEqual(publishedServer(json("server.json"), owner({}), mcpb), json("server.json"));
  });

  it("Release files are listed in SHA256SUMS as sha256sum checks them", () => {
    const files = ["b.txt", "a.txt"].map((name) => path.join(folder, name));
    files.forEach((file) => writeFileSync(file, file));
    writeFileSync(path.join(folder, "SHA256SUMS"), checksums(files));
    const checked = spawnSync("sha256sum", ["--check", "--strict", "SHA256SUMS"], { cwd: folder, encoding: "utf8" });
    assert.equal(checked.stdout, "a.txt: OK\nb.txt: OK\n", checked.stderr);
  });

  it("A statement ties release files to commit, sources and tools, without times", () => {
    const file = path.join(folder, "x.tgz");
    writeFileSync(file, "x");
    const source = { repository: KNOWN.repository, commit: "c0ffee", changes: 0, version: "1.2.0" };
    const materials = [{ uri: "package-lock.json", sha256: "ab" }];
    const statement = provenance({ files: [file], source, materials, tools: { node: "20" }, builder: "urn:x" });
    assert.equal(statement._type, "https://in-toto.io/Statement/v1");
    assert.equal(statement.predicateType, "https://slsa.dev/provenance/v1");
    assert.deepEqual(statement.subject, [{ name: "x.tgz", digest: { sha256: checksums([file]).split(" ")[0] } }]);
    const [first] = statement.predicate.buildDefinition.resolvedDependencies;
    assert.deepEqual(first, { uri: `git+${KNOWN.repository}@c0ffee`, digest: { gitCommit: "c0ffee" } });
    assert.ok(!JSON.stringify(statement).includes(folder));
    assert.match(builderId({ GITHUB_ACTIONS: "true", GITHUB_WORKFLOW_REF: "a/b/.github/workflows/r.yml@v1" }), /a\/b\/\.github/);
    assert.match(builderId({}), /unattested/);
  });

  it("Release files are published in an order in which each finds its references", () => {
    const names = ["server.json", "sheaf-1.2.0.tgz", "example-pack-linux-x64-1.2.0.tgz", "sheaf_docs-1.2.0-py3-none-any.whl"];
    const verbs = (facts) => publishingCommands(names, "1.2.0", facts).map((line) => line.split(" ").slice(0, 3).join(" "));
    assert.deepEqual(verbs(owner(KNOWN)), [
      "sha256sum --check SHA256SUMS",
      "npm publish ./example-pack-linux-x64-1.2.0.tgz",
      "npm publish ./sheaf-1.2.0.tgz",
      "twine upload sheaf_docs-1.2.0-py3-none-any.whl",
      "gh release create",
      "mcp-publisher login github",
    ]);
    assert.ok(!verbs(owner({})).join().includes("linux-x64"), "a package without a scope has no name to publish");
  });

  it("Release files come with the changelog's section of their version", () => {
    const changelog = "# Changelog\n\n## Unreleased\n\n- new\n\n## 1.2.0 (2026-12-01)\n\n- old\n";
    assert.equal(releaseNotes(changelog, "1.2.0"), "- old\n");
    assert.equal(releaseNotes(changelog, "1.3.0"), "- new\n");
  });
});

describe("the release workflow", () => {
  const { jobs } = yaml.load(read(".github/workflows/release.yml"));
  const commands = (job) => job.steps.flatMap((step) => step.run ?? []);

  it("The release workflow makes everything by the one script, without rights to publish", () => {
    assert.ok(commands(jobs.make).includes("node scripts/release.mjs $COMPLETE"));
    assert.equal(jobs.make.permissions, undefined, "the workflow's own: contents: read");
    assert.ok(!JSON.stringify(jobs.make).includes("secrets."));
  });

  it("The release workflow publishes only on request, and when the environment allows it", () => {
    const { make, ...publishing } = jobs;
    assert.deepEqual(Object.keys(publishing), ["attest", "npm", "pypi", "github", "mcp-registry"]);
    assert.equal(jobs.attest.if, "inputs.publish");
    for (const [name, { needs, environment }] of Object.entries(publishing)) {
      assert.equal(environment, "release", name);
      // A job whose `needs` was skipped is skipped, so all hang on `attest`.
      const after = [needs].flat();
      assert.ok(
        after.every((each) => (name === "attest" ? each === "make" : each in publishing)),
        `${name} needs ${after}`,
      );
    }
  });

  it("The release workflow gives each job only the rights it needs", () => {
    const rights = Object.entries(jobs).map(([name, { permissions }]) => [name, Object.keys(permissions ?? {}).join(", ")]);
    assert.deepEqual(Object.fromEntries(rights), {
      make: "",
      attest: "id-token, attestations",
      npm: "id-token",
      pypi: "id-token",
      github: "contents",
      "mcp-registry": "id-token",
    });
  });

  it("The release workflow turns no input into a command", () => {
    for (const job of Object.values(jobs)) assert.doesNotMatch(commands(job).join("\n"), /\$\{\{/, "no input becomes a command");
  });
});
