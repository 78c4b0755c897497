/**
 * PDF to HTML: its text, with headings by the outline (bookmarks) and by font size, and anchors `#page=N`, which viewers
 * of PDF understand.
 *
 *     pieces of text -> lines -> without running titles -> headings, paragraphs, lists, code -> HTML
 *
 * Where neither outline nor font sizes give a heading, each page is a section, "Page 7". Lines that stand at the top or
 * bottom of most pages, page numbers, and pages that are a table of contents are no text. Images are not read, nor what
 * is written in them.
 *
 * Safety: PDF.js interprets no JavaScript of the file, makes no functions of its fonts (isEvalSupported), and fetches
 * nothing. Bounds: MAX_PAGES, MAX_CHARACTERS, and 256 MiB for each compressed stream, which the bundle checks
 * (scripts/library_bundle.mjs).
 */
import type { Conversion, Source } from './converter.js';
import { FontWidths, linesOf, mostCommon, type Line, type Piece } from './pdf_lines.js';
import { getDocument, WorkerMessageHandler } from './pdf_reader.mjs';
import { escapeHtml, folderOf } from './text.js';

const MAX_PAGES = 5000;
const MAX_CHARACTERS = 20_000_000;
const MAX_OUTLINE = 20_000;
const LARGER = 1.15;
const LONGEST_HEADING = 200;

type Pdf = Awaited<ReturnType<typeof getDocument>['promise']>;

interface Page {
  number: number;
  lines: Line[];
}

interface Heading {
  level: number;
  text: string;
}

export async function convert(source: Source): Promise<Conversion> {
  // PDF.js finds it here instead of starting a worker.
  (globalThis as { pdfjsWorker?: unknown }).pdfjsWorker = { WorkerMessageHandler };
  const task = getDocument({
    data: source.bytes.slice(), // which PDF.js takes
    isEvalSupported: false,
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    disableAutoFetch: true,
    disableStream: true,
    enableXfa: false,
    stopAtErrors: false,
    verbosity: 0,
  });
  try {
    const pdf = await task.promise;
    return await new PdfReader(pdf, source).read();
  } finally {
    await task.destroy();
  }
}

class PdfReader {
  readonly #pdf: Pdf;
  readonly #source: Source;
  readonly #warnings: string[] = [];

  constructor(pdf: Pdf, source: Source) {
    this.#pdf = pdf;
    this.#source = source;
  }

  async read(): Promise<Conversion> {
    const { pages, empty } = await this.#pages();
    if (pages.every(({ lines }) => lines.length === 0))
      return { leftOut: 'its pages hold no text; they may be scanned' };
    if (empty > 0) this.#warnings.push(`${empty} of its pages hold no text`);
    const outline = await this.#outline();
    const bodySize = mostCommon(countOf(pages, ({ size, text }) => [size, text.length]));
    dropRunningTitles(pages, outline, bodySize);
    const kept = pages.filter(({ lines }) => !isTableOfContents(lines));
    const headings = headingsOf(kept, outline, bodySize);
    const title = await this.#title(kept, bodySize);
    const body = writePages(kept, headings, bodySize, title);
    const language = await this.#language();
    const html = `<!doctype html><html${language}><head><meta charset="utf-8"><title>${escapeHtml(title)}</title></head><body><main>`;
    return {
      text: `${html}\n<h1>${escapeHtml(title)}</h1>\n${body}\n</main></body></html>\n`,
      warnings: this.#warnings,
    };
  }

