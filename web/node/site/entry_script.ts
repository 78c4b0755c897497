/**
 * `sheaf/sheaf.js`, the script that pages load: small, and never cached for long.
 *
 * It tests first whether the browser can run the search (FEATURES), before it loads a byte of it. Where it cannot, for
 * its age or because WebAssembly is switched off, the element stays what it is: what its owner wrote inside, a form or a
 * link, is shown, and an element without either gets a link. Nothing is reported as an error. Where the code is gone, or does not come, the
 * element says so and offers to load the page again.
 *
 * Written for both kinds of script, since a page opened as a file runs no module, and older pages name it as one.
 */
import type { Settings, SiteSource } from '../../browser/page/begin.js';
import type { FileSite } from '../../browser/page/file_open.js';
import { SIMD_MODULE } from '../../browser/client/supported.js';
import { OFFLINE_SCRIPT } from '../../browser/offline/store.js';

export interface Entry {
  code: string;
  sources: readonly SiteSource[];
  /** Those of the bundles that have rules. */
  languages?: readonly string[];
  file?: FileSite | undefined;
  offline?: boolean;
  fallback?: string | undefined;
}

/**
 * All that the oldest browsers of docs/site.md have. Workers are not among them: without one, searches run on the page's
 * thread. The same as `isSupported` (web/browser/client/supported.ts), and what the component needs.
 */
const FEATURES = `'hasOwn' in Object && 'HTMLDialogElement' in self && 'adoptedStyleSheets' in document &&
    'WebAssembly' in self && WebAssembly.validate(new Uint8Array([${SIMD_MODULE.join()}]))`;

/**
 * It hands web/browser/page/begin.ts what each `<sheaf-search>` without a source gets: one bundle as `src`, several as `sites`. Pure.
 */
export function entryScript({ code, sources, languages = [], file, offline = false, fallback = '' }: Entry): string {
  const [{ src, encoder }] = sources as [SiteSource];
  const searched = sources.length > 1 ? { sites: sources } : { src, ...(encoder === undefined ? {} : { encoder }) };
  const [rules] = languages.length === 1 ? languages : []; // of several, the worker asks for the reader's
  const settings: Settings = {
    ...searched,
    ...(rules === undefined ? {} : { rules }),
    ...(offline ? { offline: `../${OFFLINE_SCRIPT}` } : {}),
  };
  return `// Made by sheaf site; made again on every run. It runs as a classic script and as a module.
{
  const settings = ${JSON.stringify(settings)};
  const here = document.currentScript?.src; // modules have none, and resolve by themselves
  const isModern = ${FEATURES};
  if (!isModern) {
    const script = here || document.querySelector('script[src*="sheaf/sheaf.js"]')?.src || document.baseURI;
    const root = new URL('..', script);
    const start = location.protocol === 'file:' ? 'index.html' : '';
    const link = (search) => {
      for (const each of search.querySelectorAll('[slot]')) each.hidden = true;
      if (search.querySelector('a, form')) return;
      const a = document.createElement('a');
      a.href = search.getAttribute('fallback') || new URL(${JSON.stringify(fallback)} || start, root).href;
      a.textContent = search.getAttribute('placeholder') || 'Search';
      a.title = 'The search itself needs WebAssembly with SIMD, which this browser lacks or forbids.';
      search.append(a);
    };
    const links = () => document.querySelectorAll('sheaf-search').forEach(link);
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', links);
    else links();
  } else if (location.protocol !== 'file:') {
    const code = './${code}/client/site.js';
    import(here ? new URL(code, here).href : code).then(({ start }) => start(settings), (error) => {
      console.error('sheaf: the search could not be loaded:', error);
      document.documentElement.dataset.sheaf = 'gone'; // the theme's own search shows again
      const again = (search) => {
        if (search.querySelector('a, form')) return;
        const a = document.createElement('a');
        a.href = location.href;
        a.onclick = () => location.reload();
        a.textContent = 'Try again';
        search.append('The search could not be loaded. ', a);
      };
      document.querySelectorAll('sheaf-search').forEach(again);
    });
  } else {
${file === undefined ? "    console.info('sheaf: pages opened as files get search from sheaf site --file.');" : filePart(file)}
  }
}
`;
}

function filePart(file: FileSite): string {
  return `    const site = ${JSON.stringify(file)};
    const folder = new URL('.', here).href;
    const createScriptURL = (url) => {
      if (url.startsWith(folder) || url.startsWith('blob:')) return url;
      throw new TypeError(\`The policy 'sheaf' passes what lies in \${folder}, not \${url}.\`);
    };
    const policy = globalThis.trustedTypes?.createPolicy('sheaf', { createScriptURL });
    const trust = (url) => (policy ? policy.createScriptURL(url) : url);
    const script = document.createElement('script');
    script.onload = () => script.sheaf(settings, site, folder, trust);
    script.src = trust(\`\${folder}\${site.code}/page.js\`);
    document.head.append(script);`;
}
