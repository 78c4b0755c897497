/** `sheaf catalogue build`, `keygen`, `sign` and `rotate`: for who keeps a catalogue. */
import { readFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { HEAD, rotationComment } from '../catalogue/format.js';
import { parsePublicKey, formatPublicKey } from '../catalogue/minisign.js';
import { CatalogueRefusal } from '../catalogue/refusal.js';
import {
  formatSecretKey,
  generateKey,
  KeyError,
  publicOf,
  readSecretKey,
  saveSecretKey,
  signBytes,
  type SecretKey,
} from '../catalogue/secret_key.js';
import { writeAtomically } from '../host/files.js';
import { CliError, EXIT, usageError } from '../host/exit.js';
import { counted, oneLine, print, printJson, status } from '../host/terminal.js';
import { buildCatalogue } from './catalogue_build.js';
import { readHead, writeRotation, writeSignature } from './catalogue_files.js';
import { readList } from './catalogue_list.js';
import { parseFlags } from './flags.js';
import { withWorkspace } from './interrupt.js';

const PASSPHRASE = 'SHEAF_CATALOGUE_PASSPHRASE';

export async function build(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: {
      output: { type: 'string', short: 'o' },
      title: { type: 'string' },
      key: { type: 'string' },
      expires: { type: 'string' },
      encoder: { type: 'string' },
      state: { type: 'string' },
      id: { type: 'string' },
      'allow-private': { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const [list, ...more] = positionals;
  if (list === undefined || more.length > 0 || values.output === undefined)
    throw usageError(
      'Expected a list and a folder: sheaf catalogue build LIST -o DIR. A folder named build is ./build.',
    );
  const expiresInDays = Number(values.expires ?? 90);
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > 3650)
    throw usageError(`--expires takes a number of days from 1 to 3650, not '${oneLine(values.expires ?? '')}'.`);
  const encoder = values.encoder ?? 'static';
  if (encoder !== 'static' && encoder !== 'none') throw usageError('--encoder of a catalogue is static or none.');
  if (values.id !== undefined && !/^[0-9a-f-]{16,64}$/.test(values.id))
    throw usageError('--id takes the id of a catalogue, as its head has it.');
  const folder = resolve(values.output);
  const key = values.key === undefined ? undefined : await secretKey(values.key);
  const sources = await readList(list);
  const { id, state } = values;
  const outcome = await withWorkspace((work, signal) =>
    buildCatalogue(
      sources,
      {
        folder,
        state: resolve(state ?? `${folder}.state.json`),
        title: values.title ?? basename(folder),
        ...{ key, id, encoder, expiresInDays },
        allowPrivate: values['allow-private'] ?? false,
      },
      work,
      signal,
    ),
  );
  const { packed, unchanged, failed, libraries, bundles, head, isNew, signed } = outcome;
  const { serial, expires } = head;
  if (values.json)
    printJson({
      path: folder,
      id: head.id,
      serial,
      expires,
      signed,
      isNew,
      libraries,
      bundles,
      packed,
      unchanged,
      failed,
    });
  else
    print(
      `${oneLine(folder)}: ${counted(libraries, 'library', 'libraries')}, ${counted(bundles, 'bundle')}; ${packed} packed, ${unchanged} unchanged, ${failed.length} failed.`,
    );
  if (isNew && !signed)
    status(`It is not signed; readers take it after: sheaf catalogue sign ${oneLine(folder)} --key FILE`);
  return failed.length > 0 ? EXIT.FAILURE : EXIT.OK;
}

export async function keygen(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw usageError('Expected a file: sheaf catalogue keygen FILE');
  const key = generateKey();
  const { id, text } = publicOf(key);
  const passphrase = process.env[PASSPHRASE] ?? '';
  const [secretFile, publicFile] = [resolve(path), `${resolve(path)}.pub`];
  await saveSecretKey(secretFile, formatSecretKey(key, passphrase)).catch((error: NodeJS.ErrnoException) => {
    const why =
      error.code === 'EEXIST' ? 'is there already; a key is never overwritten' : `cannot be written: ${error.message}`;
    throw new CliError(EXIT.FAILURE, `${secretFile} ${why}.`);
  });
  await writeAtomically(publicFile, formatPublicKey({ id, text }));
  if (values.json) printJson({ secret: secretFile, public: publicFile, id, key: text });
  else
    print(
      `${text}\nSecret key: ${oneLine(secretFile)}; keep it where the catalogue is not. Public key: ${oneLine(publicFile)}`,
    );
  if (passphrase === '') status(`The secret key has no passphrase; with $${PASSPHRASE} set it gets one.`);
  return EXIT.OK;
}

export async function sign(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: { key: { type: 'string' }, json: { type: 'boolean' } },
  });
  const folder = folderOf(positionals, 'sign');
  const key = await keyFlag(values.key);
  const { head, bytes } = await headOf(folder);
  if (Date.parse(head.expires) <= Date.now())
    throw new CliError(EXIT.FAILURE, `The head expired ${head.expires}; build the catalogue again first.`);
  await writeSignature(folder, bytes, head, key);
  if (values.json) printJson({ path: folder, id: head.id, serial: head.serial, key: publicOf(key).text });
  else print(`${oneLine(folder)} is signed by ${publicOf(key).id}.`);
  return EXIT.OK;
}

