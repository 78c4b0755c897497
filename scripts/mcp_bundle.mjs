// What the MCP server needs beside our own compiled files.
//
//   node scripts/mcp_bundle.mjs                 dist/node/mcp/sdk.mjs: the official SDK in one file
//   node scripts/mcp_bundle.mjs --mcpb [FILE]   build/sheaf.mcpb: a package for one-click installation
//
// The SDK is bundled once per version: our own files import dist/node/mcp/sdk.mjs, and recompiling them does
// not change it. The bundle leaves out the SDK's JSON Schema validator, which checks what a user types
// into a server's form; Sheaf shows no forms. The validator would be a third of the file and of its
// loading time.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { bundleLibraries, bundleLibrary } from "./library_bundle.mjs";
import { readOwner, withRepository } from "./owner.mjs";
import { requireParts } from "./release/parts.mjs";
import { Failure, main, root, say } from "./support.mjs";

const output = path.join(root, "dist", "node", "mcp", "sdk.mjs");

const withoutValidator = {
  name: "without-validator",
  setup(build) {
    build.onResolve({ filter: /^@modelcontextprotocol\/server\/_shims$/ }, () => ({
      path: "shims",
      namespace: "sheaf",
    }));
    build.onLoad({ filter: /.*/, namespace: "sheaf" }, () => ({
      loader: "js",
      contents: `
        import process from "node:process";
        export { process };
        export class DefaultJsonSchemaValidator {
          getValidator() { throw new Error("This build of the SDK validates no forms."); }
        }`,
    }));
  },
};

/** Makes dist/node/mcp/sdk.mjs unless it is newer than its inputs. Returns whether it was made. */
export function bundleMcp() {
  return bundleLibrary("node/mcp/sdk", { plugins: [withoutValidator] }, path.join(root, "scripts", "mcp_bundle.mjs"));
}

// ---- .mcpb ---------------------------------------------------------------------------------------

/** The files of an installed package, according to package.json's `files` and npm. */
const packaged = ["package.json", "README.md", "LICENSE", "NOTICE", "licences", "dist", "models", "skills"];

/** The manifest of the .mcpb, version 0.3 of its format; without an author known, Sheaf stands for one. */
export function mcpbManifest({ version, description, license }, { author, repository, homepage, bugs } = readOwner()) {
  return {
    manifest_version: "0.3",
    name: "sheaf",
    display_name: "Sheaf documentation search",
    version,
    description,
    author: author ?? { name: "Sheaf" },
    ...(repository === null ? {} : { repository: { type: "git", url: repository } }),
    ...(homepage === null ? {} : { homepage }),
    ...(bugs === null ? {} : { support: bugs }),
    server: {
      type: "node",
      entry_point: "dist/cli/main.js",
      mcp_config: {
        command: "node",
        args: [
          "${__dirname}/dist/cli/main.js",
          "mcp",
          "--tools",
          "${user_config.tools}",
          "--store",
          "${user_config.store}",
        ],
      },
    },
    tools: [
      {
        name: "list_libraries_tool",
        description: "Lists the libraries and versions whose documentation is installed.",
      },
      { name: "search_documents_tool", description: "Searches one library, or all, by words and by meaning." },
      { name: "get_full_content_tool", description: "Returns a page, or one section of it." },
    ],
    user_config: {
      store: {
        type: "directory",
        title: "Libraries",
        description: "The folder of .sheaf bundles to search",
        default: "${HOME}/.local/share/sheaf/libraries",
        required: true,
      },
      tools: {
        type: "string",
        title: "Tool sets",
        description: "openground, search_docs, knowledge, searxng (a comma between them), or all",
        default: "openground",
        required: false,
      },
    },
    compatibility: { platforms: ["darwin", "linux", "win32"], runtimes: { node: ">=20" } },
    keywords: ["documentation", "search", "offline"],
    license,
  };
}

function filesUnder(name) {
  const full = path.join(root, name);
  if (!fs.existsSync(full)) return [];
  if (!fs.statSync(full).isDirectory()) return [name];
  return fs
    .readdirSync(full)
    .sort()
    .flatMap((inner) => filesUnder(`${name}/${inner}`));
}

/** Writes the .mcpb; same tree, same bytes. Returns { file, bytes, sha256 }. */
export async function buildMcpb(file = path.join(root, "build", "sheaf.mcpb")) {
  const { zipSync } = await import("fflate").catch(() => {
    throw new Failure("The .mcpb is a zip, made by fflate, which is not installed: npm install");
  });
  await bundleLibraries();
  await bundleMcp();
  const owner = readOwner();
  const manifest = mcpbManifest(JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8")), owner);
  const files = packaged.flatMap(filesUnder);
  requireParts(files);
  const entries = { "manifest.json": new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`) };
  for (const name of files) {
    // Types and the training artefacts are for programmers; an agent's server needs neither.
    if (/\.d\.m?ts$|\.f32$/.test(name)) continue;
    entries[name] = fs.readFileSync(path.join(root, name));
  }
  entries["README.md"] = Buffer.from(withRepository(entries["README.md"].toString("utf8"), owner));
  const zip = zipSync(entries, { level: 9, mtime: new Date(1980, 0, 1) });
  fs.mkdirSync(path.dirname(file), { recursive: true });
  fs.writeFileSync(file, zip);
  return { file, bytes: zip.length, sha256: createHash("sha256").update(zip).digest("hex") };
}

main(import.meta.url, async () => {
  const at = process.argv.indexOf("--mcpb");
  if (at < 0) {
    say(
      (await bundleMcp())
        ? `  dist/node/mcp/sdk.mjs  ${fs.statSync(output).size} bytes`
        : "  dist/node/mcp/sdk.mjs is up to date",
    );
    return;
  }
  const { file, bytes, sha256 } = await buildMcpb(process.argv[at + 1]);
  say(`  ${path.relative(process.cwd(), file)}  ${bytes} bytes  SHA-256 ${sha256}`);
});
