/**
 * Documentation that points to source is filled from it: directives that a generator would replace by docstrings.
 *
 *     pages of documentation + pages of the API (pages.ts) -> pages with the entries in place of directives, and the rest
 *
 *     .. automodule:: kiln              reStructuredText: objects of the Python domain
 *     ```{autoclass} kiln.Ramp          MyST, also in {eval-rst}: Markdown
 *     ::: kiln.Ramp                     mkdocstrings: Markdown
 *
 * An entry stands where it is named first, and is then no part of the API's own pages. `autosummary` lists names with
 * their first sentences, and leaves the entries where they are. A directive that names nothing known stays as it is and is
 * counted by kind.
 *
 * Invariants
 *  1. Text that was put in is not read again, so nothing is filled twice or without end.
 *  2. Directives in code are text.
 *
 * Bounds: LIMITS. Cost: linear in the pages and in what is put in.
 */
import { code, escapeText, indentOf, withReferences } from './markup.js';
import { indented, objectText, rstOf, type Shown } from './rst_text.js';
import { fenceOfSignatures, placeOnPage, textOfPage, type ApiEntry, type ApiPage } from './write.js';

export const LIMITS = {
  /** Characters of all that is put in. */
  added: 64 << 20,
  /** Directives of one page that are looked at. */
  directives: 20_000,
  /** Lines of one page that are looked at for them: a line counts for each directive that may hold it. */
  lines: 1 << 21,
};

export interface DocPage {
  path: string;
  text: string;
}

export interface Filling {
  /** The pages that changed. */
  pages: DocPage[];
  /** Pages of the API, of what stands in no page of the documentation. */
  rest: ApiPage[];
  filled: number;
  /** Directives that name nothing known, by kind. */
  left: Map<string, number>;
}

export function fillDirectives(
  docs: Iterable<DocPage>,
  api: readonly ApiPage[],
  limits: Partial<typeof LIMITS> = {},
): Filling {
  const filler = new Filler(new Names(api), { ...LIMITS, ...limits });
  const pages: DocPage[] = [];
  for (const { path, text } of docs) {
    if (!hasDirectives(text)) continue;
    const made = /\.mdx?$|\.markdown$/i.test(path) ? filler.markdown(text) : filler.rst(text);
    if (made !== text) pages.push({ path, text: made });
  }
  const { names, filled, left } = filler;
  return { pages, rest: restOf(api, names.used), filled, left };
}

