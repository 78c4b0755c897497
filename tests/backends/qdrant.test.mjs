/** Qdrant itself, in a process of Python: what `sheaf export --to qdrant` writes, and the query of docs/databases.md. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { open } from '../../dist/node/client/node.js';
import { finish, MAIN, temporaryFolder } from '../node/packed.mjs';
import { request } from './doc_blocks.mjs';
import { askPython, python } from './servers.mjs';
import { allRows } from './store.mjs';
import { makeBundles, makeOtherLanguages } from './suite.mjs';

const { missing } = python();
const QUERIES = ['how do I install kiln', 'firing schedule', 'furnace', 'secure the dashboard with a password'];

describe('Qdrant', { skip: missing }, () => {
  it("Qdrant takes collection, indexes and points, and finds the bundle's hits", async () => {
    const root = temporaryFolder('qdrant');
    const { kiln, newer, hostile } = await makeBundles(root);
    const folder = join(root, 'work', 'requests');
    mkdirSync(join(root, 'work'));
    const env = { PATH: process.env.PATH, HOME: root };
    const exported = await finish(spawn(process.execPath, [MAIN, 'export', kiln, newer, hostile, '--to', 'qdrant', '-o', folder], { env }));
    assert.equal(exported.code, 0, exported.stderr);

    const local = await open(kiln);
    const asked = [];
    for (const query of QUERIES) {
      const vector = [...(await local.embed(query))];
      const body = request('qdrant', { library: 'kiln', version: '1.4.0', words: query.split(' ').at(-1), vector });
      asked.push(body, { query: vector, filter: body.prefetch[0].filter, limit: 10 });
    }
    const only = { must: [{ key: 'text', match: { text: 'hostileword' } }] };
    asked.push({ query: asked[0].prefetch[0].query, filter: only, limit: 10 });
    writeFileSync(join(root, 'work', 'queries.json'), JSON.stringify(asked));
    const { points, answers } = askPython('qdrant_check.py', [folder, join(root, 'work', 'queries.json')]);

    const rows = [];
    for (const path of [kiln, newer, hostile]) rows.push(...(await allRows(path)).rows);
    const ofKiln = new Map(rows.flatMap((row) => (row.library === 'kiln' && row.version === '1.4.0' ? [[row.id, row]] : [])));
    assert.equal(points, rows.filter(({ vector }) => vector !== undefined).length);
    for (const [i, query] of QUERIES.entries()) {
      const [both, meaning] = answers.slice(2 * i, 2 * i + 2);
      assert.ok(both.length > 0 && both.every(({ id }) => ofKiln.has(id)), query);
      const own = await local.search(query, { mode: 'semantic', by: 'passage', topK: 10, explain: true });
      for (const [rank, { explanation }] of own.hits.slice(0, 5).entries())
        assert.ok(Math.abs(meaning[rank].score - explanation.cosine) < 0.02, query);
      assert.equal(ofKiln.get(meaning[0].id).passage, own.hits[0].passage, query);
      const { id, vector: _, lastModified, firstLine, lastLine, ...rest } = ofKiln.get(meaning[0].id);
      assert.deepEqual(meaning[0].payload, { ...rest, last_modified: lastModified, first_line: firstLine, last_line: lastLine }, id);
    }
    assert.deepEqual(
      answers.at(-1).map(({ payload: { library, headings } }) => [library, headings.at(-1)]),
      [['@it-s/a_hostile.name', 'NULL']],
    );
    await local.close();
  });

  it('Qdrant finds other word forms, and words of scripts without spaces', async () => {
    const root = temporaryFolder('qdrant-languages');
    const { hostile } = await makeBundles(root);
    const { de, ja } = await makeOtherLanguages(root);
    const env = { PATH: process.env.PATH, HOME: root };
    for (const [name, bundles, wanted] of [
      ['german', [de], { Ebenenmaske: ['masken.md'], größe: ['masken.md'], Grossen: ['masken.md'], Wolken: [] }],
      [
        'several',
        [de, ja, hostile],
        { Ebenenmasken: ['masken.md'], レイヤー: ['masks.md'], 追加: ['masks.md'], hostileword: ['hostile.md'] },
      ],
    ]) {
      const folder = join(root, name, 'requests');
      mkdirSync(join(root, name));
      const exported = await finish(spawn(process.execPath, [MAIN, 'export', ...bundles, '--to', 'qdrant', '-o', folder], { env }));
      assert.equal(exported.code, 0, exported.stderr);
      const [{ vector }] = (await allRows(de)).rows;
      const asked = Object.keys(wanted).map((text) => ({
        query: [...vector],
        filter: { must: [{ key: 'text', match: { text } }] },
        limit: 10,
      }));
      const queries = join(root, name, 'queries.json');
      writeFileSync(queries, JSON.stringify(asked));
      const { answers } = askPython('qdrant_check.py', [folder, queries]);
      for (const [i, [word, sources]] of Object.entries(wanted).entries())
        assert.deepEqual([...new Set(answers[i].map(({ payload }) => payload.source))], sources, word);
    }
  });
});
