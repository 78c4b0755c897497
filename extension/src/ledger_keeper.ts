/** Where the ledger lies: in `storage.local`, which Chromium's offscreen document reaches through the background alone. */
import type { Ledger } from './types.js';

export interface LedgerKeeper {
  /** Undefined before the first write. Rejects where it cannot be read: an empty ledger has every file swept. */
  read(): Promise<Ledger | undefined>;
  write(ledger: Ledger): Promise<void>;
}

export type ToBackground = { to: 'background' } & ({ name: 'readLedger' } | { name: 'writeLedger'; ledger: Ledger });

type Answer = { ledger?: Ledger; error?: undefined } | { error: string };

const LEDGER = 'ledger';

export const ownKeeper: LedgerKeeper = {
  read: async () => (await chrome.storage.local.get(LEDGER))[LEDGER] as Ledger | undefined,
  write: (ledger) => chrome.storage.local.set({ [LEDGER]: ledger }),
};

/** The background's answer to a message of `keeperThrough`. */
export async function answerKeeper(message: ToBackground): Promise<Answer> {
  try {
    if (message.name === 'writeLedger') await ownKeeper.write(message.ledger);
    const ledger = message.name === 'readLedger' ? await ownKeeper.read() : undefined;
    return ledger === undefined ? {} : { ledger };
  } catch (error) {
    return { error: String(error) };
  }
}

/** `ask` sends a message to the background; it resolves with undefined where the background ends before it answers. */
export function keeperThrough(ask: (message: ToBackground) => Promise<unknown>): LedgerKeeper {
  const answerTo = async (message: ToBackground): Promise<Ledger | undefined> => {
    const answer = (await ask(message)) as Answer | undefined;
    if (answer === undefined) throw new Error('The background of the extension gave no answer.');
    if (answer.error !== undefined) throw new Error(answer.error);
    return answer.ledger;
  };
  return {
    read: () => answerTo({ to: 'background', name: 'readLedger' }),
    write: async (ledger) => void (await answerTo({ to: 'background', name: 'writeLedger', ledger })),
  };
}
