/**
 * Converters: they read the formats that the packer does not, and make pages for it, most of HTML or Markdown.
 *
 * Idea: one small interface for all formats, the same in a page, in Node and on a cluster. A converter gets a file's
 * bytes and name, may ask for other files of the same tree, and gives one page. The packer then packs that page under
 * the file's own name (packer/source/unread.h), and reports on it as on any other.
 *
 *     unread files (the packer names them) -> convert, one at a time -> parts dropped -> pages and remarks -> pack
 *
 * Invariants
 *  1. A converter is a function of the bytes that it read: the same input gives the same page.
 *  2. It reads no network, runs nothing that a file brings, and sees no file but through `read`.
 *  3. It is loaded when the first file of its format comes, and costs nothing before.
 *  4. A file that fails is a remark; the others go on.
 *
 * Bounds: a file's size by format (FORMATS), MAX_PAGE for what is made of it, each converter's own for included files.
 */

/** A file to convert. */
export interface Source {
  /** Below the root of the documentation, with slashes. */
  readonly path: string;
  readonly bytes: Uint8Array;
  /** Another file of the same tree, by its path below the root. Undefined: it is not there, or may not be read. */
  read(path: string): Uint8Array | undefined;
}

/** The page made of a file. */
export interface Page {
  /** As FORMATS says. Addresses of other files are relative to the source, and name sources. Bytes: of unknown encoding. */
  text: string | Uint8Array;
  /** The line of the source for each line of `text`, from 1; 0: none. */
  lines?: readonly number[] | undefined;
  warnings?: readonly string[] | undefined;
  /** Paths of files that are part of this page as a whole: they are no pages of their own. */
  parts?: readonly string[] | undefined;
  /** Whether the file is a page even where another one includes it. */
  isOwnPage?: boolean | undefined;
}

/** A page, or why there is none, on purpose. */
export type Conversion = Page | { leftOut: string };

/** Error: the file cannot be read; the message is a clause for the report. */
export type Convert = (source: Source) => Conversion | Promise<Conversion>;

interface Format {
  load(): Promise<{ convert: Convert }>;
  /** Of the page that is made of the file at `path`. */
  extension(path: string): string;
  /** In MiB. */
  largest: number;
}

const html = (): string => '.html';
const markdown = (): string => '.md';

/** `.txt` of `guide.txt.gz`; `.md` of a README without one of the packer's extensions (packer/source/unread.h). */
const ownExtension = (path: string): string => {
  const extension = /\.(?:mdx?|rst|txt|html?|ipynb)(?=\.gz$)/i.exec(path)?.[0].toLowerCase();
  return extension === '.htm' ? '.html' : (extension ?? '.md');
};

/** By the packer's word for each. */
const FORMATS: Readonly<Record<string, Format>> = {
  asciidoc: { load: () => import('./asciidoc.js'), extension: html, largest: 8 },
  man: { load: () => import('./man.js'), extension: html, largest: 8 },
  pdf: { load: () => import('./pdf.js'), extension: html, largest: 100 },
  openapi: { load: () => import('./openapi.js'), extension: markdown, largest: 32 },
  gzip: { load: () => import('./gzip.js'), extension: ownExtension, largest: 32 },
};

/** Longest page that a converter may make, in characters or bytes. */
const MAX_PAGE = 64 * 1024 * 1024;
const MAX_WARNINGS = 20;

/** A file that the packer does not read itself. */
export interface UnreadFile {
  /** Below the root. */
  path: string;
  format: string;
  size: number;
}

/** What became of a file: a page with its name's extension, or a remark alone. */
export interface Converted {
  page?: { extension: string; text: string | Uint8Array };
  /** As packer/source/unread.h reads it. */
  remarks?: { problem?: string; leftOut?: string; warnings?: readonly string[]; lines?: readonly number[] };
  parts: readonly string[];
  isOwnPage: boolean;
}

/** Why the file is not even opened. */
export function refusal({ format, size }: UnreadFile): string | undefined {
  const { largest } = FORMATS[format] ?? { largest: 0 };
  return size > largest * 1024 * 1024 ? `too large: ${size} bytes, at most ${largest} MiB are converted` : undefined;
}

export const failed = (problem: string): Converted => ({ remarks: { problem }, parts: [], isOwnPage: false });

/** Never throws: what fails is a remark. */
export async function convertFile(file: UnreadFile, source: () => Source | Promise<Source>): Promise<Converted> {
  const format = FORMATS[file.format];
  const refused = refusal(file);
  if (format === undefined || refused !== undefined) return failed(refused ?? `no converter reads ${file.format}`);
  try {
    const { convert } = await format.load().catch((error: Error) => {
      throw new Error(`${error.message}; reinstall Sheaf, or in a clone run \`npm run build -- --module\``);
    });
    const made = await convert(await source());
    if ('leftOut' in made) return { remarks: { leftOut: made.leftOut }, parts: [], isOwnPage: false };
    const { text, lines = [], warnings = [], parts = [], isOwnPage = false } = made;
    if (text.length > MAX_PAGE) return failed(`its page would have ${text.length} characters, at most ${MAX_PAGE}`);
    const remarks = { warnings: warnings.slice(0, MAX_WARNINGS), lines };
    return { page: { extension: format.extension(file.path), text }, remarks, parts, isOwnPage };
  } catch (error) {
    return failed(`it cannot be converted: ${(error as Error)?.message ?? String(error)}`);
  }
}

/**
 * The files that are parts of other pages, with one of these: reached from pages that nobody includes. Files that
 * include each other in a circle stay. Pure.
 */
export function partsOf(converted: ReadonlyMap<string, Pick<Converted, 'parts' | 'isOwnPage'>>): Map<string, string> {
  const included = new Set<string>();
  for (const [path, { parts }] of converted) for (const part of parts) if (part !== path) included.add(part);
  const wholes = new Map<string, string>();
  for (const [path, { parts }] of converted) {
    if (included.has(path)) continue;
    for (const part of parts) {
      if (converted.get(part)?.isOwnPage === false && !wholes.has(part)) wholes.set(part, path);
    }
  }
  return wholes;
}

/** What the packer is told of a file that is a part of `whole`. */
export const asPart = (whole: string): Converted => ({
  remarks: { leftOut: `part of ${whole}, which includes it` },
  parts: [],
  isOwnPage: false,
});
