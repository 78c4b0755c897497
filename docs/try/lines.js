/** The lines that do on a reader's own site, or for their agent, what this page does. tests/browser/try_page.test.mjs runs them. */

/** A library's name has no characters that paths or shells take otherwise. Pure. */
export const nameOfFolder = (folder) =>
  folder
    .toLowerCase()
    .replace(/[^a-z0-9._-]+/g, '-')
    .replace(/^[-.]+/, '') || 'docs';

/** A folder as the shells of all systems take it; one that no quotes hold is left to its owner. Pure. */
function quoted(folder) {
  if (/^[\w.-]+$/.test(folder)) return `./${folder}`;
  return /^[\p{L}\p{N} ._,()@+-]+$/u.test(folder) ? `"./${folder}"` : './FOLDER';
}

/**
 * `site` is the address of this site where it has search, `libraries` are the chosen ones, `folder` is the name of the one that was dropped.
 * Pure. Each line with what it is for.
 */
export function linesFor({ site, libraries = [], folder }) {
  const agent = 'npx sheaf install-mcp --cursor';
  const lines = [
    { about: 'Your own site, after its build', line: 'npx sheaf site public --inject' },
    { about: 'The same, and without a network too', line: 'npx sheaf site public --inject --offline' },
  ];
  if (folder !== undefined)
    lines.push(
      {
        about: `${folder}, as one file`,
        line: `npx sheaf pack ${quoted(folder)} --library ${nameOfFolder(folder)} --version 1 -o ${nameOfFolder(folder)}.sheaf`,
      },
      {
        about: `${folder}, for your agent`,
        line: `npx sheaf add ${nameOfFolder(folder)} -s ${quoted(folder)} && ${agent}`,
      },
    );
  for (const { label, spec } of libraries)
    if (spec !== undefined)
      lines.push({ about: `${label}, for your agent`, line: `npx sheaf add ${spec} && ${agent}` });
  if (site !== undefined) lines.push({ about: 'These pages, for your agent', line: `${agent} ${site}` });
  return lines;
}
