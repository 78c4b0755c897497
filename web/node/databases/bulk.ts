/**
 * Folders of requests for OpenSearch and Qdrant: what to create, rows as NDJSON, and how to switch to them, with `load.sh`,
 * which sends them by curl.
 *
 * Idea: names are made of the content. The same bundles give the same names, so that sending them again changes nothing; new
 * content goes into a new index (OpenSearch: one a library version) or collection (Qdrant: one an export). When all of it is
 * there, an alias is switched, in one request.
 */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { CliError, EXIT } from '../base/exit.js';
import type { Written } from './backend.js';
import type { BundleRows } from './bundle_rows.js';
import { analysisOf, NAMES } from './language.js';
import { MARK, writtenFolder } from './output.js';
import { vectorNumbers, withoutNul } from './quote.js';
import { columnsOf, type BundleFacts, type Row } from './row.js';

/** The name that searches use. */
export const ALIAS = 'sheaf';
/** OpenSearch refuses bodies above 100 MB (http.max_content_length), Qdrant above 32 MB. */
const MAX_BODY = 16 * 1024 * 1024;
const POINTS_A_REQUEST = 500;
/** OpenSearch refuses keywords above Lucene's 32,766 bytes, unless told to leave them out. */
const MAX_KEYWORD = 8191;

/** Lower case letters, digits and hyphens, as all these databases take in names. Pure. */
export function slug(text: string): string {
  return (
    text
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40) || 'x'
  );
}

function short(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}

// ---- OpenSearch -----------------------------------------------------------------------------------

/** `sheaf-NAME-LIBRARY-VERSION-CONTENT`: the three last are hashes, so that patterns name all of a library. Pure. */
export function indexName({ library, version, fingerprint }: BundleFacts): {
  name: string;
  ofVersion: string;
  ofLibrary: string;
} {
  const ofLibrary = `${ALIAS}-${short(library)}-`;
  const ofVersion = `${ofLibrary}${short(version)}-`;
  return {
    name: `${ofVersion}${fingerprint.slice(0, 16)}-${slug(`${library} ${version}`)}`,
    ofVersion: `${ofVersion}*`,
    ofLibrary: `${ofLibrary}*`,
  };
}

/** Analyzers that OpenSearch has, beside those of languages that Sheaf has rules of, which are called as NAMES calls them. */
const ANALYZERS: Readonly<Record<string, string>> = {
  ...{ bg: 'bulgarian', bn: 'bengali', ckb: 'sorani', cs: 'czech', fa: 'persian', gl: 'galician', lv: 'latvian' },
  ...{ zh: 'cjk', ja: 'cjk', ko: 'cjk', th: 'sheaf_pairs', lo: 'sheaf_pairs', km: 'sheaf_pairs', my: 'sheaf_pairs' },
  'pt-br': 'brazilian',
};
/** NAMES that it has no analyzer for. */
const UNKNOWN_TO_OPENSEARCH: ReadonlySet<string> = new Set(['nepali', 'serbian', 'tamil', 'yiddish']);

/** Of a BCP 47 tag. Pure. */
export function openSearchAnalyzer(tag: string): string {
  const lower = tag.toLowerCase();
  const analysis = analysisOf(tag);
  if (analysis === 'en') return 'sheaf_english';
  const own = ANALYZERS[lower] ?? ANALYZERS[lower.split('-')[0] as string] ?? NAMES[analysis];
  return own === undefined || UNKNOWN_TO_OPENSEARCH.has(own) ? 'sheaf_plain' : own;
}

/** Of ours; the others are OpenSearch's. `sheaf_pairs` cuts what the tokenizer leaves whole: scripts without spaces. */
const OWN_ANALYSIS = {
  filter: {
    english_stop: { type: 'stop', stopwords: '_english_' },
    english_stemmer: { type: 'stemmer', language: 'english' },
    pairs: { type: 'ngram', min_gram: 2, max_gram: 2, preserve_original: true },
  },
  analyzer: Object.fromEntries(
    Object.entries({ english: ['english_stop', 'english_stemmer'], plain: [], pairs: ['pairs'] }).map(
      ([name, more]) => [
        `sheaf_${name}`,
        { type: 'custom', tokenizer: 'standard', filter: ['lowercase', 'asciifolding', ...more] },
      ],
    ),
  ),
};

