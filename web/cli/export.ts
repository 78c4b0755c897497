/** `sheaf export`: passages and vectors of bundles, as databases take them. */
import { SheafError } from '../browser/client/errors.js';
import { type Address, messageOf, parseAddress } from '../node/databases/address.js';
import { BundleRows, type ReadOptions } from '../node/databases/bundle_rows.js';
import { named, onlyOf, type Only } from '../node/databases/named.js';
import type { Written } from '../node/databases/backend.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { listStore, pick } from '../node/store/store.js';
import { counted, oneLine, print, printJson, status } from '../node/base/terminal.js';
import { parseFlags } from './flags.js';
import { interruptible } from '../node/store/interrupt.js';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';

const TARGETS = ['parquet', 'pgvector', 'lancedb', 'opensearch', 'qdrant'] as const;
type Target = (typeof TARGETS)[number];

export const help = `Usage: sheaf export BUNDLE… --to DATABASE [-o PLACE]

Writes the passages of bundles and their vectors, as a database takes them. BUNDLE is a file, or
LIBRARY[@VERSION] of the store. A version that is there already stays untouched; where it differs,
it is replaced at once (docs/databases.md).

  -t, --to DATABASE     parquet     one file, for anything that reads Parquet
                        pgvector    PostgreSQL with pgvector: a script for psql, or straight into a
                                    database (-o postgres://HOST/DATABASE or pglite:FOLDER)
                        lancedb     a folder of tables, with full-text and vector index
                        opensearch  a folder of requests, with a script that sends them
                        qdrant      the same
  -o, --output PLACE    by default sheaf.parquet, sheaf.sql, or a folder sheaf-DATABASE
      --only            other versions of these libraries go, at the same moment (lancedb, pgvector,
                        opensearch)
      --no-vectors      texts alone (not for qdrant)
      --licence TEXT    the licence of the texts, where a bundle does not say
      --json            print JSON

Leave PostgreSQL's password out of the address: PGPASSWORD, PGHOST, PGUSER and their like are read.
Parquet, LanceDB and PostgreSQL need a package each; the command names it where it is missing.`;

const ADDRESSES: Partial<Record<Target, readonly Address['kind'][]>> = {
  pgvector: ['postgres', 'pglite'],
  lancedb: ['lancedb'],
};

const INTERRUPTED = 'Interrupted; finished exports stay, and the rest is unchanged.';

const OUTPUTS: Record<Target, string> = {
  parquet: 'sheaf.parquet',
  pgvector: 'sheaf.sql',
  lancedb: 'sheaf-lancedb',
  opensearch: 'sheaf-opensearch',
  qdrant: 'sheaf-qdrant',
};

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('export', {
    args,
    allowPositionals: true,
    options: {
      to: { type: 'string', short: 't' },
      output: { type: 'string', short: 'o' },
      only: { type: 'boolean' },
      'no-vectors': { type: 'boolean' },
      licence: { type: 'string' },
      json: { type: 'boolean' },
    },
  });
  if (positionals.length === 0) throw usageError('Name the bundles, for example: sheaf export vue --to lancedb');
  const target = TARGETS.find((name) => name === values.to);
  if (target === undefined)
    throw usageError(
      `--to takes ${TARGETS.join(', ')}${values.to === undefined ? '' : `, not '${oneLine(values.to)}'`}.`,
    );
  const output = values.output ?? OUTPUTS[target];
  const only = values.only ?? false;
  if (only && (target === 'parquet' || target === 'qdrant'))
    throw usageError(`--only removes other versions from a database; ${target} writes new files anyway.`);
  if (values['no-vectors'] && target === 'qdrant') throw usageError('Qdrant needs vectors.');
  const address = addressFor(target, output);
  const paths = await filesOf(positionals);
  const options = {
    vectors: !values['no-vectors'],
    ...(values.licence === undefined ? {} : { licence: values.licence }),
  };
  const written = await interruptible(INTERRUPTED, async (signal) => {
    const reading = { ...options, signal };
    const all = await named(paths, reading);
    const bundles = opened(
      all.map(({ path }) => path),
      reading,
    );
    return write(target, bundles, { output, address, signal, ...(only ? { only: onlyOf(all) } : {}) });
  }).catch((error: unknown) => {
    if (error instanceof CliError || error instanceof SheafError) throw error;
    throw new CliError(EXIT.FAILURE, `${target}: ${oneLine(messageOf(error)).slice(0, 500)}`); // the database's own words, without its stack
  });

  const shown =
    address?.kind === 'postgres'
      ? (await import('../node/databases/postgres.js')).shownServer(address.address)
      : output;
  if (values.json) printJson({ to: target, output: shown, bundles: written });
  else
    for (const { library, version, outcome, rows } of written)
      print(
        `${oneLine(library)} ${oneLine(version)}: ${outcome === 'unchanged' ? 'unchanged' : counted(rows, 'passage')} → ${oneLine(shown)}`,
      );
  return EXIT.OK;
}

