import { defineConfig } from 'vitepress';
import { withSheaf } from 'sheaf/vitepress';

const own = process.env.TIDEMARK_SEARCH === 'own';
const search = own ? (config) => config : withSheaf;

export default search(defineConfig({
  title: 'Tidemark',
  description: 'Keeps copies of folders',
  base: '/docs/',
  cleanUrls: true,
  lastUpdated: false,
  markdown: { lineNumbers: true },
  locales: {
    root: { label: 'English', lang: 'en' },
    de: { label: 'Deutsch', lang: 'de' },
  },
  themeConfig: {
    search: { provider: 'local' },
    nav: [{ text: 'Guide', link: '/guide/install' }, { text: 'Reference', link: '/reference/cli' }],
    sidebar: [
      { text: 'Guide', items: [
        { text: 'Install', link: '/guide/install' }, { text: 'First mark', link: '/guide/first-mark' },
        { text: 'Restore', link: '/guide/restore' }, { text: 'Schedule', link: '/guide/schedule' },
      ] },
      { text: 'Reference', items: [
        { text: 'Command line', link: '/reference/cli' }, { text: 'Errors', link: '/reference/errors' }, { text: 'Encryption', link: '/reference/encryption' },
      ] },
    ],
    editLink: { pattern: 'https://tidemark.example/edit/:path' },
    footer: { message: 'Tidemark is invented' },
  },
}));