/** Whether a page may hold a directive; linear, and false for almost all pages. */
export const hasDirectives = (text: string): boolean =>
  /^[ \t]*(?:\.\. (?:py:)?auto[a-z]+::|(?:`{3,}|~{3,}|:{3,})\{(?:py:)?auto[a-z]+\}|::: +[A-Za-z_])/m.test(text);

/** What no page of the documentation holds now; links lead to what is still there. */
function restOf(api: readonly ApiPage[], used: ReadonlySet<string>): ApiPage[] {
  const kept = api.flatMap((page) => {
    const entries = raised(page.entries.filter(({ anchor }) => !used.has(placeOnPage(page, anchor))));
    const doc = used.has(placeOnPage(page)) ? '' : page.doc;
    if (entries.length === page.entries.length && doc === page.doc) return [page];
    return entries.length === 0 && doc === '' ? [] : [{ ...page, entries, doc }];
  });
  const there = new Set(
    kept.flatMap((page) => [placeOnPage(page), ...page.entries.map(({ anchor }) => placeOnPage(page, anchor))]),
  );
  if (there.size === 0) return [];
  const isThere = (place: string): boolean => there.has(place);
  return kept.flatMap((page) => {
    const also = page.also.filter(({ place }) => place === undefined || isThere(place));
    if (page.entries.length === 0 && page.doc === '' && also.length === 0) return [];
    return [{ ...page, also, text: textOfPage({ ...page, also }, isThere) }];
  });
}

/** Members of a class that is gone take its level. */
function raised(entries: readonly ApiEntry[]): ApiEntry[] {
  const within = (shown: readonly Shown[], level: number): ApiEntry[] =>
    shown.flatMap(({ entry, members }) => [{ ...entry, level }, ...within(members, level + 1)]);
  return within(nested(entries, ''), 2);
}

const isMember = ({ name }: ApiEntry, owner: ApiEntry): boolean => name.startsWith(`${owner.name}.`);

// ---- names ----------------------------------------------------------------------------------------

interface Found {
  page: ApiPage;
  /** Of the entry; absent: the module. */
  at?: number;
}

/** Python's names, by every name that documentation may use. */
class Names {
  readonly used = new Set<string>();
  readonly #by = new Map<string, Found>();
  /** By the name within its module and the package; null: several. */
  readonly #short = new Map<string, Found | null>();

  constructor(api: readonly ApiPage[]) {
    const places = new Map<string, Found>();
    const python = api.filter(({ language }) => language === 'python');
    for (const page of python) {
      page.entries.forEach(({ name, full, anchor }, at) => {
        const found = { page, at };
        places.set(placeOnPage(page, anchor), found);
        if (!this.#by.has(full)) this.#by.set(full, found);
        const short = `${topOf(page.title)} ${name}`;
        this.#short.set(short, this.#short.has(short) ? null : found);
      });
    }
    for (const page of python) {
      this.#by.set(page.title, { page });
      for (const { full, place } of page.also) {
        const found = place === undefined ? undefined : places.get(place);
        if (found !== undefined && !this.#by.has(full)) this.#by.set(full, found);
      }
    }
  }

  /** `within`: modules and classes that may hold it, nearest first. `as`: its name there. */
  find(given: string, within: readonly string[]): (Found & { as: string }) | undefined {
    const name = given.replace(/\(.*$/s, '').replace('::', '.').trim();
    if (!/^[\w.]{1,400}$/.test(name)) return undefined;
    const inside = within.map((one) => `${one}.${name}`);
    const all = name.includes('.') ? [name, ...inside] : [...inside, name];
    for (const search of [(each: string) => this.#by.get(each), this.#elsewhere])
      for (const each of all) {
        const found = search(each);
        if (found !== undefined) return { ...found, as: each };
      }
    return undefined;
  }

  /** `kiln._heat.Ramp` may be public as `kiln.Ramp`. */
  readonly #elsewhere = (name: string): Found | undefined => {
    const parts = name.split('.');
    for (let from = 1; from < Math.min(parts.length, 12); ++from) {
      const found = this.#short.get(`${parts[0]} ${parts.slice(from).join('.')}`);
      if (found !== undefined) return found ?? undefined;
    }
    return undefined;
  };

  take(page: ApiPage, anchor?: string): boolean {
    const place = placeOnPage(page, anchor);
    if (this.used.has(place)) return false;
    this.used.add(place);
    return true;
  }
}

const topOf = (name: string): string => name.split('.', 1)[0] as string;

// ---- directives -----------------------------------------------------------------------------------

interface Directive {
  /** `automodule`; `:::` of mkdocstrings. */
  kind: string;
  argument: string;
  options: ReadonlyMap<string, string>;
  body: readonly string[];
}

/** What stands in place of a directive. */
type Filled = { doc: string; shown: Shown[] } | { summary: ApiEntry[] };

const isMembers = ({ options }: Directive): ((name: string) => boolean) => {
  const list = (name: string): string[] | undefined =>
    options
      .get(name)
      ?.split(/[\s,]+/)
      .filter((each) => each !== '');
  const [wanted, excluded] = [list('members'), new Set(list('exclude-members') ?? [])];
  if (wanted === undefined || options.has('no-members')) return () => false;
  return (name) => (wanted.length === 0 || wanted.includes(name)) && !excluded.has(name);
};

class Filler {
  readonly names: Names;
  readonly left = new Map<string, number>();
  filled = 0;
  readonly #limits: typeof LIMITS;
  #added = 0;
  /** Of the page at hand. */
  #seen = { directives: 0, lines: 0 };

  constructor(names: Names, limits: typeof LIMITS) {
    this.names = names;
    this.#limits = limits;
  }

  #leave(kind: string): void {
    this.left.set(kind, (this.left.get(kind) ?? 0) + 1);
  }

  get #hasSeenEnough(): boolean {
    return this.#seen.directives >= this.#limits.directives || this.#seen.lines > this.#limits.lines;
  }

  /** undefined: the directive stays as it is. */
  #fill(directive: Directive, within: readonly string[], write: (filled: Filled) => string): string | undefined {
    const found = this.#added > this.#limits.added ? undefined : this.#find(directive, within);
    if (found === undefined) {
      this.#leave(directive.kind);
      return undefined;
    }
    // Named once more: it stands where it was named first.
    if ('shown' in found && found.shown.length === 0 && found.doc === '') return undefined;
    const text = write(found);
    this.filled += 1;
    this.#added += text.length;
    return text;
  }

  #find(directive: Directive, within: readonly string[]): Filled | undefined {
    const { kind, argument, body } = directive;
    if (kind === 'autosummary') {
      const summary = body.flatMap((line) => {
        const name = line.trim().replace(/^[~!]/, '').split(/\s/, 1)[0] as string;
        const found = name === '' ? undefined : this.names.find(name, within);
        return found?.at === undefined ? [] : [found.page.entries[found.at] as ApiEntry];
      });
      return summary.length === 0 ? undefined : { summary };
    }
    const found = this.names.find(argument, within);
    if (found === undefined) return undefined;
    const { page, at, as } = found;
    const isShown = isMembers(directive);
    const own = at === undefined ? undefined : (page.entries[at] as ApiEntry);
    const top = own === undefined ? 2 : own.level + 1;
    const chosen: ApiEntry[] = own !== undefined && this.names.take(page, own.anchor) ? [own] : [];
    let isWanted = false;
    for (let i = at === undefined ? 0 : at + 1; i < page.entries.length; ++i) {
      const entry = page.entries[i] as ApiEntry;
      if (entry.level < top) break;
      if (entry.level === top) isWanted = isShown(entry.name.slice(entry.name.lastIndexOf('.') + 1));
      if (isWanted && this.names.take(page, entry.anchor)) chosen.push(entry);
    }
    const doc = at === undefined && this.names.take(page) ? page.doc : '';
    // Called as the documentation calls it: a module is often not the one that defines a name.
    const module =
      own === undefined ? as : as.endsWith(`.${own.name}`) ? as.slice(0, -own.name.length - 1) : page.title;
    return { doc, shown: nested(chosen, module) };
  }

  // ---- reStructuredText ---------------------------------------------------------------------------

  rst(text: string): string {
    const lines = text.split('\n');
    const out: string[] = [];
    let code: number | undefined; // indentation of what holds it
    let module = '';
    const classes: { indent: number; name: string }[] = [];
    this.#seen = { directives: 0, lines: 0 };
    for (let i = 0; i < lines.length; ) {
      const line = (lines[i] as string).replace(/\r$/, '');
      const indent = indentOf(line);
      if (line.trim() !== '') {
        if (code !== undefined && indent <= code) code = undefined;
        while (classes.length > 0 && indent <= (classes.at(-1) as { indent: number }).indent) classes.pop();
      }
      const [, name = '', argument = ''] =
        code === undefined ? (/^\.\. (?:py:)?([a-z][\w:-]*)::[ \t]*(.*)$/s.exec(line.trim()) ?? []) : [];
      if (/^(?:current)?module$/.test(name)) module = argument.trim();
      if (!/^auto[a-z]+$/.test(name) || this.#hasSeenEnough) {
        if (code === undefined && line.trim() !== '' && (HOLDS_CODE.test(name) || (name === '' && line.endsWith('::'))))
          code = indent;
        out.push(lines[i] as string);
        i += 1;
        continue;
      }
      const { directive, begin, next } = this.#rstDirective(name, argument, lines, i + 1, indent);
      if (name === 'automodule') module = argument.trim();
      const modules = module === '' ? [] : [module];
      const within = [...classes.map((one) => one.name).reverse(), ...modules];
      const pad = ' '.repeat(indent);
      const made = this.#fill(directive, within, (found) =>
        'summary' in found
          ? found.summary.map((each) => `* ${rstOf(summaryOf(each))}`).join('\n')
          : [rstOf(found.doc), ...found.shown.map((each) => objectText(each))]
              .filter((each) => each !== '')
              .join('\n\n'),
      );
      if (/^auto(?:class|exception)$/.test(name))
        classes.push(
          ...[...modules.map((one) => `${one}.`), ''].map((one) => ({ indent, name: one + argument.trim() })),
        );
      if (made === undefined) {
        out.push(lines[i] as string);
        i += 1;
      } else {
        out.push('', indented(made, pad), '');
        // Options and names go with the directive; words and directives below it are the object's.
        i = name === 'autosummary' ? next : begin;
      }
    }
    return out.join('\n');
  }

  // ---- Markdown -----------------------------------------------------------------------------------

  markdown(text: string): string {
    const lines = text.split('\n');
    const out: string[] = [];
    const open: { mark: string; run: number }[] = [];
    let isCode = false;
    let level = 1; // of the heading above
    this.#seen = { directives: 0, lines: 0 };
    const module: string[] = [];
    const unclosed = new Set<string>();
    const write = (found: Filled, base = level + 1): string =>
      'summary' in found
        ? found.summary.map((each) => `- ${summaryOf(each)}`).join('\n')
        : [
            withReferences(found.doc, (_, shown) => shown),
            ...found.shown.flatMap((each) => markdownOf(each, Math.min(base, 6))),
          ]
            .filter((each) => each !== '')
            .join('\n\n');
    for (let i = 0; i < lines.length; ) {
      const line = (lines[i] as string).replace(/\r$/, '');
      const indent = indentOf(line);
      const pad = ' '.repeat(indent);
      const [, marks = '', info = ''] = /^\s*(`{3,}|~{3,}|:{3,})(.*)$/s.exec(line) ?? [];
      const inner = open.at(-1);
      const keep = (): void => {
        out.push(lines[i] as string);
        i += 1;
      };
      // "```js```" in a line is code within a paragraph.
      const isFence = marks !== '' && !(marks[0] === '`' && info.includes('`'));
      if (inner !== undefined && marks[0] === inner.mark && marks.length >= inner.run && info.trim() === '') {
        open.pop();
        isCode = false;
        keep();
        continue;
      }
      if (isCode || this.#hasSeenEnough) {
        keep();
        continue;
      }
      if (!isFence) {
        level = /^(#{1,6})[ \t]/.exec(line)?.[1]?.length ?? level;
        keep();
        continue;
      }
      const [, name = '', argument = ''] = /^\{(?:py:)?([\w:-]+)\}[ \t]*(.*)$/s.exec(info) ?? [];
      const identifier = /^ +([A-Za-z_][\w.]*)\s*$/.exec(marks === ':::' ? info : '')?.[1];
      if (identifier !== undefined) {
        const { options, isOwn, next } = yamlOptions(lines, i + 1, indent);
        if (isOwn || identifier.includes('.')) {
          this.#seen.directives += 1;
          const [wanted, base] = [options.get('members'), Number(options.get('heading_level')) || undefined];
          const members = wanted === undefined ? '' : /^(?:false|no|none)$/i.test(wanted) ? undefined : wanted;
          const given = new Map(members === undefined ? [] : [['members', members]]);
          const directive = { kind: ':::', argument: identifier, options: given, body: [] };
          const made = this.#fill(directive, [], (found) => write(found, base));
          if (made === undefined) keep();
          else {
            out.push('', indented(made, pad), '');
            i = next;
          }
          continue;
        }
      }
      const isAuto = /^auto[a-z]+$/.test(name);
      const end = isAuto || name === 'eval-rst' ? closingLine(lines, i + 1, marks, unclosed) : i;
      this.#seen.lines += end - i;
      if (name === 'eval-rst') {
        const body = lines.slice(i + 1, end);
        const filled = this.#evalRst(body, module, write);
        if (filled !== undefined) {
          for (const each of filled)
            if ('text' in each) out.push('', indented(each.text, pad), '');
            else out.push(lines[i] as string, each.rst.join('\n'), lines[end] ?? pad + marks);
          i = end + 1;
        } else {
          open.push({ mark: marks[0] as string, run: marks.length });
          isCode = true;
          keep();
        }
        continue;
      }
      if (isAuto && end < lines.length) {
        this.#seen.directives += 1;
        const { options, body } = bodyOf(lines.slice(i + 1, end));
        const made = this.#fill({ kind: name, argument, options, body }, module, (found) => write(found));
        if (made !== undefined) {
          out.push('', indented(made, pad), '');
          if (name !== 'autosummary' && body.length > 0) out.push(body.join('\n'));
          i = end + 1;
          continue;
        }
      }
      if (/^(?:current)?module$/.test(name)) module.splice(0, 1, argument.trim());
      open.push({ mark: marks[0] as string, run: marks.length });
      isCode = marks[0] !== ':' && (name === '' || HOLDS_CODE.test(name) || isAuto);
      keep();
    }
    return out.join('\n');
  }

  /** The parts of an {eval-rst}: Markdown where directives were, and what else there is; undefined: none was filled. */
  #evalRst(
    body: readonly string[],
    module: string[],
    write: (found: Filled) => string,
  ): ({ text: string } | { rst: string[] })[] | undefined {
    const parts: ({ text: string } | { rst: string[] })[] = [];
    let rst: string[] = [];
    const flush = (): void => {
      if (rst.some((line) => line.trim() !== '' && !/^\s*\.\. (?:py:)?currentmodule::/.test(line))) parts.push({ rst });
      rst = [];
    };
    for (let i = 0; i < body.length; ) {
      const line = body[i] as string;
      const [, name = '', argument = ''] = /^\.\. (?:py:)?([a-z]+)::[ \t]*(.*)$/s.exec(line.trim()) ?? [];
      if (/^(?:current)?module$/.test(name)) module.splice(0, 1, argument.trim());
      if (/^auto[a-z]+$/.test(name) && !this.#hasSeenEnough) {
        const { directive, next } = this.#rstDirective(name, argument, body, i + 1, indentOf(line));
        const made = this.#fill(directive, module, write);
        if (made !== undefined) {
          flush();
          parts.push({ text: made });
          if (name !== 'autosummary') for (const each of directive.body) rst.push(each);
          i = next;
          continue;
        }
      }
      rst.push(line);
      i += 1;
    }
    const isFilled = parts.length > 0;
    flush();
    return isFilled ? parts : undefined;
  }

  /** Its options and the lines below it, from line `i` on; `begin` is the first of its body. */
  #rstDirective(
    kind: string,
    argument: string,
    lines: readonly string[],
    i: number,
    indent: number,
  ): { directive: Directive; begin: number; next: number } {
    let next = i;
    while (
      next < lines.length &&
      ((lines[next] as string).trim() === '' || indentOf((lines[next] as string).trimEnd()) > indent)
    )
      next += 1;
    this.#seen.directives += 1;
    this.#seen.lines += next - i;
    const { options, body } = bodyOf(lines.slice(i, next));
    return { directive: { kind, argument, options, body }, begin: next - body.length, next };
  }
}

