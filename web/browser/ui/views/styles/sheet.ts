/**
 * The dialog on small screens: a sheet from below, whose handle the reader drags down to close it.
 *
 * It hangs from the top of what a soft keyboard leaves free (`--_above` and `--_screen`, controllers/modal.ts) and is as
 * high as that allows, so the list never lies behind the keyboard. The strip of page above it is the backdrop to tap.
 */
import { css } from '../../lit.mjs';

export const sheet = css`
  .handle { display: none; }
  @media (max-width: 40rem), (max-height: 30rem) {
    dialog, dialog.asked {
      --_strip: min(3em, 7vh);
      inline-size: 100vw; block-size: calc(var(--_screen, 100dvh) - var(--_strip)); max-block-size: none;
      inset-block: var(--_above, 0px) auto; margin: var(--_strip) 0 0; border-width: 1px 0 0; border-radius: 1em 1em 0 0;
      padding: 0 env(safe-area-inset-right) env(safe-area-inset-bottom) env(safe-area-inset-left);
      animation: rise 0.25s cubic-bezier(0.2, 0.8, 0.2, 1);
    }
    .handle { display: grid; flex: none; place-items: center; block-size: 1.5em; touch-action: none; cursor: grab; }
    .handle::before { content: ''; inline-size: 2.5em; block-size: 0.3em; border-radius: 1em; background: var(--_edge); }
    .dialog-field > svg { display: none; }
  }
  @keyframes rise { from { transform: translateY(100%); } }
  @media (forced-colors: active) { .handle::before { background: CanvasText; } }
`;
