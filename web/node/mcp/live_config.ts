/** The user's configuration, kept in step with its file: an edit counts from the next call on. */
import { stat } from 'node:fs/promises';
import type { Log } from './tool.js';

interface ConfigFile {
  readonly path: string;
  get(key: string): unknown;
}

const LOOK_MS = 1_000;

export class LiveConfig {
  readonly #log: Log;
  readonly #load: () => Promise<ConfigFile>;
  #file: ConfigFile | undefined;
  #stamp = '';
  #lookedAt = -Infinity;
  #complaint = '';

  constructor(log: Log, load: () => Promise<ConfigFile> = () => loadUserConfig(log)) {
    this.#log = log;
    this.#load = load;
  }

  /** Undefined until the first `refresh`, and while the file cannot be read: callers have defaults. */
  get(key: string): unknown {
    return this.#file?.get(key);
  }

  /** Reads the file where it has changed; looks at most once a second. Never throws: what worked before stays. */
  async refresh(): Promise<void> {
    const now = performance.now();
    if (now - this.#lookedAt < LOOK_MS) return;
    this.#lookedAt = now;
    try {
      const stamp = this.#file === undefined ? '' : await stampOf(this.#file.path);
      if (this.#file !== undefined && stamp === this.#stamp) return;
      this.#file = await this.#load();
      this.#stamp = await stampOf(this.#file.path);
      this.#complaint = '';
    } catch (error) {
      const complaint = error instanceof Error ? error.message : String(error);
      if (complaint !== this.#complaint) this.#log('warn', complaint);
      this.#complaint = complaint;
    }
  }
}

async function stampOf(path: string): Promise<string> {
  const stats = await stat(path).catch(() => undefined);
  return stats === undefined ? 'absent' : `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
}

async function loadUserConfig(log: Log): Promise<ConfigFile> {
  const { loadConfig } = await import('../store/config.js');
  return loadConfig(process.env, (text) => log('info', text));
}

/** Counts tool calls in the user's statistics. A failure there is nobody's business but the log's. */
export function countCalls(log: Log): (tool: string) => void {
  return (tool) => {
    import('../store/stats_file.js')
      .then(({ bump }) => bump(tool))
      .catch((error: unknown) => log('debug', `stats: ${String(error)}`));
  };
}
