/** `sheaf catalogue`: the catalogues that this user takes libraries from. */
import { readFile } from 'node:fs/promises';
import { parsePublicKey, type PublicKey } from '../browser/catalogue/minisign.js';
import { changePins, readPins } from '../node/catalogue/pins.js';
import { mayFollow, type Catalogue } from '../browser/catalogue/reader.js';
import { CatalogueRefusal } from '../browser/catalogue/refusal.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { counted, harmless, oneLine, print, printJson, status, table } from '../node/base/terminal.js';
import { catalogueAddress, CatalogueFiles, openNew } from '../node/sources/catalogue.js';
import { SourceError } from '../node/sources/source.js';
import { sound } from '../node/ingest/wanted.js';
import { findLibraries, type FoundLibrary } from '../node/sources/catalogue_find.js';
import { parseFlags, partOf } from './flags.js';

export const help = `Usage: sheaf catalogue add ADDRESS [--key KEY]
       sheaf catalogue list
       sheaf catalogue remove ADDRESS
       sheaf catalogue find "WHAT IT DOES" [-k N]

A catalogue is a static folder of ready bundles, made by sheaf publish. sheaf add NAME takes
libraries from those that you added here; find says which of theirs do what you need.

ADDRESS is https://… or a folder. The key that is found there is trusted from then on.
      --key KEY         the key that it must have, as text or in a file
      --unsigned        take it without a signature
      --insecure        allow plain http from another machine
      --allow-private   allow an address of a private network
  -k, --top-k N         libraries to name, 5 by default
      --json            print JSON`;

const PARTS = { add, list, remove, find };

export const run = (args: string[]): Promise<number> => partOf('catalogue', PARTS, args);

