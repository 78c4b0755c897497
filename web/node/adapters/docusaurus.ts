/**
 * `sheaf/docusaurus`: search in a Docusaurus site.
 *
 *     // docusaurus.config.js
 *     plugins: ['sheaf/docusaurus'],
 *
 * Idea: after `docusaurus build`, `sheaf site` packs each language's folder; the plugin's theme folder takes
 * the place of `@theme/SearchBar`, which the classic theme shows in its navigation bar.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { addSearch, type BuiltSite, type SheafOptions } from './after_build.js';
import { paletteOf } from '../site/themes.js';
import { looks } from './looks.js';
import { noIndex } from './dev_server.js';
import { ENTRY_PATH } from './page.js';

export type { SheafOptions };

const THEME = fileURLToPath(new URL('./docusaurus/theme', import.meta.url));
const ARRIVAL = fileURLToPath(new URL('./docusaurus/arrival.js', import.meta.url));
/** The button is that of DocSearch, which the classic theme has for a search of its own. */
const LOOKS = looks('.navbar', {
  palette: { ...paletteOf('Docusaurus'), 'font-size': '0.9375rem', radius: '8px' },
  wide: 769,
  box: 'vertical-align:middle;',
  bar: {
    width: '176px',
    button:
      'min-block-size:38px;padding:0 8px;gap:8px;font-size:16px;line-height:normal;background:var(--ifm-background-surface-color)',
    icon: 'font-size:19px;stroke-width:1.6',
    label: 'padding-inline-end:4px',
    shortcut: 'gap:6px;padding:0;border:0;background:none;font-size:14px;font-family:system-ui,sans-serif',
    key:
      'display:flex;align-items:center;justify-content:center;box-sizing:border-box;min-inline-size:24px;block-size:24px;padding:0 4px;' +
      'border:1px solid var(--ifm-color-emphasis-200);border-radius:4px;background:var(--ifm-color-emphasis-100)',
  },
  icon: {
    width: '44px',
    button: 'inline-size:44px;block-size:44px;background:var(--ifm-background-surface-color)',
    icon: 'font-size:19px;stroke-width:1.6',
  },
});

/** What this module reads of Docusaurus. */
interface Context {
  siteConfig: { title: string; url: string; trailingSlash?: boolean | undefined };
  baseUrl: string;
  outDir: string;
  i18n: { currentLocale: string; defaultLocale: string; locales: string[] };
}

export default function sheaf({ baseUrl, outDir }: Context, options: SheafOptions & { id?: string }): object {
  const last = join(outDir, dirname(ENTRY_PATH)); // what the development server shows
  const script = { tagName: 'script', attributes: { type: 'module', src: baseUrl + ENTRY_PATH } };
  const note = {
    tagName: 'script',
    attributes: {},
    innerHTML: `console.info(${JSON.stringify(noIndex('docusaurus build'))})`,
  };
  return {
    name: 'sheaf',
    getThemePath: () => THEME,
    getPathsToWatch: () => [],
    getClientModules: () => [ARRIVAL],
    injectHtmlTags: () => ({
      headTags: [
        process.env['NODE_ENV'] === 'development' && !existsSync(last) ? note : script,
        { tagName: 'style', attributes: {}, innerHTML: LOOKS },
      ],
    }),
    configureWebpack: (_config: unknown, isServer: boolean) =>
      isServer
        ? {}
        : {
            devServer: { static: [{ directory: last, publicPath: `${baseUrl}${dirname(ENTRY_PATH)}`, watch: false }] },
          },
    async postBuild(site: Context) {
      console.log(`sheaf: ${await addSearch(builtSite(site), ownPages(site, options))}`);
    },
  };
}

/** Docusaurus's settings in the words of `sheaf site`. Its pages say their canonical address, trailing slash included. Pure. */
export function builtSite({ siteConfig, baseUrl, outDir }: Context): BuiltSite {
  const { title, url, trailingSlash } = siteConfig;
  return {
    dir: outDir,
    baseUrl: url.replace(/\/$/, '') + baseUrl,
    title,
    urlStyle: trailingSlash === false ? 'clean' : 'html',
  };
}

/**
 * The options for one language. Others are built into folders below the default's, with a search of their own,
 * by the words of their language. Lists of posts and tags repeat what pages say. Pure.
 */
export function ownPages({ i18n }: Pick<Context, 'i18n'>, options: SheafOptions): SheafOptions {
  const { name, version, include, keywords } = options; // plugin options hold an `id` too
  const others = i18n.locales.filter((locale) => locale !== i18n.currentLocale).map((locale) => `${locale}/**`);
  const exclude = [...others, '**/tags/**', '**/page/[0-9]*/**', ...(options.exclude ?? [])];
  const language = options.language ?? i18n.currentLocale;
  return { name, version, include, exclude, keywords, language };
}
