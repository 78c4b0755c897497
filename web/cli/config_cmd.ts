/** `sheaf config`: shows and changes the configuration. */
import { CONFIG_KEYS, configPath, defaults, loadConfig, put, readOwn, writeConfig } from '../node/store/config.js';
import { confirm } from '../node/base/confirm.js';
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { parseFlags } from './flags.js';
import { oneLine, print, printJson } from '../node/base/terminal.js';

export const help = `Usage: sheaf config show [--defaults]
       sheaf config get KEY
       sheaf config set KEY VALUE
       sheaf config path
       sheaf config reset [-y]

Shows and changes the settings in $XDG_CONFIG_HOME/sheaf/config.json (~/.config by default).

VALUE is read as JSON where it is JSON, else as text.
      --defaults        show the defaults instead
  -y, --yes             reset without asking
      --json            print JSON (show prints JSON anyway)`;

export const more = `${Object.entries(CONFIG_KEYS)
  .map(
    ([key, { byDefault, meaning }]) =>
      `  ${key} (${byDefault === null ? 'not set' : `default ${JSON.stringify(byDefault)}`})\n      ${meaning}`,
  )
  .join('\n')}`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('config', {
    args: args.map((arg, index) => (index >= 2 && args[0] === 'set' && /^-\d/.test(arg) ? `\u0000${arg}` : arg)), // a negative number is not a flag
    allowPositionals: true,
    options: { defaults: { type: 'boolean' }, yes: { type: 'boolean', short: 'y' }, json: { type: 'boolean' } },
  });
  const [verb, ...rest] = positionals.map((word) => word.replace(/^\u0000/, ''));
  const expected: Record<string, number> = { show: 0, get: 1, set: 2, path: 0, reset: 0 };
  if (verb === undefined || !Object.hasOwn(expected, verb)) {
    throw usageError(
      `${verb === undefined ? 'sheaf config needs a verb' : `There is no 'sheaf config ${oneLine(verb)}'`}: ${Object.keys(expected).join(', ')}. See: sheaf config --help`,
    );
  }
  if (rest.length !== expected[verb])
    throw usageError(
      `sheaf config ${verb} takes ${['no argument', 'a key', 'a key and a value'][expected[verb] as number]}. See: sheaf config --help`,
    );
  if (values.defaults && verb !== 'show')
    throw usageError('--defaults belongs to sheaf config show. See: sheaf config --help');
  const json = values.json ?? false;
  if (verb === 'show') return show(values.defaults ?? false);
  if (verb === 'get') return get(rest[0] as string, json);
  if (verb === 'set') return set(rest[0] as string, rest[1] as string, json);
  if (verb === 'path') return path(json);
  return reset(values.yes ?? false, json);
}

async function show(onlyDefaults: boolean): Promise<number> {
  printJson(onlyDefaults ? defaults() : (await loadConfig()).all());
  return EXIT.OK;
}

async function get(key: string, json: boolean): Promise<number> {
  const config = await loadConfig();
  const value = config.get(key);
  if (value === undefined) throw unknownKey(key);
  if (json) printJson({ key, value });
  else print(typeof value === 'string' ? oneLine(value) : JSON.stringify(value, null, 2));
  return EXIT.OK;
}

async function set(key: string, text: string, json: boolean): Promise<number> {
  if (!Object.hasOwn(CONFIG_KEYS, key)) throw unknownKey(key);
  const value = parseValue(text);
  const expected = CONFIG_KEYS[key]?.refuses(value);
  if (expected !== undefined)
    throw usageError(`'${oneLine(text).slice(0, 100)}' cannot be the value of ${key}; expected ${expected}.`);
  const path = configPath();
  const own = await readOwn(path); // does not check values: the one to replace may be the bad one
  put(own, key, value);
  await writeConfig(path, own);
  if (json) printJson({ key, value });
  else print(`Set ${key} = ${typeof value === 'string' ? oneLine(value) : JSON.stringify(value)}`);
  return EXIT.OK;
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function path(json: boolean): Promise<number> {
  if (json) printJson({ path: configPath() });
  else print(configPath());
  return EXIT.OK;
}

async function reset(yes: boolean, json: boolean): Promise<number> {
  if (!(await confirm(`Reset ${configPath()} to the defaults?`, yes)))
    throw new CliError(EXIT.FAILURE, 'Nothing was changed.');
  await writeConfig(configPath(), {});
  if (json) printJson({ path: configPath(), reset: true });
  else print('Config reset to defaults.');
  return EXIT.OK;
}

function unknownKey(key: string): CliError {
  return new CliError(
    EXIT.FAILURE,
    `Error: Key '${oneLine(key).slice(0, 100)}' not found in config. Keys: ${Object.keys(CONFIG_KEYS).join(', ')}`,
  );
}