  async #pages(): Promise<{ pages: Page[]; empty: number }> {
    const { numPages } = this.#pdf;
    const count = Math.min(numPages, MAX_PAGES);
    if (count < numPages) this.#warnings.push(`only the first ${MAX_PAGES} of its ${numPages} pages are read`);
    const widths = new FontWidths();
    const texts: Piece[][] = [];
    let characters = 0;
    for (let number = 1; number <= count && characters <= MAX_CHARACTERS; ++number) {
      texts.push([]);
      try {
        const page = await this.#pdf.getPage(number);
        const { items, styles } = await page.getTextContent();
        page.cleanup();
        const pieces = items.filter((item): item is Piece & typeof item => 'str' in item);
        for (const { str } of pieces) characters += str.length;
        widths.add(pieces, styles);
        texts[number - 1] = pieces;
      } catch (error) {
        this.#warnings.push(`page ${number} cannot be read: ${(error as Error).message}`);
      }
    }
    if (characters > MAX_CHARACTERS) this.#warnings.push(`only ${MAX_CHARACTERS} characters of it are read`);
    const code = widths.code();
    const pages = texts.map((pieces, at) => ({ number: at + 1, lines: linesOf(pieces, code) }));
    return { pages, empty: pages.filter(({ lines }) => lines.length === 0).length };
  }

  /** Entries of the outline by the number of their page. */
  async #outline(): Promise<Map<number, Heading[]>> {
    const found = new Map<number, Heading[]>();
    let left = MAX_OUTLINE;
    type Entry = { title: string; dest: string | unknown[] | null; items: Entry[] };
    const visit = async (entries: readonly Entry[], level: number): Promise<void> => {
      for (const { title, dest, items } of entries) {
        if (--left < 0) return;
        const page = await this.#pageOf(dest).catch(() => undefined);
        const text = title.replace(/\s+/g, ' ').trim();
        if (page !== undefined && text !== '') found.set(page, [...(found.get(page) ?? []), { level, text }]);
        if (level < 20) await visit(items, level + 1);
      }
    };
    await visit(((await this.#pdf.getOutline().catch(() => undefined)) ?? []) as Entry[], 2);
    return found;
  }

  async #pageOf(destination: string | unknown[] | null): Promise<number | undefined> {
    const explicit = typeof destination === 'string' ? await this.#pdf.getDestination(destination) : destination;
    const reference = explicit?.[0];
    if (typeof reference === 'number') return reference + 1;
    if (typeof reference !== 'object' || reference === null) return undefined;
    return (await this.#pdf.getPageIndex(reference as Parameters<Pdf['getPageIndex']>[0])) + 1;
  }

  /** As the file says, else its largest line on the first page, else its name. */
  async #title([first]: readonly Page[], bodySize: number): Promise<string> {
    const { info } = await this.#pdf.getMetadata().catch(() => ({ info: {} }));
    const said = String((info as Record<string, unknown>)['Title'] ?? '')
      .replace(/\s+/g, ' ')
      .trim();
    const isName = /[-_.\d]/.test(said) && !said.includes(' '); // of a file or a version
    if (said !== '' && !isName && !/^(untitled|microsoft word\b.*|.*\.(docx?|tex|dvi|indd|pdf))$/i.test(said))
      return said;
    const size = Math.max(0, ...(first?.lines ?? []).map((line) => line.size));
    const largest = first?.lines.filter((line) => line.size === size).map(({ text }) => text) ?? [];
    const title = largest.slice(0, 3).join(' ');
    if (size > bodySize * LARGER && title.length <= LONGEST_HEADING) return title;
    return this.#source.path.slice(folderOf(this.#source.path).length).replace(/\.pdf$/i, '');
  }

  async #language(): Promise<string> {
    const { info } = await this.#pdf.getMetadata().catch(() => ({ info: {} }));
    const said = (info as Record<string, unknown>)['Language'];
    return typeof said === 'string' && /^[a-z]{2,3}(-[A-Za-z0-9]{2,8})*$/i.test(said) ? ` lang="${said}"` : '';
  }
}

function countOf(pages: readonly Page[], of: (line: Line) => [number, number]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { lines } of pages)
    for (const line of lines) {
      const [key, count] = of(line);
      counts.set(key, (counts.get(key) ?? 0) + count);
    }
  return counts;
}

// ---- what is no text ----------------------------------------------------------------------------

const EDGE = 3;

/** Removes lines at the top and bottom that most pages share but for their numbers, titles of sections, and page numbers. */
function dropRunningTitles(pages: readonly Page[], outline: ReadonlyMap<number, Heading[]>, bodySize: number): void {
  const withoutNumber = (text: string): string => bare(text.replace(/^[\d.]+\s/, ''));
  const titles = new Set([...outline.values()].flat().map(({ text }) => withoutNumber(text)));
  const shape = ({ text }: Line): string => text.replace(/[\divxlc]+(?![a-z])/gi, '#').replace(/\s+/g, ' ');
  const edges = ({ lines }: Page): Line[] => {
    const sorted = [...lines].sort((a, b) => b.y - a.y);
    return [...new Set([...sorted.slice(0, EDGE), ...sorted.slice(-EDGE)])];
  };
  const places = new Map<string, number>();
  const keyOf = (line: Line): string => `${Math.round(line.y / 4)}`;
  const shapes = new Map<string, number>();
  for (const page of pages) {
    for (const line of edges(page)) {
      shapes.set(shape(line), (shapes.get(shape(line)) ?? 0) + 1);
      places.set(keyOf(line), (places.get(keyOf(line)) ?? 0) + 1);
    }
  }
  const most = Math.max(3, pages.length * 0.2);
  for (const page of pages) {
    const dropped = new Set(
      edges(page).filter((line) => {
        if (/^[\divxlc]+$/i.test(line.text) && line.text.length < 6) return true;
        if ((shapes.get(shape(line)) ?? 0) >= most) return true;
        // A section's title, perhaps beside the page's number, where most pages have such a line.
        const isTitle =
          /^\d+\s|\s\d+$/.test(line.text) || (line.size <= bodySize && titles.has(withoutNumber(line.text)));
        return isTitle && (places.get(keyOf(line)) ?? 0) >= Math.max(3, pages.length * 0.5);
      }),
    );
    page.lines = page.lines.filter((line) => !dropped.has(line));
  }
}

