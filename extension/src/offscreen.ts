/** Chromium's offscreen document. It has no storage of its own, so the background keeps the ledger. */
import { Host } from './host.js';
import { keeperThrough } from './ledger_keeper.js';

new Host(keeperThrough((message) => chrome.runtime.sendMessage(message))).start();
