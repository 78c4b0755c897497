/**
 * The script that keeps pages of `sheaf serve DIR` up to date: an event stream announces each new index, and
 * elements that name an older one switch to it. The search box keeps its query and repeats the search.
 *
 * Idea: files of an index are called STEM-HASH.sheaf; wherever an attribute of a <sheaf-search> names one, the
 * current file of the same stem takes its place, whichever attribute it is.
 *
 * A hidden page closes its stream: browsers allow six connections per host for all pages together.
 */
export function livePage(eventsPath: string, entryPath: string, hasIndex: boolean): string {
  return `
// Served by sheaf serve: pages that are open use each new index.
{
  let files = {};
  let started = ${hasIndex};
  const NAME = /([\\w.-]+)-[0-9a-f]{12}\\.sheaf/g;
  const renew = (element) => {
    for (const { name, value } of [...element.attributes]) {
      const now = value.replace(NAME, (old, stem) => files[stem] ?? old);
      if (now !== value) element.setAttribute(name, now);
    }
  };
  const renewAll = () => document.querySelectorAll('sheaf-search').forEach(renew);
  const onIndex = async ({ data }) => {
    files = Object.fromEntries(JSON.parse(data).map((name) => [name.replace(/-[0-9a-f]{12}\\.sheaf$/, ''), name]));
    if (!started) {
      started = true;
      stream.close();
      document.removeEventListener('visibilitychange', listen);
      removeEventListener('pageshow', onShow);
      return import(${JSON.stringify(`${entryPath}?first`)}); // which holds this, too
    }
    renewAll();
  };
  let stream;
  const listen = () => {
    stream?.close();
    if (document.visibilityState === 'hidden') return;
    stream = new EventSource(${JSON.stringify(eventsPath)});
    stream.addEventListener('index', onIndex);
  };
  const stop = () => stream?.close();
  const onShow = (event) => event.persisted && listen();
  document.addEventListener('visibilitychange', listen);
  addEventListener('pagehide', stop);
  addEventListener('pageshow', onShow);
  new MutationObserver(renewAll).observe(document.documentElement, { childList: true, subtree: true });
  listen();
}
`;
}
