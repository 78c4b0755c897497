/** Puts a server together from its parts and runs it until it is over. */
import { ownVersion } from '../client/paths.js';
import { countCalls, LiveConfig } from './live_config.js';
import { claimStdout } from './log.js';
import { createLog, type LogFormat } from '../operate/log.js';
import { LimitedPool } from './limits.js';
import { createPool } from './pool.js';
import { Service } from './server.js';
import { createSets, hasSkill, PAGE_GUIDE, type SetName } from './sets.js';
import { Toolbox } from './toolbox.js';
import type { Skill } from './skill.js';
import type { Backend } from '../databases/backend.js';
import type { HttpOptions } from './http.js';
import type { Environment, Log, LogLevel, Pool } from './tool.js';

/** What only a server over HTTP has. */
export interface HttpOperation {
  /** The only token, or the path of a file of them; by default none is needed. */
  token?: string | undefined;
  tokens?: string | undefined;
  metrics?: boolean;
}

export interface McpOptions {
  sets: readonly SetName[];
  underscoreNames: boolean;
  /** Replies without their structured form. */
  textOnly?: boolean;
  /** Over HTTP instead of stdio. */
  http?: (HttpOptions & HttpOperation) | undefined;
  logLevel: LogLevel;
  logFormat?: LogFormat;
  memory?: number | undefined;
  store?: string | undefined;
  /** What tools see of the environment. */
  env: NodeJS.ProcessEnv;
  project?: string | undefined;
  /** Opens the database whose libraries are served, in the place of the store's. */
  backend?: (() => Promise<Backend>) | undefined;
  /** Addresses of sites whose libraries are served, in the place of the store's. */
  sites?: readonly URL[];
  /** See Environment. */
  lockedVersion?: Environment['lockedVersion'];
  originOf?: Environment['originOf'];
  findLibraries?: Environment['findLibraries'];
  planAddition?: Environment['planAddition'];
}

/** Warming up begins when the first answers are out of the way. */
const WARM_UP_DELAY_MS = 100;

export async function runMcp(options: McpOptions): Promise<void> {
  const stdout = claimStdout();
  const { http, logFormat = 'text' } = options;
  const log = createLog(options.logLevel, logFormat);
  // Over stdio nobody is asked for a token, and nothing of it is loaded.
  const operate = http && (await import('../operate/index.js'));
  const access = await operate?.Access.open({ token: http?.token, file: http?.tokens }, log);
  const config = new LiveConfig(log);
  await config.refresh();
  const { memory, store, env, project, sites = [] } = options;
  const { lockedVersion, originOf, findLibraries, planAddition } = options;
  const ofPool = {
    ...(originOf === undefined ? {} : { originOf }),
    ...(store === undefined ? {} : { store }),
    ...(memory === undefined ? {} : { memory }),
    encoder: () => textOf(config.get('query.encoder')),
  };
  const files =
    sites.length === 0 ? createPool(log, ofPool) : (await import('./site_pool.js')).createSitePool(sites, log, ofPool);
  const pool = new LimitedPool(await overBackend(options.backend, files, textOf(config.get('query.encoder')), log));
  const environment: Environment = {
    pool,
    log,
    config: (key) => config.get(key),
    env,
    cwd: project ?? process.cwd(),
    ...(lockedVersion === undefined ? {} : { lockedVersion }),
    ...(originOf === undefined ? {} : { originOf }),
    ...(findLibraries === undefined ? {} : { findLibraries }),
    ...(planAddition === undefined ? {} : { planAddition }),
  };

  const version = await ownVersion();
  const operation =
    access &&
    (await operate?.Operation.create({
      ...{ access, log, pool, version, metrics: http?.metrics ?? false },
      logRequests: logFormat === 'json',
    }));
  const toolbox = new Toolbox(await createSets(options.sets, environment), options.underscoreNames);
  const service = new Service({
    toolbox,
    guide: PAGE_GUIDE,
    pool,
    log,
    version,
    count: countCalls(log),
    called: (tool, outcome, seconds) => operation?.metrics?.call(tool, outcome, seconds),
    ...(hasSkill(options.sets) ? { skill: () => ownSkill(log) } : {}),
    ready: () => config.refresh(),
    textOnly: options.textOnly ?? false,
  });
  const stop = stopSignal(log);
  // One tool's forgotten promise must not end everybody's server.
  process.on('unhandledRejection', (error) =>
    log('error', error instanceof Error ? (error.stack ?? error.message) : String(error)),
  );
  pool.onChange(() => {
    log('debug', 'The store changed');
    service.resourcesChanged();
  });
  const warm = setTimeout(() => {
    for (const set of toolbox.sets) set.warmUp?.().catch((error: unknown) => log('error', String(error)));
  }, WARM_UP_DELAY_MS);

  try {
    if (http === undefined || operation === undefined) {
      const { runStdio } = await import('./stdio.js');
      await runStdio(service, stdout, log, stop);
    } else {
      const { runHttp } = await import('./http.js');
      await runHttp(service, pool, http, operation, log, stop);
    }
  } finally {
    clearTimeout(warm);
    await Promise.allSettled(toolbox.sets.map((set) => set.close?.()));
    await pool.close();
    // Work that cannot be cancelled does not keep a server alive that nobody talks to.
    setTimeout(() => process.exit(), 500).unref();
  }
}

/** Undefined where the package lacks it. */
async function ownSkill(log: Log): Promise<Skill | undefined> {
  const { readSkill } = await import('./skill.js');
  return readSkill().catch((error: unknown) => {
    log('warn', `The skill cannot be read: ${String(error)}`);
    return undefined;
  });
}

async function overBackend(
  open: McpOptions['backend'],
  files: Pool,
  encoder: string | undefined,
  log: Log,
): Promise<Pool> {
  if (open === undefined) return files;
  const [{ BackendPool }, { queryVectors }] = await Promise.all([
    import('./backend_pool.js'),
    import('../databases/query_vectors.js'),
  ]);
  return new BackendPool(await open(), queryVectors(encoder), files, log);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Fires on the first request to end; a second one ends the process at once, as is usual. */
function stopSignal(log: Log): AbortSignal {
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(name, () => {
      log('debug', `${name}: ending`);
      stop.abort();
    });
  }
  return stop.signal;
}
