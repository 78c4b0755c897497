/**
 * Which entry is chosen, which shows more of its text, and whether the list stays in place.
 *
 * The first hit is chosen as soon as there is one, so that Enter has somewhere to go; the reader has taken nothing by
 * that. Arrows and the pointer choose another. Arrows also unfold what they choose; the pointer does not, because what
 * it has left would fold, and all below it would move away from under it.
 *
 * Invariant: entries do not move while the pointer is over the list, after a touch, or while one is chosen by keyboard.
 */
import type { ChoiceHost } from '../host.js';
import type { SearchState } from '../state/search.js';

export class Choice {
  /** The entry that shows more of its text; -1 for none. */
  unfolded = -1;
  /** Whether the reader has chosen by keyboard. */
  taken = false;
  readonly #host: ChoiceHost;
  /** Set while the pointer is over the list, or after a touch: the entries then stay in place. */
  #pointer: 'list' | 'touched' | undefined;

  constructor(host: ChoiceHost) {
    this.#host = host;
  }

  /** Chooses an entry by keyboard; -1 gives the choice back. */
  point(index: number): void {
    this.taken = index >= 0;
    this.#choose(index >= 0 ? index : this.#first());
  }

  /** The pointer enters, leaves, or moves over the list. */
  readonly onPointer = (event: PointerEvent): void => {
    const { type, pointerType, movementX, movementY } = event;
    if (type !== 'pointermove') {
      this.#pointer = pointerType === 'touch' ? 'touched' : type === 'pointerenter' ? 'list' : undefined;
      this.#hold();
    } else if (pointerType !== 'touch' && (movementX !== 0 || movementY !== 0)) {
      // Without movement, the list has moved under a pointer that rests; some browsers report that too.
      const entry = (event.target as Element).closest<HTMLElement>('[data-entry]');
      if (entry !== null && this.#host.mode !== 'page') this.#host.active = Number(entry.dataset['entry']);
    }
  };

  /** The search changed from one state to another. */
  follow(state: SearchState, before: SearchState): void {
    if (state.query !== before.query) {
      if (this.#pointer === 'touched') this.#pointer = undefined;
      this.point(-1);
    } else if (state.groups !== before.groups && (!(this.taken || this.#pointer) || this.#host.active >= state.count)) {
      this.point(-1); // another is the first now
    }
    if (state.groups.length === 0) this.#pointer = undefined; // its target is gone, and fires no more events
  }

  /** The list went away. */
  reset(): void {
    this.#pointer = undefined;
    this.point(-1);
  }

  #first(): number {
    return this.#host.mode !== 'page' && this.#host.state.count > 0 ? 0 : -1;
  }

  #choose(index: number): void {
    this.#host.active = this.unfolded = index;
    this.#hold();
  }

  #hold(): void {
    this.#host.search.hold(this.#pointer !== undefined || this.taken);
  }
}
