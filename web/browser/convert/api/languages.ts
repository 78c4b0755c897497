/** Which files of a package are source to read, and which grammar reads them. All functions are pure. */
import { cpp } from './cpp.js';
import { ecma } from './ecma.js';
import { go } from './go.js';
import { java, kotlin } from './jvm.js';
import type { Reader } from './model.js';
import { python } from './python.js';
import { rust } from './rust.js';

export interface Language {
  /** For messages. */
  name: string;
  // biome-ignore lint/suspicious/noExplicitAny: each reader's plain data is its own
  reader: Reader<any>;
  /** Grammar by extension. */
  grammars: Readonly<Record<string, Grammar>>;
}

export type Grammar = 'python' | 'javascript' | 'typescript' | 'tsx' | 'rust' | 'go' | 'java' | 'kotlin' | 'cpp';

export const LANGUAGES: readonly Language[] = [
  { name: 'Python', reader: python, grammars: { '.py': 'python', '.pyi': 'python' } },
  {
    name: 'JavaScript and TypeScript',
    reader: ecma,
    // Tests of types, JSX and the like come last; declarations come first (see `wantedOf`).
    grammars: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'tsx',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascript',
    },
  },
  { name: 'Rust', reader: rust, grammars: { '.rs': 'rust' } },
  { name: 'Go', reader: go, grammars: { '.go': 'go' } },
  { name: 'Java', reader: java, grammars: { '.java': 'java' } },
  { name: 'Kotlin', reader: kotlin, grammars: { '.kt': 'kotlin' } },
  {
    name: 'C and C++',
    reader: cpp,
    grammars: { '.h': 'cpp', '.hh': 'cpp', '.hpp': 'cpp', '.hxx': 'cpp', '.h++': 'cpp', '.cppm': 'cpp' },
  },
];

const extensionOf = (path: string): string => /\.[a-z+]+$/i.exec(path)?.[0].toLowerCase() ?? '';

export function languageOf(path: string): { language: Language; grammar: Grammar } | undefined {
  const extension = extensionOf(path);
  for (const language of LANGUAGES) {
    const grammar = language.grammars[extension];
    if (grammar !== undefined) return { language, grammar };
  }
  return undefined;
}

const MANIFEST = /(?:^|\/)(?:package\.json|Cargo\.toml|go\.mod)$/;

/** Of a package, what says which modules are public. */
export const isManifest = (path: string): boolean => MANIFEST.test(path);

/** Folders and files that hold no API. */
const PASSED =
  /(?:^|\/)(?:tests?|__tests__|testdata|test[-_]data|spec|specs|benches|benchmarks?|examples?|samples?|demos?|fixtures|node_modules|_?vendor(?:ed)?(?:[-_][^/]*)?|third[-_]party|docs?|\.[^/]*)\/|(?:^|\/)(?:setup|conftest|noxfile|tasks|build)\.(?:py|rs)$|(?:^|\/)(?:test_[^/]*\.py|[^/]*_test\.(?:py|go)|[^/]*[.-](?:test|spec|min|bench|config)\.[cm]?[jt]sx?|module-info\.java)$/i;

/** Whether a file of a package may hold API: source or a manifest. For whoever takes files out of archives. */
export const isApiSource = (path: string): boolean =>
  (isManifest(path) || languageOf(path) !== undefined) && !PASSED.test(path);

/**
 * What is read of the source files: where a package has type declarations, of JavaScript and TypeScript these alone;
 * of JavaScript for two module systems, one.
 */
export function wantedOf(paths: readonly string[]): string[] {
  const isScript = (path: string): boolean => /\.[cm]?[jt]sx?$/i.test(path);
  const scripts = paths.filter(isScript);
  const typed = scripts.filter((path) => /\.d\.[cm]?ts$/i.test(path));
  const written = scripts.filter((path) => /(?<!\.d)\.[cm]?tsx?$/i.test(path));
  const chosen = typed.length > 0 ? typed : written.length > 0 ? written : scripts;
  const stems = new Set(
    chosen.filter((path) => /\.(?:ts|tsx|js)$/i.test(path)).map((path) => path.replace(/\.\w+$/, '')),
  );
  const own = new Set(
    chosen.filter((path) => !/\.[cm][jt]s$/i.test(path) || !stems.has(path.replace(/\.[cm]([jt]s)$/i, ''))),
  );
  return paths.filter((path) => !isScript(path) || own.has(path));
}
