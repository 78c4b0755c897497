// Writes bills of materials, CycloneDX 1.6 in JSON: of the npm package's contents, and of the packer.
//
//   node scripts/sbom.mjs     dist/sbom.cdx.json            the package: modules, bundles, the encoder table
//                             build/native/sbom.cdx.json    sheaf-pack
//
// `npm sbom` would list what is installed for the build (esbuild, TypeScript) and nothing that is bundled or linked,
// because the package has no dependencies. So this script starts from the files that we distribute, as listed in
// third_party.mjs. Its output holds no date and no random number: the same build gives the same bytes.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { inputs } from "./notices.mjs";
import { readOwner } from "./owner.mjs";
import { main, newest, root, say } from "./support.mjs";
import { native, packaged, sha256 } from "./third_party.mjs";

const MODELS = ["models/minilm-l6-256.sheaf", "models/minilm-l6-256.rotation.f32"];

/** An identifier from the SPDX list is an id; several, joined, are an expression. */
const licences = (licence) => [
  / (?:WITH|OR|AND) /.test(licence) ? { expression: licence } : { license: { id: licence } },
];

function library({ id, name, version, licence, url, purl, hashes, archives }) {
  const references = [
    { type: "website", url },
    ...(archives ?? []).map((archive) => ({
      type: "distribution",
      url: archive.name,
      hashes: [{ alg: "SHA-256", content: archive.sha256 }],
    })),
  ];
  return {
    type: "library",
    "bom-ref": id,
    name,
    version,
    licenses: licences(licence),
    ...(purl === undefined ? {} : { purl }),
    ...(hashes === undefined
      ? {}
      : { hashes: hashes.map(({ algorithm, value }) => ({ alg: algorithm, content: value })) }),
    externalReferences: references,
  };
}

/** A UUID (version 8) derived from the content, so that different content gets a different serial number. */
function serialNumber(content) {
  const hex = createHash("sha256").update(content).digest("hex");
  return `urn:uuid:${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * The document. `subject` is the component that it describes; `artifacts` are that component's files, by path, with
 * the ids of the components in each; `hash` gives a file's SHA-256.
 */
export function billOfMaterials(subject, { artifacts, components }, hash) {
  const files = artifacts.map(({ file }) => ({
    type: "file",
    "bom-ref": file,
    name: file,
    hashes: [{ alg: "SHA-256", content: hash(file) }],
  }));
  const body = {
    metadata: { component: subject },
    components: [...files, ...components.map(library)],
    dependencies: [
      { ref: subject["bom-ref"], dependsOn: files.map((file) => file["bom-ref"]) },
      ...artifacts.map(({ file, components: ids }) => ({ ref: file, dependsOn: ids })),
      ...components.map(({ id }) => ({ ref: id, dependsOn: [] })),
    ],
  };
  return {
    $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    serialNumber: serialNumber(JSON.stringify(body)),
    version: 1,
    ...body,
  };
}

/** What a subject says of its owner; nothing while that is unknown. */
function ownersFields({ author, repository, bugs }) {
  const links = [
    ["vcs", repository],
    ["issue-tracker", bugs],
  ].filter(([, url]) => url !== null);
  return {
    ...(author === null ? {} : { authors: [author] }),
    ...(links.length === 0 ? {} : { externalReferences: links.map(([type, url]) => ({ type, url })) }),
  };
}

/** Writes both unless they are newer than their inputs. Returns whether they were written. */
export function writeSbom() {
  const outputs = [path.join(root, "dist", "sbom.cdx.json"), path.join(root, "build", "native", "sbom.cdx.json")];
  const latest = newest(
    ...inputs,
    path.join(root, "owner.json"),
    ...MODELS.map((name) => path.join(root, name)),
    ...["notices.mjs", "sbom.mjs"].map((name) => path.join(root, "scripts", name)),
  );
  if (outputs.every((file) => newest(file) > latest)) return false;
  const { name, version, description, license } = JSON.parse(fs.readFileSync(path.join(root, "package.json"), "utf8"));
  const about = { version, licenses: licences(license), ...ownersFields(readOwner()) };
  const all = packaged();
  const withModels = { ...all, artifacts: [...all.artifacts, ...MODELS.map((file) => ({ file, components: [] }))] };
  const subjects = [
    [
      {
        type: "library",
        "bom-ref": `pkg:npm/${name}@${version}`,
        name,
        description,
        purl: `pkg:npm/${name}@${version}`,
        ...about,
      },
      withModels,
    ],
    [{ type: "application", "bom-ref": `sheaf-pack@${version}`, name: "sheaf-pack", ...about }, native()],
  ];
  subjects.forEach(([subject, parts], i) =>
    fs.writeFileSync(outputs[i], `${JSON.stringify(billOfMaterials(subject, parts, sha256), undefined, 1)}\n`),
  );
  return true;
}

main(import.meta.url, async () => say(`  The bills of materials are ${writeSbom() ? "written" : "up to date"}`));
