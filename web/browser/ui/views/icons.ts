/** Drawn with strokes in the text colour. */
import type { HitKind } from '../../client/types.js';
import { html, type TemplateResult } from '../lit.mjs';

export const glass = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="10.5" cy="10.5" r="8" /><path d="m16.5 16.5 5.5 5.5" /></svg>`;
export const cross = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18" /></svg>`;
/** A cross in a circle: empties the box, where a bare one closes. */
export const erase = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9" /><path d="m9 9 6 6m0-6-6 6" /></svg>`;
export const clock = html`<svg viewBox="0 0 24 24" aria-hidden="true"><circle cx="12" cy="12" r="9" /><path d="M12 7v5l3 2" /></svg>`;
/** A page, before its place and title. */
export const sheet = html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 3h8l4 4v14H6zM14 3v4h4" /></svg>`;
/** What Enter follows. */
export const enter = html`<svg class="go" viewBox="0 0 24 24" aria-hidden="true"><path d="M20 5v8H5m4-4-4 4 4 4" /></svg>`;

/** What a row shows of its section. */
export const kinds: Record<HitKind, TemplateResult> = {
  heading: html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M5 9h14M5 15h14M10 4 8 20m8-16-2 16" /></svg>`,
  code: html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="m8 7-5 5 5 5m8-10 5 5-5 5" /></svg>`,
  text: html`<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M4 7h16M4 12h16M4 17h10" /></svg>`,
};
