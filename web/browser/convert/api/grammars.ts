/**
 * Tree-sitter's runtime and grammars: packages that users install when they want them, and none of this one.
 *
 * A host says where they are (`Grammars`): Node finds the packages (web/node/convert/grammars.ts), a page names an address.
 */
import type { Grammar } from './languages.js';
import type { SyntaxNode } from './model.js';

/** Its runtime, and the grammars of all languages but Kotlin: 2 MB to download. */
const MAIN = '@vscode/tree-sitter-wasm';
const KOTLIN = '@tree-sitter-grammars/tree-sitter-kotlin';

/** Versions that were tried. */
export const GRAMMAR_PACKAGES = { [MAIN]: '0.3.1', [KOTLIN]: '1.1.0' } as const;
export type GrammarPackage = keyof typeof GRAMMAR_PACKAGES;

export const packageOf = (grammar: Grammar): GrammarPackage => (grammar === 'kotlin' ? KOTLIN : MAIN);

/** Below its package. */
export const fileOf = (grammar: Grammar): string =>
  grammar === 'kotlin' ? 'tree-sitter-kotlin.wasm' : `wasm/tree-sitter-${grammar}.wasm`;

export interface Grammars {
  /** A file of a package. Undefined: the package is not there. */
  file(name: GrammarPackage, path: string): Promise<Uint8Array | undefined>;
  /** The runtime's module, `wasm/tree-sitter.js` of MAIN. Undefined: it is not there. */
  runtime(): Promise<TreeSitter | undefined>;
  /** A clause that says how to install packages. */
  advice(names: readonly GrammarPackage[]): string;
}

/** What is used of web-tree-sitter. */
export interface TreeSitter {
  Parser: { init(options: { wasmBinary: Uint8Array }): Promise<void>; new (): SyntaxParser };
  Language: { load(bytes: Uint8Array): Promise<unknown> };
}

export interface SyntaxParser {
  setLanguage(language: unknown): void;
  /** Null: the callback ended it. */
  parse(
    text: string,
    old: null,
    options: { progressCallback(): boolean },
  ): { rootNode: SyntaxNode; delete(): void } | null;
  reset(): void;
  delete(): void;
}

let begun: Promise<void> | undefined;

/** Parsers by grammar, made once. */
export class Parsers {
  readonly #grammars: Grammars;
  readonly #made = new Map<Grammar, Promise<SyntaxParser | undefined>>();

  constructor(grammars: Grammars) {
    this.#grammars = grammars;
  }

  /** Undefined: its package is not there. Error: it is, but does not load. */
  of(grammar: Grammar): Promise<SyntaxParser | undefined> {
    const made = this.#made.get(grammar) ?? this.#make(grammar);
    this.#made.set(grammar, made);
    return made;
  }

  async #make(grammar: Grammar): Promise<SyntaxParser | undefined> {
    const runtime = await this.#grammars.runtime();
    const core = await this.#grammars.file(MAIN, 'wasm/tree-sitter.wasm');
    const bytes = await this.#grammars.file(packageOf(grammar), fileOf(grammar));
    if (runtime === undefined || core === undefined || bytes === undefined) return undefined;
    begun ??= runtime.Parser.init({ wasmBinary: core });
    await begun;
    const language = await runtime.Language.load(bytes);
    const parser = new runtime.Parser();
    parser.setLanguage(language);
    return parser;
  }

  async close(): Promise<void> {
    for (const each of this.#made.values()) (await each.catch(() => undefined))?.delete();
    this.#made.clear();
  }
}
