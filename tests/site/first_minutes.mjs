/**
 * Types what README says to three kinds of people, as somebody who has Node and this package, and nothing of ours: a searched site,
 * an agent that answers, a loaded extension. Each is timed from the installation on and tried as its user would.
 *
 *   node tests/site/first_minutes.mjs [site] [agent] [extension]      all three unless named; exit code 1 where one fails or takes five minutes
 *
 * The commands are read from README's table, so a page that says something else is typed as it is. The agent's needs
 * github.com. The package is what `npm pack` makes of this tree. The extension is made in this tree: where nothing was built before,
 * the compilers take most of its time, and it is late.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { chromium } from 'playwright-core';
import { serveStatic } from '../adapters/static_server.mjs';
import { launchChromium } from '../browser/chromium.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const LIMIT_S = 300;
let work;

/** The code of a row of README's table, by the words of its first column. Pure. */
export function commandsFor(readme, who) {
  const row = readme.split('\n').find((line) => line.startsWith(`| ${who}`));
  if (row === undefined) throw new Error(`README has no row for "${who}"`);
  return [...row.split('|')[2].matchAll(/`([^`]+)`/g)].map(([, code]) => code);
}

const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** A home of its own, and a folder in it. */
function stranger(name) {
  const home = join(work, name);
  mkdirSync(join(home, 'project'), { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, CI: '1', NO_COLOR: '1', npm_config_cache: join(home, '.npm') };
  for (const [key, value] of Object.entries(process.env))
    if (/^(npm_config_registry|https?_proxy|no_proxy|git_config_global)$/i.test(key)) env[key] = value;
  return { folder: join(home, 'project'), env };
}

/** Types a line into a shell; what it printed. */
function type(line, { folder, env }) {
  console.log(`  $ ${line}`);
  const { status, stdout, stderr } = spawnSync('sh', ['-c', line], { cwd: folder, env, encoding: 'utf8', maxBuffer: 1 << 26 });
  if (status !== 0) throw new Error(`\`${line}\` ended with ${status}:\n${(stdout + stderr).slice(-2000)}`);
  return stdout;
}

let tarball;
function install(who) {
  if (tarball === undefined) {
    const made = spawnSync('npm', ['pack', '--json', '--ignore-scripts', '--pack-destination', work], { cwd: ROOT, encoding: 'utf8' });
    tarball = join(work, JSON.parse(made.stdout)[0].filename);
  }
  writeFileSync(join(who.folder, 'package.json'), '{"private": true}\n');
  return () => type(`npm install --no-audit --no-fund ${tarball}`, who);
}

const TRIES = {
  async site() {
    const who = stranger('site');
    const begin = install(who);
    cpSync(join(ROOT, 'tests/adapters/plain'), join(who.folder, 'public'), { recursive: true });
    return async () => {
      begin();
      type(commandsFor(readme, 'a documentation site')[0], who);
      const host = await serveStatic(join(who.folder, 'public'), '/');
      const browser = await launchChromium();
      try {
        const page = await browser.newPage();
        await page.goto(host.origin);
        await page.waitForFunction(() => document.querySelector('sheaf-search')?.hasUpdated);
        await page.keyboard.press('Control+k');
        await page.keyboard.type('errors');
        await page.waitForFunction(() => document.querySelector('sheaf-search').state?.answered === 'errors');
        const hits = await page.locator('sheaf-search a[href]').count();
        assert.ok(hits > 0, 'the search of the site found no page');
        return `${hits} links for "errors" in Chromium`;
      } finally {
        await browser.close();
        await host.close();
      }
    };
  },

  async agent() {
    const who = stranger('agent');
    const begin = install(who);
    const [line, ...clients] = commandsFor(readme, 'a coding agent');
    assert.ok(clients.includes('--cursor'), 'README names Cursor');
    return async () => {
      begin();
      type(line.replace('--claude-code', '--cursor'), who);
      const { sheaf } = JSON.parse(readFileSync(join(who.env.HOME, '.cursor/mcp.json'), 'utf8')).mcpServers;
      const client = new Client({ name: 'first-minutes', version: '1' });
      await client.connect(new StdioClientTransport({ command: sheaf.command, args: sheaf.args, env: who.env, stderr: 'ignore' }));
      try {
        const { content, isError } = await client.callTool({
          name: 'search_documents_tool',
          arguments: { query: 'run code when a value changes', library_name: 'vue', version: 'latest' },
        });
        const text = content.map((part) => part.text).join('\n');
        assert.ok(!isError && /watch/i.test(text), `the agent was answered:\n${text.slice(0, 1000)}`);
        return `${text.length} characters about watchers for "run code when a value changes"`;
      } finally {
        await client.close();
      }
    };
  },

  async extension() {
    const [line, folder] = commandsFor(readme, 'no network');
    return async () => {
      type(line, { folder: ROOT, env: process.env });
      const unpacked = join(ROOT, folder);
      const context = await chromium.launchPersistentContext(join(work, 'profile'), {
        executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        headless: false,
        args: [
          '--headless=new',
          '--no-sandbox',
          '--disable-gpu',
          `--disable-extensions-except=${unpacked}`,
          `--load-extension=${unpacked}`,
        ],
      });
      try {
        const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
        const { default_popup: popup } = JSON.parse(readFileSync(join(unpacked, 'manifest.json'), 'utf8')).action;
        const page = await context.newPage();
        await page.goto(new URL(popup, worker.url().replace(/[^/]*$/, '')).href.replace(/(chrome-extension:\/\/[^/]+\/).*/, `$1${popup}`));
        assert.ok((await page.locator('body').innerText()).length > 0, 'the popup is empty');
        return `loaded as ${new URL(worker.url()).host}, its popup opens`;
      } finally {
        await context.close();
      }
    };
  },
};

async function main(names) {
  const strangers = names.filter((name) => !Object.hasOwn(TRIES, name));
  if (strangers.length > 0) throw new Error(`There is no ${strangers.join(', ')}; known are ${Object.keys(TRIES).join(', ')}`);
  let failed = 0;
  for (const name of names.length > 0 ? names : Object.keys(TRIES)) {
    console.log(name);
    try {
      const go = await TRIES[name]();
      const begun = performance.now();
      const found = await go();
      const took = (performance.now() - begun) / 1000;
      const isLate = took > LIMIT_S;
      console.log(`${isLate ? '✗' : '✓'} ${name.padEnd(10)} ${took.toFixed(0).padStart(4)} s  ${found}`);
      if (isLate) failed += 1;
    } catch (error) {
      failed += 1;
      console.log(`✗ ${name.padEnd(10)} ${error.message}`);
    }
  }
  return failed > 0 ? 1 : 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  work = mkdtempSync(join(tmpdir(), 'sheaf-first-minutes-'));
  try {
    process.exitCode = await main(process.argv.slice(2));
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  }
}
