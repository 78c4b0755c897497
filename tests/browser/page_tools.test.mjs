/** A page's tools for agents, on a site that `sheaf site --inject` alone gave its search, in Chromium with WebMCP and without. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { writeBuiltSite } from '../fixtures/built_site.mjs';
import { MAIN, temporaryFolder } from '../node/packed.mjs';
import { launchChromium } from './chromium.mjs';
import { serveSite, STRICT_CSP } from './serve_site.mjs';

const folder = writeBuiltSite(join(temporaryFolder('page-tools'), 'dist'));
let host;
let browsers;
let context;

before(async () => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', folder, '--inject'], { encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  browsers = { with: await launchChromium(['--enable-features=WebMCP']), without: await launchChromium() };
});
after(async () => {
  for (const browser of Object.values(browsers ?? {})) await browser.close();
});
afterEach(async () => {
  await context?.close();
  await host?.close();
});

async function visit(which) {
  host = await serveSite({ '/docs/': `${folder}/` }, { csp: `${STRICT_CSP}; img-src 'self'` });
  context = await browsers[which].newContext();
  const page = await context.newPage();
  await page.goto(`${host.origin}/docs/guide/batches.html`);
  await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
  return page;
}

/** Once there are as many tools. */
async function tools(page, count) {
  for (let i = 0; ; i++) {
    const found = await page.webmcp.tools();
    if (found.length === count || i === 100) return found.sort((a, b) => (a.name < b.name ? -1 : 1));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe("a page's tools for agents", () => {
  it('Chromium with WebMCP lists two tools of a page, which only read, and calls them', async () => {
    const page = await visit('with');
    const found = await tools(page, 2);
    assert.deepEqual(
      found.map(({ name, annotations }) => [name, annotations?.readOnly]),
      [
        ['read_page', true],
        ['search_docs', true],
      ],
    );
    assert.deepEqual(found[1].inputSchema.required, ['query']);
    const answer = await page.webmcp.callTool('search_docs', { query: 'wait for several batches' });
    const [hit] = answer.structuredContent.hits;
    assert.equal(hit.url, `${host.origin}/docs/guide/batches.html#waiting`);
    assert.match(hit.text, /Batches are awaitable/);
    assert.ok(answer.content[0].text.includes(hit.url) && answer.content[0].text.includes(hit.text), 'the text says the same');
    const read = await page.webmcp.callTool('read_page', { url: `${host.origin}/docs/guide/#secrets` });
    assert.match(read.content[0].text, /Keep passwords out of files/);
    assert.doesNotMatch(read.content[0].text, /certificate of the mirror/);
    const whole = await page.webmcp.callTool('read_page', { url: `${host.origin}/docs/guide/` });
    assert.match(whole.structuredContent.text, /certificate of the mirror[\s\S]*Keep passwords/);
    for (const [tool, input, wrong] of [
      ['read_page', { url: 'https://elsewhere.example/' }, /No page of this documentation has the address/],
      ['read_page', {}, /url has to be an address/],
      ['search_docs', { query: ' ' }, /query has to be a text/],
    ]) {
      const refused = await page.webmcp.callTool(tool, input);
      assert.equal(refused.isError, true);
      assert.match(refused.content[0].text, wrong);
    }
  });

  it('Several boxes of a page are one tool, which goes with the last of them and comes back with the next', async () => {
    const page = await visit('with');
    await tools(page, 2);
    await page.evaluate(() => document.body.append(document.createElement('sheaf-search')));
    const { structuredContent } = await page.webmcp.callTool('search_docs', { query: 'awaitable', max_results: 20 });
    const urls = structuredContent.hits.map(({ url, text }) => url + text);
    assert.equal(new Set(urls).size, urls.length, 'a library that two boxes search is asked once');
    await page.evaluate(() => document.querySelectorAll('sheaf-search').forEach((box) => box.remove()));
    assert.deepEqual(await tools(page, 0), []);
    await page.evaluate(() => document.body.append(document.createElement('sheaf-search')));
    assert.equal((await tools(page, 2)).length, 2);
  });

  it('A page whose box says agents="off" has no tools', async () => {
    const page = await visit('with');
    await page.evaluate(() => {
      for (const box of document.querySelectorAll('sheaf-search')) box.remove();
      const box = document.createElement('sheaf-search');
      box.setAttribute('agents', 'off');
      document.body.append(box);
    });
    assert.deepEqual(await tools(page, 0), []);
  });

  it('Without WebMCP nothing more is loaded, until window.sheaf is called, which answers the same', async () => {
    const page = await visit('without');
    await new Promise((resolve) => setTimeout(resolve, 300));
    const asked = () => host.requests.filter(({ path }) => /page_tools|\.wasm|site-/.test(path));
    assert.deepEqual(asked(), []);
    const answer = await page.evaluate(() => window.sheaf.search_docs({ query: 'wait for several batches' }));
    assert.equal(answer.structuredContent.hits[0].url, `${host.origin}/docs/guide/batches.html#waiting`);
    const read = await page.evaluate((url) => window.sheaf.read_page({ url }), answer.structuredContent.hits[0].url);
    assert.match(read.content[0].text, /all of them finish before the first error is raised/);
    assert.ok(asked().some(({ path }) => /page_tools/.test(path)));
  });
});
