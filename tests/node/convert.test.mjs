/** Converters: AsciiDoc, OpenAPI and others become pages, under the names and addresses of their files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { before, describe, it } from 'node:test';
import { convertFile, partsOf } from '../../dist/browser/convert/converter.js';
import { byNumbers, byTags } from '../../dist/browser/convert/select_lines.js';
import { open } from '../../dist/node/client/node.js';
import { openPacker } from '../../dist/node/packer/choose.js';
import { pack, packFiles } from '../../dist/node/packer/node.js';
import { FolderFiles } from '../../dist/node/packer/folder_files.js';
import { readPages } from '../documents/read_bundle.mjs';
import { requirePacker } from '../native_packer.mjs';
import { temporaryFolder } from './packed.mjs';

const folder = temporaryFolder('convert');

/** Converts one of `files` (path → text or bytes). */
async function converted(format, path, files) {
  const bytes = (name) => (typeof files[name] === 'string' ? Buffer.from(files[name]) : files[name]);
  const asked = [];
  const source = { path, bytes: bytes(path), read: (name) => (asked.push(name), bytes(name)) };
  const result = await convertFile({ path, format, size: source.bytes.length }, () => source);
  return { ...result, asked, text: result.page?.text ?? '' };
}

/** Writes files below a new folder, and gives its path. */
function tree(name, files) {
  const root = join(folder, name);
  rmSync(root, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

/** Every passage of a bundle. */
async function passagesOf(bundle) {
  const library = await open(bundle);
  try {
    const info = typeof library.info === 'function' ? await library.info() : library.info;
    const passages = [];
    for (let i = 0; i < info.passages; ++i) passages.push(await library.passage(i));
    return passages;
  } finally {
    await library.close();
  }
}

let packer;
before(async () => {
  process.env.SHEAF_PACK = await requirePacker();
  packer = await openPacker();
});

async function packed(name, files, options = {}) {
  const output = join(folder, `${name}.sheaf`);
  const job = { inputs: [tree(name, files)], output, library: 'kiln', version: '1', encoder: 'none', ...options };
  const { report } = await packer.pack(job, { show: 'nothing' });
  return { report, passages: await passagesOf(output), output };
}

describe('AsciiDoc', () => {
  const GUIDE = `= Firing a kiln
:description: How to fire.

Heat it *slowly*, so that the water in the clay has time to leave it before the first hundred degrees are
reached; see xref:glaze.adoc#cones[Cones] and xref:other/tools.adoc[].

[[ramp]]
== The ramp

NOTE: Open the lid.

[source,python]
----
ramp(120) # <1>
----
<1> Degrees an hour.

|===
|Cone |Temperature

|6 |1222
|===
`;

  it('AsciiDoc becomes a page with headings, anchors, code, tables and the lines of its blocks', async () => {
    const { report, passages } = await packed(
      'guide',
      {
        'guide.adoc': GUIDE,
        'glaze.adoc': '= Glaze\n\n[[cones]]\n== Cones\n\nClay cones.\n',
        'other/tools.adoc': '= Tools of the trade\n\nTongs.\n',
      },
      { baseUrl: 'https://kiln.example/docs/' },
    );
    assert.deepEqual([report.pages, report.skipped, report.notes], [3, [], []]);
    const [page, ramp] = passages.filter(({ text }) => /Heat|ramp\(120\)/.test(text));
    assert.match(page.text, /^# Firing a kiln\n\nHeat it/);
    assert.match(page.text, /\[Cones\]\(https:\/\/kiln\.example\/docs\/glaze\.html#cones\)/);
    assert.match(page.text, /\[Tools of the trade\]\(https:\/\/kiln\.example\/docs\/other\/tools\.html\)/);
    assert.equal(page.firstLine, 1);
    assert.equal(ramp.anchor, 'ramp');
    assert.deepEqual(ramp.headings, ['The ramp']);
    assert.equal(ramp.firstLine, 8);
    assert.match(ramp.text, /Open the lid/);
    assert.match(ramp.text, /```python\nramp\(120\)/);
    assert.match(ramp.text, /Degrees an hour/);
    assert.match(ramp.text, /\| Cone \| Temperature \|/);
  });

  it('AsciiDoc includes files of its tree, and what is included as a whole is no page of its own', async () => {
    const { report, passages } = await packed('included', {
      'book.adoc':
        '= Book\n\ninclude::parts/one.adoc[leveloffset=+1]\n\ninclude::code.py[tag=run]\n\ninclude::missing.adoc[]\n\ninclude::../outside.adoc[]\n',
      'parts/one.adoc': '= One\n\nThe first chapter.\n',
      'code.py': 'no = 1\n# tag::run[]\nrun()\n# end::run[]\n',
      '_attributes.adoc': ':a: b\n',
    });
    assert.equal(report.pages, 1);
    const text = passages.map((each) => each.text).join('\n');
    assert.match(text, /The first chapter/);
    assert.match(text, /run\(\)/);
    assert.doesNotMatch(text, /no = 1|tag::/);
    const notes = report.notes.map(({ path, reason }) => `${path}: ${reason}`);
    assert.deepEqual(notes.toSorted(), [
      "_attributes.adoc: left out: its name begins with '_': a part that pages include",
      'book.adoc: it includes files that are missing: missing.adoc, ../outside.adoc',
      'parts/one.adoc: left out: part of book.adoc, which includes it',
    ]);
  });

  it("Antora's identifiers, attributes and addresses are understood", async () => {
    const { report, passages } = await packed(
      'antora',
      {
        'antora.yml': 'name: kiln\ntitle: Kiln\nversion: 2\nasciidoc:\n  attributes:\n    cone: six@\n',
        'modules/ROOT/nav.adoc': '* xref:index.adoc[]\n',
        'modules/ROOT/pages/index.adoc': '= Home\n\nSee xref:api:run.adoc#fast[Run].\n\ninclude::partial$note.adoc[]\n',
        'modules/ROOT/partials/note.adoc': 'Fire to cone {cone} in {page-component-title}.\n',
        'modules/api/pages/run.adoc': '= Run\n\n== Run fast\n\ninclude::ROOT:partial$note.adoc[]\n',
      },
      { baseUrl: 'https://kiln.example/' },
    );
    assert.equal(report.pages, 2);
    const text = passages.map((each) => each.text).join('\n');
    assert.match(text, /\[Run\]\(https:\/\/kiln\.example\/api\/run\.html#fast\)/);
    assert.equal(text.match(/Fire to cone six in Kiln\./g).length, 2);
    assert.ok(passages.some(({ anchor }) => anchor === 'run-fast'));
  });

  it('AsciiDoc that includes itself without end has a bound', async () => {
    const files = { 'a.adoc': `= A\n\nText.\n\ninclude::a.adoc[]\n\ninclude::a.adoc[]\n` };
    const began = performance.now();
    const { remarks, asked } = await converted('asciidoc', 'a.adoc', files);
    assert.ok(asked.length <= 1000, `${asked.length} files were read`);
    assert.ok(performance.now() - began < 30_000);
    assert.match(remarks.warnings[0] ?? '', /missing: a\.adoc/);
  });

  it('AsciiDoc reads no hidden file, none outside, and no address', async () => {
    const { asked, text } = await converted('asciidoc', 'a.adoc', {
      'a.adoc': '= A\n\ninclude::/etc/passwd[]\n\ninclude::https://kiln.example/x.adoc[]\n\ninclude::{docdir}/x[]\n\nT.\n',
    });
    assert.deepEqual(
      asked.filter((path) => path.includes('etc') || path.includes('http')),
      [],
    );
    assert.match(text, /<p>T\.<\/p>/);
    const root = tree('links', { 'docs/a.adoc': 'x', 'docs/.env': 'secret', 'docs/.git/config': 'secret', 'outside.txt': 'secret' });
    symlinkSync('../outside.txt', join(root, 'docs/link.txt'));
    const files = new FolderFiles(join(root, 'docs'), join(root, 'docs'));
    assert.notEqual(files.read('a.adoc'), undefined);
    for (const path of ['.env', '.git/config', 'link.txt', '../outside.txt', '/etc/passwd', 'none'])
      assert.equal(files.read(path), undefined, path);
  });

  it('Lines of an include are chosen by numbers and by tags', () => {
    const lines = ['1', '// tag::a[]', '2', '// tag::b[]', '3', '// end::b[]', '// end::a[]', '4'];
    assert.deepEqual(byNumbers(['a', 'b', 'c', 'd'], '1;3..-1'), ['a', 'c', 'd']);
    assert.deepEqual(byNumbers(['a', 'b'], '0..1000000000'), ['a', 'b']);
    assert.deepEqual(byTags(lines, 'a'), ['2', '3']);
    assert.deepEqual(byTags(lines, 'a;!b'), ['2']);
    assert.deepEqual(byTags(lines, '**'), ['1', '2', '3', '4']);
    assert.deepEqual(byTags(lines, '*'), ['2', '3']);
    assert.deepEqual(byTags(lines, '!a'), ['1', '4']);
  });

  it('Pages that include each other in a circle stay', () => {
    const page = (...parts) => ({ parts, isOwnPage: false });
    const map = new Map([
      ['a', page('b', 'c')],
      ['b', page('c')],
      ['c', page()],
      ['d', page('e')],
      ['e', page('d')],
    ]);
    assert.deepEqual(
      [...partsOf(map)],
      [
        ['b', 'a'],
        ['c', 'a'],
      ],
    );
  });

  it('A file that a converter refuses is a problem, and the others are packed', async () => {
    const { report } = await packed('refused', { 'a.md': '# A\n\nText.\n', 'big.adoc': 'x'.repeat(9 * 1024 * 1024) });
    assert.equal(report.pages, 1);
    assert.deepEqual(report.skipped, [{ path: 'big.adoc', reason: 'too large: 9437184 bytes, at most 8 MiB are converted' }]);
  });

  it('Rounds convert what changed, an included file too', async () => {
    const root = tree('rounds', { 'a.md': '# A\n\nText.\n', 'b.adoc': '= B\n\ninclude::part.txt[]\n', 'part.txt': 'First words.\n' });
    const output = join(folder, 'rounds.sheaf');
    const rounds = packer.rounds(
      { inputs: [root], exclude: ['*.txt'], output, library: 'kiln', version: '1', encoder: 'none' },
      { show: 'nothing' },
    );
    try {
      const first = await rounds.round();
      assert.deepEqual([first.pages, first.added, first.written], [2, 2, true]);
      const same = await rounds.round();
      assert.equal(same.written, false);
      writeFileSync(join(root, 'part.txt'), 'Other words of the part.\n');
      const changed = await rounds.round();
      assert.deepEqual([changed.changed, changed.written], [1, true]);
      assert.ok((await passagesOf(output)).some(({ text }) => text.includes('Other words')));
      // The text stays, its line does not.
      writeFileSync(join(root, 'b.adoc'), '= B\n\n\n\ninclude::part.txt[]\n\n\n\nOwn words.\n');
      await rounds.round();
      writeFileSync(join(root, 'b.adoc'), '= B\n\ninclude::part.txt[]\n\nOwn words.\n');
      assert.equal((await rounds.round()).changed, 1);
      assert.equal((await passagesOf(output)).find(({ text }) => text.includes('Own words')).lastLine, 5);
      rmSync(join(root, 'b.adoc'));
      assert.equal((await rounds.round()).removed, 1);
    } finally {
      await rounds.close();
    }
  });

  it('sheaf-pack alone says that the command sheaf reads AsciiDoc', async () => {
    const root = tree('alone', { 'a.adoc': '= A\n\nText.\n' });
    const { stderr, status } = spawnSync(
      await requirePacker(),
      ['pack', root, '--library', 'k', '--version', '1', '-o', join(folder, 'alone.sheaf')],
      { encoding: 'utf8' },
    );
    assert.equal(status, 2);
    assert.match(stderr, /1 file of formats such as AsciiDoc, not read by sheaf-pack; the command `sheaf pack` reads it/);
  });
});

describe('OpenAPI', () => {
  const SWAGGER = `swagger: "2.0"
info: { title: Kiln API, version: "1", description: "# Errors\\n\\nErrors are JSON." }
host: kiln.example
basePath: /v1
schemes: [https]
tags: [{ name: firing, description: Everything hot }]
paths:
  /kilns/{id}:
    get:
      tags: [firing]
      summary: Find a kiln
      operationId: findKiln
      parameters:
        - { name: id, in: path, required: true, type: string, description: A name | or a number }
        - { name: unit, in: query, type: string, enum: [c, f], default: c }
      responses:
        "200": { description: The kiln, schema: { $ref: '#/definitions/Kiln' } }
        "404": { description: None }
definitions:
  Kiln:
    type: object
    required: [id]
    properties:
      id: { type: integer, format: int64 }
      twin: { $ref: '#/definitions/Kiln' }
`;

  it('Swagger 2 becomes sections for operations and schemas', async () => {
    const { report, passages } = await packed(
      'swagger',
      { 'api/kiln.yaml': SWAGGER, 'data.json': '{"a": 1}' },
      { baseUrl: 'https://kiln.example/' },
    );
    assert.deepEqual([report.pages, report.notes, report.skipped], [1, [], []]);
    const operation = passages.find(({ anchor }) => anchor === 'findKiln');
    assert.deepEqual(operation.headings, ['firing', 'Find a kiln: GET /kilns/{id}']);
    assert.match(operation.text, /\| `id` \| path \| string \| yes \| A name \\\| or a number \|/);
    assert.match(operation.text, /\| `unit` \| query \| string \|  \| One of `c`, `f`\. Default: `c`\. \|/);
    assert.match(operation.text, /\| `200` \| The kiln \| Kiln \|/);
    const schema = passages.find(({ anchor }) => anchor === 'Kiln');
    assert.match(schema.text, /\| `id` \| integer \(int64\) \| yes \|/);
    assert.match(schema.text, /\| `twin` \| Kiln \|/);
    const text = passages.map((each) => each.text).join('\n');
    assert.match(text, /`https:\/\/kiln\.example\/v1`/);
    assert.ok(passages.some(({ headings }) => headings.includes('Errors')));
  });

  it('OpenAPI 3 shows bodies, examples, merged schemas and other files of the tree', async () => {
    const api = {
      openapi: '3.1.0',
      info: { title: 'K' },
      paths: {
        '/fire': {
          post: {
            requestBody: {
              required: true,
              content: {
                'application/json': {
                  schema: { allOf: [{ $ref: 'parts.json#/Base' }, { properties: { cone: { type: ['integer', 'null'] } } }] },
                  example: { cone: 6 },
                },
              },
            },
            responses: { 201: { description: 'Lit' } },
          },
        },
      },
      webhooks: { done: { post: { summary: 'It is done', responses: {} } } },
    };
    const { text, asked } = await converted('openapi', 'v1/api.json', {
      'v1/api.json': JSON.stringify(api),
      'v1/parts.json': '{"Base": {"properties": {"name": {"type": "string", "description": "What it is"}}}}',
    });
    assert.deepEqual([...new Set(asked)], ['v1/parts.json']);
    assert.match(text, /## `POST \/fire` \{#POST-fire\}/);
    assert.match(text, /\| `name` \| string \| What it is \|\n\| `cone` \| integer or null \|  \|/);
    assert.match(text, /```json\n\{\n {2}"cone": 6\n\}\n```/);
    assert.match(text, /It is done: `Webhook POST done`/);
  });

  it('OpenAPI with cycles, deep nesting, or more values than its text shows has a bound', async () => {
    const cycle = {
      openapi: '3.0.0',
      paths: {
        '/a': { $ref: '#/paths/~1a' },
        '/b': { get: { responses: { 200: { content: { j: { schema: { $ref: '#/components/schemas/A' } } } } } } },
      },
      components: {
        schemas: {
          A: { $ref: '#/components/schemas/B' },
          B: { $ref: '#/components/schemas/A' },
          C: { allOf: [{ $ref: '#/components/schemas/C' }], properties: { c: { $ref: '#/components/schemas/C' } } },
        },
      },
    };
    const { text } = await converted('openapi', 'a.json', { 'a.json': JSON.stringify(cycle) });
    assert.match(text, /`GET \/b`/);
    assert.match(text, /\| `c` \| C \|/);
    const deep = `{"openapi": "3.0.0", "paths": ${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}}`;
    const nested = await converted('openapi', 'a.json', { 'a.json': deep });
    assert.match(nested.remarks.problem, /nested more than 200 deep/);
    const laughs = [
      'a0: &a0 [x,x,x,x,x,x,x,x,x,x]',
      ...Array.from({ length: 9 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(10).fill(`*a${i}`).join(',')}]`),
    ];
    const bomb = await converted('openapi', 'a.yaml', { 'a.yaml': `openapi: 3.0.0\npaths: {}\n${laughs.join('\n')}\n` });
    assert.match(bomb.remarks.problem, /more than 3000000 values/);
  });

  it('A file that is no OpenAPI after all is left out, and broken JSON is a problem', async () => {
    assert.equal(
      (await converted('openapi', 'a.json', { 'a.json': '{"x": {"openapi": "3.0"}}' })).remarks.leftOut,
      'no OpenAPI description',
    );
    assert.match((await converted('openapi', 'a.json', { 'a.json': '{"openapi": "3.0", ' })).remarks.problem, /^it cannot be converted: /);
  });
});

/** A PDF of `pages`: each a list of [font, size, x, y, text]. Fonts: F1 Helvetica, F2 Courier. `outline`: [title, page]. */
function pdf(pages, { outline = [], info = '', contents } = {}) {
  const objects = ['<< /Type /Catalog /Pages 2 0 R /Outlines 6 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> >>'];
  const first = 10;
  const kids = pages.map((_, i) => `${first + 2 * i} 0 R`).join(' ');
  objects[1] = `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`;
  objects[2] = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>';
  objects[3] = '<< /Type /Font /Subtype /Type1 /BaseFont /Courier >>';
  objects[4] = `<< ${info} >>`;
  const entry = first + 2 * pages.length;
  objects[5] = `<< /Type /Outlines${outline.length > 0 ? ` /First ${entry} 0 R /Last ${entry + outline.length - 1} 0 R` : ''} >>`;
  pages.forEach((lines, i) => {
    const text = lines
      .map(([font, size, x, y, words]) => `BT /${font} ${size} Tf ${x} ${y} Td (${words.replace(/[\\()]/g, '\\$&')}) Tj ET`)
      .join('\n');
    const stream = contents ?? deflateSync(text);
    objects[first - 1 + 2 * i] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 600 800] /Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> /Contents ${first + 1 + 2 * i} 0 R >>`;
    objects[first + 2 * i] = Buffer.concat([
      Buffer.from(`<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`),
      stream,
      Buffer.from('\nendstream'),
    ]);
  });
  outline.forEach(([title, page], i) => {
    const links = `${i > 0 ? ` /Prev ${entry + i - 1} 0 R` : ''}${i + 1 < outline.length ? ` /Next ${entry + i + 1} 0 R` : ''}`;
    objects[entry - 1 + i] = `<< /Title (${title}) /Parent 6 0 R /Dest [${first + 2 * (page - 1)} 0 R /XYZ 0 800 0]${links} >>`;
  });
  const parts = [Buffer.from('%PDF-1.5\n')];
  const offsets = [];
  let at = parts[0].length;
  for (let i = 0; i < objects.length; ++i) {
    const part = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(objects[i] ?? 'null'), Buffer.from('\nendobj\n')]);
    offsets.push(at);
    at += part.length;
    parts.push(part);
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  parts.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${table}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(parts);
}

describe('PDF', () => {
  const body = (...texts) => texts.map((text, i) => ['F1', 10, 50, 700 - 12 * i, text]);
  const MANUAL = pdf(
    [
      [['F1', 24, 50, 750, 'Kiln manual'], ...body('A manual about kilns and how to heat', 'them, with many words of text in it.')],
      [
        ['F1', 10, 50, 780, 'Kiln manual'],
        ['F1', 10, 300, 20, '2'],
        ['F1', 14, 50, 750, '1 Heating'],
        ...body('The lid stays shut while the kiln is heat-', 'ing up, and nobody opens it.', '\u2022 not at all'),
        ['F2', 10, 50, 640, 'while (mill) {'],
        ['F2', 10, 62, 628, 'warm(mmm);'],
        ['F2', 10, 50, 616, '}'],
      ],
      [
        ['F1', 10, 50, 780, 'Kiln manual'],
        ['F1', 10, 300, 20, '3'],
        ...body('Cooling takes a night.'),
        ['F1', 14, 50, 600, 'Glazes'],
        ['F1', 10, 50, 580, 'Glazes are glass.'],
      ],
      [['F1', 10, 50, 780, 'Kiln manual'], ['F1', 10, 300, 20, '4'], ...body('More of glazes.')],
    ],
    {
      outline: [
        ['Heating', 2],
        ['Glazes', 3],
      ],
      info: '/Title (The Kiln)',
    },
  );

  it('PDF becomes a page with headings of its outline, whole words, code, and anchors of its pages', async () => {
    const { report, passages } = await packed('pdf', { 'manual.pdf': MANUAL }, { baseUrl: 'https://kiln.example/' });
    assert.deepEqual([report.pages, report.skipped, report.notes], [1, [], []]);
    const byHeading = (name) => passages.filter(({ headings }) => headings.at(-1) === name);
    const [heating] = byHeading('Heating');
    assert.equal(heating.anchor, 'page=2');
    assert.match(heating.text, /while the kiln is heating up, and nobody opens it\./);
    assert.match(heating.text, /```\nwhile \(mill\) \{\n {2}warm\(mmm\);\n\}\n```/);
    assert.doesNotMatch(
      passages
        .map(({ text }) => text)
        .join('\n')
        .replace('# The Kiln', ''),
      /^(Kiln manual|\d)$/m,
    );
    const [glazes] = byHeading('Glazes');
    assert.equal(glazes.anchor, 'page=3');
    assert.match(glazes.text, /Glazes are glass\.[\s\S]*More of glazes\./);
  });

  it('PDF without outline has headings by size or number, else a section for each page', async () => {
    const sized = await converted('pdf', 'a.pdf', {
      'a.pdf': pdf([
        [
          ['F1', 16, 50, 700, 'Large words'],
          ['F1', 10, 50, 680, 'Text that is longer than the heading.'],
        ],
      ]),
    });
    assert.match(sized.text, /<title>Large words<\/title>/);
    const numbered = await converted('pdf', 'b.pdf', {
      'b.pdf': pdf([body('1. Terms', 'Some text of the terms.', '1.1 Dates', 'Other text.')]),
    });
    assert.match(numbered.text, /<h2 id="page=1">1\. Terms<\/h2>\n<p>Some text of the terms\.<\/p>\n<h3 id="page=1">1\.1 Dates<\/h3>/);
    const plain = await converted('pdf', 'c.pdf', { 'c.pdf': pdf([body('One.'), body('Two.')]) });
    assert.match(plain.text, /<h2 id="page=1">Page 1<\/h2>\n<p>One\.<\/p>\n<h2 id="page=2">Page 2<\/h2>/);
    assert.match(plain.text, /<title>c<\/title>/);
  });

  it('PDF beside many other pages is left out, unless it is named', async () => {
    const files = { 'a.md': '# A\n\nText.\n', 'b.md': '# B\n\nText.\n', 'manual.pdf': MANUAL };
    const { report } = await packed('beside', files);
    assert.equal(report.pages, 2);
    assert.deepEqual(report.notes, [
      { path: 'manual.pdf', reason: 'left out: a PDF beside other documentation, which often repeats it; name it as an input to pack it' },
    ]);
    const root = tree('named', files);
    const named = await packed('named', files, { inputs: [root, join(root, 'manual.pdf')] });
    assert.equal(named.report.pages, 3);
  });

  it('PDF that is broken, scanned, or grows without end is a remark', async () => {
    const broken = await converted('pdf', 'a.pdf', { 'a.pdf': Buffer.from('%PDF-1.5\nnothing of the kind') });
    assert.match(broken.remarks.problem, /^it cannot be converted: /);
    const scanned = await converted('pdf', 'a.pdf', { 'a.pdf': pdf([[], []]) });
    assert.match(scanned.remarks.leftOut, /hold no text/);
    const bomb = pdf([[]], { contents: deflateSync(Buffer.alloc(400 * 1024 * 1024, ' ')) });
    assert.ok(bomb.length < 1024 * 1024);
    const before = process.memoryUsage().rss;
    const { page, remarks } = await converted('pdf', 'a.pdf', { 'a.pdf': bomb });
    assert.equal(page, undefined);
    assert.ok(remarks.leftOut !== undefined || remarks.problem !== undefined);
    assert.ok(process.memoryUsage().rss - before < 900 * 1024 * 1024);
  });
});

describe('Manual pages', () => {
  const MAN = `.\\" A comment
.TH KILN 1 "May 2026" "Kiln 1.4"
.SH NAME
kiln \\- fire clay
.SH OPTIONS
.TP
.B \\-\\-cone\\fR=\\fIN\\fR
Fire to cone N.
.so man7/notes.7
`;
  const MDOC = `.Dd May 1, 2026
.Dt GLAZE 5
.Os
.Sh NAME
.Nm glaze
.Nd recipes of glazes
.Sh DESCRIPTION
.Ss Recipes
A recipe has parts:
.Bl -tag -width Ds
.It Cm silica
Sand.
.El
`;

  it('Manual pages become pages with sections and anchors, compressed or not, and aliases none', async () => {
    const { report, passages } = await packed(
      'man',
      {
        'man1/kiln.1': MAN,
        'man1/oven.1': '.so man1/kiln.1\n',
        'man5/glaze.5.gz': gzipSync(MDOC),
        'man7/notes.7': '.SH NOTES\nOpen the lid when cold.\n',
        'man3/lib.3': 'no manual page',
      },
      { baseUrl: 'https://kiln.example/' },
    );
    assert.deepEqual(report.skipped, []);
    assert.deepEqual(report.notes, [{ path: 'man1/oven.1', reason: 'left out: an alias, which only names another manual page' }]);
    assert.equal(report.pages, 3);
    const text = passages.map((each) => each.text).join('\n');
    assert.match(text, /^# kiln\(1\)$/m);
    assert.match(text, /^# glaze\(5\)$/m);
    const options = passages.find(({ headings }) => headings.includes('OPTIONS'));
    assert.match(options.text, /--cone=N[\s\S]*Fire to cone N\./);
    assert.ok(passages.some(({ anchor, headings }) => anchor === 'Recipes' && headings.join() === 'DESCRIPTION,Recipes'));
    assert.match(text, /silica[\s\S]*Sand\./);
    assert.equal(text.match(/Open the lid when cold/g).length, 2);
  });

  it('Manual pages that read themselves, unpack without end, or define macros without end have a bound', async () => {
    const self = await converted('man', 'man1/a.1', { 'man1/a.1': '.TH A 1\n.SH NAME\na\n.so man1/a.1\n' });
    assert.match(self.text, /NAME/);
    assert.equal(self.asked.length <= 100, true);
    const bomb = await converted('man', 'a.1.gz', { 'a.1.gz': gzipSync(Buffer.alloc(50 * 1024 * 1024, '.TH A 1\n')) });
    assert.match(bomb.remarks.problem, /unpacks to more than 8388608 bytes/);
    const loop = await converted('man', 'a.1', { 'a.1': '.TH A 1\n.SH NAME\n.de x\n.x\n..\n.x\n.while 1 text\n' });
    assert.ok(loop.page !== undefined || loop.remarks.problem !== undefined);
  });
});

describe('Compressed pages', () => {
  const html = (title, text) => gzipSync(Buffer.from(`<html><head><title>${title}</title></head><body><p>${text}</p></body></html>`));

  it('Pages of every kind are unpacked and keep their paths and addresses', async () => {
    const { report, output } = await packed(
      'gzip',
      {
        'fire.html.gz': html('Firing', 'Fire slowly.'),
        'old.htm.gz': gzipSync(
          Buffer.from('<html><head><meta charset="iso-8859-1"><title>Old</title></head><body><p>Tr\xe8s lent.</p></body></html>', 'latin1'),
        ),
        'use/README.md.gz': gzipSync('# Using\n\nOpen the lid.\n'),
        'README.Debian.gz': gzipSync('# Debian\n\nIts kiln is patched.\n'),
        'guide.txt.gz': gzipSync('Guide\n=====\n\n.. note::\n\n   Wear gloves.\n'),
        'changelog.gz': gzipSync('kiln (1) unstable\n'),
        'false.html.gz': Buffer.from('<p>Never compressed.</p>'),
      },
      { baseUrl: 'https://kiln.example/' },
    );
    assert.deepEqual([report.skipped, report.pages], [[], 5]);
    const byUrl = Object.fromEntries((await readPages(output)).map(({ url, text }) => [url, text]));
    assert.deepEqual(Object.keys(byUrl).sort(), [
      'https://kiln.example/',
      'https://kiln.example/fire.html',
      'https://kiln.example/guide.html',
      'https://kiln.example/old.htm',
      'https://kiln.example/use/',
    ]);
    assert.match(byUrl['https://kiln.example/old.htm'], /Très lent\./);
    assert.match(byUrl['https://kiln.example/guide.html'], /Note[\s\S]*Wear gloves\./);
    assert.match(byUrl['https://kiln.example/'], /Its kiln is patched\./);
  });

  it('A compressed copy beside its page, or of a source that Sphinx copied, is left out', async () => {
    const { report } = await packed('gzip-twins', {
      'fire.html': '<html><head><title>Firing</title></head><body><p>Fire slowly.</p></body></html>',
      'fire.html.gz': html('Firing', 'Fire slowly.'),
      '_sources/fire.rst.txt.gz': gzipSync('Firing\n======\n\nFire slowly.\n'),
    });
    assert.equal(report.pages, 1);
    assert.deepEqual(report.notes, [
      { path: '_sources/fire.rst.txt.gz', reason: 'left out: a compressed copy of a page, which is packed, like 1 other file' },
    ]);
  });

  it('A page that unpacks without end has a bound, and a damaged one is a problem', async () => {
    const bomb = await converted('gzip', 'a.txt.gz', { 'a.txt.gz': gzipSync(Buffer.alloc(33 * 1024 * 1024, 'a ')) });
    assert.match(bomb.remarks.problem, /unpacks to more than 33554432 bytes/);
    const damaged = await converted('gzip', 'a.txt.gz', { 'a.txt.gz': gzipSync('Fire slowly.').subarray(0, 20) });
    assert.match(damaged.remarks.problem, /^it cannot be converted: /);
  });
});

describe('sheaf/packer', () => {
  it('sheaf/packer converts files in memory and on disk, with the bytes of the command', async () => {
    const files = {
      'a.adoc': '= A\n\nText.\n\ninclude::part.txt[]\n',
      'part.txt': 'A part.\n',
      'man1/kiln.1': '.TH KILN 1\n.SH NAME\nkiln \\- fire clay\n',
      'api.yaml': 'openapi: 3.0.0\ninfo: { title: K }\npaths: { /a: { get: { summary: Get a } } }\n',
      '.hidden.adoc': '= Hidden\n\nText.\n',
    };
    const options = { library: 'kiln', version: '1', encoder: 'none', baseUrl: 'https://kiln.example/' };
    const { output, report } = await packed('by-command', files, options);
    assert.equal(report.pages, 4);
    const source = Object.entries(files).map(([path, bytes]) => ({ path, bytes }));
    const inMemory = await pack({ source, ...options });
    const native = readFileSync(output);
    assert.deepEqual([inMemory.report.pages, inMemory.report.skipped, inMemory.report.notes], [4, [], []]);
    assert.ok(native.equals(inMemory.bundle), 'the bytes in memory differ');
    const onDisk = await packFiles({ inputs: [join(folder, 'by-command')], ...options });
    assert.ok(native.equals(onDisk.bundle), 'the bytes from disk differ');
  });
});
