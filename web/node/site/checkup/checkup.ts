/**
 * How the search of a page is deployed: what its host sends, judged by what the search needs, one finding a question.
 *
 * Idea: everything is asked of the host as a browser would ask, so what is judged is what readers get. The bundle is
 * opened, and searched, with this package's own core; no code of the host runs here.
 *
 * Cost: some thirty requests: each file of the code once, two or three ranges a bundle, and one search.
 */
import { createHash } from 'node:crypto';
import { counted, formatBytes } from '../../base/terminal.js';
import { readCore } from '../../client/paths.js';
import { LIST } from '../../../browser/client/successor.js';
import { ENTRY, FOLDER } from '../deploy.js';
import { OFFLINE_SCRIPT } from '../../../browser/offline/store.js';
import { readDataFile, sourceOf, type DataFile } from './data_file.js';
import { headerOf, summary, type Finding } from './findings.js';
import {
  absent,
  compression,
  cors,
  fail,
  isData,
  longCaching,
  MAX_CODE,
  nameOf,
  ok,
  ranges,
  SCRIPT_TYPES,
  shortCaching,
  sizes,
  sum,
  untouched,
  validators,
  warn,
  type Part,
} from './judgements.js';
import { missingFrom, parsePolicies } from './policy.js';
import { listAddresses } from '../../published/list.js';
import { filesOf, searchOf, type Files, type PageSearch } from './search_of_page.js';
import { decodedBody, typeOf, type Answer, type Visitor } from './visitor.js';

const MAX_PAGE = 8 * 1024 * 1024;
const MAX_LIST = 1024 * 1024;
const AT_ONCE = 6;
/** Bundles that are looked at; a site has one for each version and language. */
const MOST_BUNDLES = 20;
const QUERY = 'getting started';

/** Error: the page cannot be asked for. */
export async function checkSite(address: URL, visitor: Visitor): Promise<Finding[]> {
  const page = await visitor.get(address, { maxBytes: MAX_PAGE });
  if (page.status !== 200 || !/html/.test(typeOf(page.headers))) {
    const what = `${page.url.href} answers ${page.status}, ${typeOf(page.headers) || 'without a type'}`;
    return [{ name: 'Page', ...fail(what, 'Give the address of a page of the site.') }];
  }
  const search = searchOf(decodedBody(page, MAX_PAGE).toString('utf8'), page.url);
  const entryUrl = search.script ?? (await findEntry(page.url, visitor));
  const findings: Finding[] = [{ name: 'Page', ...ofPage(page.url, search, entryUrl) }];
  if (entryUrl === undefined) return findings;
  const folder = new URL('.', entryUrl);
  const site = await readSite(visitor, folder, entryUrl);
  const checkup = new Checkup(visitor, page, search, folder, site);
  findings.push({ name: 'Files', ...checkup.files() });
  if (site.files !== undefined) findings.push(...(await checkup.rest(site.files)));
  return findings;
}

/** For a page that names no script. */
async function findEntry(page: URL, visitor: Visitor): Promise<URL | undefined> {
  for (const address of listAddresses(page)) {
    const { status, headers } = await visitor.get(address, { maxBytes: 0 });
    if (status === 200 && typeOf(headers) !== 'text/html') return new URL(ENTRY, address);
  }
  return undefined;
}

function ofPage(page: URL, { script, elements }: PageSearch, entry: URL | undefined): Part {
  const wayOut = 'Run sheaf site DIR --inject before the deploy.';
  if (entry === undefined) return fail(`${page.href} names no ${FOLDER}/${ENTRY}, and none is near it`, wayOut);
  if (script === undefined) return fail(`${page.href} names no script, though there is ${entry.href}`, wayOut);
  return ok(`${page.href} names ${script.pathname}${elements === 0 ? '; its script adds the box' : ''}`);
}

interface Site {
  entry: Answer;
  list: Answer;
  /** Undefined: neither names a bundle. */
  files: Files | undefined;
  entryText: string;
}

async function readSite(visitor: Visitor, folder: URL, entryUrl: URL): Promise<Site> {
  const [entry, list] = await Promise.all([
    visitor.get(entryUrl, { maxBytes: MAX_LIST }),
    visitor.get(new URL(LIST, folder), { maxBytes: MAX_LIST }),
  ]);
  const text = (answer: Answer): string =>
    answer.status === 200 ? decodedBody(answer, MAX_LIST).toString('utf8') : '';
  const entryText = text(entry);
  return { entry, list, files: filesOf(text(list), entryText, folder), entryText };
}

