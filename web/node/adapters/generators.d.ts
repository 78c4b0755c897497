// What the adapters use of the generators, so that building Sheaf needs none of them. The real modules are
// the site's own; tests/adapters builds real projects with them.

declare module 'vue' {
  interface Ref<T> {
    value: T;
  }
  export function ref<T>(): Ref<T | undefined>;
  export function h(type: string, properties: object, children?: unknown[]): unknown;
  export function onMounted(run: () => void): void;
  export function onUnmounted(run: () => void): void;
  export function watch(source: () => unknown, run: () => void): void;
}

declare module 'vitepress' {
  export function useData(): {
    site: { value: { base: string; locales: { [key: string]: { link?: string } } } };
    localeIndex: { value: string };
  };
  export function useRouter(): { go(href: string): Promise<void> };
}

declare module 'react' {
  export function createElement(type: string, properties: object): unknown;
  export function useEffect(run: () => void | (() => void), on: unknown[]): void;
  export function useRef<T>(initial: T): { current: T };
}

declare module '@docusaurus/router' {
  export function useHistory(): { push(route: string): void };
  export function useLocation(): { pathname: string };
}

declare module '@docusaurus/useDocusaurusContext' {
  export default function useDocusaurusContext(): { siteConfig: { baseUrl: string } };
}

declare module '@docusaurus/plugin-content-docs/client' {
  interface Version {
    name: string;
    path: string;
    isLast: boolean;
  }
  export function useAllDocsData(): { [plugin: string]: { versions: Version[] } };
}
