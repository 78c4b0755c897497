/** Controls above the list, loaded when needed, with loaders of the test's own (web/browser/ui/controllers/bars.ts). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Bars } from '../../dist/browser/ui/controllers/bars.js';
import { spy } from './ui_fakes.mjs';

/** Loads are answered by hand, in the order in which they were asked. */
function loading() {
  const asked = { scope: [], chips: [] };
  const wait = (kind) => (narrow) => new Promise((resolve, reject) => asked[kind].push({ resolve, reject, narrow }));
  const host = { requestUpdate: spy(), search: { configure: spy() } };
  const bars = new Bars(host, { scope: wait('scope'), chips: wait('chips') });
  return { host, bars, asked, settled: () => new Promise((resolve) => setImmediate(resolve)) };
}
const controls = (name) => ({ bar: { name }, update: spy() });
const names = ({ shown }) => shown.map(({ name }) => name);

describe('bars', () => {
  it('Bars load nothing before they are needed', () => {
    const { asked, bars, host } = loading();
    bars.update(true);
    assert.deepEqual([asked, bars.shown, host.requestUpdate.calls], [{ scope: [], chips: [] }, [], []]);
  });

  it('Bars stand in one order, whichever came first: several bundles, then chips', async () => {
    const { asked, bars, host, settled } = loading();
    bars.count();
    asked.chips[0].resolve(controls('chips'));
    await settled();
    const several = bars.several();
    asked.scope[0].resolve(controls('scope'));
    assert.equal((await several).bar.name, 'scope');
    assert.deepEqual(names(bars), ['scope', 'chips']);
    assert.equal(host.requestUpdate.calls.length, 2);
  });

  it('Bars are loaded once, and chips drawn anew for each answer', async () => {
    const { asked, bars, settled } = loading();
    const chips = controls('chips');
    bars.count();
    bars.count();
    asked.chips[0].resolve(chips);
    await settled();
    bars.count();
    await settled();
    assert.deepEqual([asked.chips.length, chips.update.calls.length, names(bars)], [1, 3, ['chips']]);
    assert.equal(bars.several(), bars.several());
    assert.equal(asked.scope.length, 1);
  });

  it('Bars are drawn anew with the element, and chips with other filters', async () => {
    const { asked, bars, settled } = loading();
    const [scope, chips] = [controls('scope'), controls('chips')];
    void bars.several();
    bars.count();
    asked.scope[0].resolve(scope);
    asked.chips[0].resolve(chips);
    await settled();
    bars.update(false);
    bars.update(true);
    await settled();
    assert.deepEqual([scope.update.calls.length, chips.update.calls.length], [2, 2]);
  });

  it('Bars of bundles that the element dropped are dropped, even when they arrive later', async () => {
    const { asked, bars, settled } = loading();
    const several = bars.several();
    bars.count();
    bars.reset();
    asked.scope[0].resolve(controls('old'));
    asked.chips[0].resolve(controls('old'));
    await assert.rejects(several, /superseded/);
    await settled();
    assert.deepEqual(bars.shown, []);
    bars.count();
    asked.chips[1].resolve(controls('new'));
    await settled();
    assert.deepEqual(names(bars), ['new']);
  });

  it('Bars are asked for again after their code did not arrive', async () => {
    const { asked, bars, settled } = loading();
    const several = bars.several();
    bars.count();
    asked.scope[0].reject(new Error('offline'));
    asked.chips[0].reject(new Error('offline'));
    await assert.rejects(several, /offline/);
    await settled();
    void bars.several();
    bars.count();
    assert.deepEqual([asked.scope.length, asked.chips.length], [2, 2]);
  });

  it('Bars narrow the search, and remember the choice until other bundles are named', () => {
    const { asked, bars, host } = loading();
    bars.count();
    asked.chips[0].narrow({ kind: ['api'] });
    assert.deepEqual(host.search.configure.calls, [[{ filters: { kind: ['api'] } }]]);
    assert.deepEqual(bars.filters, { kind: ['api'] });
    bars.reset();
    assert.equal(bars.filters, undefined);
  });
});
