// The optional native packers as npm packages, @scope/pack-linux-x64 and -linux-arm64: npm installs the one whose `os`
// and `cpu` fit, and Sheaf then packs with it instead of with its module. Each holds one static program, its licences
// and no JavaScript.
import fs from "node:fs";
import path from "node:path";
import { manifestFields } from "../owner.mjs";
import { Failure, root } from "../support.mjs";

/** Those that are published. Programs for other systems are built by natives.mjs, and are nobody's to rely on yet. */
export const PLATFORMS = ["linux-x64", "linux-arm64"];

/** How packages are named while the owner's scope is unknown; such packages are never published. */
const NO_SCOPE = "@owner";

const NOTICES = "THIRD_PARTY_NOTICES.txt";

export const nativeName = (platform, { npmScope }) => `${npmScope ?? NO_SCOPE}/pack-${platform}`;

/**
 * The file that a platform's package lacks in `natives` (build/natives): its program, or the notices of what that links,
 * without which it may not be passed on. Undefined: it has both.
 */
export function missingFor(platform, natives) {
  return ["sheaf-pack", NOTICES].map((name) => path.join(natives, platform, name)).find((file) => !fs.existsSync(file));
}

/** The platforms that can be packaged. */
export const completePlatforms = (natives) => PLATFORMS.filter((platform) => !missingFor(platform, natives));

/** The package.json of one platform's package; `manifest` is Sheaf's own. Pure. */
export function nativeManifest(platform, manifest, owner) {
  const [os, cpu] = platform.split("-");
  return {
    name: nativeName(platform, owner),
    version: manifest.version,
    license: manifest.license,
    description: `The native packer of Sheaf for ${os} ${cpu}, static`,
    ...manifestFields(owner),
    os: [os],
    cpu: [cpu],
    engines: manifest.engines,
    preferUnplugged: true, // Yarn must not keep a program in a zip
  };
}

const readme = (name, version) => `# ${name}

The native packer of [Sheaf](https://www.npmjs.com/package/sheaf), version ${version}: one static program that needs no
libraries of the system. It is an optional dependency of \`sheaf\`, which packs with it where it is installed, and with
WebAssembly elsewhere, to the same bytes. There is nothing to call here.

To do without it: \`npm install --omit=optional sheaf\`.
`;

/** Writes one platform's package below `folder`, from the program and the notices in build/natives. */
export function stageNative(folder, platform, { natives, owner }) {
  const manifest = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const missing = missingFor(platform, natives);
  if (missing !== undefined)
    throw new Failure(`The native package for ${platform} needs ${missing}, which is not there.`);
  const built = path.join(natives, platform);
  const own = nativeManifest(platform, manifest, owner);
  fs.mkdirSync(path.join(folder, "bin"), { recursive: true });
  const copies = [
    [path.join(built, "sheaf-pack"), path.join("bin", "sheaf-pack"), 0o755],
    [path.join(root, "LICENSE"), "LICENSE", 0o644],
    [path.join(root, "NOTICE"), "NOTICE", 0o644],
    [path.join(built, NOTICES), NOTICES, 0o644],
  ];
  for (const [from, to, mode] of copies) {
    fs.copyFileSync(from, path.join(folder, to));
    fs.chmodSync(path.join(folder, to), mode);
  }
  fs.writeFileSync(path.join(folder, "README.md"), readme(own.name, own.version), { mode: 0o644 });
  fs.writeFileSync(path.join(folder, "package.json"), `${JSON.stringify(own, undefined, 2)}\n`, { mode: 0o644 });
}
