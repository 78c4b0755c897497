/**
 * `--memory` bounds what packing takes, and changes no byte. The corpus has a million different words, a few
 * hundred bytes of postings each, so that without a scratch file they are most of what the packer holds.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { requirePacker } from '../native_packer.mjs';
import { temporaryFolder } from './packed.mjs';

const MIB = 1024 * 1024;
/** What the program takes besides --memory: code, tables of characters and words, buffers of threads. */
const PROGRAM = 100 * MIB;
const WORDS_A_PAGE = 20_000;
const PAGES = 50;

const folder = temporaryFolder('pack-memory');
const docs = temporaryFolder('pack-memory-docs');
let packer;

before(async () => {
  packer = await requirePacker();
  for (let page = 0; page < PAGES; page++) {
    const words = Array.from({ length: WORDS_A_PAGE }, (_, i) => `w${(page * WORDS_A_PAGE + i).toString(36)}`);
    const lines = Array.from({ length: WORDS_A_PAGE / 100 }, (_, i) => words.slice(i * 100, i * 100 + 100).join(' '));
    writeFileSync(join(docs, `page-${page}.md`), `# Page ${page}\n\n${lines.join('\n\n')}\n`);
  }
});

/** Packs, and looks at the most memory that the system counted for the process, again and again while it runs. */
async function packWithin(memory, ...options) {
  const output = join(folder, `${memory}.sheaf`);
  const args = ['pack', docs, '-o', output, '--library', 'words', '--version', '1', '--encoder', 'none', '--level', '1', '--jobs', '2'];
  const child = spawn(packer, [...args, '--memory', memory, '--quiet', '--json', ...options], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  let said = '';
  let reported = '';
  child.stderr.on('data', (text) => (said += text));
  child.stdout.on('data', (text) => (reported += text));
  let peak = 0;
  let running = true;
  void ended.then(() => (running = false));
  while (running) {
    try {
      const [, most] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8')) ?? [];
      if (most !== undefined) peak = Math.max(peak, Number(most) * 1024);
    } catch {
      break; // it has ended
    }
    await sleep(5);
  }
  const [code] = await ended;
  return { code, said, peak, report: reported && JSON.parse(reported), bytes: code === 0 ? readFileSync(output) : undefined };
}

describe('the memory of packing', { skip: process.platform === 'linux' ? false : 'reads /proc' }, () => {
  it('Packing keeps to the allowed memory, and gives the same bundle', async () => {
    const small = await packWithin('64M');
    const large = await packWithin('2G');
    assert.equal(small.code, 0, small.said);
    assert.equal(large.code, 0, large.said);
    assert.ok(small.bytes.equals(large.bytes), 'the bundles differ');
    assert.ok(small.peak < 64 * MIB + PROGRAM, `64 MiB were allowed, ${small.peak / MIB} MiB taken`);
    // Else the corpus says nothing about the cap.
    assert.ok(large.peak > small.peak + 64 * MIB, `without a cap that matters ${large.peak / MIB} MiB, with it ${small.peak / MIB} MiB`);
  });

  it('Packing keeps to its memory with compounds too, and too little ends early', async () => {
    const small = await packWithin('64M', '--language', 'de');
    assert.notEqual(small.code, 0, `64 MiB were allowed, ${small.peak / MIB} MiB taken`);
    assert.match(small.said, /allow more memory/);
    assert.ok(small.peak < 64 * MIB + PROGRAM, `64 MiB were allowed, ${small.peak / MIB} MiB taken`);
    const enough = await packWithin('1G', '--language', 'de');
    assert.equal(enough.code, 0, enough.said);
    assert.ok(enough.peak < 1024 * MIB + PROGRAM, `1 GiB was allowed, ${enough.peak / MIB} MiB taken`);
  });
});
