/**
 * An agent's session with `sheaf mcp`, over bundles and over each database: the same calls, and replies of the same form. Pages, sections
 * and lists are the same to the letter; hits are in an order of the database's own.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { linkSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { encodeFileName } from '../../dist/node/store/store.js';
import { connect } from '../node/mcp_client.mjs';
import { finish, MAIN, packFixture, temporaryFolder } from '../node/packed.mjs';
import { installBackends } from './install.mjs';
import { pypiPostgres, startPostgres } from './servers.mjs';
import { makeBundles } from './suite.mjs';

process.env.SHEAF_MODULES ??= installBackends((text) => console.error(text));
const KILN = { library_name: 'kiln', version: '1.4.0' };
const FURNACE = 'https://kiln.example/docs/reference/furnace';

const search = (args) => ({ name: 'search_documents_tool', arguments: { ...KILN, ...args } });
const content = (args) => ({ name: 'get_full_content_tool', arguments: { url: FURNACE, ...KILN, ...args } });

/** Calls whose replies must be the bundles' own. */
const EQUAL = {
  'the libraries': { name: 'list_libraries_tool' },
  'a page': content({}),
  'a page without its library': content({ library_name: undefined }),
  'a section of it': content({ url: `${FURNACE}#raising-the-limit` }),
  'a section that it has not': content({ url: `${FURNACE}#no-such-section` }),
  'the beginning of it': content({ max_tokens: 100 }),
  'the rest of it': content({ max_tokens: 100, offset: 300 }),
  'a page of another version': content({ version: '2.0.0' }),
  'a page that is not there': content({ url: 'https://kiln.example/docs/none' }),
  'a library that is not there': search({ query: 'furnace', library_name: 'none' }),
  'a version that is not there': search({ query: 'furnace', version: '9.9.9' }),
  'no query': search({ query: '' }),
  'bad arguments': search({ query: 7 }),
};

/** Calls whose replies must have the form of the bundles' own, and their first page among their own first. */
const ALIKE = {
  'a question': search({ query: 'how do I install kiln' }),
  'the newest version': search({ query: 'furnace', version: 'latest' }),
  'with neighbours': search({ query: 'secure the dashboard with a password', context: 1 }),
  'in other words': search({ query: 'keep strangers out', other_wordings: ['secure the dashboard', 'password'] }),
  'within a budget': search({ query: 'furnace', max_tokens: 200 }),
  'the rest of that': search({ query: 'furnace', max_tokens: 200, offset: 1 }),
  mistyped: search({ query: 'kiln furnnace' }),
  'in all libraries': search({ query: 'furnace', library_name: '*' }),
  'with links': search({ query: 'furnace', links: true }),
  'something else altogether': search({ query: 'qwertzuiop asdfghjkl' }),
};

/** The tool sets beside the default one, and calls whose replies must be the bundles' own but for times. */
const DATASETS = fileURLToPath(new URL('../fixtures/datasets', import.meta.url));
const OTHER_SETS = ['--tools', 'searxng,search_docs,knowledge,catalogue'];
const knowledge = (args) => ({ name: 'knowledge.search', arguments: args });
const web = (args) => ({ name: 'search', arguments: args });
const EQUAL_OTHERS = {
  'an instant answer': web({ q: 'avg 1 2 3' }),
  'nothing dated': web({ q: 'furnace', time_range: 'day' }),
  'no words': web({ q: '' }),
  'a level that is none': web({ q: 'x', safesearch: 7 }),
  'the datasets': { name: 'knowledge.listDatasets' },
  'the datasets with those that failed': { name: 'knowledge.listDatasets', arguments: { includeErrors: true } },
  'a dataset that is not there': knowledge({ dataset: 'none', query: 'x' }),
  'too many results': knowledge({ dataset: 'kiln-1-4-0', query: 'x', topK: 1000 }),
  'a folder as a dataset': knowledge({ dataset: 'recipes', query: 'celadon' }),
  'libraries of no catalogue': { name: 'find_libraries', arguments: { query: 'ovens' } },
  'no index': { name: 'get_index_status' },
  'an index of the project': { name: 'create_index' },
  'what the index has': { name: 'get_index_status' },
  'the project': { name: 'search_docs', arguments: { query: 'celadon glaze' } },
  'the project, in short': { name: 'search_docs', arguments: { query: 'celadon glaze', compact: true } },
  'the end of the index': { name: 'delete_index' },
};
/** Calls that hits of databases answer. */
const ALIKE_OTHERS = {
  'all libraries at once': web({ q: 'furnace' }),
  'all that is rated, too': web({ q: 'furnace', safesearch: 0 }),
  'one library': web({ q: '!kiln firing schedule' }),
  'one version': web({ q: '!kiln@1.4.0 how do I install kiln' }),
  'words that nothing has': web({ q: '!kiln furnnace' }),
  'within a budget': web({ q: 'kiln', max_tokens: 300 }),
  'a dataset': knowledge({ dataset: 'kiln-1-4-0', query: 'furnace', topK: 3 }),
  'another dataset': knowledge({ dataset: 'kiln-2-0-0', query: 'secure the dashboard with a password' }),
};

