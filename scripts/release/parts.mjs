// The parts without which no package of Sheaf works: the npm package, the wheel and the .mcpb are not made when one is
// missing. `npm pack` runs this file first (package.json, prepack).
import fs from "node:fs";
import path from "node:path";
import { Failure, main, root } from "../support.mjs";

/** The command that builds all of them. `npm run build` alone leaves out the packer's module, which takes minutes. */
export const BUILD = "npm run build -- --module";

export const PARTS = [
  "dist/cli/main.js",
  "dist/node/databases/sheaf-rows.wasm",
  "dist/node/mcp/clients/json_edits.mjs",
  "dist/node/mcp/contracts/zod3.mjs",
  "dist/node/mcp/sdk.mjs",
  "dist/node/operate/jose.mjs",
  "dist/node/operate/prom.mjs",
  "dist/node/pipe/main.js",
  "dist/node/sources/archive_formats.mjs",
  "dist/node/sources/lock_formats.mjs",
  "dist/node/sources/xml_format.mjs",
  "dist/browser/catalogue/blake2.mjs",
  "dist/browser/core/sheaf-core.wasm",
  "dist/browser/core/sheaf-text.wasm",
  "dist/browser/core/sheaf-federation.mjs",
  "dist/browser/core/sheaf-wordpiece.wasm",
  "dist/browser/packer/sheaf-packer.wasm",
  "dist/browser/ui/sheaf-search.min.js",
  "dist/THIRD_PARTY_NOTICES.txt",
  "dist/sheaf.1",
];

/** `files`: those of the package, relative to `folder`. Failure: a part is missing. */
export function requireParts(files, folder = root) {
  const there = new Set(files);
  const missing = PARTS.filter((name) => !there.has(name));
  if (missing.length > 0)
    throw new Failure(
      `No package is made: ${missing.join(", ")} ${missing.length === 1 ? "is" : "are"} missing in ${folder}. Build it: ${BUILD}`,
    );
}

main(import.meta.url, () => requireParts(PARTS.filter((name) => fs.existsSync(path.join(root, name)))));
