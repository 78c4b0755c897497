/** What is said when files cannot be written (dist/node/base/system_error.js, dist/node/site/write_failure.js). */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { writing } from '../../dist/node/site/write_failure.js';
import { temporaryFolder } from './packed.mjs';

const failing = (error) => writing(temporaryFolder('full'), Promise.reject(Object.assign(new Error('raw words'), error)));

it('A write failure names the file, the reason, and the way out', async () => {
  await assert.rejects(failing({ code: 'ENOSPC', syscall: 'copyfile', path: '/a', dest: '/site/b.12.x1y.tmp' }), (error) => {
    assert.equal(
      error.message,
      '/site/b cannot be written: no space is left on the disk; free some and run it again. What was served there is as it was.',
    );
    return error.name === 'CliError' && error.exitCode === 1;
  });
  await assert.rejects(
    failing({ code: 'EROFS', syscall: 'mkdir', path: '/site/sheaf' }),
    /^CliError: \/site\/sheaf cannot be written: the file system is read-only; run it as somebody who may/,
  );
});

it('A write failure passes on an unknown or unexplained error', async () => {
  await assert.rejects(failing({ code: 'EISDIR', syscall: 'rename', path: '/site' }), /^CliError: raw words$/);
  await assert.rejects(failing({}), /^Error: raw words$/);
  assert.equal(await writing('/', Promise.resolve(3)), 3);
});
