/** Libraries that `sheaf add NAME` knows by name. Each source is the project's own repository. */
import type { SourceSpec } from './source.js';

function github(repo: string, ...docs_paths: string[]): SourceSpec {
  return { type: 'git_repo', repo_url: `https://github.com/${repo}`, ...(docs_paths.length > 0 ? { docs_paths } : {}) };
}

export const BUNDLED_SOURCES: Readonly<Record<string, SourceSpec>> = {
  django: github('django/django', 'docs'),
  fastapi: github('fastapi/fastapi', 'docs/en/docs'),
  flask: github('pallets/flask', 'docs'),
  kubernetes: github('kubernetes/website', 'content/en/docs'),
  nextjs: github('vercel/next.js', 'docs'),
  numpy: github('numpy/numpy', 'doc/source'),
  pandas: github('pandas-dev/pandas', 'doc/source'),
  pydantic: github('pydantic/pydantic', 'docs'),
  react: github('reactjs/react.dev', 'src/content'),
  rust: github('rust-lang/book', 'src'),
  svelte: github('sveltejs/svelte', 'documentation/docs'),
  typescript: github('microsoft/TypeScript-Website', 'packages/documentation/copy/en'),
  vite: github('vitejs/vite', 'docs'),
  vue: github('vuejs/docs', 'src'),
};
