/** Starts WebKitGTK's MiniBrowser over plain W3C WebDriver, without a screen under Xvfb; or says why it cannot. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const DRIVER = '/usr/bin/WebKitWebDriver';
const XVFB = '/usr/bin/Xvfb';
const LIBRARIES = ['/usr/lib/x86_64-linux-gnu', '/usr/lib/aarch64-linux-gnu'];
const binary = LIBRARIES.filter((folder) => existsSync(folder))
  .flatMap((folder) => readdirSync(folder).map((name) => `${folder}/${name}/MiniBrowser`))
  .find((file) => /webkit2?gtk/.test(file) && existsSync(file));
export const noWebKit =
  (!existsSync(DRIVER) || !existsSync(XVFB) || binary === undefined) &&
  'WebKit was not found; install the packages webkit2gtk-driver and xvfb';

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** A number of a screen that nobody has, as Xvfb finds it: it writes the number where it is told to. */
async function startScreen() {
  const screen = spawn(XVFB, ['-displayfd', '3', '-screen', '0', '1280x900x24', '-nolisten', 'tcp'], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  });
  const [number] = await once(screen.stdio[3], 'data');
  return { screen, display: `:${String(number).trim()}` };
}

/** As firefox.mjs; a reader is a session with storage of its own. */
export async function launchWebKit() {
  const { screen, display } = await startScreen();
  const port = await freePort();
  const driver = spawn(DRIVER, [`--port=${port}`, '--host=127.0.0.1'], {
    env: { ...process.env, DISPLAY: display, GDK_BACKEND: 'x11', WEBKIT_DISABLE_COMPOSITING_MODE: '1', NO_AT_BRIDGE: '1' },
    stdio: 'ignore',
  });
  const base = `http://127.0.0.1:${port}`;
  async function ask(path, body, method = body === undefined ? 'GET' : 'POST') {
    const answer = await fetch(base + path, { method, ...(body === undefined ? {} : { body: JSON.stringify(body) }) });
    const { value } = await answer.json();
    if (!answer.ok) throw new Error(`WebKitWebDriver: ${value.error}: ${value.message}`);
    return value;
  }
  for (let i = 0; i < 50; i++) {
    if (await ask('/status').catch(() => undefined)) break;
    await sleep(100);
  }
  return {
    name: 'WebKit',
    async newReader() {
      const { sessionId, capabilities } = await ask('/session', {
        capabilities: { alwaysMatch: { 'webkitgtk:browserOptions': { binary, args: ['--automation'] } } },
      });
      this.version = `${capabilities.browserName} ${capabilities.browserVersion}`;
      const at = `/session/${sessionId}`;
      await ask(`${at}/timeouts`, { script: 60_000, pageLoad: 60_000 });
      const keys = (list) =>
        ask(`${at}/actions`, {
          actions: [
            {
              type: 'key',
              id: 'keyboard',
              actions: list.flatMap((value) => [
                { type: 'keyDown', value },
                { type: 'keyUp', value },
              ]),
            },
          ],
        });
      return {
        goto: (url) => ask(`${at}/url`, { url }),
        async evaluate(code, ...args) {
          const script = `const done = arguments[arguments.length - 1];
Promise.resolve((${code})(...[].slice.call(arguments, 0, -1))).then((value) => done([value]), (error) => done(['', String(error)]));`;
          const [value, error] = await ask(`${at}/execute/async`, { script, args });
          if (error) throw new Error(error);
          return value;
        },
        press: (key) => keys([{ Enter: '\uE007', Escape: '\uE00C', ArrowDown: '\uE015' }[key] ?? key]),
        type: (text) => keys([...text]),
        picture: async (path) => writeFileSync(path, Buffer.from(await ask(`${at}/screenshot`), 'base64')),
        close: () => ask(at, undefined, 'DELETE'),
      };
    },
    async close() {
      for (const child of [driver, screen]) {
        const ended = child.exitCode === null ? once(child, 'exit') : undefined;
        child.kill();
        await ended;
      }
    },
  };
}
