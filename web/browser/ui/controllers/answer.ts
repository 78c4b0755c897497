/**
 * A model's answer to the question, where the page's owner wants one (`ask`). Its code (ask/) loads behind the first good
 * answer of such an element, and never for others.
 */
import type { AnswerBox, AnswerHost } from '../host.js';

export class Answer {
  readonly #host: AnswerHost;
  readonly #load: () => Promise<AnswerBox>;
  #box: AnswerBox | undefined;
  #isLoading = false;

  constructor(host: AnswerHost, load: () => Promise<AnswerBox>) {
    this.#host = host;
    this.#load = load;
  }

  /** What stands below the list. */
  get element(): HTMLElement | undefined {
    return this.#box?.element;
  }

  /** After each drawing. */
  follow(): void {
    const { ask, state } = this.#host;
    this.#box?.follow();
    if (!ask || this.#isLoading || state.stage !== 'final' || state.weak || state.count === 0) return;
    this.#isLoading = true;
    this.#load().then(
      (box) => {
        this.#box = box;
        this.#host.requestUpdate();
      },
      () => (this.#isLoading = false), // the next answer tries again
    );
  }

  /** The element is gone. */
  stop(): void {
    this.#box?.stop();
  }
}
