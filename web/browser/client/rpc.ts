/**
 * Calls between two threads over one port, in both directions. A page's library and encoder talk to their workers so.
 *
 * Each end says by a type which methods it has, and calls the other's. Arguments and results are copied as
 * postMessage copies them. A Float32Array that answers a call is handed over instead: vectors are made for their
 * caller. Errors keep code, name and status. An abort of the caller's signal aborts the method's.
 *
 * Invariants
 *  1. Messages keep their order: what a method sends before its answer arrives before the answer.
 *  2. After `end`, and after the other thread died, every pending call and every later one rejects. Further messages
 *     are ignored.
 *
 * Cost: one message per call and one per answer.
 */
import { abortError, asSheafError, fromPlainError, throwIfAborted, toPlainError } from './errors.js';
import type { PlainError, SheafError } from './errors.js';

/** A MessagePort, a Worker, or a worker's own global scope. */
export interface Port {
  postMessage(message: unknown, transfer?: Transferable[]): void;
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void;
}

type Method = (...args: never[]) => unknown;
type AnyMethod = (...args: unknown[]) => unknown;

/** An end's implementation of `Own`: each method gets the call's signal as an extra last argument. */
export type Methods<Own> = {
  [Name in keyof Own]: Own[Name] extends (...args: infer Args) => infer Value
    ? (...args: [...Args, signal: AbortSignal]) => Value | Promise<Value>
    : never;
};

/** What the end that started a thread knows about it. */
export interface OtherThread {
  /** Called once, when the calls end. */
  end(): void;
  /** The error of all calls when it died. */
  died(detail: string): SheafError;
}

type Message =
  | { type: 'ready' }
  | { type: 'tell'; name: string; args: unknown[] }
  | { type: 'call'; id: number; name: string; args: unknown[] }
  | { type: 'abort'; id: number }
  | { type: 'answer'; id: number; value: unknown }
  | { type: 'answer'; id: number; error: PlainError };

interface Pending {
  resolve: (value: never) => void;
  reject: (error: SheafError) => void;
}

/** One end. `Theirs` are the other end's methods, `Own` are this one's. */
export class Peer<Theirs extends { [Name in keyof Theirs]: Method }, Own> {
  readonly #port: Port;
  readonly #own: Record<string, AnyMethod>;
  readonly #thread: OtherThread | undefined;
  /** This end's calls that have no answer yet. */
  readonly #pending = new Map<number, Pending>();
  /** The other end's calls that are running here. */
  readonly #running = new Map<number, AbortController>();
  #nextId = 0;
  #ended: SheafError | undefined;

  /** `thread` is for the end that started the other. */
  constructor(port: Port, own: Methods<Own>, thread?: OtherThread) {
    this.#port = port;
    this.#own = own as unknown as Record<string, AnyMethod>;
    this.#thread = thread;
    port.addEventListener('message', (event) => this.#receive(event.data as Message));
    if (thread === undefined) return;
    const died = (event: Event): void => this.end(thread.died((event as ErrorEvent).message || event.type));
    // A MessagePort has no such events; a Worker has.
    const events = port as unknown as EventTarget;
    events.addEventListener('error', died);
    events.addEventListener('messageerror', died);
  }

  /** Announces that this end listens; startWorker waits for this. */
  ready(): void {
    this.#send({ type: 'ready' });
  }

  /** Rejects with the method's error, ABORTED, INVALID_ARGUMENT (arguments that cannot be copied), or the end's reason. */
  async call<Name extends keyof Theirs & string>(
    name: Name,
    args: Parameters<Theirs[Name]>,
    signal?: AbortSignal,
    transfer?: Transferable[],
  ): Promise<ReturnType<Theirs[Name]>> {
    if (this.#ended !== undefined) throw this.#ended;
    throwIfAborted(signal);
    const id = this.#nextId++;
    let onAbort: (() => void) | undefined;
    try {
      return await new Promise((resolve, reject) => {
        this.#pending.set(id, { resolve, reject });
        onAbort = () => {
          this.#send({ type: 'abort', id });
          reject(abortError(signal as AbortSignal));
        };
        signal?.addEventListener('abort', onAbort, { once: true });
        this.#send({ type: 'call', id, name, args }, transfer);
      });
    } catch (error) {
      throw asSheafError(error, 'INVALID_ARGUMENT', 'The arguments could not be sent to the worker');
    } finally {
      this.#pending.delete(id);
      if (onAbort !== undefined) signal?.removeEventListener('abort', onAbort);
    }
  }

  /** Calls a method whose answer nobody waits for; it is given no signal. */
  tell<Name extends keyof Theirs & string>(name: Name, ...args: Parameters<Theirs[Name]>): void {
    this.#send({ type: 'tell', name, args });
  }

  /** Rejects pending calls with `reason` and ends the other thread. The first reason stays. */
  end(reason: SheafError): void {
    if (this.#ended !== undefined) return;
    this.#ended = reason;
    for (const pending of this.#pending.values()) pending.reject(reason);
    for (const controller of this.#running.values()) controller.abort();
    this.#thread?.end();
  }

  #send(message: Message, transfer: Transferable[] = []): void {
    this.#port.postMessage(message, transfer);
  }

  #receive(message: Message): void {
    if (this.#ended !== undefined) return;
    switch (message.type) {
      case 'tell':
        (this.#own[message.name] as AnyMethod)(...message.args);
        break;
      case 'call':
        void this.#answer(message);
        break;
      case 'abort':
        this.#running.get(message.id)?.abort();
        break;
      case 'answer': {
        const pending = this.#pending.get(message.id);
        if ('error' in message) pending?.reject(fromPlainError(message.error));
        else pending?.resolve(message.value as never);
        break;
      }
    }
  }

  async #answer({ id, name, args }: Extract<Message, { type: 'call' }>): Promise<void> {
    const controller = new AbortController();
    this.#running.set(id, controller);
    try {
      const value = await (this.#own[name] as AnyMethod)(...args, controller.signal);
      this.#send({ type: 'answer', id, value }, value instanceof Float32Array ? [value.buffer as ArrayBuffer] : []);
    } catch (error) {
      this.#send({ type: 'answer', id, error: toPlainError(error) });
    } finally {
      this.#running.delete(id);
    }
  }
}
