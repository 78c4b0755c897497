/** The tools that one server serves, under the names that clients see. */
import type { Tool, ToolReply, ToolSet } from './tool.js';

export class Toolbox {
  readonly sets: readonly ToolSet[];
  /** By the name that clients see, in the order of their sets. */
  readonly tools: ReadonlyMap<string, Tool>;
  readonly #aliases: ReadonlyMap<string, string>;

  /** `underscores`: `a.b` becomes `a_b`, for clients that refuse dots. */
  constructor(sets: readonly ToolSet[], underscores = false) {
    const tools = new Map<string, Tool>();
    for (const tool of sets.flatMap((set) => set.tools)) {
      const name = underscores ? tool.name.replaceAll('.', '_') : tool.name;
      if (tools.has(name)) throw new Error(`Two tools are called ${name}.`);
      tools.set(name, tool);
    }
    this.sets = sets;
    this.tools = tools;
    this.#aliases = new Map(sets.flatMap(({ aliases }) => Object.entries(aliases ?? {})));
  }

  find(name: string): Tool | undefined {
    return (
      this.tools.get(name) ?? this.tools.get(this.#aliases.get(name) ?? '') ?? this.tools.get(name.replaceAll('.', '_'))
    );
  }

  /** Whether the tool reaches other things than the pool's libraries. */
  isBeyondLibraries(tool: Tool): boolean {
    return this.sets.some((set) => set.isBeyondLibraries === true && set.tools.includes(tool));
  }

  get instructions(): string {
    return this.sets
      .map((set) => set.instructions.trim())
      .filter((text) => text !== '')
      .join('\n\n');
  }

  /** The reply to a call of a name that `find` does not know, if a contract defines one. Error: ProtocolFailure. */
  unknownTool(name: string): ToolReply | undefined {
    return this.#only?.unknownTool?.(name);
  }

  /** The set that is served alone, if one is: its contract then decides where contracts differ. */
  get #only(): ToolSet | undefined {
    return this.sets.length === 1 ? this.sets[0] : undefined;
  }
}
