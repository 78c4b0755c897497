/** The settings of the project's site; scripts/docs.mjs gathers its pages and data.json. */
import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitepress';
import { withSheaf } from 'sheaf/vitepress';
import { GUIDES, INSIDE } from '../outline.mjs';
import { slugOf } from '../slug.mjs';

const { base, titles, entries, libraries, isTried, repository } = JSON.parse(
  readFileSync(new URL('../data.json', import.meta.url), 'utf8'),
);

const item = (page) => ({ text: titles[`${page}.md`], link: `/${page}` });
const decisions = Object.keys(titles).filter((page) => page.startsWith('decisions/'));
const reference = [
  { text: 'The command', link: '/reference/command' },
  { text: 'Attributes and events', link: '/reference/element' },
  { text: 'JavaScript', link: '/reference/api/' },
  { text: 'Python', link: '/reference/python' },
];
const groups = (of) => of.map(({ text, pages }) => ({ text, items: pages.map(item) }));
/** By the path that a page begins with. None folds: the theme's folds are buttons within buttons. */
const sidebar = {
  '/reference/api/': [
    { text: 'Reference', items: reference },
    { text: 'JavaScript', items: entries.map((name) => ({ text: name, link: `/reference/api/${name}` })) },
  ],
  '/decisions/': [{ text: 'Decisions', items: decisions.map((page) => item(page.replace(/\.md$/, ''))) }],
  '/': [
    ...groups(GUIDES),
    { text: 'Reference', items: reference },
    ...groups(INSIDE),
    { text: 'Decisions', items: [{ text: 'All decisions', link: '/decisions/' }] },
  ],
};

/** Braces of pages are text, and never a template of Vue. */
function withoutTemplates(md) {
  for (const rule of ['text', 'code_inline']) {
    const own = md.renderer.rules[rule];
    md.renderer.rules[rule] = (...args) => own(...args).replaceAll('{', '&#123;');
  }
}

/** Indented code is drawn as fenced code is, which scrolls. */
function withFences(md) {
  md.renderer.rules.code_block = (tokens, at, ...more) => {
    tokens[at].info = 'text';
    return md.renderer.rules.fence(tokens, at, ...more);
  };
}

/** A heading of a column without words is a cell. */
function withoutEmptyHeadings(md) {
  md.core.ruler.after('inline', 'empty-headings', ({ tokens }) => {
    tokens.forEach((token, at) => {
      if (token.type === 'th_open' && tokens[at + 1].content === '') token.tag = tokens[at + 2].tag = 'td';
    });
  });
}

export default withSheaf(
  defineConfig({
    title: 'Sheaf',
    description: "Documentation search that runs on the reader's machine, by keyword and by meaning",
    base,
    outDir: 'dist',
    srcExclude: ['entries/**', 'public/**', 'node_modules/**'],
    // What is served as it is and drawn by no page here.
    ignoreDeadLinks: [/^\/try\//],
    head: [
      ['meta', { name: 'theme-color', content: '#ffffff', media: '(prefers-color-scheme: light)' }],
      ['meta', { name: 'theme-color', content: '#1b1b1f', media: '(prefers-color-scheme: dark)' }],
      ['link', { rel: 'icon', href: `${base}icon.svg`, type: 'image/svg+xml' }],
    ],
    router: { prefetchLinks: false },
    markdown: {
      anchor: { slugify: slugOf },
      config: (md) => [withoutTemplates, withFences, withoutEmptyHeadings].forEach((change) => change(md)),
      theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
    },
    vite: { resolve: { preserveSymlinks: false, dedupe: ['vue', 'vitepress'] }, logLevel: 'warn' },
    themeConfig: {
      logo: '/icon.svg',
      outline: [2, 3],
      sidebar,
      nav: [
        { text: 'Guides', items: GUIDES.map(({ text, link }) => ({ text, link: `/${link}` })) },
        {
          text: 'Reference',
          items: [...reference, { text: 'Formats', link: '/format' }, { text: 'Decisions', link: '/decisions/' }],
        },
        { text: 'How good is it?', link: '/how-good' },
        ...(isTried ? [{ text: 'Try it', link: '/try/', target: '_self', noIcon: true }] : []),
      ],
      socialLinks: /^https:\/\/github\.com\//.test(repository ?? '') ? [{ icon: 'github', link: repository }] : [],
      guides: GUIDES.map(({ text, link, details, command }) => ({ text, link: `/${link}`, details, command })),
      libraries,
      isTried,
    },
  }),
);
