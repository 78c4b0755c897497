/**
 * How the button of `sheaf site --inject` sits in a page, measured in Chromium: what it moves, whether it is seen, how it reads.
 * For tests/browser/themes.test.mjs (pages of tests/fixtures/themes) and tests/looks/placed.mjs (pages that generators made).
 */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { injected } from '../../dist/node/site/inject.js';
import { allPlaceFiles } from '../../dist/node/site/place.js';
import { serveSite } from '../browser/serve_site.mjs';
import { writeTree } from '../fixtures/tree.mjs';
import { MAIN } from '../node/packed.mjs';

export const AXE = readFileSync(fileURLToPath(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url)), 'utf8');
export const WIDTHS = { desktop: { width: 1280, height: 800 }, phone: { width: 375, height: 740 } };
export const SCHEMES = ['light', 'dark'];
const MOST_MOVED = 1;
const LEAST_HEIGHT = 32;
const LEAST_CONTRAST = 4.5;
const TEXT_SIZES = [14, 18];

/** A folder `sheaf` as `sheaf site` writes it, with the style sheets of all themes; for servers that inject. */
export function searchFolder(folder) {
  writeTree(join(folder, 'site'), {
    'index.html':
      '<!doctype html><title>Kiln</title><main><h1>Kiln</h1><p>A kiln fires ware to a cone.<h2 id=cool>Cooling the kiln</h2><p>Open no kiln that is hot.</main>',
    'glaze.html': '<!doctype html><title>Glaze</title><main><h1>Glaze</h1><p>Glaze melts in the kiln and covers the ware.</main>',
  });
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'site', join(folder, 'site'), '--keywords', '--quiet'], {
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  const sheaf = join(folder, 'site', 'sheaf');
  writeTree(sheaf, Object.fromEntries(allPlaceFiles()));
  return sheaf;
}

/** Serves a folder of pages, which get their search as they are sent; `how.plain` leaves them as they are. */
export async function servePages(folder, sheaf, options = {}) {
  const how = { plain: false, choice: 'auto' };
  const host = await serveSite(
    { '/sheaf/': `${sheaf}/`, '/': `${folder}/` },
    { csp: "style-src * data: 'unsafe-inline'; object-src 'none'", ...options },
  );
  host.settings.meddle = (path, bytes) => {
    if (how.plain || !/\.html?$|\/$/.test(path)) return undefined;
    const done = injected(bytes.toString('latin1'), '/sheaf/sheaf.js', { choice: how.choice, home: { search: 'kiln.example' } });
    return 'skipped' in done ? undefined : Buffer.from(done.html, 'latin1');
  };
  return { ...host, how, layouts: {} };
}

/** Where every element of the page stands, but ours and drawers that are shut; in the page. */
const layout = () => {
  const places = {};
  const isOurs = (element) => element.localName === 'sheaf-search';
  const walk = (element, path) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    if (width > 0 && height > 0 && left + width > 0 && top + scrollY + height > 0) places[path] = [left + scrollX, top + scrollY];
    [...element.children].filter((child) => !isOurs(child)).forEach((child, i) => walk(child, `${path}>${child.localName}${i}`));
  };
  walk(document.body, 'body');
  return places;
};

/** The bar that may make room: the element around ours, and those that the theme's rules name. In the page. */
const barPaths = (more) => {
  const search = document.querySelector('sheaf-search[data-sheaf-site]');
  const parent = search.parentElement === document.body ? null : search.parentElement;
  const pathOf = (element) => {
    if (element === document.body) return 'body';
    const siblings = [...element.parentElement.children].filter((each) => each.localName !== 'sheaf-search');
    return `${pathOf(element.parentElement)}>${element.localName}${siblings.indexOf(element)}`;
  };
  const bars = [
    parent?.closest('header, nav, aside, .navbar, [role=navigation]') ?? parent,
    ...(more === undefined ? [] : document.querySelectorAll(more)),
  ];
  return bars.filter((each) => each !== null).map(pathOf);
};

