/** Asking a model from the list, in Chromium, under a strict Content-Security-Policy with Trusted Types. The endpoint is a fake on loopback. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { assertAccessible, done, invent, type, uiFixture } from './ui_page.mjs';

let ui;
let context;
let page;
let problems;
/** What the endpoint was sent, and how it answers. */
let asked;
let respond;

before(async () => {
  ui = await uiFixture();
  ui.site.settings.serve = (request, response) => {
    if (!request.url.startsWith('/ask')) return false;
    let body = '';
    request.on('data', (piece) => (body += piece));
    request.on('end', () => {
      const entry = { body: JSON.parse(body), headers: request.headers, closed: false };
      asked.push(entry);
      response.on('close', () => (entry.closed = !response.writableFinished));
      respond(response);
    });
    return true;
  };
});
after(() => ui?.close());
afterEach(async () => {
  await context?.close();
});

const event = (content) => `data: ${JSON.stringify({ choices: [{ delta: { content } }] })}\r\n\r\n`;
const streaming = (response) => response.writeHead(200, { 'Content-Type': 'text/event-stream' });
/** Answers with the pieces, a moment apart, and ends. */
const inPieces =
  (...pieces) =>
  async (response) => {
    streaming(response);
    for (const piece of pieces) {
      response.write(event(piece));
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    response.end('data: [DONE]\n\n');
  };

async function visit(parameters = { 'a.ask': '/ask' }, options = {}) {
  asked = [];
  respond = inPieces('The clock is usually wrong [1]. ', 'This has no source. Set the', ' time, then try `kiln up` again [2].');
  ({ context, page } = await ui.visit(parameters, options));
  problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
}
const part = (name) => page.locator(`sheaf-search [part="${name}"]`);
const button = () => part('ask');
const note = () => part('answer-note').textContent();
const loaded = () => ui.site.requests.filter(({ path }) => path.includes('/ask/'));
const noteIs = (pattern) =>
  page.waitForFunction(
    (source) => new RegExp(source).test(window.element.shadowRoot.querySelector('[part=answer-note]')?.textContent),
    pattern.source,
  );

async function search(query = 'certificate clock') {
  if (await page.evaluate(() => window.element.mode === 'button')) await page.keyboard.press('Control+k');
  else await page.locator('sheaf-search input').focus();
  await type(page, query);
}

describe('asking', () => {
  it('Asking is off by default: nothing of it loads, and nothing is sent', async () => {
    await visit({});
    const before = loaded().length;
    await search();
    await page.waitForTimeout(300);
    assert.equal(loaded().length, before);
    assert.equal(await part('answer').count(), 0);
    assert.deepEqual(asked, []);
  });

  it('Asking sends nothing before the press; then the question and the best passages, without a key', async () => {
    await visit();
    const rows = () => page.getByRole('option').evaluateAll((all) => all.map((row) => row.getBoundingClientRect().top));
    await search();
    await button().waitFor();
    const before = await rows();
    await page.waitForTimeout(300);
    assert.deepEqual(asked, []);
    await button().click();
    await noteIs(/may be wrong/);
    assert.deepEqual(await rows(), before, 'the list stays where it is');
    const [{ body, headers }] = asked;
    assert.equal(asked.length, 1);
    assert.equal(headers.authorization, undefined);
    assert.deepEqual(Object.keys(body).sort(), ['messages', 'stream']);
    assert.equal(body.stream, true);
    const { question, passages } = JSON.parse(body.messages[1].content);
    assert.equal(question, 'certificate clock');
    const listed = await page.evaluate(() => window.element.state.groups.flatMap(({ hits }) => hits.map(({ title }) => title)));
    assert.deepEqual(
      passages.map(({ title }) => title),
      listed.slice(0, 8),
    );
    assert.match(passages[0].text, /the clock of the machine is\s+usually wrong/);
    assert.deepEqual([problems, await page.evaluate(() => window.violations)], [[], []]);
  });

  it('The answer comes sentence by sentence, without those that cite nothing, and its numbers lead to the hits', async () => {
    await visit();
    let go;
    const gate = new Promise((resolve) => (go = resolve));
    respond = async (response) => {
      streaming(response);
      response.write(event('One of two [2]. No source at all. Then'));
      await gate;
      response.end(`${event(' `two()` [1, 2].')}data: [DONE]\n\n`);
    };
    await search();
    await button().click();
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=citation]'));
    assert.equal(await part('answer-text').getAttribute('aria-busy'), 'true');
    assert.equal(await button().textContent(), 'Stop');
    assert.equal(await page.locator('sheaf-search [part=answer] [role=status]').textContent(), 'Writing an answer…');
    go();
    await noteIs(/may be wrong/);
    assert.equal(await part('answer-text').locator('p').first().textContent(), 'One of two2. Then two()12.');
    assert.equal(await part('answer-text').locator('code').textContent(), 'two()');
    assert.equal(
      await page.locator('sheaf-search [part=answer] [role=status]').textContent(),
      'One of two. Then two(). Written by a language model from these pages. It may be wrong.',
    );
    const rows = await page.getByRole('option').evaluateAll((all) => all.map(({ href }) => href));
    assert.deepEqual(await part('citation').evaluateAll((links) => links.map(({ href }) => href)), [rows[1], rows[0], rows[1]]);
    assert.deepEqual(await part('answer-source').evaluateAll((links) => links.map(({ href }) => href)), [rows[0], rows[1]]);
    assert.match(await part('citation').first().getAttribute('aria-label'), /^2: \w/);
    await page.evaluate(() => document.addEventListener('sheaf-select', (each) => each.preventDefault()));
    await part('citation').first().click();
    const [, detail] = await page.evaluate(() => window.events.find(([name]) => name === 'sheaf-select'));
    assert.deepEqual([detail.url, detail.query], [rows[1], 'certificate clock']);
  });

  it('Asking stops by its button, by another query, and by closing; sentences that came stay only for the first', async () => {
    await visit();
    respond = (response) => streaming(response).write(event('So it is [1]. And then'));
    const closed = async (i) => {
      for (let tries = 0; !asked[i].closed && tries < 200; tries++) await new Promise((resolve) => setTimeout(resolve, 25));
      assert.ok(asked[i].closed);
    };
    await search();
    await button().click();
    await part('citation').waitFor();
    await button().click();
    await closed(0);
    assert.match(await note(), /may be wrong/);
    assert.equal(await part('answer-text').locator('p').first().textContent(), 'So it is1.');
    assert.equal(await button().textContent(), 'Try again');

    await button().click();
    await noteIs(/Writing/);
    await part('citation').waitFor();
    await page.locator('sheaf-search input').focus();
    await page.keyboard.press('End');
    await page.keyboard.type('s');
    await done(page, 'certificate clocks');
    await closed(1);
    assert.equal(await part('citation').count(), 0);

    await button().click();
    await part('citation').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !window.element.opened);
    await closed(2);
    await page.keyboard.press('Control+k');
    await button().waitFor();
    assert.equal(await button().textContent(), 'AI answer');
    assert.equal(await part('citation').count(), 0);
    assert.deepEqual(problems, []);
  });

  it('An answer stays while more results come, ends with the passages that it cites, and with the element', async () => {
    await visit({ 'a.ask': '/ask', mode: 'page' });
    respond = (response) => streaming(response).write(event('So it is [2]. And then'));
    await invent(page, { pages: 40 });
    await search('furnace');
    await button().click();
    await part('citation').waitFor();
    const before = await page.evaluate(() => window.element.state.count);
    await part('more').click();
    await page.waitForFunction((count) => window.element.state.status === 'done' && window.element.state.count > count, before);
    assert.equal(await part('citation').count(), 1);
    assert.equal(asked[0].closed, false);
    await page.evaluate(() => (window.element.filter = ({ passage }) => passage !== 1));
    await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=citation]') === null);
    await button().click();
    await part('citation').waitFor();
    await page.evaluate(() => window.element.remove());
    for (let tries = 0; !asked.every(({ closed }) => closed) && tries < 200; tries++) await page.waitForTimeout(25);
    assert.deepEqual(
      asked.map(({ closed }) => closed),
      [true, true],
    );
    assert.deepEqual(problems, []);
  });

  it('Asking is not offered where nothing matches well, nothing is found, or the address may not be used', async () => {
    await visit();
    const warnings = [];
    page.on('console', (message) => warnings.push(message.text()));
    await invent(page, { answer: { weak: true } });
    await search('furnace');
    await page.waitForTimeout(200);
    assert.equal(await part('answer').count(), 0);
    await invent(page, { pages: 0 });
    await page.evaluate(() => window.element.search.submit('nothing'));
    await done(page, 'nothing');
    await page.waitForTimeout(200);
    assert.equal(await part('answer').count(), 0);
    await invent(page);
    await page.evaluate(() => window.element.search.submit('good'));
    await button().waitFor();
    await invent(page, { answer: { weak: true } });
    await page.evaluate(() => window.element.search.submit('weak'));
    await done(page, 'weak');
    await button().waitFor({ state: 'hidden' });
    await invent(page);
    await page.evaluate(() => {
      window.element.ask = 'http://elsewhere.example/ask';
      window.element.search.submit('good again');
    });
    await done(page, 'good again');
    await page.waitForTimeout(200);
    assert.equal(await button().isVisible(), false);
    assert.ok(warnings.some((text) => /elsewhere\.example\/ask" is not used: .*own origin, or begin with https/.test(text)));
    assert.deepEqual(asked, []);
  });

  it('Failures are told in words: refused, busy, unreadable, without a citation, unreachable', async () => {
    await visit();
    await search();
    const status = (code) => (response) => response.writeHead(code).end();
    for (const [how, said] of [
      [status(401), /The server answers with error 401\./],
      [status(429), /Too many questions just now/],
      [(response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<p>'), /could not be read/],
      [(response) => streaming(response).end('data: {"error":{"message":"no"}}\n\n'), /could not be read/],
      [inPieces('I know it all. NONE'), /No answer that these pages support/],
      [(response) => streaming(response).write(event('Half [1]. '), () => response.destroy()), /The server does not answer/],
      [(response) => response.destroy(), /The server does not answer/],
    ]) {
      respond = how;
      await button().click();
      await noteIs(said);
      assert.match(await page.locator('sheaf-search [part=answer] [role=status]').textContent(), said);
      assert.equal(await button().textContent(), 'Try again');
    }
    respond = inPieces('Now it is [1].');
    await button().click();
    await noteIs(/may be wrong/);
    assert.deepEqual(problems, []);
  });

  it('Hostile text stays text, hostile hits get no link, and an endless answer is left', async () => {
    await visit({ fake: '1', 'a.ask': '/ask' });
    respond = (response) => {
      streaming(response);
      response.write(
        event('<img src=x onerror="window.pwned=1"> `<script>window.pwned=1</script>` [x](javascript:window.pwned=1) [1][7].\n'),
      );
      const more = () => {
        while (response.write(event(`Words [2]. ${'x '.repeat(2000)}`)));
        if (!response.destroyed) response.once('drain', more);
      };
      more();
    };
    await page.keyboard.press('Control+k');
    await page.keyboard.type('x');
    await button().click();
    await noteIs(/may be wrong/);
    assert.match(await part('answer-text').locator('p').first().textContent(), /<img src=x onerror="window\.pwned=1"> <script>/);
    assert.equal(await part('answer-text').locator('img, script').count(), 0);
    assert.deepEqual(
      await part('answer-text')
        .locator('a')
        .evaluateAll((links) => [...new Set(links.map(({ protocol }) => protocol))]),
      ['http:'],
    );
    assert.ok((await part('answer-text').textContent()).length < 9000);
    assert.equal(await page.evaluate(() => window.pwned), undefined);
    assert.deepEqual([problems, await page.evaluate(() => window.violations)], [[], []]);
  });

  it("The browser's own model answers where it is available, without a request", async () => {
    const model = (state) => `
      window.made = [];
      window.LanguageModel = {
        availability: async () => ${JSON.stringify(state)},
        create: async (options) => {
          window.made.push(options.expectedOutputs);
          return {
            contextWindow: 4000,
            destroy: () => window.made.push('destroyed'),
            promptStreaming: () => new ReadableStream({ start(to) { to.enqueue('By the browser '); to.enqueue('[1].'); to.close(); } }),
          };
        },
      };`;
    for (const state of ['downloadable', 'available']) {
      asked = [];
      ({ context, page } = await ui.visit({}));
      await page.evaluate(model(state));
      await page.evaluate(() => (window.element.ask = 'browser'));
      await search();
      if (state === 'available') break;
      await page.waitForTimeout(300);
      assert.equal(await button().isVisible(), false, state);
      await context.close();
    }
    assert.deepEqual(await page.evaluate(() => window.made), []);
    await button().click();
    await noteIs(/may be wrong/);
    assert.match(await part('answer-text').textContent(), /^By the browser1\./);
    assert.deepEqual(await page.evaluate(() => window.made), [[{ type: 'text', languages: ['en'] }], 'destroyed']);
    assert.deepEqual(asked, []);
  });

  it('Asking works by key alone: Tab reaches the button, which keeps the focus, and the answer behind it', async () => {
    await visit({ 'a.ask': '/ask', 'a.preview': 'off' });
    await search();
    await button().waitFor();
    const focused = () => page.evaluate(() => window.element.shadowRoot.activeElement?.getAttribute('part'));
    for (let i = 0; i < 8 && (await focused()) !== 'ask'; i++) await page.keyboard.press('Tab');
    assert.equal(await focused(), 'ask');
    await page.keyboard.press('Enter');
    await noteIs(/may be wrong/);
    assert.equal(await focused(), 'ask');
    await page.keyboard.press('Shift+Tab');
    assert.equal(await focused(), 'answer-source');
    await page.keyboard.press('Escape');
    await page.waitForFunction(() => !window.element.opened);
  });

  for (const [name, parameters, options] of [
    ['light', {}, {}],
    ['dark', { dark: '1' }, { colorScheme: 'dark' }],
    ['wide', {}, { viewport: { width: 1280, height: 760 } }],
    ['phone', {}, { viewport: { width: 390, height: 780 }, hasTouch: true, isMobile: true }],
    ['arabic', { lang: 'ar', dir: 'rtl' }, {}],
    ['inline', { mode: 'inline' }, {}],
    ['page', { mode: 'page' }, {}],
  ]) {
    it(`axe-core accepts asking, ${name}: the button, the answer, a failure`, async () => {
      await visit({ 'a.ask': '/ask', ...parameters }, options);
      await search();
      await button().waitFor();
      await assertAccessible(page, `ask-${name}-button`);
      await button().click();
      await part('answer-sources').waitFor();
      await assertAccessible(page, `ask-${name}-answer`);
      respond = (response) => response.writeHead(429).end();
      await button().click();
      await page.waitForFunction(() => !window.element.shadowRoot.querySelector('[part=answer-sources]'));
      await page.waitForFunction(() => window.element.shadowRoot.querySelector('[part=answer-text]').getAttribute('aria-busy') === 'false');
      await assertAccessible(page, `ask-${name}-failure`);
      assert.deepEqual([problems, await page.evaluate(() => window.violations)], [[], []]);
    });
  }
});
