/**
 * Pictures of `<sheaf-search>` in real themes, for eyes: the sample projects of tests/adapters, built by their
 * generators, once with Sheaf and once with the theme's own search. Beside the pictures it prints the measures of both
 * buttons, and what axe-core says of our element; a finding is exit code 1.
 *
 *   node tests/looks/themes.mjs                     build/looks/themes/THEME-SCHEME-SIZE-STATE.png
 *   node tests/looks/themes.mjs --themes=vitepress  some themes
 *   node tests/looks/themes.mjs --built             of what was built last: takes over the component as it is now, builds no site
 *   node tests/looks/themes.mjs --buttons           the closed buttons alone
 *   node tests/looks/themes.mjs --own               also the themes' own search, in build/looks/peers
 *
 * Docusaurus's own search is Algolia's DocSearch, whose index is a service: its answers here are made of the same pages,
 * found by Sheaf.
 */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { open } from '../../dist/node/client/node.js';
import { projects } from '../adapters/projects.mjs';
import { serveStatic } from '../adapters/static_server.mjs';
import { launchChromium } from '../browser/chromium.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const LOOKS = join(root, 'build', 'looks');
const AXE = readFileSync(join(root, 'node_modules', 'axe-core', 'axe.min.js'), 'utf8');
const SIZES = { desktop: { width: 1280, height: 800 }, phone: { width: 390, height: 844 } };
const QUERY = 'restore a file';

/** `own`: the theme's own button, or buttons, of which the first visible one counts; what is typed into; its list. */
const THEMES = {
  vitepress: {
    project: 'vitepress',
    base: '/docs/',
    own: { button: '.DocSearch-Button', input: '#localsearch-input', hit: '.VPLocalSearchBox .result' },
  },
  starlight: {
    project: 'starlight',
    base: '/handbook/',
    own: { button: 'site-search > button', input: '.pagefind-ui__search-input', hit: '.pagefind-ui__result' },
  },
  docusaurus: {
    project: 'docusaurus',
    base: '/manual/',
    own: { button: '.DocSearch-Button', input: '.DocSearch-Input', hit: '.DocSearch-Hit' },
  },
  material: {
    project: 'mkdocs-material',
    base: '/book/',
    own: { button: 'label.md-header__button[for=__search], .md-search__form', input: '.md-search__input', hit: '.md-search-result__item' },
  },
  furo: {
    project: 'sphinx-furo',
    base: '/sphinx/',
    menu: 'label[for=__navigation]', // on phones the search is in the drawer
    own: { button: '.sidebar-search-container', input: '.sidebar-search', submits: true, hit: '#search-results li' },
  },
};

const { values } = parseArgs({
  options: {
    themes: { type: 'string' },
    built: { type: 'boolean' },
    own: { type: 'boolean' },
    buttons: { type: 'boolean' },
    query: { type: 'string' },
  },
});
const wanted = values.themes?.split(',') ?? Object.keys(THEMES);
const query = values.query ?? QUERY;
const findings = [];

const folderOf = (name, own) => join(LOOKS, 'sites', `${THEMES[name].project}${own ? '-own' : ''}`);

/** The built site, copied, because the next build of the project takes its place. */
async function site(name, own) {
  const folder = folderOf(name, own);
  if (!values.built || !existsSync(folder)) {
    const project = projects[THEMES[name].project];
    if (project.missing) throw new Error(`${name}: ${project.missing}`);
    const { dir } = await project.build(own);
    rmSync(folder, { recursive: true, force: true });
    cpSync(dir, folder, { recursive: true });
  } else if (!own) takeCode(folder);
  return folder;
}

/** The component's code as it is in dist/ now, for the code that the site was built with. */
function takeCode(folder) {
  for (const code of readdirSync(join(folder, 'sheaf')).filter((entry) => /^code-/.test(entry)))
    cpSync(join(root, 'dist', 'node', 'site', 'code'), join(folder, 'sheaf', code), { recursive: true });
}

async function visit(browser, name, own, scheme, size) {
  const folder = await site(name, own);
  const { base } = THEMES[name];
  const host = await serveStatic(folder, base);
  const context = await browser.newContext({
    colorScheme: scheme,
    viewport: SIZES[size],
    hasTouch: size === 'phone',
    isMobile: size === 'phone',
    deviceScaleFactor: size === 'phone' ? 2 : 1,
    reducedMotion: 'reduce',
  });
  const page = await context.newPage();
  if (own && name === 'docusaurus') await answerForAlgolia(page, host.origin, base);
  await page.goto(`${host.origin}${base}`, { waitUntil: 'networkidle' });
  const close = async () => {
    await context.close();
    await host.close();
  };
  return { page, close };
}

