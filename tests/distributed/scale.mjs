/**
 * `node tests/distributed/scale.mjs`: some hundred real libraries by one process, and on Ray clusters of 1, 2 and 4 workers of one core each. Writes a
 * table: wall time, processor time by stage, what coordinating costs; and fails where a bundle differs.
 *
 *   node tests/distributed/scale.mjs                       all libraries that this machine has (docs/scale.md says which)
 *   node tests/distributed/scale.mjs --most 60          fewer
 *   node tests/distributed/scale.mjs --workers 1,2,4,8
 *   node tests/distributed/scale.mjs --encoder          by an encoder's process instead of the table; two of them on a cluster
 *
 * On a busy machine processor time says more than wall time.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { MAIN } from '../node/packed.mjs';
import { Cluster, ENCODER, environment, run } from './cluster.mjs';
import { installPython } from './install.mjs';
import { writeRealList } from './libraries.mjs';

const { values } = parseArgs({
  options: {
    most: { type: 'string' },
    workers: { type: 'string', default: '1,2,4' },
    encoder: { type: 'boolean' },
    json: { type: 'string' },
  },
});
const say = (text) => console.error(text);
const python = installPython(say);
process.env.SHEAF_PYTHON ??= python;
const root = mkdtempSync(join(tmpdir(), 'sheaf-scale-'));
const env = environment(join(root, 'home'), python);
mkdirSync(env.HOME, { recursive: true });
const started = performance.now();
const list = writeRealList(root, { most: values.most === undefined ? undefined : Number(values.most), say });
say(`${list.count} libraries: ${JSON.stringify(list.counts)}`);
const encoder = values.encoder ? ['--encoder', 'table-numpy', '--encoder-command', `'${python}' '${ENCODER}'`] : [];
const bundles = (name) =>
  readdirSync(join(root, name, 'bundles'))
    .filter((each) => each.endsWith('.sheaf'))
    .sort();

/** One process, one library after the other: wall and processor time with all that it started. */
function single() {
  const args = ['publish', 'build', list.list, '-o', join(root, 'single'), '--jobs', '1', '--json', ...encoder];
  const script = 'TIMEFORMAT="%R %U %S"; time "$@"';
  const { stdout, stderr } = spawnSync('bash', ['-c', script, 'bash', process.execPath, MAIN, ...args], {
    env,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const [seconds, user, system] = stderr.trim().split('\n').at(-1).split(' ').map(Number);
  return { ...JSON.parse(stdout), seconds, processorSeconds: user + system };
}

const shards = (name) =>
  readdirSync(join(root, name, 'shards')).flatMap((each) => JSON.parse(readFileSync(join(root, name, 'shards', each), 'utf8')).libraries);

try {
  say('one process …');
  const one = single();
  const versions = shards('single').flatMap((library) => library.versions);
  const passages = versions.reduce((sum, each) => sum + each.passages, 0);
  const pages = versions.reduce((sum, each) => sum + each.pages, 0);
  const bytes = bundles('single').reduce((sum, name) => sum + statSync(join(root, 'single', 'bundles', name)).size, 0);
  const rows = [
    { workers: 'one process', seconds: one.seconds, processor: one.processorSeconds, fetch: '', pack: '', embed: '', driver: '' },
  ];
  say(JSON.stringify(rows[0]));
  for (const workers of values.workers.split(',').map(Number)) {
    say(`${workers} workers …`);
    const cluster = await Cluster.start(python, env);
    try {
      for (let n = 0; n < workers; n++) await cluster.add({ cpus: values.encoder ? 2 : 1 });
      const name = `ray-${workers}`;
      const flags = ['--on', 'ray', '--shared-paths', '--json', ...(values.encoder ? ['--stage', 'embed:actors=2'] : [])];
      const began = performance.now();
      const args = ['publish', 'build', list.list, '-o', join(root, name), ...encoder, ...flags];
      const { code, stdout, stderr } = await run(args, { env: { ...env, RAY_ADDRESS: cluster.address }, cwd: root });
      const seconds = (performance.now() - began) / 1000;
      assert.ok(stdout !== '', stderr);
      const outcome = JSON.parse(stdout);
      assert.equal(outcome.failed.length, one.failed.length, `${code} ${stderr}`);
      assert.deepEqual(bundles(name), bundles('single'), 'the same bundles, byte for byte: they are named by their hash');
      const { stages, embed, driverProcessorSeconds, coordinatorProcessorSeconds, driverMemoryBytes } = outcome.cluster;
      const embedding = embed.reduce((sum, each) => sum + each.processor, 0);
      const driver = driverProcessorSeconds + coordinatorProcessorSeconds;
      const [fetching, packing] = [stages.fetch.processorSeconds, stages.pack.processorSeconds];
      rows.push({
        workers: String(workers),
        seconds,
        processor: fetching + packing + embedding + driver,
        fetch: fetching,
        pack: packing,
        embed: embedding,
        driver,
        memory: driverMemoryBytes,
        embedded: embed,
        nodes: stages.pack.nodes,
      });
      say(JSON.stringify(rows.at(-1)));
    } finally {
      await cluster.end();
    }
  }
  const number = (value) => (typeof value === 'number' ? value.toFixed(1) : value);
  const result = {
    libraries: list.count,
    counts: list.counts,
    bundles: one.bundles,
    failed: one.failed.length,
    pages,
    passages,
    bytes,
    cores: availableParallelism(),
    load: loadavg(),
    minutes: (performance.now() - started) / 60_000,
    rows,
  };
  if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(result, undefined, 1)}\n`);
  console.log(
    `${one.bundles} bundles of ${list.count} libraries (${one.failed.length} failed), ${pages} pages, ${passages} passages, ${(bytes / 1e6).toFixed(1)} MB; ${result.cores} cores, load ${result.load.map((each) => each.toFixed(1)).join(' ')}\n`,
  );
  console.log('| workers | wall, s | processor, s | fetch | pack | embed | driver | driver, MB |\n|---|--:|--:|--:|--:|--:|--:|--:|');
  for (const row of rows)
    console.log(
      `| ${[row.workers, row.seconds, row.processor, row.fetch, row.pack, row.embed, row.driver, row.memory === undefined ? '' : row.memory / 1e6].map(number).join(' | ')} |`,
    );
} finally {
  rmSync(root, { recursive: true, force: true, maxRetries: 3 });
}
