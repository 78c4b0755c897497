/**
 * Pagefind, indexed by its Node API and asked in Chromium, where it runs. Pages are HTML of the same texts, with
 * headings as h1 to h6, since Pagefind weighs them.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchChromium } from '../../browser/chromium.mjs';
import { serveSite } from '../../browser/serve_site.mjs';
import { DEPTH, withoutStopWords } from './records.mjs';

const escapeHtml = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

const element = (name, content) => `<${name}>${escapeHtml(content)}</${name}>`;

/** A page as HTML: a heading where the heading path changes, paragraphs below. Pure. */
export function htmlOf({ title, passages }, language = 'en') {
  let above = [];
  const parts = passages.map(({ headings, text }) => {
    const fresh = headings.map((heading, level) => ({ heading, level })).filter(({ heading, level }) => above[level] !== heading);
    above = headings;
    const told = new Set([title, ...headings]);
    // A passage's text begins with its own headings, which stand above it already.
    const body = text
      .split('\n')
      .filter((line) => !told.has(line.trim()))
      .join('\n');
    const tops = fresh.map(({ heading, level }) => element(`h${Math.min(level + 2, 6)}`, heading));
    return [...tops, ...body.split(/\n{2,}/).map((paragraph) => element('p', paragraph))].join('\n');
  });
  const body = [element('h1', title), ...parts].join('\n');
  return `<!doctype html><html lang="${language}"><head>${element('title', title)}</head><body>${body}</body></html>`;
}

export async function pagefind(_, collection) {
  const { createIndex, close } = await import('pagefind');
  const folder = mkdtempSync(join(tmpdir(), 'sheaf-pagefind-'));
  const { language = 'en' } = collection;
  // By the language Pagefind chooses its stemmer, and how it separates words that no spaces do.
  const { index, errors } = await createIndex({ forceLanguage: language });
  if (index === undefined) throw new Error(`Pagefind made no index: ${errors.join('; ')}`);
  for (const page of collection.pages) await index.addHTMLFile({ url: `/page/${page.id}`, content: htmlOf(page, language) });
  mkdirSync(join(folder, 'empty'));
  writeFileSync(join(folder, 'empty/index.html'), `<!doctype html><html lang="${language}"><title>Pagefind</title>`);
  await index.writeFiles({ outputPath: join(folder, 'pagefind') });
  await close();

  const csp = "default-src 'self' 'unsafe-eval' 'wasm-unsafe-eval' blob:; style-src 'self' 'unsafe-inline'";
  const site = await serveSite({ '/pagefind/': `${folder}/pagefind/`, '/': `${folder}/empty/` }, { csp });
  const chromium = await launchChromium();
  const page = await chromium.newPage();
  await page.goto(`${site.origin}/`);
  const ask = (text) =>
    page.evaluate(
      async ([wanted, depth]) => {
        const library = await import('/pagefind/pagefind.js');
        const { results } = await library.search(wanted);
        return Promise.all(results.slice(0, depth).map(async (result) => Number((await result.data()).raw_url.split('/').at(-1))));
      },
      [text, DEPTH],
    );
  const engines = [{ engine: 'Pagefind', setting: 'default', records: 'page', rank: ({ query }) => ask(query) }];
  if (language === 'en') {
    const setting = 'query without stop words';
    engines.push({ engine: 'Pagefind', setting, records: 'page', rank: ({ query }) => ask(withoutStopWords(query)) });
  }
  const shut = async () => {
    await chromium.close();
    await site.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { engines, close: shut };
}
