/**
 * Names that the command does not have, and what does their work: verbs and options of earlier versions, and verbs of
 * OpenGround. A key is a verb, a verb and its part, or a verb and an option.
 */
import { usageError } from '../node/base/exit.js';

const REMOVED: Readonly<Record<string, string>> = {
  'list-raw-libraries': 'sheaf list (Sheaf keeps no raw pages beside its bundles)',
  nuke: 'sheaf remove NAME -v VERSION, for each version',
  'catalogue build': 'sheaf publish build',
  'catalogue keygen': 'sheaf publish keygen',
  'catalogue sign': 'sheaf publish sign',
  'catalogue rotate': 'sheaf publish rotate',
  'catalogue worker': 'sheaf publish worker',
};

/** Error: `name` is one of these. Another name does nothing. */
export function refuseRemoved(...name: readonly string[]): void {
  const text = name.join(' ');
  if (Object.hasOwn(REMOVED, text)) throw usageError(`There is no 'sheaf ${text}'. Use instead: ${REMOVED[text]}`);
}
