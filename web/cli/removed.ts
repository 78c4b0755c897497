/**
 * Removed names and their replacements: verbs and options of earlier versions, and verbs of OpenGround. A key is a verb, a verb and its part, or a verb and an option.
 */
import { usageError } from '../node/base/exit.js';

export const REMOVED: Readonly<Record<string, string>> = {
  'list-raw-libraries': 'sheaf list (Sheaf keeps no raw pages beside its bundles)',
  nuke: 'sheaf remove NAME -v VERSION, for each version',
  sources: 'sheaf list --sources',
  verify: 'sheaf inspect --verify',
  'query --rrf': 'sheaf eval --rrf, which measures what it does',
  'query --weight': 'sheaf query --mode, or sheaf eval --weight to measure',
  'query --no-prefix': 'sheaf query --exact',
  'query --no-typo': 'sheaf query --exact',
  'update --encoder': 'sheaf add NAME --encoder E',
  'eval --per-query': 'sheaf eval --json',
  'mcp --token': 'the variable SHEAF_MCP_TOKEN',
  'serve --token': 'the variable SHEAF_SERVE_TOKEN',
  'serve --name': 'sheaf site --name',
  'serve --version': 'sheaf site --version',
  'serve --base-url': 'sheaf site --base-url',
  'serve --url-style': 'sheaf site --url-style',
  'model ls': 'sheaf model list',
  'model rm': 'sheaf model remove',
  'model --endpoint': 'the variable HF_ENDPOINT',
  'model --offline': 'the variable SHEAF_OFFLINE=1',
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
