/** The one way to run the packer (dist/node/packer): what it is told, what comes of it, and what an abort leaves. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { EXIT } from '../../dist/node/base/exit.js';
import { joinedLeftOut, leftOutLine } from '../../dist/node/packer/answer.js';
import { packArguments } from '../../dist/node/packer/arguments.js';
import { openPacker } from '../../dist/node/packer/choose.js';
import { nativePacker } from '../../dist/node/packer/native.js';
import { PackFailure } from '../../dist/node/packer/packer.js';
import { DOCS, temporaryFolder } from './packed.mjs';
import { until } from './until.mjs';

const folder = temporaryFolder('packer');
const at = (name) => join(folder, name);
const JOB = { inputs: ['docs'], library: 'kiln', version: '1', output: 'kiln.sheaf' };

/** A packer that is a script of ours; `body` sees its arguments as `args` and may `note` a line in a file. */
let made = 0;
function scripted(body) {
  const [path, file] = [at(`packer-${made}.cjs`), at(`notes-${made++}`)];
  writeFileSync(
    path,
    `#!${process.execPath}
    const fs = require('node:fs');
    const args = process.argv.slice(2);
    const note = (line) => fs.appendFileSync(${JSON.stringify(file)}, line + '\\n');
    ${body}`,
    { mode: 0o755 },
  );
  const notes = () => (existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : []);
  return { packer: nativePacker(path), notes, path };
}

const quietly = { show: 'nothing' };
const failed = (promise) =>
  promise.then(
    () => assert.fail('it did not fail'),
    (error) => error,
  );

describe('what is to be packed, as flags', () => {
  it('Packer flags state the given options and nothing else, inputs last', () => {
    assert.deepEqual(packArguments(JOB), ['--library', 'kiln', '--version', '1', '--output', 'kiln.sheaf', '--', 'docs']);
    const all = {
      ...JOB,
      inputs: ['-a', 'b'],
      title: 'Kiln',
      root: 'r',
      baseUrl: '/',
      urlStyle: 'clean',
      include: ['x', 'y'],
      exclude: ['z'],
      noIgnore: true,
    };
    assert.deepEqual(
      packArguments({
        ...all,
        honorNoindex: false,
        memory: '1G',
        level: 3,
        graph: 'never',
        encoder: 'none',
        encoderTimeout: 60,
        passageSize: 400,
      }).slice(6),
      [
        '--title',
        'Kiln',
        '--root',
        'r',
        '--base-url',
        '/',
        '--url-style',
        'clean',
        '--include',
        'x',
        '--include',
        'y',
        '--exclude',
        'z',
        '--no-ignore',
        '--memory',
        '1G',
        '--level',
        '3',
        '--graph',
        'never',
        '--encoder',
        'none',
        '--encoder-timeout',
        '60',
        '--passage-size',
        '400',
        '--',
        '-a',
        'b',
      ],
    );
  });

  it('sheaf-pack understands each packer flag', async () => {
    const packer = await openPacker();
    const job = {
      ...JOB,
      inputs: [DOCS],
      output: at('all.sheaf'),
      root: DOCS,
      title: 'Kiln',
      baseUrl: 'https://kiln.example/',
      urlStyle: 'clean',
      include: ['**/*.md'],
      exclude: ['none.md'],
    };
    const { report, said } = await packer.pack(
      {
        ...job,
        noIgnore: true,
        honorNoindex: true,
        ownUrlsIn: 'guide',
        encoder: 'none',
        encoderTimeout: 86_400,
        vectorCache: 'none',
        passageSize: 400,
        language: 'none',
        memory: '64M',
        level: 1,
        graph: 'auto',
      },
      quietly,
    );
    assert.ok(report.pages > 0 && report.passages >= report.pages && report.bundleBytes > 0);
    assert.deepEqual([report.ok, report.skipped, said], [true, [], '']);
    assert.ok(existsSync(at('all.sheaf')));
  });
});

