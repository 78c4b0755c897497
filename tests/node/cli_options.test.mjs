/** Every option that a verb declares stands in its help, and no removed name is declared. */
import assert from 'node:assert/strict';
import { syncBuiltinESMExports } from 'node:module';
import { after, before, describe, it } from 'node:test';
import util from 'node:util';
import { REMOVED } from '../../dist/cli/removed.js';
import { VERBS } from '../../dist/cli/verbs.js';

const PARTS = {
  catalogue: ['add', 'list', 'remove', 'find'],
  publish: ['build', 'keygen', 'sign', 'rotate'],
  model: ['add', 'list', 'remove', 'path', 'verify'],
};
/** They pass their arguments on. */
const WITHOUT_OPTIONS = ['pack', 'completion'];

describe('options', () => {
  const { parseArgs } = util;
  let declared = [];
  before(() => {
    util.parseArgs = ({ options = {} }) => {
      declared = Object.keys(options);
      throw Object.assign(new TypeError('declared'), { code: 'ERR_PARSE_ARGS_UNKNOWN_OPTION' });
    };
    syncBuiltinESMExports();
  });
  after(() => {
    util.parseArgs = parseArgs;
    syncBuiltinESMExports();
  });

  for (const name of Object.keys(VERBS).filter((each) => !WITHOUT_OPTIONS.includes(each)))
    it(`Options of sheaf ${name} stand in its help`, async () => {
      const { help, more = '', run } = await VERBS[name]();
      for (const args of (PARTS[name] ?? [[]]).map((part) => [part].flat())) {
        declared = [];
        await assert.rejects(async () => run(args), { exitCode: 2 }, args.join(' '));
        assert.ok(declared.length > 0 || args[0] === 'path', `${name} ${args} was not asked`);
        for (const option of declared) {
          assert.match(`${help}\n${more}`, new RegExp(`--${option}\\b`), option);
          assert.ok(!Object.hasOwn(REMOVED, `${name} --${option}`), `--${option} was removed`);
        }
      }
    });
});
