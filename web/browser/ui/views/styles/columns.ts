/** Room for a preview beside the list: on wide screens (64rem, as in controllers/preview.ts), where the dialog has one. */
import { css } from '../../lit.mjs';

export const columns = css`
  .columns { display: flex; flex-direction: column; flex: 1; min-block-size: 0; }
  @media (min-width: 64rem) {
    .wide { inline-size: min(max(var(--_width), clamp(72em, 75vw, 96em)), 100vw - 4em); }
    .wide .split { display: grid; grid-template: minmax(0, 1fr) / minmax(0, 1fr) minmax(0, 1fr); }
  }
`;
