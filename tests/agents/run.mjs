/**
 * `node tests/agents/run.mjs`: what an agent learns from a reply. README.md has the figures and how to reproduce them.
 *
 * questions.jsonl has the questions, over the libraries of libraries.json. Each says what an answer must contain: expressions,
 * all of which must match (a call, an option, a sentence of the documentation). All were written before any reply was looked at;
 * the misses of the set called fresh, and of libraries that are held out, were never looked at since.
 *
 * The server is asked over MCP by the official client. The agent has no model: it reads the first reply, and then the section
 * of the best match. A token is taken for four characters.
 *
 * packages.jsonl has forty questions for exact names of API, over packages as registries hold them. `--store DIR` names where
 * `node tests/registries/run.mjs --to` put them; these questions are asked then.
 *
 *   --store DIR   bundles that are packed already, by their names; asks packages.jsonl, or --questions FILE (unseen.jsonl)
 *   --docs DIR    where documentation lies, by the paths of libraries.json; repeatable
 *   --mirror DIR  repositories as OWNER+NAME/repo or OWNER/NAME(.git); without, GitHub is asked
 *   --offline     only what is below --docs, in the mirror or packed already
 *   --cache DIR   keeps what was fetched and packed (default: build/agents)
 *   --main FILE   another build's dist/cli/main.js    --set seen|fresh|early   only these questions
 *   --misses      prints what was not answered, and by whose fault    --kinds   prints figures by kind
 *   --replies     prints the replies as well          --times   prints what a warm search takes
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from '../node/mcp_client.mjs';
import { checkout, mirrored } from '../quality/checkout.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const { values } = parseArgs({
  options: {
    store: { type: 'string' },
    questions: { type: 'string', default: 'packages.jsonl' },
    docs: { type: 'string', multiple: true, default: [] },
    mirror: { type: 'string' },
    offline: { type: 'boolean' },
    cache: { type: 'string', default: join(root, 'build/agents') },
    main: { type: 'string' },
    set: { type: 'string' },
    misses: { type: 'boolean' },
    kinds: { type: 'boolean' },
    replies: { type: 'boolean' },
    times: { type: 'boolean' },
  },
});
const store = resolve(values.store ?? values.cache);
mkdirSync(store, { recursive: true });

const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');

/** What the packer is told beside the library's name; undefined where the documentation is not to be had. */
function inputsOf(each) {
  if (each.git !== undefined) {
    if (values.offline && mirrored(each.git, values.mirror) === undefined) return undefined;
    const base = checkout(each, { cache: store, mirror: values.mirror });
    return [...each.docs.map((path) => join(base, path)), '--root', base];
  }
  if (each.folder !== undefined) return existsSync(each.folder) ? [each.folder] : undefined;
  const folder = values.docs.map((base) => join(base, each.docs)).find((path) => existsSync(path));
  return folder === undefined ? undefined : [folder, '--base-url', each.url, '--url-style', each.style];
}

/** As a user adds it, in a store of its own, so that no other version is beside it. */
function add(each, bundle) {
  if (values.offline) throw new Error(`--offline, and ${each.add} is a package`);
  const data = join(store, 'added', each.library);
  mkdirSync(data, { recursive: true });
  const env = { ...process.env, XDG_DATA_HOME: data, XDG_CONFIG_HOME: data };
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'add', each.add, '-y'], {
    env,
    cwd: data,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr.trim().split('\n').at(-1));
  copyFileSync(join(data, 'sheaf/libraries', `${each.library}@${each.version}.sheaf`), bundle);
}

function provide(each) {
  const bundle = join(store, `${each.library}@${each.version}.sheaf`);
  if (existsSync(bundle)) return;
  if (each.add !== undefined) return add(each, bundle);
  const inputs = inputsOf(each);
  if (inputs === undefined) throw new Error(`no ${each.docs ?? each.folder}`);
  const named = ['--library', each.library, '--version', each.version];
  execFileSync(packer, ['pack', ...inputs, ...named, '-q', '-o', bundle], { stdio: ['ignore', 'ignore', 'inherit'] });
}

const libraries = new Map();
for (const name of values.store === undefined ? [] : readdirSync(store).sort()) {
  const [, library, version] = /^(.+)@(.+)\.sheaf$/.exec(name) ?? [];
  if (library !== undefined) libraries.set(library, { library, version });
}
const documented = values.store === undefined ? JSON.parse(readFileSync(join(here, 'libraries.json'), 'utf8')) : [];
for (const each of documented) {
  try {
    provide(each);
    libraries.set(`${each.library}@${each.version}`, each);
  } catch (error) {
    console.log(`${each.library} ${each.version} skipped: ${error.message.split('\n')[0]}`);
  }
}

