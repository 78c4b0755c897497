/**
 * AsciiDoc to HTML, by Asciidoctor.js in its safe mode "secure".
 *
 * Idea: Asciidoctor parses and writes the HTML; its one converter for each kind of node is ours to extend. So each block
 * is written behind a mark with its line, links to other files keep the files' own names (the packer gives them their
 * addresses), and includes are read through `Source.read` alone.
 *
 * Antora (antora.ts): identifiers of modules and families in includes, links and images; attributes of antora.yml.
 * Parts: a file that a page includes as a whole is a part of it, but for Antora's pages. Names that begin with `_`, and
 * Antora's navigation and partials, are no pages.
 *
 * Bounds of a page: MAX_INCLUDES files and MAX_INCLUDED characters of them; further includes are missing.
 */
import { Extensions, Html5Converter, IncludeProcessor, load, LoggerManager, MemoryLogger } from './asciidoctor.mjs';
import { antoraFile, attributesOf, resolveId, type AntoraFile } from './antora.js';
import type { Conversion, Source } from './converter.js';
import { byNumbers, byTags } from './select_lines.js';
import { escapeHtml, folderOf, joinPath, relativePath, textOf } from './text.js';

const MAX_INCLUDES = 1000;
const MAX_INCLUDED = 4 * 1024 * 1024;
const NAMED_MISSING = 3;

export async function convert(source: Source): Promise<Conversion> {
  const antora = antoraFile(source.path);
  const why = notAPage(source.path, antora);
  if (why !== undefined) return { leftOut: why };
  const includes = new Includes(source, antora);
  LoggerManager.logger = new MemoryLogger(); // it would print
  const document = await load(textOf(source.bytes), {
    safe: 'secure',
    sourcemap: true,
    converter: converterFor(source, antora),
    extension_registry: registryFor(includes),
    attributes: {
      ...(antora === undefined ? {} : await attributesOf(antora, source.read)),
      showtitle: '',
      relfilesuffix: '.adoc',
      docname: source.path.slice(folderOf(source.path).length).replace(/\.[^.]*$/, ''),
      experimental: '', // kbd, btn, menu
      toc: null,
      sectnums: null,
      sectanchors: null,
      sectlinks: null,
      icons: null,
      'source-highlighter': null,
      'last-update-label': null,
    },
  } as Parameters<typeof load>[1]);
  const body = await document.convert({ standalone: false });
  const { text, lines } = withoutMarks(withoutUnknownAddresses(body));
  const attribute = (name: string): string => String(document.getAttribute(name) ?? '');
  const title = String(document.getDoctitle({ sanitize: true, use_fallback: false }) ?? '');
  const head = [
    '<!doctype html>',
    `<html${attribute('lang') === '' ? '' : ` lang="${escapeHtml(attribute('lang'))}"`}><head><meta charset="utf-8">`,
    ...(title === '' ? [] : [`<title>${escapeHtml(plain(title))}</title>`]),
    ...(attribute('description') === ''
      ? []
      : [`<meta name="description" content="${escapeHtml(plain(attribute('description')))}">`]),
    '</head><body><main>',
  ].join('');
  const warnings = includes.missing.length > 0 ? [missingNote(includes.missing)] : [];
  return {
    text: `${head}\n${text}\n</main></body></html>\n`,
    lines: [1, ...lines],
    warnings,
    parts: [...includes.wholes],
    isOwnPage: antora?.family === 'pages',
  };
}

function notAPage(path: string, antora: AntoraFile | undefined): string | undefined {
  const name = path.slice(folderOf(path).length);
  if (antora?.family === '' && /^nav\b/.test(name)) return 'navigation of Antora';
  if (antora !== undefined && antora.family !== 'pages') return 'a part that pages of Antora include';
  if (name.startsWith('_')) return "its name begins with '_': a part that pages include";
  return undefined;
}

/**
 * `{url-org}/issues/7[issue #7^]`: a link whose address begins with an attribute that nobody sets here. Its words stay.
 */
const withoutUnknownAddresses = (html: string): string =>
  html
    .split(/(<pre[\s>][\s\S]*?(?:<\/pre>|$))/)
    .map((part, index) => (index % 2 === 1 ? part : part.replace(UNKNOWN_ADDRESS, '$1')))
    .join('');

const UNKNOWN_ADDRESS =
  /(?<!<code>)\{[\w-]{1,80}\}[^\s<>[\]]{0,500}\[((?:[^[\]<]|<\/?(?:code|em|strong)>){1,500}?)\^?\]/g;

