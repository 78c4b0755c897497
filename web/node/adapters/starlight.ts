/**
 * `sheaf/starlight`: search in an Astro Starlight site.
 *
 *     // astro.config.mjs
 *     import sheaf from 'sheaf/starlight';
 *     starlight({ title: 'Kiln', plugins: [sheaf()] })
 *
 * Idea: a Starlight plugin that puts Search.astro in the place of Starlight's search, switches Pagefind off,
 * and adds an integration that packs the site when Astro has written it.
 */
import { fileURLToPath } from 'node:url';
import { addSearch, type BuiltSite, type SheafOptions } from './after_build.js';
import { serveLastBuild, type Middleware } from './dev_server.js';
import { paletteOf, paletteRules } from '../site/themes.js';
import { ENTRY_PATH } from './page.js';

export type { SheafOptions };

/** Astro compiles it, so it is shipped as written. */
const SEARCH = fileURLToPath(new URL('../../../web/node/adapters/starlight/Search.astro', import.meta.url));
const SETTINGS = 'virtual:sheaf/starlight';

interface StarlightConfig {
  title: string | { [locale: string]: string };
  components?: object;
  locales?: { [locale: string]: object } | undefined;
}

interface SetupHook {
  config: StarlightConfig;
  updateConfig(config: object): void;
  addIntegration(integration: object): void;
}

interface AstroConfig {
  base: string;
  site?: string | undefined;
  outDir: URL;
  build: { format: string };
}

interface Logger {
  info(line: string): void;
}

export default function sheaf(options: SheafOptions = {}): { name: string; hooks: object } {
  return {
    name: 'sheaf',
    hooks: {
      'config:setup'({ config, updateConfig, addIntegration }: SetupHook) {
        updateConfig({ components: { ...config.components, Search: SEARCH }, pagefind: false });
        addIntegration(integration(config, options));
      },
    },
  };
}

function integration(starlight: StarlightConfig, options: SheafOptions): object {
  let astro: AstroConfig | undefined;
  return {
    name: 'sheaf',
    hooks: {
      'astro:config:setup'({ config, updateConfig }: { config: AstroConfig; updateConfig(config: object): void }) {
        updateConfig({ vite: { plugins: [settings(pageSettings(config, Object.keys(starlight.locales ?? {})))] } });
      },
      'astro:config:done'({ config }: { config: AstroConfig }) {
        astro = config;
      },
      'astro:server:setup'({ server }: { server: { middlewares: { use(middleware: Middleware): void } } }) {
        if (astro === undefined) return;
        server.middlewares.use(
          serveLastBuild({ dir: fileURLToPath(astro.outDir), base: slashed(astro.base), build: 'astro build' }),
        );
      },
      async 'astro:build:done'({ dir, logger }: { dir: URL; logger: Logger }) {
        if (astro === undefined) return;
        const title = typeof starlight.title === 'string' ? starlight.title : Object.values(starlight.title)[0];
        logger.info(await addSearch(builtSite(astro, fileURLToPath(dir), title), options));
      },
    },
  };
}

/** Astro's settings in the words of `sheaf site`. Pure. */
export function builtSite(
  { base, site }: Pick<AstroConfig, 'base' | 'site'>,
  dir: string,
  title: string | undefined,
): BuiltSite {
  return { dir, baseUrl: (site === undefined ? '' : new URL(site).origin) + slashed(base), title };
}

/** What Search.astro needs to know: the script, the paths of the languages, and the theme's colours. Pure. */
export function pageSettings(
  { base }: Pick<AstroConfig, 'base'>,
  locales: readonly string[],
): { entry: string; parts: string[]; palette: string } {
  const home = slashed(base);
  return {
    entry: home + ENTRY_PATH,
    parts: locales.map((locale) => (locale === 'root' ? home : `${home}${locale}/`)),
    palette: `header sheaf-search{${paletteRules(paletteOf('Starlight'))}}`,
  };
}

function settings(values: object): object {
  return {
    name: 'sheaf',
    resolveId: (id: string) => (id === SETTINGS ? `\0${SETTINGS}` : undefined),
    load: (id: string) => (id === `\0${SETTINGS}` ? `export default ${JSON.stringify(values)};` : undefined),
  };
}

const slashed = (base: string): string => (base.endsWith('/') ? base : `${base}/`);
