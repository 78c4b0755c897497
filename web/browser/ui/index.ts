/**
 * `sheaf/ui`: defines the element `<sheaf-search>`. Importing it twice, or on a server, does no harm.
 * `sheaf/ui/headless` is the same search without an interface.
 */
import { SheafSearch } from './sheaf-search.js';

export * from './headless.js';
export type { HitContext, HitRenderer, SheafSearchMode } from './host.js';
export { SheafSearch, type SelectDetail } from './sheaf-search.js';
export { addStrings, loadStrings, stringsFor, type Forms, type Strings } from './words/strings.js';

const registry = globalThis.customElements as CustomElementRegistry | undefined;
if (registry !== undefined && registry.get('sheaf-search') === undefined) registry.define('sheaf-search', SheafSearch);