export async function rotate(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: { key: { type: 'string' }, new: { type: 'string' }, json: { type: 'boolean' } },
  });
  const folder = folderOf(positionals, 'rotate');
  if (values.new === undefined) throw usageError('Give the public key to pass on to: --new FILE.pub');
  const key = await keyFlag(values.key);
  const next = refusals(() => parsePublicKey(readable));
  const readable = await readFile(values.new, 'utf8').catch((error: Error) => {
    throw new CliError(EXIT.NOT_FOUND, `${values.new} cannot be read: ${error.message}.`);
  });
  const { head } = await headOf(folder);
  const { id, text } = next();
  if (id === publicOf(key).id) throw usageError('That is the same key.');
  await writeRotation(
    folder,
    { id, text },
    signBytes(key, Buffer.from(formatPublicKey({ id, text })), rotationComment(head.id)),
  );
  if (values.json) printJson({ path: folder, from: publicOf(key).id, to: id });
  else
    print(
      `${publicOf(key).id} passes ${oneLine(folder)} on to ${id}. Sign it with that now: sheaf catalogue sign, or build --key.`,
    );
  return EXIT.OK;
}

function folderOf([folder, ...more]: readonly string[], verb: string): string {
  if (folder === undefined || more.length > 0)
    throw usageError(`Expected a folder: sheaf catalogue ${verb} DIR --key FILE`);
  return resolve(folder);
}

async function headOf(folder: string): Promise<NonNullable<Awaited<ReturnType<typeof readHead>>>> {
  const found = await readHead(folder).catch((error: unknown) => {
    throw error instanceof CatalogueRefusal ? new CliError(EXIT.FAILURE, `${folder}: ${error.message}`) : error;
  });
  if (found === undefined)
    throw new CliError(
      EXIT.NOT_FOUND,
      `${folder} holds no ${HEAD}; make it with: sheaf catalogue build LIST -o ${folder}`,
    );
  return found;
}

/** A refusal of what the user gave is a matter of usage. */
function refusals<T>(work: () => T): () => T {
  return () => {
    try {
      return work();
    } catch (error) {
      throw error instanceof CatalogueRefusal ? usageError(error.message) : error;
    }
  };
}

async function keyFlag(path: string | undefined): Promise<SecretKey> {
  if (path === undefined) throw usageError('Give the secret key: --key FILE (sheaf catalogue keygen makes one)');
  return secretKey(path);
}

async function secretKey(path: string): Promise<SecretKey> {
  try {
    return await readSecretKey(path, async () => {
      const passphrase = process.env[PASSPHRASE];
      if (passphrase === undefined) throw new KeyError(`it has a passphrase, and $${PASSPHRASE} is not set`);
      return passphrase;
    });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code === 'ENOENT' ? EXIT.NOT_FOUND : EXIT.FAILURE;
    throw new CliError(code, `The key ${oneLine(path)} cannot be used: ${(error as Error).message}.`);
  }
}
