/** Which tools are served: the one place of the server that knows the contracts by name. */
import { usageError } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';
import { LIST_TOOL, SEARCH_TOOL } from './contracts/openground/names.js';
import type { PageGuide } from './resources.js';
import type { Environment, ToolSet } from './tool.js';

/** Each set is loaded when it is chosen. */
const SETS = {
  openground: async (environment: Environment) =>
    (await import('./contracts/openground/index.js')).createOpenground(environment),
  search_docs: async (environment: Environment) =>
    (await import('./contracts/search_docs/index.js')).createSearchDocs(environment),
  knowledge: async (environment: Environment) =>
    (await import('./contracts/knowledge/index.js')).createKnowledge(environment),
  catalogue: async (environment: Environment) =>
    (await import('./contracts/catalogue/index.js')).createCatalogue(environment),
  searxng: async (environment: Environment) =>
    (await import('./contracts/searxng/index.js')).createSearxng(environment),
};

export type SetName = keyof typeof SETS;

export const SET_NAMES = Object.keys(SETS) as SetName[];

/** The tools by which clients learn what pages there are, whatever set is served. */
export const PAGE_GUIDE: PageGuide = { libraries: LIST_TOOL, pages: SEARCH_TOOL };

/** Whether the tools that the skill is about are among them. */
export function hasSkill(sets: readonly SetName[]): boolean {
  return sets.includes('openground');
}

/** `all`, or names with commas between them; in the order of SET_NAMES, each once. */
export function parseSets(value: string): SetName[] {
  const wanted = value
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = wanted.find((name) => name !== 'all' && !SET_NAMES.includes(name as SetName));
  if (unknown !== undefined || wanted.length === 0) {
    throw usageError(
      `--tools takes ${SET_NAMES.join(', ')} (a comma between them) or all, not '${oneLine(unknown ?? value)}'.`,
    );
  }
  return SET_NAMES.filter((name) => wanted.includes('all') || wanted.includes(name));
}

/** With `add_library`, which is no set to choose, where the environment can add. */
export async function createSets(names: readonly SetName[], environment: Environment): Promise<ToolSet[]> {
  const sets = await Promise.all(names.map((name) => SETS[name](environment)));
  if (environment.planAddition === undefined) return sets;
  return [...sets, (await import('./contracts/adding/index.js')).createAdding(environment)];
}
