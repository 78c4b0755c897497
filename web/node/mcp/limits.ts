/**
 * What the token of a request lets tools do: the libraries that it names, and no change without the scope `write`.
 *
 * Invariant: a library that a token does not name is neither listed nor opened for it, whatever tool asks, because tools
 * reach libraries through the pool alone.
 */
import { SheafError } from '../../browser/client/errors.js';
import type { Library, LibraryInfo } from '../../browser/client/types.js';
import { asking } from '../operate/asking.js';
import { mayRead } from '../operate/identity.js';
import type { StoredBundle } from '../store/store.js';
import type { Pool, Tool } from './tool.js';
import type { Toolbox } from './toolbox.js';

/** The pool as the token of the current request sees it. */
export class LimitedPool implements Pool {
  readonly #pool: Pool;

  constructor(pool: Pool) {
    this.#pool = pool;
  }

  async list(): Promise<readonly StoredBundle[]> {
    const who = asking()?.who;
    const all = await this.#pool.list();
    return who?.libraries === undefined ? all : all.filter(({ library }) => mayRead(who, library));
  }

  async use<T>(bundle: StoredBundle, work: (library: Library) => Promise<T>): Promise<T> {
    this.#check(bundle);
    asking()?.libraries?.add(`${bundle.library}@${bundle.version}`);
    return this.#pool.use(bundle, work);
  }

  async info(bundle: StoredBundle): Promise<LibraryInfo | undefined> {
    this.#check(bundle);
    return this.#pool.info?.(bundle);
  }

  onChange(listener: () => void): () => void {
    return this.#pool.onChange(listener);
  }

  get memory(): Pool['memory'] {
    return this.#pool.memory;
  }

  close(): Promise<void> {
    return this.#pool.close();
  }

  #check({ library }: StoredBundle): void {
    const who = asking()?.who;
    if (who !== undefined && !mayRead(who, library))
      throw new SheafError('NOT_FOUND', `The token of ${who.name} does not reach ${library}.`);
  }
}

/** Why the token of the current request may not call a tool; undefined where it may. */
export function refusalOf(tool: Tool, toolbox: Toolbox): string | undefined {
  const who = asking()?.who;
  if (who === undefined) return undefined;
  if (!tool.annotations.readOnlyHint && !who.scopes.includes('write'))
    return `The token of ${who.name} may not call ${tool.name}: it lacks the scope 'write'. The server's operator can add it.`;
  if (who.libraries !== undefined && toolbox.isBeyondLibraries(tool))
    return `The token of ${who.name} may not call ${tool.name}: it is limited to some libraries, and this tool reaches more.`;
  return undefined;
}
