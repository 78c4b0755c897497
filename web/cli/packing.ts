/** Packs fetched pages with sheaf-pack, which writes the bundle beside its place and renames it. */
import { spawn } from 'node:child_process';
import { CliError, EXIT } from '../host/exit.js';
import { ownCommand } from '../host/native.js';

export interface PackRequest {
  library: string;
  version: string;
  output: string;
  root: string;
  inputs: readonly string[];
  baseUrl: string;
  urlStyle: 'keep' | 'clean';
  noIgnore: boolean;
  encoder: string;
  passageSize: number;
}

export interface PackReport {
  pages: number;
  passages: number;
  bundleBytes: number;
  skipped: { path: string; reason: string }[];
  notes: { path: string; reason: string }[];
}

interface PackerAnswer extends PackReport {
  ok: boolean;
  error?: { code: string; message: string };
}

/** sheaf-pack's exit codes after which there is a bundle. */
const WRITTEN: ReadonlySet<number> = new Set([0, 3]);

/** Errors: `failed` after `onNotes` was told what was found on the way; the older bundle is untouched. */
export async function packBundle(packer: string, request: PackRequest, signal: AbortSignal, onNotes: (notes: PackReport['notes']) => void): Promise<PackReport> {
  const { code, stdout } = await runCaptured(packer, packArguments(request), signal);
  let answer: PackerAnswer | undefined;
  try {
    answer = JSON.parse(stdout) as PackerAnswer;
  } catch {
    // Said below.
  }
  onNotes(answer?.notes ?? []);
  if (answer !== undefined && answer.ok && WRITTEN.has(code)) return answer;
  const why = answer?.error?.message ?? `sheaf-pack ended with ${code}`;
  throw new CliError(EXIT.FAILURE, `${request.library} (${request.version}) could not be packed: ${why}. What was there before is untouched.`);
}

function packArguments(request: PackRequest): string[] {
  const quiet = process.stderr.isTTY ? [] : ['--quiet'];
  return [
    'pack', '--json', ...quiet,
    '--library', request.library, '--version', request.version, '--output', request.output, '--root', request.root,
    ...(request.baseUrl === '' ? [] : ['--base-url', request.baseUrl]),
    '--url-style', request.urlStyle,
    ...(request.noIgnore ? ['--no-ignore'] : []),
    '--encoder', request.encoder, '--passage-size', String(request.passageSize),
    '--', ...request.inputs,
  ];
}

/** Its progress and complaints go to our stderr, its answer to us. */
function runCaptured(packer: string, args: readonly string[], signal: AbortSignal): Promise<{ code: number; stdout: string }> {
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const env = { ...process.env };
    env['SHEAF_COMMAND'] ??= ownCommand();
    const child = spawn(packer, args, { stdio: ['ignore', 'pipe', 'inherit'], env });
    const chunks: Buffer[] = [];
    const onAbort = (): void => void child.kill();
    signal.addEventListener('abort', onAbort, { once: true });
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(new CliError(EXIT.NO_PACKER, `${packer} could not be started: ${error.message}.`));
    });
    child.once('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      if (signal.aborted) reject(signal.reason);
      else resolve({ code: code ?? -1, stdout: Buffer.concat(chunks).toString() });
    });
  });
}
