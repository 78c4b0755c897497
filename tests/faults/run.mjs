// What is left on disk when a system call fails: every verb that writes, with every one of its calls failing in turn.
//
//   node tests/faults/run.mjs [--only=pack,add,…]      an hour on two cores, most of it `site`; needs a C compiler, and Linux
//
// fault.c is loaded before each command. A first run counts the calls that change a file of the user's. Then the verb runs
// again from the same start, once for each call, which fails once (EIO); and once for each with a disk that is full from
// there on (ENOSPC). Rules:
//
//   1. each file that lasts is the old one or the new one, whole; where the verb succeeds, the new one, or it says which not
//   2. a failure is told in words: no stack trace, no signal
//   3. the same command without faults then succeeds, with the new state, and leaves no file behind
//
// A fault that the verb survives is no failure: a folder's entries that cannot be flushed, a note that could not be kept.
// Exit code 1 where a rule is broken, with the call that failed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const sheaf = path.join(root, 'dist', 'cli', 'main.js');
const native = path.join(root, 'build', 'native', 'sheaf-pack');
const { EIO, ENOSPC } = os.constants.errno;

const page = (title, words) => `# ${title}\n\nA page about ${words}.\n`;
const write = (folder, files) => {
  for (const [name, text] of Object.entries(files)) {
    fs.mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    fs.writeFileSync(path.join(folder, name), text);
  }
};
const html = (title, words) =>
  `<!doctype html><html lang="en"><head><title>${title}</title></head><body><main><h1>${title}</h1><p>A page about ${words}.</p></main></body></html>`;

const OLD = { 'docs/a.md': page('Apples', 'apples'), 'docs/b.md': page('Pears', 'pears') };
const MORE = { 'docs/c.md': page('Plums', 'plums, of which there are new ones') };

/** A verb: what stands before it, the command, and the files that last (by path below the user's folder). */
const VERBS = {
  pack: {
    before: (at) => {
      write(at, OLD);
      cli(at, ['pack', 'docs', '--library', 'fruit', '--version', '1', '-o', 'out.sheaf']);
      write(at, MORE);
    },
    command: ['pack', 'docs', '--library', 'fruit', '--version', '1', '-o', 'out.sheaf'],
  },
  add: { before: (at) => write(at, OLD), command: ['add', 'fruit', '-s', './docs', '-v', '1'] },
  update: {
    before: (at) => {
      write(at, OLD);
      cli(at, ['add', 'fruit', '-s', './docs', '-v', '1']);
      write(at, MORE);
    },
    command: ['update', 'fruit'],
  },
  remove: {
    before: (at) => {
      write(at, OLD);
      cli(at, ['add', 'fruit', '-s', './docs', '-v', '1']);
    },
    command: ['remove', 'fruit', '-v', '1', '-y'],
    isGone: /not found/, // the next run may find it removed already
  },
  config: {
    before: (at) => cli(at, ['config', 'set', 'query.top_k', '4']),
    command: ['config', 'set', 'query.top_k', '7'],
  },
  export: {
    before: (at) => {
      write(at, OLD);
      cli(at, ['pack', 'docs', '--library', 'fruit', '--version', '1', '-o', 'in.sheaf']);
      cli(at, ['export', 'in.sheaf', '--to', 'parquet', '-o', 'rows.parquet']);
      write(at, MORE);
      cli(at, ['pack', 'docs', '--library', 'fruit', '--version', '1', '-o', 'in.sheaf']);
    },
    command: ['export', 'in.sheaf', '--to', 'parquet', '-o', 'rows.parquet'],
  },
  publish: {
    before: (at) => {
      write(at, { ...OLD, list: 'fruit -s ./docs -v 1\n' });
      cli(at, ['publish', 'build', 'list', '-o', 'catalogue']);
      write(at, MORE);
    },
    command: ['publish', 'build', 'list', '-o', 'catalogue'],
    lasts: () => false, // names are hashes of texts that hold the time: of this verb, rules 2 and 3 without the files
  },
  site: {
    before: (at) => write(at, { 'site/index.html': html('Apples', 'apples'), 'site/b.html': html('Pears', 'pears') }),
    command: ['site', 'site'],
    // Many files: those of the site's search come and go together only where one moves folders.
    lasts: (name) => /\.html$/.test(name),
  },
};

