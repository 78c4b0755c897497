/** Pages in every format, with front matter, facets, addresses of their own, links, and names of all kinds. */
import { lines, writer } from './random.mjs';

const ADDRESS = 'https://parity.example/docs';

/** Pairs of path and content. */
export function formatPages() {
  const w = writer(11);
  return [
    ...sixteen((i) => [`guide/page ${i}.md`, markdown(w, i)]),
    ...sixteen((i) => [`mdx/component-${i}.mdx`, mdx(w, i)]),
    ...sixteen((i) => [`site/sub.${i % 3}/page-${i}.html`, html(w, i)]),
    ...sixteen((i) => [`rst/topic_${i}.rst`, rst(w, i)]),
    ...sixteen((i) => [`text/notes-${i}.txt`, text(w, i)]),
    ...sixteen((i) => [`notebooks/run ${i}.ipynb`, notebook(w, i)]),
    ['README', `Title\n=====\n\n${w.paragraph()}\n`],
    ['README.md', `# ${w.words(3)}\n\n${w.paragraph()}\n`],
    ['guide/index.html', html(w, 100)],
    ['ünï cødé/日本語 ページ.md', markdown(w, 101)],
    ['ünï cødé/a+b%20c&d=e@f~g,h;i.html', html(w, 102)],
    ["ünï cødé/quo'te (1) [2] {3}.rst", rst(w, 103)],
    ['B/case.md', markdown(w, 104)],
    ['b/Case.md', markdown(w, 105)],
    ['a.md', '# A\n\nbefore a/\n'],
    ['a-b.md', '# A-B\n\nsorts between\n'],
    ['a/b.md', '# B\n\nbelow a\n'],
    ['include/code.py', `# ANCHOR: a\n${w.words(4).replaceAll(' ', '()\n')}\n# ANCHOR_END: a\nlast = 1\n`],
    ['include/part.md', `${w.paragraph()}\n\n{* code.py ln[2:3] *}\n`],
    ['include/page.md', '# Includes\n\n--8<-- "part.md"\n\n<<< ./code.py#none\n\n```py\n{{#include code.py:a}}\n```\n'],
    ['include/page.rst', `Includes\n========\n\n.. include:: ../README\n\n.. literalinclude:: code.py\n   :lines: 2-\n`],
    ['empty.md', ''],
    ['blank.txt', ' \n\t\n'],
    ['forward.html', '<meta http-equiv="refresh" content="0; url=guide/index.html">'],
    ['noindex.html', '<title>x</title><meta name="robots" content="noindex"><p>not to be found</p>'],
    ['binary.txt', Buffer.from(Array.from({ length: 400 }, (_, i) => i % 7))],
    ['damaged.md', Buffer.concat([Buffer.from('# Damaged \n\n\xc3\x28 ', 'latin1'), Buffer.from('größe ok\n')])],
    ...repeatedPages(w),
  ];
}

function sixteen(make) {
  return Array.from({ length: 16 }, (_, i) => make(i));
}

/** The same text on many pages, whole pages twice, and pages that score alike. */
function repeatedPages(w) {
  const licence = `## Licence\n\n${w.paragraph()}\n`;
  const whole = markdown(w, 7);
  const pages = sixteen((i) => [`same/licence-${i}.md`, `# Page of ${w.word()}\n\n${w.sentence()}\n\n${licence}`]);
  for (const name of ['one', 'two', 'three']) pages.push([`same/${name}.md`, whole]);
  for (let i = 0; i < 16; i++) pages.push([`same/tie-${i}.md`, `# Tie\n\nequal words ${i % 4 ? 'here' : 'there'}\n`]);
  return pages;
}

function frontMatter(w, i) {
  const kinds = [
    () => '',
    () => `---\ntitle: "${w.words(3)}"\ndescription: ${w.words(5)}\ndate: 2024-0${1 + (i % 9)}-1${i % 10}\n---\n`,
    () =>
      `---\ntitle: |\n  two\n  lines\ntags: [a, 'b', "c: d"]\nsheaf:\n  weight: ${i / 7}\n  filter: { kind: [${w.pick(['x', 'y', 'ż'])}, z] }\n  meta: { image: /i.png, title: ${w.word()} }\n  sort: { order: ${i * 1.5}, name: ${w.word()} }\n---\n`,
    () => `+++\ntitle = '${w.words(2)}'\nlastmod = 2023-05-0${1 + (i % 9)}T10:00:00Z\n+++\n`,
    () => `---\ntitle: [unclosed\nslug: /own/${i}\n---\n`,
    () => `---\nurl: ${ADDRESS}/stated-${i % 5}\nsheaf: { sort: { order: ${10 ** (i % 20)} } }\n---\n`,
    () => `---\n${'a: {'.repeat(60)}${'}'.repeat(60)}\n---\n`,
  ];
  return kinds[i % kinds.length]();
}

function markdown(w, i) {
  return `${frontMatter(w, i)}# ${w.words(3)}

${w.paragraph()} [a link](../rst/topic_${i % 16}.rst) and ![alt ${w.word()}](i.png "t"), \`code ${w.word()}\`.

## ${w.words(2)} {#own-${i}}

${lines(4, () => `- ${w.sentence()}\n  1. ${w.sentence()}\n\n     ${w.paragraph()}`)}

| ${w.word()} | ${w.word()} |
|---|:-:|
${lines(5, () => `| ${w.words(2)} | \`${w.word()}\` ~~${w.word()}~~ |`)}

