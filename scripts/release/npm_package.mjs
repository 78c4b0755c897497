// The npm package: its files in a folder of their own, with the package.json that is published, and the tarball.
//
// What is in it is `files` of the tree's package.json, as npm itself reads it. Its package.json differs from the tree's:
// the owner's facts are filled in, the native packages are optional dependencies, and what serves only the tree (scripts,
// devDependencies) is gone, so that installing runs nothing. README.md names the real repository.
//
// Invariant: the same tree gives the same bytes on every machine with the same npm and Node. npm sets all times to 1985
// and sorts files; the modes are set here, because umask would show in them.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { manifestFields, withRepository } from "../owner.mjs";
import { Failure, root } from "../support.mjs";
import { requireParts } from "./parts.mjs";

const json = (file) => JSON.parse(fs.readFileSync(file, "utf8"));

/** Runs npm without the packages' scripts. Returns what it printed. */
function npm(args, cwd) {
  // On Windows npm is a .cmd file, which needs a shell.
  const result = spawnSync("npm", [...args, "--ignore-scripts", "--loglevel=error"], {
    cwd,
    encoding: "utf8",
    shell: process.platform === "win32",
    maxBuffer: 64 * 1024 * 1024,
  });
  if (result.status !== 0)
    throw new Failure(`npm ${args.join(" ")} failed in ${cwd}:\n${result.error?.message ?? result.stderr}`);
  return result.stdout;
}

/** What `npm pack` would make of the tree: { size, unpackedSize, files: [{ path, size }] }; sizes in bytes. */
export function listPackage() {
  return JSON.parse(npm(["pack", "--dry-run", "--json"], root))[0];
}

/**
 * The package.json that is published. `natives`: names of native packages; each becomes an optional dependency of exactly
 * this version. Pure.
 */
export function publishedManifest(manifest, owner, natives = []) {
  const { scripts: _, devDependencies: __, ...kept } = manifest;
  return {
    ...kept,
    ...manifestFields(owner),
    ...(owner.mcpName === null ? {} : { mcpName: owner.mcpName }), // the registry of MCP servers asks for it
    ...(natives.length === 0
      ? {}
      : { optionalDependencies: Object.fromEntries(natives.map((name) => [name, manifest.version])) }),
  };
}

/** Writes the package's files below `folder`, which must be empty or missing. Failure: a part is not built. */
export function stagePackage(folder, { owner, natives = [] }) {
  const files = listPackage().files.map((file) => file.path);
  requireParts(files);
  for (const name of files) {
    const target = path.join(folder, name);
    fs.mkdirSync(path.dirname(target), { recursive: true });
    fs.copyFileSync(path.join(root, name), target);
    fs.chmodSync(target, 0o644);
  }
  const manifest = publishedManifest(json(path.join(root, "package.json")), owner, natives);
  fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  const readme = path.join(folder, "README.md");
  fs.writeFileSync(readme, withRepository(fs.readFileSync(readme, "utf8"), owner));
}

/** Makes the tarball of a package's folder in `out`. Returns { file, bytes, unpacked, sha256 }; sizes in bytes. */
export function packFolder(folder, out) {
  fs.mkdirSync(out, { recursive: true });
  const [{ filename, unpackedSize }] = JSON.parse(npm(["pack", "--json", "--pack-destination", out], folder));
  // npm may print the name of a package with a scope as it is, @scope/name; its file is scope-name.
  const file = path.join(out, filename.replace(/^@/, "").replace("/", "-"));
  const bytes = fs.readFileSync(file);
  return {
    file,
    bytes: bytes.length,
    unpacked: unpackedSize,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}
