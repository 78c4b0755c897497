/** Chromium's offscreen document. It has no storage of its own, so the background keeps the ledger. */
import { Host, type LedgerKeeper } from './host.js';
import type { ToBackground } from './background.js';
import type { Ledger } from './types.js';

const ask = (message: ToBackground): Promise<unknown> => chrome.runtime.sendMessage(message);

const keeper: LedgerKeeper = {
  async read() {
    return ((await ask({ to: 'background', name: 'readLedger' })) as { ledger?: Ledger } | undefined)?.ledger;
  },
  async write(ledger) {
    const answer = (await ask({ to: 'background', name: 'writeLedger', ledger })) as { error?: string } | undefined;
    if (answer?.error !== undefined) throw new Error(answer.error);
  },
};

new Host(keeper).start();
