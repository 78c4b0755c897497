/** Shared by tests of tool sets: an environment without a server, and a way to call tools. */
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createPool } from '../../dist/node/mcp/pool.js';
import { temporaryFolder } from './packed.mjs';

let parent;

/** A new folder, removed when the process ends. */
export function freshFolder(name) {
  parent ??= temporaryFolder('mcp');
  return mkdtempSync(join(parent, `${name}-`));
}

/** An Environment whose cache, store and configuration are the test's own. */
export function testEnvironment({ cwd, store = freshFolder('store'), cache = freshFolder('cache'), config = {}, env = {} }) {
  const lines = [];
  const log = (level, message) => lines.push(`[${level}] ${message}`);
  const { PATH, HOME } = process.env;
  const packer = process.env.SHEAF_PACK === undefined ? {} : { SHEAF_PACK: process.env.SHEAF_PACK };
  return {
    pool: createPool(log, { store }),
    log,
    lines,
    cache,
    store,
    config: (key) => config[key],
    env: { PATH, HOME, XDG_CACHE_HOME: cache, ...packer, ...env },
    cwd,
  };
}

export const sheafCache = ({ cache }) => join(cache, 'sheaf');

/** Calls a tool of a set by its name. Without `args`, as a client that sends none. */
export function caller(set) {
  return (name, args = {}, { signal = new AbortController().signal, progress = () => {} } = {}) => {
    const tool = set.tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    return tool.call({ args, signal, progress });
  };
}
