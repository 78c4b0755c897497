/**
 * The button that opens the dialog: its icon, its label, the keys that open it too.
 *
 * Quiet, as the buttons of documentation themes are; adapters give it the measures of their theme's own by its parts.
 * On narrow screens it is its icon, in a square for fingers. Its label still names it to assistive technology; a page
 * that has room for the label there says `::part(button-label) { all: unset }`.
 */
import { css } from '../../lit.mjs';

export const button = css`
  .open {
    display: inline-flex; align-items: center; gap: 0.5em; min-block-size: 2.5em; padding: 0.3em 0.75em; max-inline-size: 100%;
    color: var(--_muted); background: var(--_raised); border: 1px solid var(--_border); border-radius: var(--_radius);
  }
  .open:hover { border-color: var(--_accent); color: var(--_text); }
  .open > [part='button-icon'] { display: inline-flex; font-size: 1.1em; stroke-width: 2; }
  .open svg { inline-size: 1em; block-size: 1em; stroke-width: inherit; }
  .open > [part='shortcut'] {
    display: inline-flex; gap: 0.25em; margin-inline-start: auto; padding: 0.1em 0.45em; font-size: 0.8em; line-height: 1.4; white-space: nowrap;
    border: 1px solid var(--_border); border-radius: 0.35em; background: var(--_background);
  }
  .open kbd { font: inherit; color: inherit; padding: 0; border: 0; border-radius: 0; background: none; }
  @media (pointer: coarse) {
    .open { min-inline-size: 44px; min-block-size: 44px; }
    .open > [part='shortcut'] { display: none; }
  }
  @media (max-width: 40rem) {
    .open { justify-content: center; inline-size: 44px; block-size: 44px; padding: 0; }
    .open > [part='button-icon'] { font-size: 1.25em; }
    .open > [part='button-label'] { position: absolute; inline-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .open > [part='shortcut'] { display: none; }
  }
`;
