/**
 * The playground of `sheaf serve DIR --playground`: type, see why a hit stands where it stands, change the rules, and see
 * what gets better and worse.
 *
 *     rules ─▶ pack ─▶ the draft's library ─┐
 *     the file's rules ─▶ pack ─────────────┴─▶ both answer the search and the questions
 *
 * Idea: nothing leaves the page. Saving gives the owner a file.
 */
import { SheafError } from '../client/errors.js';
import type { Hit, Library } from '../client/types.js';
import { byId, download, h } from './dom.js';
import { drawHit, drawLegend } from './hits.js';
import { DEPTH, readQuestions, worthOf, writeQuestions, type Question, type Worth } from './questions.js';
import { readRules, splitTexts, writeRules, type Rules } from './rules_text.js';
import { RULES_FILE } from '../client/rules_file.js';
import { Site, type Packed, type SiteData } from './site.js';

/** Silence after the last key, before it packs. */
const PAUSE_MS = 500;

const base = new URL('.', location.href);
const query = byId<HTMLInputElement>('query');
const status = byId('status');
const problem = byId('problem');
const questionsText = byId<HTMLTextAreaElement>('questions-text');

let site: Site;
let collection: SiteData['collections'][number];
let rules: Rules;
let saved: Packed | undefined;
let draft: Packed | undefined;
let savedText = '';
let timer: ReturnType<typeof setTimeout> | undefined;

async function begin(): Promise<void> {
  const response = await fetch(new URL('data.json', base));
  if (!response.ok) throw new Error(`The pages could not be fetched: the server answered ${response.status}.`);
  const data = (await response.json()) as SiteData;
  site = new Site(data, base);
  document.title = `${data.title}: playground`;
  byId('title').textContent = data.title;
  rules = rulesOfFile(data.rules);
  questionsText.value = localStorage.getItem(keyOf(data)) ?? '';
  collection = data.collections[0] as typeof collection;
  const choice = byId<HTMLSelectElement>('collection');
  data.collections.forEach(({ label }, at) => choice.append(new Option(label, String(at))));
  byId('collections').hidden = data.collections.length < 2;
  choice.addEventListener('change', () => {
    collection = data.collections[Number(choice.value)] as typeof collection;
    void packBoth();
  });
  drawRules();
  await packBoth();
}

/** None where the file is no YAML; packing says so, with the line. */
function rulesOfFile(text: string): Rules {
  try {
    return readRules(text);
  } catch {
    return readRules('');
  }
}

function keyOf({ title }: SiteData): string {
  return `sheaf-playground-questions ${title}`;
}

// ---- packing --------------------------------------------------------------------------------------

async function packBoth(): Promise<void> {
  savedText = writeRules(rulesOfFile(site.data.rules));
  // The file as it is, so that a mistake has the line that its owner sees.
  const packed = (await packWith(site.data.rules)) ?? (await packWithoutRules());
  if (packed === undefined) return;
  void saved?.library.close();
  if (draft !== saved) void draft?.library.close();
  saved = draft = packed;
  if (writeRules(rules) === savedText) await ask();
  else await packDraft();
}

/** Where the file's own rules are wrong: the list as it is without them, under what is wrong. Undefined: they are not. */
async function packWithoutRules(): Promise<Packed | undefined> {
  if (document.body.dataset['state'] !== 'failed') return undefined;
  const why = `The rules of your file are left out, for one is wrong: ${problem.textContent}`;
  const packed = await packWith('');
  if (packed === undefined) return undefined;
  const told = { ...packed, notes: [why] };
  said(told);
  return told;
}

let drafts = 0;

async function packDraft(): Promise<void> {
  const turn = ++drafts;
  const text = writeRules(rules);
  const packed = text === savedText ? saved : await packWith(text);
  if (packed === undefined) return;
  if (turn !== drafts) {
    if (packed !== saved) void packed.library.close();
    return;
  }
  if (packed === saved) said(packed);
  if (draft !== saved && draft !== packed) void draft?.library.close();
  draft = packed;
  await ask();
}

/** Undefined: a newer one began, or the rules are wrong, which is said. */
async function packWith(text: string): Promise<Packed | undefined> {
  document.body.dataset['state'] = 'packing';
  status.textContent = 'Packing …';
  try {
    const packed = await site.pack(collection, text, (share) => {
      status.textContent = `Packing … ${Math.round(share * 100)} %`;
    });
    said(packed);
    return packed;
  } catch (error) {
    if (error instanceof SheafError && error.code === 'ABORTED') return undefined;
    status.textContent = 'Not packed: the list below is of the last rules that were right.';
    problem.textContent = error instanceof Error ? error.message : String(error);
    document.body.dataset['state'] = 'failed';
    return undefined;
  }
}

