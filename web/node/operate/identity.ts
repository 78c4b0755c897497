/** Who asks, by their token, and what they may. */

/** `read`: search and read. `write`: tools that change something. `metrics`: read /metrics. */
export const SCOPES = ['read', 'write', 'metrics'] as const;
export type Scope = (typeof SCOPES)[number];

/** What a token may. */
export interface Grant {
  scopes: readonly Scope[];
  /** Names of libraries, or beginnings of names that end in `*`; by default all. */
  libraries?: readonly string[];
  /** Requests a minute; by default any number. */
  perMinute?: number;
}

export interface Identity extends Grant {
  name: string;
  /** The issuer's token names them; there may be any number. */
  isSigned?: true;
}

/** Whether a grant reaches a library. Pure. */
export function mayRead({ libraries }: Pick<Grant, 'libraries'>, library: string): boolean {
  return (
    libraries === undefined ||
    libraries.some((each) => (each.endsWith('*') ? library.startsWith(each.slice(0, -1)) : library === each))
  );
}
