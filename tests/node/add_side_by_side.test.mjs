/** `sheaf add` where languages or versions of the same pages lie side by side. */
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { siteJob } from '../../dist/node/site/pack_site.js';
import { writeTree } from '../fixtures/tree.mjs';
import { isolatedSheaf } from './doc_servers.mjs';
import { temporaryFolder } from './packed.mjs';

const sheaf = isolatedSheaf(temporaryFolder('add-side-by-side'));
const STEPS = 'clean it, load it, close the door, light it, wait for a day, let it cool, and open it again.';

before(() => {
  const pages = (folder, words) =>
    Object.fromEntries(['fire', 'glaze', 'use'].map((name) => [`${folder}/${name}.md`, `# ${name}\n\n${name}: ${STEPS} ${words}\n`]));
  writeTree(sheaf.cwd, { ...pages('docs/1.9', 'Old.'), ...pages('docs/2.0', 'New.') });
  writeTree(sheaf.cwd, { ...pages('tongues/en', 'Hello.'), ...pages('tongues/de', 'Hallo.') });
});

describe('sheaf add with versions or languages side by side', () => {
  it('The newest version is added, and the reply names the others and how to add them', async () => {
    const { code, stderr } = await sheaf(['add', 'kiln', '-s', './docs', '-y']);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /holds 2 versions of the same pages: 2\.0 was added, and there is 1\.9 too\./);
    assert.match(stderr, /Another: sheaf add kiln --source \S+docs --version-folder 1\.9/);
    assert.match(stderr, /left out: other versions \(3 pages\)/);
  });

  it('A version that is asked for is added as that version, and updated as such', async () => {
    const added = await sheaf.json(['add', 'kiln', '-s', './docs', '-y', '--version-folder', '1.9']);
    assert.deepEqual([added.library, added.version, added.pages], ['kiln', '1.9', 3]);
    assert.deepEqual(added.sideBySide, [{ kind: 'versions', folder: '', packed: '1.9', others: ['2.0'] }]);
    writeTree(sheaf.cwd, { 'docs/1.9/shelf.md': `# shelf\n\nShelf: ${STEPS}\n` });
    const updated = await sheaf.json(['update', 'kiln', '-v', '1.9', '-y']);
    assert.deepEqual([updated.action, updated.version, updated.pages], ['updated', '1.9', 4]);
  });

  it('A language that is asked for is a library of its own', async () => {
    assert.equal((await sheaf.json(['add', 'tongues', '-s', './tongues', '-y'])).sideBySide[0].packed, 'en');
    const added = await sheaf.json(['add', 'tongues', '-s', './tongues', '-y', '--only-language', 'de']);
    assert.deepEqual([added.library, added.pages], ['tongues-de', 3]);
    assert.equal((await sheaf.json(['update', 'tongues-de', '-y'])).library, 'tongues-de');
  });

  it('All of them are packed as one on demand', async () => {
    const added = await sheaf.json(['add', 'all', '-s', './tongues', '-y', '--only-language', 'all']);
    assert.deepEqual([added.library, added.pages, added.sideBySide[0].packed], ['all', 6, null]);
  });

  it('An unknown version is refused, and those that are there are named', async () => {
    const { code, stderr } = await sheaf(['add', 'kiln', '-s', './docs', '-y', '--version-folder', '3.0']);
    assert.equal(code, 1);
    assert.match(stderr, /--version-folder 3\.0: no page is in it; expected all or one of 1\.9, 2\.0/);
  });

  it('A site packs all pages of a bundle, whose languages and versions were parted before', () => {
    const job = siteJob({ site: join(sheaf.cwd, 'docs'), library: 'kiln', version: '1', output: 'x.sheaf' });
    assert.deepEqual([job.onlyLanguage, job.versionFolder], ['all', 'all']);
  });
});
