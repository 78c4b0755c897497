/**
 * search_docs and knowledge as a client sees them: the official SDK's client over stdio, which checks
 * structured replies against the declared schemas. Contracts 3.1, 3.3, 4.3 and 4.4.
 */
import assert from 'node:assert/strict';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { connect, ERAS } from './mcp_client.mjs';
import { freshFolder } from './mcp_tools.mjs';
import { until } from './until.mjs';

const FIXTURES = fileURLToPath(new URL('../fixtures/datasets', import.meta.url));

for (const era of ERAS) {
  describe(`project tools over stdio, ${era} era`, () => {
    let session;
    const root = realpathSync(freshFolder('wire'));

    before(async () => {
      mkdirSync(join(root, 'docs', 'deep'), { recursive: true });
      writeFileSync(join(root, 'package.json'), '{}');
      writeFileSync(join(root, 'docs', 'kiln.md'), '# Kiln\n\nA bisque firing rises slowly.\n');
      const env = process.env.SHEAF_PACK === undefined ? {} : { SHEAF_PACK: process.env.SHEAF_PACK };
      session = await connect({
        era,
        store: freshFolder('store'),
        cwd: join(root, 'docs', 'deep'),
        args: ['--tools', 'search_docs,knowledge', '--datasets', FIXTURES],
        env,
      });
      await session.client.listTools(); // from here on the client checks replies against the schemas
    });
    after(() => session?.close());

    const call = (name, args, options) => session.client.callTool(args === undefined ? { name } : { name, arguments: args }, options);

    it(`The project server lists six tools with schemas and annotations, ${era} era`, async () => {
      const { tools } = await session.client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), [
        'create_index',
        'delete_index',
        'get_index_status',
        'knowledge.listDatasets',
        'knowledge.search',
        'search_docs',
      ]);
      for (const { name, inputSchema, outputSchema, annotations } of tools) {
        assert.deepEqual([inputSchema.type, outputSchema.type, typeof annotations.readOnlyHint], ['object', 'object', 'boolean'], name);
      }
    });

    it(`The project server answers a missing index with MCP error -32603, ${era} era`, async () => {
      const error = await call('search_docs', { query: 'kiln' }).then(
        () => assert.fail('answered'),
        (reason) => reason,
      );
      assert.equal(error.code, -32603);
      assert.match(
        error.message,
        /^(MCP error -32603: )?No documentation search index exists for this project\. Please create one first using the create_index tool\.$/,
      );
      assert.equal(error.data.code, 'DOCS_INDEX_NOT_FOUND');
    });

    it(`The project server answers bad parameters with MCP error -32602, ${era} era`, async () => {
      const error = await call('search_docs', { query: '', top_k: 51 }).then(
        () => assert.fail('answered'),
        (reason) => reason,
      );
      assert.equal(error.code, -32602);
      assert.match(
        error.message,
        /^(MCP error -32602: )?Invalid parameters: query: String must contain at least 1 character\(s\), top_k: Number must be less than or equal to 50$/,
      );
    });

    it(`The project server indexes with progress, searches, reports and deletes, ${era} era`, async () => {
      const told = [];
      const created = await call('create_index', {}, { onprogress: ({ message }) => told.push(message) });
      assert.deepEqual(
        [created.structuredContent.status, created.structuredContent.projectPath, created.structuredContent.filesIndexed],
        ['success', root, 1],
      );
      assert.ok(told.includes('Scanning files...'), told.join('\n'));
      await until(() => /\[info\] Scanning files\.\.\./.test(session.stderr()), 'the line in the log');
      const { structuredContent } = await call('search_docs', { query: 'bisque firing' });
      assert.deepEqual([structuredContent.results[0].path, structuredContent.results[0].startLine], ['docs/kiln.md', 1]);
      assert.equal((await call('search_docs', { query: 'bisque firing', compact: true })).structuredContent.r[0].l, 'docs/kiln.md:1-3');
      writeFileSync(join(root, 'new.md'), '# Pyrometer\n\nGlows.\n');
      // Where the new index takes longer than a search waits, the answer says so.
      const found = await until(async () => {
        const { structuredContent: answer } = await call('search_docs', { query: 'pyrometer' });
        return answer.warning === undefined && answer;
      }, 'an answer without a warning');
      assert.equal(found.results[0].path, 'new.md');
      assert.equal((await call('get_index_status')).structuredContent.status, 'ready');
      assert.equal((await call('delete_index')).structuredContent.status, 'success');
      assert.equal((await call('get_index_status')).structuredContent.status, 'not_found');
    });

    it(`The project server lists datasets without arguments, and searches one, ${era} era`, async () => {
      const { content } = await call('knowledge.listDatasets');
      assert.match(content[0].text, /^Found 2 datasets:\n\n\*\*kiln-guide\*\*\n/);
      const found = await call('knowledge.search', { dataset: 'kiln-guide', query: 'how fast may ware cool' });
      assert.match(found.content[0].text, /^Found 2 results for "how fast may ware cool" in \d+ms:\n\n1\. Cooling \(score: 0\.\d{4}\)\n/);
      const missing = await call('knowledge.search', { dataset: 'none', query: 'a' });
      assert.deepEqual([missing.isError, missing.structuredContent.error.code], [true, 'DATASET_NOT_FOUND']);
      const invalid = await call('knowledge.listDatasets', { x: 1 });
      assert.deepEqual([invalid.isError, invalid.content[0].text], [true, "Invalid arguments: : Unrecognized key(s) in object: 'x'"]);
    });
  });
}
