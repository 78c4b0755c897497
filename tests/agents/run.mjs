/**
 * `node tests/agents/run.mjs --docs DIR`: what an agent learns from a reply. README.md has the figures and how to reproduce them.
 *
 * questions.jsonl has eighty questions over the sixteen libraries of libraries.json. Each says what an answer must contain:
 * expressions, all of which must match (a call, an option, a sentence of the documentation). All were written, with their
 * other wordings, before any reply was looked at; the misses of the forty called fresh were never looked at since.
 *
 * The server is asked over MCP by the official client. The agent has no model: it reads the first reply, and then the section
 * of the best match. A token is taken for four characters.
 *
 * packages.jsonl has forty questions for exact names of API, over packages as registries hold them. `--store DIR` names where
 * `node tests/registries/run.mjs --to` put them; these questions are asked then.
 *
 *   --store DIR   bundles that are packed already, by their names; asks packages.jsonl
 *   --docs DIR    where the libraries' documentation lies, by the paths of libraries.json; repeatable
 *   --cache DIR   keeps what was packed (default: build/agents)
 *   --main FILE   another build's dist/cli/main.js    --set seen|fresh   only these questions
 *   --misses      prints what was not answered        --kinds            prints figures by kind
 *   --replies     prints the replies as well
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from '../node/mcp_client.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    docs: { type: 'string', multiple: true, default: [] },
    cache: { type: 'string', default: join(root, 'build/agents') },
    main: { type: 'string' },
    set: { type: 'string' },
    misses: { type: 'boolean' },
    kinds: { type: 'boolean' },
    replies: { type: 'boolean' },
  },
});
const store = resolve(values.store ?? values.cache);
mkdirSync(store, { recursive: true });

const libraries = new Map();
for (const name of values.store === undefined ? [] : readdirSync(store).sort()) {
  const [, library, version] = /^(.+)@(.+)\.sheaf$/.exec(name) ?? [];
  if (library !== undefined) libraries.set(library, { library, version });
}
const documented = values.store === undefined ? JSON.parse(readFileSync(join(here, 'libraries.json'), 'utf8')) : [];
for (const each of documented) {
  const bundle = join(store, `${each.library}@${each.version}.sheaf`);
  const folder = values.docs.map((base) => join(base, each.docs)).find((path) => existsSync(path));
  if (!existsSync(bundle) && folder === undefined) {
    console.log(`${each.library} skipped: no ${each.docs} below --docs`);
    continue;
  }
  if (!existsSync(bundle)) {
    const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');
    const named = ['--library', each.library, '--version', each.version, '--base-url', each.url, '--url-style', each.style];
    execFileSync(packer, ['pack', folder, ...named, '-q', '-o', bundle], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  libraries.set(each.library, { ...each, folder });
}

const questions = readFileSync(join(here, values.store === undefined ? 'questions.jsonl' : 'packages.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => ({ set: 'seen', ...JSON.parse(line) }))
  .filter(({ library, set }) => libraries.has(library) && (values.set ?? set) === set);

const answers = ({ must }, text) => must.every((expression) => new RegExp(expression).test(text));
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;

/** `ask` gives the first reply, and a function that reads on. */
async function measure(title, ask) {
  const results = [];
  for (const question of questions) {
    const { reply, readOn } = await ask(question, libraries.get(question.library));
    const first = answers(question, reply);
    const second = first ? '' : await readOn();
    const how = first ? 'first' : answers(question, `${reply}\n${second}`) ? 'second' : 'none';
    results.push({ ...question, how, tokens: reply.length / 4, all: (reply.length + second.length) / 4 });
    if (values.misses && how !== 'first' && question.set === 'seen') {
      console.log(`${title}: ${question.id} (${how}): ${question.question}`);
      if (values.replies) console.log(`${reply}\n`);
    }
  }
  for (const set of new Set(results.map((each) => each.set)))
    report(
      `${title}, ${set}`,
      results.filter((each) => each.set === set),
    );
  if (values.kinds)
    for (const kind of new Set(results.map((each) => each.kind)))
      report(
        `  ${kind}`,
        results.filter((each) => each.kind === kind),
      );
}

function report(title, results) {
  const count = (how) => results.filter((each) => each.how === how).length;
  const tokens = results.map((each) => each.tokens);
  console.log(
    `${title}: ${count('first')} of ${results.length} in the first reply, ${count('second')} after the best match's section, ${count('none')} not; ` +
      `${Math.round(median(tokens))} tokens in the median (largest ${Math.round(Math.max(...tokens))}), ${Math.round(median(results.map((each) => each.all)))} with the section`,
  );
}

const { client, close } = await connect({
  store,
  args: ['--log-level', 'error'],
  ...(values.main === undefined ? {} : { main: resolve(values.main) }),
});
const call = async (name, args) => client.callTool({ name, arguments: args });
const wordings = [
  ['one wording', () => ({})],
  ['three wordings', ({ other }) => ({ other_wordings: other })],
];
// Whoever asks for a name has one wording.
for (const [title, worded] of values.store === undefined ? wordings : wordings.slice(0, 1))
  await measure(title, async (question, { library, version }) => {
    const named = { library_name: library, version };
    const { content, structuredContent } = await call('search_documents_tool', { query: question.question, ...named, ...worded(question) });
    const [best] = structuredContent.hits ?? [];
    const readOn = async () => {
      if (best === undefined) return '';
      const url = best.anchor ? `${best.url}#${best.anchor}` : best.url;
      return (await call('get_full_content_tool', { url, ...named, max_tokens: 2000 })).content[0].text;
    };
    return { reply: content[0].text, readOn };
  });
await close();
