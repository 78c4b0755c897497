/**
 * `add_library`: fetches a library's documentation into the store, after the user said yes to the very source. It is served
 * where the owner of the server allows it (`sheaf mcp --allow-add`).
 *
 * One library is added at a time: packing takes the machine's memory and its processors.
 */
import { throwIfAborted } from '../../../../browser/client/errors.js';
import { CliError } from '../../../base/exit.js';
import { counted, oneLine } from '../../../base/terminal.js';
import { visible } from '../../quote.js';
import type { Added, Environment, JsonObject, Tool, ToolCall, ToolReply, ToolSet } from '../../tool.js';

export const ADD_TOOL = 'add_library';
const LONGEST = 400;
const MOST_NOTES = 5;

const INSTRUCTIONS = `${ADD_TOOL} adds the documentation of a library that is not installed yet, after asking the user. Use it when a library that the task needs is missing. It takes a minute or more; then the other tools find it.`;

const text = (description: string): JsonObject => ({ type: 'string', maxLength: LONGEST, description });

const INPUT: JsonObject = {
  type: 'object',
  properties: {
    library_name: text(
      'Its name, for example vue; with a source, the name to keep it under. Without a source, the name is looked up in the catalogues and lists of the user.',
    ),
    source: text(
      'Where its documentation is, if not under the name: npm:vue, pypi:fastapi, crate:serde, go:MODULE, maven:GROUP:ARTIFACT, a git repository or a documentation site by its https address.',
    ),
    version: text('A version, a range such as ^3, or a git tag; by default the newest'),
  },
};

const string = { type: 'string' };
const OUTPUT: JsonObject = {
  type: 'object',
  properties: {
    library: string,
    version: string,
    action: { type: 'string', enum: ['added', 'updated', 'unchanged'] },
    pages: { type: 'integer' },
    passages: { type: 'integer' },
    notes: { type: 'array', items: string },
  },
  required: ['library', 'version', 'action', 'notes'],
};

export function createAdding(environment: Environment): ToolSet {
  let before: Promise<unknown> = Promise.resolve();
  const inTurn = (work: () => Promise<ToolReply>): Promise<ToolReply> => {
    const result = before.then(work);
    before = result.catch(() => {});
    return result;
  };
  const tool: Tool = {
    name: ADD_TOOL,
    title: 'Add the documentation of a library',
    description:
      'Downloads and packs the documentation of a library that is not installed, so that the other tools find it. The user is asked first. Takes packages of registries and https addresses, no files.',
    input: INPUT,
    output: OUTPUT,
    annotations: { readOnlyHint: false, openWorldHint: true, destructiveHint: false, idempotentHint: true },
    call: (call) => add(environment, call, inTurn),
  };
  return { name: 'adding', instructions: INSTRUCTIONS, tools: [tool], isBeyondLibraries: true };
}

async function add(
  environment: Environment,
  call: ToolCall,
  inTurn: (work: () => Promise<ToolReply>) => Promise<ToolReply>,
): Promise<ToolReply> {
  const { args, signal, consent } = call;
  const given: Record<string, string | undefined> = {};
  for (const key of ['library_name', 'source', 'version']) {
    const value = args[key] ?? undefined;
    if (value !== undefined && (typeof value !== 'string' || value.trim() === '' || value.length > LONGEST))
      return failure(`${key} must be a text of 1 to ${LONGEST} characters.`);
    given[key] = value?.trim();
  }
  const { library_name: library, source, version } = given;
  return reported(signal, '', async () => {
    const plan = await environment.planAddition?.({ library, source, version }, signal);
    if (plan === undefined) return failure('This server adds no libraries.');
    const answer = consent(plan.question);
    if (answer === 'impossible')
      return failure(
        `The user must agree before a library is added, and this client cannot ask them (it has no elicitation). Ask the user to run: ${plan.command}`,
      );
    if (answer === 'refused') return failure('The user does not want it added. Go on without it.');
    return inTurn(() =>
      reported(signal, 'Nothing was added: ', async () => {
        throwIfAborted(signal);
        let step = 0;
        const tell = (line: string): void => call.progress(++step, undefined, oneLine(line));
        const listener = {
          say: tell,
          progress: (label: string, done: number, total: number) => tell(`${label}: ${done} of ${total}`),
        };
        return added(await plan.run(listener, signal));
      }),
    );
  });
}

/** Errors of our own, whose messages are complete, as replies. */
async function reported(signal: AbortSignal, before: string, work: () => Promise<ToolReply>): Promise<ToolReply> {
  try {
    return await work();
  } catch (error) {
    if (signal.aborted || !(error instanceof CliError)) throw error;
    return failure(`${before}${oneLine(error.message)}`);
  }
}

function added({ library, version, action, pages, passages, warnings }: Added): ToolReply {
  const notes = warnings.slice(0, MOST_NOTES).map((line) => oneLine(visible(line)).slice(0, LONGEST));
  const size = pages === undefined ? '' : `: ${counted(pages, 'page')}, ${counted(passages ?? 0, 'passage')}`;
  const what = `${library} ${version}`;
  const said = {
    added: `${what} was added${size}.`,
    updated: `${what} was updated${size}.`,
    unchanged: `${what} is there already, as its source has it.`,
  }[action];
  const counts = { ...(pages === undefined ? {} : { pages }), ...(passages === undefined ? {} : { passages }) };
  return {
    text: [`${said} Search it under that name and version.`, ...notes.map((note) => `(${note})`)].join('\n'),
    structured: { library, version, action, ...counts, notes },
  };
}

function failure(text: string): ToolReply {
  return { text, isError: true };
}
