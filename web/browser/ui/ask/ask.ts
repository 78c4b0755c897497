/**
 * Below the list: a button that asks a model, and its answer. The list stays what it is, and where it is.
 *
 * Nothing is sent before the reader presses. The sources are the passages of the best hits; of the answer, the sentences stay
 * that cite one (cited.ts), and their numbers lead there. Another query, closing, and the button stop it. Without good
 * hits there is no button: no answer is better than one from passages that do not have it.
 *
 * The answer is not live while it comes, which would be read out in pieces: it is announced once, when it is complete. The
 * button stays the same element whatever it says, so that the focus does. Plain DOM; text of models enters it as text nodes.
 */
import type { AnswerBox, AskHost } from '../host.js';
import { make } from '../later.js';
import { hrefOf } from '../state/addresses.js';
import type { ShownHit } from '../state/groups.js';
import { packedBaseOf } from '../state/manifest.js';
import type { AskStrings } from '../words/texts.js';
import { CitedSentences, type Part, type Sentence } from './cited.js';
import type { AskFailure } from './failure.js';
import { addLooks } from './looks.js';
import { type Model, modelOf } from './models.js';
import { MOST_PASSAGES, promptOf, type Source } from './prompt.js';
import { askStrings } from './strings.js';

/** A sentence that begins a line of its own. */
const LISTED = /^(?:[-*•]|\d{1,2}[.)])\s/;
/** Behind these, no space. */
const WIDE_END = /[。！？]$/;

type Phase = 'asking' | 'waiting' | 'ended';

/** What an attribute `ask` names. */
interface Named {
  ask: string;
  language: string;
  /** Undefined: nothing that may be used. */
  model: Model | undefined;
  /** It can be asked in the language. */
  isReady: boolean;
}

export class AskBox implements AnswerBox {
  readonly element: HTMLElement = make('div', 'answer');
  readonly #host: AskHost;
  readonly #text: HTMLElement = make('div', 'answer-text');
  readonly #body: HTMLElement = document.createElement('div');
  /** What it cites, and what is to be said of it. */
  readonly #tail: HTMLElement = document.createElement('div');
  readonly #button: HTMLButtonElement = make('button', 'ask');
  /** Says the answer, once. */
  readonly #status: HTMLElement = document.createElement('div');
  #named: Named | undefined;
  /** What is, or may be, answered. */
  #question = '';
  #phase: Phase = 'asking';
  #running: AbortController | undefined;
  #hits: readonly ShownHit[] = [];
  #sentences: Sentence[] = [];

  constructor(host: AskHost) {
    this.#host = host;
    addLooks(host.renderRoot as ShadowRoot);
    this.#text.tabIndex = 0;
    this.#text.setAttribute('role', 'group');
    this.#button.type = 'button';
    this.#button.className = 'text-button';
    // The second press of a double click is no wish to stop.
    this.#button.addEventListener('click', ({ detail }) => {
      if (this.#phase === 'waiting') detail < 2 && this.stop();
      else void this.#ask();
    });
    this.#status.className = 'unseen';
    this.#status.setAttribute('role', 'status');
    this.#text.append(this.#body, this.#tail);
    this.element.append(this.#text, this.#button, this.#status);
    this.follow();
  }

  follow(): void {
    const { state, localised } = this.#host;
    const question = this.#isOffered() ? state.answered : '';
    const shown = new Set(state.groups.flatMap((group) => group.hits.map(({ passage }) => passage)));
    if (question !== this.#question || !this.#hits.every(({ passage }) => shown.has(passage))) {
      this.#question = question;
      this.#clear();
    }
    if (question !== '') this.#follow(localised.language);
    this.#draw();
  }

  stop(): void {
    this.#running?.abort();
    if (this.#phase !== 'waiting') return;
    if (this.#sentences.length > 0) this.#end(this.#words.askNote);
    else this.#clear();
    this.#draw();
  }

  get #words(): Required<AskStrings> {
    return askStrings(this.#host.localised.strings);
  }

  /** The reader sees good hits for what they have typed. */
  #isOffered(): boolean {
    const { ask, mode, opened, state } = this.#host;
    const { query, answered, stage, weak, groups } = state;
    return (
      Boolean(ask) &&
      (mode === 'page' || opened) &&
      stage === 'final' &&
      query === answered &&
      !weak &&
      groups.length > 0
    );
  }

  #follow(language: string): void {
    const { ask = '' } = this.#host;
    if (this.#named?.ask === ask && this.#named.language === language) return;
    const named: Named = { ask, language, model: undefined, isReady: false };
    this.#named = named;
    try {
      named.model = modelOf(ask, { baseURI: document.baseURI, origin: location.origin });
    } catch (error) {
      return console.warn(`sheaf: the address in ask="${ask}" is not used: ${(error as Error).message}.`);
    }
    named.model.isReady(language).then(
      (isReady) => {
        named.isReady = isReady;
        this.#draw();
      },
      () => {}, // a browser that cannot say so has none
    );
  }

  #clear(): void {
    this.#running?.abort();
    this.#phase = 'asking';
    this.#hits = [];
    this.#sentences = [];
    this.#body.replaceChildren();
    this.#tell('');
    this.#status.textContent = '';
  }

