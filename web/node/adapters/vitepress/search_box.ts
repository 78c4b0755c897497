/**
 * Replaces the search in VitePress's navigation bar with `<sheaf-search>`. VitePress's router follows its
 * hits, within the reader's language. Colours and size: LOOKS in ../vitepress.ts.
 */
import { h, onMounted, onUnmounted, ref, watch } from 'vue';
import { useData, useRouter } from 'vitepress';
import { applyFilter, ENTRY_PATH, followBy, keepToLanguage, type SearchElement } from '../page.js';

function setup(): () => unknown {
  const { site, localeIndex } = useData();
  const router = useRouter();
  const element = ref<SearchElement>();
  const { base } = site.value;
  const pathOf = (locale: string): string => (locale === 'root' ? base : `${base}${locale}/`);
  const narrow = (): void => {
    const parts = Object.keys(site.value.locales).map(pathOf);
    if (element.value !== undefined)
      void applyFilter(
        element.value,
        keepToLanguage(pathOf(localeIndex.value), parts, () => document.documentElement.lang),
      );
  };
  let stop: (() => void) | undefined;
  onMounted(() => {
    if (element.value !== undefined) stop = followBy(element.value, base, (route) => router.go(route));
    narrow();
    const script = `${base}${ENTRY_PATH}`; // written after Vite's work, and not part of it
    const complain = (error: unknown): void =>
      console.warn(`sheaf: ${script} could not be loaded, so there is no search here.`, error);
    import(/* @vite-ignore */ script).catch(complain);
  });
  watch(() => localeIndex.value, narrow);
  onUnmounted(() => stop?.());
  return () => h('div', { class: 'VPNavBarSearch' }, [h('sheaf-search', { ref: element })]);
}

const component: object = { name: 'SheafSearchBox', setup };
export default component;
