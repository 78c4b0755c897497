/** A bundle that somebody else packed: a file or a URL, checked to the last byte before it is trusted. */
import { copyFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open } from '../client/node.js';
import { Guard } from './guard.js';
import { Fetcher, parseUrl } from './http.js';
import { expandPath, isWebAddress } from './local.js';
import { SourceError, type Fetched, type SourceContext } from './source.js';

const MAX_BUNDLE_BYTES = 4 * 2 ** 30;
const TIMEOUT_MS = 30 * 60_000;

/** Library and version come from the bundle's manifest. Errors: those of opening a bundle. */
export async function fetchBundle(spec: { bundle: string }, context: SourceContext): Promise<Fetched> {
  const file = join(context.folder, 'bundle.sheaf');
  const revision = isWebAddress(spec.bundle)
    ? await download(spec.bundle, file, context)
    : await copy(spec.bundle, file);
  await using library = await open(file, { encoder: false, lazy: true });
  await library.verify({ signal: context.signal });
  const { library: name, version } = library.info;
  const unchanged = context.known === revision ? { unchanged: true as const } : {};
  return {
    library: name,
    version,
    revision,
    ...unchanged,
    bundle: file,
    root: context.folder,
    inputs: [],
    baseUrl: '',
    urlStyle: 'keep',
    noIgnore: false,
  };
}

async function download(given: string, file: string, context: SourceContext): Promise<string> {
  const url = parseUrl(given);
  const fetcher = new Fetcher(new Guard(context.allowPrivate, context.trusted ? url : undefined), context.signal);
  try {
    context.say(`Fetching ${url.origin}${url.pathname}`);
    return (await fetcher.save(url.href, file, { timeoutMs: TIMEOUT_MS, maxBytes: MAX_BUNDLE_BYTES })).sha256;
  } finally {
    fetcher.close();
  }
}

async function copy(given: string, file: string): Promise<string> {
  const path = expandPath(given);
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) throw new SourceError('missing', `${path} cannot be read: there is no such file.`);
  if (!stats.isFile()) throw new SourceError('failed', `${path} is not a file.`);
  if (stats.size > MAX_BUNDLE_BYTES)
    throw new SourceError('failed', `${path} is larger than ${MAX_BUNDLE_BYTES / 2 ** 30} GiB.`);
  await copyFile(path, file);
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}
