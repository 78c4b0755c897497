/**
 * The controls that narrow a search: a labelled select for one of several, chips for any of several. Plain DOM, so they
 * load nothing else; their style sheet is added to the element's tree when they first appear.
 *
 * Chips are toggle buttons (`aria-pressed`) in a named group: Tab goes from one to the next, Space and Enter toggle. `facetRows`
 * show values of a bundle's filters by them, with counts.
 */

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
  const chip = (text: string, pressed: boolean, next: () => Set<string>): HTMLButtonElement => {
    const button = make('button', pressed ? 'chip chip-chosen' : 'chip');
    button.type = 'button';
    button.setAttribute('aria-pressed', String(pressed));
    button.append(text);
    button.addEventListener('click', () => onChange(next()));
    return button;
  };
  if (all !== undefined) group.append(chip(all, chosen.size === 0, () => new Set()));
  for (const { value, label: text, count, lang } of choices) {
    const button = chip(count === undefined ? text : `${text} (${count.toLocaleString()})`, chosen.has(value), () => {
      const next = new Set(chosen);
      if (!next.delete(value)) next.add(value);
      return next;
    });
    if (lang !== undefined) button.lang = lang;
    group.append(button);
  }
  return group;
}

export interface Facet {
  key: string;
  label: string;
  values: readonly Choice[];
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
): HTMLElement[] {
  return facets.flatMap(({ key, label, values }) => {
    const title = make('span', 'facet-title');
    title.append(label);
    return [title, chipsOf(label, values, chosen.get(key) ?? new Set(), (next) => onChange(key, next))];
  });
}

/**
 * Replaces the content of `bar` with `fresh`, unless they are equal: replacing a control loses a press on it
 * and closes its open list. The focus stays on the control at the same position, and rows keep their scroll position.
 */
export function replaceKeepingFocus(bar: HTMLElement, fresh: readonly Node[]): void {
  const next = bar.cloneNode() as HTMLElement;
  next.append(...fresh);
  if (next.isEqualNode(bar)) return;
  const root = bar.getRootNode() as ShadowRoot | Document;
  const controls = (): HTMLElement[] => [...bar.querySelectorAll<HTMLElement>('select, button')];
  const at = controls().indexOf(root.activeElement as HTMLElement);
  const places = [...bar.children].map((row) => row.scrollLeft);
  bar.replaceChildren(...fresh);
  places.forEach((place, i) => bar.children[i]?.scrollTo(place, 0));
  controls()[at]?.focus();
}

export function make<Name extends keyof HTMLElementTagNameMap>(name: Name, part: string): HTMLElementTagNameMap[Name] {
  const element = document.createElement(name);
  element.setAttribute('part', part);
  return element;
}

const SHEET = `
  [part='facets'] { display: grid; grid-template-columns: auto minmax(0, 1fr); font-size: 0.85em; }
  [part='chips'] { display: flex; gap: 0.4em; padding: 0.3em; overflow-x: auto; scrollbar-width: thin; }
  .page [part='chips'] { flex-wrap: wrap; }
  [part='scope-select'], [part~='chip'] {
    flex: none; font: inherit; color: var(--_text); background: var(--_background); border: 1px solid var(--_edge); border-radius: 2em;
    min-block-size: 2.25em; padding-inline: 0.8em; max-inline-size: 100%; overflow: hidden;
  }
  [part~='chip-chosen'] { background: var(--_active); border-color: var(--_accent); box-shadow: inset 0 0 0 1px var(--_accent); }
  [part='missing'] { flex-basis: 100%; margin: 0; }
  @media (pointer: coarse) { [part='scope-select'], [part~='chip'] { min-block-size: 44px; } }
  @media (forced-colors: active) { [part~='chip-chosen'] { outline: 3px solid; } }
`;

let sheet: CSSStyleSheet | undefined;

/** The controls' looks, for the tree that they will stand in. */
function addStyles(root: ShadowRoot): void {
  if (sheet === undefined) {
    sheet = new CSSStyleSheet();
    sheet.replaceSync(SHEET);
  }
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet);
}
