/** Repositories at a commit, for what is measured over real documentation. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A working tree of the commit, with the documentation and what it includes, below `cache`. `mirror` has repositories as
 * OWNER+NAME/repo or OWNER/NAME(.git); others are cloned from GitHub.
 */
export function checkout({ git, commit, docs, with: more = [] }, { cache, mirror }) {
  const folder = join(cache, 'repositories', git.replace('/', '+'));
  if (existsSync(folder)) return folder;
  const repository = mirrored(git, mirror) ?? join(cache, 'clones', `${git.replace('/', '+')}.git`);
  if (!existsSync(repository)) {
    const url = `https://github.com/${git}`;
    execFileSync('git', ['clone', '--quiet', '--bare', '--filter=blob:none', url, repository], { stdio: ['ignore', 'ignore', 'inherit'] });
  }
  const tar = execFileSync('git', ['-C', repository, 'archive', commit, ...docs, ...more], { maxBuffer: 1 << 30 });
  mkdirSync(folder, { recursive: true });
  execFileSync('tar', ['x', '-C', folder], { input: tar });
  return folder;
}

/** The repository in the mirror, if there is one. */
export function mirrored(git, mirror) {
  const paths = [`${git.replace('/', '+')}/repo`, `${git}.git`, git].map((path) => join(mirror ?? '', path));
  return mirror === undefined ? undefined : paths.find((path) => existsSync(path));
}
