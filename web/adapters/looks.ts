/**
 * How `<sheaf-search>` sits in a theme: the theme's own colours, and a button that shrinks to its icon
 * where the bar is narrow. Space is kept for the button until the script has come, so nothing moves.
 */

/** The colours and fonts of a theme, by the component's names for them. */
type Colour = 'text' | 'muted' | 'background' | 'raised' | 'border' | 'field-border' | 'accent' | 'active' | 'mark';
type Name = Colour | 'font' | 'font-size' | 'radius';
export type Palette = Partial<Record<Name, string>>;

/** A style sheet for the element below `within`. `narrow`: the width up to which the button is an icon. Pure. */
export function looks(within: string, palette: Palette, narrow: string): string {
  const set = Object.entries(palette)
    .map(([name, value]) => `--sheaf-${name}:${value}`)
    .join(';');
  const element = `${within} sheaf-search`;
  return [
    // Bars of navigation forbid line breaks, and the dialog inherits that.
    `${element}{${set};min-block-size:2.5em;white-space:normal;letter-spacing:normal;text-transform:none}`,
    `${element}:not(:defined){display:inline-block;min-inline-size:9em}`,
    `${element}::part(button){min-block-size:2.5em;white-space:nowrap}`,
    `@media (max-width:${narrow}){${element}:not(:defined){min-inline-size:2.75em}` +
      `${element}::part(button){inline-size:2.75em;block-size:2.75em;padding-inline:.8em;overflow:hidden}` +
      `${element}::part(button){background:none;border-color:transparent}` +
      `${element}::part(shortcut){display:none}}`,
  ].join('');
}
