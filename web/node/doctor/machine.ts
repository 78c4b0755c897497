/** Checks of this machine: what sheaf needs, and what some sources need. */
import { execFile } from 'node:child_process';
import { constants, mkdir } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { canAccess } from '../base/files.js';
import { listModels, modelsFolder } from '../encoder/store.js';
import { choosePacker } from '../packer/find.js';
import { readPackerModule } from '../packer/module.js';
import { runCommand, type CommandOptions, type CommandResult } from '../sources/command.js';
import { runNpm } from '../sources/npm.js';
import { runPip } from '../sources/pip.js';
import { configPath, loadConfig } from '../store/config.js';
import { withWorkspace } from '../store/interrupt.js';
import { listStore, storeFolder } from '../store/store.js';

export interface Finding {
  name: string;
  /** missing: only some uses need it. warn: it works, at a price. */
  state: 'ok' | 'missing' | 'warn' | 'broken' | 'fail';
  detail: string;
  advice?: string;
}

const run_ = promisify(execFile);

export function checkMachine(): Promise<Finding[]> {
  return withWorkspace((folder, signal) => {
    const options: CommandOptions = { folder, signal, env: process.env, say: () => {} };
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
    const { open } = await import('../client/node.js');
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
  check('Store', `Make sure that ${storeFolder()} is a folder that you may read.`, async () => {
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
  return { name, state: 'missing', detail: `${command} does not run`, advice: `Only ${needed} needs it.` };
}
