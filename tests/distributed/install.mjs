/** The Python environment of these tests, made from PyPI by what the requirements pin, once per version of them. */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

/** Path of its python. `SHEAF_TEST_PYTHON` names another one that has everything. */
export function installPython(say) {
  const named = process.env.SHEAF_TEST_PYTHON;
  if (named) return named;
  const requirements = join(here, 'requirements.txt');
  const folder = join(here, '.venv');
  const python = join(folder, 'bin', 'python');
  const mark = join(folder, 'installed');
  const wanted = createHash('sha256').update(readFileSync(requirements)).digest('hex');
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return python;
  say(`Installing Ray and what the tests need into ${folder} (about 900 MB) …`);
  rmSync(folder, { recursive: true, force: true });
  execFileSync('python3', ['-m', 'venv', folder], { stdio: 'inherit' });
  const flags = ['--require-hashes', '--quiet', '--disable-pip-version-check'];
  execFileSync(python, ['-m', 'pip', 'install', ...flags, '-r', requirements], { stdio: 'inherit' });
  writeFileSync(mark, wanted);
  return python;
}
