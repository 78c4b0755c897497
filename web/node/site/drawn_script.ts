/**
 * `sheaf/place/THEME.js`, for themes whose script draws the whole document (React): keeps the button in their bar. Pages of other themes
 * load nothing of it.
 *
 * React takes over the document's elements some time after they are there (it "hydrates" them), and removes what it does not
 * know if the page differs from what it would draw. So the button waits until React has marked the element beside it, goes there, and
 * comes back when it is removed: by an observer, at most every 50 ms, and ever more seldom where it is removed at once. A window of
 * another width may have another bar. If no bar is in sight, it stays at the page's beginning, where the style sheet lets it float.
 */
export interface Drawn {
  /** CSS selectors of what the button stands before: the first whose parent is in sight. */
  before: readonly string[];
  /** The theme's own buttons, which open ours where they stay: a CSS selector. */
  own: string;
}

/** As long as the button waits for React's mark, whose name is none of its promises. */
const PATIENCE_MS = 5000;

/** Pure. */
export function drawnScript({ before, own }: Drawn, mark: string): string {
  return `// Made by sheaf site. Keeps the search in a bar that the page's own script draws.
{
  const isOurs = 'sheaf-search[${mark}]';
  const { dataset } = document.currentScript;
  const make = () => {
    const made = document.createElement('sheaf-search');
    for (const [name, value] of Object.entries(JSON.parse(dataset.sheafElement))) made.setAttribute(name, value);
    return made;
  };
  const search = document.querySelector(isOurs) ?? make(); // the page's script may have been faster
  const ends = Date.now() + ${PATIENCE_MS};
  const isDrawn = (element) => Date.now() > ends || Object.keys(element).some((key) => key.startsWith('__react'));
  const isInSight = (element) => element !== null && element.parentElement.getClientRects().length > 0;
  let wait = 50;
  let placed = 0;
  let timer;
  const later = () => (timer ??= setTimeout(stand, wait));
  const stand = () => {
    timer = undefined;
    if (search.shadowRoot?.querySelector('dialog[open]')) return later(); // moving would shut it
    const at = ${JSON.stringify(before)}.map((each) => document.querySelector(each)).find(isInSight);
    if (at === undefined ? search.parentElement === document.body : at.previousElementSibling === search) return;
    if (at !== undefined && !isDrawn(at)) return later();
    wait = Date.now() - placed < 1000 ? Math.min(2 * wait, 60_000) : 50;
    placed = Date.now();
    if (at === undefined) document.body.prepend(search);
    else at.before(search);
  };
  new MutationObserver(later).observe(document.documentElement, { childList: true, subtree: true });
  addEventListener('resize', later);
  later();
  // Its own keys and buttons open ours alone.
  const keep = (event) => event.defaultPrevented && event.stopPropagation();
  addEventListener('keydown', ({ key }) => /^[k/]$/i.test(key) && document.addEventListener('keydown', keep, { once: true }), true);
  addEventListener(
    'click',
    (event) => {
      if (!event.target.closest?.(${JSON.stringify(own)}) || !search.show) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      void search.show();
    },
    true,
  );
}
`;
}
