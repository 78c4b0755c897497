// Whether the button stays in bars that React draws: in real sites of Next, from page to page without a load, by its key, at two widths,
// and in a page that React draws anew because its address is that of a file. A measure, no test.
//
//   node tests/looks/theme_sites.mjs OUT --install --only=nextra,fumadocs
//   node tests/looks/drawn.mjs OUT
import { join } from 'node:path';
import { launchChromium } from '../browser/chromium.mjs';
import { temporaryFolder } from '../node/packed.mjs';
import { searchFolder, servePages } from './place_measures.mjs';

const [out] = process.argv.slice(2);
const BARS = { nextra: '.nextra-navbar', fumadocs: '#nd-sidebar, #nd-subnav' };
const sheaf = searchFolder(temporaryFolder('drawn'));
const browser = await launchChromium();
let failed = 0;
for (const [name, bar] of Object.entries(BARS)) {
  const host = await servePages(join(out, 'sites', name), sheaf);
  for (const [width, start] of [
    [1280, '/'],
    [375, '/'],
    [1280, '/firing.html'],
  ]) {
    const page = await browser.newPage({ viewport: { width, height: 800 } });
    const stands = async (after) => {
      const places = await page.evaluate(
        (selector) => [...document.querySelectorAll('sheaf-search')].map((each) => each.closest(selector) !== null && each.clientWidth > 0),
        bar,
      );
      const holds = places.length === 1 && places[0];
      console.log(`${name} ${width} ${start}, ${after}: ${holds ? 'in the bar' : JSON.stringify(places)}`);
      failed += holds ? 0 : 1;
    };
    const isOpen = () => page.evaluate(() => document.querySelector('sheaf-search').shadowRoot.querySelector('dialog[open]') !== null);
    await page.goto(host.origin + start);
    await page
      .waitForFunction((selector) => document.querySelector('sheaf-search')?.closest(selector), bar, { timeout: 10_000 })
      .catch(() => {});
    await page.waitForTimeout(1000);
    await stands('loaded');
    let loads = 0;
    page.on('request', (request) => {
      if (request.resourceType() === 'document') loads++;
    });
    for (const to of ['/glazes', '/cooling']) {
      await page.evaluate((href) => document.querySelector(`a[href="${href}"]`).click(), to);
      await page.waitForURL(`**${to}`);
      await page.waitForTimeout(500);
      await stands(to);
    }
    await page.keyboard.press('Control+k');
    await page.waitForTimeout(500);
    const others = await page.locator('[role=dialog], [role=listbox]:visible').count();
    const holds = (await isOpen()) && loads === 0;
    console.log(`  by key: ${holds ? 'ours opens' : 'ours does not open'}, others ${others}, loads ${loads}`);
    failed += holds ? 0 : 1;
    await page.close();
  }
  await host.close();
}
await browser.close();
console.log(failed === 0 ? 'All hold.' : `${failed} do not hold.`);
process.exitCode = failed === 0 ? 0 : 1;
