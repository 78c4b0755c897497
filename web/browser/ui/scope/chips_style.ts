/** Looks of the controls above the list; loaded with them. A row of chips fades where more of them are out of sight. */
export const CHIPS = `
  [part='facets'], [part='scope'] { font-size: 0.85em; }
  [part='facets'] { display: grid; grid-template-columns: auto minmax(0, 1fr) auto; }
  [part='chips'] { display: flex; gap: 0.4em; padding: 0.3em; overflow-x: auto; scrollbar-width: none; scroll-padding-inline: 2.5em; }
  [part='chips'][data-fades] { mask-image: linear-gradient(to right, #000 calc(100% - 2.5em), transparent); }
  [part='chips'][data-fades]:dir(rtl) { mask-image: linear-gradient(to left, #000 calc(100% - 2.5em), transparent); }
  [part='chips'][data-fades]:focus-within { mask-image: none; }
  [part='chips'][data-open], .page [part='chips'] { flex-wrap: wrap; }
  [part='scope-select'], [part~='chip'], [part='chips-more'] {
    flex: none; font: inherit; color: var(--_text); background: var(--_background); border: 1px solid var(--_edge); border-radius: 2em;
    min-block-size: 2.25em; padding-inline: 0.8em; max-inline-size: 100%; overflow: hidden; text-overflow: ellipsis; white-space: nowrap;
  }
  [part='scope'] > [part='chips'] { max-inline-size: calc(100% - 4em); }
  [part='chips-more'] { align-self: start; margin-block: 0.3em; border-color: transparent; color: var(--_accent); background: var(--_active); }
  [part~='chip']:hover, [part='chips-more']:hover { border-color: var(--_accent); }
  [part~='chip'][data-none] { color: var(--_muted); border-style: dashed; }
  [part~='chip-chosen'] { background: var(--_active); border-color: var(--_accent); box-shadow: inset 0 0 0 1px var(--_accent); }
  [part='missing'] { flex-basis: 100%; margin: 0; }
  @media (pointer: coarse) { [part='scope-select'], [part~='chip'], [part='chips-more'] { min-block-size: 44px; } [part='chips-more'] { min-inline-size: 44px; } }
  @media (forced-colors: active) { [part~='chip-chosen'] { outline: 3px solid; outline-offset: -3px; } }
`;