/** Where `output` is an address, as this target takes one. Error: CliError, which repeats only the kind, since the address may hold a password. */
function addressFor(target: Target, output: string): Address | undefined {
  const address = parseAddress(output);
  if (address !== undefined && (ADDRESSES[target] ?? []).includes(address.kind)) return address;
  const kind = address?.kind ?? /^(lancedb|pglite)(?=:)|^[a-z][a-z0-9+.-]*(?=:\/\/)/i.exec(output)?.[0];
  if (kind === undefined) return undefined;
  const sends =
    target === 'opensearch' || target === 'qdrant'
      ? ` It writes a folder, whose load.sh sends it to $${target.toUpperCase()}_URL.`
      : '';
  throw usageError(`--to ${target} does not go to an address of ${oneLine(kind)}.${sends}`);
}

interface WriteOptions {
  output: string;
  signal: AbortSignal;
  address: Address | undefined;
  only?: Only;
}

async function write(
  target: Target,
  bundles: AsyncIterable<BundleRows>,
  { output, address, only, signal }: WriteOptions,
): Promise<Written[]> {
  let written: Written[];
  if (target === 'parquet')
    written = await (await import('../node/databases/parquet.js')).writeParquet(output, bundles);
  else if (target === 'opensearch')
    written = await (await import('../node/databases/bulk.js')).writeOpenSearch(output, bundles, {
      only: only !== undefined,
    });
  else if (target === 'qdrant')
    written = await (await import('../node/databases/bulk.js')).writeQdrant(output, bundles);
  else if (target === 'lancedb') {
    const { LanceFolder } = await import('../node/databases/lancedb.js');
    const folder = await LanceFolder.open(address?.kind === 'lancedb' ? address.folder : output);
    written = await each(bundles, (bundle) =>
      folder.load(bundle, { only: only?.(bundle.facts), signal, say: (text) => status(`lancedb: ${text}`) }),
    );
  } else if (address === undefined)
    written = await (await import('../node/databases/postgres_file.js')).writeScript(output, bundles, { only });
  else {
    const { connectFolder, connectServer, load } = await import('../node/databases/postgres.js');
    const connection =
      address.kind === 'postgres' ? await connectServer(address.address) : await connectFolder(address.folder);
    try {
      written = await each(bundles, (bundle) => load(connection, bundle, { only: only?.(bundle.facts) }));
    } finally {
      await connection.close();
    }
  }
  return written;
}

async function each<T, R>(items: AsyncIterable<T>, work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for await (const item of items) results.push(await work(item));
  return results;
}

/** One after the other, each closed before the next is opened. */
async function* opened(paths: readonly string[], options: ReadOptions): AsyncGenerator<BundleRows> {
  for (const path of paths) {
    await using bundle = await BundleRows.open(path, options);
    yield bundle;
  }
}

async function filesOf(names: readonly string[]): Promise<string[]> {
  const store = await listStore();
  return Promise.all(
    names.map(async (name) => {
      if (name.endsWith('.sheaf') || (await stat(name).catch(() => undefined))?.isFile()) return name;
      const [, library = name, version] =
        /^(.[^@]*)@(.+)$/s.exec(basename(name) === name || name.startsWith('@') ? name : '') ?? [];
      return pick(store, library, version).path;
    }),
  );
}
