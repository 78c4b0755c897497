/** The verbs of `sheaf`. */
export interface Verb {
  /** Full help text. */
  help: string;
  run(args: string[]): Promise<number>;
}

/** Each verb is one file, loaded on use. */
export const VERBS: Record<string, { summary: string; load: () => Promise<Verb> }> = {
  query: { summary: 'search a library, or all', load: () => import('./query.js') },
  page: { summary: 'print one page', load: () => import('./page.js') },
  add: { summary: 'add a library: git, sitemap, folder, bundle, npm:, pypi:', load: () => import('./add.js') },
  update: { summary: 'fetch a library again and pack what changed', load: () => import('./update.js') },
  list: { summary: 'list the libraries in the store (also: ls)', load: () => import('./list.js') },
  remove: { summary: 'delete one version of a library (also: rm)', load: () => import('./remove.js') },
  sources: { summary: 'list the libraries that add knows by name', load: () => import('./sources.js') },
  pack: { summary: 'pack documentation into a bundle', load: () => import('./pack.js') },
  inspect: { summary: 'show what a bundle holds', load: () => import('./inspect.js') },
  verify: { summary: 'check every byte of a bundle', load: () => import('./verify.js') },
  export: { summary: 'write passages and vectors for other engines', load: () => import('./export.js') },
  catalogue: { summary: 'catalogues of ready bundles to take libraries from', load: () => import('./catalogue.js') },
  publish: { summary: 'make and sign a catalogue', load: () => import('./publish.js') },
  embed: { summary: 'embed passages for the packer, over pipes', load: () => import('./embed.js') },
  eval: { summary: 'measure relevance and latency with judged queries', load: () => import('./eval.js') },
  model: { summary: 'manage transformer encoders on this machine', load: () => import('./model.js') },
  config: { summary: 'show and change settings', load: () => import('./config_cmd.js') },
  stats: { summary: 'what the store holds and how often tools were called', load: () => import('./stats.js') },
  mcp: { summary: 'serve libraries to an agent (MCP)', load: () => import('./mcp.js') },
  'install-mcp': { summary: "tell an agent's client about the server", load: () => import('./install_mcp.js') },
  site: { summary: 'add search to a built site', load: () => import('./site.js') },
  serve: {
    summary: 'a site with its search while writing it; or searches over HTTP, for SearXNG',
    load: () => import('./serve.js'),
  },
  doctor: { summary: 'check what sheaf stands on, or a search at an address', load: () => import('./doctor.js') },
  completion: { summary: 'completion scripts for bash, zsh and fish', load: () => import('./completion.js') },
};

export const ALIASES: Record<string, string> = { ls: 'list', 'list-libraries': 'list', rm: 'remove' };
