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
import type { ReportTo } from '../../browser/page/report.js';
import type { FileSite } from '../../browser/page/file_open.js';
import { SIMD_MODULE } from '../../browser/client/supported.js';
import { OFFLINE_SCRIPT } from '../../browser/offline/store.js';
import { asciiJson, boxScript } from './box.js';
import type { BoxReport } from '../packer/packer.js';
import { ENGLISH, type Words } from './words.js';

export interface Entry {
  code: string;
  sources: readonly SiteSource[];
  /** Those of the bundles that have rules. */
  languages?: readonly string[];
  file?: FileSite | undefined;
  offline?: boolean;
  fallback?: string | undefined;
  report?: ReportTo | undefined;
  ask?: string | undefined;
  box?: BoxReport | undefined;
  /** By the tags of the site's pages; others get English. */
  words?: Readonly<Record<string, Words>>;
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
export function entryScript({
  code,
  sources,
  languages = [],
  file,
  offline = false,
  fallback = '',
  report,
  ask,
  box,
  words = {},
}: Entry): string {
  const [{ src, encoder }] = sources as [SiteSource];
  const searched = sources.length > 1 ? { sites: sources } : { src, ...(encoder === undefined ? {} : { encoder }) };
  const [rules] = languages.length === 1 ? languages : []; // of several, the worker asks for the reader's
  const settings: Settings = {
    ...searched,
    ...(rules === undefined ? {} : { rules }),
    ...(offline ? { offline: `../${OFFLINE_SCRIPT}` } : {}),
    ...(report === undefined ? {} : { report }),
    ...(ask === undefined ? {} : { ask }),
  };
  return `// Made by sheaf site; made again on every run. It runs as a classic script and as a module.
{
  const settings = ${JSON.stringify(settings)};
  const words = ${wordsOf(words)};
  const tag = document.documentElement.lang.toLowerCase();
  const [search, failed, again, noWasm] = words[tag] || words[tag.split('-')[0]] || words.en;
  const here = document.currentScript?.src; // modules have none, and resolve by themselves
  const isModern = ${FEATURES};
${box === undefined ? '' : boxScript(box)}  if (!isModern) {
    const script = here || document.querySelector('script[src*="sheaf/sheaf.js"]')?.src || document.baseURI;
    const root = new URL('..', script);
    const start = location.protocol === 'file:' ? 'index.html' : '';
    const link = (element) => {
      for (const each of element.querySelectorAll('[slot]')) each.hidden = true;
      if (element.querySelector('a, form')) return;
      const a = document.createElement('a');
      a.href = element.getAttribute('fallback') || new URL(${JSON.stringify(fallback)} || start, root).href;
      a.textContent = element.getAttribute('placeholder') || search;
      a.title = noWasm;
      element.append(a);
    };
    const links = () => document.querySelectorAll('sheaf-search').forEach(link);
    if (document.readyState === 'loading') addEventListener('DOMContentLoaded', links);
    else links();
  } else if (location.protocol !== 'file:') {
    const code = './${code}/client/site.js';
    import(here ? new URL(code, here).href : code).then(({ start }) => start(settings), (error) => {
      console.error('sheaf: the search could not be loaded:', error);
      document.documentElement.dataset.sheaf = 'gone'; // the theme's own search shows again
      const offer = (element) => {
        if (element.querySelector('a, form')) return;
        const a = document.createElement('a');
        a.href = location.href;
        a.onclick = () => location.reload();
        a.textContent = again;
        element.append(\`\${failed} \`, a);
      };
      document.querySelectorAll('sheaf-search').forEach(offer);
    });
  } else {
${file === undefined ? "    console.info('sheaf: pages opened as files get search from sheaf site --file.');" : filePart(file)}
  }
}
`;
}

function wordsOf(words: Readonly<Record<string, Words>>): string {
  const texts = Object.entries({ en: ENGLISH, ...words }).map(([tag, { strings }]) => [
    tag.toLowerCase(),
    [strings.search, strings.failed, strings.retry, strings.noWasm],
  ]);
  // A page may call its language `constructor`.
  return `{"__proto__":null,${asciiJson(Object.fromEntries(texts)).slice(1)}`;
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
