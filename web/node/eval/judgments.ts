/**
 * Judged queries: one JSON object a line, `{"id", "query", "kind", "relevant"}`. `relevant` names the
 * pages that answer, by source path or URL; `kind` groups the report ("other" when absent). Blank
 * lines are skipped.
 */
import { usageError } from '../base/exit.js';

export interface JudgedQuery {
  line: number;
  id: string;
  query: string;
  kind: string;
  relevant: string[];
}

const MAX_COMPLAINTS = 20;

/** Parses the text of `name`. The error lists all malformed lines by number. Pure. */
export function parseJudgments(text: string, name: string): JudgedQuery[] {
  const queries: JudgedQuery[] = [];
  const complaints: string[] = [];
  text
    .replace(/^\ufeff/, '')
    .split('\n')
    .forEach((raw, index) => {
      if (raw.trim() === '') return;
      const line = index + 1;
      const result = parseLine(raw, line);
      if (typeof result === 'string') complaints.push(`${name}:${line}: ${result}`);
      else queries.push(result);
    });
  if (complaints.length > 0) {
    const more = complaints.length > MAX_COMPLAINTS ? [`… and ${complaints.length - MAX_COMPLAINTS} more`] : [];
    throw usageError(
      ['Some lines are not judged queries:', ...complaints.slice(0, MAX_COMPLAINTS), ...more].join('\n  '),
    );
  }
  if (queries.length === 0) throw usageError(`${name} holds no queries; expected one JSON object a line.`);
  return queries;
}

function parseLine(raw: string, line: number): JudgedQuery | string {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (error) {
    return `not JSON (${(error as Error).message})`;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 'expected a JSON object';
  const { id, query, kind, relevant } = value as Record<string, unknown>;
  if (typeof query !== 'string' || query.trim() === '') return '"query" must be a string that is not empty';
  if (kind !== undefined && typeof kind !== 'string') return '"kind" must be a string';
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number') return '"id" must be a string or a number';
  if (
    !Array.isArray(relevant) ||
    relevant.length === 0 ||
    !relevant.every((path) => typeof path === 'string' && path !== '')
  ) {
    return '"relevant" must be a list of at least one path or URL';
  }
  return { line, id: String(id ?? line), query, kind: kind ?? 'other', relevant: relevant as string[] };
}