class Checkup {
  readonly #visitor: Visitor;
  readonly #page: Answer;
  readonly #search: PageSearch;
  readonly #folder: URL;
  readonly #site: Site;

  constructor(visitor: Visitor, page: Answer, search: PageSearch, folder: URL, site: Site) {
    this.#visitor = visitor;
    this.#page = page;
    this.#search = search;
    this.#folder = folder;
    this.#site = site;
  }

  /** Whether sheaf.js and site.json are there, and of one deploy. */
  files(): Part {
    const { entry, list, files, entryText } = this.#site;
    const whole = `Deploy the folder ${FOLDER} whole, as sheaf site wrote it.`;
    if (entry.status !== 200) return fail(`${entry.url.href} answers ${entry.status}`, whole);
    if (files === undefined) return fail(`neither ${LIST} nor ${ENTRY} in ${this.#folder.href} names a bundle`, whole);
    if (list.status !== 200 || typeOf(list.headers) === 'text/html')
      return fail(`${list.url.href} answers ${list.status}, ${typeOf(list.headers)}`, whole);
    const unnamed = [...files.bundles, ...files.tables].filter(({ pathname }) => !entryText.includes(nameOf(pathname)));
    if (unnamed.length > 0) {
      const [first] = unnamed as [URL];
      const detail = `${LIST} names ${nameOf(first.pathname)}, ${ENTRY} does not: they are of different deploys`;
      return fail(detail, `Empty the host's cache of both, and see that ${ENTRY} is not cached for long.`);
    }
    return ok(`${ENTRY} and ${LIST} name ${counted(files.bundles.length, 'bundle')}, the same`);
  }

