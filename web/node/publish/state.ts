/**
 * The state file of a catalogue: what each bundle was made of. By it a build leaves alone what is unchanged, and goes on where
 * another one was killed.
 *
 * Idea: the first line is a whole state, each further line an entry that was made since. A build appends to it, so what it writes
 * follows from what it makes, not from the length of the list; its end writes the file anew, in one line.
 *
 *     {"format": 1, "entries": {KEY: ENTRY, …}, "index": {…}}
 *     [KEY, ENTRY]
 *
 * Invariants: an entry is on disk EVERY_MS after it was made. Half a line at the end, of a build that was killed, is passed over.
 */
import { constants } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { FileFacts } from '../../browser/catalogue/format.js';
import { CliError, EXIT } from '../base/exit.js';
import { writeAtomically } from '../base/files.js';
import type { PackageContent } from '../sources/source.js';
import type { Described } from './about.js';

/** One bundle of the state. */
export interface Entry {
  /** The line of the list that it came from. */
  text: string;
  identity: string;
  /** What else decides the bytes: versions of the packer and settings. */
  recipe: string;
  file: FileFacts;
  about: Described;
  source: string;
  commit: string;
  date: string;
  /** Of a package: where its pages come from. */
  content?: PackageContent | undefined;
  /** A better place for its text could not be read; from this time on it is tried again. */
  again?: string;
  /** Why the last try to make it anew failed. */
  failed?: string;
}

export interface State {
  format: 1;
  entries: Record<string, Entry>;
  /** Of the index: a hash of its pages, and its bundle. */
  index?: { pages: string; file: FileFacts };
}

const EVERY_MS = 5_000;

export class StateFile {
  /** As it was before this build. */
  readonly before: State;
  readonly #path: string;
  readonly #fail: (error: Error) => void;
  /** It is there, and ends with a whole line. */
  #isReady: boolean;
  #lines: string[] = [];
  #timer: NodeJS.Timeout | undefined;
  /** One at a time, so that an older state never follows a newer one. */
  #writing: Promise<void> = Promise.resolve();

  private constructor(path: string, fail: (error: Error) => void, before: State, isReady: boolean) {
    this.#path = path;
    this.#fail = fail;
    this.before = before;
    this.#isReady = isReady;
  }

  /** `fail` hears why entries could not be written meanwhile. */
  static async open(path: string, fail: (error: Error) => void): Promise<StateFile> {
    let text: string;
    try {
      text = await readFile(path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT')
        return new StateFile(path, fail, { format: 1, entries: {} }, false);
      throw new CliError(EXIT.FAILURE, `${resolve(path)} cannot be read: ${(error as Error).message}.`);
    }
    const [first = '', ...more] = text.split('\n');
    const state = parsed(first) as State | undefined;
    if (state?.format !== 1 || typeof state.entries !== 'object' || state.entries === null)
      throw new CliError(
        EXIT.FAILURE,
        `${resolve(path)} is not what sheaf publish build writes; remove it to fetch everything anew.`,
      );
    for (const [key, entry] of Object.entries(state.entries)) if (!isEntry(entry)) delete state.entries[key];
    if (!isIndex(state.index)) delete state.index;
    const isReady = more.pop() === '';
    for (const line of more) {
      const [key, entry] = (parsed(line) ?? []) as [string?, Entry?];
      if (typeof key !== 'string' || typeof entry !== 'object' || entry === null)
        return new StateFile(path, fail, state, false); // what a power cut left
      if (isEntry(entry)) state.entries[key] = entry;
    }
    return new StateFile(path, fail, state, isReady);
  }

  /** Takes what was made. */
  add(key: string, entry: Entry): void {
    this.#lines.push(JSON.stringify([key, entry]));
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#then(() => this.#append()).catch(this.#fail);
    }, EVERY_MS);
  }

  /** Writes the whole anew; entries that were added are what `state` says of them. */
  write(state: State): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#lines = [];
    return this.#then(() => this.#replace(state));
  }

  #then(work: () => Promise<void>): Promise<void> {
    this.#writing = this.#writing
      .catch(() => {}) // said to whoever began it
      .then(work)
      .catch((error: Error) => {
        throw new CliError(EXIT.FAILURE, `${resolve(this.#path)} cannot be written: ${error.message}.`);
      });
    return this.#writing;
  }

  async #append(): Promise<void> {
    const lines = this.#lines.map((line) => `${line}\n`).join('');
    this.#lines = [];
    if (!this.#isReady) await this.#replace(this.before);
    const file = await open(this.#path, constants.O_WRONLY | constants.O_APPEND);
    try {
      await file.appendFile(lines);
      await file.sync();
    } finally {
      await file.close();
    }
  }

  async #replace(state: State): Promise<void> {
    await writeAtomically(this.#path, `${JSON.stringify(state)}\n`, { mode: 0o600 });
    this.#isReady = true;
  }
}

/** Undefined: it is no JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const has = (value: unknown, type: 'string' | 'number', names: readonly string[]): boolean =>
  typeof value === 'object' &&
  value !== null &&
  names.every((name) => typeof (value as Record<string, unknown>)[name] === type);

const isFile = (file: unknown): boolean => has(file, 'string', ['sha256']) && has(file, 'number', ['bytes']);

/** Whether it has the members of one: another version may have written it, or somebody edited it. Else it is made anew. */
function isEntry(entry: unknown): boolean {
  const { file, about } = (entry ?? {}) as Partial<Entry>;
  const { words, headings } = (about ?? {}) as Partial<Described>;
  return (
    has(entry, 'string', ['text', 'identity', 'recipe', 'source', 'commit', 'date']) &&
    isFile(file) &&
    has(about, 'string', ['library', 'version', 'language', 'title', 'description', 'licence', 'space', 'vector']) &&
    has(about, 'number', ['pages', 'passages']) &&
    [words, headings].every((list) => Array.isArray(list) && list.every((each) => typeof each === 'string'))
  );
}

const isIndex = (index: unknown): boolean =>
  has(index, 'string', ['pages']) && isFile((index as NonNullable<State['index']>).file);
