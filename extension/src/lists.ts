/**
 * Reads the lists that name bundles: `catalogue.json` (sheaf catalogue) and a site's `sheaf/site.json` (sheaf site).
 * Pure functions of untrusted text; entries that cannot be used are passed over, and a list of none is an error.
 */
import { addressBelow, bundlePath, type CatalogueLibrary } from '../browser/catalogue/format.js';
import {
  DeskError,
  fieldsOf,
  isLibrary,
  isVersion,
  MOST_LIST_BYTES,
  MOST_OFFERS,
  plainHash,
  plainLanguage,
  plainSize,
  plainText,
  webAddress,
} from './plain.js';
import type { CatalogueRecord, Offer } from './types.js';

const LIST = 'catalogue.json';

/** Where the list of a catalogue is: its address, or the folder's. */
export function catalogueAddress(typed: string): string {
  const text = typed.trim();
  const address = webAddress(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`);
  if (address === undefined)
    throw new DeskError('LIST', 'A catalogue has an address that begins with https:// or http://.');
  const url = new URL(address);
  if (!url.pathname.endsWith('.json')) url.pathname = `${url.pathname.replace(/(?<!\/)\/*$/, '/')}${LIST}`;
  return url.href;
}

/** Of the earlier, unsigned form: the only one from which the extension learns of encoder tables (docs/catalogue.md). */
export function readCatalogue(text: string, address: string, now: number): CatalogueRecord {
  const fields = parsed(text, 'catalogue');
  if (fields['sheaf'] !== 1)
    throw new DeskError(
      'LIST',
      'Expected a catalogue.json made by sheaf catalogue; this version cannot read this one.',
    );
  const tables = new Map<string, { address: string; hash: string }>();
  for (const raw of list(fields['tables'])) {
    const table = fieldsOf(raw);
    const space = plainText(table?.['space'], 100);
    const where = ownAddress(table?.['address'], address);
    if (space !== '' && where !== undefined) tables.set(space, { address: where, hash: plainHash(table?.['sha256']) });
  }
  const offers: Offer[] = [];
  for (const raw of list(fields['libraries'])) {
    const entry = fieldsOf(raw);
    const library = entry?.['library'];
    if (entry === undefined || !isLibrary(library)) continue;
    for (const rawVersion of list(entry['versions'])) {
      const version = fieldsOf(rawVersion);
      const where = ownAddress(version?.['address'], address);
      if (version === undefined || where === undefined || !isVersion(version['version'])) continue;
      if (offers.length >= MOST_OFFERS) break;
      const table = tables.get(plainText(version['space'], 100));
      offers.push({
        library,
        version: version['version'],
        title: plainText(entry['title'], 80) || library,
        description: plainText(entry['description'], 300),
        licence: plainText(entry['licence'], 80),
        language: plainLanguage(version['language']),
        bytes: plainSize(version['bytes']),
        hash: plainHash(version['sha256']),
        base: '',
        ...(table === undefined ? {} : { table }),
        origin: { kind: 'catalogue', address: where, list: address },
      });
    }
  }
  if (offers.length === 0) throw new DeskError('LIST', 'The catalogue names no library that could be installed.');
  return { address, title: plainText(fields['title'], 80) || new URL(address).host, offers, read: now };
}

/** An address of the list's own host and folder; undefined for any other. */
function ownAddress(value: unknown, address: string): string | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    return webAddress(addressBelow(value, address));
  } catch {
    return undefined;
  }
}

/** Whether the list is a head, which names the shards of its libraries and the key of its signature. */
export function isHead(text: string): boolean {
  return parsed(text, 'catalogue')['sheaf'] === 2;
}

/** The offers of a library in a catalogue with a head. `address`: of the head. */
export function offersOf(
  { library, title, description, licence, versions }: CatalogueLibrary,
  address: string,
): Offer[] {
  return versions.flatMap((each) => {
    const where = webAddress(bundlePath(each.sha256), address);
    if (where === undefined || !isLibrary(library) || !isVersion(each.version)) return [];
    return [
      {
        library,
        version: each.version,
        title: plainText(title, 80) || library,
        description: plainText(description, 300),
        licence: plainText(each.licence || licence, 80),
        language: plainLanguage(each.language),
        bytes: plainSize(each.bytes),
        hash: plainHash(each.sha256),
        base: '',
        origin: { kind: 'catalogue' as const, address: where, list: address },
      },
    ];
  });
}

/** The bundles of a site. What they document is learned from themselves. */
export function readSiteList(text: string, address: string, pageTitle: string): Offer[] {
  const fields = parsed(text, 'list of the site');
  const base = webAddress(typeof fields['base'] === 'string' ? fields['base'] : '..', address) ?? '';
  const offers: Offer[] = [];
  for (const raw of list(fields['sites']).slice(0, 500)) {
    const site = fieldsOf(raw);
    const where = webAddress(site?.['src'], address);
    if (site === undefined || where === undefined) continue;
    const encoder = webAddress(site['encoder'], address);
    offers.push({
      library: '',
      version: plainText(site['version'], 64),
      title: plainText(pageTitle, 80) || new URL(address).host,
      description: '',
      licence: '',
      language: plainLanguage(site['language']),
      bytes: plainSize(site['bytes']),
      hash: hashInName(where),
      base: webAddress(site['base'], address) ?? base,
      ...(encoder === undefined ? {} : { table: { address: encoder, hash: hashInName(encoder) } }),
      origin: { kind: 'site', address: where, list: address },
    });
  }
  if (offers.length === 0) throw new DeskError('LIST', 'The list of this site names no bundle.');
  return offers;
}

/** `sheaf site` puts the beginning of the file's SHA-256 into its name. */
export function hashInName(address: string): string {
  return /-([0-9a-f]{12})\.sheaf$/.exec(new URL(address).pathname)?.[1] ?? '';
}

function parsed(text: string, what: string): Record<string, unknown> {
  if (text.length > MOST_LIST_BYTES) throw new DeskError('LIST', `The ${what} is too long.`);
  try {
    const fields = fieldsOf(JSON.parse(text));
    if (fields !== undefined) return fields;
  } catch {
    // said below
  }
  throw new DeskError('LIST', `The ${what} is not a JSON object; is the address right?`);
}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
