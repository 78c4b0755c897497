/**
 * The preview beside the list of a wide dialog follows the choice; without one it shows the first hit, which Enter opens.
 *
 * Its code (views/preview.ts) and sheaf-text.wasm load with the first hit that a wide screen shows. The text is the hit's passage: its bytes
 * came with the hit, so none are fetched for it. Until the next passage is there, the one before stays.
 */
import type { Library, Passage } from '../../client/types.js';
import type { PreviewHost, PreviewPane } from '../host.js';
import type { ShownHit } from '../state/groups.js';
import { pageUrl, placeOf } from '../state/links.js';
import { languageOf, packedBaseOf } from '../state/manifest.js';

/** As in views/styles/columns.ts. */
const WIDE = '(min-width: 64rem)';

export class Preview {
  readonly #host: PreviewHost;
  readonly #load: () => Promise<PreviewPane>;
  #pane: PreviewPane | undefined;
  /** What is shown, or soon will be. */
  #shown = '';

  constructor(host: PreviewHost, load: () => Promise<PreviewPane>) {
    this.#host = host;
    this.#load = load;
  }

  /** Whether the dialog makes room for it, where it is wide enough. */
  get wanted(): boolean {
    return this.#host.mode === 'button' && this.#host.preview !== 'off';
  }

  /** What stands beside the list. */
  get element(): HTMLElement | undefined {
    return this.wanted && this.#host.state.groups.length > 0 ? this.#pane?.element : undefined;
  }

  /** After each drawing. */
  follow(): void {
    const { opened, state, active } = this.#host;
    const hits = state.groups.flatMap((group) => group.hits);
    const hit = this.wanted && opened && matchMedia(WIDE).matches ? hits[Math.max(0, active)] : undefined;
    const key = hit === undefined ? '' : `${hit.passage} ${state.stage} ${state.answered}`;
    if (key === this.#shown) return;
    this.#shown = key;
    if (hit !== undefined) void this.#show(hit, hits, key);
  }

  async #show(hit: ShownHit, hits: readonly ShownHit[], key: string): Promise<void> {
    const { library } = this.#host.search;
    if (library === undefined) return;
    const [pane, passage] = await Promise.all([
      this.#pane ?? this.#load().catch(() => undefined),
      passageOf(library, hit.passage).catch(() => undefined),
    ]);
    if (key !== this.#shown || pane === undefined) return;
    this.#pane = pane;
    if (passage === undefined) return pane.clear();
    const { strings } = this.#host.localised;
    if (!pane.element.isConnected) {
      this.#host.requestUpdate(); // draws it beside the list
      await this.#host.updateComplete;
    }
    const packedBase = hit.base ?? packedBaseOf(library.info);
    pane.show(
      {
        hit,
        hits,
        label: strings.preview,
        place: placeOf(hit),
        resolve: (url) => pageUrl(url, { base: hit.base ?? this.#host.base, packedBase }, document.baseURI),
        language: hit.lang ?? languageOf(library.info),
      },
      passage,
    );
  }
}

/** A page's own library may lack the call: then it throws here, where it is awaited. */
const passageOf = async (library: Library, id: number): Promise<Passage> => library.passage(id);
