/**
 * The component's looks: constructed style sheets, shared by all elements, so no `style-src` rule of
 * a Content-Security-Policy blocks them. `styles/tokens.ts` has colours, measures and font, `styles/button.ts` the button.
 */
import { css } from '../lit.mjs';
import { button } from './styles/button.js';
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
  [part='close'] { text-decoration: none; overflow-wrap: normal; }
`;

const places = css`
  dialog {
    inline-size: min(var(--_width), 100vw - 2em); max-inline-size: none; max-block-size: min(44em, var(--_screen, 100dvh) - 12vh); margin: 8vh auto auto; padding: 0;
    flex-direction: column; overflow: hidden; color: var(--_text); background: var(--_background);
    border: 1px solid var(--_border); border-radius: var(--_radius); box-shadow: var(--_shadow); animation: enter 0.15s ease-out;
  }
  dialog[open] { display: flex; }
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
  @media (max-width: 40rem), (max-height: 30rem) {
    dialog {
      inline-size: 100vw; block-size: var(--_screen, 100dvh); max-block-size: none; margin: 0; border: 0; border-radius: 0;
      padding: env(safe-area-inset-top) env(safe-area-inset-right) env(safe-area-inset-bottom);
    }
    .dialog-field > svg { display: none; }
  }
  @keyframes enter { from { opacity: 0; transform: translateY(-0.5em); } }
  @keyframes fade { from { opacity: 0; } }
`;

const answers = css`
  .list { margin: 0; padding: 0; list-style: none; }
  .group + .group { margin-block-start: 0.35em; padding-block-start: 0.35em; border-block-start: 1px solid var(--_border); }
  .hit { display: block; padding: 0.55em 0.7em; min-block-size: 2.75em; border-radius: 0.45em; color: inherit; text-decoration: none; overflow-wrap: anywhere; scroll-margin-block: 0.5em; }
  .hit.sub { margin-inline-start: 1.1em; border-inline-start: 2px solid var(--_border); border-start-start-radius: 0; border-end-start-radius: 0; }
  a.hit:hover { background: var(--_raised); }
  .hit[aria-selected='true'], .hit[aria-selected='true']:hover { background: var(--_active); box-shadow: inset 0 0 0 2px var(--_accent); }
  .hit > * { display: block; }
  .title > :first-child, .crumbs, .snippet, .recent bdi { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; overflow: hidden; }
  .title > :first-child { display: -webkit-inline-box; vertical-align: top; }
  .hit:not(.sub) > .snippet { -webkit-line-clamp: 3; }
  .title { font-weight: 600; color: var(--_accent); }
  div.hit .title { color: inherit; }
  .sub .title { font-size: 0.95em; }
  .label { display: inline-block; font-size: 0.8em; font-weight: 400; padding: 0.1em 0.5em; border: 1px solid var(--_border); border-radius: 1em; color: var(--_muted); }
  .crumbs { font-size: 0.85em; color: var(--_muted); }
  .snippet { text-align: -webkit-match-parent; text-align: match-parent; font-size: 0.9em; color: var(--_text); margin-block-start: 0.1em; }
  mark { color: inherit; background: var(--_mark); border-radius: 0.2em; padding-block: 0.1em; }

  .note { padding: 1.2em 0.9em; color: var(--_muted); text-align: center; }
  .note p { margin: 0 0 0.5em; overflow-wrap: anywhere; }
  .note strong { color: var(--_text); }
  .note .text-button { border: 1px solid var(--_edge); padding-inline: 1em; margin: 0; text-decoration: none; }
  .bar { padding: 0.5em 0.7em; display: flex; flex-wrap: wrap; align-items: center; gap: 0.2em 0.6em; color: var(--_muted); }
  .count { margin: 0; font-size: 0.9em; padding: 0.8em 0.8em 0; color: var(--_muted); }
  [part='recent-clear'] { margin-inline-start: auto; }
  .recent { display: flex; align-items: center; }
  .recent > :first-child { flex: 1; display: flex; gap: 0.6em; align-items: center; text-align: start; min-block-size: 2.75em; padding-inline: 0.7em; border-radius: 0.45em; overflow-wrap: anywhere; }
  .recent > :first-child:hover { background: var(--_raised); }
  .bones { padding: 0.7em; display: grid; gap: 0.7em; animation: fade 0.2s 0.15s backwards; }
  .bones i { block-size: 0.9em; border-radius: 0.3em; background: var(--_border); animation: pulse 1.2s infinite alternate ease-in-out; }
  .bones i:nth-child(even) { inline-size: 70%; }
  @keyframes pulse { to { opacity: 0.45; } }
  progress { inline-size: 100%; block-size: 0.3em; accent-color: var(--_accent); }

  .footer { flex: none; display: flex; flex-wrap: wrap; gap: 0.3em 1.2em; align-items: center; padding: 0.5em 1.1em; border-block-start: 1px solid var(--_border); font-size: 0.85em; color: var(--_muted); }
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
    .hit[aria-selected='true'] { outline: 3px solid Highlight; outline-offset: -3px; }
    .crumbs, .snippet { color: CanvasText; }
    mark { forced-color-adjust: none; background: Mark; color: MarkText; }
    .dialog-field:focus-within, .boxed:focus-within { outline: 2px solid Highlight; outline-offset: -2px; }
    .bones i { border: 1px solid GrayText; }
  }
`;

export const styles = [tokens, controls, button, places, answers];