describe('packing once', () => {
  it('Packing once gives the report and, quietly, the remarks on failed files', async () => {
    const { packer, notes } = scripted(`
      note(args.join(' '));
      console.error('skipped a.md: no');
      console.log(JSON.stringify({ ok: true, pages: 2, passages: 3, files: 9 }));
      process.exitCode = 3;`);
    const { report, said } = await packer.pack(JOB, quietly);
    assert.deepEqual(report, { ok: true, pages: 2, passages: 3, files: 9, skipped: [], notes: [] });
    assert.equal(said, 'skipped a.md: no\n');
    assert.match(notes()[0], /^pack --json --quiet --library kiln/);
  });

  it("Packing once fails with the packer's words, its stderr, or its end", async () => {
    const answer = { ok: false, error: { code: 'NOT_FOUND', message: 'no page' }, notes: [{ path: 'a', reason: 'b' }] };
    const cases = [
      [`console.error('x'); console.log(${JSON.stringify(JSON.stringify(answer))}); process.exitCode = 2`, 'no page', true],
      [`console.error('out of paper'); process.exitCode = 2`, 'out of paper', false],
      [`process.exitCode = 2`, 'sheaf-pack ended with 2', false],
      [`process.kill(process.pid, 'SIGKILL')`, 'sheaf-pack was ended by SIGKILL', false],
      [`console.log('{"ok":true,"pages":"many"}')`, 'sheaf-pack ended with 0', false],
      [`console.log('{"ok":true,"pages":1,"passages":1}'); process.exitCode = 2`, 'sheaf-pack ended with 2', false],
    ];
    for (const [script, message, isNothing] of cases) {
      const error = await failed(scripted(script).packer.pack(JOB, quietly));
      assert.ok(error instanceof PackFailure, script);
      assert.deepEqual([error.message, error.isNothing], [message, isNothing]);
      assert.deepEqual(error.facts.notes, isNothing ? answer.notes : undefined);
    }
  });

  it('The packer sees the given environment, and the way to start this command', async () => {
    const { packer, notes } = scripted(
      `note(process.env.GIVEN ?? 'none'); note(process.env.SHEAF_COMMAND); console.log('{"ok":true,"pages":1,"passages":1}')`,
    );
    await packer.pack(JOB, { ...quietly, env: { PATH: process.env.PATH, GIVEN: 'yes' } });
    await packer.pack(JOB, { ...quietly, env: { PATH: process.env.PATH, SHEAF_COMMAND: 'mine' } });
    const [given, command, none, own] = notes();
    assert.deepEqual([given, none, own], ['yes', 'none', 'mine']);
    assert.match(command, /^'.*' '.*dist\/cli\/main\.js'$/);
  });

  it('A packer that cannot start is named', async () => {
    const error = await failed(nativePacker(at('absent')).pack(JOB, quietly));
    assert.equal(error.exitCode, EXIT.NO_PACKER);
    assert.match(error.message, /absent could not be started: .*ENOENT/);
  });
});

describe('an abort', () => {
  it('An early abort starts no packer', async () => {
    const { packer, notes } = scripted(`note('started')`);
    const error = await failed(packer.pack(JOB, { ...quietly, signal: AbortSignal.abort(new Error('enough')) }));
    assert.deepEqual([error.code, error.name, error.cause.message, notes()], ['ABORTED', 'AbortError', 'enough', []]);
  });

  it('An abort ends the packer, and is reported at its end, even with finished work', async () => {
    const { packer, notes } = scripted(`
      process.on('SIGTERM', () => setTimeout(() => { note('put away'); console.log('{"ok":true,"pages":1,"passages":1}'); process.exit(0); }, 100));
      setInterval(() => {}, 1000);
      note('started');`);
    const cancel = new AbortController();
    const packing = failed(packer.pack(JOB, { ...quietly, signal: cancel.signal }));
    await until(() => notes().length === 1, 'the start');
    cancel.abort();
    const error = await packing;
    assert.deepEqual([error.code, notes()], ['ABORTED', ['started', 'put away']]);
  });

  it('An abort leaves the older bundle and no temporary file of sheaf-pack', async () => {
    const place = at('aborted');
    mkdirSync(place);
    const output = join(place, 'kiln.sheaf');
    writeFileSync(output, 'older');
    const docs = at('many');
    mkdirSync(docs);
    for (let i = 0; i < 3000; i++) writeFileSync(join(docs, `${i}.md`), `# Page ${i}\n\n${`word${i} furnace `.repeat(40)}\n`);
    const cancel = new AbortController();
    const packing = failed((await openPacker()).pack({ ...JOB, inputs: [docs], output }, { ...quietly, signal: cancel.signal }));
    setTimeout(() => cancel.abort(), 50);
    assert.equal((await packing).code, 'ABORTED');
    assert.deepEqual([readdirSync(place), readFileSync(output, 'utf8')], [['kiln.sheaf'], 'older']);
    rmSync(docs, { recursive: true });
  });
});

