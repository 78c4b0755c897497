/**
 * Every text of the component, in English, German, Chinese and Arabic, and how to add further
 * languages.
 *
 *     import { addStrings } from 'sheaf/ui';
 *     addStrings('fr', { placeholder: 'Rechercher', … });      // what is missing stays English
 *     element.strings = { placeholder: 'Ask the manual' };     // one element
 *
 * `{n}`, `{query}` and the like are filled in. Counted texts have one form per plural category of the
 * language (CLDR, by Intl.PluralRules); `other` is always there.
 */
export type Forms = Partial<Record<Intl.LDMLPluralRule, string>> & { other: string };

/** Words of the controls for several languages, versions and sites; their defaults come with the controls (scope/strings.ts). */
export interface ScopeStrings {
  scope?: string;
  version?: string;
  language?: string;
  allLanguages?: string;
  sites?: string;
  allSites?: string;
  /** `{label}` */
  missing?: string;
}

export interface Strings extends ScopeStrings {
  /** Label of button, dialog and input. */
  search: string;
  placeholder: string;
  clear: string;
  close: string;
  results: string;
  /** `{count}` for `{query}`: announced, and shown above a results page. */
  countFor: string;
  /** `{sections}` on `{pages}`, each counted by its own forms. */
  count: string;
  sections: Forms;
  pages: Forms;
  /** Share of a download: `{percent}`. */
  opening: string;
  searching: string;
  empty: string;
  noResults: string;
  noResultsHint: string;
  /** `{query}`: the query without its typing mistakes. */
  corrected: string;
  /** Above hits for `{query}` that hardly match. */
  weak: string;
  offline: string;
  failed: string;
  retry: string;
  /** Instead of `retry`, where files of an older deploy are gone. */
  reload: string;
  /** Above hits by words, where meaning could not be loaded. */
  byWords: string;
  more: string;
  allResults: string;
  recent: string;
  /** Sections of the page around the search. */
  onThisPage: string;
  topPages: string;
  /** Of the chosen hit. */
  preview: string;
  /** `{query}` */
  removeRecent: string;
  clearRecent: string;
  keyNavigate: string;
  keyOpen: string;
  keyNewTab: string;
  keyClose: string;
  filters: string;
}

const EN: Strings = {
  search: 'Search',
  placeholder: 'Search the documentation',
  clear: 'Clear',
  close: 'Close',
  results: 'Results',
  countFor: '{count} for “{query}”',
  count: '{sections} on {pages}',
  sections: { one: '{n} section', other: '{n} sections' },
  pages: { one: '{n} page', other: '{n} pages' },
  opening: 'Loading the index… {percent}',
  searching: 'Searching…',
  empty: 'Type words, a name from the code, or a question.',
  noResults: 'No results for “{query}”',
  noResultsHint: 'Try fewer or more general words.',
  corrected: 'Showing results for {query}',
  weak: 'No good match for “{query}”. The nearest:',
  offline: 'You are offline. The search continues when the connection is back.',
  failed: 'The search could not be completed.',
  retry: 'Try again',
  reload: 'Reload the page',
  byWords: 'Searching by words only: the file for meaning could not be loaded.',
  more: 'More results',
  allResults: 'All results',
  recent: 'Recent searches',
  onThisPage: 'On this page',
  topPages: 'Top pages',
  preview: 'Preview',
  removeRecent: 'Remove “{query}” from recent searches',
  clearRecent: 'Clear all',
  keyNavigate: 'to move',
  keyOpen: 'to open',
  keyNewTab: 'in a new tab',
  keyClose: 'to close',
  filters: 'Filters',
};

const DE: Strings = {
  search: 'Suchen',
  placeholder: 'Dokumentation durchsuchen',
  clear: 'Leeren',
  close: 'Schließen',
  results: 'Ergebnisse',
  countFor: '{count} für „{query}“',
  count: '{sections} auf {pages}',
  sections: { one: '{n} Abschnitt', other: '{n} Abschnitte' },
  pages: { one: '{n} Seite', other: '{n} Seiten' },
  opening: 'Der Index wird geladen … {percent}',
  searching: 'Suche läuft …',
  empty: 'Wörter, einen Namen aus dem Code oder eine Frage eingeben.',
  noResults: 'Keine Treffer für „{query}“',
  noResultsHint: 'Vielleicht helfen weniger oder allgemeinere Wörter.',
  corrected: 'Ergebnisse für {query}',
  weak: 'Kein guter Treffer für „{query}“. Am nächsten kommen:',
  offline: 'Keine Verbindung. Die Suche geht weiter, sobald sie wieder da ist.',
  failed: 'Die Suche ist fehlgeschlagen.',
  retry: 'Erneut versuchen',
  reload: 'Seite neu laden',
  byWords: 'Suche nur nach Wörtern: Die Datei für die Bedeutung fehlt.',
  more: 'Weitere Ergebnisse',
  allResults: 'Alle Ergebnisse',
  recent: 'Letzte Suchen',
  onThisPage: 'Auf dieser Seite',
  topPages: 'Wichtige Seiten',
  preview: 'Vorschau',
  removeRecent: '„{query}“ aus den letzten Suchen entfernen',
  clearRecent: 'Alle löschen',
  keyNavigate: 'bewegen',
  keyOpen: 'öffnen',
  keyNewTab: 'in neuem Tab',
  keyClose: 'schließen',
  filters: 'Filter',
};

