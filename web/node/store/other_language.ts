/**
 * Says of a bundle that its pages are in one language and its encoder knows another. Whoever asks such a bundle gets
 * answers by their words alone, though the answer calls itself hybrid; so the words had better be the pages' own.
 */
import type { LibraryInfo } from '../../browser/client/types.js';

/** Vector spaces of the encoders that Sheaf brings or knows by name, all of them English (web/browser/encoder/descriptor.ts). */
const ENGLISH = new Set(['minilm-l6-256', 'bge-small-en-v1-5', 'mpnet-base-256']);

/** The language of a bundle's pages, a BCP 47 tag; undefined for English, and where the bundle names none. Pure. */
export function otherLanguage({ manifest, language }: Pick<LibraryInfo, 'manifest' | 'language'>): string | undefined {
  const { language: named = language } = manifest;
  const tag = typeof named === 'string' && /^[a-z]{2,3}(-[a-z0-9]{2,8})*$/i.test(named) ? named : 'en';
  return /^en\b/i.test(tag) ? undefined : tag;
}

/** One sentence; undefined where meaning is of the pages' language, or not searched. Pure. */
export function otherLanguageNote(
  info: Pick<LibraryInfo, 'manifest' | 'language' | 'semantic' | 'space' | 'library'>,
): string | undefined {
  const language = otherLanguage(info);
  if (language === undefined || !info.semantic || !ENGLISH.has(info.space)) return undefined;
  const name = nameOf(language);
  return `${info.library} is in ${name}, and its encoder knows English: other words are found as words, not by meaning. Ask in ${name}.`;
}

/** In English; the tag itself where it is none, as a bundle may have any. */
function nameOf(tag: string): string {
  try {
    return new Intl.DisplayNames('en', { type: 'language' }).of(tag) ?? tag;
  } catch {
    return tag;
  }
}
