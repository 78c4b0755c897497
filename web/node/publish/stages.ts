/** Flags of `sheaf publish build` for clusters: where it runs, and what its stages may take. */
import { usageError } from '../base/exit.js';
import { oneLine } from '../base/terminal.js';

/** The variable with what opens a secret key; it stays on this machine. */
export const PASSPHRASE = 'SHEAF_CATALOGUE_PASSPHRASE';

export const STAGES = ['fetch', 'pack', 'embed'] as const;

/** What one task of a stage takes, as Ray counts it; `atOnce` tasks at a time. */
export interface Stage {
  cpus?: number;
  gpus?: number;
  /** Bytes. */
  memory?: number;
  atOnce?: number;
  /** Of embed: how many encoders run. */
  actors?: number;
  /** Resources of the cluster by their names. */
  resources?: Record<string, number>;
}

export interface Elsewhere {
  /** '' : what $RAY_ADDRESS names, else a cluster of this machine. */
  address: string;
  stages: Partial<Record<(typeof STAGES)[number], Stage>>;
  /** '' : none; undefined: beside the output, if that has an address. */
  vectors: string | undefined;
  sharedPaths: boolean;
}

/** Undefined: on this machine, without a cluster. */
export function elsewhereOf(values: {
  on?: string | undefined;
  stage?: string[] | undefined;
  vectors?: string | undefined;
  'shared-paths'?: boolean | undefined;
}): Elsewhere | undefined {
  const { on, stage, vectors } = values;
  const sharedPaths = values['shared-paths'] ?? false;
  if (on === undefined) {
    if (stage !== undefined || vectors !== undefined || sharedPaths)
      throw usageError('--stage, --vectors and --shared-paths belong to --on ray.');
    return undefined;
  }
  if (on !== 'ray' && !/^ray:\/\/[^\s/]+$/.test(on))
    throw usageError(`--on takes ray or ray://HOST:PORT, not '${oneLine(on)}'.`);
  if (vectors !== undefined && vectors !== 'none' && !isOutputAddress(vectors))
    throw usageError(`--vectors takes an address that all nodes reach (s3://…, file:///…), or none.`);
  return {
    address: on === 'ray' ? '' : on,
    stages: stagesOf(stage ?? []),
    vectors: vectors === 'none' ? '' : vectors,
    sharedPaths,
  };
}

/** Whether an output is an address, to which the nodes of a cluster write, rather than a folder of this machine. */
export const isOutputAddress = (output: string): boolean => /^[a-z][a-z0-9+.-]+:\/\/./i.test(output);

/** Pure. */
export function stagesOf(given: readonly string[]): Elsewhere['stages'] {
  const stages: Elsewhere['stages'] = {};
  for (const text of given) {
    const [, name = '', rest = ''] = /^(\w+):(.*)$/.exec(text) ?? [];
    const kind = STAGES.find((each) => each === name);
    if (kind === undefined || rest === '')
      throw usageError(`--stage is fetch, pack or embed, and what it takes: pack:cpus=2; not '${oneLine(text)}'.`);
    stages[kind] = { ...stages[kind] };
    for (const part of rest.split(',')) take(stages[kind], kind, part);
  }
  return stages;
}

function take(stage: Stage, kind: string, part: string): void {
  const [, key = '', value = ''] = /^([\w.:-]+)=([\d.]+[kKmMgG]?)$/.exec(part.trim()) ?? [];
  const count = sizeOf(value);
  if (key === '' || !Number.isFinite(count))
    throw usageError(`--stage ${kind}: expected NAME=NUMBER, not '${oneLine(part)}'.`);
  const whole = (): number => {
    if (Number.isInteger(count) && count >= 1 && count <= 10_000) return count;
    throw usageError(`--stage ${kind}: ${key} takes a whole number from 1, not '${oneLine(value)}'.`);
  };
  if (key === 'cpus' && kind === 'embed')
    throw usageError(
      '--stage embed takes gpus, memory, actors or a resource of the cluster; processors are for packing.',
    );
  if (key === 'cpus' || key === 'gpus') stage[key] = count;
  else if (key === 'memory') stage.memory = Math.round(count);
  else if (key === 'at-once') stage.atOnce = whole();
  else if (key === 'actors' && kind === 'embed') stage.actors = whole();
  else stage.resources = { ...stage.resources, [key]: count };
}

function sizeOf(text: string): number {
  const [, number = '', unit = ''] = /^(\d+(?:\.\d+)?)([kKmMgG]?)$/.exec(text) ?? [];
  return number === '' ? Number.NaN : Number(number) * 1024 ** ' kmg'.indexOf(unit.toLowerCase() || ' ');
}
