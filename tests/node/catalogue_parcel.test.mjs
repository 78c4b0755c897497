/** A folder that is sent to another node (distributed/sheaf_cluster/parcel.py) is packed there to the same bytes as here. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { it } from 'node:test';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const root = temporaryFolder('catalogue-parcel');
const sheaf = isolatedSheaf(root);
const docs = join(sheaf.cwd, 'docs');

/** What the driver and a node do between fetching and packing. */
const SEND = `
import json, sys
sys.path.insert(0, ${JSON.stringify(fileURLToPath(new URL('../../distributed', import.meta.url)))})
from sheaf_cluster import parcel
answer = json.loads(sys.stdin.readline())
fetched, pages, unread = parcel.wrap(answer["fetched"], answer["folder"])
assert not unread, unread
print(json.dumps(parcel.unwrap(fetched, pages, sys.argv[1])))
`;

/** Answers of `sheaf publish worker`. */
async function asked(...requests) {
  const child = sheaf.start(['publish', 'worker'], {}, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  let [text, answers] = ['', []];
  for (const request of requests) {
    child.stdin.write(`${JSON.stringify(typeof request === 'function' ? request(answers) : request)}\n`);
    while (!text.includes('\n')) text += (await lines.next()).value;
    const [line] = text.split('\n', 1);
    text = text.slice(line.length + 1);
    answers = [...answers, JSON.parse(line)];
  }
  child.stdin.end();
  await new Promise((resolve) => child.once('close', resolve));
  return answers;
}

it('A folder or a page gives one bundle here and on a node, includes included', async () => {
  writeTree(docs, {
    'index.md':
      '# Kiln\n\nFires pots.\n\n<<< @/.vitepress/theme/glaze.ts\n\n<!--@include: ./parts/linked.txt-->\n\n<<< @/node_modules/clay/clay.js\n',
    'hidden.md': '# Hidden\n\n<!--@include: ./secret.cfg-->\n',
    'parts/text.txt': 'A text of a part.\n',
    '.vitepress/theme/glaze.ts': 'export const glaze = 1;\n',
    '.guides/one.md': '# Guide\n\nOf a hidden folder, by a link.\n',
    '.env': 'PASSWORD=hunter2\n',
    'node_modules/clay/clay.js': 'export const clay = 2;\n',
    'node_modules/clay/README.md': '# Clay\n\nNot packed.\n',
    'mkdocs.yml': 'docs_dir: .\nnav:\n  - Second: other.md\n  - First:\n      - index.md\n',
    'other.md': '# Other\n\nAnother page.\n',
    'source/built.rst': 'Built\n=====\n\nFrom a source.\n',
    'html/built.html': '<h1>Built</h1><p>From a source.</p>',
    'html/.buildinfo': '# Sphinx build info version 1\n',
  });
  symlinkSync(join(docs, 'parts/text.txt'), join(docs, 'parts/linked.txt'));
  symlinkSync('.guides', join(docs, 'guides'));
  symlinkSync(join(docs, '.guides/one.md'), join(docs, 'absolute.md'));
  symlinkSync('.env', join(docs, 'secret.cfg'));
  const recipe = { encoder: 'static', passageSize: 256, concurrency: 1, timeoutMs: 1000, allowPrivate: false };
  for (const [at, path] of [docs, join(docs, 'index.md')].entries()) {
    const order = { spec: { type: 'local_path', local_path: path }, trusted: true, library: 'kiln', version: '1' };
    const folder = join(root, `node-${at}`);
    const send = ([answer]) => {
      const { stdout, stderr } = spawnSync('python3', ['-c', SEND, folder], { input: `${JSON.stringify(answer)}\n`, encoding: 'utf8' });
      assert.equal(stderr, '');
      return { do: 'pack', recipe, order, folder, fetched: JSON.parse(stdout) };
    };
    const here = join(root, `here-${at}`);
    mkdirSync(here);
    const [fetched, there, same] = await asked({ do: 'fetch', order, recipe }, send, ([{ fetched }]) => ({
      ...{ do: 'pack', order, recipe, folder: here, fetched },
    }));
    assert.ok(fetched.fetched.included.includes('.vitepress/theme/glaze.ts'));
    assert.equal(there.error, undefined);
    assert.deepEqual(there.file, same.file);
    const bundle = readFileSync(join(folder, 'bundle.sheaf'));
    assert.ok(!bundle.includes('hunter2') && same.about.pages > 0);
  }
});
