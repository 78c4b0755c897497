// Where `sheaf site --inject` puts its button into pages of documentation themes, measured and pictured: at two widths, light and dark.
//
//   node tests/looks/theme_sites.mjs OUT --install      # the pages, once
//   node tests/looks/placed.mjs OUT [--only=furo,fixture-mdbook]
//
// Takes the pages of tests/fixtures/themes.mjs too. Pictures go to OUT/pictures: NAME-WIDTH-SCHEME-plain, -closed and -dialog.
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { THEME_PAGES } from '../fixtures/themes.mjs';
import { writeTree } from '../fixtures/tree.mjs';
import { temporaryFolder } from '../node/packed.mjs';
import { measure, SCHEMES, searchFolder, servePages } from './place_measures.mjs';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const [out] = positionals;
const fixtures = join(out, 'fixtures');
for (const [name, { html }] of Object.entries(THEME_PAGES)) writeTree(join(fixtures, `fixture-${name}`), { 'index.html': html });
const pictures = join(out, 'pictures');
mkdirSync(pictures, { recursive: true });
const sheaf = searchFolder(temporaryFolder('placed'));

/** A page below the start page where there is one: start pages of themes are special. */
const INNER = [
  'firing/index.html',
  'firing.html',
  'docs/firing/index.html',
  'ch03-00-common-programming-concepts.html',
  'std/option/enum.Option.html',
  'kiln/Kiln.html',
  'classKiln.html',
  'Data-Maybe.html',
  'mvcc-intro.html',
  'kiln/firing.html',
];
/** Bars that make room though the button stands elsewhere in the page's tree. */
const BARS = {
  mdbook: '.menu-bar',
  'sphinx-book': '.bd-header-article',
  docusaurus: '.navbar',
  'docusaurus-algolia': '.navbar',
  vitepress: '.VPNav',
  'doxygen-awesome-sidebar': '#top',
  nextra: '.nextra-navbar',
  fumadocs: '#nd-sidebar, #nd-subnav',
};
/** Next draws a page anew whose address it does not know, as that of a file. */
const NEXT = ['nextra', 'fumadocs'];

const folders = [join(out, 'sites'), fixtures].flatMap((root) =>
  existsSync(root)
    ? readdirSync(root)
        .sort()
        .map((name) => [name, join(root, name)])
    : [],
);
const browser = await launchChromium();
let failed = 0;
for (const [name, folder] of folders) {
  if (values.only !== undefined && !values.only.split(',').includes(name)) continue;
  const host = await servePages(folder, sheaf);
  const path = NEXT.includes(name) ? '/' : `/${INNER.find((each) => existsSync(join(folder, each))) ?? 'index.html'}`;
  const bar = BARS[name] ?? THEME_PAGES[name.replace('fixture-', '')]?.bar;
  for (const scheme of SCHEMES) {
    const picture = (width, state) => join(pictures, `${name}-${width}-${scheme}-${state}.png`);
    const results = await measure({ browser, host, path, scheme, bar, picture }).catch((error) => ({
      none: { facts: {}, failures: [error.message.slice(0, 500)] },
    }));
    for (const [width, { failures, facts }] of Object.entries(results)) {
      const { mark, box = {}, contrast = 0 } = facts;
      const where = `${Math.round(box.width)}x${Math.round(box.height)} at ${Math.round(box.x)},${Math.round(box.y)}`;
      console.log(
        `${name} ${width} ${scheme}: ${mark}, ${where}, contrast ${contrast.toFixed(1)}${failures.map((each) => `\n    ${each}`).join('')}`,
      );
      failed += failures.length;
    }
  }
  await host.close();
}
await browser.close();
console.log(failed === 0 ? 'All hold.' : `${failed} do not hold.`);
process.exitCode = failed === 0 ? 0 : 1;
