/** The packages: the same bytes each time, nothing of this machine in them, the same words in every language. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { BROWSERS, makeExtension } from '../../scripts/extension.mjs';
import { root } from '../../scripts/support.mjs';
import { temporaryFolder } from '../node/packed.mjs';

const work = temporaryFolder('extension-build');
let one;
let two;

before(async () => {
  one = await makeExtension({ folder: join(work, 'one') });
  process.env.TZ = 'Asia/Kathmandu'; // zips hold local times
  two = await makeExtension({ folder: join(work, 'a longer name', 'two') });
});

const below = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

describe('the packages', () => {
  it("The extension's packages have the same bytes wherever and whenever they are made", () => {
    assert.deepEqual(
      one.map(({ browser }) => browser),
      BROWSERS,
    );
    one.forEach(({ file }, i) => assert.ok(readFileSync(file).equals(readFileSync(two[i].file)), file));
  });

  it("The extension's packages name no local path, and load no remote file", () => {
    for (const file of below(one[0].folder).filter((name) => /\.(js|mjs|html|json|css)$/.test(name) && !name.includes('runtime'))) {
      const text = readFileSync(file, 'utf8');
      assert.ok(!text.includes(root) && !text.includes(work), file);
      assert.doesNotMatch(text, /<script[^>]+https?:|import\(["']https?:|\beval\(/, file);
    }
  });

  it("The extension's packages say the same in every language", () => {
    const folder = join(root, 'extension', 'static', '_locales');
    const read = (name) => JSON.parse(readFileSync(join(folder, name, 'messages.json'), 'utf8'));
    const english = read('en');
    assert.deepEqual(readdirSync(folder).sort(), ['ar', 'de', 'en', 'zh_CN']);
    for (const name of readdirSync(folder)) {
      const messages = read(name);
      assert.deepEqual(Object.keys(messages), Object.keys(english), name);
      for (const [key, { message, placeholders = {} }] of Object.entries(messages)) {
        assert.deepEqual(Object.keys(placeholders), Object.keys(english[key].placeholders ?? {}), key);
        assert.ok(message.trim() !== '', key);
      }
      assert.ok(messages.description.message.length <= 132 && messages.name.message.length <= 75, `the stores' limits: ${name}`);
    }
  });

  it("The extension's packages need only the permissions that the store texts name", () => {
    const text = readFileSync(join(root, 'extension', 'store', 'listing.md'), 'utf8');
    for (const { folder } of one) {
      const { permissions } = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'));
      for (const name of permissions) assert.ok(text.includes(`\`${name}\``), name);
    }
  });
});
