/**
 * Which entry is chosen, and whether the list stays in place.
 *
 * Invariant: entries do not move while the pointer is over the list, after a touch, or while one is chosen by keyboard.
 */
import type { ChoiceHost } from '../host.js';
import type { SearchState } from '../state/search.js';

export class Choice {
  readonly #host: ChoiceHost;
  /** Set while the pointer is over the list, or after a touch: the entries then stay in place. */
  #pointer: 'list' | 'touched' | undefined;

  constructor(host: ChoiceHost) {
    this.#host = host;
  }

  /** Chooses an entry; none by -1. */
  point(index: number): void {
    this.#host.active = index;
    this.#host.search.hold(this.#pointer !== undefined || index >= 0);
  }

  /** The pointer enters or leaves the list. */
  readonly onPointer = ({ type, pointerType }: PointerEvent): void => {
    this.#pointer = pointerType === 'touch' ? 'touched' : type === 'pointerenter' ? 'list' : undefined;
    this.point(this.#host.active);
  };

  /** The search changed from one state to another. */
  follow(state: SearchState, before: SearchState): void {
    if (state.query !== before.query) {
      if (this.#pointer === 'touched') this.#pointer = undefined;
      this.point(-1);
    }
    if (state.groups.length === 0) this.#pointer = undefined; // its target is gone, and fires no more events
  }

  /** The list went away. */
  reset(): void {
    this.#pointer = undefined;
    this.point(-1);
  }
}
