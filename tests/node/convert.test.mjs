/** Converters: AsciiDoc, OpenAPI and others become pages, under the names and addresses of their files. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { convertFile, partsOf } from '../../dist/browser/convert/converter.js';
import { byNumbers, byTags } from '../../dist/browser/convert/select_lines.js';
import { open } from '../../dist/node/client/node.js';
import { openPacker } from '../../dist/node/packer/choose.js';
import { FolderFiles } from '../../dist/node/packer/folder_files.js';
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
