/**
 * Reads the packers' answers. Those of sheaf-pack are JSON on stdout: one after `pack`, one line per round of `watch`;
 * those of the module arrive parsed.
 */
import { counted, oneLine } from '../base/terminal.js';
import {
  PackFailure,
  type FileRemark,
  type LeftOut,
  type PackReport,
  type RoundReport,
  type Unread,
} from './packer.js';

/** Exit codes of `sheaf-pack pack` that leave a bundle: 0, all files packed; 3, some files failed. */
export const WRITTEN: ReadonlySet<number | NodeJS.Signals> = new Set([0, 3]);

/** How a process ended: its exit code, or the signal that ended it. */
export type Ending = number | NodeJS.Signals;

export interface Answer extends Partial<RoundReport> {
  ok: boolean;
  error?: { code?: string; message?: string };
}

/** Undefined: it is no list of files. */
export function unreadFiles(stdout: string): Unread | undefined {
  const answer = parseAnswer(stdout) as (Answer & Partial<Unread>) | undefined;
  const { ok, root, includesFrom, files } = answer ?? {};
  return ok === true && root !== undefined && includesFrom !== undefined && files !== undefined
    ? { root, includesFrom, files }
    : undefined;
}

/** Error: PackFailure, with the packer's own message if it gave one. */
export function packReport(stdout: string, stderr: string, ending: Ending): PackReport {
  const answer = parseAnswer(stdout);
  if (!WRITTEN.has(ending) || !isReport(answer)) throw failure(answer, stderr.trim() || endedWith(ending));
  return complete(answer);
}

/** Undefined: there are no pages. Error: PackFailure. */
export function roundReport(answer: Answer | undefined): RoundReport | undefined {
  if (answer?.error?.code === 'NOT_FOUND') return undefined;
  if (!isReport(answer)) throw failure(answer, 'sheaf-pack gave an answer that cannot be read');
  const report = complete(answer) as RoundReport;
  return { ...report, inPart: report.inPart ?? [] };
}

/** `left out: Doxygen's sources (1,204 pages), error pages (1 page)`; undefined where nothing is. */
export function leftOutLine({ leftOut = [] }: Pick<PackReport, 'leftOut'>): string | undefined {
  if (leftOut.length === 0) return undefined;
  return `left out: ${leftOut.map(({ kind, files }) => `${oneLine(kind)} (${counted(files, 'page')})`).join(', ')}`;
}

/** The counts of several reports as one. */
export function joinedLeftOut(reports: readonly Pick<PackReport, 'leftOut'>[]): LeftOut[] {
  const kinds = new Map<string, LeftOut>();
  for (const one of reports.flatMap(({ leftOut = [] }) => leftOut)) {
    const known = kinds.get(one.kind);
    kinds.set(one.kind, known === undefined ? one : { ...known, files: known.files + one.files });
  }
  return [...kinds.values()];
}

export function endedWith(ending: Ending): string {
  return typeof ending === 'number' ? `sheaf-pack ended with ${ending}` : `sheaf-pack was ended by ${ending}`;
}

/** Undefined: it is not JSON. */
export function parseAnswer(text: string): Answer | undefined {
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return undefined;
  }
}

type Counted = Answer & Pick<PackReport, 'pages' | 'passages'>;

function isReport(answer: Answer | undefined): answer is Counted {
  return answer?.ok === true && typeof answer.pages === 'number' && typeof answer.passages === 'number';
}

function complete(answer: Counted): Counted & PackReport {
  return { ...answer, skipped: answer.skipped ?? [], notes: answer.notes ?? [] };
}

function failure(answer: Answer | undefined, otherwise: string): PackFailure {
  const { error, notes } = answer ?? ({} as Partial<Answer>);
  return new PackFailure(error?.message ?? otherwise, { code: error?.code, notes: notes as FileRemark[] | undefined });
}
