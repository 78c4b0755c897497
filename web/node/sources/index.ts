/** The entry point: fetches any kind of source. */
import { fillFromCheckout } from './api_pages.js';
import type { Fetched, SourceContext, SourceSpec } from './source.js';

export * from './source.js';

export async function fetchSource(spec: SourceSpec, context: SourceContext): Promise<Fetched> {
  switch (spec.type) {
    case 'git_repo':
      return (await import('./git.js')).fetchGit(spec, context);
    case 'sitemap':
      return (await import('./sitemap.js')).fetchSitemap(spec, context);
    case 'local_path':
      // A user's folder is not written to, so its directives are only counted.
      return fillFromCheckout(await (await import('./local.js')).fetchLocal(spec), async () => [], context);
    case 'bundle':
      return (await import('./bundle.js')).fetchBundle(spec, context);
    case 'catalogue':
      return (await import('./catalogue.js')).fetchFromCatalogue(spec, context);
    case 'npm':
      return (await import('./npm.js')).fetchNpm(spec, context);
    case 'pypi':
      return (await import('./pypi.js')).fetchPypi(spec, context);
    case 'crate':
      return (await import('./crate.js')).fetchCrate(spec, context);
    case 'go':
      return (await import('./go.js')).fetchGo(spec, context);
    case 'maven':
      return (await import('./maven.js')).fetchMaven(spec, context);
    case 'deb':
      return (await import('./deb.js')).fetchDeb(spec, context);
    case 'llms':
      return (await import('./llms.js')).fetchLlmsFile(spec, context);
    case 'archive':
      return (await import('./archive_source.js')).fetchArchive(spec, context);
    case 'man':
      return (await import('./man.js')).fetchMan(spec, context);
    case 'installed':
      return (await import('./installed.js')).fetchInstalled(spec, context);
  }
}
