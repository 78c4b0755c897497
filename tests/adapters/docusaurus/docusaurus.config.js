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
  plugins: ['sheaf/docusaurus'],
  themeConfig: {
    colorMode: { respectPrefersColorScheme: true },
    navbar: { title: 'Tidemark', items: [{ type: 'docSidebar', sidebarId: 'docs', label: 'Docs', position: 'left' }, { type: 'docsVersionDropdown', position: 'right' }] },
    footer: { copyright: 'Tidemark is invented' },
  },
};