/** Text of HTML. */
function plain(html: string): string {
  const named: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"' };
  return html
    .replace(/<[^>]*(?:>|$)/g, '')
    .replace(/&(?:#(\d+)|(amp|lt|gt|quot));/g, (_, code: string, name: string) =>
      name === undefined ? String.fromCodePoint(Math.min(Number(code), 0x10ffff)) : (named[name] as string),
    );
}

/** In the packer's words for missing includes. */
function missingNote(missing: readonly string[]): string {
  const more = missing.length > NAMED_MISSING ? ` and ${missing.length - NAMED_MISSING} more` : '';
  return `it includes files that are missing: ${missing.slice(0, NAMED_MISSING).join(', ')}${more}`;
}

// ---- lines --------------------------------------------------------------------------------------

const MARK = /<!--@(\d+)-->/g;

function withoutMarks(html: string): { text: string; lines: number[] } {
  let line = 1;
  const lines: number[] = [];
  const text = html.split('\n').map((each) => {
    let first: number | undefined;
    const rest = each.replace(MARK, (_, number: string) => {
      line = Number(number);
      first ??= line;
      return '';
    });
    lines.push(first ?? line);
    return rest;
  });
  return { text: text.join('\n'), lines };
}

// ---- includes -----------------------------------------------------------------------------------

class Includes {
  readonly own: string;
  readonly missing: string[] = [];
  /** Files that are included as a whole. */
  readonly wholes = new Set<string>();
  readonly #source: Source;
  readonly #antora: AntoraFile | undefined;
  #files = 0;
  #characters = 0;

  constructor(source: Source, antora: AntoraFile | undefined) {
    this.#source = source;
    this.own = source.path;
    this.#antora = antora;
  }

  /** `from`: the including file. Undefined: it is missing, which is noted. */
  read(target: string, from: string, { lines, tag, tags }: Partial<Record<string, string>>): IncludedText | undefined {
    const isId = this.#antora !== undefined && /^[^/]*[$:]/.test(target);
    const antora = isId ? (antoraFile(from) ?? this.#antora) : undefined;
    const path = antora === undefined ? joinPath(folderOf(from), target) : resolveId(target, antora, 'page');
    const isInTree = path !== undefined && !/^[a-z]+:\/\//.test(target) && !target.startsWith('/');
    const bytes = isInTree && ++this.#files <= MAX_INCLUDES ? this.#source.read(path) : undefined;
    if (!isInTree || bytes === undefined || this.#characters + bytes.length > MAX_INCLUDED) {
      if (!this.missing.includes(target)) this.missing.push(target);
      return undefined;
    }
    this.#characters += bytes.length;
    const text = textOf(bytes);
    const wanted = tag ?? tags;
    if (lines === undefined && wanted === undefined && /\.(adoc|asciidoc|asc)$/i.test(path)) this.wholes.add(path);
    if (lines !== undefined) return { path, text: byNumbers(text.split(/\r?\n/), lines).join('\n') };
    // Lines that mark tags are never shown.
    return { path, text: byTags(text.split(/\r?\n/), wanted ?? '**').join('\n') };
  }
}

interface IncludedText {
  path: string;
  text: string;
}

function registryFor(includes: Includes): unknown {
  class Reader extends IncludeProcessor {
    override handles(): boolean {
      return true;
    }
    override process(_: unknown, reader: IncludingReader, target: string, attributes: Record<string, string>): void {
      const from = reader.path === '<stdin>' ? includes.own : reader.path;
      const found = includes.read(target, from, attributes);
      // An optional include that is missing leaves no trace, others their name's absence alone.
      if (found !== undefined) reader.pushInclude(found.text, found.path, found.path, 1, attributes);
    }
  }
  const registry = Extensions.create();
  registry.includeProcessor(new Reader());
  return registry;
}

interface IncludingReader {
  path: string;
  pushInclude(text: string, file: string, path: string, line: number, attributes: Record<string, string>): void;
}

// ---- the converter ------------------------------------------------------------------------------

interface AnyNode {
  readonly type?: string;
  readonly nodeName: string;
  readonly target?: string;
  text?: string;
  readonly attributes: Record<string, string | undefined>;
  readonly sourceLocation?: { path?: string; lineno?: number } | null;
  isBlock?(): boolean;
}

function converterFor(source: Source, antora: AntoraFile | undefined): unknown {
  class Marking extends Html5Converter {
    override async convert(given: Parameters<Html5Converter['convert']>[0], ...rest: never[]): Promise<string> {
      const node = given as unknown as AnyNode;
      const html = (await super.convert(linked(node) as unknown as typeof given, ...rest)) as string;
      const at = node.sourceLocation;
      if (at?.lineno === undefined || at.path !== '<stdin>' || node.nodeName.startsWith('inline_')) return html;
      return `<!--@${at.lineno}-->${html}`;
    }
  }
  /** A link to a file, with the file's path and, where it has no text, its title. */
  const linked = (node: AnyNode): AnyNode => {
    const id = node.nodeName === 'inline_anchor' && node.type === 'xref' ? node.attributes['path'] : undefined;
    if (id === undefined) return node;
    const hash = (node.target ?? '').indexOf('#');
    const fragment = hash < 0 ? '' : (node.target as string).slice(hash);
    const named = /\.(adoc|asciidoc|asc)$/i.test(id) ? id : `${id}.adoc`;
    const path = antora === undefined ? joinPath(folderOf(source.path), named) : resolveId(named, antora, 'page');
    if (path === undefined) return Object.create(node, { text: { value: node.text || shortName(id) } });
    const target = `${relativePath(source.path, path)}${fragment}`;
    const text = node.text || titleOf(source.read(path)) || shortName(id);
    return Object.create(node, { target: { value: target }, text: { value: text } });
  };
  return new Marking('html5', {});
}

const shortName = (id: string): string =>
  id.slice(Math.max(id.lastIndexOf('/'), id.lastIndexOf(':')) + 1).replace(/\.adoc$/, '');

/** The title of a document, from its first lines. */
function titleOf(bytes: Uint8Array | undefined): string | undefined {
  if (bytes === undefined) return undefined;
  const [, title] = /^= +(.+?)\s*$/m.exec(textOf(bytes.subarray(0, 4096))) ?? [];
  return title === undefined || title.includes('{') ? undefined : escapeHtml(title);
}
