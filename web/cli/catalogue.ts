/**
 * `sheaf catalogue`: making catalogues, and the user's own list of them.
 *
 *     build LIST -o DIR    catalogue_build.ts          sign, rotate, keygen    catalogue_verbs.ts
 *     build … --on ray     catalogue_ray.ts            worker (on its nodes)   catalogue_worker.ts
 *     DIR                  here: the older form        add, list, remove, find    catalogue_added.ts
 *
 * `sheaf catalogue DIR` writes `catalogue.json` into a folder of bundles, so that the browser extension can offer them
 * from any static host. What is said of a library comes from its bundles. What they do not say (a description, a licence) may stand in
 * `catalogue.about.json` beside them: {"vue": {"title", "description", "licence"}}. The same folder gives the same bytes.
 */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { open } from '../node/client/node.js';
import type { LibraryInfo } from '../browser/client/types.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { writeAtomically } from '../node/base/files.js';
import { compareVersions } from '../node/store/store.js';
import { formatBytes, oneLine, print, printJson, status } from '../node/base/terminal.js';
import { parseFlags } from './flags.js';

export const LIST = 'catalogue.json';
const ABOUT = 'catalogue.about.json';

export const help = `Usage: sheaf catalogue build LIST -o DIR [--key FILE]
       sheaf catalogue DIR [--title TEXT]
       sheaf catalogue keygen FILE | sign DIR --key FILE | rotate DIR --key OLD --new NEW.pub
       sheaf catalogue add ADDRESS | list | remove ADDRESS | find WORDS

A catalogue is a static folder of ready bundles. build makes one from a list of sources, signed if
a key is given; sheaf add, agents and the browser extension take libraries from it.

build    LIST has the arguments of sheaf add on each line, and # comments:
           npm:vue --newest 3              the newest three minor versions
           https://github.com/o/r -d docs -v v1.2 -v v1.3
           house -s ./docs -v 2.1 --title "House rules" --licence CC-BY-4.0
         What is unchanged upstream is neither fetched nor packed again; what fails is listed with
         its reason, and its old bundle stays.
  -o, --output DIR      the folder that a static host serves
      --title TEXT      name of the catalogue; default: the folder's
      --key FILE        secret key of minisign to sign with (keygen); else: sheaf catalogue sign
      --expires DAYS    when readers stop to believe it, unless it is built anew; default 90
      --encoder E       static (default), none, or a transformer: see sheaf pack --help, which also
                        has --encoder-command and --encoder-precision
      --jobs N          sources that are fetched at a time, 4 by default
      --on ray          make the bundles on a Ray cluster: the one that $RAY_ADDRESS names, else one of
                        this machine; ray://HOST:10001 another. -o may be s3://…, gs://…, file://…
      --stage S:K=V,…   what a stage (fetch, pack, embed) takes: cpus=2, memory=2G, gpus=1, at-once=16,
                        actors=4 (of embed), or a resource of the cluster by its name; repeatable
      --vectors ADDRESS where embedded passages are kept for the next build; or none
      --shared-paths    folders of the list are there on all nodes, under the same path
      --state FILE      what is known of upstream; default DIR.state.json
      --id ID           go on with this catalogue, where its folder was lost
      --allow-private   follow addresses of this machine and of private networks
keygen   writes a secret key, for this user alone, and FILE.pub; $SHEAF_CATALOGUE_PASSPHRASE hides it
sign     signs the head of DIR, for keys that are kept elsewhere
rotate   passes DIR on to another key: readers who know the old one will believe the new one
add      takes libraries from there: https://…, or a folder. Its key is trusted from now on
      --key KEY         the key that it must have, as text or in a file
      --unsigned        take it without a signature
      --insecure        by plain http from another machine
      --allow-private   at an address of a private network
find     which libraries of the added catalogues do that

DIR alone writes DIR/catalogue.json, the older and unsigned form, of the bundles in DIR.
catalogue.about.json beside the bundles may say more of them than they do themselves:
  {"vue": {"title": "Vue", "description": "…", "licence": "CC-BY-4.0"}}
Serve DIR by any static host. Hosts of other origins than a site's own need
Access-Control-Allow-Origin: *, or the reader's permission for that one host.

      --json            what was done as JSON`;

/** A bundle as the catalogue lists it. */
interface Listed {
  version: string;
  language: string;
  bytes: number;
  sha256: string;
  address: string;
  pages: number;
  space: string;
}

interface Library {
  library: string;
  title: string;
  description: string;
  licence: string;
  versions: Listed[];
}

type About = Record<string, Partial<Record<'title' | 'description' | 'licence', unknown>>>;

