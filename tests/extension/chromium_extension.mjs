/** Debian's Chromium with the extension in it, in a profile of its own that outlives a restart. */
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { extensionFolder } from '../../scripts/extension.mjs';
import { temporaryFolder } from '../node/packed.mjs';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser'];
const PATIENCE_MS = Number(process.env.SHEAF_PATIENCE_MS ?? 60_000);

/**
 * `hosts`: origins that the reader has allowed; the prompt for them cannot be pressed without a screen, so they are in the
 * manifest of this copy. `args`: further switches. `profile`: of an earlier browser.
 */
export async function startChromium({ hosts = [], args = [], profile = temporaryFolder('extension-profile'), locale, catalogue } = {}) {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  if (executablePath === undefined) throw new Error('Chromium was not found; install the package chromium, or name it in CHROMIUM.');
  const folder = await copyOf(profile, hosts, catalogue);
  const context = await chromium.launchPersistentContext(join(profile, 'profile'), {
    executablePath,
    headless: false,
    ...(locale === undefined ? {} : { env: { ...process.env, LANGUAGE: locale, LANG: `${locale}.UTF-8` } }),
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
      `--disable-extensions-except=${folder}`,
      `--load-extension=${folder}`,
      ...(locale === undefined ? [] : [`--lang=${locale}`]),
      ...args,
    ],
  });
  context.setDefaultTimeout(PATIENCE_MS);
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  const id = new URL(worker.url()).host;
  const problems = [];
  context.on('weberror', (error) => problems.push(String(error.error())));
  const open = async (path) => {
    const page = await context.newPage();
    await page.goto(`chrome-extension://${id}/${path}`);
    return page;
  };
  return {
    context,
    worker,
    id,
    open,
    problems,
    profile,
    address: (path) => `chrome-extension://${id}/${path}`,
    close: () => context.close(),
  };
}

/** In the profile, so that its path, and with it the extension's id, are the same after a restart. */
async function copyOf(profile, hosts, catalogue) {
  const folder = join(profile, 'extension');
  if (existsSync(folder)) return folder;
  cpSync(await extensionFolder('chromium'), folder, { recursive: true });
  if (hosts.length > 0) {
    const file = join(folder, 'manifest.json');
    const manifest = JSON.parse(readFileSync(file, 'utf8'));
    writeFileSync(file, JSON.stringify({ ...manifest, host_permissions: hosts }));
  }
  if (catalogue !== undefined) writeFileSync(join(folder, 'settings.json'), JSON.stringify({ catalogue }));
  return folder;
}

/** Calls the desk as a view does, from a page of the extension. What keeps the worker may only just be starting. */
export const ask = (page, name, ...args) =>
  page.evaluate(
    async ([method, given]) => {
      const once = () => {
        const port = chrome.runtime.connect({ name: 'sheaf-desk' });
        return new Promise((resolve, reject) => {
          let listens = false;
          port.onDisconnect.addListener(() => {
            void chrome.runtime.lastError;
            if (listens) reject(new Error('disconnected'));
            else resolve(undefined);
          });
          port.onMessage.addListener((message) => {
            if (message.type === 'ready') {
              listens = true;
              port.postMessage({ type: 'call', id: 1, name: method, args: given });
            }
            if (message.type !== 'answer') return;
            port.disconnect();
            if (message.error) reject(new Error(`${message.error.code}: ${message.error.message}`));
            else resolve({ value: message.value });
          });
        });
      };
      for (let pause = 10; ; pause *= 2) {
        const answer = await once();
        if (answer !== undefined) return answer.value;
        if (pause > 5000) throw new Error('nobody listens');
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    },
    [name, args],
  );

/** Until what the desk says of itself passes `test`, a function of the state. */
export async function until(page, test, what = String(test)) {
  const begun = Date.now();
  for (;;) {
    const state = await ask(page, 'state');
    if (test(state)) return state;
    if (Date.now() - begun > PATIENCE_MS) throw new Error(`${what} did not come to pass: ${JSON.stringify(state).slice(0, 2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