function said({ pages, seconds, notes }: Packed): void {
  status.textContent = `${pages} pages, packed in ${seconds.toFixed(1)} s`;
  problem.textContent = notes.join('\n');
  document.body.dataset['state'] = 'asking';
}

function changed(): void {
  clearTimeout(timer);
  document.body.dataset['state'] = 'packing';
  timer = setTimeout(() => void packDraft(), PAUSE_MS);
}

// ---- search ---------------------------------------------------------------------------------------

let asked = 0;

async function ask(): Promise<void> {
  const turn = ++asked;
  if (saved === undefined || draft === undefined) return;
  if (document.body.dataset['state'] === 'ready') document.body.dataset['state'] = 'asking';
  const [before, after] = await Promise.all([hitsOf(saved.library, query.value), hitsOf(draft.library, query.value)]);
  if (turn !== asked) return;
  drawHits(before, after);
  await judge(turn);
  if (turn === asked && document.body.dataset['state'] === 'asking') document.body.dataset['state'] = 'ready';
}

async function hitsOf(library: Library, text: string): Promise<Hit[]> {
  return text.trim() === '' ? [] : (await library.search(text, { topK: DEPTH, explain: true })).hits;
}

function drawHits(before: readonly Hit[], after: readonly Hit[]): void {
  const ranks = new Map(before.map(({ source }, rank) => [source, rank]));
  const list = byId('hits');
  list.replaceChildren(
    ...after.map((hit, rank) => {
      const { source } = hit;
      return drawHit(hit, {
        beside: drawMove(ranks.get(source), rank),
        below: h(
          'p',
          { className: 'actions' },
          h(
            'button',
            { type: 'button', label: `Pin for these words: ${source}`, onclick: () => pin(source) },
            'Pin for these words',
          ),
          h(
            'button',
            { type: 'button', label: `Expect this page: ${source}`, onclick: () => expect(source) },
            'Expect this page',
          ),
        ),
      });
    }),
  );
  byId('nothing').hidden = after.length > 0 || query.value.trim() === '';
}

function drawMove(before: number | undefined, now: number): HTMLElement | undefined {
  if (before === now) return undefined;
  if (before === undefined) return h('span', { className: 'better' }, 'new');
  const up = before - now;
  return h('span', { className: up > 0 ? 'better' : 'worse' }, up > 0 ? `▲ ${up} up` : `▼ ${-up} down`);
}

function pin(source: string): void {
  const words = query.value.trim();
  const known = rules.pins.find((each) => each.words === words);
  if (known === undefined) rules.pins.push({ words, pages: [source] });
  else known.pages = [source, ...known.pages.filter((page) => page !== source)];
  drawRules();
  changed();
}

function expect(source: string): void {
  const text = questionsText.value.trimEnd();
  questionsText.value = `${text === '' ? '' : `${text}\n`}${query.value.trim()} => ${source}\n`;
  keepQuestions();
}

// ---- questions ------------------------------------------------------------------------------------

function keepQuestions(): void {
  localStorage.setItem(keyOf(site.data), questionsText.value);
  void ask();
}

interface Judged {
  question: Question;
  before: Worth;
  after: Worth;
}

async function judge(turn: number): Promise<void> {
  const judged: Judged[] = [];
  for (const question of readQuestions(questionsText.value)) {
    if (turn !== asked || saved === undefined || draft === undefined) return;
    const [before, after] = await Promise.all([worth(saved.library, question), worth(draft.library, question)]);
    judged.push({ question, before, after });
  }
  if (turn === asked) drawJudged(judged);
}

async function worth(library: Library, { question, pages }: Question): Promise<Worth> {
  const { hits } = await library.search(question, { topK: DEPTH, prefix: false });
  return worthOf(
    hits.map(({ source, url }) => [source, url]),
    pages,
  );
}

