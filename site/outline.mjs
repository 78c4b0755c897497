/** The order of the site's pages: what people have, in the order of README, then what they look up. Pages are files of docs/. */
export const GUIDES = [
  {
    text: 'A site',
    link: 'site',
    details: 'Search for any built site: one command after the build, files on a static host.',
    command: 'npx sheaf site public --inject',
    pages: ['site', 'adapters', 'action', 'ui', 'attributes', 'rules', 'loading'],
  },
  {
    text: 'An agent',
    link: 'agents',
    details: 'The documentation of the versions that a project uses, for Claude Code, Cursor, Codex and more.',
    command: 'npx sheaf add vue && npx sheaf install-mcp --cursor',
    pages: ['agents', 'cli', 'catalogue', 'registries', 'searxng'],
  },
  {
    text: 'The extension',
    link: 'extension',
    details: 'Libraries in the browser, searched without network.',
    command: 'npm run build && npm run extension',
    pages: ['extension'],
  },
  {
    text: 'A program',
    link: 'javascript',
    details: 'The same search in JavaScript, in the browser and in Node, and in Python.',
    command: "import { open } from 'sheaf'",
    pages: ['javascript', 'python', 'packing', 'documents', 'languages', 'encoders'],
  },
  {
    text: 'A team',
    link: 'scale',
    details: 'A server with tokens and metrics, catalogues of thousands of libraries made on a cluster, and databases.',
    command: 'npx sheaf publish build list.txt -o public',
    pages: ['operators', 'scale', 'databases'],
  },
];

/** Beside the pages that scripts/docs.mjs makes from the code (reference/). */
export const INSIDE = [
  { text: 'Formats', pages: ['format', 'analysis', 'search', 'embedding-protocol', 'versions'] },
  {
    text: 'The project',
    pages: [
      'how-good',
      'architecture',
      'security',
      'benchmarks',
      'testing',
      'building',
      'hosts',
      'dependencies',
      'releasing',
    ],
  },
];
