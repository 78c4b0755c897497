/**
 * Which entry is chosen, and whether the list keeps still.
 *
 * Invariant: entries do not move while the pointer is on the list, a finger was, or one is chosen by keyboard.
 */
import type { ChoiceHost } from '../host.js';
import type { SearchState } from '../state/search.js';

export class Choice {
  readonly #host: ChoiceHost;
  /** Where the pointer is, or a finger was: what it points at stays in place. */
  #pointer: 'list' | 'touched' | undefined;

  constructor(host: ChoiceHost) {
    this.#host = host;
  }

  /** Chooses an entry; none by -1. */
  point(index: number): void {
    this.#host.active = index;
    this.#host.search.hold(this.#pointer !== undefined || index >= 0);
  }

  /** The pointer comes to the list, or leaves it. */
  readonly onPointer = ({ type, pointerType }: PointerEvent): void => {
    this.#pointer = pointerType === 'touch' ? 'touched' : type === 'pointerenter' ? 'list' : undefined;
    this.point(this.#host.active);
  };

  /** The search went on from one state to another. */
  follow(state: SearchState, before: SearchState): void {
    if (state.query !== before.query) {
      if (this.#pointer === 'touched') this.#pointer = undefined;
      this.point(-1);
    }
    if (state.groups.length === 0) this.#pointer = undefined; // what it was on is gone, and tells no more
  }

  /** The list went away. */
  reset(): void {
    this.#pointer = undefined;
    this.point(-1);
  }
}
