/** Commands on a disk without room: the old state stays, one line says why, nothing is left behind. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { DOCS, MAIN, temporaryFolder } from './packed.mjs';

const disk = join(temporaryFolder('full-disk'), 'disk');

/** Runs `script` where `disk` is a file system of its own of 64 kB, empty as it begins; root is not needed. */
function onSmallDisk(script) {
  mkdirSync(disk, { recursive: true });
  const mounted = `mount -t tmpfs -o size=64k tmpfs "$DISK" && cd "$DISK" && ${script}`;
  const env = {
    ...process.env,
    ...{ DISK: disk, NODE: process.execPath, MAIN, DOCS, NO_COLOR: '1' },
    ...{ XDG_CONFIG_HOME: `${disk}/config`, XDG_DATA_HOME: `${disk}/data`, XDG_CACHE_HOME: `${disk}/cache` },
  };
  const { stdout, stderr, status } = spawnSync('unshare', ['-rm', 'sh', '-c', mounted], { encoding: 'utf8', env });
  return { stdout, stderr, status };
}

const canMount = onSmallDisk('true').status === 0;
const FILL = '{ dd if=/dev/zero of=filling bs=1k 2>&1 || true; } | grep -q "No space"';
const LEFT = 'find . -type f ! -name filling | sort; find . -name "sheaf-work-*"';

describe('a full disk', { skip: canMount ? false : 'file systems cannot be mounted here' }, () => {
  before(() => assert.equal(onSmallDisk(`${FILL} && ls`).stdout, 'filling\n'));

  it('sheaf config set says in one line that the disk is full, and the configuration stays', () => {
    const set = (value) => `"$NODE" "$MAIN" config set query.top_k ${value}`;
    const { stdout, stderr, status } = onSmallDisk(
      `${set(7)} >/dev/null 2>&1 && { ${FILL} && ${set(9)}; code=$?; cat config/sheaf/config.json; ${LEFT}; exit $code; }`,
    );
    assert.equal(status, 1, stderr);
    assert.match(stderr, /^sheaf: \S+\/config\/sheaf\/config\.json: no space is left on the disk; free some and run it again\.\n$/);
    assert.match(stdout, /"top_k": 7/);
    assert.match(stdout, /\}\n\.\/config\/sheaf\/config\.json\n$/, 'nothing is left');
  });

  it('sheaf publish keygen leaves no half of a key, and can be run again', () => {
    const keygen = '"$NODE" "$MAIN" publish keygen my.key';
    const { stdout, stderr, status } = onSmallDisk(
      `${FILL}; ${keygen}; code=$?; ${LEFT}; rm filling && ${keygen} >/dev/null 2>&1 && ls; exit $code`,
    );
    assert.equal(status, 1, stderr);
    assert.match(stderr, /my\.key cannot be written: ENOSPC/);
    assert.equal(stdout, 'my.key\nmy.key.pub\n');
  });

  it('sheaf add and update leave nothing behind where no working folder can be made', () => {
    for (const verb of ['add kiln -s "$DOCS" -y', 'update --all -y']) {
      const { stdout, stderr, status } = onSmallDisk(
        `mkdir tmp && ${FILL} && { TMPDIR="$DISK/tmp" "$NODE" "$MAIN" ${verb}; code=$?; ${LEFT}; exit $code; }`,
      );
      assert.equal(status, 1, stderr);
      assert.match(stderr, /No files can be made in \S+\/tmp: ENOSPC/);
      assert.doesNotMatch(stderr, /\n {4}at /);
      assert.equal(stdout, '');
    }
  });
});
