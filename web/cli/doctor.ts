/** `sheaf doctor`: reports what works, what is missing, and how to fix it: on this machine, or at an address. */
import { execFile } from 'node:child_process';
import { constants, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { listModels, modelsFolder } from '../node/encoder/store.js';
import { configPath, loadConfig } from '../node/store/config.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { canAccess } from '../node/base/files.js';
import { Guard } from '../node/net/guarded_http.js';
import { choosePacker } from '../node/packer/find.js';
import { readPackerModule } from '../node/packer/module.js';
import { listStore, storeFolder } from '../node/store/store.js';
import { oneLine, paint, print, printJson } from '../node/base/terminal.js';
import { runCommand, type CommandOptions, type CommandResult } from '../node/sources/command.js';
import { runNpm } from '../node/sources/npm.js';
import { runPip } from '../node/sources/pip.js';
import { checkSite } from '../node/site/checkup/checkup.js';
import { Visitor } from '../node/site/checkup/visitor.js';
import { parseFlags } from './flags.js';
import { withWorkspace } from '../node/store/interrupt.js';

export const help = `Usage: sheaf doctor [--json]
       sheaf doctor https://SITE/PAGE [--json] [--allow-private]

Checks this machine: the core, the packer, the store, the configuration, models, and the programs
that some sources need. Exit code 1: something that every use needs is broken.

With the address of a page, checks how its search is deployed, in some thirty requests: files,
types, compression, ranges, caching, policy, origins, sizes; opens the bundle and searches it once.
Exit code 1: something keeps the search from working.

      --json            [{"name", "state", "detail", "advice"?}]; states are ok, missing and broken,
                        or ok, warn and fail
      --allow-private   also ask private addresses that the page or a redirect names; one that you
                        type needs no flag`;

interface Finding {
  name: string;
  /** missing: only some uses need it. warn: it works, at a price. */
  state: 'ok' | 'missing' | 'warn' | 'broken' | 'fail';
  detail: string;
  advice?: string;
}

const run_ = promisify(execFile);

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('doctor', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, 'allow-private': { type: 'boolean' } },
  });
  const [address] = positionals;
  if (positionals.length > 1) throw usageError('Give the address of one page, or none. See: sheaf doctor --help');
  const findings =
    address === undefined ? await ofMachine() : await ofAddress(address, values['allow-private'] ?? false);
  if (values.json) printJson(findings);
  else print(render(findings));
  return findings.some(({ state }) => state === 'broken' || state === 'fail') ? EXIT.FAILURE : EXIT.OK;
}

/** Error: it is no address, or its host cannot be asked. */
async function ofAddress(text: string, allowPrivate: boolean): Promise<Finding[]> {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw usageError(
      `'${oneLine(text).slice(0, 200)}' is not the address of a page, such as https://docs.example.org/`,
    );
  const guard = new Guard({
    allowPrivate,
    own: address,
    refuse: (url, found) =>
      new CliError(
        EXIT.FAILURE,
        found === undefined
          ? `${url.href} is refused: only http and https addresses are asked.`
          : `${url.origin} is refused: ${found} is an address of this machine or a private network. If that is meant, add --allow-private.`,
      ),
  });
  return withWorkspace(async (_, signal) => {
    try {
      return await checkSite(address, new Visitor(guard, signal));
    } catch (error) {
      if (error instanceof CliError || signal.aborted) throw error;
      throw new CliError(EXIT.FAILURE, `${address.href} could not be checked: ${(error as Error).message}.`);
    }
  });
}

function ofMachine(): Promise<Finding[]> {
  return withWorkspace((folder, signal) => {
    const options: CommandOptions = { folder, signal, env: process.env };
    return Promise.all([
      node(),
      core(),
      packer(),
      configuration(),
      store(),
      models(),
      runtime(),
      tool('git', 'git --version', 'sheaf add of git repositories', () =>
        runCommand('git', ['--version'], '', options),
      ),
      tool('npm', 'npm --version', 'sheaf add npm:NAME', () => runNpm(['--version'], options)),
      tool('python3', 'python3 -m pip --version', 'sheaf add pypi:NAME where only wheels exist', () =>
        runPip(['--version'], options),
      ),
    ]);
  });
}

