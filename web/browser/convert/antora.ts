/**
 * Antora's names of files: `component/antora.yml`, `component/modules/MODULE/FAMILY/path`.
 *
 *     partial$intro.adoc             modules/SAME/partials/intro.adoc
 *     api:example$run.java           modules/api/examples/run.java
 *     api:guide/start.adoc           modules/api/pages/guide/start.adoc, where a page is meant
 *     1.2@other::page.adoc           of another component or version: not in this tree
 *
 * All functions but `attributesOf` are pure.
 */
import type { Source } from './converter.js';

/** A file of a component of Antora. */
export interface AntoraFile {
  /** The folder with antora.yml, with its slash, or empty. */
  component: string;
  module: string;
  family: string;
  /** Below the family's folder. */
  relative: string;
}

const FAMILIES: Readonly<Record<string, string>> = {
  page: 'pages',
  partial: 'partials',
  example: 'examples',
  image: 'images',
  attachment: 'attachments',
};

/** Undefined: the path is not one of Antora's. */
export function antoraFile(path: string): AntoraFile | undefined {
  const [, component, module, family, relative] =
    /^(.*?\/)??modules\/([^/]+)\/(?:pages\/)?(pages|_partials|partials|examples|images|attachments|assets)\/(.+)$/s.exec(
      path,
    ) ?? [];
  if (module !== undefined && family !== undefined && relative !== undefined)
    return { component: component ?? '', module, family: family.replace(/^_/, ''), relative };
  const [, above, named, file] = /^(.*?\/)??modules\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  return named === undefined || file === undefined
    ? undefined
    : { component: above ?? '', module: named, family: '', relative: file };
}

/** The path that `id` names in `from`; `family`: the one that is meant where `id` names none. Undefined: none here. */
export function resolveId(id: string, from: AntoraFile, family: string): string | undefined {
  const [, version, component, module, named, relative] =
    /^(?:([^@:$]*)@)?(?:(?:([^:$]*):)?([^:$]*):)?(?:(page|partial|example|image|attachment)\$)?(.+)$/.exec(id) ?? [];
  if (relative === undefined || version || component) return undefined;
  const folder = FAMILIES[named ?? family];
  return `${from.component}modules/${module || from.module}/${folder}/${relative}`;
}

/** What Antora itself sets for a page, and what its component's antora.yml sets. */
export async function attributesOf(file: AntoraFile, read: Source['read']): Promise<Record<string, string>> {
  const { readYaml, textOf } = await import('./text.js');
  const bytes = read(`${file.component}antora.yml`);
  const described: unknown = bytes === undefined ? {} : await readYaml(textOf(bytes)).catch(() => ({}));
  const component = (described ?? {}) as Record<string, unknown>;
  const text = (value: unknown): string =>
    typeof value === 'string' || typeof value === 'number' ? String(value) : '';
  const own = ((component['asciidoc'] as Record<string, unknown> | undefined)?.['attributes'] ?? {}) as object;
  const set = Object.entries(own).flatMap(([name, value]: [string, unknown]): [string, string][] => {
    if (value === true || value === null) return [[name, '']];
    const plain = text(value).replace(/@$/, '');
    return plain === '' && value !== '' ? [] : [[name, plain]];
  });
  return {
    'env-site': '',
    'site-gen': 'antora',
    'site-gen-antora': '',
    partialsdir: 'partial$',
    examplesdir: 'example$',
    idprefix: '',
    idseparator: '-',
    'page-module': file.module,
    'page-relative-src-path': file.relative,
    'page-component-name': text(component['name']),
    'page-component-title': text(component['title']) || text(component['name']),
    'page-component-version': text(component['version']),
    'page-version': text(component['version']),
    'page-component-display-version': text(component['display_version']) || text(component['version']),
    ...Object.fromEntries(set),
  };
}