/** Directives whose body is code or data: of reStructuredText and of MyST. */
export const HOLDS_CODE =
  /^(?:code|code-block|sourcecode|code-cell|parsed-literal|prompt|console|ipython|doctest|testcode|testoutput|math|mermaid|graphviz|literalinclude|raw|highlight)$/;

/** `:name: value` lines, then the body. */
function bodyOf(lines: readonly string[]): { options: Map<string, string>; body: string[] } {
  const options = new Map<string, string>();
  let i = 0;
  let last = '';
  for (; i < lines.length; ++i) {
    const line = lines[i] as string;
    const [, name, value = ''] = /^\s*:([a-z][\w-]*):[ \t]*(.*)$/s.exec(line) ?? [];
    if (name !== undefined) options.set((last = name), value.trim());
    else if (line.trim() === '' || last === '' || indentOf(line) <= indentOf(lines[0] as string)) break;
    else options.set(last, `${options.get(last) ?? ''} ${line.trim()}`);
  }
  return { options, body: lines.slice(i) };
}

/** The YAML below a mkdocstrings line, of which three options count. `isOwn`: it can be nothing else. */
function yamlOptions(
  lines: readonly string[],
  i: number,
  indent: number,
): { options: Map<string, string>; isOwn: boolean; next: number } {
  const options = new Map<string, string>();
  let isOwn = false;
  let next = i;
  let list: string[] | undefined;
  for (; next < lines.length; ++next) {
    const line = (lines[next] as string).trimEnd();
    if (line === '' || indentOf(line) < indent + 2) break;
    const [, key, value = ''] = /^([\w-]+):[ \t]*(.*)$/s.exec(line.trim()) ?? [];
    const item = /^- +["']?([\w.]+)/.exec(line.trim())?.[1];
    isOwn ||= /^(?:options|handler|selection|rendering)$/.test(key ?? '');
    if (key === 'members' && value === '') list = [];
    else if (item !== undefined) list?.push(item);
    else list = undefined;
    if (list !== undefined) options.set('members', list.join(','));
    else if (key === 'members' || key === 'heading_level') options.set(key, value.replace(/[[\]"']/g, ''));
  }
  return { options, isOwn, next };
}

/** `unclosed`: marks that no line below closes, so that no page is searched to its end again and again. */
function closingLine(lines: readonly string[], i: number, marks: string, unclosed: Set<string>): number {
  if (unclosed.has(marks)) return lines.length;
  for (let at = i; at < lines.length; ++at) {
    const line = (lines[at] as string).trim();
    if (line.length >= marks.length && line === (marks[0] as string).repeat(line.length)) return at;
  }
  unclosed.add(marks);
  return lines.length;
}

// ---- text -----------------------------------------------------------------------------------------

/** Members within what holds them. */
function nested(entries: readonly ApiEntry[], module: string): Shown[] {
  const tops: Shown[] = [];
  const open: Shown[] = [];
  for (const entry of entries) {
    while (open.length > 0 && !isMember(entry, (open.at(-1) as Shown).entry)) open.pop();
    const one = { entry, module, members: [] };
    (open.at(-1)?.members ?? tops).push(one);
    open.push(one);
  }
  return tops;
}

function markdownOf({ entry, module, members }: Shown, level: number, isMember = false): string[] {
  const { name, kind, signatures, doc } = entry;
  const full = `${module}.${name}`;
  return [
    `${'#'.repeat(Math.min(level, 6))} ${escapeText(isMember ? name : full)} {#${full} .${kind}}`,
    fenceOfSignatures(signatures, 'python'),
    withReferences(doc, (_, shown) => shown),
    ...members.flatMap((each) => markdownOf(each, level + 1, true)),
  ];
}

/** Its first sentence, then its name: a name in front would make the line its definition. */
function summaryOf({ full, doc }: ApiEntry): string {
  const [first = ''] = withReferences(doc, (_, shown) => shown)
    .trim()
    .split('\n\n', 1);
  const line = /^(?:[-*#`>|]|\d+\.)/.test(first) ? '' : first.replace(/\s+/g, ' ');
  const sentence = /^.{1,300}?[.!?](?=\s|$)/.exec(line)?.[0] ?? line.slice(0, 200);
  return sentence === '' ? code(full) : `${sentence.replace(/[.:]$/, '')} (${code(full)})`;
}
