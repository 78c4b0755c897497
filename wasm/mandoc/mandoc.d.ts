/** mandoc as a module: what mandoc.c exports, and what of Emscripten's runtime is used beside it. */
export interface MandocModule {
  /** Reads `/in`, writes `/out.html`. 0: it is no manual page; 1: man; 2: mdoc. Call it once. */
  _sheaf_convert(): number;
  /** The address of "NAME(SECTION)". */
  _sheaf_title(): number;
  UTF8ToString(address: number): string;
  FS: {
    writeFile(path: string, data: Uint8Array): void;
    readFile(path: string, options: { encoding: 'utf8' }): string;
  };
}

/** A new instance, for one page. It may throw in the middle of a call, when mandoc gives up. */
export default function start(): Promise<MandocModule>;
