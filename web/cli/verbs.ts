/** The verbs of `sheaf`. */
export interface Verb {
  /** Usage and the common options. */
  help: string;
  /** Options that few need. */
  more?: string;
  run(args: string[]): Promise<number>;
}

/** Each verb is one file, loaded on use. */
export const VERBS: Record<string, () => Promise<Verb>> = {
  init: () => import('./init.js'),
  site: () => import('./site.js'),
  serve: () => import('./serve.js'),
  pack: () => import('./pack.js'),
  add: () => import('./add.js'),
  query: () => import('./query.js'),
  'install-mcp': () => import('./install_mcp.js'),
  list: () => import('./list.js'),
  page: () => import('./page.js'),
  update: () => import('./update.js'),
  remove: () => import('./remove.js'),
  catalogue: () => import('./catalogue.js'),
  inspect: () => import('./inspect.js'),
  export: () => import('./export.js'),
  eval: () => import('./eval.js'),
  publish: () => import('./publish.js'),
  mcp: () => import('./mcp.js'),
  token: () => import('./token.js'),
  doctor: () => import('./doctor.js'),
  config: () => import('./config_cmd.js'),
  model: () => import('./model.js'),
  stats: () => import('./stats.js'),
  report: () => import('./report.js'),
  completion: () => import('./completion.js'),
};

/** Verbs that sheaf calls itself. */
export const INTERNAL: Record<string, () => Promise<Verb>> = { embed: () => import('./embed.js') };

/** OpenGround's other names. */
export const ALIASES: Record<string, string> = { ls: 'list', 'list-libraries': 'list', rm: 'remove' };

/** One screen: 24 lines of 80 columns. */
export const HELP = `Usage: sheaf VERB [ARGUMENTS]     search documentation by words and by meaning

  sheaf init                 look what this folder holds, and set it up
  sheaf site DIR             add search to a built site
  sheaf serve DIR            show that site with its search while you write it
  sheaf pack DOCS            make a bundle of a folder of documentation
  sheaf add NAME             fetch the documentation of a library
  sheaf query "WORDS"        search the libraries that you added
  sheaf install-mcp --cursor give them to an agent; also --claude-code, …

Libraries  list  page  update  remove  catalogue
Bundles    inspect  export  eval  publish  report
Agents     mcp  token
Machine    doctor  config  model  stats  completion

  sheaf VERB --help          the common options of a verb
  sheaf help VERB            all of its options
  sheaf --version

Results go to stdout, all else to stderr. Exit codes: 0 done, 1 failure,
2 wrong usage, 3 no usable bundle, 4 not found, 5 no packer (docs/cli.md).`;
