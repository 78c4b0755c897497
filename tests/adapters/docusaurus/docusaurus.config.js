const own = process.env.TIDEMARK_SEARCH === 'own';

export default {
  title: 'Tidemark',
  url: 'https://tidemark.example',
  baseUrl: '/manual/',
  trailingSlash: false,
  onBrokenLinks: 'throw',
  i18n: { defaultLocale: 'en', locales: ['en', 'de'] },
  presets: [['classic', {
    docs: { routeBasePath: '/', sidebarPath: './sidebars.js', editUrl: 'https://tidemark.example/edit/', showLastUpdateTime: false },
    blog: false,
  }]],
  ...(!own && { plugins: ['sheaf/docusaurus'] }),
  themeConfig: {
    ...(own && { algolia: { appId: 'TIDEMARK', apiKey: '0'.repeat(32), indexName: 'tidemark' } }),
    colorMode: { respectPrefersColorScheme: true },
    navbar: { title: 'Tidemark', items: [{ type: 'docSidebar', sidebarId: 'docs', label: 'Docs', position: 'left' }, { type: 'docsVersionDropdown', position: 'right' }] },
    footer: { copyright: 'Tidemark is invented' },
  },
};
