/** The looks of what stands below the box before anything is typed. Wide places show its lists side by side. */
import { css } from '../../lit.mjs';

export const start = css`
  .start { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(17em, 100%), 1fr)); align-items: start; gap: 0.2em 0.6em; }
  .start > * { min-inline-size: 0; }
  .start .bar { min-block-size: 3.2em; font-size: 0.9em; }
  .start-row { display: flex; flex: 1; min-inline-size: 0; align-items: center; gap: 0.6em; min-block-size: 2.5em; padding-inline: 0.7em; border-radius: 0.45em; color: inherit; text-align: start; text-decoration: none; }
  .start-row:hover { background: var(--_raised); }
  .start-row:focus-visible { outline-offset: -2px; background: var(--_active); }
  .start-row svg { color: var(--_muted); inline-size: 1em; block-size: 1em; }
  .start-row bdi { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
  .start-row[aria-current] { color: var(--_accent); font-weight: 600; }
  [part='recent-clear'] { margin-inline-start: auto; }
  .recent { display: flex; align-items: center; }
  .deeper { padding-inline-start: 1.2em; }
  @media (pointer: coarse) { .start-row { min-block-size: 2.75em; } }
`;