  async rest(files: Files): Promise<Finding[]> {
    const missing = this.#visitor.get(new URL('no-such-file-000000000000.js', this.#folder), { maxBytes: 0 });
    missing.catch(() => {}); // awaited below
    const code = await eachOf(files.code, (url) => this.#get(url, MAX_CODE));
    const bundles = [...files.bundles.slice(0, MOST_BUNDLES), ...this.#search.named.filter(isData)];
    const data = await eachOf([...bundles, ...files.tables], (url) => readDataFile(this.#visitor, url));
    const whole = await eachOf(data, ({ url }) => this.#get(url, 0));
    return [
      summary('Code', this.#areThere(code)),
      summary('Types', this.#types(code, data)),
      summary('Compression', compression(code)),
      summary('Ranges', data.map(ranges)),
      summary('Bytes as they are', whole.map(untouched)),
      summary('Caching', [
        ...[this.#site.entry, this.#site.list].map(shortCaching),
        ...[...code, ...data.map(({ answer }) => answer)].map(longCaching),
      ]),
      summary('Validators', [this.#site.entry, ...data.map(({ answer }) => answer)].map(validators)),
      { name: 'Policy', ...this.#policy([...files.bundles, ...files.tables]) },
      ...(await this.#origins([...files.code, ...files.bundles, ...files.tables])),
      { name: 'Missing files', ...absent(await missing) },
      ...(files.isOffline ? [{ name: 'Offline', ...(await this.#offline()) }] : []),
      { name: 'Connection', ...(await this.#connection()) },
      { name: 'Sizes', ...sizes(code, data) },
      ...(await this.#bundle(code, data, files.tables)),
    ];
  }

  /** Status 0: it cannot be asked for, which is told by whoever needs it. */
  #get(url: URL, maxBytes: number): Promise<Answer> {
    return this.#visitor.get(url, { maxBytes }).catch(() => ({ url, status: 0, headers: {}, body: Buffer.alloc(0) }));
  }

  #areThere(code: readonly Answer[]): Part[] {
    const whole = `Deploy ${FOLDER}/code-… whole; a deploy tool may leave out .wasm files, or rename folders.`;
    const gone = code.filter(
      ({ status, url, headers }) => status !== 200 || (isScript(url) && typeOf(headers) === 'text/html'),
    );
    if (gone.length > 0)
      return gone.map(({ url, status, headers }) =>
        fail(
          status === 0 ? `${url.pathname} cannot be fetched` : `${url.pathname} answers ${status}, ${typeOf(headers)}`,
          whole,
        ),
      );
    if (!code.some(({ url }) => url.pathname.endsWith('.wasm'))) return [fail('no .wasm file is named', whole)];
    return [ok(`all ${code.length} files are there`)];
  }

  #types(code: readonly Answer[], data: readonly DataFile[]): Part[] {
    const parts: Part[] = [];
    for (const { url, headers, status } of [this.#site.entry, ...code]) {
      const type = typeOf(headers) || 'no type';
      if (status !== 200) continue;
      if (url.pathname.endsWith('.wasm')) {
        if (type !== 'application/wasm')
          parts.push(
            warn(`.wasm is sent as ${type}, so it compiles only once it is whole`, 'Send .wasm as application/wasm.'),
          );
      } else if (!SCRIPT_TYPES.test(type))
        parts.push(
          fail(`${nameOf(url.pathname)} is sent as ${type}: browsers do not run it`, 'Send .js as text/javascript.'),
        );
    }
    for (const { answer, ranges: found } of data) {
      const type = typeOf(answer.headers);
      if (found !== 'missing' && found !== 'pieces' && type.startsWith('text/'))
        parts.push(
          warn(
            `.sheaf is sent as ${type}, which hosts compress and rewrite`,
            'Send .sheaf as application/octet-stream.',
          ),
        );
    }
    return parts.length > 0 ? parts : [ok(`scripts, .wasm and .sheaf have theirs`)];
  }

  #policy(data: readonly URL[]): Part {
    const header = this.#page.headers['content-security-policy'] ?? '';
    const policies = [header, ...this.#search.policies].flatMap((each) => parsePolicies(String(each)));
    const { script, isTrusted } = this.#search;
    const missing = missingFrom(policies, {
      page: this.#page.url,
      script: script ?? this.#site.entry.url,
      isTrusted,
      data: [this.#site.list.url, ...data, ...this.#search.named, ...this.#search.sites],
    });
    if (policies.length === 0) return ok('the page has none');
    if (missing.length === 0) return ok('it allows code, worker and data');
    // Without a worker, the client searches on the page's thread.
    const isSlower = missing.every((each) => each.startsWith('worker-src') || each === 'trusted-types sheaf');
    return (isSlower ? warn : fail)(
      `the content security policy lacks ${missing.join('; ')}${isSlower ? ": searches run on the page's own thread" : ''}`,
      'Add it to the Content-Security-Policy of all pages.',
    );
  }

  /** Files that lie on other origins than the page. */
  async #origins(files: readonly URL[]): Promise<Finding[]> {
    const own = this.#page.url.origin;
    const others = new Map<string, URL>();
    // Data before code: it needs more headers.
    for (const url of [...this.#search.named, ...this.#search.sites, ...files.filter(isData), ...files])
      if (url.origin !== own && !others.has(url.origin)) others.set(url.origin, url);
    return Promise.all(
      [...others].map(async ([origin, url]) => {
        const name = `CORS of ${new URL(origin).host}`;
        try {
          const { headers } = await this.#visitor.get(url, {
            headers: { origin: own, range: 'bytes=0-63' },
            maxBytes: 64,
          });
          const found = cors(own, headers as Record<string, string | undefined>, isData(url));
          const isSlower = found.state === 'ok' && origin === this.#folder.origin;
          const slower = `${found.detail}, but browsers start no worker of another origin: searches run on the page's own thread`;
          return { name, ...(isSlower ? warn(slower, `Serve ${FOLDER} from the origin of the pages.`) : found) };
        } catch (error) {
          return { name, ...fail((error as Error).message, 'Can this machine reach it?') };
        }
      }),
    );
  }

  async #offline(): Promise<Part> {
    const url = new URL(`../${OFFLINE_SCRIPT}`, this.#folder);
    const { status, headers } = await this.#visitor.get(url, { maxBytes: 0 });
    return status === 200 && SCRIPT_TYPES.test(typeOf(headers))
      ? ok(`${url.pathname} is there`)
      : fail(
          `${url.pathname} answers ${status}, ${typeOf(headers)}`,
          `Deploy ${OFFLINE_SCRIPT} at the root of the site.`,
        );
  }

  async #connection(): Promise<Part> {
    const { url, headers } = this.#page;
    const isHere =
      /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname) || url.hostname.endsWith('.localhost');
    if (url.protocol === 'http:')
      return isHere
        ? ok('HTTP/1.1 on this machine')
        : warn('plain HTTP: no HTTP/2, and browsers keep nothing for the next page', 'Serve the site over HTTPS.');
    const protocol = await this.#visitor.protocol(url);
    const h3 = /\bh3\b/.test(String(headers['alt-svc'] ?? '')) ? ', HTTP/3 offered' : '';
    if (protocol === 'h2') return ok(`HTTP/2${h3}`);
    return warn(`HTTP/1.1 alone${h3}: six requests at a time`, 'Turn HTTP/2 on: a search asks for many small ranges.');
  }

  /** Opens bundle and table with this package's core, and searches once. */
  async #bundle(code: readonly Answer[], data: readonly DataFile[], tables: readonly URL[]): Promise<Finding[]> {
    const bundle = data.find(isReadable);
    const table = data.find(
      (file) => isReadable(file) && (headerOf(file.first)?.kind === 'table' || tables.includes(file.url)),
    );
    if (bundle === undefined) return [];
    const deployed = code.find(({ url }) => url.pathname.endsWith('/sheaf-core.wasm'));
    const isOwn =
      deployed !== undefined && hashOf(decodedBody(deployed, MAX_CODE)) === hashOf(Buffer.from(await readCore()));
    const again = 'Run sheaf site again with one version of sheaf, and deploy the folder whole.';
    const header = headerOf(bundle.first);
    const format = header === undefined ? '' : `, format ${header.format}`;
    const before = { ...this.#visitor.tally };
    try {
      const { open } = await import('../../client/node.js');
      const encoder = table === undefined ? false : sourceOf(this.#visitor, table);
      const library = await open(sourceOf(this.#visitor, bundle), { encoder });
      try {
        const { hits } = await library.search(QUERY, { topK: 10 });
        const { requests, bytes } = this.#visitor.tally;
        const { pages, passages, manifest, semantic, dimensions } = library.info;
        const made = typeof manifest['packer'] === 'string' ? `, made by ${manifest['packer'].slice(0, 40)}` : '';
        const facts = `${counted(pages, 'page')}, ${counted(passages, 'passage')}${format}${made}`;
        const other =
          'The code is of another version than this sheaf, so whether it reads that format is not known here.';
        // The first ranges were asked for above.
        const begun = [bundle, ...(table === undefined ? [] : [table])].filter(({ ranges: found }) => found === 'ok');
        const first = sum(begun.map((file) => file.first.length));
        const cost = `${counted(requests - before.requests + begun.length, 'request')}, ${formatBytes(bytes - before.bytes + first)}`;
        const by = semantic ? 'words and meaning' : dimensions > 0 ? 'words alone: there is no encoder table' : 'words';
        return [
          { name: 'Bundle', ...(isOwn ? ok(`${facts}; the code reads it`) : warn(facts, other)) },
          {
            name: 'First search',
            ...ok(`${cost} to open and to find '${QUERY}' by ${by}; ${counted(hits.length, 'hit')}`),
          },
        ];
      } finally {
        await library.close();
      }
    } catch (error) {
      const detail = `${nameOf(bundle.url.pathname)}${format}: ${(error as Error).message}`;
      const isNewer = !isOwn && (error as { code?: string }).code === 'UNSUPPORTED_VERSION';
      return [
        {
          name: 'Bundle',
          ...(isNewer ? warn(detail, 'Ask with the version of sheaf that made it.') : fail(detail, again)),
        },
      ];
    }
  }
}

/** Some at a time, in order. */
async function eachOf<T, R>(items: readonly T[], work: (item: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (let i = 0; i < items.length; i += AT_ONCE)
    results.push(...(await Promise.all(items.slice(i, i + AT_ONCE).map(work))));
  return results;
}

const isReadable = ({ ranges: found, hasPieces }: DataFile): boolean =>
  found === 'ok' || found === 'ignored' || hasPieces;
const isScript = ({ pathname }: URL): boolean => /\.m?js$/.test(pathname);
const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');
