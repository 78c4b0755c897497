/** The button that opens the dialog. Adapters give it the measures of their theme's own. */
import { css } from '../../lit.mjs';

export const button = css`
  .open {
    display: inline-flex; align-items: center; gap: 0.6em; min-block-size: 2.75em; padding: 0.4em 0.8em; max-inline-size: 100%;
    color: var(--_muted); background: var(--_raised); border: 1px solid var(--_edge); border-radius: var(--_radius);
  }
  .open:hover { border-color: var(--_accent); color: var(--_text); }
  @media (pointer: coarse) { .open kbd { display: none; } }
`;
