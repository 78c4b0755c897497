// Writes the notices that third-party licences require, beside the files that contain the code.
//
//   node scripts/notices.mjs     dist/THIRD_PARTY_NOTICES.txt            of all of dist/
//                                dist/node/site/code/THIRD_PARTY_NOTICES.txt  of what `sheaf site` puts beside a site
//                                build/native/THIRD_PARTY_NOTICES.txt    of sheaf-pack
//
// scripts/natives.mjs has those of the static packers written, beside each (writeStaticNotices).
//
// The build writes them last, and only when something changed; the same inputs give the same bytes. third_party.mjs
// says what is in which file.
import fs from "node:fs";
import path from "node:path";
import { main, newest, root, say } from "./support.mjs";
import { native, packaged, staticPacker } from "./third_party.mjs";

const NAME = "THIRD_PARTY_NOTICES.txt";
const rule = `\n${"-".repeat(80)}\n\n`;

/**
 * The text: a table of files and what is in them, then each component with its licence. Leaves out files without
 * third-party code. Pure.
 */
export function noticesText({ artifacts, components }) {
  const byId = new Map(components.map((component) => [component.id, component]));
  const holding = artifacts.filter((artifact) => artifact.components.length > 0);
  const used = new Set(holding.flatMap((artifact) => artifact.components));
  const table = holding
    .map(({ file, components: ids }) => `${file}\n    ${ids.map((id) => byId.get(id).name).join(", ")}\n`)
    .join("");
  const texts = components
    .filter(({ id }) => used.has(id))
    .map(({ name, version, licence, url, text }) => `${name} ${version} (${licence})\n${url}\n\n${text().trim()}\n`);
  return [`These files hold code of others, under the licences below.\n\n${table}`, ...texts].join(rule);
}

/** The part of dist/ that a site gets. */
function ofSite({ artifacts, components }) {
  // Core, reader of text and languages come from where the package has them.
  const given = /^dist\/(?:node\/site\/code\/(?=.)|browser\/(?=core\/(?:sheaf-(?:core|text)|language-..)\.wasm$))/;
  return {
    artifacts: artifacts
      .filter(({ file }) => given.test(file))
      .map((artifact) => ({ ...artifact, file: artifact.file.replace(given, "") }))
      .sort((a, b) => (a.file < b.file ? -1 : 1)),
    components,
  };
}

/** The inputs of notices.mjs and sbom.mjs; outputs older than these are made again. */
export const inputs = [
  "build/bundled",
  "dist/browser/core",
  "dist/node/databases/sheaf-rows.wasm",
  "dist/browser/packer",
  "dist/node/mcp/sdk.mjs",
  "dist/browser/ui/lit.mjs",
  "dist/node/site/code/client/site.js",
  "package.json",
  "package-lock.json",
  "licences",
  "scripts/third_party.mjs",
  "scripts/third_party_sources.mjs",
  "scripts/fetch_sources.mjs",
  "build/native/sheaf-pack",
].map((name) => path.join(root, name));

/** Writes the files unless they are newer than their inputs. Returns whether they were written. */
export function writeNotices() {
  const outputs = [
    path.join(root, "dist", NAME),
    path.join(root, "dist", "node", "site", "code", NAME),
    path.join(root, "build", "native", NAME),
  ];
  const latest = newest(...inputs, path.join(root, "scripts", "notices.mjs"));
  if (outputs.every((file) => newest(file) > latest)) return false;
  const all = packaged();
  [all, ofSite(all), native()].forEach((part, i) => fs.writeFileSync(outputs[i], noticesText(part)));
  return true;
}

/** Writes those of a static packer, build/natives/PLATFORM/sheaf-pack, beside it; `zig` as for staticPacker. */
export function writeStaticNotices(platform, zig) {
  const folder = path.join(root, "build", "natives", platform);
  fs.writeFileSync(path.join(folder, NAME), noticesText(staticPacker(`build/natives/${platform}/sheaf-pack`, zig)));
}

main(import.meta.url, async () => say(`  The notices are ${writeNotices() ? "written" : "up to date"}`));
