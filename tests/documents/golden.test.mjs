/**
 * Golden files of passages: golden/CASE/in is packed, and its passages must read as golden/CASE/expected.txt.
 *
 * One case is one defect that real documentation showed, reduced to a few lines of our own. golden/CASE/options.json
 * holds options of the packer, if the case needs any. `SHEAF_GOLDEN=write node --test tests/documents/golden.test.mjs`
 * renews the expected files; SHEAF_GOLDEN_CASE=NAME runs one case.
 */
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openPacker } from '../../dist/node/packer/choose.js';
import { PackFailure } from '../../dist/node/packer/packer.js';
import { packFolder, readPages } from './read_bundle.mjs';

const GOLDEN = fileURLToPath(new URL('golden', import.meta.url));
const WRITE = process.env.SHEAF_GOLDEN === 'write';
const work = mkdtempSync(join(tmpdir(), 'sheaf-golden-'));
after(() => rmSync(work, { recursive: true, force: true }));

/** Pages and passages as text: what a searcher is shown, and where a hit leads. */
function shown(pages, { skipped, notes }) {
  const lines = [];
  for (const page of pages) {
    lines.push(`===== ${page.url || '(no address)'}`, `title: ${page.title}`);
    if (page.description) lines.push(`description: ${page.description}`);
    for (const { anchor, headings, text } of page.passages)
      lines.push('', `----- ${anchor ? `#${anchor}` : '(top)'}  ${headings.join(' › ')}`, text.trimEnd());
    lines.push('');
  }
  for (const { path, reason } of skipped) lines.push(`skipped ${path}: ${reason}`);
  for (const { path, reason } of notes) lines.push(`note ${path}: ${reason}`);
  return `${lines.join('\n').trimEnd()}\n`;
}

async function packedText(packer, name) {
  const folder = join(GOLDEN, name);
  const options = join(folder, 'options.json');
  const job = existsSync(options) ? JSON.parse(readFileSync(options, 'utf8')) : {};
  const bundle = join(work, `${name}.sheaf`);
  try {
    const { report } = await packFolder(packer, join(folder, 'in'), bundle, job);
    return shown(await readPages(bundle), report);
  } catch (error) {
    if (!(error instanceof PackFailure)) throw error;
    return `failed: ${error.message.replaceAll(folder, '')}\n`;
  }
}

describe('Passages of small documentation', () => {
  const packer = openPacker();
  const names = readdirSync(GOLDEN).filter((name) => !name.startsWith('.'));
  const chosen = process.env.SHEAF_GOLDEN_CASE;

  for (const name of names.filter((each) => chosen === undefined || each === chosen)) {
    it(`The passages of ${name} are as expected`, async () => {
      const file = join(GOLDEN, name, 'expected.txt');
      const got = await packedText(await packer, name);
      if (WRITE) writeFileSync(file, got);
      assert.equal(got, existsSync(file) ? readFileSync(file, 'utf8') : '');
    });
  }
});
