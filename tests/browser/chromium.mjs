/** Starts the system's Chromium, quiet and off the network. */
import { existsSync } from 'node:fs';
import { chromium } from 'playwright-core';

const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome', '/usr/bin/google-chrome-stable'];

export async function launchChromium() {
  const executablePath = PLACES.find((place) => place && existsSync(place));
  if (executablePath === undefined) throw new Error('Chromium was not found; install the package chromium, or name the program in the variable CHROMIUM.');
  return chromium.launch({
    executablePath,
    args: [
      '--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync',
    ],
  });
}
