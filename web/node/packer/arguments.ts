/** Translates a job into sheaf-pack's flags, which have the names of its options (packer/job/options.inc). */
import type { PackJob, Show } from './packer.js';

/** Flags of `pack` for what users see. */
export const SHOW_FLAGS: Readonly<Record<Show, readonly string[]>> = {
  all: [],
  progress: ['--brief'],
  failures: ['--quiet'],
  nothing: ['--quiet'],
};

/** Whether users see no progress, which is all that `watch` shows. Pure. */
export const isSilent = (show: Show): boolean => show === 'failures' || show === 'nothing';

/** The flag of an option: `--url-style` of `urlStyle`. Pure. */
export const flagOf = (option: string): string =>
  `--${option.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** The arguments after the verb: flags first, inputs last. Pure. */
export function packArguments({ inputs, ...options }: PackJob): string[] {
  const flags = Object.entries(options).flatMap(([name, value]: [string, unknown]) => {
    if (value === undefined || value === false) return [];
    if (value === true) return [flagOf(name)];
    return [value].flat().flatMap((each) => [flagOf(name), String(each)]);
  });
  return [...flags, '--', ...inputs];
}