/** Of a run, and made again by any: locks, folders of work, what says when a thing happened. */
const PASSING = /(^|\/)(sheaf-work-[^/]+|\.sheaf-[^/]+\.tmp|[^/]+\.tmp|[^/]+\.lock)(\/|$)/;
/** Of these only that they can be read counts: they hold times. */
const TIMED = /(^|\/)(cache|stats|usage)[^/]*(\/|$)/;

const environment = (at) => ({
  PATH: process.env.PATH,
  HOME: path.join(at, 'home'),
  TMPDIR: path.join(at, 'tmp'),
  LANG: 'C.UTF-8',
  SHEAF_PACK: native,
  SHEAF_TEST_MODELS: 'none',
});

function attempt(at, args, faults = {}) {
  const { status, signal, stderr } = spawnSync(process.execPath, [sheaf, ...args], {
    cwd: at,
    env: { ...environment(at), ...faults },
    encoding: 'utf8',
    timeout: 120_000,
  });
  return { status, signal, stderr };
}

/** What has to work. */
function cli(at, args) {
  const { status, stderr } = attempt(at, args);
  if (status !== 0) throw new Error(`sheaf ${args.join(' ')}: ${status}\n${stderr}`);
}

/** The files below a folder with their hashes: those that last, and those of a run that should be gone. */
function look(at, lasts = () => true) {
  const kept = new Map();
  const passing = [];
  for (const entry of fs.readdirSync(at, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const full = path.join(entry.parentPath ?? entry.path, entry.name);
    const name = path.relative(at, full);
    if (PASSING.test(name) || name.startsWith('tmp/')) passing.push(name);
    else if (!TIMED.test(name) && lasts(name))
      kept.set(
        name,
        createHash('sha256')
          .update(withoutTimes(fs.readFileSync(full)))
          .digest('hex'),
      );
  }
  return { kept, passing };
}

/** Times and process numbers in records of JSON differ from run to run. */
const withoutTimes = (bytes) =>
  bytes[0] === 0x7b ? bytes.toString('latin1').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z?|\b\d{10,}(\.\d+)?\b/g, 'TIME') : bytes;

/** Rule 1. `said` is what a run that succeeded wrote to stderr: a file that it names may be the old one. */
function mixed(old, now, fresh, said) {
  const names = new Set([...old.keys(), ...now.keys(), ...fresh.keys()]);
  return [...names].filter((name) => {
    const is = now.get(name);
    const mayBeOld = said === undefined || said.includes(path.basename(name));
    return is !== fresh.get(name) && !(mayBeOld && is === old.get(name));
  });
}