/** In the page. */
const buttonFacts = () => {
  const search = document.querySelector('sheaf-search[data-sheaf-site]');
  const button = search.shadowRoot?.querySelector('.open');
  if (!button?.getBoundingClientRect().width) return { why: 'there is no button to see' };
  const box = button.getBoundingClientRect();
  const { left, top, right, bottom, width, height } = box;
  const inset = 4;
  const points = [
    [left + inset, top + height / 2],
    [right - inset, top + height / 2],
    [left + width / 2, top + inset],
    [left + width / 2, bottom - inset],
    [left + width / 2, top + height / 2],
  ];
  const over = points.map(([x, y]) => document.elementFromPoint(x, y)).find((each) => each !== search);
  const floats = getComputedStyle(search).position === 'fixed' && bottom > innerHeight - 100;
  const crossed = [...document.querySelectorAll('a, button, input, label, summary, select')].find((each) => {
    if (floats || !each.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false;
    const its = each.getBoundingClientRect();
    return (
      its.width > 1 &&
      its.height > 1 &&
      Math.min(its.right, right) - Math.max(its.left, left) > 2 &&
      Math.min(its.bottom, bottom) - Math.max(its.top, top) > 2
    );
  });
  return {
    crossed: crossed === undefined ? '' : `${crossed.localName} ${crossed.className || crossed.textContent}`.slice(0, 80),
    mark: search.getAttribute('data-sheaf-site'),
    box: { x: left, y: top, width, height },
    isInside: left >= 0 && top >= 0 && right <= innerWidth + 0.5 && bottom <= innerHeight,
    cover: over === undefined ? '' : over === null ? 'outside' : `${over.localName}${over.id && `#${over.id}`}.${over.className}`,
    color: getComputedStyle(button).color,
    label: [...search.shadowRoot.querySelectorAll('.open > *')].some(
      (each) => each.scrollWidth > each.clientWidth + 1 && getComputedStyle(each).position !== 'absolute',
    ),
  };
};

/** Sizes of the dialog's text; in the page. */
const textSizes = () => {
  const { shadowRoot } = document.querySelector('sheaf-search[data-sheaf-site]');
  const sizes = {};
  const walker = document.createTreeWalker(shadowRoot.querySelector('dialog'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { data, parentElement } = walker.currentNode;
    const box = parentElement.getBoundingClientRect();
    if (data.trim() === '' || box.width <= 1 || parentElement.closest('style, kbd, .unseen')) continue;
    sizes[Math.round(Number.parseFloat(getComputedStyle(parentElement).fontSize) * 10) / 10] ??= data.trim().slice(0, 30);
  }
  return sizes;
};

/** The contrast of a colour with what surrounds it in a picture: its most common colour. `blank` is a page to decode in. */
async function contrastIn(blank, picture, color) {
  return blank.evaluate(
    async ([data, text]) => {
      const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${data}`)).blob());
      const canvas = new OffscreenCanvas(image.width, image.height);
      const context = canvas.getContext('2d', { willReadFrequently: true });
      context.drawImage(image, 0, 0);
      const { data: pixels } = context.getImageData(0, 0, image.width, image.height);
      const counts = new Map();
      for (let i = 0; i < pixels.length; i += 4) {
        const key = pixels[i] * 65536 + pixels[i + 1] * 256 + pixels[i + 2];
        counts.set(key, (counts.get(key) ?? 0) + 1);
      }
      const [[back]] = [...counts].sort((a, b) => b[1] - a[1]);
      context.clearRect(0, 0, 1, 1);
      context.fillStyle = `rgb(${back >> 16} ${(back >> 8) & 255} ${back & 255})`;
      context.fillRect(0, 0, 1, 1);
      context.fillStyle = text; // as it is blended
      context.fillRect(0, 0, 1, 1);
      const front = context.getImageData(0, 0, 1, 1).data;
      const luminance = (parts) => {
        const [r, g, b] = parts.map((part) => (part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4));
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const [dark, light] = [luminance([back >> 16, (back >> 8) & 255, back & 255]), luminance([...front].slice(0, 3))].sort(
        (a, b) => a - b,
      );
      return (light + 0.05) / (dark + 0.05);
    },
    [picture.toString('base64'), color],
  );
}

/** Until fonts are there and the page's own scripts have stopped moving things. */
async function settle(page) {
  await page.evaluate(() => document.fonts.ready.then(() => {}));
  for (let before = '', tries = 0; tries < 20; tries++) {
    const now = JSON.stringify(await page.evaluate(layout));
    if (now === before) return;
    before = now;
    await page.waitForTimeout(100);
  }
}

/** What stands elsewhere than before, but for what is in a bar. */
function movedElements(before, after, bars) {
  const moved = Object.entries(before).filter(([key, [x, y]]) => {
    const now = after[key];
    if (now === undefined || bars.some((each) => key === each || key.startsWith(`${each}>`))) return false;
    return Math.abs(now[0] - x) > MOST_MOVED || Math.abs(now[1] - y) > MOST_MOVED;
  });
  if (moved.length === 0) return [];
  const [[key, [x, y]]] = moved;
  return [
    `${moved.length} elements move, the first of them ${key.slice(-70)} from ${Math.round(x)},${Math.round(y)} to ${after[key].map(Math.round)}`,
  ];
}

async function buttonFailures(page, blank, facts) {
  if (facts.why !== undefined) return [facts.why];
  const { box, isInside, cover, color, label, crossed } = facts;
  const failures = [];
  if (crossed !== '') failures.push(`the button lies over ${crossed}`);
  if (!isInside) failures.push(`the button is outside of the window, at ${Math.round(box.x)},${Math.round(box.y)}`);
  if (cover !== '') failures.push(`the button is covered by ${cover}`);
  if (box.height < LEAST_HEIGHT) failures.push(`the button is ${box.height} px high`);
  if (label) failures.push('its label is cut');
  if (!isInside) return failures;
  facts.contrast = await contrastIn(blank, await page.screenshot({ clip: box }), color);
  if (facts.contrast < LEAST_CONTRAST) failures.push(`the button's contrast is ${facts.contrast.toFixed(1)}`);
  return failures;
}

async function dialogFailures(page) {
  await page.evaluate(() => {
    globalThis.answered = new Promise((resolve) => addEventListener('sheaf-search', ({ detail }) => detail.stage === 'final' && resolve()));
    return document.querySelector('sheaf-search').show();
  });
  await page.keyboard.type('kiln');
  await page.evaluate(() => globalThis.answered);
  await settle(page);
  const sizes = Object.entries(await page.evaluate(textSizes));
  const odd = sizes.filter(([px]) => Number(px) < TEXT_SIZES[0] || Number(px) > TEXT_SIZES[1]);
  await page.evaluate(`${AXE};0`);
  const found = await page.evaluate(async () =>
    (await globalThis.axe.run('sheaf-search', { resultTypes: ['violations'] })).violations.map(({ id, nodes }) =>
      `axe: ${id}: ${nodes.map(({ target, failureSummary }) => `${target.flat().join(' ')} ${failureSummary.replace(/\s+/g, ' ')}`).join('; ')}`.slice(
        0,
        400,
      ),
    ),
  );
  return [...odd.map(([px, text]) => `'${text}' in the dialog has ${px} px`), ...found];
}

/** For each width what does not hold, in words, and the facts. `picture(width, state)` names files to write. */
export async function measure({ browser, host, path, scheme, bar, picture }) {
  const context = await browser.newContext({ viewport: WIDTHS.desktop, colorScheme: scheme, reducedMotion: 'reduce' });
  await context.route('**', (route) =>
    /^(data|blob)|^http:\/\/(127|localhost)/.test(route.request().url()) ? route.continue() : route.abort(),
  );
  const [page, blank] = [await context.newPage(), await context.newPage()];
  await page.bringToFront();
  const problems = [];
  page.on('console', (message) => message.type() === 'error' && problems.push(message.text()));
  const shoot = async (width, state) => picture && (await page.screenshot({ path: picture(width, state) }));
  const visit = async (width, plain) => {
    host.how.plain = plain;
    await page.setViewportSize(WIDTHS[width]);
    await page.goto(host.origin + path, { waitUntil: 'load' });
    if (!plain)
      await page.waitForFunction(() => {
        const search = document.querySelector('sheaf-search');
        const isOnItsWay = document.querySelector('script[data-sheaf-element]') !== null && search?.parentElement === document.body;
        return search?.shadowRoot?.querySelector('.open') && !isOnItsWay;
      });
    await settle(page);
  };
  const results = {};
  for (const width of Object.keys(WIDTHS)) {
    const key = `${path} ${width}`; // colours move nothing
    if (host.layouts[key] === undefined || picture) {
      await visit(width, true);
      host.layouts[key] = await page.evaluate(layout);
      await shoot(width, 'plain');
    }
    const own = problems.splice(0);
    await visit(width, false);
    const facts = await page.evaluate(buttonFacts);
    const moved = movedElements(host.layouts[key], await page.evaluate(layout), await page.evaluate(barPaths, bar));
    await shoot(width, 'closed');
    const failures = [...moved, ...(await buttonFailures(page, blank, facts))];
    if (picture || width === 'desktop') failures.push(...(await dialogFailures(page)));
    await shoot(width, 'dialog');
    const errors = problems.filter((problem) => !own.includes(problem) && !/ERR_FAILED|404/.test(problem));
    failures.push(...errors.map((problem) => `console: ${problem.slice(0, 300)}`));
    results[width] = { facts, failures };
  }
  await context.close();
  return results;
}
