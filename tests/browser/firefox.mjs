/** Starts Debian's Firefox over WebDriver BiDi, or says why it cannot. */
import { existsSync } from 'node:fs';

const PLACES = [process.env.FIREFOX, '/usr/bin/firefox-esr', '/usr/bin/firefox'];
const executablePath = PLACES.find((place) => place && existsSync(place));
export const noFirefox = executablePath === undefined && 'Firefox was not found; install the package firefox-esr, or name it in FIREFOX';
const PATIENCE_MS = 60_000;

/** A browser as Puppeteer has it; `newPage()` is a tab, all tabs share one reader. */
export async function launchFirefox(preferences = {}) {
  const { default: puppeteer } = await import('puppeteer-core');
  const browser = await puppeteer.launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    protocolTimeout: PATIENCE_MS,
    extraPrefsFirefox: { 'remote.log.level': 'Warn', ...preferences },
  });
  return {
    name: 'Firefox',
    version: await browser.version(),
    async newReader() {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      page.setDefaultTimeout(PATIENCE_MS);
      return {
        goto: (url) => page.goto(url, { waitUntil: 'load' }),
        evaluate: (code, ...args) => page.evaluate(code, ...args),
        press: (key) => page.keyboard.press(key),
        type: (text) => page.keyboard.type(text),
        picture: (path) => page.screenshot({ path }),
        close: () => context.close(),
      };
    },
    close: () => browser.close(),
  };
}
