/** The scopes that the reader can choose: everything, groups, libraries, versions. Pure. */
import type { DeskState } from './types.js';
import { publisherOf } from './plain.js';
import { originText, t } from './words.js';

export interface ScopeChoice {
  value: string;
  label: string;
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
    const isShared = new Set(versions.map(({ origin }) => publisherOf(origin))).size > 1;
    for (const { id, version, origin } of versions)
      choices.push({ value: id, label: `${title} ${version}${isShared ? ` · ${originText(origin)}` : ''}` });
  }
  return choices;
}
