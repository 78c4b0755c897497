// The outputs of a release, one function for each kind. Each writes into the folder `out` and returns the paths of its
// files; a part whose script is not in the tree, or whose inputs are not built, says so in `lacking` and is left out.
//
// A release has { out, owner, version, lacking: string[], files: string[] }, the last with what is made so far.
import fs from "node:fs";
import path from "node:path";
import { buildMcpb } from "../mcp_bundle.mjs";
import { withRepository } from "../owner.mjs";
import { root, run } from "../support.mjs";
import { PLATFORMS, completePlatforms, missingFor, nativeName, stageNative } from "./native_packages.mjs";
import { packFolder, stagePackage } from "./npm_package.mjs";
import { sha256Of } from "./provenance.mjs";

const full = (...names) => path.join(root, ...names);
const exists = (...names) => fs.existsSync(full(...names));

/** A folder below build/ that `work` fills; it is gone when `work` has ended. */
async function staged(name, work) {
  const folder = full("build", `release-${name}`);
  fs.rmSync(folder, { recursive: true, force: true });
  fs.mkdirSync(folder, { recursive: true });
  try {
    return await work(folder);
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

/** Builds the native programs, if the tree can; they are in build/natives. */
export async function buildNatives() {
  if (exists("scripts", "natives.mjs"))
    await run(process.execPath, ["scripts/natives.mjs"], { log: "release-natives" });
}

/** The native packages. */
export async function nativePackages({ out, owner, lacking }) {
  const natives = full("build", "natives");
  for (const platform of PLATFORMS) {
    const missing = missingFor(platform, natives);
    if (missing) lacking.push(`the native package for ${platform}: ${path.relative(root, missing)} is not built`);
  }
  const files = [];
  for (const platform of completePlatforms(natives))
    await staged(platform, (folder) => {
      stageNative(folder, platform, { natives, owner });
      files.push(packFolder(folder, out).file);
    });
  return files;
}

/** The package `sheaf`. Without a scope it names no native packages, which have no published name then. */
export async function npmPackage({ out, owner }) {
  const natives = completePlatforms(full("build", "natives")).map((platform) => nativeName(platform, owner));
  return staged("sheaf", (folder) => {
    stagePackage(folder, { owner, natives: owner.npmScope === null ? [] : natives });
    return [packFolder(folder, out).file];
  });
}

/** The .mcpb, and server.json with the owner's name and the .mcpb's checksum. */
export async function mcpFiles({ out, owner, version }) {
  const mcpb = path.join(out, `sheaf-${version}.mcpb`);
  await buildMcpb(mcpb);
  const server = JSON.parse(fs.readFileSync(full("server.json"), "utf8"));
  const file = path.join(out, "server.json");
  const filled = publishedServer(server, owner, { name: path.basename(mcpb), sha256: sha256Of(mcpb), version });
  fs.writeFileSync(file, `${JSON.stringify(filled, undefined, 2)}\n`);
  return [mcpb, file];
}

/** server.json as it is published. The .mcpb is listed where the repository is on GitHub, whose releases hold it. Pure. */
export function publishedServer(server, { mcpName, repository, homepage }, mcpb) {
  const onGitHub = repository?.startsWith("https://github.com/");
  return {
    ...server,
    // The icon lies in the repository.
    ...(onGitHub
      ? { icons: server.icons.map((icon) => ({ ...icon, src: withRepository(icon.src, { repository }) })) }
      : {}),
    ...(mcpName === null ? {} : { name: mcpName }),
    ...(homepage === null ? {} : { websiteUrl: homepage }),
    ...(onGitHub ? { repository: { url: repository, source: "github" } } : {}),
    packages: [
      ...server.packages,
      ...(onGitHub
        ? [
            {
              registryType: "mcpb",
              identifier: `${repository}/releases/download/v${mcpb.version}/${mcpb.name}`,
              fileSha256: mcpb.sha256,
              transport: { type: "stdio" },
            },
          ]
        : []),
    ],
  };
}

/** What a script of its own makes: run with `--out FOLDER` and `args`, it writes files that end in `suffix` there. */
async function madeBy(script, args, suffix, what, { out, lacking }) {
  if (!exists("scripts", script)) {
    lacking.push(`${what}: scripts/${script} is not in this tree`);
    return [];
  }
  return staged(script, async (folder) => {
    await run(process.execPath, [`scripts/${script}`, "--out", folder, ...args], { log: `release-${script}` });
    const names = fs.readdirSync(folder).filter((name) => name.endsWith(suffix));
    if (names.length === 0) lacking.push(`${what}: scripts/${script} wrote no ${suffix}`);
    return names.map((name) => {
      fs.copyFileSync(path.join(folder, name), path.join(out, name));
      return path.join(out, name);
    });
  });
}

/** The wheel for PyPI, which holds the npm package as it is published; that must be made already. */
export function wheel(release) {
  const tarball = release.files.find((file) => path.basename(file) === `sheaf-${release.version}.tgz`);
  return madeBy("wheel.mjs", ["--package", tarball], ".whl", "the wheel for PyPI", release);
}

/** The Debian packages of the static programs. */
export function debian(release) {
  if (completePlatforms(full("build", "natives")).length > 0)
    return madeBy("deb.mjs", [], ".deb", "the Debian packages", release);
  release.lacking.push("the Debian packages: build/natives has no program");
  return [];
}

/** The bill of materials and the notices of the npm package, which others' scanners ask for by themselves. */
export async function papers({ out, version }) {
  return [
    ["dist/sbom.cdx.json", `sheaf-${version}.cdx.json`],
    ["dist/THIRD_PARTY_NOTICES.txt", "THIRD_PARTY_NOTICES.txt"],
  ].map(([from, to]) => {
    fs.copyFileSync(full(from), path.join(out, to));
    return path.join(out, to);
  });
}