/** The body of `PUT /INDEX`. An index is of one library version, so it has one language. Pure. */
export function openSearchIndex({ dimensions, ...facts }: BundleFacts): object {
  const keyword = { type: 'keyword', ignore_above: MAX_KEYWORD };
  const text = { type: 'text', analyzer: openSearchAnalyzer(facts.language) };
  const stored = { type: 'keyword', index: false, doc_values: false };
  const vector = {
    type: 'knn_vector',
    dimension: dimensions,
    method: { name: 'hnsw', engine: 'lucene', space_type: 'cosinesimil', parameters: { m: 16, ef_construction: 128 } },
  };
  return {
    settings: {
      index: { number_of_shards: 1, ...(dimensions > 0 ? { knn: true } : {}) },
      analysis: OWN_ANALYSIS,
    },
    mappings: {
      dynamic: 'strict',
      _meta: { sheaf: { ...facts, dimensions } },
      properties: {
        library: keyword,
        version: keyword,
        passage: { type: 'integer' },
        page: { type: 'integer' },
        title: text,
        url: keyword,
        source: keyword,
        description: { type: 'text', index: false },
        last_modified: stored,
        anchor: stored,
        headings: text,
        first_line: { type: 'integer', index: false },
        last_line: { type: 'integer', index: false },
        text,
        licence: keyword,
        language: keyword,
        safesearch: keyword,
        ...(dimensions > 0 ? { vector } : {}),
      },
    },
  };
}

/** The body of `PUT /_search/pipeline/sheaf`: both signals normalised and combined, half and half. */
export const SEARCH_PIPELINE = {
  description: 'Words and meaning, each normalised, half and half',
  phase_results_processors: [
    {
      'normalization-processor': {
        normalization: { technique: 'min_max' },
        combination: { technique: 'arithmetic_mean', parameters: { weights: [0.5, 0.5] } },
      },
    },
  ],
};

export function writeOpenSearch(
  folder: string,
  bundles: AsyncIterable<BundleRows>,
  { only = false } = {},
): Promise<Written[]> {
  return writtenFolder(folder, (work) => openSearchInto(new Folder(work), bundles, only));
}

async function openSearchInto(out: Folder, bundles: AsyncIterable<BundleRows>, only: boolean): Promise<Written[]> {
  const written: Written[] = [];
  const steps: string[] = [
    // Without the plugin neural-search, which OpenSearch's distributions have, nothing normalises; words and vectors serve alone.
    `send PUT /_search/pipeline/${ALIAS} search_pipeline.json || echo 'No search pipeline: this OpenSearch cannot join words and meaning in one query.' >&2`,
  ];
  const gone = new Set<string>();
  const names: string[] = [];
  await out.json('search_pipeline.json', SEARCH_PIPELINE);
  for await (const bundle of bundles) {
    const { facts } = bundle;
    const { name, ofVersion, ofLibrary } = indexName(facts);
    await out.json(`${name}.index.json`, openSearchIndex(facts));
    const action = (row: Row): string =>
      `${JSON.stringify({ index: { _id: row.id } })}\n${JSON.stringify(documentOf(row))}\n`;
    const { files, rows } = await out.parts(name, bundle, action);
    steps.push(
      `if missing /${name}/_alias/${ALIAS}; then`,
      `  if missing /${name}; then send PUT /${name} ${name}.index.json; fi  # an interrupted run made it`,
      ...files.map((file) => `  bulk /${name}/_bulk ${file}`),
      `  send POST /${name}/_refresh`,
      'fi',
    );
    gone.add(only ? ofLibrary : ofVersion);
    names.push(name);
    written.push({ library: facts.library, version: facts.version, outcome: 'written', rows });
  }
  // All that goes first: a pattern of a library names its new indices, too.
  await out.json('aliases.json', {
    actions: [
      ...[...gone].map((index) => ({ remove: { index, alias: ALIAS, must_exist: false } })),
      ...names.map((index) => ({ add: { index, alias: ALIAS } })),
    ],
  });
  await out.text('indices.txt', names.map((name) => `${name}\n`).join(''));
  steps.push('send POST /_aliases aliases.json', ...[...gone].map((pattern) => `clear '${pattern}'`));
  await out.script('OPENSEARCH_URL', 'http://localhost:9200', steps);
  return written;
}

function documentOf(row: Row): object {
  const { id: _, ...columns } = columnsOf(row);
  return clean({ ...columns, ...(row.vector === undefined ? {} : { vector: vectorNumbers(row.vector) }) });
}

// ---- Qdrant ---------------------------------------------------------------------------------------

/** The body of `PUT /collections/NAME`. Pure. */
export function qdrantCollection(dimensions: number): object {
  return { vectors: { size: dimensions, distance: 'Cosine' }, on_disk_payload: true };
}

/** Of NAMES, and English, those that Qdrant has stems of. */
const STEMMED_BY_QDRANT: ReadonlySet<string> = new Set([
  ...[
    'arabic',
    'armenian',
    'danish',
    'dutch',
    'english',
    'finnish',
    'french',
    'german',
    'greek',
    'hungarian',
    'italian',
  ],
  ...['norwegian', 'portuguese', 'romanian', 'russian', 'spanish', 'swedish', 'tamil', 'turkish'],
]);