/** What Algolia's crawler would have made of the pages, searched by Sheaf. */
async function answerForAlgolia(page, origin, base) {
  const folder = join(folderOf('docusaurus', false), 'sheaf');
  const library = await open(
    join(
      folder,
      readdirSync(folder).find((entry) => entry.endsWith('.sheaf') && entry.startsWith('site-')),
    ),
  );
  await page.route(/algolia/, async (route) => {
    const { requests } = JSON.parse(route.request().postData() ?? '{"requests":[]}');
    const asked = requests?.[0]?.query ?? '';
    const { hits: all } = asked === '' ? { hits: [] } : await library.search(asked, { limit: 20 });
    const hits = all.filter(({ url }) => !url.includes('/next')); // DocSearch asks for one version
    const words = asked.split(/\s+/).filter((word) => word.length > 2);
    const marked = (text) => text.replace(new RegExp(`\\b(${words.join('|') || '$.'})`, 'gi'), '<mark>$1</mark>');
    const answers = hits.map((hit, i) => {
      const [lvl1, lvl2 = null, lvl3 = null] = [hit.title, ...hit.headings];
      const hierarchy = { lvl0: 'Documentation', lvl1, lvl2, lvl3, lvl4: null, lvl5: null, lvl6: null };
      const shown = (text) => ({ value: marked(text), matchLevel: 'partial' });
      const content = hit.snippet.text ?? String(hit.snippet);
      return {
        objectID: String(i),
        url: new URL(hit.url, origin + base).href,
        type: lvl2 !== null && words.some((word) => lvl2.toLowerCase().includes(word)) ? 'lvl2' : 'content',
        content,
        hierarchy,
        _highlightResult: {
          hierarchy: Object.fromEntries(
            Object.entries(hierarchy)
              .filter(([, text]) => text)
              .map(([level, text]) => [level, shown(text)]),
          ),
        },
        _snippetResult: {
          content: shown(content),
          hierarchy: Object.fromEntries(
            Object.entries(hierarchy)
              .filter(([, text]) => text)
              .map(([level, text]) => [level, shown(text)]),
          ),
        },
      };
    });
    await route.fulfill({
      json: {
        results: (requests ?? [{}]).map(() => ({
          hits: answers,
          nbHits: answers.length,
          query: asked,
          page: 0,
          nbPages: 1,
          hitsPerPage: 20,
          processingTimeMS: 1,
          exhaustiveNbHits: true,
          params: '',
          index: 'tidemark',
        })),
      },
      headers: { 'access-control-allow-origin': '*' },
    });
  });
}

/** What one compares buttons by. Runs in the page. */
const measuresOf = (element) => {
  const deep = (selector) => element.querySelector(selector) ?? element.shadowRoot?.querySelector(selector);
  const button = element.shadowRoot?.querySelector('.open') ?? element;
  const box = button.getBoundingClientRect();
  const style = getComputedStyle(button);
  const icon = (
    element.shadowRoot?.querySelector('.open svg') ?? element.querySelector('svg, .DocSearch-Search-Icon')
  )?.getBoundingClientRect();
  const keys = [...(element.shadowRoot ?? element).querySelectorAll('kbd, .DocSearch-Button-Keys')].filter(
    (key) => key.getClientRects().length > 0,
  );
  const input = deep('input');
  return {
    box: `${Math.round(box.width)}×${Math.round(box.height)} at ${Math.round(box.left)},${Math.round(box.top)}`,
    radius: style.borderRadius,
    border: `${style.borderWidth} ${style.borderColor}`,
    background: style.backgroundColor,
    color: style.color,
    font: `${style.fontWeight} ${style.fontSize} ${style.fontFamily.slice(0, 24)}`,
    icon: icon && `${Math.round(icon.width)}×${Math.round(icon.height)} at +${Math.round(icon.left - box.left)}`,
    text: (button.innerText || input?.placeholder || '').replace(/\s+/g, ' '),
    key: keys[0] && `${getComputedStyle(keys[0]).fontSize} ${Math.round(keys[0].getBoundingClientRect().height)}px`,
  };
};

const settled = (page) => page.waitForTimeout(350);