  async #ask(): Promise<void> {
    const { library } = this.#host.search;
    const { model, language = '' } = this.#named ?? {};
    if (library === undefined || model === undefined) return;
    this.#clear();
    const running = (this.#running = new AbortController());
    const { signal } = running;
    this.#phase = 'waiting';
    this.#hits = this.#host.state.groups.flatMap(({ hits }) => hits).slice(0, MOST_PASSAGES);
    this.#tell((this.#status.textContent = this.#words.askWaiting));
    this.#draw();
    const cited = new CitedSentences(this.#hits.length);
    try {
      const sources = await Promise.all(this.#hits.map((hit) => sourceOf(hit, library)));
      if (signal.aborted) return;
      const prompt = (tokens: number): string => promptOf(this.#question, sources, tokens);
      for await (const piece of model.answer(prompt, language, signal)) {
        if (signal.aborted) return;
        this.#add(cited.push(piece));
        if (cited.full) break;
      }
      if (signal.aborted) return;
      this.#add(cited.end());
      this.#end(this.#sentences.length > 0 ? this.#words.askNote : this.#words.askNothing);
    } catch (error) {
      if (signal.aborted) return;
      const { reason = 'askFailed', status = 0, message } = error as Partial<AskFailure>;
      console.warn(`sheaf: there is no answer of ask="${this.#host.ask}". ${message}`);
      this.#end({ ...this.#host.localised.strings, ...this.#words }[reason].replace('{status}', `${status}`));
    } finally {
      running.abort(); // a stream that goes on beyond the bound
    }
  }

  /** Adds to what is there: the reader may have the focus in it. */
  #add(sentences: readonly Sentence[]): void {
    for (const sentence of sentences) {
      const { text, parts } = sentence;
      this.#sentences.push(sentence);
      let paragraph = this.#body.lastElementChild as HTMLElement | null;
      if (paragraph === null || LISTED.test(text)) {
        paragraph = document.createElement('p');
        paragraph.dir = 'auto';
        this.#body.append(paragraph);
      } else if (!WIDE_END.test(this.#sentences.at(-2)?.text ?? '')) paragraph.append(' ');
      paragraph.append(...parts.flatMap((part) => this.#drawn(part)));
    }
  }

  #end(note: string): void {
    this.#phase = 'ended';
    this.#tell(note);
    const said = this.#sentences.map(({ parts }) => parts.map(wordsOf).join(''));
    this.#status.textContent = [...said, note].join(' ');
    this.#draw();
  }

  /** Of the answer; what it cites as well, once it is complete. */
  #tell(note: string): void {
    const line = make('p', 'answer-note');
    line.append(note);
    this.#tail.replaceChildren(...(this.#phase === 'ended' ? this.#sourceList() : []), line);
  }

  /** What may change at any time. */
  #draw(): void {
    const { ask, askStop } = this.#words;
    const phase = this.#phase;
    this.element.hidden = this.#question === '' || this.#named?.isReady !== true;
    this.#text.hidden = phase === 'asking';
    this.#text.setAttribute('aria-label', ask);
    this.#text.setAttribute('aria-busy', `${phase === 'waiting'}`);
    const label = phase === 'asking' ? ask : phase === 'waiting' ? askStop : this.#host.localised.strings.retry;
    if (this.#button.textContent !== label) this.#button.textContent = label;
  }

  #drawn(part: Part): (Node | string)[] {
    if ('text' in part) return [part.text];
    if ('code' in part) {
      const code = document.createElement('code');
      code.dir = 'ltr';
      code.append(part.code);
      return [code];
    }
    return part.cites.map((number) => {
      const cited = document.createElement('sup');
      cited.append(this.#link(number, `${number}`, 'citation'));
      return cited;
    });
  }

  /** The passages that the answer cites, so that no number has to be guessed. */
  #sourceList(): HTMLElement[] {
    const numbers = [...new Set(this.#sentences.flatMap(({ cites }) => cites))].sort((a, b) => a - b);
    if (numbers.length === 0) return [];
    const list = make('ol', 'answer-sources');
    for (const number of numbers) {
      const item = document.createElement('li');
      item.value = number;
      item.append(this.#link(number, nameOf(this.#hits[number - 1] as ShownHit), 'answer-source'));
      list.append(item);
    }
    return [list];
  }

  /** A link to a passage; without a safe address, its words alone. */
  #link(number: number, text: string, part: string): HTMLElement {
    const hit = this.#hits[number - 1] as ShownHit;
    const { base, urlFor, highlight, search } = this.#host;
    const href = hrefOf({ base, urlFor, highlight, packedBase: packedBaseOf(search.library?.info) }, hit);
    const shown = document.createElement('bdi');
    shown.append(text);
    if (href === undefined) return shown;
    const link = make('a', part);
    link.href = href;
    const name = nameOf(hit);
    if (name !== text) link.setAttribute('aria-label', `${text}: ${name}`);
    link.title = name;
    const follow = (event: MouseEvent): void => {
      // By its place in the list as that is now, as a row is followed.
      const hits = this.#host.state.groups.flatMap((group) => group.hits);
      link.dataset['top'] = `${hits.findIndex(({ passage }) => passage === hit.passage)}`;
      this.#host.followHit(event);
    };
    link.addEventListener('click', follow);
    link.addEventListener('auxclick', (event) => event.button === 1 && follow(event));
    link.append(shown);
    return link;
  }
}

/** A page's own library may have hits alone. */
async function sourceOf(hit: ShownHit, library: { passage(id: number): Promise<{ text: string }> }): Promise<Source> {
  const read = async (): Promise<string> => (await library.passage(hit.passage)).text;
  return { title: hit.title, headings: hit.headings, text: await read().catch(() => hit.snippet) };
}

const nameOf = ({ title, source, headings }: ShownHit): string => [title || source, ...headings].join(' › ');

const wordsOf = (part: Part): string => ('text' in part ? part.text : 'code' in part ? part.code : '');