/** How Qdrant reads texts in these languages (BCP 47 tags): one index holds them all, and stems are of one language. Pure. */
export function qdrantText(tags: readonly string[]): object {
  const [name, ...others] = new Set(
    tags.map(analysisOf).map((each) => (each === 'en' ? 'english' : (NAMES[each] ?? ''))),
  );
  const hasSpaces = name !== '' && !others.includes('');
  const isStemmed = others.length === 0 && STEMMED_BY_QDRANT.has(name as string);
  return {
    type: 'text',
    // Without rules of its own a language may be written without spaces, where a word has one letter, too.
    ...(hasSpaces ? { tokenizer: 'word', min_token_len: 2 } : { tokenizer: 'multilingual', min_token_len: 1 }),
    ...{ lowercase: true, ascii_folding: true, max_token_len: 40 },
    ...(isStemmed ? { stemmer: { type: 'snowball', language: name } } : {}),
  };
}

/** Bodies of `PUT /collections/NAME/index`. Pure. */
export function qdrantIndexes(tags: readonly string[]): { field_name: string; field_schema: unknown }[] {
  return [
    ...['library', 'version', 'url', 'source', 'language', 'safesearch'].map((name) => ({
      field_name: name,
      field_schema: 'keyword',
    })),
    ...['page', 'passage'].map((name) => ({ field_name: name, field_schema: 'integer' })),
    { field_name: 'text', field_schema: qdrantText(tags) },
  ];
}

export function writeQdrant(folder: string, bundles: AsyncIterable<BundleRows>): Promise<Written[]> {
  return writtenFolder(folder, (work) => qdrantInto(new Folder(work), bundles));
}

async function qdrantInto(out: Folder, bundles: AsyncIterable<BundleRows>): Promise<Written[]> {
  const written: Written[] = [];
  const all: BundleFacts[] = [];
  const bodies: string[] = [];
  for await (const bundle of bundles) {
    const { facts } = bundle;
    const { library, version, dimensions, space } = facts;
    if (dimensions === 0) throw new CliError(EXIT.FAILURE, `${library} ${version} has no vectors, which Qdrant needs.`);
    if (all[0] !== undefined && all[0].space !== space)
      throw new CliError(
        EXIT.FAILURE,
        `${library} ${version} has vectors of ${space}, and ${all[0].library} has those of ${all[0].space}: export them to folders of their own.`,
      );
    all.push(facts);
    let points: object[] = [];
    let rows = 0;
    const { files } = await out.lines(`points-${all.length}`, async (write) => {
      const flush = async (): Promise<void> => {
        if (points.length > 0) await write(`${JSON.stringify({ points })}\n`);
        points = [];
      };
      for await (const batch of bundle.batches()) {
        for (const row of batch) {
          if (row.vector === undefined) continue; // nothing would ever find it
          rows++;
          points.push(pointOf(row, row.vector));
          if (points.length === POINTS_A_REQUEST) await flush();
        }
      }
      await flush();
    });
    bodies.push(...files);
    written.push({ library, version, outcome: 'written', rows });
  }
  const name = `${ALIAS}-${short(JSON.stringify(all.map(({ fingerprint }) => fingerprint)))}`;
  await out.json('collection.json', qdrantCollection(all[0]?.dimensions ?? 0));
  await out.json('libraries.json', all);
  const indexes = qdrantIndexes(all.map(({ language }) => language));
  for (const [i, index] of indexes.entries()) await out.json(`index-${i + 1}.json`, index);
  await out.json('aliases.json', {
    actions: [{ delete_alias: { alias_name: ALIAS } }, { create_alias: { collection_name: name, alias_name: ALIAS } }],
  });
  await out.json('first_alias.json', { actions: [{ create_alias: { collection_name: name, alias_name: ALIAS } }] });
  await out.script('QDRANT_URL', 'http://localhost:6333', [
    `before=$(collection_of ${ALIAS})`,
    `if [ "$before" != ${name} ]; then`,
    `  if missing /collections/${name}; then send PUT /collections/${name} collection.json; fi  # an interrupted run made it`,
    ...indexes.map((_, i) => `  send PUT '/collections/${name}/index?wait=true' index-${i + 1}.json`),
    ...bodies.map((file) => `  each_line PUT '/collections/${name}/points?wait=true' ${file}`),
    `  if [ -z "$before" ]; then send POST /collections/aliases first_alias.json`,
    '  else send POST /collections/aliases aliases.json; fi',
    'fi',
    `for other in $(others_than ${name}); do send DELETE "/collections/$other"; done`,
  ]);
  return written;
}

function pointOf(row: Row, values: Float32Array): object {
  const { id, ...columns } = columnsOf(row);
  return { id, vector: vectorNumbers(values), payload: clean(columns) };
}