describe('a packer that stays', () => {
  const ROUND = `{"ok":true,"round":1,"pages":1,"passages":1,"written":true}`;

  it('A resident packer answers each round, reports an empty folder, and restarts after death', async () => {
    const { packer, notes } = scripted(`
      note('started');
      console.log('${ROUND}');
      let asked = 0;
      require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
        note(line);
        if (++asked === 1) console.log('{"ok":false,"error":{"code":"NOT_FOUND"}}');
        else if (asked === 2) console.log('{"ok":false,"error":{"message":"disk full"}}');
        else if (asked === 3) console.log('what');
        else process.exit(2);
      });`);
    const rounds = packer.rounds(JOB, quietly);
    assert.deepEqual(await rounds.round(), { ...JSON.parse(ROUND), skipped: [], notes: [], inPart: [] });
    assert.equal(await rounds.round(), undefined);
    assert.equal((await failed(rounds.round())).message, 'disk full');
    assert.equal((await failed(rounds.round())).message, 'sheaf-pack gave an answer that cannot be read');
    const died = await failed(rounds.round());
    assert.ok(died instanceof PackFailure);
    assert.equal(died.message, 'sheaf-pack ended with 2, see above');
    assert.equal((await rounds.round()).pages, 1);
    await rounds.close();
    assert.deepEqual(notes(), ['started', 'again', 'again', 'again', 'again', 'started']);
  });

  it('A resident packer ends in the middle of a round when it is closed', async () => {
    const { packer, notes } = scripted(
      `note('started'); process.on('SIGTERM', () => { note('ended'); process.exit(0); }); setInterval(() => {}, 1000);`,
    );
    const rounds = packer.rounds(JOB, quietly);
    const round = failed(rounds.round());
    await until(() => notes().length === 1, 'the start');
    await rounds.close();
    assert.deepEqual(notes(), ['started', 'ended']);
    assert.match((await round).message, /sheaf-pack ended with 0/);
    await rounds.close();
  });

  it('A resident packer that cannot start is named', async () => {
    const error = await failed(nativePacker(at('absent')).rounds(JOB, quietly).round());
    assert.match(error.message, /absent could not be started/);
  });
});

describe('Pages that the packer leaves out', () => {
  const left = (kind, files) => ({ kind, files, example: 'a.html' });

  it('Pages left out are told in one line, or in none', () => {
    assert.equal(leftOutLine({}), undefined);
    assert.equal(leftOutLine({ leftOut: [] }), undefined);
    const leftOut = [left("Doxygen's sources", 1204), left('error pages', 1)];
    assert.equal(leftOutLine({ leftOut }), "left out: Doxygen's sources (1,204 pages), error pages (1 page)");
  });

  it('Pages left out are counted together for a site of several bundles', () => {
    const reports = [{ leftOut: [left('error pages', 1)] }, {}, { leftOut: [left('error pages', 2), left('copies', 1)] }];
    assert.deepEqual(joinedLeftOut(reports), [left('error pages', 3), left('copies', 1)]);
  });
});
