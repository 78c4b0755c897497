/**
 * The component's looks: constructed style sheets, shared by all elements, so no `style-src` rule of
 * a Content-Security-Policy blocks them. `styles/tokens.ts` has colours, measures and font, `styles/button.ts` the
 * button, `styles/list.ts` the hits.
 */
import { css } from '../lit.mjs';
import { button } from './styles/button.js';
import { columns } from './styles/columns.js';
import { list } from './styles/list.js';
import { sheet } from './styles/sheet.js';
import { start } from './styles/start.js';
import { tokens } from './styles/tokens.js';

const controls = css`
  *, ::before, ::after { box-sizing: border-box; }
  [hidden] { display: none !important; }
  button, input { font: inherit; color: inherit; letter-spacing: inherit; }
  button { cursor: pointer; background: none; border: 0; padding: 0; }
  :focus-visible { outline: 2px solid var(--_accent); outline-offset: 2px; }
  svg { inline-size: 1.15em; block-size: 1.15em; flex: none; fill: none; stroke: currentColor; stroke-width: 2; stroke-linecap: round; }
  kbd {
    font: inherit; font-size: 0.8em; line-height: 1.4; padding: 0.1em 0.45em; white-space: nowrap; color: var(--_muted);
    border: 1px solid var(--_border); border-radius: 0.35em; background: var(--_background);
  }
  .unseen { position: absolute; inline-size: 1px; block-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }

  .field { display: flex; align-items: center; gap: 0.6em; padding-inline: 1.1em; color: var(--_muted); }
  .field input {
    flex: 1; inline-size: 100%; min-inline-size: 0; min-block-size: 3.25em; padding: 0; border: 0; outline: 0; background: none; color: var(--_text);
    font-size: max(16px, 1em); text-overflow: ellipsis;
  }
  .field input::placeholder { color: var(--_muted); opacity: 1; }
  .field input::-webkit-search-cancel-button { display: none; }
  .boxed { border: 1px solid var(--_edge); border-radius: var(--_radius); background: var(--_background); }
  .boxed:focus-within { border-color: var(--_accent); box-shadow: 0 0 0 1px var(--_accent); }
  .dialog-field { border-block-end: 1px solid var(--_border); flex: none; }
  .dialog-field:focus-within { box-shadow: inset 0 -2px 0 var(--_accent); }
  .icon { display: inline-flex; align-items: center; justify-content: center; min-inline-size: 2.25em; min-block-size: 2.25em; border-radius: 0.4em; color: var(--_muted); }
  .icon:hover { background: var(--_active); color: var(--_text); }
  .text-button { color: var(--_accent); text-decoration: underline; text-underline-offset: 0.2em; min-block-size: 2em; padding-inline: 0.3em; margin-inline: -0.3em; border-radius: 0.3em; text-align: start; overflow-wrap: anywhere; }
  [part='close'] > svg { display: none; }
  @media (pointer: coarse) { [part='close'] { & > svg { display: block; } & > kbd { display: none; } } }
`;

const places = css`
  dialog {
    inline-size: min(var(--_width), 100vw - 2em); max-inline-size: none; block-size: 30em; max-block-size: min(56em, var(--_screen, 100dvh) - 12vh); margin: 8vh auto auto; padding: 0;
    flex-direction: column; overflow: hidden; color: var(--_text); background: var(--_background);
    border: 1px solid var(--_border); border-radius: var(--_radius); box-shadow: var(--_shadow); animation: enter 0.15s ease-out;
  }
  dialog[open] { display: flex; }
  dialog:where(.asked) { block-size: 100%; }
  dialog::backdrop { background: var(--_backdrop); animation: fade 0.15s ease-out; }
  .panel { display: flex; flex-direction: column; min-block-size: 0; flex: 1; }
  .scroll { overflow-y: auto; overscroll-behavior: contain; min-block-size: 0; flex: 1; padding: 0.4em; scroll-padding-block: 0.5em; }
  .inline { position: relative; }
  .popup {
    position: absolute; inset-inline: 0; inset-block-start: calc(100% + 0.4em); z-index: var(--sheaf-z-index, 100); display: flex; flex-direction: column;
    max-block-size: min(36em, 70dvh); overflow: hidden; background: var(--_background);
    border: 1px solid var(--_border); border-radius: var(--_radius); box-shadow: var(--_shadow);
  }
  .page .scroll { overflow: visible; padding-inline: 0; }
  @keyframes enter { from { opacity: 0; transform: translateY(-0.5em); } }
  @keyframes fade { from { opacity: 0; } }
`;

const answers = css`
  .note { padding: 1.2em 0.9em; color: var(--_muted); text-align: center; }
  .note p { margin: 0 0 0.5em; overflow-wrap: anywhere; }
  .note strong { color: var(--_text); }
  .note .text-button { border: 1px solid var(--_edge); padding-inline: 1em; margin: 0; text-decoration: none; }
  .bar { padding: 0.5em 0.7em; display: flex; flex-wrap: wrap; align-items: center; gap: 0.2em 0.6em; color: var(--_muted); }
  progress { inline-size: 100%; block-size: 0.3em; accent-color: var(--_accent); }

  .footer { flex: none; display: flex; flex-wrap: wrap; gap: 0.3em 1.2em; align-items: center; padding: 0.5em 1.1em; border-block-start: 1px solid var(--_border); font-size: 0.875em; color: var(--_muted); }
  .footer .end { margin-inline-start: auto; }
  .footer a { color: var(--_accent); }
  @media (pointer: coarse) {
    .keys, .bare { display: none; }
    .icon, .text-button { min-inline-size: 2.75em; min-block-size: 2.75em; }
  }
  @media (max-width: 40rem) { .keys, .bare { display: none; } }
  @media (prefers-reduced-motion: reduce) {
    *, dialog, dialog::backdrop { animation: none !important; transition: none !important; }
  }
  @media (forced-colors: active) {
    .dialog-field:focus-within, .boxed:focus-within { outline: 2px solid Highlight; outline-offset: -2px; }
  }
`;

export const styles = [tokens, controls, button, places, list, answers, columns, start, sheet];
