/**
 * The bundles of an element as one library, with part of them in scope. Elements of a page that name the same
 * sources share worker and bundles, but each has its own selection.
 */
import { withPlaces } from '../../client/copies.js';
import {
  Federated,
  Members,
  type BundleFailure,
  type FederatedAnswer,
  type FederatedSearchOptions,
  type MergedHit,
} from '../../client/federated.js';
import { SheafError } from '../../client/errors.js';
import type { LibraryInfo, Progress } from '../../client/types.js';
import type { ShownHit } from '../state/groups.js';
import { pageUrl } from '../state/links.js';
import { packedBaseOf, topPagesOf } from '../state/manifest.js';
import { openOne } from './open.js';
import { labelOf, type ScopeSource } from './sources.js';

interface Shared {
  members: Members;
  /** Those whose element the page still has. */
  watchers: Set<WeakRef<ScopedContext>>;
}

const shared = new Map<string, Shared>();

function membersOf(sources: readonly ScopeSource[]): Shared {
  const key = JSON.stringify(sources.map(({ src, encoder }) => [src, encoder]));
  let known = shared.get(key);
  if (known === undefined) {
    const watchers: Shared['watchers'] = new Set();
    const onProgress = (progress: Progress): void =>
      watchers.forEach((watcher) => watcher.deref()?.onProgress(progress));
    known = { watchers, members: new Members(sources, openOne(), { onProgress, deferEncoder: true }) };
    shared.set(key, known);
  }
  return known;
}

export interface ScopedContext {
  onProgress: (progress: Progress) => void;
  /** Sites whose list could not be read; every answer reports them. */
  unread: readonly BundleFailure[];
  onFailures: (failures: readonly BundleFailure[]) => void;
}

export class ScopedLibrary extends Federated {
  readonly #sources: readonly ScopeSource[];
  readonly #context: ScopedContext;

  constructor(sources: readonly ScopeSource[], chosen: readonly number[], context: ScopedContext) {
    const { members, watchers } = membersOf(sources);
    watchers.add(new WeakRef(context));
    super(sources, chosen, members);
    this.#sources = sources;
    this.#context = context;
  }

  override async search(query: string, options: FederatedSearchOptions = {}): Promise<FederatedAnswer> {
    const scope = this.chosen.map((bundle) => this.#sources[bundle] as ScopeSource);
    const answer = await super.search(query, options);
    const failures = [...answer.failures, ...this.#context.unread];
    this.#context.onFailures(failures);
    return { ...answer, failures, hits: answer.hits.map((hit) => this.#shown(hit, scope)) };
  }

  /** Its manifest has the top pages of what is searched and open, the best of each bundle first. */
  override get info(): LibraryInfo {
    const info = super.info;
    const pages = this.chosen.flatMap((bundle) =>
      topPagesOf(this.infoOf(bundle)).map(({ title, url }, rank) => ({
        title,
        url: this.#addressOf(url, bundle),
        rank,
      })),
    );
    const top_pages = pages.sort((a, b) => a.rank - b.rank);
    return { ...info, manifest: { ...info.manifest, top_pages } };
  }

  /** An unsafe address stays unchanged; links.ts refuses it. */
  #addressOf(url: string, bundle: number): string {
    const packedBase = packedBaseOf(this.infoOf(bundle));
    return pageUrl(url, { base: this.#sources[bundle]?.base, packedBase }, document.baseURI)?.href ?? url;
  }

  /** The hit with its own absolute address, and the label of its bundle. */
  #shown(hit: MergedHit, scope: readonly ScopeSource[]): MergedHit & ShownHit {
    const source = this.#sources[hit.bundle] as ScopeSource;
    const packedBase = packedBaseOf(this.infoOf(hit.bundle));
    const { base, language } = source;
    const moved = withPlaces(hit, ({ url }) => ({ url: this.#addressOf(url, hit.bundle) }));
    const label = labelOf(source, scope);
    const told = { ...(label === '' ? {} : { label }), ...(language === undefined ? {} : { lang: language }) };
    return { ...moved, base: base ?? packedBase, ...told };
  }
}

/** A site whose list did not arrive. */
export function unreadSite({ src, label }: ScopeSource, thrown: unknown): BundleFailure {
  const { origin, host } = new URL(src);
  const here = location.origin;
  // fetch reports a network failure or another origin's refusal only as a TypeError.
  const refused = origin !== here && thrown instanceof TypeError;
  const hint = refused ? `; ${origin} has to allow ${here} (CORS): Access-Control-Allow-Origin: ${here} (or *)` : '';
  const message = `${src} could not be read: ${String((thrown as Error).message)}${hint}.`;
  return { bundle: -1, label: label ?? host, error: new SheafError('NETWORK', message, { cause: thrown }) };
}
