/**
 * A client module of Docusaurus, shared with the search bar: tells when a requested page is shown. The
 * router names it as soon as it is asked for, long before its code has come.
 */
let arrived: (() => void) | undefined;

/** Asks for a page; resolves when it is there. */
export function arrival(ask: () => void): Promise<void> {
  return new Promise((resolve) => {
    arrived = resolve;
    ask();
  });
}

/** Called by Docusaurus. */
export function onRouteDidUpdate(): void {
  arrived?.();
  arrived = undefined;
}
