/**
 * Questions with the pages that should answer them, and what a search is worth by them. A line is
 * `question => page, page`, or a line of JSON as `sheaf eval` reads it.
 */
import { ndcgAt } from '../client/ndcg.js';

export interface Question {
  question: string;
  /** Paths or addresses. */
  pages: string[];
}

/** What one question shows. */
export interface Worth {
  /** Rank of the first right page, from 1; undefined: none among the first ten. */
  first: number | undefined;
  /** nDCG of the first ten, 0 to 1. */
  ndcg: number;
}

export const DEPTH = 10;

/** Lines without a page are left out. Pure. */
export function readQuestions(text: string): Question[] {
  return text.split(/\r?\n/).flatMap((line) => {
    const { question, pages } = line.trimStart().startsWith('{') ? ofJson(line) : ofLine(line);
    return question === '' || pages.length === 0 ? [] : [{ question, pages }];
  });
}

function ofLine(line: string): Question {
  const at = line.indexOf('=>');
  if (at < 0) return { question: '', pages: [] };
  const pages = line.slice(at + 2).split(',');
  return { question: line.slice(0, at).trim(), pages: pages.map((each) => each.trim()).filter((each) => each !== '') };
}

function ofJson(line: string): Question {
  try {
    const { query, relevant } = JSON.parse(line) as { query?: unknown; relevant?: unknown };
    if (typeof query === 'string' && Array.isArray(relevant))
      return { question: query.trim(), pages: relevant.filter((each) => typeof each === 'string') };
  } catch {
    // Half a line, while it is typed.
  }
  return { question: '', pages: [] };
}

/** For `sheaf eval`. Pure. */
export function writeQuestions(questions: readonly Question[]): string {
  return questions
    .map(({ question, pages }, at) => `${JSON.stringify({ id: String(at + 1), query: question, relevant: pages })}\n`)
    .join('');
}

/** One name of a page, whether it is written as a file or as an address. Pure. */
export function pageKey(page: string): string {
  return page
    .replace(/^[a-z]+:\/\/[^/]+/i, '')
    .replace(/[?#].*$/s, '')
    .replace(/^\/+/, '')
    .replace(/(^|\/)index\.html?$/i, '$1')
    .replace(/\.html?$/i, '')
    .replace(/\/$/, '');
}

/** `hits`: for each, the names of its page. A page counts once, as in `sheaf eval`. Pure. */
export function worthOf(hits: readonly (readonly string[])[], pages: readonly string[]): Worth {
  const wanted = new Set(pages.map(pageKey));
  const keyOf = (names: readonly string[]): string => {
    const keys = names.map(pageKey);
    return keys.find((key) => wanted.has(key)) ?? keys[0] ?? '';
  };
  const ranked = [...new Set(hits.map(keyOf))].slice(0, DEPTH);
  const first = ranked.findIndex((page) => wanted.has(page));
  return { first: first < 0 ? undefined : first + 1, ndcg: ndcgAt(DEPTH, ranked, wanted) };
}
