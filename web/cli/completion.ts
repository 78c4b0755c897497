/**
 * `sheaf completion`: shell scripts, and the candidates that they request.
 *
 * Idea: the scripts only call `sheaf completion words`. This file looks up the candidates (verbs, the
 * flags in a verb's help, libraries and versions of the store), so an installed script stays correct
 * when sheaf is updated.
 */
import { EXIT, usageError } from '../node/base/exit.js';
import { listStore } from '../node/store/store.js';
import { oneLine, print } from '../node/base/terminal.js';
import { VERBS, type Verb } from './verbs.js';

export const help = `Usage: sheaf completion bash|zsh|fish|nushell

Prints a completion script.
  bash   sheaf completion bash > ~/.local/share/bash-completion/completions/sheaf
  zsh    sheaf completion zsh > "\${fpath[1]}/_sheaf"
  fish   sheaf completion fish > ~/.config/fish/completions/sheaf.fish
  nushell  sheaf completion nushell | save ($nu.user-autoload-dirs.0 | path join sheaf.nu)`;

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_sheaf() {
  local words
  words=$("\${COMP_WORDS[0]}" completion words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null) || return
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}")
}
complete -o default -F _sheaf sheaf`,
  zsh: `#compdef sheaf
_sheaf() {
  local -a found
  found=(\${(f)"$("\${words[1]}" completion words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  (( \${#found} )) && compadd -- "\${found[@]}" || _files
}
compdef _sheaf sheaf`,
  fish: `function __sheaf_words
  set -l all (commandline -opc) (commandline -ct)
  sheaf completion words -- $all[2..] 2>/dev/null
end
complete -c sheaf -a '(__sheaf_words)'`,
  // Nushell has one completer for all commands; the one that was there goes on for the others.
  nushell: `let before = $env.config.completions.external.completer
$env.config.completions.external.completer = {|words|
  if ($words.0 | path basename) == sheaf {
    ^($words.0) completion words -- ...($words | skip 1) | lines | where $it != ''
  } else if $before != null { do $before $words }
}`,
};

export async function run(args: string[]): Promise<number> {
  const [shell, separator, ...typed] = args;
  if (shell === 'words' && separator === '--') {
    const textOf = ({ help, more = '' }: Verb): string => `${help}\n${more}`;
    const helps = Object.fromEntries(
      Object.entries(VERBS).map(([name, load]) => [name, async () => textOf(await load())]),
    );
    print((await candidates(typed, helps, await listStore())).join('\n'));
    return EXIT.OK;
  }
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell))
    throw usageError(`Name a shell: ${Object.keys(SCRIPTS).join(', ')}. See: sheaf completion --help`);
  print(SCRIPTS[shell] as string);
  return EXIT.OK;
}

/** Candidates for the last word of `typed`, which may be empty; none where a file name belongs. */
export async function candidates(
  typed: readonly string[],
  verbs: Readonly<Record<string, () => Promise<string>>>,
  store: readonly { library: string; version: string }[],
): Promise<string[]> {
  const last = typed.at(-1) ?? '';
  const begins = (words: Iterable<string>): string[] =>
    [...new Set(words)].filter((word) => word.startsWith(last) && word === oneLine(word)).sort();
  if (typed.length <= 1) return begins(Object.keys(verbs));
  const before = typed.at(-2) as string;
  if (before === '-l' || before === '--library') return begins(store.map(({ library }) => library));
  if (before === '-v' || before === '--version') {
    const at = typed.findIndex((word) => word === '-l' || word === '--library');
    return begins(store.filter(({ library }) => at < 0 || library === typed[at + 1]).map(({ version }) => version));
  }
  const verb = typed[0] as string;
  if (!last.startsWith('-') || !Object.hasOwn(verbs, verb)) return [];
  return begins((await (verbs[verb] as () => Promise<string>)()).match(/(?<![\w-])--[a-z][a-z-]+/g) ?? []);
}