/** A reply without what a clock says. */
function timeless(value) {
  const text = JSON.stringify(value)
    .replace(/(\\?"(?:searchTimeMs|retrievedInMs|ms)\\?": ?)[\d.]+/g, '$1 0')
    .replace(/(\\?"(?:lastUpdated|duration)\\?": ?\\?")[^"\\]*/g, '$1')
    .replace(/\b(in|Retrieved in) \d+ms/g, '$1 0ms');
  return JSON.parse(text);
}

/** The results of a reply, of whichever tool set. */
const resultsOf = ({ structuredContent }) => structuredContent.results.map(({ url, path }) => (url ?? path).replace(/#.*/, ''));

/** Names and types of everything in it; of lists, of what their items have. */
function form(value) {
  if (Array.isArray(value)) return [...new Set(value.map((each) => JSON.stringify(form(each))))].sort();
  if (value === null || typeof value !== 'object') return typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, own]) => [name, form(own)]),
  );
}

/** The kinds of lines that a reply is made of, in the order in which each first appears. */
function lines(text) {
  const kinds = [
    /^Found \d+ match/,
    /^\d+\. \*\*/,
    /^ {3}To get full page content: \{/,
    /^\(Sections: \d/,
    /^\(Matches \d+ to/,
    /^\(No good match/,
    /^\S+ \d\S*$/,
  ];
  return [...new Set(text.split('\n').flatMap((line) => kinds.filter((kind) => kind.test(line)).map(String)))];
}

const DATABASES = {
  LanceDB: { to: 'lancedb', start: async (root) => ({ address: `lancedb:${join(root, 'lance')}` }) },
  'PostgreSQL in a folder': { to: 'pgvector', start: async (root) => ({ address: `pglite:${join(root, 'pglite')}` }) },
  'PostgreSQL, a server': {
    to: 'pgvector',
    skip: pypiPostgres().missing,
    start: (root) => startPostgres(pypiPostgres().bin, root),
  },
};

describe('an agent', () => {
  const root = temporaryFolder('agents');
  const store = join(root, 'store');
  let paths;
  let files;
  let otherFiles;
  const replies = async ({ client }, calls) => {
    const all = {};
    for (const [name, call] of Object.entries(calls))
      all[name] = await client.callTool({ arguments: {}, ...call }).catch(({ code, message, data }) => ({ code, message, data }));
    return all;
  };

  before(async () => {
    const bundles = await makeBundles(root);
    const rated = await packFixture(join(root, 'rated.sheaf'), { library: 'rated', version: '1', options: ['--safesearch', 'none'] });
    paths = [bundles.kiln, bundles.newer, bundles.hostile, rated];
    mkdirSync(store);
    linkSync(bundles.kiln, join(store, 'kiln@1.4.0.sheaf'));
    linkSync(bundles.newer, join(store, 'kiln@2.0.0.sheaf'));
    linkSync(bundles.hostile, join(store, encodeFileName('@it-s/a_hostile.name', '1')));
    linkSync(rated, join(store, 'rated@1.sheaf'));
    files = await connect({ store });
    otherFiles = await connectOthers({ store });
  });
  after(async () => {
    await files?.close();
    await otherFiles?.close();
  });

  /** Two servers with the other tool sets, each with a project of its own, whose path replies name. */
  const connectOthers = async (options) => {
    const project = mkdtempSync(join(root, 'project-'));
    mkdirSync(join(project, '.git'));
    writeFileSync(join(project, 'glaze.md'), '# Glaze\n\nA celadon glaze is fired in reduction.\n');
    const { args = [], ...rest } = options;
    const connection = await connect({ ...rest, args: [...OTHER_SETS, '--project', project, '--datasets', DATASETS, ...args] });
    return { ...connection, project };
  };
  const timelessReplies = async (connection, calls) => {
    const all = await replies(connection, calls);
    return JSON.parse(JSON.stringify(timeless(all)).replaceAll(connection.project, 'PROJECT'));
  };

  for (const [name, { to, start, skip = false }] of Object.entries(DATABASES)) {
    it(`An agent notices no ${name}`, { skip }, async () => {
      const { address, env = {}, stop } = await start(root);
      const own = { SHEAF_MODULES: process.env.SHEAF_MODULES, ...(env.PGPASSWORD === undefined ? {} : { PGPASSWORD: env.PGPASSWORD }) };
      let over;
      let others;
      try {
        const exported = await finish(
          spawn(process.execPath, [MAIN, 'export', ...paths, '--to', to, '-o', address], {
            env: { PATH: process.env.PATH, HOME: root, ...own },
          }),
        );
        assert.equal(exported.code, 0, exported.stderr);
        over = await connect({ args: ['--backend', address], env: own });
        assert.deepEqual(await over.client.listTools(), await files.client.listTools());
        assert.deepEqual(await replies(over, EQUAL), await replies(files, EQUAL));

        const [theirs, ours] = [await replies(over, ALIKE), await replies(files, ALIKE)];
        for (const call of Object.keys(ALIKE)) {
          assert.deepEqual(form(theirs[call]), form(ours[call]), call);
          // Where the sections are named depends on the room that other passages leave.
          const kinds = ({ content: [{ text }] }) =>
            lines(text).filter((kind) => ALIKE[call].arguments.max_tokens === undefined || !kind.includes('Sections'));
          assert.deepEqual(kinds(theirs[call]), kinds(ours[call]), call);
          const [first] = ours[call].structuredContent.hits;
          const weak = ours[call].structuredContent.weak === true;
          if (first !== undefined && !weak && ALIKE[call].arguments.offset === undefined)
            assert.ok(
              theirs[call].structuredContent.hits.some(({ url }) => url === first.url),
              `${call}: ${first.url}`,
            );
        }

        // What a list says in detail, but the day on which a bundle was written: rows have none.
        const detailed = { name: 'list_libraries_tool', arguments: { details: true } };
        const [rows, bundles] = [
          (await over.client.callTool(detailed)).structuredContent,
          (await files.client.callTool(detailed)).structuredContent,
        ];
        for (const versions of Object.values(bundles)) for (const version of versions) delete version.date;
        assert.deepEqual(rows, bundles);

        // Pages as resources.
        const listed = await over.client.listResources();
        assert.deepEqual(listed, await files.client.listResources());
        const [{ uri }] = listed.resources;
        assert.deepEqual(await over.client.readResource({ uri }), await files.client.readResource({ uri }));
        await assert.rejects(over.client.readResource({ uri: 'sheaf://kiln/1.4.0/none.md' }));

        // The other tool sets, by a server that comes after the first: a folder of PostgreSQL is for one at a time.
        await over.close();
        over = undefined;
        others = await connectOthers({ args: ['--backend', address], env: own });
        const toolsOf = async ({ client, project }) => JSON.parse(JSON.stringify(await client.listTools()).replaceAll(project, 'PROJECT'));
        assert.deepEqual(await toolsOf(others), await toolsOf(otherFiles));
        assert.deepEqual(await timelessReplies(others, EQUAL_OTHERS), await timelessReplies(otherFiles, EQUAL_OTHERS));
        const [found, inFiles] = [await replies(others, ALIKE_OTHERS), await replies(otherFiles, ALIKE_OTHERS)];
        for (const call of Object.keys(ALIKE_OTHERS)) {
          assert.deepEqual(form(found[call]), form(inFiles[call]), call);
          assert.ok(
            resultsOf(found[call]).some((place) => place === resultsOf(inFiles[call])[0]),
            call,
          );
        }
        // A rating hides a library at a level, and shows it below.
        const libraries = ({ structuredContent: { results } }) => new Set(results.flatMap(({ engines }) => engines));
        for (const [call, has] of [
          ['all libraries at once', false],
          ['all that is rated, too', true],
        ])
          for (const all of [found, inFiles]) assert.equal(libraries(all[call]).has('rated'), has, call);
      } finally {
        await others?.close();
        await over?.close();
        await stop?.();
      }
    });
  }
});
