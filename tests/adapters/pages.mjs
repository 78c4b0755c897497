/**
 * The pages of all sample projects, written once (pages/) and put into each generator's own dialect: callouts
 * are `:::tip[Title]`, headings may end in `{#id}`, links name `.md` files.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PAGES = fileURLToPath(new URL('./pages/', import.meta.url));
const KINDS = { caution: 'warning' };

const eachCallout = (text, write) =>
  text.replace(/^:::(\w+)(?:\[(.*)\])?\n([\s\S]*?)^:::$/gm, (_, kind, title, body) => write(kind, title, body));
const titled = (text) => ({ title: /^# (.*)\n/.exec(text)[1], rest: text.replace(/^# .*\n\n?/, '') });

/** Dialects: a page's text and path to what the generator reads. Pure. */
export const dialects = {
  vitepress: (text) =>
    eachCallout(text, (kind, title, body) => `::: ${{ note: 'info', ...KINDS }[kind] ?? kind}${title ? ` ${title}` : ''}\n${body}:::`),
  docusaurus: (text) => eachCallout(text, (kind, title, body) => `:::${KINDS[kind] ?? kind}${title ? `[${title}]` : ''}\n\n${body}\n:::`),
  starlight(text, path) {
    const { title, rest } = titled(text);
    const up = path.endsWith('index.md') ? './' : '../';
    const linked = rest.replace(/\]\(([\w./-]+)\.md\)/g, `](${up}$1/)`).replace(/ \{#[\w-]+\}$/gm, '');
    return `---\ntitle: ${title}\n---\n\n${linked}`;
  },
  mkdocs: (text) =>
    eachCallout(
      text,
      (kind, title, body) => `!!! ${KINDS[kind] ?? kind}${title ? ` "${title}"` : ''}\n\n${body.replace(/^(?=.)/gm, '    ')}`,
    ),
  sphinx: (text) =>
    eachCallout(text, (kind, title, body) =>
      title ? `:::{admonition} ${title}\n:class: ${KINDS[kind] ?? kind}\n${body}:::` : `:::{${kind}}\n${body}:::`,
    ).replace(/^(#+ .*) \{#([\w-]+)\}$/gm, '($2)=\n\n$1'),
};

/** Every page below `pages/`: path and text. German ones are `de/…`. */
export function pages() {
  return readdirSync(PAGES, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .sort()
    .map((file) => ({ path: file.slice(PAGES.length).split('\\').join('/'), text: readFileSync(file, 'utf8') }));
}

/** Writes those pages that `wanted` lets through into `folder`. */
export function writePages(folder, dialect, wanted = ({ path }) => !path.startsWith('de/'), change = (text) => text) {
  const chosen = pages().filter(wanted);
  for (const { path, text } of chosen) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, change(dialects[dialect](text, path), path));
  }
  return chosen;
}
