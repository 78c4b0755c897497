/** `sheaf publish`: makes and signs catalogues, for their owners. */
import { readFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { rotationComment } from '../browser/catalogue/format.js';
import { parsePublicKey, formatPublicKey } from '../browser/catalogue/minisign.js';
import { CatalogueRefusal } from '../browser/catalogue/refusal.js';
import {
  formatSecretKey,
  generateKey,
  KeyError,
  publicOf,
  readSecretKey,
  saveSecretKey,
  signBytes,
  type SecretKey,
} from '../node/catalogue/secret_key.js';
import { writeAtomically } from '../node/base/files.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { counted, oneLine, print, printJson, status } from '../node/base/terminal.js';
import { buildCatalogue, recipeOf } from '../node/publish/build.js';
import { headOf, writeRotation, writeSignature } from '../node/publish/files.js';
import { readList } from '../node/publish/list.js';
import { elsewhereOf, isOutputAddress, PASSPHRASE } from '../node/publish/stages.js';
import { addressName, lockBuild } from '../node/publish/build_lock.js';
import { FolderStore } from '../node/publish/store.js';
import { parsePrecision } from './embed.js';
import { parseCount, parseFlags, partOf } from './flags.js';
import { withWorkspace } from '../node/store/interrupt.js';
import { withoutEndSlashes } from '../node/base/slashes.js';

export const help = `Usage: sheaf publish build LIST -o DIR [--key FILE] [--title TEXT]
       sheaf publish keygen FILE
       sheaf publish sign DIR --key FILE
       sheaf publish rotate DIR --key OLD --new NEW.pub

Makes a catalogue: a static folder of ready bundles, for sheaf add, agents and the extension. Each
line of LIST holds the arguments of sheaf add (docs/catalogue.md):
  npm:vue --newest 3              the newest three minor versions
  https://github.com/o/r -d docs -v v1.2 -v v1.3
  house -s ./docs -v 2.1 --title "House rules" --licence CC-BY-4.0
  ./ready.sheaf
build packs again only what changed upstream. keygen writes a secret key and FILE.pub, sign signs
DIR with a key that is kept elsewhere, rotate passes DIR on to another key.

  -o, --output DIR      the folder to serve
      --key FILE        the secret key; $SHEAF_CATALOGUE_PASSPHRASE opens it
      --title TEXT      name of the catalogue; by default the folder's`;

export const more = `      --expires DAYS    readers refuse it after so many days without a build; 90 by default
      --encoder E       static (default), none, or a transformer, with --encoder-command and
                        --encoder-precision as sheaf pack has them
      --jobs N          sources to fetch at a time, 4 by default
      --state FILE      what the last build knew of upstream; by default DIR.state.json
      --allow-private   follow addresses of this machine and of private networks
      --json            print JSON

On a Ray cluster (docs/scale.md)
      --on ray          the cluster that $RAY_ADDRESS names, else this machine; or ray://HOST:10001
                        With it, -o may be s3://…, gs://… or file://…
      --stage S:K=V,…   resources of a stage (fetch, pack, embed): cpus=2, memory=2G, gpus=1,
                        at-once=16, actors=4, or one that the cluster names; repeatable
      --vectors ADDRESS where embedded passages are kept for the next build; or none
      --shared-paths    all nodes have the list's folders under the same path`;

const PARTS = { build, keygen, sign, rotate, worker };

export const run = (args: string[]): Promise<number> => partOf('publish', PARTS, args);

/** Runs on a node of a cluster. */
async function worker(args: string[]): Promise<number> {
  if (args.length > 0)
    throw usageError('sheaf publish worker takes no arguments; sheaf publish build --on ray starts it.');
  return (await import('../node/publish/worker.js')).worker();
}

/** Sources asked at a time. */
const JOBS = 4;
/** Bundles that a cluster may hold at a time; its stages have bounds of their own. */
const MAKES = 1000;

async function build(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('publish', {
    args,
    allowPositionals: true,
    options: {
      output: { type: 'string', short: 'o' },
      title: { type: 'string' },
      key: { type: 'string' },
      expires: { type: 'string' },
      encoder: { type: 'string' },
      'encoder-command': { type: 'string' },
      'encoder-precision': { type: 'string' },
      jobs: { type: 'string' },
      on: { type: 'string' },
      stage: { type: 'string', multiple: true },
      vectors: { type: 'string' },
      'shared-paths': { type: 'boolean' },
      state: { type: 'string' },
      'allow-private': { type: 'boolean' },
      json: { type: 'boolean' },
    },
  });
  const [list, ...more] = positionals;
  if (list === undefined || more.length > 0 || values.output === undefined)
    throw usageError('Expected a list and a folder: sheaf publish build LIST -o DIR');
  const expiresInDays = Number(values.expires ?? 90);
  if (!Number.isInteger(expiresInDays) || expiresInDays < 1 || expiresInDays > 3650)
    throw usageError(`--expires takes a number of days from 1 to 3650, not '${oneLine(values.expires ?? '')}'.`);
  const encoder = values.encoder ?? 'static';
  const precision = parsePrecision(values['encoder-precision']);
  if ((encoder === 'static' || encoder === 'none') && (values['encoder-command'] ?? precision) !== undefined)
    throw usageError('--encoder-command and --encoder-precision are for a transformer: name it with --encoder.');
  const jobs = parseCount('--jobs', values.jobs, JOBS);
  if (jobs < 1 || jobs > 1000) throw usageError('--jobs takes a number from 1 to 1000.');
  const elsewhere = elsewhereOf(values);
  const isAddress = isOutputAddress(values.output);
  if (isAddress && elsewhere === undefined)
    throw usageError(`-o ${oneLine(values.output)} needs --on ray; without it the output is a folder.`);
  for (const [flag, address] of Object.entries({ '-o': values.output, '--vectors': values.vectors }))
    if (address !== undefined && /^[^/]*:\/\/[^/]*@/.test(address))
      throw usageError(
        `${flag} holds a user name or password, which would be published; give them in environment variables.`,
      );
  const output = isAddress ? withoutEndSlashes(values.output) : resolve(values.output);
  const title = values.title ?? basename(output);
  const key = values.key === undefined ? undefined : await secretKey(values.key);
  const sources = await readList(list);
  const state = resolve(values.state ?? `${isAddress ? addressName(output) : output}.state.json`);
  const allowPrivate = values['allow-private'] ?? false;
  const encoding = { encoder, encoderCommand: values['encoder-command'], encoderPrecision: precision };
  const options = { state, title, key, expiresInDays, allowPrivate, jobs, ...encoding };
  const started = performance.now();
  const { outcome, cluster } = await withWorkspace(async (work, signal) => {
    const folder = isAddress ? undefined : await new FolderStore(output).prepare();
    await using _ = await lockBuild([state, ...(folder === undefined ? [] : [join(output, 'build')])], output);
    if (elsewhere === undefined) {
      const store = folder as FolderStore; // an address is refused above
      return {
        outcome: await buildCatalogue(sources, { ...options, makes: jobs }, store, work, signal),
        cluster: undefined,
      };
    }
    const { Cluster } = await import('../node/publish/ray.js');
    const recipe = await recipeOf(options);
    const running = await Cluster.start({ ...elsewhere, output, isAddress, recipe }, work, signal);
    try {
      const store = folder ?? running.store(work);
      const built = await buildCatalogue(sources, { ...options, makes: MAKES }, store, work, signal, running);
      return { outcome: built, cluster: await running.finish() };
    } finally {
      running.end();
    }
  });
  const { packed, unchanged, failed, libraries, bundles, head, isNew, signed } = outcome;
  const { serial, expires } = head;
  if (values.json)
    printJson({
      path: output,
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
      ...(cluster === undefined ? {} : { cluster: { ...cluster, ...ownCost(started) } }),
    });
  else
    print(
      `${oneLine(output)}: ${counted(libraries, 'library', 'libraries')}, ${counted(bundles, 'bundle')}; ${packed} packed, ${unchanged} unchanged, ${failed.length} failed.`,
    );
  if (isNew && !signed)
    status(
      isAddress
        ? 'The catalogue is not signed; readers take it after the same build with --key FILE.'
        : `The catalogue is not signed; readers take it after: sheaf publish sign ${oneLine(output)} --key FILE`,
    );
  return failed.length > 0 ? EXIT.FAILURE : EXIT.OK;
}

/** The cost of coordinating, on this machine. */
function ownCost(started: number): { seconds: number; coordinatorProcessorSeconds: number } {
  const { user, system } = process.cpuUsage();
  return { seconds: (performance.now() - started) / 1000, coordinatorProcessorSeconds: (user + system) / 1e6 };
}

async function keygen(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('publish', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const [path, ...more] = positionals;
  if (path === undefined || more.length > 0) throw usageError('Expected a file: sheaf publish keygen FILE');
  const key = generateKey();
  const { id, text } = publicOf(key);
  const passphrase = process.env[PASSPHRASE] ?? '';
  const [secretFile, publicFile] = [resolve(path), `${resolve(path)}.pub`];
  const isSaved = await saveSecretKey(secretFile, formatSecretKey(key, passphrase)).catch((error: Error) => {
    throw new CliError(EXIT.FAILURE, `${secretFile} cannot be written: ${error.message}.`);
  });
  if (!isSaved) throw new CliError(EXIT.FAILURE, `${secretFile} exists already; a key is never overwritten.`);
  await writeAtomically(publicFile, formatPublicKey({ id, text }));
  if (values.json) printJson({ secret: secretFile, public: publicFile, id, key: text });
  else
    print(
      `${text}\nSecret key: ${oneLine(secretFile)}; keep it where the catalogue is not. Public key: ${oneLine(publicFile)}`,
    );
  if (passphrase === '') status(`The secret key has no passphrase; set $${PASSPHRASE} to give it one.`);
  return EXIT.OK;
}

async function sign(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('publish', {
    args,
    allowPositionals: true,
    options: { key: { type: 'string' }, json: { type: 'boolean' } },
  });
  const folder = folderOf(positionals, 'sign');
  const key = await keyFlag(values.key);
  const { store, head, bytes } = await headOf(folder);
  if (Date.parse(head.expires) <= Date.now())
    throw new CliError(EXIT.FAILURE, `The catalogue expired ${head.expires}; build it again first.`);
  await writeSignature(store, bytes, head, key);
  if (values.json) printJson({ path: folder, id: head.id, serial: head.serial, key: publicOf(key).text });
  else print(`${oneLine(folder)} is signed by ${publicOf(key).id}.`);
  return EXIT.OK;
}

async function rotate(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('publish', {
    args,
    allowPositionals: true,
    options: { key: { type: 'string' }, new: { type: 'string' }, json: { type: 'boolean' } },
  });
  const folder = folderOf(positionals, 'rotate');
  if (values.new === undefined) throw usageError('Give the new public key: --new FILE.pub');
  const key = await keyFlag(values.key);
  const next = refusals(() => parsePublicKey(readable));
  const readable = await readFile(values.new, 'utf8').catch((error: Error) => {
    throw new CliError(EXIT.NOT_FOUND, `${values.new} cannot be read: ${error.message}.`);
  });
  const { store, head } = await headOf(folder);
  const { id, text } = next();
  if (id === publicOf(key).id) throw usageError('That is the same key.');
  await writeRotation(
    store,
    { id, text },
    signBytes(key, Buffer.from(formatPublicKey({ id, text })), rotationComment(head.id)),
  );
  if (values.json) printJson({ path: folder, from: publicOf(key).id, to: id });
  else
    print(
      `The key ${publicOf(key).id} passes ${oneLine(folder)} on to ${id}. Sign it with the new key now: sheaf publish sign, or build --key.`,
    );
  return EXIT.OK;
}

function folderOf([folder, ...more]: readonly string[], verb: string): string {
  if (folder === undefined || more.length > 0)
    throw usageError(`Expected a folder: sheaf publish ${verb} DIR --key FILE`);
  return resolve(folder);
}

/** Turns a refusal of the user's input into a usage error. */
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
  if (path === undefined) throw usageError('Give the secret key: --key FILE (sheaf publish keygen makes one)');
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
