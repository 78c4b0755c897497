/**
 * A hit is described in many places: C++ struct, wire, TypeScript, JSON, schemas, documents. The struct in
 * src/search/query.h is the one to follow. This walks the others, and names the field that one of them lacks or has
 * too many.
 *
 * Who shows a part of a hit says below what it leaves out. So a new field fails here until each reader has decided.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as wire from '../../dist/browser/client/wire.js';
import { requirePacker } from '../native_packer.mjs';
import { answer } from './fake_core.mjs';
import { MAIN, packFixture, TABLE, temporaryFolder } from './packed.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path) => readFileSync(join(root, path), 'utf8');
const camel = (name) => name.replace(/_(\w)/g, (_, letter) => letter.toUpperCase());
/** What the pattern's first group that took part finds in a text, again and again. */
const all = (text, pattern) => [...text.matchAll(pattern)].map(([, ...groups]) => groups.find((group) => group !== undefined));
/** What the pattern's group finds first. */
const one = (text, pattern) => pattern.exec(text)?.[1] ?? assert.fail(`${pattern} is nowhere to be found`);

// ---- the struct ---------------------------------------------------------------------------------

const STRUCTS = ['Hit', 'Highlight', 'HitSymbol', 'Explanation', 'TermMatch'];
const QUERY_H = read('src/search/query.h');
/** The names of an enum's values, in their order. */
const namesIn = (name) =>
  all(one(QUERY_H, new RegExp(`^enum class ${name}[^{]*\\{\\n([\\s\\S]*?)^\\};`, 'm')), /^ {2}k(\w+) = /gm).map((value) =>
    value.toLowerCase(),
  );
const ENUMS = { MatchKind: namesIn('MatchKind'), HitKind: namesIn('HitKind'), SymbolKind: namesIn('SymbolKind') };

/** Members of a struct, as { name, type } in their order; without those that are "not of an answer". */
function membersOf(struct) {
  const body = one(QUERY_H, new RegExp(`^struct ${struct} \\{\\n([\\s\\S]*?)^\\};`, 'm'));
  const members = [
    ...body
      .replace(/^ *\/\/.*$|^.*; {2}\/\/ not of an answer.*$/gm, '')
      .replace(/\n {4,}(?=\w)/g, ' ')
      .matchAll(/^ {2}(\S.*?) (\w+)(?: = [^;]+)?;/gm),
  ];
  return members.map(([, type, name]) => ({ name: camel(name), type }));
}

const namesOf = (struct) => membersOf(struct).map(({ name }) => name);
const FIELDS = namesOf('Hit');

/** What a plain C++ type is on the other sides: `code` on the wire (the key is in module.d.ts), `ts` in types.ts. */
const PLAIN = {
  uint32_t: { code: 'v', ts: 'number' },
  float: { code: 'f', ts: 'number' },
  bool: { code: 'u8', ts: 'boolean' },
  'std::string': { code: 's', ts: 'string' },
  ...Object.fromEntries(Object.keys(ENUMS).map((name) => [name, { code: 'u8', ts: name }])),
};
const STRINGS = 'std::vector<std::string>';
const PAIRS = 'std::vector<std::pair<std::string, std::string>>';

/** The struct of a list or of an option of structs; undefined for other types. */
function innerOf(type) {
  const [, list, option] = /^std::vector<(\w+)>$|^std::optional<(\w+)>$/.exec(type) ?? [];
  return list === undefined && option === undefined ? undefined : { struct: list ?? option, list: list !== undefined };
}

function plainOf(type) {
  return PLAIN[type] ?? assert.fail(`${type}: what is that of src/search/query.h elsewhere? Give it a line in PLAIN.`);
}

/** What the client adds to a hit of the core: pages with the same passage (web/browser/client/copies.ts). */
const OWN = [['alsoIn', 'Copy[]']];

