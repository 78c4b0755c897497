import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { loadCore } from '../../dist/browser/client/load.js';

/** A server of the core's code: /TYPE/NAME comes with that media type (a dash for its slash); /busy/… is 503 at first, /missing/… 404. */
let server, origin, code;
const requests = [];
before(async () => {
  code = await readFile(new URL('../../dist/browser/core/sheaf-core.wasm', import.meta.url));
  server = createServer((request, response) => {
    const [, type] = request.url.split('/');
    const isFirst = !requests.includes(request.url);
    requests.push(request.url);
    response.writeHead(isFirst ? ({ busy: 503, missing: 404 }[type] ?? 200) : 200, { 'content-type': type.replace('-', '/') });
    response.end(type === 'text-html' ? '<!doctype html>' : code);
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

const usable = (module) => module.create() > 0 && module.memory.buffer.byteLength > 0;

describe('loading the core', () => {
  for (const type of ['application-wasm', 'application-octet-stream']) {
    it(`The core loads from a server that calls it ${type.replace('-', '/')}, with one request for many instances`, async () => {
      const url = `${origin}/${type}/core.wasm`;
      const [one, two] = await Promise.all([loadCore(url), loadCore(new URL(url))]);
      assert.ok(usable(one) && usable(two));
      assert.notEqual(one.memory, two.memory);
      assert.equal(requests.filter((each) => url.endsWith(each)).length, 1);
    });
  }

  it('The core loads from bytes and from an ArrayBuffer', async () => {
    assert.ok(usable(await loadCore(code)));
    assert.ok(usable(await loadCore(new Uint8Array(code).buffer)));
  });

  it('A failed load of the core names the server, and the next load retries', async () => {
    const url = `${origin}/missing/core.wasm`;
    await assert.rejects(loadCore(url), { code: 'NETWORK', status: 404, message: /answered 404; place core\.wasm there/ });
    assert.ok(usable(await loadCore(url)));
  });

  it('Loading the core continues when a server was busy for a moment', async () => {
    assert.ok(usable(await loadCore(`${origin}/busy/core.wasm`)));
  });

  it('Loading the core reports a page that came in its stead', async () => {
    await assert.rejects(loadCore(`${origin}/text-html/core.wasm`), { code: 'WASM', message: /could not be compiled/ });
  });
});
