/** Parquet files of `sheaf export`, as Arrow and DuckDB read them. hyparquet, which is by the makers of the writer, reads them in the main suite. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { finish, manyPages, MAIN, packFixture, temporaryFolder } from '../node/packed.mjs';
import { installBackends } from './install.mjs';
import { askPython, python } from './servers.mjs';
import { allRows } from './store.mjs';
import { makeBundles } from './suite.mjs';

process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));
const { missing } = python();

describe('Parquet', { skip: missing }, () => {
  it('Arrow and DuckDB read every value from Parquet as the bundle has it', async () => {
    const root = temporaryFolder('parquet');
    const { kiln, hostile } = await makeBundles(root);
    // Enough for several row groups.
    const many = await packFixture(join(root, 'many.sheaf'), { docs: manyPages(join(root, 'many'), 3000), library: 'many', version: '1' });
    const file = join(root, 'docs.parquet');
    const env = { PATH: process.env.PATH, HOME: root, SHEAF_MODULES: process.env.SHEAF_MODULES };
    const exported = await finish(spawn(process.execPath, [MAIN, 'export', kiln, hostile, many, '--to', 'parquet', '-o', file], { env }));
    assert.equal(exported.code, 0, exported.stderr);

    const said = askPython('parquet_check.py', [file]);
    const rows = [];
    const facts = [];
    for (const path of [kiln, hostile, many]) {
      const bundle = await allRows(path);
      rows.push(...bundle.rows);
      facts.push(bundle.facts);
    }
    assert.ok(said.groups > 1, `${said.groups} row group`);
    assert.deepEqual(said.sheaf, facts);
    assert.deepEqual(said.nullable, ['vector']);
    assert.deepEqual([said.types.headings, said.types.passage, said.types.text], ['list<element: string not null>', 'int32', 'string']);
    assert.match(said.types.vector, /^list<element: float/);
    assert.equal(said.rows.length, rows.length);
    for (const [i, { vector, lastModified, firstLine, lastLine, ...rest }] of rows.entries()) {
      const { vector: stored, ...own } = said.rows[i];
      assert.deepEqual(own, { ...rest, last_modified: lastModified, first_line: firstLine, last_line: lastLine });
      assert.deepEqual(stored === null ? undefined : Float32Array.from(stored), vector);
    }
    assert.deepEqual(
      said.by_version,
      facts
        .map(({ library, version, passages, dimensions }) => {
          const vectors = rows.filter((row) => row.library === library && row.vector !== undefined).length;
          return [library, version, passages, vectors, passages, dimensions];
        })
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
    const first = rows.find(({ vector }) => vector !== undefined).vector;
    const cosines = rows.flatMap(({ vector }) => (vector === undefined ? [] : [vector.reduce((sum, v, d) => sum + v * first[d], 0)]));
    const best = cosines.sort((a, b) => b - a).slice(0, 5);
    for (const [i, [, cosine]] of said.nearest.entries()) assert.ok(Math.abs(cosine - best[i]) < 1e-3);
  });
});
