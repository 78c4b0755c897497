/** How users name a query encoder: on the command line and in the configuration. */
import { PRECISIONS, type Precision } from '../../browser/encoder/descriptor.js';
import { usageError } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';

/** What --encoder names: a table (undefined: the default one), no encoder, or a transformer. */
export type EncoderChoice =
  | { kind: 'table'; table?: string }
  | { kind: 'none' }
  | { kind: 'model'; name: string; precision?: Precision };

/** Pure. Any value that is not a keyword, a URL or the name of a bundle file is taken as a model. */
export function parseEncoder(value: string | undefined): EncoderChoice {
  if (value === undefined || value === 'static') return { kind: 'table' };
  if (value === 'none') return { kind: 'none' };
  if (/^(https?|file):\/\//i.test(value) || value.endsWith('.sheaf')) return { kind: 'table', table: value };
  const [, name = value, precision] = /^(.+):([a-z0-9]+)$/.exec(value) ?? [];
  if (precision === undefined) return { kind: 'model', name };
  if (!PRECISIONS.includes(precision as Precision))
    throw usageError(`--encoder ${oneLine(value)}: the precision must be ${PRECISIONS.join(' or ')}.`);
  return { kind: 'model', name, precision: precision as Precision };
}
