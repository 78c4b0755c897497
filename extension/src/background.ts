/**
 * Chromium's service worker, and Firefox's background page: address bar, menu, keys, and the ledger. It holds nothing
 * that must last: each event may find it started anew. In Firefox it also is the page that keeps the worker.
 */
import { DeskClient, ensureHost } from './connect.js';
import { Host } from './host.js';
import { answerKeeper, ownKeeper, type ToBackground } from './ledger_keeper.js';
import { hitPath, searchPath } from './addresses.js';
import { plainSuggestion, suggestionOf } from './suggestions.js';

/** A query for the side panel, which may not be open yet. */
export interface Asked {
  query: string;
  at: number;
}

const MENU = 'search-selection';
const SUGGESTIONS = 6;

const { offscreen, sidePanel } = chrome as { offscreen?: typeof chrome.offscreen; sidePanel?: typeof chrome.sidePanel };
const { sidebarAction } = chrome as unknown as { sidebarAction?: { open(): Promise<void> } };

let desk: DeskClient;
if (offscreen === undefined) {
  const host = new Host(ownKeeper);
  host.start();
  desk = new DeskClient(() => Promise.resolve(host.port()));
} else {
  desk = new DeskClient();
}

chrome.runtime.onMessage.addListener((message: ToBackground, sender, respond) => {
  if (sender.id !== chrome.runtime.id || message?.to !== 'background') return false;
  void answerKeeper(message).then(respond);
  return true;
});

// ---- what was running goes on ----------------------------------------------------------------------

async function goOn(): Promise<void> {
  const ledger = await ownKeeper.read();
  if (ledger?.downloads.some(({ status }) => status === 'running' || status === 'checking'))
    await desk.call('state', []);
}

chrome.runtime.onStartup.addListener(() => void goOn());

// ---- the address bar -------------------------------------------------------------------------------

const xml = offscreen !== undefined; // Chromium
let asking: AbortController | undefined;

function setDefault(text: string): void {
  chrome.omnibox.setDefaultSuggestion({ description: plainSuggestion(text, xml) });
}

chrome.omnibox.onInputStarted.addListener(() => {
  setDefault(chrome.i18n.getMessage('omniboxHint'));
  void ensureHost();
});

chrome.omnibox.onInputChanged.addListener((text, suggest) => {
  asking?.abort();
  const query = text.trim();
  if (query === '') return;
  const { signal } = (asking = new AbortController());
  setDefault(chrome.i18n.getMessage('omniboxAll', [query]));
  void desk
    .call('search', [text, { topK: SUGGESTIONS, by: 'page' }, ''], signal)
    .then(({ hits }) => {
      if (signal.aborted) return;
      const seen = new Set<string>();
      const suggestions = hits.flatMap((hit) => {
        const content = chrome.runtime.getURL(hitPath(hit, query));
        if (seen.has(content)) return [];
        seen.add(content);
        return [{ content, description: suggestionOf(hit, xml) }];
      });
      if (hits.length === 0) setDefault(chrome.i18n.getMessage('omniboxNothing', [query]));
      suggest(suggestions);
    })
    .catch(() => {});
});

chrome.omnibox.onInputEntered.addListener((text, disposition) => {
  const own = text.startsWith(chrome.runtime.getURL('reader.html?'));
  const url = own ? text : chrome.runtime.getURL(searchPath(text.trim()));
  if (disposition === 'currentTab') void chrome.tabs.update({ url });
  else void chrome.tabs.create({ url, active: disposition === 'newForegroundTab' });
});

// ---- menu and keys ---------------------------------------------------------------------------------

chrome.runtime.onInstalled.addListener(() => {
  chrome.contextMenus.removeAll(() => {
    chrome.contextMenus.create({
      id: MENU,
      contexts: ['selection'],
      title: chrome.i18n.getMessage('menuSearch', ['%s']),
    });
  });
});

chrome.contextMenus.onClicked.addListener(({ menuItemId, selectionText = '' }, tab) => {
  if (menuItemId !== MENU) return;
  const opened = openPanel(tab?.windowId); // at once: a panel opens only while the browser sees a reader's press
  const asked: Asked = { query: selectionText.trim().slice(0, 500), at: Date.now() };
  void chrome.storage.session.set({ asked });
  opened.catch(() => chrome.tabs.create({ url: chrome.runtime.getURL(searchPath(asked.query)) }));
});

chrome.commands.onCommand.addListener((command, tab) => {
  if (command === 'open-panel') openPanel(tab?.windowId).catch(() => {});
});

function openPanel(windowId: number | undefined): Promise<void> {
  if (sidePanel !== undefined && windowId !== undefined) return sidePanel.open({ windowId });
  if (sidebarAction !== undefined) return sidebarAction.open();
  return Promise.reject(new Error('This browser has no side panel.'));
}
