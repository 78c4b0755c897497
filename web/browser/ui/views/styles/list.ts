/**
 * The hits: a quiet header for each page, and below it two lines for each of its sections, its path and its text, which a
 * line drawn beside them ties to the header. Where a path has no room, its middle gives way first, then its beginning,
 * and the title at its end wraps. The row that is unfolded takes more lines. What waits for hits (`.bones`) has the
 * measures of rows, so nothing moves when they come.
 */
import { css } from '../../lit.mjs';

export const list = css`
  .list { margin: 0; padding: 0; list-style: none; }
  .group + .group { margin-block-start: 0.3em; }
  .head, .hit { --_pad: 0.2em; display: flex; gap: 0.5em; padding: var(--_pad) 0.5em; border-radius: 0.4em; color: inherit; text-decoration: none; scroll-margin-block: 0.5em; }
  .head > svg, .hit > svg { inline-size: 0.95em; block-size: 1.26em; color: var(--_muted); stroke-width: 1.75; }
  .text { flex: 1; min-inline-size: 0; font-size: 0.9em; line-height: 1.4; white-space: nowrap; }
  .snippet { display: block; text-align: -webkit-match-parent; text-align: match-parent; }
  .snippet, .crumbs, .crumbs > bdi { overflow: hidden; text-overflow: ellipsis; }
  .line, .head:not(.hit) > .text, .crumbs { display: flex; align-items: baseline; gap: 0.35em; }
  .crumbs { flex-shrink: 9999; }
  .crumbs > bdi + bdi { flex-shrink: 9999; min-inline-size: 1em; }
  .title, .page-title, .unfolded .snippet { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; white-space: normal; overflow: hidden; overflow-wrap: anywhere; }
  .head:not(.hit) { padding-block: 0; color: var(--_muted); }
  .head:not(.hit) > .text { font-size: 0.8em; line-height: 1.5; }
  .head:not(.hit) > svg { block-size: 1.2em; }
  .head:not(.hit):hover { color: var(--_accent); }
  .title, .page-title { font-weight: 600; }
  .head:not(.hit) .page-title { font-weight: 500; }
  .crumbs, .snippet { color: var(--_muted); }
  code { font-family: var(--sheaf-font-code, ui-monospace, SFMono-Regular, Menlo, Consolas, monospace); font-size: 0.92em; }
  mark { color: var(--_text); background: var(--_mark); border-radius: 0.2em; }
  .label { font-size: 0.9em; padding-inline: 0.5em; border: 1px solid var(--_border); border-radius: 1em; color: var(--_muted); flex: none; }

  .head ~ .hit { position: relative; margin-inline-start: 1.45em; scroll-margin-block-start: 2.2em; }
  .head ~ .hit::before, .head ~ .hit::after { content: ''; position: absolute; inset-inline-start: -0.5em; pointer-events: none; }
  .head ~ .hit::before { inset-block: 0; border-inline-start: 1px solid var(--_border); }
  .head ~ .hit:last-child::before { inset-block-end: auto; block-size: calc(var(--_pad) + 0.63em); }
  .head ~ .hit::after { inset-block-start: calc(var(--_pad) + 0.63em); inline-size: 0.5em; border-block-start: 1px solid var(--_border); }

  .unfolded .line { flex-wrap: wrap; row-gap: 0; }
  .unfolded .snippet { -webkit-line-clamp: 3; }
  .unfolded code.snippet { display: block; white-space: pre; text-align: left; }
  .hit > .go { display: none; align-self: center; }
  .hit[aria-selected='true'] { background: var(--_active); box-shadow: inset 0 0 0 1px var(--_accent); }
  @media (pointer: fine) { .hit[aria-selected='true'] > .go { display: block; } }
  .page a.hit:hover { background: var(--_raised); }
  .page .hit { --_pad: 0.35em; }
  .weak .title, .weak .page-title { font-weight: 400; color: var(--_muted); }
  .answers { margin: 0; padding: 0.3em 0.5em 0.5em; font-size: 0.9em; color: var(--_muted); overflow-wrap: anywhere; }
  .answers strong { color: var(--_text); }
  .count { margin: 0; font-size: 0.9em; padding: 0.8em 0.5em; color: var(--_muted); }

  .bones { overflow: hidden; animation: fade 0.2s 0.15s backwards; }
  .bones b { block-size: 0.7em; margin-block: 0.28em; inline-size: 70%; border-radius: 0.3em; background: var(--_border); animation: pulse 1.2s infinite alternate ease-in-out; }
  .bones .head > b { inline-size: 30%; }
  .bones .hit > b { margin-block-end: 1.54em; box-shadow: 0 1.26em var(--_border); }
  .bones .hit:nth-child(even) > b { inline-size: 90%; }
  @keyframes pulse { to { opacity: 0.45; } }

  @media (pointer: coarse) {
    .hit { --_pad: 0.3em; min-block-size: 2.75em; }
    .head:not(.hit) { min-block-size: 2em; align-items: center; }
  }
  @media (max-width: 40rem) {
    .hit:not(.unfolded) span.snippet { display: -webkit-box; -webkit-box-orient: vertical; -webkit-line-clamp: 2; white-space: normal; }
  }
  @media (forced-colors: active) {
    .hit[aria-selected='true'] { outline: 3px solid Highlight; outline-offset: -3px; }
    .head, .crumbs, .snippet { color: CanvasText; }
    mark { forced-color-adjust: none; background: Mark; color: MarkText; }
    .bones b { border: 1px solid GrayText; }
  }
`;