async function add(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: {
      key: { type: 'string' },
      unsigned: { type: 'boolean' },
      insecure: { type: 'boolean' },
      'allow-private': { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const [typed, ...more] = positionals;
  if (typed === undefined || more.length > 0) throw usageError('Give one address: sheaf catalogue add https://…');
  if (values.unsigned && values.key !== undefined) throw usageError('Give either --key or --unsigned.');
  const address = sound(() => catalogueAddress(typed));
  const access = { address, insecure: values.insecure ?? false, private: values['allow-private'] ?? false };
  const known = (await readPins()).find((each) => each.address === address);
  const key = values.key === undefined ? undefined : await givenKey(values.key);
  if (known !== undefined && known.key !== '' && key !== undefined && parsePublicKey(known.key).text !== key.text)
    throw new CliError(
      EXIT.FAILURE,
      `${oneLine(address)} was added with the key ${parsePublicKey(known.key).id}. To trust another key, remove the catalogue first.`,
    );
  // A pinned key stays pinned when the catalogue is added again; an unsigned catalogue may become signed.
  const pin = known === undefined || (known.key === '' && !values.unsigned) ? undefined : known;
  if (values.unsigned && known !== undefined && known.key !== '')
    throw new CliError(EXIT.FAILURE, `${oneLine(address)} was added with a key; to take it unsigned, remove it first.`);
  const files = new CatalogueFiles(access, new AbortController().signal, status);
  let catalogue: Catalogue;
  try {
    catalogue = await openNew(files, { key, unsigned: values.unsigned ?? false, pin });
  } catch (error) {
    throw refusal(address, error);
  } finally {
    files.close();
  }
  const title = catalogue.title || address;
  await changePins((pins) => {
    const stored = pins.find((each) => each.address === address);
    if (stored !== undefined && !mayFollow(stored, known, catalogue.pin))
      throw new CliError(EXIT.FAILURE, `${oneLine(address)} was added or read elsewhere meanwhile; add it again.`);
    return [...pins.filter((each) => each.address !== address), { ...access, title, ...catalogue.pin }];
  });
  if (values.json) printJson({ ...access, title, ...catalogue.pin, libraries: catalogue.size });
  else {
    print(
      `${oneLine(title)}: ${counted(catalogue.size, 'library', 'libraries')}; sheaf add NAME takes them from there now.`,
    );
    if (catalogue.pin.key === '')
      status('The catalogue is not signed, so the host at that address decides what you get.');
    else if (pin === undefined && key === undefined)
      status(
        `Its key is trusted from now on; compare it with the key that its owner publishes elsewhere:\n${catalogue.pin.key}`,
      );
  }
  return EXIT.OK;
}

/** A key as text, or a file with it. */
async function givenKey(given: string): Promise<PublicKey> {
  const text = given.length === 56 ? given : await readFile(given, 'utf8').catch(() => given);
  try {
    return parsePublicKey(text);
  } catch (error) {
    throw usageError(`--key: ${(error as Error).message}`);
  }
}

function refusal(address: string, error: unknown): unknown {
  if (error instanceof CatalogueRefusal) {
    const advice = error.code === 'UNSIGNED' ? ' To take it nevertheless: --unsigned' : '';
    return new CliError(
      error.code === 'MISSING' ? EXIT.NOT_FOUND : EXIT.FAILURE,
      `${oneLine(address)}: ${error.code}: ${harmless(oneLine(error.message))}${advice}`,
    );
  }
  return error instanceof SourceError ? new CliError(EXIT.FAILURE, harmless(oneLine(error.message))) : error;
}

async function list(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  if (positionals.length > 0) throw usageError('list takes no arguments.');
  const pins = await readPins();
  if (values.json) printJson({ catalogues: pins });
  else if (pins.length === 0) print('You have added no catalogue yet. Add one with: sheaf catalogue add ADDRESS');
  else
    print(
      table([
        ['Catalogue', 'Address', 'Key', 'Newest'],
        ...pins.map(({ title, address, key, created }) => [
          oneLine(title),
          oneLine(address),
          key === '' ? 'unsigned' : parsePublicKey(key).id,
          oneLine(created.slice(0, 10)),
        ]),
      ]),
    );
  return EXIT.OK;
}

async function remove(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const [typed, ...more] = positionals;
  if (typed === undefined || more.length > 0) throw usageError('Give one address: sheaf catalogue remove ADDRESS');
  const address = sound(() => catalogueAddress(typed));
  let gone = false;
  await changePins((pins) => {
    gone = pins.some((each) => each.address === address);
    return pins.filter((each) => each.address !== address);
  });
  if (!gone) throw new CliError(EXIT.NOT_FOUND, `You have not added ${oneLine(address)}; see: sheaf catalogue list`);
  if (values.json) printJson({ address });
  else print(`Removed ${oneLine(address)}; libraries that came from there stay.`);
  return EXIT.OK;
}

async function find(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, 'top-k': { type: 'string', short: 'k' } },
  });
  const query = positionals.join(' ').trim();
  const count = Number(values['top-k'] ?? 5);
  if (query === '') throw usageError('Say what the library does: sheaf catalogue find "http client for python"');
  if (!Number.isInteger(count) || count < 1 || count > 100) throw usageError('-k takes a number from 1 to 100.');
  const found = await findOrComplain(query, count);
  if (values.json) printJson({ libraries: found });
  else print(found.length === 0 ? 'No library found.' : shown(found));
  return EXIT.OK;
}

/** Error: there is no catalogue to ask, or all were refused. */
export async function findOrComplain(
  query: string,
  count: number,
  signal = new AbortController().signal,
): Promise<FoundLibrary[]> {
  const { found, refused, catalogues } = await findLibraries(query, count, signal);
  if (catalogues === 0)
    throw new CliError(EXIT.NOT_FOUND, 'There is no catalogue to ask. Add one with: sheaf catalogue add ADDRESS');
  if (refused.length === catalogues) throw new CliError(EXIT.FAILURE, 'All catalogues were refused.');
  return found;
}

/** One library a line, numbered. */
export function shown(found: readonly FoundLibrary[]): string {
  return found
    .map(({ library, versions: [newest = ''], description }, at) =>
      `${at + 1}. ${oneLine(library)} ${oneLine(newest)}  ${oneLine(description)}`.trimEnd(),
    )
    .join('\n');
}
