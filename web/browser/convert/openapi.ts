/**
 * OpenAPI 3 and Swagger 2 to Markdown: a section for each operation, one for each schema.
 *
 *     ## Pets                                        a tag, with its description
 *     ### Find a pet: `GET /pets/{petId}` {#getPet}  an operation; its anchor is its operationId
 *     …its description, parameters, body, responses and examples
 *     ## Schemas
 *     ### Pet {#Pet}
 *
 * Idea: references are followed where something is shown, never all at once; a schema that is referred to keeps its name
 * and is described in its own section. So cycles end, and the page grows with the file, not with its references.
 *
 * Bounds: MAX_NODES values (YAML's aliases count as often as they are used), MAX_DEPTH levels, MAX_ROWS of a table,
 * MAX_EXAMPLE characters of an example, MAX_REFERENCES in a row.
 */
import type { Conversion, Source } from './converter.js';
import { folderOf, joinPath, readYaml, textOf } from './text.js';
import { decodePercent } from '../client/percent.js';

const MAX_NODES = 3_000_000;
const MAX_DEPTH = 200;
const MAX_REFERENCES = 20;
const MAX_ROWS = 200;
const MAX_EXAMPLE = 3000;
const MAX_FIELD_DEPTH = 3;
const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];

type Json = Record<string, unknown>;

export async function convert(source: Source): Promise<Conversion> {
  const given = await parse(textOf(source.bytes));
  if (!isObject(given)) return { leftOut: 'no OpenAPI description' };
  const version = String(given['openapi'] ?? given['swagger'] ?? '');
  if (
    !/^[23]/.test(version) ||
    !(isObject(given['paths']) || isObject(given['webhooks']) || isObject(given['components']))
  )
    return { leftOut: 'no OpenAPI description' };
  let api = given;
  if (version.startsWith('2')) {
    const { upgradeFromTwoToThree } = await import('./openapi_upgrader.mjs');
    api = upgradeFromTwoToThree(given) as Json;
  }
  const writer = new ApiWriter(api, source);
  return { text: await writer.write(), warnings: writer.warnings };
}

