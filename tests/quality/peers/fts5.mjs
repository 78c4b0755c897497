/**
 * SQLite's full-text search, by Python's module sqlite3: FTS5 with the Porter stemmer, titles weighed four times and headings twice,
 * the words of a query joined by OR, since AND finds nothing for most questions. Node 20 has no SQLite of its own.
 */
import { spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { DEPTH, recordsOf } from './records.mjs';

const PROGRAM = `
import json, re, sqlite3, sys
db = sqlite3.connect(":memory:")
db.execute("create virtual table pages using fts5(title, headings, text, tokenize = 'porter unicode61')")
for line in sys.stdin:
    given = json.loads(line)
    if "query" not in given:
        db.execute("insert into pages(rowid, title, headings, text) values (?, ?, ?, ?)", (given["page"] + 1, given["title"], given["headings"], given["text"]))
        continue
    words = " OR ".join('"%s"' % word for word in re.findall(r"\\w+", given["query"]))
    rows = db.execute("select rowid from pages where pages match ? order by bm25(pages, 4, 2, 1) limit ${DEPTH}", (words,)) if words else []
    print(json.dumps([row[0] - 1 for row in rows]), flush=True)
`;

/** Why it cannot be asked here; '' where it can. */
export function whyNoFts5() {
  const check = 'import sqlite3; sqlite3.connect(":memory:").execute("create virtual table t using fts5(a)")';
  return spawnSync('python3', ['-c', check]).status === 0 ? '' : 'python3 with FTS5 in its sqlite3 is missing';
}

export const sqliteVersion = () =>
  spawnSync('python3', ['-c', 'import sqlite3; print(sqlite3.sqlite_version)'], { encoding: 'utf8' }).stdout.trim();

export async function fts5(_, collection) {
  const python = spawn('python3', ['-c', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]();
  for (const record of recordsOf(collection, 'page')) python.stdin.write(`${JSON.stringify(record)}\n`);
  const rank = async ({ query }) => {
    python.stdin.write(`${JSON.stringify({ query })}\n`);
    const { value, done } = await answers.next();
    if (done) throw new Error(`SQLite gave no answer to: ${query}`);
    return JSON.parse(value);
  };
  const setting = 'bm25, Porter stemmer, title 4, headings 2, words joined by OR';
  const close = () => new Promise((resolve) => python.once('close', resolve) && python.stdin.end());
  return { engines: [{ engine: 'SQLite FTS5', setting, records: 'page', rank }], close };
}
