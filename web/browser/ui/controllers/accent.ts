/**
 * The accent on a page that names none (`--sheaf-accent`): the colour of the links in its text, where that can be read on
 * the box. Read when the box opens, because pages change their colours; the cost is two computed styles.
 *
 * Left alone are the blues of browsers, which are nobody's choice, and colours that are not plain `rgb()`.
 */
const OF_BROWSERS = ['rgb(0, 0, 238)', 'rgb(158, 158, 255)'];
/** What WCAG asks of text. */
const LEAST_CONTRAST = 4.5;

export function takeAccent(element: HTMLElement): void {
  const box = element.shadowRoot?.querySelector('dialog, .boxed');
  if (!box || getComputedStyle(element).getPropertyValue('--sheaf-accent') !== '') return;
  const link =
    document.querySelector(':is(main, article, [role=main]) :is(p, li) a[href]') ?? document.querySelector('p a[href]');
  const color = link === null ? '' : getComputedStyle(link).color;
  const isGood =
    !OF_BROWSERS.includes(color) && contrast(color, getComputedStyle(box).backgroundColor) >= LEAST_CONTRAST;
  if (isGood) element.style.setProperty('--_link', color);
  else element.style.removeProperty('--_link');
}

/** Of two colours as browsers compute them; 0 where one is not opaque `rgb()`. Pure. */
export function contrast(a: string, b: string): number {
  const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return dark < 0 ? 0 : (light + 0.05) / (dark + 0.05);
}

function luminance(color: string): number {
  const parts = /^rgb\((\d+), (\d+), (\d+)\)$/.exec(color);
  if (parts === null) return -1;
  const [r, g, b] = parts.slice(1).map((part) => {
    const share = Number(part) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