const LEADER = /(?<!\.\s?)(?:\.\s?){4,}\s*[\divxlc]+$/i;
const isTableOfContents = (lines: readonly Line[]): boolean =>
  lines.length > 4 && lines.filter(({ text }) => LEADER.test(text)).length > lines.length * 0.4;

// ---- headings -----------------------------------------------------------------------------------

const bare = (text: string): string => text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, '');

/** The headings that lines are, by line; a heading of several lines is that of its first, the others are empty. */
function headingsOf(
  pages: readonly Page[],
  outline: ReadonlyMap<number, Heading[]>,
  bodySize: number,
): Map<Line, Heading> {
  const headings = new Map<Line, Heading>();
  for (const { number, lines } of pages) {
    for (const entry of outline.get(number) ?? []) markEntry(lines, entry, headings);
  }
  const larger = new Set<number>();
  for (const { lines } of pages) for (const line of lines) if (isLarger(line, bodySize)) larger.add(line.size);
  const sizes = [...larger].sort((a, b) => b - a);
  let outlined = 0; // the level of the last entry of the outline; before the first one stands the title page
  let beginning: Heading | undefined;
  for (const { lines } of pages) {
    lines.forEach((line, at) => {
      const known = headings.get(line);
      if (known !== undefined) {
        if (known.text !== '') outlined = known.level;
        return;
      }
      if (!isLarger(line, bodySize) || (outline.size > 0 && outlined === 0)) return;
      const before = lines[at - 1];
      const above = before === undefined ? undefined : headings.get(before);
      if (
        before !== undefined &&
        above !== undefined &&
        before.size === line.size &&
        before.y - line.y < line.size * 1.6 &&
        before.y > line.y
      ) {
        const whole = beginning;
        if (whole !== undefined && !outline.size && whole.text.length + line.text.length < LONGEST_HEADING) {
          whole.text += ` ${line.text}`;
          headings.set(line, { level: whole.level, text: '' });
          return;
        }
      }
      const level = outline.size > 0 ? outlined + 1 : 2 + sizes.indexOf(line.size);
      beginning = { level: Math.min(level, 6), text: line.text };
      headings.set(line, beginning);
    });
  }
  if (headings.size === 0) markNumbered(pages, headings);
  return headings;
}

/** Short lines such as "2.1 Effective date", of documents in which headings are no larger. */
function markNumbered(pages: readonly Page[], headings: Map<Line, Heading>): void {
  for (const { lines } of pages) {
    for (const line of lines) {
      const [, number] = /^(\d{1,2}(?:\.\d{1,2}){0,3})\.?\s+\p{Lu}[^.;:!?]{2,80}$/u.exec(line.text) ?? [];
      if (number === undefined || line.isCode) continue;
      headings.set(line, { level: Math.min(number.split('.').length + 1, 6), text: line.text });
    }
  }
}

function isLarger({ size, text, isCode }: Line, bodySize: number): boolean {
  return size >= bodySize * LARGER && !isCode && text.length <= LONGEST_HEADING && /\p{L}{2}/u.test(text);
}

/** Finds the one or two lines that an entry of the outline names; of several, the largest, which is no running title. */
function markEntry(lines: Line[], { level, text }: Heading, headings: Map<Line, Heading>): void {
  const wanted = bare(text);
  let best: { line: Line; second?: Line } | undefined;
  for (const [at, line] of lines.entries()) {
    if (headings.has(line) || (best !== undefined && line.size <= best.line.size)) continue;
    const next = lines[at + 1];
    if (isNamed(bare(line.text), wanted)) best = { line };
    else if (next !== undefined && !headings.has(next) && isNamed(bare(`${line.text} ${next.text}`), wanted))
      best = { line, second: next };
  }
  const heading = { level: Math.min(level, 6), text };
  if (best !== undefined) {
    headings.set(best.line, heading);
    if (best.second !== undefined) headings.set(best.second, { ...heading, text: '' });
    return;
  }
  // It stands in an image, or is written otherwise: it begins the page.
  const [first] = lines;
  if (first === undefined) return;
  const inserted: Line = { ...first, text: '', isCode: false };
  lines.splice(lines.findIndex((line) => !headings.has(line)) >>> 0, 0, inserted);
  headings.set(inserted, heading);
}