function compile(folder) {
  const library = path.join(folder, 'fault.so');
  const source = fileURLToPath(new URL('fault.c', import.meta.url));
  const { status, stderr } = spawnSync('cc', ['-shared', '-fPIC', '-O1', '-Wall', '-Werror', '-o', library, source, '-ldl'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`cc: ${stderr}`);
  return library;
}

/** Runs `work` in a copy of `start`, so that each run begins at the same files under the same path. */
function from(start, at, work) {
  fs.rmSync(at, { recursive: true, force: true });
  fs.cpSync(start, at, { recursive: true, preserveTimestamps: true });
  return work();
}

function sweep(name, folder, library) {
  const verb = VERBS[name];
  const start = path.join(folder, `${name}-start`);
  const at = path.join(folder, 'user');
  const counter = path.join(folder, 'counter');
  const log = path.join(folder, 'log');
  const preload = (extra = {}) => {
    fs.writeFileSync(counter, Buffer.alloc(8));
    fs.rmSync(log, { force: true });
    return { LD_PRELOAD: library, FAULT_COUNTER: counter, FAULT_UNDER: `${at}/`, FAULT_LOG: log, ...extra };
  };

  fs.rmSync(at, { recursive: true, force: true });
  for (const each of ['home', 'tmp']) fs.mkdirSync(path.join(at, each), { recursive: true });
  verb.before(at);
  fs.renameSync(at, start);
  const old = look(start, verb.lasts).kept;
  const calls = from(start, at, () => {
    const { status, stderr } = attempt(at, verb.command, preload());
    if (status !== 0) throw new Error(`sheaf ${verb.command.join(' ')} does not run: ${stderr}`);
    return Number(fs.readFileSync(counter).readBigUInt64LE());
  });
  const fresh = look(at, verb.lasts).kept;

  const counts = { calls, failed: 0, survived: 0, broken: 0 };
  for (const disk of ['fails once', 'is full']) {
    for (let call = 1; call <= calls; ++call) {
      from(start, at, () => {
        const faults = preload({
          FAULT_AT: String(call),
          FAULT_ERRNO: String(disk === 'is full' ? ENOSPC : EIO),
          ...(disk === 'is full' ? { FAULT_ON: '1' } : {}),
        });
        const { status, signal, stderr } = attempt(at, verb.command, faults);
        const failed = fs.existsSync(log) ? fs.readFileSync(log, 'utf8').split('\n')[0].replace(`${at}/`, '') : '';
        if (failed === '') return; // fewer calls than the first time: threads
        const complain = (what) => {
          ++counts.broken;
          console.log(`${name}: the disk ${disk} at call ${call}, ${failed}: ${what}`);
        };
        if (status === 0) ++counts.survived;
        else ++counts.failed;
        if (signal !== null || status > 5) complain(`ends by ${signal ?? status}: ${stderr.trim().split('\n').at(-1)}`);
        if (/^\s+at .*:\d+:\d+|node:internal/m.test(stderr)) complain(`a stack trace:\n${stderr}`);
        if (status !== 0 && stderr.trim() === '') complain('fails without a word');
        const wrong = mixed(old, look(at, verb.lasts).kept, fresh, status === 0 ? stderr : undefined);
        if (wrong.length > 0) complain(`exit code ${status}, but neither old nor new: ${wrong.join(', ')}`);
        const again = attempt(at, verb.command);
        if (again.status !== 0 && !verb.isGone?.test(again.stderr)) return complain(`the next run fails: ${again.stderr.trim()}`);
        const after = look(at, verb.lasts);
        const differs = mixed(fresh, after.kept, fresh);
        if (differs.length > 0) complain(`the next run leaves other files: ${differs.join(', ')}`);
        if (after.passing.length > 0) complain(`the next run leaves behind: ${after.passing.join(', ')}`);
      });
    }
  }
  return counts;
}

const only = process.argv
  .find((each) => each.startsWith('--only='))
  ?.slice('--only='.length)
  .split(',');
const names = only ?? Object.keys(VERBS);
for (const name of names) {
  if (VERBS[name] === undefined) throw new Error(`--only=${name}: expected some of ${Object.keys(VERBS).join(', ')}`);
}
if (process.platform !== 'linux') throw new Error('needs Linux: a library is loaded before each command');
for (const file of [sheaf, native]) {
  if (!fs.existsSync(file)) throw new Error(`${path.relative(root, file)} is missing; npm run build`);
}
const folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'sheaf-faults-')));
let count = 0;
try {
  const library = compile(folder);
  for (const name of names) {
    const counts = sweep(name, folder, library);
    console.log(`${name}: ${counts.calls} calls; with one failing, ${counts.failed} runs failed and ${counts.survived} did without`);
    count += counts.broken;
  }
} finally {
  fs.rmSync(folder, { recursive: true, force: true });
}
console.log(count === 0 ? 'No file was lost, and no rule broken.' : `${count} rules broken.`);
process.exitCode = count === 0 ? 0 : 1;