/** Fails with the names that `found` lacks, and those that it has besides. */
function same(found, expected, where) {
  const lacks = expected.filter((name) => !found.includes(name));
  const besides = found.filter((name) => !expected.includes(name));
  const told = [];
  if (lacks.length > 0) told.push(`lacks ${lacks.join(', ')}`);
  if (besides.length > 0) told.push(`has besides ${besides.join(', ')}`);
  if (told.length > 0) assert.fail(`${where} ${told.join(' and ')}; src/search/query.h says what a hit has`);
}

// ---- the wire -----------------------------------------------------------------------------------

/** A struct's layout in the words of module.d.ts. */
function layoutOf(struct) {
  const layout = ({ name, type }) => {
    const inner = innerOf(type);
    if (inner?.list) return `L( ${layoutOf(inner.struct)} ) ${name}`;
    if (inner !== undefined) return `u8 ${camel(`has_${name}`)}, and if 1: ${layoutOf(inner.struct)}`;
    if (type === STRINGS) return `L(s) ${name}`;
    if (type === PAIRS) return `L( s key · s value ) ${name}`;
    return `${plainOf(type).code} ${name}`;
  };
  return membersOf(struct).map(layout).join(' · ');
}

let count = 0;

/** Writes a value of each member, no two alike, and returns what a reader should find. */
function writeStruct(writer, struct) {
  const value = {};
  for (const { name, type } of membersOf(struct)) {
    const number = ++count;
    const text = `${name} ${number}`;
    const inner = innerOf(type);
    if (inner?.list) {
      value[name] = [];
      writer.list([1, 2], (w) => value[name].push(writeStruct(w, inner.struct)));
    } else if (inner !== undefined) {
      value[name] = writeStruct(writer.u8(1), inner.struct);
    } else if (type === STRINGS) {
      value[name] = [text, 'another'];
      writer.list(value[name], (w, each) => w.string(each));
    } else if (type === PAIRS) {
      value[name] = { [text]: 'value' };
      writer.list([text], (w, key) => w.string(key).string('value'));
    } else {
      const names = type === 'bool' ? [false, true] : (ENUMS[type] ?? []);
      const kind = number % (names.length || 1);
      const written = { v: ['varint', number + 300], f: ['f32', number + 0.5], s: ['string', text], u8: ['u8', kind] };
      const [method, given] = written[plainOf(type).code];
      writer[method](given);
      value[name] = method === 'u8' ? names[kind] : given;
    }
  }
  return value;
}

/** Writes the fewest bytes that a struct can take. */
function writeLeast(writer, struct) {
  for (const { type } of membersOf(struct)) {
    if (PLAIN[type]?.code === 'f') writer.f32(0);
    else writer.u8(0); // an empty list or text, no option, the number 0
  }
}

/** Decodes an answer of these hits. */
function decoded(hits, write) {
  const message = answer().varint(0).varint(0).u8(1).u8(0).u8(0).varint(0).list(hits, write).string('');
  return wire.decodeMessage(message.done(), wire.readAnswer).value.hits;
}

