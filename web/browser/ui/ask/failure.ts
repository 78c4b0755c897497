/** Why there is no answer: in words for readers, by their key, and in others for the page's owner. */
import type { Strings } from '../words/texts.js';

export type Reason = Extract<keyof Strings, 'noAnswer' | 'badAnswer' | 'askBusy' | 'askFailed'>;

export class AskFailure extends Error {
  constructor(
    readonly reason: Reason,
    message: string,
    readonly status = 0,
  ) {
    super(message);
  }
}
