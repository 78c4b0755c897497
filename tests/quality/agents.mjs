/**
 * `node tests/quality/agents.mjs`: what an agent gets of forty-one questions over fourteen real libraries. README.md has the figures.
 *
 * agents/questions.jsonl has the questions, each with what a good answer must contain: expressions, one of each of which must
 * match (a call, an option, a sentence). The first eleven are about what a new user tried in vain; the other thirty ask eleven
 * libraries from npm, PyPI, Debian and repositories for what they are read for. They were written before any answer was looked at.
 *
 * The server is asked over MCP, by the official client. A question is answered by the search if the reply contains what it
 * must; else by one read, if the section or the page of one match does. Which match an agent would read is unknown: both the
 * first one's and any one's are counted, and a page as one reply of the tool gives it. Each is asked in one wording, and in
 * three, as the tool suggests to agents (the others were written after the first run, in terms of the field).
 *
 *   --mirror DIR   repositories as OWNER+NAME/repo or OWNER/NAME(.git) below DIR; others are cloned from GitHub
 *   --cache DIR    keeps what was fetched and packed (default: build/agents)
 *   --misses       prints what was not answered    --fresh   fetches and packs anew    --no-held-out   leaves these out
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { connect } from '../node/mcp_client.mjs';
import { checkout } from './checkout.mjs';
import { readLines } from './collections.mjs';

const here = dirname(fileURLToPath(import.meta.url));
const root = resolve(here, '../..');
const { values } = parseArgs({
  options: {
    mirror: { type: 'string' },
    cache: { type: 'string', default: join(root, 'build/agents') },
    misses: { type: 'boolean' },
    fresh: { type: 'boolean' },
    'no-held-out': { type: 'boolean' },
  },
});
const cache = resolve(values.cache);
const store = join(cache, 'data/sheaf/libraries');
if (values.fresh) rmSync(join(cache, 'data'), { recursive: true, force: true });
mkdirSync(store, { recursive: true });

const env = { ...process.env, XDG_DATA_HOME: join(cache, 'data'), XDG_CONFIG_HOME: join(cache, 'config') };
// No project, whose list of sources would be written.
const nowhere = mkdtempSync(join(tmpdir(), 'sheaf-agents-'));
process.on('exit', () => rmSync(nowhere, { recursive: true, force: true }));
const packer = process.env.SHEAF_PACK ?? join(root, 'build/native/sheaf-pack');

/** Whether the library is in the store; why not, if it is not to be had. */
function provide(each) {
  const { library, version, add, folder, git, docs } = each;
  const bundle = join(store, `${library}@${version}.sheaf`);
  if (existsSync(bundle)) return undefined;
  try {
    if (add !== undefined) {
      const run = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'add', add, '-y'], { env, cwd: nowhere, encoding: 'utf8' });
      return run.status === 0 ? undefined : run.stderr.trim().split('\n').at(-1);
    }
    if (folder !== undefined && !existsSync(folder)) return `its Debian package is not installed: ${each.debian}`;
    const base = git === undefined ? folder : checkout(each, { cache, mirror: values.mirror });
    const inputs = git === undefined ? [folder] : docs.map((path) => join(base, path));
    const args = ['pack', ...inputs, '--root', base, '-o', bundle, '--library', library, '--version', version, '--quiet'];
    execFileSync(packer, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    return error.message.split('\n')[0];
  }
  return undefined;
}

const libraries = JSON.parse(readFileSync(join(here, 'agents/libraries.json'), 'utf8')).filter(
  ({ heldOut }) => !(heldOut && values['no-held-out']),
);
const there = new Map();
for (const each of libraries) {
  const reason = provide(each);
  if (reason === undefined) there.set(each.library, each);
  else console.log(`${each.library} skipped: ${reason}`);
}

const { client, close } = await connect({ store, args: ['--log-level', 'error'] });
const ask = async (name, args) => client.callTool({ name, arguments: args });
const call = async (name, args) => (await ask(name, args)).content[0].text;
const contains = (text, must) => must.every((expression) => new RegExp(expression).test(text));

/** The addresses of a reply's matches: sections, where they have an anchor, and pages. */
const readable = ({ hits = [] }) => hits.map(({ url, anchor }) => ({ page: url, section: anchor ? `${url}#${anchor}` : url }));

const questions = readLines(join(here, 'agents/questions.jsonl'));
await measure('in one wording', () => ({}));
await measure('in three wordings', ({ other }) => ({ other_wordings: other }));
await close();

async function measure(title, extra) {
  const counts = { search: 0, first: 0, chosen: 0, none: 0 };
  const groups = new Map();
  let tokens = 0;
  for (const asked of questions) {
    const { id, library, question, must } = asked;
    const known = there.get(library);
    if (known === undefined) continue;
    const args = { query: question, library_name: library, version: known.version, ...extra(asked) };
    const { content, structuredContent } = await ask('search_documents_tool', args);
    const reply = content[0].text;
    const addresses = readable(structuredContent);
    tokens += reply.length / 4;
    let how = contains(reply, must) ? 'search' : 'none';
    if (how === 'none') {
      for (const [rank, { section, page }] of addresses.entries()) {
        for (const url of new Set([section, page])) {
          if (how === 'none' && contains(await call('get_full_content_tool', { url, version: known.version, library_name: library }), must))
            how = rank === 0 ? 'first' : 'chosen';
        }
      }
    }
    counts[how]++;
    const group = known.heldOut ? 'held out' : id.startsWith('first') ? 'the first' : 'thirty more';
    const own = groups.get(group) ?? { answered: 0, count: 0 };
    own.count++;
    if (how !== 'none') own.answered++;
    groups.set(group, own);
    if (values.misses && how !== 'search') {
      const pages = addresses.map(({ section }) => section);
      console.log(`${id} ${library} (${how}): ${question}\n    ${pages.join('\n    ')}`);
    }
  }

  const total = Object.values(counts).reduce((sum, count) => sum + count, 0);
  const share = (count) => `${count} of ${total} (${((100 * count) / total).toFixed(0)} %)`;
  console.log(title);
  console.log(`answered by the search alone                ${share(counts.search)}`);
  console.log(`  and by reading the first match's          ${share(counts.search + counts.first)}`);
  console.log(`  or one of the five matches' section, page ${share(counts.search + counts.first + counts.chosen)}`);
  for (const [group, { answered, count }] of groups) console.log(`  ${group}: ${answered} of ${count}`);
  console.log(`a reply of the search has ${Math.round(tokens / total)} tokens on average`);
}
