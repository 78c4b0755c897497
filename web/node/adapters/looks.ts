/**
 * How `<sheaf-search>` sits in a theme: in the theme's own colours, behind a button with the measures of the theme's
 * own, which is an icon where the bar is narrow. Space is kept for the button until the script has come, so nothing
 * moves.
 *
 * The component's font is the one around it, and what the palette leaves out is mixed from the rest.
 */
import { type Palette, paletteRules } from '../site/themes.js';

/** What is declared of the button and its parts, each as CSS. */
export interface ButtonLooks {
  button: string;
  icon?: string;
  label?: string;
  shortcut?: string;
  key?: string;
  hover?: string;
  /** The width that is kept for it. */
  width: string;
}

export interface Looks {
  palette: Palette;
  /** The least width of the window at which the button is more than its icon. */
  wide: number;
  /** In any width; `box` is what the element itself declares. */
  box?: string;
  bar: ButtonLooks;
  /** Below `wide`: 44 pixels or more each way, because fingers press it. */
  icon: ButtonLooks;
}

/** Unseen, yet the button's name: what `display: none` would take away. */
const UNSEEN = 'position:absolute;inline-size:1px;overflow:hidden;clip-path:inset(50%);white-space:nowrap';

/** A style sheet for the element below `within`. Pure. */
export function looks(within: string, { palette, wide, box = '', bar, icon }: Looks): string {
  const element = `${within} sheaf-search`;
  return [
    `${element}{${paletteRules(palette)}${box}}`,
    `@media (min-width:${wide}px){`,
    ...rules(element, { ...bar, label: `all:unset;${bar.label ?? ''}` }),
    `}@media (max-width:${wide - 0.02}px){`,
    ...rules(element, {
      ...icon,
      button: `justify-content:center;padding:0;${icon.button}`,
      label: UNSEEN,
      shortcut: 'display:none',
    }),
    `}@media (pointer:coarse){${element}::part(button){min-inline-size:44px;min-block-size:44px}}`,
  ].join('');
}

function rules(element: string, { button, icon, label, shortcut, key, hover, width }: ButtonLooks): string[] {
  const part = (name: string, declarations: string | undefined): string =>
    declarations ? `${element}::part(${name}){${declarations}}` : '';
  return [
    `${element}:not(:defined){display:inline-block;inline-size:${width}}`,
    part('button', button),
    part('button-icon', icon),
    part('button-label', label),
    part('shortcut', shortcut),
    part('key', key),
    hover ? `${element}::part(button):hover{${hover}}` : '',
  ];
}