/** Each part is loaded on use. A folder of such a name is `./build`. */
const PARTS: Readonly<Record<string, () => Promise<(args: string[]) => Promise<number>>>> = {
  worker: async () => (await import('../node/publish/worker.js')).worker,
  build: async () => (await import('./catalogue_verbs.js')).build,
  keygen: async () => (await import('./catalogue_verbs.js')).keygen,
  sign: async () => (await import('./catalogue_verbs.js')).sign,
  rotate: async () => (await import('./catalogue_verbs.js')).rotate,
  add: async () => (await import('./catalogue_added.js')).add,
  list: async () => (await import('./catalogue_added.js')).list,
  remove: async () => (await import('./catalogue_added.js')).remove,
  find: async () => (await import('./catalogue_added.js')).find,
};

export async function run(args: string[]): Promise<number> {
  const [first = '', ...rest] = args;
  const part = Object.hasOwn(PARTS, first) ? PARTS[first] : undefined;
  return part === undefined ? listFolder(args) : (await part())(rest);
}

async function listFolder(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('catalogue', {
    args,
    allowPositionals: true,
    options: { title: { type: 'string' }, json: { type: 'boolean' } },
  });
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0) throw usageError('Which folder? Give one: sheaf catalogue DIR');
  const names = await readdir(folder).catch((error: Error) => {
    throw new CliError(EXIT.FAILURE, `${folder} cannot be read: ${error.message}.`);
  });
  const about = await readAbout(join(folder, ABOUT));
  const libraries = new Map<string, Library>();
  const tables: { space: string; bytes: number; sha256: string; address: string }[] = [];
  const skipped: { file: string; why: string }[] = [];
  for (const name of names.filter((each) => each.endsWith('.sheaf')).sort()) {
    const path = join(folder, name);
    try {
      if (!(await stat(path)).isFile()) continue;
      const info = await infoOf(path);
      const listed = await listedOf(path, name, info);
      const said = Object.hasOwn(about, info.library) ? about[info.library] : undefined;
      const text = (key: 'title' | 'description' | 'licence'): string => {
        const value = said?.[key] ?? info.manifest[key];
        return typeof value === 'string' ? value : '';
      };
      const library = libraries.get(info.library) ?? {
        library: info.library,
        title: text('title') || info.library,
        description: text('description'),
        licence: text('licence'),
        versions: [],
      };
      library.versions.push(listed);
      libraries.set(info.library, library);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === 'WRONG_KIND') {
        const space = basename(name, '.sheaf').replace(/-[0-9a-f]{12}$/, '');
        tables.push({ space, ...(await sizeAndHash(path)), address: addressOf(name) });
      } else {
        skipped.push({ file: name, why: message });
        status(`${oneLine(name)} is left out: ${oneLine(message)}`);
      }
    }
  }
  if (libraries.size === 0)
    throw new CliError(
      EXIT.NOT_FOUND,
      `${folder} holds no bundle; make one with: sheaf pack DOCS -o ${folder} --library NAME --version V`,
    );
  for (const { versions } of libraries.values()) versions.sort((a, b) => compareVersions(b.version, a.version));
  const list = [...libraries.values()].sort((a, b) => (a.library < b.library ? -1 : 1));
  const bundles = list.flatMap(({ versions }) => versions);
  const path = join(folder, LIST);
  const title = values.title ?? basename(resolve(folder));
  await writeAtomically(
    path,
    `${JSON.stringify({ sheaf: 1, title, libraries: list, ...(tables.length === 0 ? {} : { tables }) }, undefined, 1)}\n`,
  );
  const bytes = bundles.reduce((sum, each) => sum + each.bytes, 0);
  if (values.json) printJson({ path, libraries: list.length, bundles: bundles.length, skipped });
  else print(`${oneLine(path)}: ${list.length} libraries, ${bundles.length} bundles, ${formatBytes(bytes)}.`);
  return EXIT.OK;
}

async function infoOf(path: string): Promise<LibraryInfo> {
  await using library = await open(path, { encoder: false, lazy: true });
  return library.info;
}

async function listedOf(path: string, name: string, info: LibraryInfo): Promise<Listed> {
  const { language } = info.manifest;
  return {
    version: info.version,
    language: typeof language === 'string' && language !== 'none' ? language : '',
    ...(await sizeAndHash(path)),
    address: addressOf(name),
    pages: info.pages,
    space: info.space,
  };
}

/** Relative to the list; a name may hold what an address gives a meaning. */
const addressOf = (name: string): string => `./${encodeURIComponent(name)}`;

async function sizeAndHash(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    hash.update(chunk as Buffer);
    bytes += (chunk as Buffer).length;
  }
  return { bytes, sha256: hash.digest('hex') };
}

async function readAbout(path: string): Promise<About> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw new CliError(EXIT.FAILURE, `${path} cannot be read: ${(error as Error).message}.`);
  }
  try {
    const about: unknown = JSON.parse(text);
    if (typeof about === 'object' && about !== null && !Array.isArray(about)) return about as About;
  } catch {
    // said below
  }
  throw usageError(`${path} must be an object such as {"vue": {"description": "…"}}.`);
}