/** Ours: closed, empty, results, chosen. */
async function ours(browser, name, scheme, size) {
  const { page, close } = await visit(browser, name, false, scheme, size);
  const picture = (state) => page.screenshot({ path: join(LOOKS, 'themes', `${name}-${scheme}-${size}-${state}.png`) });
  await page.waitForFunction(() => customElements.get('sheaf-search') !== undefined);
  await openMenu(page, name, size);
  await settled(page);
  await picture('closed');
  const element = page.locator('sheaf-search').first();
  const measures = await element.evaluate(measuresOf);
  await axe(page, `${name} ${scheme} ${size} closed`);
  if (values.buttons) {
    await close();
    return measures;
  }
  await element.evaluate((search) => search.show());
  await settled(page);
  await picture('empty');
  await axe(page, `${name} ${scheme} ${size} empty`);
  await page.evaluate(() => {
    globalThis.answered = new Promise((resolve) => addEventListener('sheaf-search', ({ detail }) => detail.stage === 'final' && resolve()));
  });
  await page.locator('sheaf-search input').first().fill(query);
  await page.evaluate(() => globalThis.answered);
  await settled(page);
  await picture('results');
  await axe(page, `${name} ${scheme} ${size} results`);
  for (let press = 0; press < 2; press++) await page.keyboard.press('ArrowDown');
  await settled(page);
  await picture('chosen');
  await axe(page, `${name} ${scheme} ${size} chosen`);
  await close();
  return measures;
}

/** The theme's own: closed, empty, results. */
async function theirs(browser, name, scheme, size) {
  const { page, close } = await visit(browser, name, true, scheme, size);
  const { own } = THEMES[name];
  const picture = (state) => page.screenshot({ path: join(LOOKS, 'peers', `${name}-${scheme}-${size}-${state}.png`) });
  await openMenu(page, name, size);
  await settled(page);
  await picture('closed');
  const button = page.locator(own.button).filter({ visible: true }).first();
  const measures = await button.evaluate(measuresOf);
  if (values.buttons) {
    await close();
    return measures;
  }
  await button.click();
  await page.locator(own.input).first().waitFor();
  await settled(page);
  await picture('empty');
  await page.locator(own.input).first().pressSequentially(query, { delay: 40 });
  if (own.submits) await page.keyboard.press('Enter');
  await page
    .locator(own.hit)
    .first()
    .waitFor({ timeout: 10_000 })
    .catch(() => console.warn(`${name}: its own search lists nothing`));
  await settled(page);
  await picture('results');
  await close();
  return measures;
}

async function openMenu(page, name, size) {
  const { menu } = THEMES[name];
  if (menu === undefined || size !== 'phone') return;
  await page.locator(menu).filter({ visible: true }).first().click();
  await settled(page);
}

/** Only what is within our element: themes have findings of their own. */
async function axe(page, where) {
  await page.evaluate(`${AXE};0`);
  const found = await page.evaluate(async () =>
    (await globalThis.axe.run('sheaf-search', { resultTypes: ['violations'] })).violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ target, failureSummary }) => `${target.flat().join(' ')} ${failureSummary}`).join('; ')}`,
    ),
  );
  findings.push(...found.map((finding) => `${where}: ${finding}`));
}

/** Pagefind's component, which it writes beside its index: empty and results. */
async function pagefind(browser, scheme, size) {
  const { page, close } = await visit(browser, 'starlight', true, scheme, size);
  const picture = (state) => page.screenshot({ path: join(LOOKS, 'peers', `pagefind-${scheme}-${size}-${state}.png`) });
  const folder = new URL('pagefind/', page.url()).href;
  await page.evaluate((dark) => document.documentElement.setAttribute('data-pf-theme', dark ? 'dark' : 'light'), scheme === 'dark');
  await page.addStyleTag({ url: `${folder}pagefind-component-ui.css` });
  await page.addScriptTag({ url: `${folder}pagefind-component-ui.js`, type: 'module' });
  await page.evaluate((path) => {
    const config = document.createElement('pagefind-config');
    config.setAttribute('bundle-path', path);
    const modal = document.createElement('pagefind-modal');
    document.body.append(config, modal);
    modal.open();
  }, new URL(folder).pathname);
  await settled(page);
  await picture('empty');
  await page.locator('pagefind-modal input').first().pressSequentially(query, { delay: 40 });
  await page.waitForTimeout(2000);
  await picture('results');
  await close();
}

for (const folder of ['themes', 'peers']) mkdirSync(join(LOOKS, folder), { recursive: true });
const browser = await launchChromium();
try {
  for (const name of wanted)
    for (const size of Object.keys(SIZES))
      for (const scheme of ['light', 'dark']) {
        const own = values.own ? await theirs(browser, name, scheme, size) : undefined;
        const measures = await ours(browser, name, scheme, size);
        console.log(`\n${name} ${scheme} ${size}`);
        for (const [key, value] of Object.entries(measures))
          console.log(`  ${key.padEnd(11)}${String(value).padEnd(52)}${own === undefined ? '' : own[key]}`);
      }
  if (values.own && !values.buttons && wanted.includes('starlight'))
    for (const size of Object.keys(SIZES)) for (const scheme of ['light', 'dark']) await pagefind(browser, scheme, size);
} finally {
  await browser.close();
}
for (const finding of findings) console.log(`axe: ${finding}`);
if (findings.length > 0) process.exitCode = 1;
