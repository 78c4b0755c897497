/** What programs in other languages speak with: messages of JSON, one a line (web/node/pipe). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { linesPort } from '../../dist/node/pipe/lines_port.js';
import { DOCS, finish, temporaryFolder } from './packed.mjs';

const MAIN = fileURLToPath(new URL('../../dist/node/pipe/main.js', import.meta.url));

describe('a port of lines', () => {
  it('A port of lines carries messages both ways, and vectors as arrays', async () => {
    const [input, output] = [new PassThrough(), new PassThrough()];
    const port = linesPort(input, output, () => {});
    const received = [];
    port.addEventListener('message', ({ data }) => received.push(data));
    input.write('{"type":"call","id":1,"text":"\\u00f6 \u{1F525}"}\r\n{"type":');
    input.write('"abort"}\n');
    port.postMessage({ vector: Float32Array.of(0.5, -1), gone: undefined });
    assert.equal(String((await once(output, 'data'))[0]), '{"vector":[0.5,-1]}\n');
    assert.deepEqual(received, [{ type: 'call', id: 1, text: 'ö \u{1F525}' }, { type: 'abort' }]);
  });

  for (const line of ['hello', '7', 'null', '{"type":']) {
    it(`A port of lines names the fault of ${line}, and stops listening`, async () => {
      const input = new PassThrough();
      const reason = await new Promise((closed) => {
        const port = linesPort(input, new PassThrough(), closed);
        port.addEventListener('message', () => assert.fail('that was no message'));
        input.end(`${line}\n{"type":"call"}\n`);
      });
      assert.equal(reason.message, `Expected a message, one object of JSON a line, and got: ${line}`);
    });
  }
});

describe('the program', () => {
  it('The pipe program ends with its stdin, and stops its packers without remains', async () => {
    const output = join(temporaryFolder('pipe'), 'kiln.sheaf');
    const job = { inputs: [DOCS], output, library: 'kiln', version: '1' };
    const child = spawn(process.execPath, [MAIN]);
    child.stdin.end(`${JSON.stringify({ type: 'call', id: 1, name: 'pack', args: [job] })}\n`);
    const { code, stdout } = await finish(child);
    assert.equal(code, 0);
    const [ready, answer] = stdout.trim().split('\n').map(JSON.parse);
    assert.deepEqual(ready, { type: 'ready' });
    assert.equal(answer.error.code, 'ABORTED');
    assert.ok(!existsSync(output));
  });

  it('The pipe program ends with 2 where it hears no message', async () => {
    const child = spawn(process.execPath, [MAIN]);
    child.stdin.write('hello\n');
    const { code, stderr } = await finish(child);
    assert.equal(code, 2);
    assert.match(stderr, /^Expected a message/);
  });
});
