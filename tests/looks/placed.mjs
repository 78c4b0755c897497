// Where `sheaf site --inject` puts its button into pages of documentation themes, measured and pictured: at two widths, light and dark.
//
//   node tests/looks/theme_sites.mjs OUT --install      # the pages, once
//   node tests/looks/placed.mjs OUT [--only=furo,mdbook] [--fixtures]
//
// Pictures go to OUT/pictures: NAME-WIDTH-SCHEME-plain, -closed and -dialog. `--fixtures` takes tests/fixtures/themes instead of OUT/sites.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { temporaryFolder } from '../node/packed.mjs';
import { measure, SCHEMES, searchFolder, servePages, WIDTHS } from './place_measures.mjs';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, fixtures: { type: 'boolean' }, sizes: { type: 'string' }, schemes: { type: 'string' } },
});
const [out] = positionals;
const root = values.fixtures ? fileURLToPath(new URL('../fixtures/themes/', import.meta.url)) : join(out, 'sites');
const pictures = join(out, values.fixtures ? 'fixtures' : 'pictures');
mkdirSync(pictures, { recursive: true });
const sheaf = searchFolder(temporaryFolder('placed'));

/** A page below the start page where there is one: start pages of themes are special. */
function pageOf(folder) {
  const inner = [
    'firing/index.html',
    'firing.html',
    'docs/firing/index.html',
    'ch03-00-common-programming-concepts.html',
    'std/option/enum.Option.html',
    'kiln/Kiln.html',
    'classKiln.html',
    'Data-Maybe.html',
    'mvcc-intro.html',
  ];
  return `/${inner.find((path) => existsSync(join(folder, path))) ?? 'index.html'}`;
}
/** Bars that make room though the button stands elsewhere in the page's tree. */
export const BARS = { mdbook: '.menu-bar', docusaurus: '.navbar', 'docusaurus-algolia': '.navbar', vitepress: '.VPNav' };

const browser = await launchChromium();
let failed = 0;
for (const name of readdirSync(root).sort()) {
  if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
  const folder = join(root, name);
  const host = await servePages(folder, sheaf);
  for (const size of values.sizes?.split(',') ?? Object.keys(WIDTHS))
    for (const scheme of values.schemes?.split(',') ?? SCHEMES) {
      const { failures, facts } = await measure({
        browser,
        host,
        path: pageOf(folder),
        size,
        scheme,
        bar: BARS[name],
        pictures: (state) => join(pictures, `${name}-${size}-${scheme}-${state}.png`),
      });
      const { mark, box = {}, contrast = 0 } = facts;
      const where = `${Math.round(box.width)}x${Math.round(box.height)} at ${Math.round(box.x)},${Math.round(box.y)}`;
      console.log(
        `${name} ${size} ${scheme}: ${mark}, ${where}, contrast ${contrast.toFixed(1)}${failures.map((each) => `\n    ${each}`).join('')}`,
      );
      failed += failures.length;
    }
  await host.close();
}
await browser.close();
console.log(failed === 0 ? 'All hold.' : `${failed} do not hold.`);
process.exitCode = failed === 0 ? 0 : 1;
