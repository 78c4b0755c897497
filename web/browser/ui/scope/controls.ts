/**
 * The controls that narrow a search: a labelled select for one of several, chips for any of several. Plain DOM, so they
 * load nothing else; their style sheet is added to the element's tree when they first appear.
 *
 * Chips are toggle buttons (`aria-pressed`) in a named group: Tab goes from one to the next, Space and Enter toggle. `facetRows`
 * show values of a bundle's filters by them, with counts. A row is one line, which scrolls; the button after it says how
 * many are out of sight, as in `+3`, and shows them all.
 */

import { looks, make } from '../later.js';
import { CHIPS } from './chips_style.js';

export interface Choice {
  value: string;
  label: string;
  /** Pages with it; not shown when undefined. */
  count?: number | undefined;
  /** Language of the label, where it is not the interface's. */
  lang?: string | undefined;
}

/** A select with its label before it. */
export function selectOf(
  label: string,
  choices: readonly Choice[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLElement {
  const select = make('select', 'scope-select');
  for (const { value, label: text, lang } of choices) {
    const option = new Option(text, value, value === chosen, value === chosen); // `replaceKeepingFocus` reads the attribute
    if (lang !== undefined) option.lang = lang;
    select.append(option);
  }
  select.addEventListener('change', () => onChange(select.value));
  const labelled = make('label', 'scope-label');
  labelled.append(label, '\u2002', select);
  return labelled;
}

/** Chips; any number may be chosen. `all`, when given, is the chip for no choice. */
export function chipsOf(
  label: string,
  choices: readonly Choice[],
  chosen: ReadonlySet<string>,
  onChange: (chosen: Set<string>) => void,
  all?: string,
): HTMLElement {
  const group = make('div', 'chips');
  group.setAttribute('role', 'group');
  group.setAttribute('aria-label', label);
  const chip = (value: string, text: string, pressed: boolean, next: () => Set<string>): HTMLButtonElement => {
    const button = make('button', pressed ? 'chip chip-chosen' : 'chip');
    button.type = 'button';
    button.dataset['id'] = `${label}: ${value}`;
    button.setAttribute('aria-pressed', String(pressed));
    button.append(text);
    button.addEventListener('click', () => onChange(next()));
    return button;
  };
  if (all !== undefined) group.append(chip('', all, chosen.size === 0, () => new Set()));
  for (const { value, label: text, count, lang } of choices) {
    const named = count === undefined ? text : `${text} (${count.toLocaleString()})`;
    const button = chip(value, named, chosen.has(value), () => {
      const next = new Set(chosen);
      if (!next.delete(value)) next.add(value);
      return next;
    });
    button.toggleAttribute('data-none', count === 0);
    if (lang !== undefined) button.lang = lang;
    group.append(button);
  }
  return group;
}

/** Whether a row shows all its chips, on as many lines as they take. */
export interface Extent {
  open: boolean;
  /** How many values have no chip until it is open. */
  cut: number;
  onToggle: () => void;
}

/** The row of chips, and the button after it. The button has no words, so it needs no language. */
export function withMore(label: string, chips: HTMLElement, { open, cut, onToggle }: Extent): HTMLElement[] {
  const more = make('button', 'chips-more');
  more.type = 'button';
  more.dataset['id'] = `${label}+`;
  more.setAttribute('aria-expanded', String(open));
  more.addEventListener('click', onToggle);
  const say = (text: string): void => {
    more.textContent = text;
    more.setAttribute('aria-label', `${text} ${label}`);
  };
  chips.toggleAttribute('data-open', open);
  more.hidden = !open && cut === 0;
  say(open ? '−' : `+${cut}`);
  if (open) return [chips, more];
  const measure = (): void => {
    const { left, right } = chips.getBoundingClientRect();
    const chipBoxes = [...chips.children].map((chip) => chip.getBoundingClientRect());
    const unseen = chipBoxes.filter((chip) => chip.left < left - 1 || chip.right > right + 1).length;
    chips.toggleAttribute('data-fades', unseen > 0);
    more.hidden = unseen + cut === 0;
    say(`+${unseen + cut}`);
  };
  new ResizeObserver(measure).observe(chips);
  chips.addEventListener('scroll', measure, { passive: true });
  return [chips, more];
}

export interface Facet {
  key: string;
  label: string;
  values: readonly Choice[];
  /** How many values are left out. */
  cut: number;
}

/** Stands above the hits of the tree `root`; hidden while it is empty. */
export function barIn(root: ShadowRoot, part: string): HTMLElement {
  const bar = make('div', part);
  bar.className = 'bar';
  bar.hidden = true;
  addStyles(root);
  return bar;
}

/** One row of chips for each filter of a bundle: its name, its values. */
export function facetRows(
  facets: readonly Facet[],
  chosen: ReadonlyMap<string, ReadonlySet<string>>,
  onChange: (key: string, chosen: Set<string>) => void,
  open: ReadonlySet<string>,
  onToggle: (key: string) => void,
): HTMLElement[] {
  return facets.flatMap(({ key, label, values, cut }) => {
    const title = make('span', 'facet-title');
    title.append(label);
    const chips = chipsOf(label, values, chosen.get(key) ?? new Set(), (next) => onChange(key, next));
    return [title, ...withMore(label, chips, { open: open.has(key), cut, onToggle: () => onToggle(key) })];
  });
}

/**
 * Replaces the content of `bar` with `fresh`, unless they are equal: replacing a control loses a press on it
 * and closes its open list. The focus stays on the control of the same name, else on that at the same position; rows
 * keep their scroll position, and what was measured of them holds until it is measured again.
 */
export function replaceKeepingFocus(bar: HTMLElement, fresh: readonly Node[]): void {
  const next = bar.cloneNode() as HTMLElement;
  next.append(...fresh);
  takeMeasures(bar, next);
  if (next.isEqualNode(bar)) return;
  const root = bar.getRootNode() as ShadowRoot | Document;
  const controls = (): HTMLElement[] => [...bar.querySelectorAll<HTMLElement>('select, button')];
  const active = root.activeElement as HTMLElement | null;
  const at = controls().indexOf(active as HTMLElement);
  const scrolled = [...bar.children].map((row) => row.scrollLeft);
  bar.replaceChildren(...fresh);
  scrolled.forEach((left, i) => bar.children[i]?.scrollTo(left, 0));
  if (at < 0) return;
  const named = controls().find(
    ({ dataset }) => dataset['id'] !== undefined && dataset['id'] === active?.dataset['id'],
  );
  (named ?? controls()[at])?.focus();
}

function takeMeasures(from: HTMLElement, to: HTMLElement): void {
  for (const more of to.querySelectorAll<HTMLElement>('[part=chips-more]')) {
    const before = [...from.querySelectorAll<HTMLElement>('[part=chips-more]')].find(
      ({ dataset, ariaExpanded }) => dataset['id'] === more.dataset['id'] && ariaExpanded === more.ariaExpanded,
    );
    if (before === undefined) continue;
    more.hidden = before.hidden;
    more.textContent = before.textContent;
    more.setAttribute('aria-label', before.getAttribute('aria-label') as string);
    const fades = before.previousElementSibling?.hasAttribute('data-fades');
    more.previousElementSibling?.toggleAttribute('data-fades', fades);
  }
}

/** The controls' looks, for the tree that they will stand in. */
const addStyles = looks(CHIPS);