/** Pure. */
export function render(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const [good, little, bad] = [paint('cyan', '✓'), paint('dim', '–'), paint('red', '✗')];
  const mark = { ok: good, missing: little, warn: paint('bold', '!'), broken: bad, fail: bad };
  return findings
    .flatMap(({ name, state, detail, advice }) => [
      `${mark[state]} ${name.padEnd(width)}  ${oneLine(detail)}`,
      ...(advice === undefined ? [] : [`  ${' '.repeat(width)}  ${oneLine(advice)}`]),
    ])
    .join('\n');
}

/** A check that throws counts as broken, with the error's message. */
async function check(name: string, advice: string, body: () => Promise<string>): Promise<Finding> {
  try {
    return { name, state: 'ok', detail: await body() };
  } catch (error) {
    return { name, state: 'broken', detail: (error as Error).message, advice };
  }
}

const node = (): Promise<Finding> =>
  check('Node', 'Install Node 20.3 or newer.', async () => {
    const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
    if (major < 20 || (major === 20 && minor < 3)) throw new Error(`${process.versions.node} is too old`);
    return `${process.versions.node}, ${availableParallelism()} threads`;
  });

const core = (): Promise<Finding> =>
  check('Search core', 'Build it again: npm run build', async () => {
    const { open } = await import('../node/client/node.js');
    // The core must load and must reject this as not a bundle.
    const refused = await open(new Uint8Array(64)).then(
      () => undefined,
      (error: { code?: string; message: string }) => error,
    );
    if (refused?.code === 'WASM') throw refused;
    return 'WebAssembly loads';
  });

/** Which packer runs, why, and what was found and passed over. */
const packer = (): Promise<Finding> =>
  check('Packer', 'Correct or unset SHEAF_PACK, or install sheaf again.', async () => {
    const choice = await choosePacker();
    const others = choice.passedOver.map(({ path, why }) => `; not ${path}: ${why}`).join('');
    if (choice.kind === 'native') {
      const version =
        choice.version ?? (await run_(choice.path, ['--version'])).stdout.replace(/^sheaf-pack /, '').trim();
      return `native, ${version}, ${choice.path}: ${choice.because}${others}`;
    }
    await readPackerModule();
    return `WebAssembly module: ${choice.because}${others}`;
  });

const configuration = (): Promise<Finding> =>
  check('Configuration', 'sheaf config reset', async () => (await loadConfig()) && configPath());

const store = (): Promise<Finding> =>
  check('Store', `Is ${storeFolder()} a folder that you may read?`, async () => {
    const folder = storeFolder();
    const bundles = await listStore(folder);
    await mkdir(folder, { recursive: true });
    const writable = await canAccess(folder, constants.W_OK);
    return `${bundles.length} ${bundles.length === 1 ? 'bundle' : 'bundles'} in ${folder}${writable ? '' : ' (read-only)'}`;
  });

async function models(): Promise<Finding> {
  const found = await listModels().catch(() => []);
  if (found.length === 0)
    return {
      name: 'Models',
      state: 'missing',
      detail: `none in ${modelsFolder()}`,
      advice: 'Only transformer encoders need one: sheaf model add all-MiniLM-L6-v2',
    };
  const broken = found.filter((model) => 'problem' in model);
  const names = found.map((model) => ('descriptor' in model ? model.descriptor.name : model.name)).join(', ');
  return {
    name: 'Models',
    state: broken.length > 0 ? 'broken' : 'ok',
    detail: names,
    ...(broken.length > 0 ? { advice: 'sheaf model verify tells what is wrong.' } : {}),
  };
}

async function runtime(): Promise<Finding> {
  for (const name of ['onnxruntime-node', 'onnxruntime-web']) {
    try {
      await import(name);
      return { name: 'ONNX Runtime', state: 'ok', detail: name };
    } catch {
      // the next one, or told below
    }
  }
  return {
    name: 'ONNX Runtime',
    state: 'missing',
    detail: 'not installed',
    advice: 'Only transformer encoders need it: npm install onnxruntime-node',
  };
}

async function tool(
  name: string,
  command: string,
  needed: string,
  run: () => Promise<CommandResult>,
): Promise<Finding> {
  const result = await run().catch(() => undefined);
  if (result?.code === 0) return { name, state: 'ok', detail: result.stdout.trim().split('\n')[0] ?? '' };
  return { name, state: 'missing', detail: `${command} does not run`, advice: `Needed by ${needed} alone.` };
}