const questions = readFileSync(join(here, values.store === undefined ? 'questions.jsonl' : values.questions), 'utf8')
  .trim()
  .split('\n')
  .map((line) => ({ set: 'seen', ...JSON.parse(line) }))
  .filter(({ library, set }) => libraries.has(library) && (values.set ?? set) === set);

// "(?i)" at the beginning: in either case.
const answers = ({ must }, text) =>
  must.every((expression) => new RegExp(expression.replace(/^\(\?i\)/, ''), expression.startsWith('(?i)') ? 'i' : '').test(text));
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
    const { heldOut } = libraries.get(question.library);
    if (values.misses && how !== 'first' && question.set !== 'fresh' && !heldOut) {
      console.log(`${title}: ${question.id} (${await whyNot(question, ask)}): ${question.question}`);
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

/** Whose fault a miss is: the bound of a reply, what is quoted of the right page, or the ranking. */
async function whyNot(question, ask) {
  const asked = async (more) => answers(question, (await ask(question, libraries.get(question.library), more)).reply);
  if (await asked({ max_tokens: 20_000 })) return 'cut';
  if (await asked({ max_tokens: 20_000, context: 2 })) return 'a neighbour of what is quoted';
  const { pages } = await ask(question, libraries.get(question.library));
  for (const page of await pages()) if (answers(question, page)) return 'another section of a page found';
  return 'ranking';
}

function report(title, results) {
  const count = (how) => results.filter((each) => each.how === how).length;
  const tokens = results.map((each) => each.tokens);
  console.log(
    `${title}: ${count('first')} of ${results.length} in the first reply, ${count('second')} after the best match's section, ${count('none')} not; ` +
      `${Math.round(median(tokens))} tokens in the median (largest ${Math.round(Math.max(...tokens))}), ${Math.round(median(results.map((each) => each.all)))} with the section`,
  );
}

const { client, transport, close } = await connect({
  store,
  args: ['--log-level', 'error'],
  ...(values.main === undefined ? {} : { main: resolve(values.main) }),
});
const call = async (name, args) => client.callTool({ name, arguments: args });
const wordings = [
  ['one wording', () => ({})],
  ['three wordings', ({ other }) => ({ other_wordings: other })],
];
// A name has one wording.
for (const [title, worded] of values.store === undefined ? wordings : wordings.slice(0, 1))
  await measure(title, async (question, { library, version }, more = {}) => {
    const named = { library_name: library, version };
    const { content, structuredContent } = await call('search_documents_tool', {
      query: question.question,
      ...named,
      ...worded(question),
      ...more,
    });
    const [best] = structuredContent.hits ?? [];
    const readOn = async () => {
      if (best === undefined) return '';
      const url = best.anchor ? `${best.url}#${best.anchor}` : best.url;
      return (await call('get_full_content_tool', { url, ...named, max_tokens: 2000 })).content[0].text;
    };
    const page = async (url) => (await call('get_full_content_tool', { url, ...named, max_tokens: 100_000 })).content[0].text;
    const pages = () => Promise.all([...new Set((structuredContent.hits ?? []).map((hit) => hit.url))].map(page));
    return { reply: content[0].text, readOn, pages };
  });
if (values.times) await time();
await close();

/** All libraries are open by now. The processor's time is that of the server, which other work on the machine does not change. */
async function time() {
  const used = () => {
    const fields = readFileSync(`/proc/${transport.pid}/stat`, 'utf8')
      .replace(/^.*\) /, '')
      .split(' ');
    return 10 * (Number(fields[11]) + Number(fields[12])); // ticks of user and system
  };
  const before = used();
  const took = [];
  for (const { library, question } of questions) {
    const { library: library_name, version } = libraries.get(library);
    const begun = performance.now();
    await call('search_documents_tool', { query: question, library_name, version });
    took.push(performance.now() - begun);
  }
  took.sort((a, b) => a - b);
  const at = (share) => took[Math.floor(share * (took.length - 1))].toFixed(0);
  console.log(
    `a warm search over ${libraries.size} libraries: ${at(0.5)} ms in the median, ${at(0.95)} ms at the 95th percentile; ${((used() - before) / took.length).toFixed(0)} ms of the processor on average`,
  );
}
