/**
 * Hunts for texts that break the readers' properties (targets.mjs), guided by coverage.
 *
 *   node tests/fuzz/readers/run.mjs [--seconds 60] [--seed 1] [TARGET…]
 *
 * Idea: V8 counts which parts of a function have run (its precise coverage). A text that runs a part of our code which none ran
 * before joins those from which the next are made. `--seconds` is of processor time, a target. Texts that were learnt stay in
 * build/fuzz/readers/TARGET for the next run; a finding is written there as `crash-…`, and the exit code is 1.
 *
 * @jazzer.js/core 4 would bring libFuzzer's mutations; its binary needs glibc 2.38, and Debian 12 has 2.36.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { mutated, numbers } from './mutate.mjs';
import { SEEDS, TARGETS } from './targets.mjs';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const DIST = new URL('../../../dist/', import.meta.url).href;
const BATCH = 32;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(TARGETS);
const unknown = names.find((name) => !Object.hasOwn(TARGETS, name));
if (unknown !== undefined) throw new Error(`${unknown}: expected some of ${Object.keys(TARGETS).join(', ')}`);

const session = new Session();
session.connect();
function ask(method, params = {}) {
  let answer;
  session.post(method, params, (error, result) => {
    if (error) throw new Error(error.message);
    answer = result;
  });
  return answer;
}

/** What of our code has run: of each function the ranges that have not. */
class Coverage {
  #missing = new Map();

  /** Takes what ran since the last call; whether any of it is new. */
  take() {
    let isNew = false;
    for (const { url, functions } of ask('Profiler.takePreciseCoverage').result) {
      if (!url.startsWith(DIST)) continue;
      for (const { ranges } of functions) {
        const [whole, ...inner] = ranges;
        if (whole.count === 0) continue;
        const key = `${url}:${whole.startOffset}`;
        const now = inner.filter(({ count }) => count === 0).map(({ startOffset, endOffset }) => [startOffset, endOffset]);
        const before = this.#missing.get(key);
        const both = before === undefined ? now : intersection(before, now);
        if (before !== undefined && lengthOf(both) === lengthOf(before)) continue;
        isNew = true;
        this.#missing.set(key, both);
      }
    }
    return isNew;
  }

  copy() {
    const copy = new Coverage();
    copy.#missing = new Map(this.#missing);
    return copy;
  }

  get functions() {
    return this.#missing.size;
  }
}

const lengthOf = (ranges) => ranges.reduce((sum, [from, to]) => sum + to - from, 0);
const intersection = (a, b) =>
  a.flatMap(([from, to]) => b.map(([low, high]) => [Math.max(from, low), Math.min(to, high)]).filter(([x, y]) => x < y));

const seconds = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

ask('Profiler.enable');
ask('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
let code = 0;
for (const name of names) {
  const folder = join(ROOT, 'build', 'fuzz', 'readers', name);
  mkdirSync(folder, { recursive: true });
  const kept = readdirSync(folder).filter((file) => file.startsWith('learnt-'));
  const corpus = [...SEEDS[name], ...kept.map((file) => readFileSync(join(folder, file), 'utf8'))];
  const below = numbers(Number(values.seed));
  const coverage = new Coverage();
  const began = seconds();
  let [executions, learnt] = [0, 0];
  const run = (text) => {
    executions++;
    try {
      TARGETS[name](text);
      return true;
    } catch (error) {
      const file = join(folder, `crash-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`);
      writeFileSync(file, JSON.stringify(text));
      console.log(`${name}: ${file}\n${error.stack}`);
      code = 1;
      return false;
    }
  };
  let isSound = corpus.every(run);
  coverage.take();
  while (isSound && seconds() - began < Number(values.seconds)) {
    const pick = () => corpus[below(corpus.length)];
    const batch = Array.from({ length: BATCH }, () => mutated(pick(), below, pick()));
    isSound = batch.every(run);
    const before = coverage.copy();
    if (!isSound || !coverage.take()) continue;
    // Which of them it was.
    for (const text of batch) {
      run(text);
      if (!before.take()) continue;
      corpus.push(text);
      learnt++;
      writeFileSync(join(folder, `learnt-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`), text);
    }
  }
  const spent = seconds() - began;
  console.log(
    `${name}: ${executions.toLocaleString('en')} executions in ${spent.toFixed(0)} s of processor time, ${Math.round(executions / spent).toLocaleString('en')} a second, ${coverage.functions} functions, ${learnt} texts learnt`,
  );
}
process.exit(code);
