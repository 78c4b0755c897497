/** `knowledge.search` and `knowledge.listDatasets`: dataset folders, and every installed bundle as a dataset. */
import { resolve } from 'node:path';
import type { Environment, Tool, ToolSet } from '../../tool.js';
import { Catalog } from './catalog.js';
import { listDatasets } from './list.js';
import * as schema from './schemas.js';
import { search } from './search.js';

export function createKnowledge(environment: Environment): ToolSet {
  const catalog = new Catalog(environment, () => datasetsFolder(environment));
  const tools: Tool[] = [
    { ...schema.search, call: (call) => search(environment, catalog, call) },
    { ...schema.listDatasets, call: (call) => listDatasets(catalog, call) },
  ];
  return {
    name: 'knowledge',
    instructions: schema.INSTRUCTIONS,
    tools,
    isBeyondLibraries: true, // folders of datasets
    unknownTool: (name) => ({ text: `Unknown tool: ${name}`, isError: true }),
    warmUp: async () =>
      void (await catalog.list().catch((error: unknown) => environment.log('warn', `knowledge: ${String(error)}`))),
    close: () => catalog.close(),
  };
}

/** $SHEAF_DATASETS (also set by --datasets), `knowledge.datasets` of the configuration, or ./datasets. */
function datasetsFolder({ env, config, cwd }: Environment): string {
  const configured = config('knowledge.datasets');
  return resolve(
    cwd,
    env['SHEAF_DATASETS'] || (typeof configured === 'string' && configured !== '' ? configured : 'datasets'),
  );
}
