/** How an element's several bundles are opened: in one worker, unless the page opens them its own way. */
import { sharedWorker, type OpenOne } from '../../client/federated.js';
import { opener } from '../open.js';

export function openOne(): OpenOne {
  return opener ?? sharedWorker(undefined);
}
