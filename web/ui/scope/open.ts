/** How an element's several bundles are opened: in one worker. Pages opened as files have their own way (page/file_open.ts). */
import { sharedWorker, type OpenOne } from '../../client/federated.js';

export function openOne(): OpenOne {
  return sharedWorker(undefined);
}