describe('on the wire, a hit', () => {
  it('wasm/wire.h writes a hit field for field, in the order of the struct', () => {
    const text = read('wasm/wire.h');
    const beginnings = {
      Hit: 'void Put(const Hit& h) {',
      Highlight: 'void Put(const Highlight& h) {',
      HitSymbol: 'void Put(const HitSymbol& s) {',
      Explanation: 'const Explanation& e =',
      TermMatch: 'void Put(const TermMatch& m) {',
    };
    for (const struct of STRUCTS) {
      const start = text.indexOf(beginnings[struct]);
      assert.ok(start > 0, `wasm/wire.h writes no ${struct}`);
      const body = text.slice(start, text.indexOf('\n  }\n', start));
      const variable = one(beginnings[struct], /& (\w)/);
      const written = [...new Set(all(body, new RegExp(`\\b${variable}\\.(\\w+)`, 'g')).map(camel))];
      same(written, namesOf(struct), `wasm/wire.h, ${struct},`);
      assert.deepEqual(written, namesOf(struct), `wasm/wire.h writes ${struct} in another order`);
    }
  });

  it('wasm/module.d.ts lays a hit out as it is written', () => {
    const text = read('wasm/module.d.ts').replace(/^ \*/gm, '').replace(/\s+/g, ' ');
    const told = one(text, /with hit = (.*?) · s facets/).replace(' (UTF-16 units)', '');
    const parts = (layout) => layout.split(/ · |, and if 1: /);
    same(parts(told), parts(layoutOf('Hit')), 'wasm/module.d.ts');
    assert.equal(told, layoutOf('Hit'));
  });

  it('The client reads a hit with all of its fields', () => {
    const body = one(read('web/browser/client/wire.ts'), /^function readHit\([\s\S]*?\{\n([\s\S]*?)^\}/m);
    same(all(body, /^ {4}(\w+): (?:reader|named)|\bhit\.(\w+) = /gm), FIELDS, 'web/browser/client/wire.ts');
    let expected;
    assert.deepEqual(
      decoded([1], (w) => (expected = writeStruct(w, 'Hit'))),
      [expected],
    );
  });

  it('A hit is believed in its shortest possible form', () => {
    assert.equal(decoded(Array(1000).fill(), (w) => writeLeast(w, 'Hit')).length, 1000);
  });
});

// ---- TypeScript, JSON, documents ------------------------------------------------------------------

describe('a hit is described', () => {
  it('web/browser/client/types.ts describes a hit with the types of the wire', () => {
    const types = read('web/browser/client/types.ts');
    const typeOf = (type) => {
      const inner = innerOf(type);
      if (inner !== undefined) return inner.list ? `${inner.struct}[]` : inner.struct;
      if (type === STRINGS) return 'string[]';
      return type === PAIRS ? 'Record<string, string>' : plainOf(type).ts;
    };
    for (const struct of STRUCTS) {
      const body = one(types, new RegExp(`^export interface ${struct} \\{\\n([\\s\\S]*?)^\\}`, 'm'));
      const found = [...body.matchAll(/^ {2}(\w+)\??: (.+);$/gm)].map(([, name, type]) => [name, type]);
      const own = struct === 'Hit' ? OWN : [];
      const expected = [...membersOf(struct).map(({ name, type }) => [name, typeOf(type)]), ...own];
      same(
        found.map(([name]) => name),
        [...namesOf(struct), ...own.map(([name]) => name)],
        `web/browser/client/types.ts, ${struct},`,
      );
      assert.deepEqual(Object.fromEntries(found), Object.fromEntries(expected));
    }
    for (const [name, values] of Object.entries(ENUMS))
      assert.deepEqual(all(one(types, new RegExp(`^export type ${name} =([\\s\\S]*?);$`, 'm')), /'(\w+)'/g), values);
  });

  it('docs/cli.md describes a hit as --json prints it', () => {
    const table = one(`${read('docs/cli.md')}\n## `, /^## Hits as JSON$([\s\S]*?)^## /m);
    const cells = [...table.matchAll(/^\| (`.+?) \| (.+) \|$/gm)];
    const rows = cells.map(([, first, second]) => [all(first, /`(\w+)`/g), second]);
    same(
      rows.flatMap(([names]) => names),
      [...FIELDS, ...OWN.map(([name]) => name)],
      'docs/cli.md',
    );
    for (const [field, structs] of [
      ['highlights', ['Highlight']],
      ['symbol', ['HitSymbol']],
      ['explanation', ['Explanation', 'TermMatch']],
    ]) {
      const [, told] = rows.find(([[name]]) => name === field);
      same(all(told, /`(\w+)`/g), structs.flatMap(namesOf), `docs/cli.md, ${field},`);
    }
  });

  describe('by --json', () => {
    const folder = temporaryFolder('hit-fields');
    const bundle = join(folder, 'kiln@1.4.0.sheaf');
    const query = 'furnace temprature';
    let packer;
    before(async () => {
      packer = await requirePacker();
      const docs = join(folder, 'docs');
      mkdirSync(docs);
      const name = '<h2 id="furnace.temperature"><code>furnace.temperature()</code></h2>';
      const main = `<h1>Kiln</h1>${name}<p data-sheaf-meta="author:Anne">The temperature of a furnace.</p>`;
      const page = `<!doctype html><html lang="en"><title>Kiln</title><main>${main}</main></html>`;
      writeFileSync(join(docs, 'kiln.html'), page);
      await packFixture(bundle, { docs });
    });

    it('kind: asks for names of that kind alone, of sheaf-pack search and sheaf query', () => {
      for (const [asked, kinds] of [
        ['kind:function furnace.temperature', ['function']],
        ['furnace.temperature kind:setting', []],
      ])
        for (const [program, args] of [
          [packer, ['search', bundle, '--json', '--mode', 'keyword', '--', asked]],
          [process.execPath, [MAIN, 'query', asked, '--bundle', bundle, '--json', '--mode', 'keyword']],
        ]) {
          const { stdout, stderr } = spawnSync(program, args, { encoding: 'utf8' });
          const { hits } = JSON.parse(stdout);
          assert.deepEqual(
            hits.map(({ symbol }) => symbol?.kind),
            kinds,
            `${asked}: ${stderr}`,
          );
        }
    });

    for (const [name, door] of [
      ['sheaf-pack search', () => [packer, ['search', bundle, '--json', '--explain', '--encoder-table', TABLE, query]]],
      ['sheaf query', () => [process.execPath, [MAIN, 'query', query, '--bundle', bundle, '--json', '--explain']]],
    ]) {
      it(`A hit by --json of ${name} has every field`, () => {
        const { status, stdout, stderr } = spawnSync(...door(), { encoding: 'utf8' });
        assert.equal(status, 0, stderr);
        const [hit] = JSON.parse(stdout).hits;
        const { highlights, symbol, explanation } = hit;
        const parts = { Highlight: highlights[0], HitSymbol: symbol, Explanation: explanation };
        const found = { Hit: hit, ...parts, TermMatch: explanation.terms[0] };
        for (const struct of STRUCTS) same(Object.keys(found[struct]), namesOf(struct), `${name} --json, ${struct},`);
      });
    }
  });
});

// ---- who shows a part ---------------------------------------------------------------------------

const LINES = ['firstLine', 'lastLine'];
/** How a list shows a hit at a glance. */
const LOOKS = ['place', 'kind', 'titleHighlights', 'headingHighlights'];

/** Programs that read hits, and the fields that each leaves out on purpose. */
const READERS = [
  { reader: 'the component', files: /^web\/browser\/ui\//, without: [...LINES, 'meta', 'explanation'] },
  { reader: 'pages opened as files', files: /^web\/browser\/page\//, without: FIELDS.filter((name) => name !== 'source') },
  {
    reader: 'sheaf query, as text',
    files: /^web\/cli\/query\.ts$/,
    without: ['page', 'titleHighlights', 'headingHighlights', 'meta'],
  },
  {
    reader: 'sheaf-pack search, as text',
    files: /^packer\/.*\bcmd_search\.cc$/,
    without: ['page', 'passage', 'titleHighlights', 'headingHighlights', 'meta'],
  },
  {
    reader: 'search_documents_tool',
    files: /\/openground\//,
    without: ['snippet', 'highlights', ...LOOKS, 'meta', 'explanation'],
  },
  {
    reader: 'knowledge.search',
    files: /\/knowledge\//,
    without: ['symbol', 'passage', 'headings', ...LINES, 'highlights', ...LOOKS, 'meta', 'explanation'],
  },
  {
    reader: 'SearXNG’s answers',
    files: /\/searxng\//,
    without: ['symbol', 'passage', ...LINES, 'highlights', ...LOOKS, 'meta', 'explanation'],
  },
  {
    // Its lines and texts are the passages'.
    reader: 'search_docs',
    files: /\/search_docs\//,
    without: ['symbol', 'title', 'url', 'anchor', 'headings', ...LINES, 'snippet', 'highlights', ...LOOKS, 'meta', 'explanation'],
  },
  {
    reader: 'the playground',
    files: /^web\/browser\/playground\//,
    without: FIELDS.filter((name) => !['title', 'source', 'url', 'headings', 'snippet', 'score', 'explanation'].includes(name)),
  },
  { reader: 'sheaf eval', files: /^web\/node\/eval\//, without: FIELDS.filter((name) => name !== 'page' && name !== 'alsoIn') },
];

/** Facts of a hit that a tool returns, and those that its schema promises. */
const TOOLS = [
  {
    tool: 'search_documents_tool',
    files: /\/openground\//,
    returned: (text) => all(one(text, /function hitFacts[\s\S]*?return \{\n([\s\S]*?)^ {2}\};/m), /^ {4}(?:\.{3}.*\{ )?(\w+):/gm),
    promised: (text) => all(one(text, /const HIT_SCHEMA[\s\S]*?properties: \{\n([\s\S]*?)^ {2}\},/m), /^ {4}(\w+):/gm),
  },
  ...[
    ['knowledge.search', /\/knowledge\//, 'id'],
    ['search_docs', /\/search_docs\//, 'path'],
  ].map(([tool, files, first]) => ({
    tool,
    files,
    returned: (text) => all(one(text, /^interface Result \{\n([\s\S]*?)^\}/m), /^ {2}(\w+):/gm),
    promised: (text) => all(one(text, new RegExp(`results: listOf\\([^[]*(\\[\\s*'${first}', [^\\]]*\\])`)), /'(\w+)'/g),
  })),
];

const below = (folder) => readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
const SOURCES = ['web', 'packer']
  .flatMap((folder) => below(folder).map((name) => `${folder}/${name}`))
  .filter((name) => /\.(ts|cc)$/.test(name));
const NAMES_HITS = /import (?:type )?\{[^}]*\b(?:Shown)?Hit\b|\bconst Hit& hit\b/;

const textsOf = (files) => SOURCES.filter((name) => files.test(name)).map(read);

/** The fields of hits that a source names; JSON has every field, and a test of its own. */
function fieldsRead(source) {
  const text = source.replace(/^Json ToJson\(const Hit[\s\S]*?^\}/m, '');
  const named = all(text, /\b(?:hit|as Hit\))\??\.(\w+)/g).map(camel);
  const apart = [/\(\{ ([\w, :]+) \}(?:: [^)]+)?\)/g, /\bconst \{ ([\w, :]+) \} = hit\b/g];
  const taken = apart.flatMap((pattern) => all(text, pattern)).flatMap((names) => all(names, /(?:^|, )(\w+)/g));
  return [...named, ...taken].filter((name) => FIELDS.includes(name));
}

describe('who shows a part of a hit', () => {
  for (const { reader, files, without } of READERS) {
    it(`Each field is read or deliberately left out: ${reader}`, () => {
      const texts = textsOf(files).filter((text) => NAMES_HITS.test(text));
      assert.ok(texts.length > 0, 'its files were not found');
      const reads = new Set(texts.flatMap(fieldsRead));
      same([...reads, ...without], FIELDS, reader);
      assert.deepEqual(
        without.filter((name) => reads.has(name)),
        [],
        `${reader} reads what it is said to leave out`,
      );
    });
  }

  for (const { tool, files, returned, promised } of TOOLS) {
    it(`The tool returns the fields of its schema: ${tool}`, () => {
      const text = textsOf(files).join('\n');
      assert.ok(returned(text).length > 3);
      assert.deepEqual(promised(text).sort(), returned(text).sort());
    });
  }

  it("Every user of a hit's fields is listed here", () => {
    const readers = SOURCES.filter((name) => /^web\/(?!(browser|node)\/client\/)/.test(name) && NAMES_HITS.test(read(name)));
    assert.ok(readers.length > 5);
    const unlisted = readers.filter((name) => !READERS.some(({ files }) => files.test(name)));
    assert.deepEqual(unlisted, [], 'give its reader a line in READERS');
  });
});
