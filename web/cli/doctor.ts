/** `sheaf doctor`: reports what works, what is missing, and how to fix it: on this machine, or at an address. */
import { CliError, EXIT, usageError } from '../node/base/exit.js';
import { oneLine, paint, print, printJson } from '../node/base/terminal.js';
import { checkMachine, type Finding } from '../node/doctor/machine.js';
import { Guard } from '../node/net/guarded_http.js';
import { checkSite } from '../node/site/checkup/checkup.js';
import { Visitor } from '../node/site/checkup/visitor.js';
import { withWorkspace } from '../node/store/interrupt.js';
import { parseFlags } from './flags.js';

export const help = `Usage: sheaf doctor [--json]
       sheaf doctor https://SITE/PAGE [--json] [--allow-private]

Checks this machine: the core, the packer, the store, the configuration, models, and the programs
that some sources need. Exit code 1: something that every use needs is broken.

With the address of a page, checks how its search is deployed, in some thirty requests: files,
types, compression, ranges, caching, policy, origins, sizes; opens the bundle and searches it once.
Exit code 1: something keeps the search from working.

      --json            [{"name", "state", "detail", "advice"?}]; states are ok, missing and broken,
                        or ok, warn and fail
      --allow-private   also ask private addresses that the page or a redirect names; one that you
                        type needs no flag`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('doctor', {
    args,
    allowPositionals: true,
    options: { json: { type: 'boolean' }, 'allow-private': { type: 'boolean' } },
  });
  const [address] = positionals;
  if (positionals.length > 1) throw usageError('Give the address of one page, or none. See: sheaf doctor --help');
  const findings =
    address === undefined ? await checkMachine() : await ofAddress(address, values['allow-private'] ?? false);
  if (values.json) printJson(findings);
  else print(render(findings));
  return findings.some(({ state }) => state === 'broken' || state === 'fail') ? EXIT.FAILURE : EXIT.OK;
}

/** Error: it is no address, or its host cannot be asked. */
async function ofAddress(text: string, allowPrivate: boolean): Promise<Finding[]> {
  const address = URL.canParse(text) ? new URL(text) : undefined;
  if (address === undefined || !/^https?:$/.test(address.protocol))
    throw usageError(
      `'${oneLine(text).slice(0, 200)}' is not the address of a page, such as https://docs.example.org/`,
    );
  const guard = new Guard({
    allowPrivate,
    own: address,
    refuse: (url, found) =>
      new CliError(
        EXIT.FAILURE,
        found === undefined
          ? `${url.href} is refused: only http and https addresses are allowed.`
          : `${url.origin} is refused: ${found} is an address of this machine or a private network. To allow it, add --allow-private.`,
      ),
  });
  return withWorkspace(async (_, signal) => {
    try {
      return await checkSite(address, new Visitor(guard, signal));
    } catch (error) {
      if (error instanceof CliError || signal.aborted) throw error;
      throw new CliError(EXIT.FAILURE, `${address.href} could not be checked: ${(error as Error).message}.`);
    }
  });
}

/** Pure. */
export function render(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ name }) => name.length));
  const [good, little, bad] = [paint('cyan', '✓'), paint('dim', '–'), paint('red', '✗')];
  const mark = { ok: good, missing: little, warn: paint('bold', '!'), broken: bad, fail: bad };
  return findings
    .flatMap(({ name, state, detail, advice }) => [
      `${mark[state]} ${name.padEnd(width)}  ${oneLine(detail)}`,
      ...(advice === undefined ? [] : [`  ${' '.repeat(width)}  ${oneLine(advice)}`]),
    ])
    .join('\n');
}
