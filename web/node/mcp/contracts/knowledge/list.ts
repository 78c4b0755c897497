/** knowledge.listDatasets: arguments and text. */
import { harmless } from '../../../base/terminal.js';
import { throwIfAborted } from '../../../../browser/client/errors.js';
import { joined } from '../issues.js';
import { z } from '../zod3.mjs';
import type { ToolCall, ToolReply } from '../../tool.js';
import type { Catalog, Listed } from './catalog.js';

const PARAMETERS = z.object({ includeErrors: z.boolean().default(false) }).strict();

export async function listDatasets(catalog: Catalog, { args, signal }: ToolCall): Promise<ToolReply> {
  const started = performance.now();
  const parsed = PARAMETERS.safeParse(args ?? {});
  if (!parsed.success) return failed(`Invalid arguments: ${joined(parsed.error)}`);
  try {
    const all = await catalog.list();
    throwIfAborted(signal);
    const { includeErrors } = parsed.data;
    const datasets = includeErrors ? all : all.filter(({ status }) => status === 'ready');
    const ms = Math.round(performance.now() - started);
    const errors = datasets.filter(({ status }) => status === 'error').length;
    return {
      text: format(datasets, errors, ms),
      structured: {
        datasets,
        metadata: { total: datasets.length, ready: datasets.length - errors, errors, retrievedInMs: ms },
      },
    };
  } catch (error) {
    throwIfAborted(signal);
    return failed(`Error listing datasets: ${(error as Error).message}`);
  }
}

function format(datasets: readonly Listed[], errors: number, ms: number): string {
  const ready = datasets.length - errors;
  const counts = errors > 0 ? ` (${ready} ready, ${errors} with errors)` : '';
  const entries = datasets.map(
    ({ id, name, description, status, error }) =>
      `**${id}**\n  Name: ${name}\n  Description: ${description}\n  Status: ${status}\n${error === undefined ? '' : `  Error: ${harmless(error)}\n`}\n`,
  );
  const total = `Total: ${datasets.length} datasets | Ready: ${ready}${errors > 0 ? ` | Errors: ${errors}` : ''} | Retrieved in ${ms}ms`;
  return `Found ${datasets.length} dataset${datasets.length === 1 ? '' : 's'}${counts}:\n\n${entries.join('')}---\n${total}`;
}

function failed(text: string): ToolReply {
  return { text: harmless(text), isError: true };
}
