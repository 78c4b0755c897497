/**
 * A folder of Markdown as the plain HTML pages that a generator would write: enough Markdown for pictures of a search,
 * and a navigation, so that pages have a place. Not a parser; Sheaf's own is in packer/parse/markdown.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeTree } from '../fixtures/tree.mjs';

const escaped = (text) => text.replace(/&/g, '&amp;').replace(/</g, '&lt;');
const inline = (text) =>
  escaped(text)
    .replace(/`([^`]+)`/g, '<code>$1</code>')
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\*\*([^*]+)\*\*/g, '<strong>$1</strong>');
const slug = (text) =>
  text
    .toLowerCase()
    .replace(/[^\w\s-]/g, '')
    .trim()
    .replace(/\s+/g, '-');
const titled = (name) => name.replace(/[-_]/g, ' ').replace(/^./, (first) => first.toUpperCase());

/** Blocks between blank lines; code fences are whole. */
function body(markdown) {
  const blocks = markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/<!--[\s\S]*?-->/g, '')
    .split(/(^```[\s\S]*?^```$)/m)
    .flatMap((part) => (part.startsWith('```') ? [part] : part.split(/\n{2,}/)));
  return blocks
    .map((block) => block.trim())
    .filter(Boolean)
    .map((block) => {
      if (block.startsWith('```')) return `<pre><code>${escaped(block.replace(/^```.*\n|\n?```$/g, ''))}</code></pre>`;
      const [, marks, text] = /^(#{1,6}) (.*)$/m.exec(block) ?? [];
      if (marks !== undefined && block.startsWith('#')) {
        const rest = block.split('\n').slice(1).join('\n');
        const plain = text.replace(/\s*\{#.*\}$/, '');
        return `<h${marks.length} id="${slug(plain)}">${inline(plain)}</h${marks.length}>${rest ? `<p>${inline(rest)}</p>` : ''}`;
      }
      if (/^[-*] /.test(block))
        return `<ul>${block
          .split(/^[-*] /m)
          .slice(1)
          .map((item) => `<li>${inline(item)}</li>`)
          .join('')}</ul>`;
      if (block.startsWith('|')) {
        const rows = block.split('\n').filter((row) => !/^\|[-:| ]+\|$/.test(row));
        return `<table>${rows
          .map(
            (row) =>
              `<tr>${row
                .split('|')
                .slice(1, -1)
                .map((cell) => `<td>${inline(cell)}</td>`)
                .join('')}</tr>`,
          )
          .join('')}</table>`;
      }
      return `<p>${inline(block)}</p>`;
    })
    .join('\n');
}

const page = ({ title, content }, navigation, root) => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title}</title><link rel="stylesheet" href="${root}site.css"></head>
<body><header><strong>Documentation</strong> <sheaf-search></sheaf-search></header>
<nav>${navigation}</nav>
<main>${content}</main></body>
</html>
`;

const CSS = `:root { color-scheme: light dark; font: 16px/1.6 Georgia, serif }
body { margin: 0; display: grid; grid-template: auto 1fr / 16rem minmax(0, 1fr); color: light-dark(#222, #ddd); background: light-dark(#fff, #16181d) }
header { grid-column: 1 / -1; display: flex; justify-content: space-between; align-items: center; padding: .75rem 1.5rem; border-bottom: 1px solid light-dark(#ddd, #333) }
nav { padding: 1rem 1.5rem; overflow: auto } nav ul { list-style: none; padding-left: 1rem } main { padding: 1rem 2rem; max-width: 46rem } pre { overflow: auto }
@media (max-width: 40rem) { body { grid-template-columns: minmax(0, 1fr) } nav { display: none } }
`;

/** Writes the site of the Markdown below `source` to `folder`. */
export function writePages(source, folder) {
  const files = readdirSync(source, { recursive: true })
    .filter((name) => name.endsWith('.md'))
    .sort();
  const pages = files.map((file) => {
    const markdown = readFileSync(join(source, file), 'utf8');
    const title = /^# (.*)$/m.exec(markdown)?.[1].replace(/[`*]/g, '') ?? titled(file.replace(/^.*\/|\.md$/g, ''));
    return { path: file.replace(/\.md$/, '.html'), title, content: body(markdown) };
  });
  const folderOf = ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/')));
  const folders = [...new Set(pages.map(folderOf))];
  const tree = { 'site.css': CSS };
  for (const one of pages) {
    const root = '../'.repeat(one.path.split('/').length - 1);
    const links = (list) => list.map(({ path, title }) => `<li><a href="${root}${path}">${escaped(title)}</a></li>`).join('');
    const navigation = folders.map((name) => {
      const list = links(pages.filter((other) => folderOf(other) === name));
      return name === '' ? list : `<li>${titled(name)}<ul>${list}</ul></li>`;
    });
    tree[one.path] = page(one, `<ul>${navigation.join('')}</ul>`, root);
  }
  writeTree(folder, tree);
}
