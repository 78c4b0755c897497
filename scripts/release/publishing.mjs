// The commands that publish a release's files, in the order that lets each find what it refers to.

/**
 * What CHANGELOG.md says of `version`, or of what is unreleased while it has no heading of its own. Pure.
 */
export function releaseNotes(changelog, version) {
  const sections = changelog.split(/^(?=## )/m).slice(1);
  const own = sections.find((section) => /^## \[?([^\s\]]+)/.exec(section)?.[1] === version);
  const section = own ?? sections.find((each) => each.startsWith("## Unreleased")) ?? "";
  return `${section.split("\n").slice(1).join("\n").trim()}\n`;
}

/**
 * The lines, for a shell in build/release. `files`: names of the outputs. Native packages go first, because `sheaf` names
 * them; the registry of MCP servers goes last, because it looks up the npm package and the .mcpb. Pure.
 */
export function publishingCommands(files, version, { npmScope }) {
  const ending = (suffix) => files.filter((file) => file.endsWith(suffix)).sort();
  const own = `sheaf-${version}.tgz`;
  const natives = npmScope === null ? [] : ending(".tgz").filter((file) => file !== own);
  const npm = [...natives, ...(files.includes(own) ? [own] : [])];
  const wheels = ending(".whl");
  return [
    "sha256sum --check SHA256SUMS",
    ...npm.map((file) => `npm publish ./${file} --access public --provenance`),
    ...(wheels.length > 0 ? [`twine upload ${wheels.join(" ")}`] : []),
    `gh release create v${version} --verify-tag --title v${version} --notes-file notes.md ${[...files, "SHA256SUMS"].sort().join(" ")}`,
    ...(files.includes("server.json") ? ["mcp-publisher login github && mcp-publisher publish"] : []),
  ];
}