/** Whether a line is a title but for a number or a word such as "Chapter" before it, on either side. */
function isNamed(line: string, title: string): boolean {
  if (line === title) return true;
  const [longer, shorter] = line.length > title.length ? [line, title] : [title, line];
  if (shorter.length < 3 || !longer.endsWith(shorter)) return false;
  return /^(chapter|appendix|part|section)?[a-z]?[0-9]{0,6}$/.test(longer.slice(0, -shorter.length));
}

// ---- HTML ---------------------------------------------------------------------------------------

const BULLET = /^[•◦▪‣●○■–·]\s+/;

function writePages(
  pages: readonly Page[],
  headings: ReadonlyMap<Line, Heading>,
  bodySize: number,
  title: string,
): string {
  const out: string[] = [];
  const hasHeadings = [...headings.values()].some(({ text }) => text !== '' && bare(text) !== bare(title));
  let paragraph: { text: string; last: Line; isItem: boolean } | undefined;
  let code: Line[] = [];
  const flush = (): void => {
    if (paragraph !== undefined) {
      const tag = paragraph.isItem ? ['<ul><li>', '</li></ul>'] : ['<p>', '</p>'];
      out.push(`${tag[0]}${escapeHtml(paragraph.text)}${tag[1]}`);
    }
    paragraph = undefined;
    const [only] = code;
    if (only !== undefined && code.length === 1) out.push(`<p><code>${escapeHtml(only.text)}</code></p>`);
    else if (only !== undefined) out.push(`<pre>${escapeHtml(codeText(code))}</pre>`);
    code = [];
  };
  for (const { number, lines } of pages) {
    if (!hasHeadings && lines.length > 0) {
      flush();
      out.push(`<h2 id="page=${number}">Page ${number}</h2>`);
    }
    const pitch = pitchOf(lines, bodySize);
    const right = Math.max(...lines.map((line) => line.right), 0);
    let isFirst = true;
    for (const line of lines) {
      const heading = headings.get(line);
      if (heading !== undefined) {
        if (heading.text === '' || bare(heading.text) === bare(title)) continue;
        flush();
        out.push(`<h${heading.level} id="page=${number}">${escapeHtml(heading.text)}</h${heading.level}>`);
        continue;
      }
      if (line.isCode) {
        if (paragraph !== undefined) flush();
        code.push(line);
        continue;
      }
      if (code.length > 0) flush();
      const isItem = BULLET.test(line.text);
      const text = line.text.replace(BULLET, '');
      if (
        paragraph !== undefined &&
        !isItem &&
        continues(paragraph.last, line, paragraph.text, { pitch, right, isFirst })
      ) {
        paragraph.text = joined(paragraph.text, text);
        paragraph.last = line;
      } else {
        flush();
        paragraph = { text, last: line, isItem };
      }
      isFirst = false;
    }
  }
  flush();
  return out.join('\n').replace(/<\/ul>\n<ul>/g, '\n');
}

/** The usual distance between lines. */
function pitchOf(lines: readonly Line[], bodySize: number): number {
  const steps = new Map<number, number>();
  for (const [at, line] of lines.entries()) {
    const step = Math.round(((lines[at - 1]?.y ?? line.y) - line.y) * 2) / 2;
    if (step > 0 && step < bodySize * 3) steps.set(step, (steps.get(step) ?? 0) + 1);
  }
  return mostCommon(steps) || bodySize * 1.2;
}

function continues(
  last: Line,
  line: Line,
  text: string,
  { pitch, right, isFirst }: { pitch: number; right: number; isFirst: boolean },
): boolean {
  const isSentence = /[.:!?…]["'”’)\]]?$/.test(text);
  if (isFirst || line.y > last.y) return !isSentence && /^[\p{Ll}\p{N}(]/u.test(line.text); // on the next page, or in the next column
  if (last.y - line.y > pitch * 1.3 || Math.abs(line.size - last.size) > 1) return false;
  if (isSentence && (last.right < right - (right - last.left) * 0.2 || line.left > last.left + line.size * 0.8))
    return false;
  return true;
}

/** Two lines of a paragraph; a word that is cut at the end of the first is whole again. */
function joined(text: string, next: string): string {
  if (/\p{Ll}-$/u.test(text) && /^\p{Ll}/u.test(next)) return text.slice(0, -1) + next;
  if (/[\u00AD\u2010]$/.test(text)) return text.slice(0, -1) + next;
  return `${text} ${next}`;
}

/** Lines of code, with their indentation. */
function codeText(lines: readonly Line[]): string {
  const left = Math.min(...lines.map((line) => line.left));
  return lines
    .map((line) => {
      const width = (line.right - line.left) / Math.max(line.text.length, 1) || line.size * 0.6;
      return `${' '.repeat(Math.max(0, Math.min(Math.round((line.left - left) / width), 80)))}${line.text}`;
    })
    .join('\n');
}
