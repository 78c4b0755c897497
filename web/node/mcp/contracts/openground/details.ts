/**
 * What a list of libraries says of each version when asked for more than names: pages, source, date, description,
 * and whether all of it is a README.
 *
 * Cost: opening each bundle once, and again when its file changed.
 */
import { stat } from 'node:fs/promises';
import type { Library } from '../../../../browser/client/types.js';
import { otherLanguage } from '../../../store/other_language.js';
import type { StoredBundle } from '../../../store/store.js';
import { oneLine } from '../../../base/terminal.js';
import { visible } from '../../quote.js';
import type { Environment, JsonObject, Pool } from '../../tool.js';

const MAX_DESCRIPTION = 160;

export interface Details extends JsonObject {
  version: string;
  pages?: number;
  source?: string;
  /** When the bundle was written, YYYY-MM-DD. */
  date?: string;
  description?: string;
  /** Of the pages, where it is not English. */
  language?: string;
  /** What pages can be filtered by: keys, each with its values. */
  filters?: Record<string, string[]>;
  readme_only?: true;
  error?: string;
}

export class DetailsList {
  readonly #pool: Pool;
  readonly #originOf: NonNullable<Environment['originOf']>;
  readonly #known = new Map<string, { stamp: number; details: Details }>();

  constructor({ pool, originOf = async () => undefined }: Pick<Environment, 'pool' | 'originOf'>) {
    this.#pool = pool;
    this.#originOf = originOf;
  }

  async of(bundle: StoredBundle): Promise<Details> {
    const { path, version } = bundle;
    const stamp = (await stat(path).catch(() => undefined))?.mtimeMs ?? 0;
    const known = this.#known.get(path);
    if (known?.stamp === stamp) return known.details;
    const details = await this.#read(bundle, stamp).catch(
      (error: unknown): Details => ({
        version,
        error: oneLine(error instanceof Error ? error.message : String(error)),
      }),
    );
    if (this.#known.size > 1000) this.#known.clear();
    this.#known.set(path, { stamp, details });
    return details;
  }

  async #read(bundle: StoredBundle, stamp: number): Promise<Details> {
    const source = await this.#originOf(bundle);
    return this.#pool.use(bundle, async (library) => {
      const description = await describe(library);
      const language = otherLanguage(library.info);
      const filters = await filtersOf(library);
      return {
        version: bundle.version,
        pages: library.info.pages,
        ...(source === undefined ? {} : { source: oneLine(source) }),
        ...(stamp === 0 ? {} : { date: new Date(stamp).toISOString().slice(0, 10) }), // rows of a database have none
        ...(description === '' ? {} : { description }),
        ...(language === undefined ? {} : { language }),
        ...(Object.keys(filters).length === 0 ? {} : { filters }),
        ...((await isReadme(library)) ? { readme_only: true as const } : {}),
      };
    });
  }
}

/** One page, which is a README: a package's, whose documentation lies elsewhere. */
export async function isReadme(library: Library): Promise<boolean> {
  return library.info.pages === 1 && /(^|\/)readme(\.[a-z]+)?$/i.test((await library.page(0)).source);
}

const MOST_FILTERS = 10;

/** The first keys and values, as arguments take them. */
async function filtersOf(library: Library): Promise<Record<string, string[]>> {
  const { filters } = await library.facets();
  return Object.fromEntries(
    filters
      .slice(0, MOST_FILTERS)
      .map(({ key, values }) => [key, values.slice(0, MOST_FILTERS).map(({ value }) => value)]),
  );
}

/** What the first page says of itself, or its first sentence. */
async function describe(library: Library): Promise<string> {
  if (library.info.pages === 0) return '';
  const { description, text, title } = await library.page(0);
  const prose = text.split(/\n{2,}/).find((block) => /^[\p{L}\p{N}*_`"'(]/u.test(block) && /\s\S+\s/.test(block));
  const line = oneLine(visible(description || prose || title).replace(/\s+/g, ' ')).trim();
  return line.length > MAX_DESCRIPTION ? `${line.slice(0, MAX_DESCRIPTION)}…` : line;
}
