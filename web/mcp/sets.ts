/** Which tools are served, and under which names. */
import { usageError } from '../host/exit.js';
import { oneLine } from '../host/terminal.js';
import type { Environment, Tool, ToolSet } from './tool.js';

type SetName = ToolSet['name'];

/** Each set is loaded when it is chosen. */
const SETS: Record<SetName, (environment: Environment) => Promise<ToolSet>> = {
  openground: async (environment) => (await import('./openground/index.js')).createOpenground(environment),
  search_docs: async (environment) => (await import('./search_docs/index.js')).createSearchDocs(environment),
  knowledge: async (environment) => (await import('./knowledge/index.js')).createKnowledge(environment),
  searxng: async (environment) => (await import('./searxng/index.js')).createSearxng(environment),
};

export const SET_NAMES = Object.keys(SETS) as SetName[];

/** `all`, or names with commas between them; in the order of SET_NAMES, each once. */
export function parseSets(value: string): SetName[] {
  const wanted = value.split(',').map((name) => name.trim()).filter((name) => name !== '');
  const unknown = wanted.find((name) => name !== 'all' && !SET_NAMES.includes(name as SetName));
  if (unknown !== undefined || wanted.length === 0) {
    throw usageError(`--tools takes ${SET_NAMES.join(', ')} (a comma between them) or all, not '${oneLine(unknown ?? value)}'.`);
  }
  return SET_NAMES.filter((name) => wanted.includes('all') || wanted.includes(name));
}

export function createSets(names: readonly SetName[], environment: Environment): Promise<ToolSet[]> {
  return Promise.all(names.map((name) => SETS[name](environment)));
}

/** Names that clients use beside the listed ones: hints in OpenGround's own replies name the first. */
const ALIASES: Record<string, string> = { get_full_content: 'get_full_content_tool' };

export class Toolbox {
  readonly sets: readonly ToolSet[];
  /** By the name that clients see, in the order of their sets. */
  readonly tools: ReadonlyMap<string, Tool>;

  /** `underscores`: `knowledge.search` becomes `knowledge_search`, for clients that refuse dots. */
  constructor(sets: readonly ToolSet[], underscores = false) {
    const tools = new Map<string, Tool>();
    for (const tool of sets.flatMap((set) => set.tools)) {
      const name = underscores ? tool.name.replaceAll('.', '_') : tool.name;
      if (tools.has(name)) throw new Error(`Two tools are called ${name}.`);
      tools.set(name, tool);
    }
    this.sets = sets;
    this.tools = tools;
  }

  find(name: string): Tool | undefined {
    return this.tools.get(name) ?? this.tools.get(Object.hasOwn(ALIASES, name) ? (ALIASES[name] as string) : '') ?? this.tools.get(name.replaceAll('.', '_'));
  }

  /** The set that is served alone, if one is: its contract then decides where contracts differ. */
  get only(): SetName | undefined {
    return this.sets.length === 1 ? this.sets[0]?.name : undefined;
  }

  get serverName(): string {
    return this.only === 'openground' ? 'openground Documentation Search' : 'sheaf';
  }

  get instructions(): string {
    return this.sets.map((set) => set.instructions.trim()).filter((text) => text !== '').join('\n\n');
  }
}
