/** `sheaf page`: one page, whole. */
import { EXIT, usageError } from '../node/base/exit.js';
import { BUNDLE_FLAGS, BUNDLE_FLAGS_HELP, openChosen, parseFlags } from './flags.js';
import { harmless, oneLine, print, printJson } from '../node/base/terminal.js';

export const help = `Usage: sheaf page URL|PATH|NUMBER [-l LIBRARY] [-v VERSION]

Prints a page's text. It is named by its URL, its path in the packed folder, or its number.

${BUNDLE_FLAGS_HELP}
      --text            the text alone, without the lines above it`;

export async function run(args: string[]): Promise<number> {
  const { values, positionals } = parseFlags('page', {
    args,
    allowPositionals: true,
    options: { ...BUNDLE_FLAGS, text: { type: 'boolean' } },
  });
  const [name] = positionals;
  if (name === undefined || positionals.length > 1)
    throw usageError('Name one page, for example: sheaf page guide/start.md -l NAME');

  await using library = await openChosen(values, 'none');
  const page = await library.page(/^\d{1,9}$/.test(name) ? Number(name) : name);
  if (values.json) {
    printJson({ library: library.info.library, version: library.info.version, ...page });
    return EXIT.OK;
  }
  // Byte-exact into a pipe; sanitised on a terminal.
  const text = process.stdout.isTTY ? harmless(page.text) : page.text;
  if (values.text) process.stdout.write(text);
  else
    print(
      `# ${oneLine(page.title) || '(no title)'}\n\nSource: ${oneLine(page.url)}\nVersion: ${oneLine(library.info.version)}\n\n${text}`,
    );
  return EXIT.OK;
}
