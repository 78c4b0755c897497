/**
 * `sheaf/vitepress`: search in a VitePress site.
 *
 *     // .vitepress/config.js
 *     import { defineConfig } from 'vitepress';
 *     import { withSheaf } from 'sheaf/vitepress';
 *     export default withSheaf(defineConfig({ title: 'Kiln' }));
 *
 * Idea: after `vitepress build`, `sheaf site` packs the output; an alias puts our search box in the place of
 * the default theme's, so no theme of one's own is needed. Any search that was configured is switched off.
 */
import { fileURLToPath } from 'node:url';
import { addSearch, type BuiltSite, type SheafOptions } from './after_build.js';
import { serveLastBuild, type Middleware } from './dev_server.js';
import { paletteOf } from '../site/themes.js';
import { looks } from './looks.js';

export type { SheafOptions };

const SEARCH_BOX = fileURLToPath(new URL('./vitepress/search_box.js', import.meta.url));
const LOOKS =
  '.VPNavBarSearch{display:flex;align-items:center}' +
  '@media (min-width:768px){.VPNavBarSearch{flex-grow:1;padding-left:24px}}' +
  '@media (min-width:960px){.VPNavBarSearch{padding-left:32px}}' +
  looks('.VPNavBarSearch', {
    palette: { ...paletteOf('VitePress'), 'font-size': '0.9375rem', radius: '8px' },
    wide: 768,
    bar: {
      width: '151px',
      button:
        'block-size:40px;padding:0 10px 0 12px;gap:8px;font-size:13px;font-weight:500;' +
        'border-color:transparent;background:var(--vp-c-bg-alt);transition:border-color .25s',
      icon: 'font-size:14px',
      label: 'padding-inline-end:8px',
      shortcut:
        'gap:2px;margin:0;padding:0 6px;font-size:12px;line-height:22px;border-color:var(--vp-c-divider);border-radius:4px;background:none',
      hover: 'border-color:var(--vp-c-brand-1)',
    },
    icon: {
      width: '48px',
      button: 'inline-size:48px;block-size:55px;border:0;background:none;color:var(--vp-c-text-1)',
      icon: 'font-size:18px',
    },
  });

/** What this module reads of VitePress's resolved settings. */
interface SiteConfig {
  root: string;
  outDir: string;
  cleanUrls: boolean;
  site: { base: string; title: string };
  sitemap?: { hostname?: string } | undefined;
}

interface UserConfig {
  head?: unknown[];
  themeConfig?: object;
  locales?: { [key: string]: { themeConfig?: object } };
  vite?: { plugins?: unknown[] };
  buildEnd?: (site: never) => unknown;
}

/** The same settings, with search. */
export function withSheaf<Config extends object>(config: Config, options: SheafOptions = {}): Config {
  const user = config as UserConfig;
  const locales = Object.entries(user.locales ?? {}).map(([key, locale]) => [
    key,
    { ...locale, ...withoutSearch(locale) },
  ]);
  return {
    ...config,
    ...withoutSearch(user),
    ...(user.locales === undefined ? {} : { locales: Object.fromEntries(locales) as object }),
    head: [...(user.head ?? []), ['style', {}, LOOKS]],
    vite: { ...user.vite, plugins: [...(user.vite?.plugins ?? []), searchBox()] },
    async buildEnd(site: SiteConfig) {
      await user.buildEnd?.(site as never);
      console.log(`sheaf: ${await addSearch(builtSite(site), options)}`);
    },
  };
}

/** VitePress's settings in the words of `sheaf site`. Pure. */
export function builtSite({ outDir, cleanUrls, site, sitemap }: SiteConfig): BuiltSite {
  const origin = sitemap?.hostname === undefined ? '' : new URL(sitemap.hostname).origin;
  return { dir: outDir, baseUrl: origin + site.base, title: site.title, urlStyle: cleanUrls ? 'clean' : 'html' };
}

function withoutSearch({ themeConfig }: { themeConfig?: object }): { themeConfig?: object } {
  return themeConfig === undefined ? {} : { themeConfig: { ...themeConfig, search: undefined } };
}

/** A Vite plugin: our search box for the theme's, and the last index in the development server. */
function searchBox(): object {
  let site: SiteConfig | undefined;
  return {
    name: 'sheaf',
    config: () => ({ resolve: { alias: [{ find: /^.*\/VPNavBarSearch\.vue$/, replacement: SEARCH_BOX }] } }),
    configResolved(config: { vitepress?: SiteConfig }) {
      site = config.vitepress;
    },
    configureServer(server: { middlewares: { use(middleware: Middleware): void } }) {
      if (site !== undefined)
        server.middlewares.use(serveLastBuild({ dir: site.outDir, base: site.site.base, build: 'vitepress build' }));
    },
  };
}