/** JSON text with lone surrogates is refused by both. */
function clean<T extends object>(value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? withoutNul(each) : each)),
  ) as T;
}

// ---- the folder -----------------------------------------------------------------------------------

/** The files of an export. */
class Folder {
  readonly #work: string;

  constructor(work: string) {
    this.#work = work;
  }

  async json(name: string, value: unknown): Promise<void> {
    await this.text(name, `${JSON.stringify(value, null, 2)}\n`);
  }

  async text(name: string, text: string): Promise<void> {
    await writeFile(join(this.#work, name), text);
  }

  /** Rows as text, in files of at most MAX_BODY. */
  async parts(
    name: string,
    bundle: BundleRows,
    textOf: (row: Row) => string,
  ): Promise<{ files: string[]; rows: number }> {
    let rows = 0;
    const { files } = await this.lines(name, async (write) => {
      for await (const batch of bundle.batches()) {
        for (const row of batch) await write(textOf(row));
        rows += batch.length;
      }
    });
    return { files, rows };
  }

  async lines(
    name: string,
    fill: (write: (text: string) => Promise<void>) => Promise<void>,
  ): Promise<{ files: string[] }> {
    const files: string[] = [];
    let file: ReturnType<typeof createWriteStream> | undefined;
    let failure: unknown;
    let size = 0;
    const end = async (): Promise<void> => {
      if (file === undefined) return;
      const closed = once(file, 'close');
      file.end();
      await closed;
      file = undefined;
    };
    try {
      await fill(async (text) => {
        const bytes = Buffer.byteLength(text);
        if (file === undefined || size + bytes > MAX_BODY) {
          await end();
          files.push(`${name}-${String(files.length + 1).padStart(4, '0')}.ndjson`);
          file = createWriteStream(join(this.#work, files.at(-1) as string));
          file.on('error', (error) => (failure ??= error));
          size = 0;
        }
        size += bytes;
        if (failure !== undefined) throw failure;
        if (!file.write(text)) await once(file, 'drain');
      });
      await end();
    } finally {
      (file as ReturnType<typeof createWriteStream> | undefined)?.destroy();
    }
    if (failure !== undefined) throw failure;
    return { files };
  }

  async script(variable: string, byDefault: string, steps: readonly string[]): Promise<void> {
    const text = `#!/bin/sh
# Sends these files to $${variable} (by default ${byDefault}). curl's own options, such as a password file, go into $CURL_OPTIONS:
#   CURL_OPTIONS='--netrc' ${variable}=https://search.example sh load.sh
set -eu
cd "$(dirname "$0")"
url=\${${variable}:-${byDefault}}
send() { curl -fsS \${CURL_OPTIONS:-} -X "$1" -H 'Content-Type: application/json' \${3:+--data-binary "@$3"} "$url$2" > /dev/null; }
bulk() { # a request whose rows are refused is answered by 200, too
  said=$(curl -fsS \${CURL_OPTIONS:-} -X POST -H 'Content-Type: application/x-ndjson' --data-binary "@$2" "$url$1?filter_path=errors,items.*.error")
  case $said in *'"errors":false'*) return 0 ;; esac
  printf 'Rows of %s were refused: %.500s\\n' "$2" "$said" >&2
  return 1
}
clear() { # indices of a pattern that indices.txt does not name
  there=$(curl -fsS \${CURL_OPTIONS:-} "$url/_cat/indices/$1?h=index")
  for index in $there; do
    case $index in $1) grep -qxF "$index" indices.txt || send DELETE "/$index" ;; esac
  done
}
missing() { ! curl -fs \${CURL_OPTIONS:-} "$url$1" > /dev/null; }
each_line() { while IFS= read -r line; do printf '%s' "$line" | curl -fsS \${CURL_OPTIONS:-} -X "$1" -H 'Content-Type: application/json' --data-binary @- "$url$2" > /dev/null; done < "$3"; }
others_than() { # collections that exports made and no alias has any more, of interrupted runs among them
  there=$(curl -fsS \${CURL_OPTIONS:-} "$url/collections")
  printf '%s' "$there" | tr '{' '\\n' | sed -n 's/.*"name" *: *"\\(${ALIAS}-[0-9a-f]\\{16\\}\\)".*/\\1/p' | grep -vx "$1" || true
}
collection_of() { curl -fsS \${CURL_OPTIONS:-} "$url/aliases" | tr '{' '\\n' | grep "\\"alias_name\\":\\"$1\\"" | sed 's/.*"collection_name":"\\([^"]*\\)".*/\\1/' || true; }
${steps.join('\n')}
`;
    await writeFile(join(this.#work, 'load.sh'), text, { mode: 0o755 });
    await writeFile(join(this.#work, MARK), '');
  }
}
