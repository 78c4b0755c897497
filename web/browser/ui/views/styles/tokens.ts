/**
 * Colours, measures and font: what all other rules use.
 *
 * Colours follow the `color-scheme` that the page has set where the element stands (VitePress, Starlight,
 * Docusaurus and Material set it when their switch is used); `theme="dark"` and `theme="light"` override it.
 * What a theme does not name is mixed from what it does, so that text, background and accent are enough; where it names
 * no accent, controllers/accent.ts takes the page's links for one (`--_link`).
 * Every colour and measure is a custom property; lengths are in em of the size that the reader has set (`medium`, whatever the
 * page's root has) and lines may wrap, so text may grow to any size. Sides are logical, so right-to-left needs no second style sheet.
 */
import { css } from '../../lit.mjs';

export const tokens = css`
  :host {
    --_text: var(--sheaf-text, light-dark(#1b1f24, #e8eaed));
    --_muted: var(--sheaf-muted, light-dark(#59636e, #a3adb8));
    --_background: var(--sheaf-background, light-dark(#ffffff, #181b20));
    --_raised: var(--sheaf-raised, color-mix(in srgb, var(--_text) 5%, var(--_background)));
    --_border: var(--sheaf-border, color-mix(in srgb, var(--_text) 18%, var(--_background)));
    --_edge: var(--sheaf-field-border, color-mix(in srgb, var(--_text) 55%, var(--_background)));
    --_accent: var(--sheaf-accent, var(--_link, light-dark(#0550ae, #79b8ff)));
    --_active: var(--sheaf-active, color-mix(in srgb, var(--_accent) 12%, var(--_background)));
    --_mark: var(--sheaf-mark, color-mix(in srgb, var(--_accent) 18%, transparent));
    --_backdrop: var(--sheaf-backdrop, rgb(15 20 25 / 55%));
    --_shadow: var(--sheaf-shadow, 0 1em 3em rgb(0 0 0 / 25%));
    --_radius: var(--sheaf-radius, 0.6em);
    --_width: var(--sheaf-width, 42em);
    display: inline-block;
    color: var(--_text);
    font: 400 var(--sheaf-font-size, medium) / 1.5 sans-serif; font-family: var(--sheaf-font, inherit);
    text-align: start; text-indent: 0; text-transform: none; text-shadow: none;
    white-space: normal; letter-spacing: normal; word-spacing: normal; word-break: normal; hyphens: manual;
  }
  :host([mode='inline']), :host([mode='page']) { display: block; }
  :host([theme='light']) { color-scheme: light; }
  :host([theme='dark']) { color-scheme: dark; }
  :host([hidden]) { display: none; }
  @media print { :host(:not([mode='page'])) { display: none; } }
  @supports not (color: light-dark(red, red)) {
    :host {
      --_text: var(--sheaf-text, CanvasText); --_muted: var(--sheaf-muted, CanvasText);
      --_background: var(--sheaf-background, Canvas); --_raised: var(--sheaf-raised, Canvas);
      --_border: var(--sheaf-border, GrayText); --_edge: var(--sheaf-field-border, CanvasText); --_accent: var(--sheaf-accent, LinkText);
      --_active: var(--sheaf-active, Highlight); --_mark: var(--sheaf-mark, Mark);
    }
  }
`;
