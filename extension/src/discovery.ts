/**
 * Whether the page that is being read has an offline index. Runs only when the reader opened the popup there, which gives
 * the extension this one page until it is left (activeTab), and reads addresses alone; the list itself is fetched when
 * the reader asks for it, by the page's own origin, so that it needs no permission either.
 */
import { MOST_LIST_BYTES, plainText, webAddress } from './plain.js';

export interface Found {
  tab: number;
  /** Of the site's list. */
  address: string;
  title: string;
}

/** In the page: must not refer to anything outside of itself. */
function look(): { lists: string[]; title: string } {
  const lists: string[] = [];
  for (const element of document.querySelectorAll(
    'script[src*="sheaf/sheaf.js"], link[rel~="sheaf"][href], meta[name="sheaf-list"]',
  )) {
    const named = element.getAttribute('src') ?? element.getAttribute('href') ?? element.getAttribute('content') ?? '';
    try {
      const url = new URL(named, document.baseURI);
      lists.push(url.pathname.endsWith('/sheaf.js') ? new URL('site.json', url).href : url.href);
    } catch {
      // no address
    }
  }
  const site = document.querySelector('meta[property="og:site_name"]')?.getAttribute('content');
  return { lists: lists.slice(0, 8), title: site ?? document.title };
}

/** In the page, as above. */
async function read(address: string, most: number): Promise<string> {
  const response = await fetch(address, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`The server answered ${response.status}.`);
  const text = await response.text();
  if (text.length > most) throw new Error('The list is too long.');
  return text;
}

/** Undefined for pages without an index, and for those that no extension may look at. */
export async function discover(tab?: number): Promise<Found | undefined> {
  try {
    const id = tab ?? (await chrome.tabs.query({ active: true, lastFocusedWindow: true }))[0]?.id;
    if (id === undefined) return undefined;
    const [answer] = await chrome.scripting.executeScript({ target: { tabId: id }, func: look });
    if (answer?.result === undefined) return undefined;
    const { lists, title } = answer.result as { lists: unknown[]; title: unknown };
    const address = lists.map((each) => webAddress(each)).find((each) => each !== undefined);
    return address === undefined ? undefined : { tab: id, address, title: plainText(title, 80) };
  } catch {
    return undefined;
  }
}

export async function readList({ tab, address }: Found): Promise<string> {
  const [answer] = await chrome.scripting.executeScript({
    target: { tabId: tab },
    func: read,
    args: [address, MOST_LIST_BYTES],
  });
  if (typeof answer?.result !== 'string') throw new Error('The list of this site could not be read.');
  return answer.result;
}