const ZH: Strings = {
  search: '搜索',
  placeholder: '搜索文档',
  clear: '清除',
  close: '关闭',
  results: '搜索结果',
  countFor: '“{query}”：{count}',
  count: '{pages}中的 {sections}',
  sections: { other: '{n} 个章节' },
  pages: { other: '{n} 个页面' },
  opening: '正在加载索引… {percent}',
  searching: '正在搜索…',
  empty: '输入关键词、代码中的名称或一个问题。',
  noResults: '没有找到“{query}”的结果',
  noResultsHint: '请尝试更少或更通用的词语。',
  corrected: '显示 {query} 的结果',
  weak: '没有与“{query}”十分匹配的内容，最接近的结果：',
  offline: '您已离线。恢复连接后将继续搜索。',
  failed: '搜索未能完成。',
  retry: '重试',
  reload: '重新加载页面',
  byWords: '仅按词语搜索：语义文件未能加载。',
  more: '更多结果',
  allResults: '全部结果',
  recent: '最近搜索',
  onThisPage: '本页内容',
  topPages: '主要页面',
  preview: '预览',
  removeRecent: '从最近搜索中删除“{query}”',
  clearRecent: '全部清除',
  keyNavigate: '移动',
  keyOpen: '打开',
  keyNewTab: '在新标签页中打开',
  keyClose: '关闭',
  filters: '筛选',
};

const AR: Strings = {
  search: 'بحث',
  placeholder: 'ابحث في التوثيق',
  clear: 'مسح',
  close: 'إغلاق',
  results: 'النتائج',
  countFor: '{count} عن «{query}»',
  count: '{sections} في {pages}',
  sections: {
    zero: 'لا أقسام',
    one: 'قسم واحد',
    two: 'قسمان',
    few: '{n} أقسام',
    many: '{n} قسمًا',
    other: '{n} قسم',
  },
  pages: {
    zero: 'لا صفحات',
    one: 'صفحة واحدة',
    two: 'صفحتين',
    few: '{n} صفحات',
    many: '{n} صفحة',
    other: '{n} صفحة',
  },
  opening: 'جارٍ تحميل الفهرس… {percent}',
  searching: 'جارٍ البحث…',
  empty: 'اكتب كلمات أو اسمًا من الشيفرة أو سؤالًا.',
  noResults: 'لا توجد نتائج عن «{query}»',
  noResultsHint: 'جرّب كلمات أقل أو أعمّ.',
  corrected: 'عرض نتائج {query}',
  weak: 'لا توجد نتيجة مطابقة جيدًا لـ «{query}». الأقرب إليها:',
  offline: 'أنت غير متصل. سيُستأنف البحث عند عودة الاتصال.',
  failed: 'تعذّر إكمال البحث.',
  retry: 'إعادة المحاولة',
  reload: 'إعادة تحميل الصفحة',
  byWords: 'بحث بالكلمات فقط: تعذّر تحميل ملف المعنى.',
  more: 'نتائج أخرى',
  allResults: 'كل النتائج',
  recent: 'عمليات البحث الأخيرة',
  onThisPage: 'في هذه الصفحة',
  topPages: 'أهم الصفحات',
  preview: 'معاينة',
  removeRecent: 'إزالة «{query}» من عمليات البحث الأخيرة',
  clearRecent: 'مسح الكل',
  keyNavigate: 'للتنقل',
  keyOpen: 'للفتح',
  keyNewTab: 'في علامة تبويب جديدة',
  keyClose: 'للإغلاق',
  filters: 'عوامل التصفية',
};

const languages = new Map<string, Strings>([
  ['en', EN],
  ['de', DE],
  ['zh', ZH],
  ['ar', AR],
]);

/** Adds or amends a language, by BCP 47 tag; elements use it when they next render. */
export function addStrings(language: string, strings: Partial<Strings>): void {
  const tag = language.toLowerCase().replace(/_/g, '-');
  languages.set(tag, { ...stringsFor(tag).strings, ...strings });
}

export interface Localised {
  strings: Strings;
  /** The language that was found, for plurals and numbers. */
  language: string;
}

/** The strings of `de-AT`, else of `de`, else English. */
export function stringsFor(language: string): Localised {
  for (let tag = language.toLowerCase(); tag !== ''; tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))) {
    const strings = languages.get(tag);
    if (strings !== undefined) return { strings, language: tag };
  }
  return { strings: EN, language: 'en' };
}

export function fill(text: string, values: Record<string, string>): string {
  return text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
}

/** Shortens a pasted text to an identifying beginning. */
export function shortened(text: string): string {
  const characters = [...text];
  return characters.length > 80 ? `${characters.slice(0, 60).join('')}…` : text;
}

/** The form of `forms` for the number `n`, with `{n}` in the language's digits. */
export function counted(forms: Forms, n: number, language: string, values: Record<string, string> = {}): string {
  const form = forms[new Intl.PluralRules(language).select(n)] ?? forms.other;
  return fill(form, { ...values, n: new Intl.NumberFormat(language).format(n) });
}

const RIGHT_TO_LEFT = new Set(['ar', 'fa', 'he', 'ps', 'ur', 'yi', 'ckb', 'dv', 'ug', 'sd']);

export function directionOf(language: string): 'ltr' | 'rtl' {
  return RIGHT_TO_LEFT.has(language.split('-')[0] as string) ? 'rtl' : 'ltr';
}
