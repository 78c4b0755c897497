/**
 * What the page's search offers to agents: two tools, which page_tools.ts is. Only where the browser hands tools to agents
 * (WebMCP's `document.modelContext`) is that loaded with the first element; elsewhere with the first call of `window.sheaf`.
 */
import type { AgentHost } from './host.js';

/** The elements of the page, in the order in which they came. */
const hosts = new Set<AgentHost>();
const load = (): Promise<typeof import('./page_tools.js')> => import('./page_tools.js');

/** `window.sheaf`, while the page has an element. */
const onPage = {
  search_docs: (input: unknown): Promise<unknown> => load().then((tools) => tools.searchDocs(hosts, input)),
  read_page: (input: unknown): Promise<unknown> => load().then((tools) => tools.readPage(hosts, input)),
};

const follow = (): void => {
  (globalThis as { sheaf?: unknown }).sheaf ??= onPage;
  if ('modelContext' in document) load().then(({ register }) => register(hosts), console.debug); // the code is gone, as after a deploy
};

/** Returns what ends it. */
export function offer(host: AgentHost): () => void {
  hosts.add(host);
  follow();
  return () => {
    hosts.delete(host);
    follow();
  };
}
