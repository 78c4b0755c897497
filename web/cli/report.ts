/** `sheaf report`: what the readers of a site search for, from the log of the server that kept their reports. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { oneLine, print, printJson, table } from '../node/base/terminal.js';
import { type AskedQuestion, ReportLog, type SearchReport } from '../node/site/report_log.js';
import { parseFlags } from './flags.js';

export const help = `Usage: sheaf report LOG… [--top N] [--json]

Prints what readers of a site made with sheaf site --report searched for: asked most, nothing found,
nothing chosen, chosen below the fifth. LOG is what a web server or a collector kept of their
reports, one a line; .gz is unpacked, - is the standard input.

      --top N           questions of each list, by default 20
      --json            print JSON, with all questions`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('report', {
    args,
    allowPositionals: true,
    options: { top: { type: 'string' }, json: { type: 'boolean' } },
  });
  if (positionals.length === 0) throw usageError('Name a log: sheaf report access.log. See: sheaf report --help');
  const top = Number(values.top ?? 20);
  if (!Number.isInteger(top) || top < 1 || top > 10_000)
    throw usageError(`--top takes a number from 1 to 10000, not '${oneLine(values.top ?? '')}'.`);
  const log = new ReportLog();
  for (const file of positionals) await read(file, log);
  const report = log.report();
  if (values.json) printJson(report);
  else show(report, top);
  return EXIT.OK;
}

async function read(file: string, log: ReportLog): Promise<void> {
  const bytes: Readable = file === '-' ? process.stdin : createReadStream(file);
  const text: Readable = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  const failed = new Promise<never>((_, reject) => {
    for (const each of [bytes, text]) each.once('error', reject);
  });
  const all = (async () => {
    for await (const line of createInterface({ input: text, crlfDelay: Infinity })) log.add(line);
  })();
  await Promise.race([all, failed]).catch((error: Error) => {
    throw new CliError(EXIT.NOT_FOUND, `${oneLine(file)} cannot be read: ${oneLine(error.message)}`);
  });
}

function show({ questions, empty, unanswered, deep, withoutWords, asked }: SearchReport, top: number): void {
  if (questions === 0) {
    print('No report is in the log. Reports come from sites made with sheaf site --report ADDRESS.');
    return;
  }
  const share = (count: number): string => `${((100 * count) / questions).toFixed(1)} %`;
  const rows: [string, string, string][] = [
    ['Questions', String(questions), ''],
    ['nothing found', String(empty), share(empty)],
    ['nothing chosen', String(unanswered), share(unanswered)],
    ['chosen below the fifth', String(deep), share(deep)],
  ];
  print(table(rows, new Set([1, 2])));
  if (withoutWords > 0) print(`\n${withoutWords} without their words: sheaf site --report-words asks for them.`);
  list('Asked most', 'asked', asked, top);
  list('Nothing found', 'empty', asked, top);
  list('Nothing chosen', 'unanswered', asked, top);
  list('Chosen below the fifth', 'deep', asked, top);
}

function list(
  title: string,
  by: 'asked' | 'empty' | 'unanswered' | 'deep',
  all: readonly AskedQuestion[],
  top: number,
): void {
  const found = all.filter((each) => each[by] > 0).sort((a, b) => b[by] - a[by]);
  if (found.length === 0) return;
  print(`\n${title}`);
  print(
    table(
      found.slice(0, top).map((each) => [String(each[by]), oneLine(each.words)]),
      new Set([0]),
    ),
  );
}