function drawJudged(judged: readonly Judged[]): void {
  byId('judged').hidden = judged.length === 0;
  const mean = (of: (each: Judged) => number): number =>
    judged.reduce((sum, each) => sum + of(each), 0) / judged.length;
  const row = (name: HTMLElement | string, before: Worth, after: Worth, ranks: string): HTMLElement => {
    const gain = after.ndcg - before.ndcg;
    const look = Math.abs(gain) < 0.0005 ? '' : gain > 0 ? 'better' : 'worse';
    const change = look === '' ? 'same' : `${gain > 0 ? '▲ +' : '▼ '}${gain.toFixed(2)}`;
    return h(
      'tr',
      { className: look },
      h('th', { scope: 'row' }, name),
      h('td', {}, ranks),
      h('td', {}, `${before.ndcg.toFixed(2)} → ${after.ndcg.toFixed(2)}`),
      h('td', { className: 'change' }, change),
    );
  };
  const rows = judged.map(({ question, before, after }) =>
    row(
      h('button', { type: 'button', className: 'link', onclick: () => search(question.question) }, question.question),
      before,
      after,
      `${shownRank(before.first)} → ${shownRank(after.first)}`,
    ),
  );
  const all = judged.length > 0 && [
    row(
      `All ${judged.length}`,
      { first: undefined, ndcg: mean(({ before }) => before.ndcg) },
      { first: undefined, ndcg: mean(({ after }) => after.ndcg) },
      '',
    ),
  ];
  byId('judged-rows').replaceChildren(...(all || []), ...rows);
}

function shownRank(rank: number | undefined): string {
  return rank === undefined ? '–' : String(rank);
}

function search(text: string): void {
  query.value = text;
  query.focus();
  void ask();
}

// ---- rules ----------------------------------------------------------------------------------------

function drawRules(): void {
  const field = (label: string, value: string, take: (text: string) => void, type = 'text'): HTMLElement => {
    const input = h('input', { type, label, value, autocomplete: 'off', spellcheck: false, placeholder: label });
    if (type === 'number') Object.assign(input, { min: '0', max: '10', step: 'any' });
    input.addEventListener('input', () => {
      take(input.value);
      changed();
    });
    return input;
  };
  const rows = <Row>(
    id: string,
    list: Row[],
    made: () => Row,
    name: string,
    fields: (row: Row) => HTMLElement[],
  ): void => {
    const body = byId(id);
    body.replaceChildren(
      ...list.map((each, at) =>
        h(
          'div',
          { className: 'row', role: 'group', label: `${name} ${at + 1}` },
          ...fields(each),
          h(
            'button',
            {
              type: 'button',
              label: `Remove ${name} ${at + 1}`,
              onclick: () => {
                list.splice(at, 1);
                drawRules();
                changed();
              },
            },
            '×',
          ),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          onclick: () => {
            list.push(made());
            drawRules();
            byId(id).querySelector<HTMLInputElement>('.row:last-of-type input')?.focus();
          },
        },
        `Add a ${name}`,
      ),
    );
  };
  rows(
    'synonyms',
    rules.synonyms,
    () => ({ to: [] }),
    'synonym',
    (row) => [
      field('one way, from', (row.from ?? []).join(', '), (text) => {
        if (text.trim() === '') delete row.from;
        else row.from = splitTexts(text);
      }),
      field('words, a comma between', row.to.join(', '), (text) => (row.to = splitTexts(text))),
    ],
  );
  rows(
    'pins',
    rules.pins,
    () => ({ words: '', pages: [] }),
    'pin',
    (row) => [
      field('words', row.words, (text) => (row.words = text.trim())),
      field('pages, a comma between', row.pages.join(', '), (text) => (row.pages = splitTexts(text))),
    ],
  );
  rows(
    'weights',
    rules.weights,
    () => ({ glob: '', weight: 1 }),
    'weight',
    (row) => [
      field('where: blog/**, date:<2024', row.glob, (text) => (row.glob = text.trim())),
      field(
        'weight, 0 to 10',
        String(row.weight),
        (text) => (row.weight = text === '' ? Number.NaN : Number(text)),
        'number',
      ),
    ],
  );
}

// ---- the page -------------------------------------------------------------------------------------

byId('nothing').before(drawLegend());
query.addEventListener('input', () => void ask());
questionsText.addEventListener('input', keepQuestions);
byId('save').addEventListener('click', () => download(RULES_FILE, writeRules(rules)));
byId('save-questions').addEventListener('click', () =>
  download('questions.jsonl', writeQuestions(readQuestions(questionsText.value))),
);
byId<HTMLInputElement>('load-questions').addEventListener('change', async (event) => {
  const file = (event.target as HTMLInputElement).files?.[0];
  if (file === undefined) return;
  questionsText.value = await file.text();
  keepQuestions();
});

begin().catch((error: unknown) => {
  document.body.dataset['state'] = 'failed';
  status.textContent = 'The playground could not start.';
  problem.textContent = error instanceof Error ? error.message : String(error);
});