/** Error: it is no JSON or YAML, or larger than its text lets one think. */
async function parse(text: string): Promise<unknown> {
  const value: unknown = /^\s*\{/.test(text) ? JSON.parse(text) : await readYaml(text);
  let left = MAX_NODES;
  const pending: [unknown, number][] = [[value, 0]];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const [each, depth] = next;
    if (--left < 0) throw new Error(`it holds more than ${MAX_NODES} values`);
    if (depth > MAX_DEPTH) throw new Error(`it is nested more than ${MAX_DEPTH} deep`);
    if (typeof each === 'object' && each !== null)
      for (const inner of Object.values(each)) pending.push([inner, depth + 1]);
  }
  return value;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectOf = (value: unknown): Json => (isObject(value) ? value : {});
const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const stringOf = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

// ---- Markdown -----------------------------------------------------------------------------------

/** Text of the description, its headings `levels` deeper. */
function described(value: unknown, levels: number): string[] {
  const text = stringOf(value).trim();
  if (text === '') return [];
  let fence = '';
  const lines = text.split(/\r?\n/).map((line) => {
    const [, mark = ''] = /^\s{0,3}(```+|~~~+)/.exec(line) ?? [];
    if (mark !== '' && (fence === '' || mark.startsWith(fence))) fence = fence === '' ? mark : '';
    const [, hashes, rest] = fence === '' ? (/^(#{1,6})(\s.*)$/.exec(line) ?? []) : [];
    return hashes === undefined ? line : `${'#'.repeat(Math.min(hashes.length + levels, 6))}${rest}`;
  });
  if (fence !== '') lines.push(fence);
  return [lines.join('\n')];
}

/** On one line of a table. */
const cell = (value: unknown): string => stringOf(value).replace(/\s+/g, ' ').trim().replace(/\\?\|/g, '\\|');

/** Two texts of a cell as sentences. */
const sentences = (one: string, other: string): string =>
  one === '' || other === '' ? one + other : `${one}${/[.!?:)]["'”]?$/.test(one) ? '' : '.'} ${other}`;

const code = (text: string): string =>
  text === '' ? '' : text.includes('`') ? text : `\`${text.replace(/\|/g, '\\|')}\``;

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return [];
  const shown = rows.slice(0, MAX_ROWS);
  // A column that is empty in every row says nothing.
  const columns = head.map((_, at) => at).filter((at) => at === 0 || shown.some((row) => row[at] !== ''));
  const line = (cells: readonly string[]): string => `| ${columns.map((at) => cells[at] ?? '').join(' | ')} |`;
  const lines = [line(head), line(head.map(() => '---')), ...shown.map(line)];
  return [lines.join('\n'), ...(rows.length > MAX_ROWS ? [`…and ${rows.length - MAX_ROWS} more.`] : [])];
}

function example(value: unknown): string[] {
  if (value === undefined) return [];
  const text = typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
  if (text.trim() === '' || text.length > MAX_EXAMPLE) return [];
  const fence = '`'.repeat(Math.max(3, ...[...text.matchAll(/`+/g)].map(([ticks]) => ticks.length + 1)));
  return [`${fence}${typeof value === 'string' ? '' : 'json'}\n${text}\n${fence}`];
}

/** An anchor that stands between braces. */
const anchorOf = (text: string): string => text.replace(/[^\w.:-]+/g, '-').replace(/^-+|-+$/g, '');

/** A title as one line of text: braces would be attributes. */
const heading = (text: string): string => text.replace(/\s+/g, ' ').replace(/[{}]/g, '\\$&').trim();

// ---- the page -----------------------------------------------------------------------------------

class ApiWriter {
  readonly warnings: string[] = [];
  readonly #api: Json;
  readonly #source: Source;
  /** Other files of the tree by path; undefined: missing or unreadable. */
  readonly #files = new Map<string, unknown>();
  /** Each with the number that its next namesake tries first. */
  readonly #anchors = new Map<string, number>();

  constructor(api: Json, source: Source) {
    this.#api = api;
    this.#source = source;
  }

  async write(): Promise<string> {
    const info = objectOf(this.#api['info']);
    const title = stringOf(info['title']) || this.#source.path;
    const summary = stringOf(info['summary']);
    const out = ['---', `title: ${JSON.stringify(title)}`, '---', '', `# ${heading(title)}`, ''];
    const add = (blocks: readonly string[]): void => {
      for (const block of blocks) out.push(block, '');
    };
    if (summary !== '') add([summary]);
    if (info['version'] !== undefined) add([`Version ${stringOf(info['version'])}`]);
    const servers = listOf(this.#api['servers']).map(objectOf);
    add(
      table(
        ['Server', 'Description'],
        servers.map((each) => [code(stringOf(each['url'])), cell(each['description'])]),
      ),
    );
    add(described(info['description'], 1));
    const tags = new Map<unknown, Json>();
    for (const tag of listOf(this.#api['tags']).map(objectOf)) if (!tags.has(tag['name'])) tags.set(tag['name'], tag);
    const groups = await this.#operations();
    for (const [tag, operations] of groups) {
      const about = tags.get(tag);
      if (tag !== '')
        add([`## ${heading(stringOf(about?.['x-displayName']) || tag)}`, ...described(about?.['description'], 2)]);
      for (const operation of operations) add(await this.#operation(operation, tag === '' ? '##' : '###'));
    }
    add(await this.#schemas());
    add(await this.#securitySchemes());
    return out.join('\n');
  }

  /** By their first tag, in the order of the tags, then of the file. */
  async #operations(): Promise<Map<string, Operation[]>> {
    const groups = new Map<string, Operation[]>();
    for (const tag of listOf(this.#api['tags'])) groups.set(stringOf(objectOf(tag)['name']), []);
    for (const [kind, title] of [
      ['paths', ''],
      ['webhooks', 'Webhook '],
    ] as const) {
      for (const [path, given] of Object.entries(objectOf(this.#api[kind]))) {
        const item = objectOf(await this.#resolve(given));
        for (const method of METHODS) {
          if (!isObject(item[method])) continue;
          const about = item[method];
          const tag = stringOf(listOf(about['tags'])[0]);
          const group = groups.get(tag) ?? [];
          groups.set(tag, group);
          group.push({ name: `${title}${method.toUpperCase()} ${path}`, item, about });
        }
      }
    }
    return new Map([...groups].filter(([, operations]) => operations.length > 0));
  }

  async #operation({ name, item, about }: Operation, level: string): Promise<string[]> {
    const id = stringOf(about['operationId']);
    const summary = stringOf(about['summary']) || stringOf(item['summary']);
    const anchor = this.#anchor(id || name);
    const out = [`${level} ${summary === '' ? code(name) : `${heading(summary)}: ${code(name)}`} {#${anchor}}`];
    // An anchor with a hyphen may be made of the method and the path.
    if (id !== '' && (id !== anchor || id.includes('-'))) out.push(`Operation ${code(id)}`);
    if (about['deprecated'] === true) out.push('Deprecated.');
    out.push(...described(about['description'] ?? item['description'], level.length));
    out.push(...(await this.#parameters([...listOf(item['parameters']), ...listOf(about['parameters'])])));
    const body = objectOf(await this.#resolve(about['requestBody']));
    if (Object.keys(body).length > 0) {
      out.push(
        `**Request body**${body['required'] === true ? ' (required)' : ''}`,
        ...described(body['description'], 6),
      );
      out.push(...(await this.#content(objectOf(body['content']))));
    }
    out.push(...(await this.#responses(objectOf(about['responses']))));
    const security = listOf(about['security']).flatMap((each) => Object.keys(objectOf(each)));
    if (security.length > 0) out.push(`**Authorization:** ${[...new Set(security)].join(', ')}`);
    return out;
  }

  async #parameters(given: readonly unknown[]): Promise<string[]> {
    const rows = new Map<string, string[]>();
    for (const each of given) {
      const parameter = objectOf(await this.#resolve(each));
      const name = stringOf(parameter['name']);
      if (name === '') continue;
      const content = objectOf(Object.values(objectOf(parameter['content']))[0]);
      const schema = parameter['schema'] ?? content['schema'];
      const description = sentences(cell(parameter['description']), await this.#values(schema));
      // One of the operation overrides one of the path.
      rows.set(`${stringOf(parameter['in'])} ${name}`, [
        code(name),
        stringOf(parameter['in']),
        await this.#typeOf(schema),
        parameter['required'] === true ? 'yes' : '',
        description,
      ]);
    }
    return table(['Parameter', 'In', 'Type', 'Required', 'Description'], [...rows.values()]);
  }

  async #responses(responses: Json): Promise<string[]> {
    const rows: string[][] = [];
    const bodies: string[] = [];
    for (const [status, given] of Object.entries(responses)) {
      const response = objectOf(await this.#resolve(given));
      const content = objectOf(response['content']);
      const type = await this.#typeOf(objectOf(Object.values(content)[0])['schema']);
      rows.push([code(status), cell(response['description']), type]);
      if (!/^2|^default$/.test(status)) continue;
      const shown = await this.#content(content);
      if (shown.length > 1) bodies.push(`**Response ${status}**`, ...shown);
    }
    return rows.length === 0 ? [] : [...table(['Response', 'Description', 'Type'], rows), ...bodies];
  }

  /** Of the first media type; the others are named. */
  async #content(content: Json): Promise<string[]> {
    const types = Object.keys(content);
    const [first] = types;
    if (first === undefined) return [];
    const media = objectOf(content[first]);
    const schema = media['schema'];
    const out = [`${types.map(code).join(', ')}${schema === undefined ? '' : `: ${await this.#typeOf(schema)}`}`];
    if (this.#schemaName(schema) === undefined) out.push(...(await this.#fieldTable(schema)));
    const named = objectOf(Object.values(objectOf(media['examples']))[0]);
    const shown =
      media['example'] ??
      (objectOf(await this.#resolve(named))['value'] as unknown) ??
      objectOf(await this.#resolve(schema))['example'];
    out.push(...example(shown));
    return out;
  }

  async #schemas(): Promise<string[]> {
    const out: string[] = [];
    for (const [name, given] of Object.entries(objectOf(objectOf(this.#api['components'])['schemas']))) {
      const schema = objectOf(await this.#resolve(given));
      const rows = await this.#fieldTable(given);
      const values = await this.#values(given);
      const about = described(schema['description'], 3);
      if (rows.length === 0 && values === '' && about.length === 0) continue;
      const title = stringOf(schema['title']);
      out.push(
        `### ${code(name)}${title !== '' && title !== name ? ` ${heading(title)}` : ''} {#${this.#anchor(name)}}`,
      );
      out.push(...about, ...(values === '' ? [] : [values]), ...rows, ...example(schema['example']));
    }
    return out.length === 0 ? [] : ['## Schemas', ...out];
  }

  async #securitySchemes(): Promise<string[]> {
    const rows: string[][] = [];
    for (const [name, given] of Object.entries(objectOf(objectOf(this.#api['components'])['securitySchemes']))) {
      const scheme = objectOf(await this.#resolve(given));
      const where = [scheme['scheme'], scheme['name'] && `${stringOf(scheme['in'])} ${stringOf(scheme['name'])}`];
      rows.push([
        code(name),
        [stringOf(scheme['type']), ...where.map(stringOf)].filter((text) => text !== '').join(', '),
        cell(scheme['description']),
      ]);
    }
    return rows.length === 0 ? [] : ['## Authorization', ...table(['Scheme', 'Type', 'Description'], rows)];
  }

  // ---- schemas ----------------------------------------------------------------------------------

  async #fieldTable(schema: unknown): Promise<string[]> {
    const rows: string[][] = [];
    await this.#fields(schema, '', 0, new Set(), rows);
    return table(['Field', 'Type', 'Required', 'Description'], rows);
  }

  /** Rows for the fields of an object; those of objects in it that have no name of their own, too. */
  async #fields(given: unknown, prefix: string, depth: number, seen: Set<unknown>, rows: string[][]): Promise<void> {
    const schema = objectOf(await this.#resolve(given));
    if (seen.has(schema) || depth > MAX_FIELD_DEPTH || rows.length > MAX_ROWS) return;
    const within = new Set(seen).add(schema);
    for (const part of listOf(schema['allOf'])) await this.#fields(part, prefix, depth, within, rows);
    const required = new Set(listOf(schema['required']));
    for (const [name, field] of Object.entries(objectOf(schema['properties']))) {
      if (rows.length > MAX_ROWS) return;
      const of = objectOf(await this.#resolve(field));
      const about = sentences(cell(of['description']), await this.#values(field));
      rows.push([code(prefix + name), await this.#typeOf(field), required.has(name) ? 'yes' : '', about]);
      if (this.#schemaName(field) !== undefined) continue;
      const items = isObject(of['items']) && this.#schemaName(of['items']) === undefined ? of['items'] : undefined;
      await this.#fields(field, `${prefix}${name}.`, depth + 1, within, rows);
      if (items !== undefined) await this.#fields(items, `${prefix}${name}[].`, depth + 1, within, rows);
    }
    if (prefix === '' && isObject(schema['items']) && this.#schemaName(schema['items']) === undefined)
      await this.#fields(schema['items'], '[].', depth + 1, within, rows);
  }

  /** The name by which a schema is referred to. */
  #schemaName(schema: unknown): string | undefined {
    const reference = stringOf(objectOf(schema)['$ref']);
    return reference === '' ? undefined : decodePercent(reference.slice(reference.lastIndexOf('/') + 1));
  }

  async #typeOf(schema: unknown, depth = 0): Promise<string> {
    const name = this.#schemaName(schema);
    if (name !== undefined) return name.replace(/\|/g, '\\|');
    const { type, format, items, oneOf, anyOf, allOf, additionalProperties } = objectOf(schema);
    if (depth > 5) return stringOf(type);
    const several = async (all: unknown, word: string): Promise<string> => {
      const names = await Promise.all(
        listOf(all)
          .slice(0, 8)
          .map((each) => this.#typeOf(each, depth + 1)),
      );
      return [...new Set(names.filter((each) => each !== ''))].join(word);
    };
    if (Array.isArray(oneOf)) return several(oneOf, ' or ');
    if (Array.isArray(anyOf)) return several(anyOf, ' or ');
    if (type === 'array' || items !== undefined) return `array of ${(await this.#typeOf(items, depth + 1)) || 'any'}`;
    if (type === undefined && Array.isArray(allOf)) return several(allOf, ' and ');
    if (isObject(additionalProperties))
      return `map of ${(await this.#typeOf(additionalProperties, depth + 1)) || 'any'}`;
    const types = Array.isArray(type) ? type.map(stringOf).join(' or ') : stringOf(type);
    return format === undefined ? types : `${types} (${stringOf(format)})`;
  }

  /** "One of `a`, `b`. Default: `a`." */
  async #values(given: unknown): Promise<string> {
    if (this.#schemaName(given) !== undefined) return '';
    const schema = objectOf(await this.#resolve(given));
    const shown = (value: unknown): string =>
      code(cell(typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 100));
    const of = listOf(schema['enum'] ?? objectOf(schema['items'])['enum']);
    const said: string[] = [];
    if (of.length > 0) said.push(`One of ${of.slice(0, 50).map(shown).join(', ')}.`);
    if (schema['default'] !== undefined && schema['default'] !== '') said.push(`Default: ${shown(schema['default'])}.`);
    if (schema['minimum'] !== undefined) said.push(`At least ${shown(schema['minimum'])}.`);
    if (schema['maximum'] !== undefined) said.push(`At most ${shown(schema['maximum'])}.`);
    return said.join(' ');
  }

  // ---- references -------------------------------------------------------------------------------

  /** What a value refers to, itself where it refers to nothing. */
  async #resolve(given: unknown): Promise<unknown> {
    let value = given;
    let document: unknown = this.#api;
    for (let times = 0; times < MAX_REFERENCES && isObject(value) && typeof value['$ref'] === 'string'; ++times) {
      const reference: string = value['$ref'];
      const hash = reference.indexOf('#');
      const file = hash < 0 ? reference : reference.slice(0, hash);
      if (file !== '') document = await this.#file(file);
      value = hash < 0 ? document : pointed(document, reference.slice(hash + 1));
      if (value === undefined) this.#missing(reference);
    }
    return value;
  }

  async #file(name: string): Promise<unknown> {
    const path = /^[a-z]+:/.test(name) ? undefined : joinPath(folderOf(this.#source.path), decodePercent(name));
    if (path === undefined) return undefined;
    if (!this.#files.has(path)) {
      const bytes = this.#files.size < 1000 ? this.#source.read(path) : undefined;
      const value = bytes === undefined ? undefined : await parse(textOf(bytes)).catch(() => undefined);
      this.#files.set(path, value);
    }
    return this.#files.get(path);
  }

  #missing(reference: string): void {
    const warning = `it refers to what is missing: ${reference.slice(0, 200)}`;
    if (this.warnings.length < 20 && !this.warnings.includes(warning)) this.warnings.push(warning);
  }

  /** Each once. */
  #anchor(text: string): string {
    const wanted = anchorOf(text) || 'operation';
    let anchor = wanted;
    let times = this.#anchors.get(wanted) ?? 2;
    for (; this.#anchors.has(anchor); ++times) anchor = `${wanted}-${times}`;
    this.#anchors.set(wanted, times).set(anchor, this.#anchors.get(anchor) ?? 2);
    return anchor;
  }
}

interface Operation {
  /** "GET /pets". */
  name: string;
  /** The path's. */
  item: Json;
  about: Json;
}

/** By a JSON pointer, without its '#'. */
function pointed(document: unknown, pointer: string): unknown {
  let value = document;
  for (const part of decodePercent(pointer).split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    const name = part.replace(/~1/g, '/').replace(/~0/g, '~');
    value = Object.hasOwn(value, name) ? (value as Json)[name] : undefined;
  }
  return value;
}
