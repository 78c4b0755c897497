/**
 * Limits a list of sources that is not the user's own: it may name only paths inside the project that it came with, all
 * links resolved. For any other local path we ask the user, and refuse if nobody can answer: a stranger's list must not
 * choose which of the user's files end up in a bundle.
 */
import { describeSource, type SourceSpec } from './source.js';
import { placeOutside } from './local.js';
import { CliError, EXIT } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';
import { confirm, standardTerminal, type Terminal } from '../base/confirm.js';
import type { KnownSource } from './sources_file.js';

/** Error: the source lies outside of `within`. */
export async function stayWithin(spec: SourceSpec, within: string): Promise<void> {
  const outside = await placeOutside(spec, within);
  if (outside !== undefined)
    throw new CliError(
      EXIT.FAILURE,
      `${leadsOut(spec, outside, within)} If that is meant, name it yourself with --source.`,
    );
}

/**
 * The folder that a known source must stay in; undefined for no limit. Error: it leads out of that folder, and the
 * user refuses or cannot be asked (`yes`, or no terminal).
 */
export async function boundaryOf(
  known: KnownSource,
  yes: boolean,
  terminal: Terminal = standardTerminal(),
): Promise<string | undefined> {
  const { spec, project: within } = known;
  if (within === undefined) return undefined;
  const outside = yes || !terminal.input.isTTY ? undefined : await placeOutside(spec, within);
  if (outside === undefined) {
    await stayWithin(spec, within);
    return within;
  }
  if (await confirm(`${leadsOut(spec, outside, within)} Read it?`, false, undefined, terminal)) return undefined;
  throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
}

function leadsOut(spec: SourceSpec, outside: string, within: string): string {
  return `${oneLine(describeSource(spec))} leads to ${oneLine(outside)}, outside ${oneLine(within)}, and is named by a list of sources that is not your own.`;
}
