/**
 * Recent searches, kept in this browser's localStorage and nowhere else. Storage may be missing,
 * full, forbidden or hold garbage: then the list is empty and search still works.
 */
const LONGEST = 120;

export class RecentSearches {
  constructor(
    private readonly key: string,
    /** How many are kept; 0 keeps and shows none. */
    private readonly limit: number,
  ) {}

  /** Newest first. */
  list(): string[] {
    if (this.limit <= 0) return [];
    try {
      const kept: unknown = JSON.parse(localStorage.getItem(this.key) ?? '[]');
      return Array.isArray(kept)
        ? kept.filter((entry): entry is string => typeof entry === 'string' && entry !== '').slice(0, this.limit)
        : [];
    } catch {
      return [];
    }
  }

  add(query: string): void {
    const entry = query.trim().slice(0, LONGEST);
    if (entry === '' || this.limit <= 0) return;
    this.#keep([entry, ...this.list().filter((other) => other !== entry)].slice(0, this.limit));
  }

  remove(query: string): void {
    this.#keep(this.list().filter((other) => other !== query));
  }

  clear(): void {
    this.#keep([]);
  }

  #keep(entries: string[]): void {
    try {
      if (entries.length === 0) localStorage.removeItem(this.key);
      else localStorage.setItem(this.key, JSON.stringify(entries));
    } catch {
      // Private windows and full storage: the list is a convenience.
    }
  }
}