${'`'.repeat(3)}${w.pick(['js', 'c++', '', 'console'])}
${lines(6, () => `function ${w.word()}(x) { return x + ${w.random(99)}; }`)}
${'`'.repeat(3)}

> ${w.paragraph()}
> > ${w.sentence()}

### ${w.words(2)}

<details><summary>${w.word()}</summary>${w.paragraph()}</details>

${w.words(3)}
${'-'.repeat(9)}

${w.paragraph()}[^1] &copy; &#x1F600; &notanentity;

[^1]: ${w.sentence()}

### ${w.words(2)}

${w.paragraph()}
`;
}

function mdx(w, i) {
  return `import Thing from './thing'\nexport const meta = { a: ${i} }\n\n${markdown(w, i)}
<Thing title="${w.words(2)}" on={() => "<b>"}>
  ${w.sentence()}
</Thing>

{/* a comment ${w.word()} */}

<Tabs><Tab label="${w.word()}">

${w.paragraph()}

</Tab></Tabs>
`;
}

function html(w, i) {
  const canonical = i % 3 === 0 ? `<link rel="canonical" href="${ADDRESS}/canonical-${i % 4}.html">` : '';
  return `<!doctype html><html lang="en"><head><title>${w.words(3)} | Site</title>${canonical}
<meta name="description" content="${w.words(6)}"><meta name="date" content="2022-02-0${1 + (i % 9)}">
<meta data-pagefind-filter="kind[content]" content="${w.pick(['guide', 'reference', 'größe'])}">
<meta data-pagefind-meta="image[content]" content="/img-${i}.png"></head>
<body><nav><ul>${lines(8, (n) => `<li><a href="page-${n}.html">${w.words(2)}</a></li>`, '')}</ul></nav>
<main ${i % 4 === 0 ? 'data-pagefind-body' : ''}><h1 id="top-${i}">${w.words(3)}</h1>
<p data-pagefind-sort="order">${i * 3.25 - 7}</p><p>${w.paragraph()} &amp; &eacute;&nbsp;&#8212;</p>
<div data-pagefind-weight="${i / 3}"><p>${w.paragraph()}</p></div><div data-pagefind-ignore>${w.words(4)}</div>
<h2><a name="x"></a>${w.words(2)}</h2><pre><code class="language-js">let ${w.word()} = "${w.words(3)}";
  indented();</code></pre>
<table><tr><th>${w.word()}<th>${w.word()}</tr>${lines(4, () => `<tr><td>${w.words(2)}<td>${w.word()}</tr>`, '')}</table>
<dl><dt id="d${i}">${w.word()}<dd>${w.sentence()}<dt>${w.word()}<dd>${w.paragraph()}</dl>
<ul><li>${w.sentence()}<ol start="7"><li>${w.sentence()}<li>${w.sentence()}</ol></ul>
<h3>${w.words(2)}</h3><p>${w.paragraph()}<p>${w.paragraph()}<img src=a.png alt="${w.words(3)}"><b><i>mis</b>nested</i>
</main><footer>${w.words(6)}</footer><script>var x = "<p>never</p>"</script></body></html>`;
}

function rst(w, i) {
  const title = w.words(3);
  const bar = (text, mark) => mark.repeat([...text].length * 2);
  const section = w.words(2);
  return `.. _label-${i}:\n\n${title}\n${bar(title, '=')}

:Author: ${w.words(2)}
:Date: 2021-01-0${1 + (i % 9)}

${w.paragraph()} :ref:\`label-${(i + 1) % 16}\` *${w.word()}* **${w.word()}** \`\`${w.word()}\`\` |sub|

.. |sub| replace:: ${w.words(2)}

${section}\n${bar(section, '-')}

.. note:: ${w.sentence()}

   ${w.paragraph()}

.. code-block:: python
   :linenos:

   def ${w.word()}(x):
       return "${w.words(2)}"

.. py:function:: ${w.word()}(a, b=${i})

   ${w.sentence()}

   :param a: ${w.sentence()}
   :returns: ${w.sentence()}

=====  =====
a      b
=====  =====
${lines(3, () => `ab     ${w.word()}`)}
=====  =====

1. ${w.sentence()}
2. ${w.sentence()}

   * ${w.sentence()}

term : classifier
   ${w.paragraph()}

${w.paragraph()}::

   literal ${w.word()}
`;
}

function text(w, i) {
  return `${w.words(3).toUpperCase()}\n\n${lines(3, (n) => `${n + 1}. ${w.words(3)}\n\n${w.paragraph()}\n\n    code ${w.word()}\n`)}\fpage ${i}\r\n${w.paragraph()}\r${w.words(9)}\n`;
}

function notebook(w, i) {
  const cell = (type, source, more = {}) => ({ cell_type: type, metadata: {}, source, ...more });
  return JSON.stringify({
    nbformat: 4,
    nbformat_minor: 5,
    metadata: { title: i % 2 ? w.words(2) : undefined, language_info: { name: 'python' }, n: i * 1e-7 },
    cells: [
      cell('markdown', [`# ${w.words(3)}\n`, '\n', w.paragraph()]),
      cell('code', `x = ${i}\nprint("${w.words(2)}")`, {
        outputs: [{ output_type: 'stream', name: 'stdout', text: [w.sentence(), '\n'] }],
        execution_count: i,
      }),
      cell('markdown', markdown(w, i)),
      cell('raw', w.sentence()),
    ],
  });
}
