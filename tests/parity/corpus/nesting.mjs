/** Pages nested close to the limits of their parsers, and beyond. */
import { lines, writer } from './random.mjs';

const MOST_HTML = 10_000; // elements inside one another: packer/parse/html/html_tree.h
const MOST_PREFIX = 100; // markers before a line of Markdown: packer/parse/markdown/markdown_view.h

export function nestedPages() {
  const w = writer(12);
  const text = () => `${w.sentence()}\n`;
  const within = (open, close, depth, inner = w.paragraph()) => open.repeat(depth) + inner + close.repeat(depth);
  const pages = [];
  for (const depth of [100, MOST_HTML - 10, MOST_HTML + 10]) {
    pages.push([`html/div-${depth}.html`, `<h1>Deep</h1>${within('<div>', '</div>', depth)}<p>after</p>`]);
    pages.push([`html/list-${depth}.html`, `<h1>Deep</h1>${within('<ul><li>a', '</ul>', depth >> 1)}<p>after</p>`]);
  }
  for (const tag of ['b', 'font', 'a', 'table', 'blockquote', 'span', 'section', 'dl', 'pre', 'svg', 'template', 'select'])
    pages.push([`html/unclosed-${tag}.html`, `<h1>x</h1>${lines(300, () => `<${tag}>${w.word()}<p>`, '')}`]);
  pages.push(['html/attributes.html', `<p ${lines(900, (i) => `a${i}="${w.word()}"`, ' ')}>${text()}</p>`]);

  for (const depth of [10, MOST_PREFIX - 2, MOST_PREFIX + 5, 1000]) {
    pages.push([`markdown/quotes-${depth}.md`, `# Q\n\n${lines(3, () => '> '.repeat(depth) + w.sentence())}\n\nafter\n`]);
    pages.push([`markdown/dashes-${depth}.md`, `# D\n\n${'- '.repeat(depth)}${text()}\nafter\n`]);
    pages.push([`markdown/mixed-${depth}.md`, `# M\n\n${'> - 1. '.repeat(depth / 3)}${text()}\nafter\n`]);
    pages.push([`markdown/stairs-${depth}.md`, `# S\n\n${lines(depth, (i) => `${' '.repeat(2 * i)}- ${w.word()}`)}\n`]);
    pages.push([`markdown/marks-${depth}.md`, `# E\n\n${within('*a **b ', '** c*', depth)} ${within('[', '](x)', depth)}\n`]);
    pages.push([`mdx/tags-${depth}.mdx`, `# T\n\n${within('<A b={{c: 1}}>', '</A>', depth)}\n\n${within('{', '}', depth)}\n`]);
    pages.push([`rst/stairs-${depth}.rst`, `S\n=\n\n${lines(depth, (i) => `${' '.repeat(2 * i)}* ${w.word()}\n`)}\n`]);
    pages.push([`rst/quotes-${depth}.rst`, `Q\n=\n\n${lines(depth, (i) => `${' '.repeat(i)}${w.word()}\n`)}\n`]);
    pages.push([`rst/notes-${depth}.rst`, `N\n=\n\n${lines(depth, (i) => `${'  '.repeat(i)}.. note::\n`)}${'  '.repeat(depth)}${text()}`]);
    pages.push([`notebook/deep-${depth}.ipynb`, deepNotebook(depth, w)]);
    pages.push([`yaml/flow-${depth}.md`, `---\ntitle: t\nx: ${within('[', ']', depth, '1')}\n---\n# Y\n\n${text()}`]);
    pages.push([`yaml/block-${depth}.md`, `---\ntitle: t\n${lines(depth, (i) => `${' '.repeat(i)}k:`)} v\n---\n# Y\n\n${text()}`]);
  }
  pages.push(['markdown/headings.md', lines(400, (i) => `${'#'.repeat(1 + (i % 6))} ${w.words(2)}\n\n${w.word()}\n`)]);
  pages.push(['markdown/one-line.md', `# Long\n\n${lines(3000, () => w.sentence(), ' ')}\n`]);
  pages.push(['markdown/one-word.md', `# Long\n\n${'a'.repeat(20_000)} ${'é'.repeat(9_000)}\n`]);
  pages.push(['markdown/table.md', `# T\n\n${table(w, 60, 40)}`]);
  pages.push(['text/one-line.txt', lines(2000, () => w.word(), ' ')]);
  return pages;
}

function table(w, rows, columns) {
  const row = (cell) => `|${lines(columns, cell, '|')}|\n`;
  return row(w.word) + row(() => '-') + lines(rows, () => row(w.word), '');
}

function deepNotebook(depth, w) {
  const source = JSON.stringify(`# ${w.words(2)}\n\n${w.paragraph()}`);
  const deep = '[{"a":'.repeat(depth) + '1' + '}]'.repeat(depth);
  return `{"metadata":{"x":${deep}},"nbformat":4,"cells":[{"cell_type":"markdown","source":${source}}]}`;
}
