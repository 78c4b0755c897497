/** The scopes that the reader can choose: everything, groups, libraries, versions. Pure. */
import type { DeskState, LibraryRecord } from './types.js';
import { publisherOf } from './plain.js';
import { originText, t } from './words.js';

export interface ScopeChoice {
  value: string;
  label: string;
}

/** The version, and where it came from if another publisher's library has the name, too. */
export function versionText({ library, version, origin }: LibraryRecord, libraries: readonly LibraryRecord[]): string {
  const isShared = libraries.some(
    (each) => each.library === library && publisherOf(each.origin) !== publisherOf(origin),
  );
  return isShared ? `${version} · ${originText(origin)}` : version;
}

export function scopeChoices({ libraries, groups }: Pick<DeskState, 'libraries' | 'groups'>): ScopeChoice[] {
  if (libraries.length === 0) return [];
  const names = [...new Set(libraries.map(({ library }) => library))];
  const choices: ScopeChoice[] = [{ value: '', label: t('everything') }];
  for (const { name } of groups) choices.push({ value: name, label: `${name}:` });
  for (const name of names) {
    const versions = libraries.filter(({ library }) => library === name);
    const title = versions[0]?.title ?? name;
    if (versions.length > 1) choices.push({ value: `${name}@*`, label: `${title} · ${t('allVersions')}` });
    for (const each of versions) choices.push({ value: each.id, label: `${title} ${versionText(each, versions)}` });
  }
  return choices;
}
