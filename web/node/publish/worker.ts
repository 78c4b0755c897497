/**
 * `sheaf publish worker`: what a node of a cluster runs for `sheaf publish build --on ray`. It answers requests on
 * stdin, JSON a line, one after the other:
 *
 *     {"do": "hello"}                                    -> {"version", "probe"}: see `probe`
 *     {"do": "fetch", "order", "recipe"}                 -> {"folder", "fetched"}: pages, in the folder, or where they lie
 *                                                           with `included`, so that they can be sent without all beside them
 *     {"do": "folder"}                                   -> {"folder"}: an empty one
 *     {"do": "pack", "order", "recipe", "fetched", "folder"}   -> {"bundle", "file", "about", "commit", "incomplete", "content"?}
 *     {"do": "forget", "folder"}                         -> {}
 *
 * A failure is {"error": {"message", "exit"}}. When stdin ends, so does the process, and its folders go.
 */
import { mkdtemp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { discard } from '../base/leftovers.js';
import { ownVersion } from '../client/paths.js';
import { CliError, EXIT, exitCodeOf, usageError } from '../base/exit.js';
import { openPacker } from '../packer/choose.js';
import type { Packer } from '../packer/packer.js';
import { isInside } from '../base/paths.js';
import { findIncludedHere } from '../sources/includes.js';
import { SourceError, type Fetched } from '../sources/index.js';
import { findFiles } from '../sources/walk.js';
import { factsOf, fetchOrder, packOrder, type Order, type Recipe } from './make.js';
import { withWorkspace } from '../store/interrupt.js';

interface Request {
  do?: string;
  order?: Order;
  recipe?: Recipe;
  fetched?: Fetched;
  folder?: string;
}

export async function worker(): Promise<number> {
  return withWorkspace(async (work, signal) => {
    const ending = new AbortController();
    const stop = AbortSignal.any([signal, ending.signal]);
    let packer: Promise<Packer> | undefined;
    const serving = { work, signal: stop, packer: () => (packer ??= openPacker()) };
    // What is being packed ends with whoever asked for it.
    process.stdin.once('end', () => ending.abort(new CliError(EXIT.OK, 'Nobody listens any more.')));
    try {
      for await (const line of createInterface({ input: process.stdin })) {
        const answer = await answerTo(line, serving);
        if (stop.aborted) break;
        process.stdout.write(`${JSON.stringify(answer)}\n`);
      }
    } catch (error) {
      if (!ending.signal.aborted) throw error;
    }
    return EXIT.OK;
  });
}

interface Serving {
  work: string;
  signal: AbortSignal;
  packer: () => Promise<Packer>;
}

async function answerTo(line: string, serving: Serving): Promise<object> {
  try {
    return await perform(JSON.parse(line) as Request, serving);
  } catch (error) {
    const isMissing = error instanceof SourceError && error.kind === 'missing';
    return {
      error: {
        message: String((error as Error).message ?? error),
        exit: isMissing ? EXIT.NOT_FOUND : exitCodeOf(error),
      },
    };
  }
}

async function perform({ do: what, order, recipe, fetched, folder }: Request, serving: Serving): Promise<object> {
  const { work, signal, packer } = serving;
  if (what === 'hello') return { version: await ownVersion(), probe: await probe(work, packer, signal) };
  if (what === 'folder') return { folder: await mkdtemp(join(work, 'task-')) };
  if (what === 'forget' && folder !== undefined && dirname(folder) === work) {
    await discard(folder);
    return {};
  }
  if (what === 'fetch' && order !== undefined && recipe !== undefined) {
    const own = await mkdtemp(join(work, 'task-'));
    return { folder: own, fetched: await withIncluded(await fetchOrder(order, recipe, own, signal), own) };
  }
  if (what === 'pack' && order !== undefined && recipe !== undefined && fetched !== undefined && folder !== undefined) {
    const output = join(folder, 'bundle.sheaf');
    const made = await packOrder(order, fetched, recipe, { output, packer, show: 'failures', signal });
    return { bundle: output, file: await factsOf(output), ...made };
  }
  throw usageError(`There is no request '${String(what)}' of that form.`);
}

/** What was fetched into `own` is sent whole. */
async function withIncluded(fetched: Fetched, own: string): Promise<Fetched> {
  const { root, inputs, noIgnore } = fetched;
  if (fetched.bundle !== undefined || fetched.included !== undefined || isInside(root, own)) return fetched;
  const pages = await findFiles(root, inputs, noIgnore);
  return { ...fetched, included: await findIncludedHere(root, pages.keys()) };
}

const PROBE = `# Probe

A page that every machine of a build packs, so that all are known to write the same bytes.

## Words and meanings

Vectors, stems and \`identifiers_like_this\`; ångström, 東京 and a [link](https://example.org/).
`;

/**
 * The hash of a bundle of one known page. Where it is the same, packer, encoder table and settings are: versions alone do not
 * say so of a tree that somebody built.
 */
export async function probe(work: string, packer: () => Promise<Packer>, signal: AbortSignal): Promise<string> {
  const folder = await mkdtemp(join(work, 'probe-'));
  try {
    const page = join(folder, 'probe.md');
    await writeFile(page, PROBE);
    const output = join(folder, 'probe.sheaf');
    const job = { library: 'probe', version: '1', output, root: folder, inputs: [page], encoder: 'static' };
    await (await packer()).pack(job, { show: 'failures', signal });
    return (await factsOf(output)).sha256;
  } finally {
    await discard(folder);
  }
}
