// Checksums and provenance of a release's files.
//
// The provenance is an in-toto statement with a SLSA v1 predicate: which files (by SHA-256) came from which commit, from
// which other materials, and by which tools. It is unsigned: on its own it documents, and proves nothing. The workflow
// .github/workflows/release.yml signs: npm with --provenance, the files by GitHub's attestations, both with the
// workflow's own OIDC identity. It holds no times and no paths, so that the same tree and tools give the same bytes.
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";

export const sha256Of = (file) => createHash("sha256").update(fs.readFileSync(file)).digest("hex");

/** The lines of a SHA256SUMS for files of one folder, sorted by name, as sha256sum reads them. */
export function checksums(files) {
  return [...files]
    .sort()
    .map((file) => `${sha256Of(file)}  ${path.basename(file)}\n`)
    .join("");
}

/**
 * The statement. `files`: paths of the outputs. `source`: { repository (null: unknown), commit, changes (number of files
 * that differ from the commit), version }. `materials`: [{ uri, sha256 }] of sources and lock files. `tools`:
 * { name: version }. `builder`: a URI that says who ran the build.
 */
export function provenance({ files, source, materials, tools, builder }) {
  const repository = source.repository ?? "urn:sheaf:repository-unknown";
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [...files].sort().map((file) => ({ name: path.basename(file), digest: { sha256: sha256Of(file) } })),
    predicateType: "https://slsa.dev/provenance/v1",
    predicate: {
      buildDefinition: {
        buildType: "urn:sheaf:release-script:1", // docs/releasing.md describes it
        externalParameters: { repository, commit: source.commit, version: source.version },
        internalParameters: { changedFiles: source.changes, tools },
        resolvedDependencies: [
          { uri: `git+${repository}@${source.commit}`, digest: { gitCommit: source.commit } },
          ...materials.map(({ uri, sha256 }) => ({ uri, digest: { sha256 } })),
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}

/**
 * Who runs this build: in GitHub Actions the workflow at its commit, elsewhere a machine that nobody vouches for.
 */
export function builderId(env = process.env) {
  const { GITHUB_ACTIONS, GITHUB_SERVER_URL, GITHUB_WORKFLOW_REF } = env;
  return GITHUB_ACTIONS === "true" && GITHUB_WORKFLOW_REF
    ? `${GITHUB_SERVER_URL ?? "https://github.com"}/${GITHUB_WORKFLOW_REF}`
    : "urn:sheaf:unattested-machine";
}
