/** Background initialisation, so that the first call need not wait for it. Its log lines are a contract. */
import { SheafError } from '../../../../browser/client/errors.js';
import type { Environment } from '../../tool.js';

const WARM_UP_TEXT = 'warm up';

/** Lists the store and embeds one text, which loads the core and the encoder table. Never throws. */
export async function warmUp({ pool, log }: Environment): Promise<void> {
  const begun = performance.now();
  log('info', 'Background initialization started...');
  try {
    await openOne();
    const seconds = (performance.now() - begun) / 1000;
    log('info', `Background initialization complete (took ${seconds.toFixed(2)}s). Server is fully ready.`);
  } catch (error) {
    if (error instanceof SheafError && error.code === 'CLOSED') return; // the server ended meanwhile
    log('error', `Background initialization failed: ${error instanceof Error ? error.message : String(error)}`);
  }

  /** The first bundle that opens. Logs a bundle that does not open and goes on. */
  async function openOne(): Promise<void> {
    const bundles = await pool.list();
    let failure: unknown;
    for (const bundle of bundles.slice(0, 3)) {
      try {
        await pool.use<unknown>(bundle, (library) =>
          library.info.semantic ? library.embed(WARM_UP_TEXT) : library.search(WARM_UP_TEXT, { topK: 1 }),
        );
        return;
      } catch (error) {
        failure = error;
        if (error instanceof SheafError && error.code === 'CLOSED') break;
        log('warn', error instanceof Error ? error.message : String(error));
      }
    }
    if (failure !== undefined) throw failure;
  }
}
