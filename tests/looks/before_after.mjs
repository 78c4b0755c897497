// Pictures of themes before and after `sheaf site --inject=auto`, for docs/images: the top of a page that the theme's own generator
// made, without our button above and with it below.
//
//   node tests/looks/theme_sites.mjs OUT --install      # the pages, once
//   node tests/looks/before_after.mjs OUT docs/images [--only=furo,mdbook]
import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { launchChromium } from '../browser/chromium.mjs';
import { temporaryFolder } from '../node/packed.mjs';
import { searchFolder, servePages } from './place_measures.mjs';

/** Folders of OUT/sites, a page of each, and the scheme in which it is shown: eight themes with bars and with sidebars. */
const SHOWN = {
  mdbook: { path: 'ch03-00-common-programming-concepts.html', scheme: 'dark' },
  rustdoc: { path: 'std/option/enum.Option.html', scheme: 'light' },
  material: { path: 'firing/index.html', scheme: 'light' },
  'sphinx-rtd': { path: 'firing.html', scheme: 'light' },
  furo: { path: 'firing.html', scheme: 'dark' },
  pydata: { path: 'firing.html', scheme: 'light' },
  javadoc: { path: 'kiln/Kiln.html', scheme: 'light' },
  'just-the-docs': { path: 'firing.html', scheme: 'light' },
};
const VIEW = { width: 1280, height: 420 };
const WIDTH = 760;
const MOST_BYTES = 60_000;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { only: { type: 'string' } } });
const [out, images] = positionals;
if (images === undefined) throw new Error('Name the folder of the pages, and the one for the pictures.');
mkdirSync(images, { recursive: true });
const wanted = values.only?.split(',') ?? Object.keys(SHOWN);
const sheaf = searchFolder(temporaryFolder('before-after'));
const browser = await launchChromium();

/** Two pictures, one above the other, as WebP; in a page. */
const joined = async ([pictures, width]) => {
  const bitmaps = await Promise.all(
    pictures.map(async (data) => createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob())),
  );
  const height = Math.round((bitmaps[0].height * width) / bitmaps[0].width);
  const gap = 6;
  const canvas = new OffscreenCanvas(width, 2 * height + gap);
  const context = canvas.getContext('2d');
  context.imageSmoothingQuality = 'high';
  context.fillStyle = '#888';
  context.fillRect(0, height, width, gap);
  bitmaps.forEach((bitmap, i) => context.drawImage(bitmap, 0, i * (height + gap), width, height));
  const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: 'image/webp', quality: 0.8 })).arrayBuffer());
  return [...bytes];
};

for (const name of wanted) {
  const { path, scheme } = SHOWN[name];
  const host = await servePages(join(out, 'sites', name), sheaf);
  const context = await browser.newContext({ viewport: VIEW, colorScheme: scheme, reducedMotion: 'reduce' });
  await context.route('**', (route) => (/^(data|blob)|^http:\/\/127/.test(route.request().url()) ? route.continue() : route.abort()));
  const page = await context.newPage();
  const pictures = [];
  for (const plain of [true, false]) {
    host.how.plain = plain;
    await page.goto(`${host.origin}/${path}`, { waitUntil: 'load' });
    if (!plain) await page.waitForFunction(() => document.querySelector('sheaf-search')?.shadowRoot?.querySelector('.open'));
    await page.evaluate(() => document.fonts.ready.then(() => {}));
    await page.waitForTimeout(500); // themes' own transitions
    pictures.push((await page.screenshot()).toString('base64'));
  }
  const file = join(images, `place-${name}.webp`);
  const blank = await context.newPage();
  writeFileSync(file, Buffer.from(await blank.evaluate(joined, [pictures, WIDTH])));
  const { size } = statSync(file);
  console.log(`${file}: ${size} bytes`);
  if (size > MOST_BYTES) throw new Error(`${file} has ${size} bytes, more than ${MOST_BYTES}.`);
  await context.close();
  await host.close();
}
await browser.close();
