/**
 * Starts the system's Chromium, quiet and off the network. Its headless shell, the same engine without the browser around it, takes
 * two thirds of the processor time or less.
 */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/lib/chromium/chromium-headless-shell', // the one in /usr/bin is a shell that stays
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/usr/bin/google-chrome-stable',
];
/** What is awaited comes late on a busy machine; where it comes, the limit costs nothing. */
const PATIENCE_MS = 60_000;

/** `more`: further switches of the program; `scrollbars`: with those that take room from the page. */
export async function launchChromium(more = [], { scrollbars = false } = {}) {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  if (executablePath === undefined)
    throw new Error(
      'Chromium was not found; install the package chromium-headless-shell or chromium, or name the program in the variable CHROMIUM.',
    );
  const browser = await chromium.launch({
    executablePath,
    ignoreDefaultArgs: scrollbars ? ['--hide-scrollbars'] : [],
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      ...more,
    ],
  });
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}

/** Somebody who has seen nothing yet, on a page of their own; `problems` are errors that no code caught. */
export async function newReader(browser, options = {}) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  const problems = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  return { context, page, problems };
}

/** As firefox.mjs and webkit.mjs: what tests of all three browsers use. */
export async function launchChromiumBrowser() {
  const browser = await launchChromium();
  return {
    name: 'Chromium',
    version: browser.version(),
    async newReader() {
      const { context, page } = await newReader(browser);
      return {
        goto: (url) => page.goto(url),
        // An expression, which no policy of the page holds back.
        evaluate: (code, ...args) => page.evaluate(`(${code})(...${JSON.stringify(args)})`),
        press: (key) => page.keyboard.press(key),
        type: (text) => page.keyboard.type(text),
        picture: (path) => page.screenshot({ path }),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
