/**
 * The packers of a source tree, as commands that take sheaf-pack's arguments.
 *
 * The native one is the reference. Others are those that are built; SHEAF_PARITY_PACKERS names more, one a line:
 * NAME=COMMAND ARGUMENTS…
 */
import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const path = (below) => join(ROOT, below);

export const NATIVE = { name: 'native', command: [path('build/native/sheaf-pack')] };

const MAIN = path('dist/cli/main.js');
const PROGRAM_RUNNER = path('tests/parity/wasm_program.mjs');
const QEMU = 'qemu-aarch64-static';

/** Each with `missing`, the reason why it cannot run, where it cannot. */
export function otherPackers(env = process.env) {
  const module = path('dist/browser/packer/sheaf-packer.wasm');
  const program = path('build/wasm-packer/sheaf-pack.mjs');
  const x64 = path('build/natives/linux-x64/sheaf-pack');
  const arm64 = path('build/natives/linux-arm64/sheaf-pack');
  const emulator = spawnSync(QEMU, ['--version']).status === 0;
  return [
    packer('module', [process.execPath, MAIN], { needs: module, env: { SHEAF_PACK: 'module' } }),
    packer('WebAssembly program', [process.execPath, PROGRAM_RUNNER, program], {
      needs: program,
      missing: existsSync(module) ? 'the module is the same code, and is built' : undefined,
    }),
    packer('static, x64', [x64], { needs: x64, missing: process.arch === 'x64' ? undefined : 'this is no x64 machine' }),
    process.arch === 'arm64'
      ? packer('static, arm64', [arm64], { needs: arm64 })
      : packer('static, arm64', [QEMU, arm64], {
          needs: arm64,
          missing: emulator ? undefined : `${QEMU} is not installed`,
          emulated: true,
        }),
    ...(env.SHEAF_PARITY_PACKERS ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => packer(line.split('=')[0], line.slice(line.indexOf('=') + 1).split(' '))),
  ];
}

function packer(name, command, { needs, missing, env = {}, emulated = false } = {}) {
  const unbuilt = needs && !existsSync(needs) ? `${relative(ROOT, needs)} is not built` : undefined;
  return { name, command, env, emulated, missing: unbuilt ?? missing };
}

/** Packs `folder` to `output`. Gives {status, report, said}; the report is the packer's JSON. */
export async function pack({ command, env }, folder, output, { options, table }) {
  const [program, ...first] = command;
  const args = ['pack', folder, '--library', 'parity', '--version', '1', '--output', output, '--encoder-table', table];
  const child = spawn(program, [...first, ...args, '--json', '--quiet', ...options], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout = [];
  const stderr = [];
  child.stdout.on('data', (bytes) => stdout.push(bytes));
  child.stderr.on('data', (bytes) => stderr.push(bytes));
  const status = await new Promise((resolve, reject) => child.on('error', reject).on('close', resolve));
  if (existsSync(output)) chmodSync(output, 0o600); // Emscripten 3.1.6 writes files that nobody may read
  const text = Buffer.concat(stdout).toString();
  return { status, report: text ? JSON.parse(text) : undefined, said: Buffer.concat(stderr).toString() };
}
