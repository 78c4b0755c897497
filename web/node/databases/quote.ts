/** Text on its way into databases' languages. Pure. */

/** A string literal of standard SQL, also of DataFusion's (LanceDB). */
export function sqlText(text: string): string {
  return `'${withoutNul(text).replaceAll("'", "''")}'`;
}

/** A field of PostgreSQL's COPY in text format. */
export function copyField(text: string | undefined): string {
  if (text === undefined) return '\\N';
  return withoutNul(text).replace(/[\\\n\r\t]/g, (c) => COPY_ESCAPES[c] as string);
}

const COPY_ESCAPES: Record<string, string> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** A text[] as PostgreSQL writes one. */
export function arrayText(items: readonly string[]): string {
  return `{${items.map((item) => `"${withoutNul(item).replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

/** A lexeme of a tsvector or tsquery. */
export function lexeme(text: string): string {
  return `'${withoutNul(text).replace(/['\\]/g, '$&$&')}'`;
}

/** A tsvector of words between spaces, each as often as it stands there. */
export function tsvectorText(words: string): string {
  const counts = new Map<string, number>();
  for (const word of words.split(' ')) if (word !== '') counts.set(word, (counts.get(word) ?? 0) + 1);
  return Array.from(
    counts,
    ([word, count]) => `${lexeme(word)}:${Array.from({ length: count }, (_, i) => i + 1).join(',')}`,
  ).join(' ');
}

/** A vector as pgvector and JSON write one: six decimals, which no comparison of rounded rows can tell from more. */
export function vectorText(vector: ArrayLike<number>): string {
  return `[${vectorNumbers(vector).join(',')}]`;
}

export function vectorNumbers(vector: ArrayLike<number>): number[] {
  return Array.from(vector, (v) => Math.round(v * 1e6) / 1e6 + 0);
}

/** PostgreSQL's texts hold no NUL; and lone surrogates are no text anywhere. */
export function withoutNul(text: string): string {
  return text.replace(/\0|\p{Surrogate}/gu, '\ufffd');
}
