/**
 * The page around the modal dialog: it neither scrolls nor moves meanwhile, and gets back what it had said about that. The dialog
 * ends where a soft keyboard begins (`--_screen`, in styles.ts), which covers the page without changing its height.
 */

/** Shows the dialog; returns what gives the page free again. */
export function showOver(dialog: HTMLDialogElement): () => void {
  const { style, clientWidth } = document.documentElement;
  const { overflow, scrollbarGutter } = style;
  const viewport = visualViewport as VisualViewport; // null where a document is not shown
  // Its height times its scale: a reader who has zoomed in with two fingers sees less, without a keyboard.
  const fit = (): void => dialog.style.setProperty('--_screen', `${Math.round(viewport.height * viewport.scale)}px`);
  dialog.showModal(); // first: where it may not be shown, the page stays as it is
  if (innerWidth > clientWidth) style.scrollbarGutter = 'stable'; // the room of the scroll bar stays
  style.overflow = 'hidden';
  viewport.addEventListener('resize', fit);
  fit();
  return () => {
    Object.assign(style, { overflow, scrollbarGutter });
    viewport.removeEventListener('resize', fit);
  };
}
