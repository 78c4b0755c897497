/** What asking says in English; loaded with it, as scope/strings.ts is. */
import { completed } from '../words/completed.js';
import type { AskStrings } from '../words/texts.js';

const ENGLISH: Required<AskStrings> = {
  ask: 'AI answer',
  askStop: 'Stop',
  askWaiting: 'Writing an answer…',
  askNote: 'Written by a language model from these pages. It may be wrong.',
  askNothing: 'No answer that these pages support.',
  askBusy: 'Too many questions just now. Try again later.',
  askFailed: 'The answer could not be read.',
};

export const askStrings = (given: AskStrings): Required<AskStrings> => completed(ENGLISH, given);
