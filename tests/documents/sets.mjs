/**
 * The documentation sets that gather.mjs lays and scan.mjs reads: at least one of each kind, none of those that are held
 * out for measuring (PostgreSQL, FastAPI, React, Rails' guides, React Native, Hugo's own documentation, Ansible, SQLite,
 * git's manual pages, Apache commons-lang3, Eigen, Python's FAQ, LibreOffice's help).
 *
 *   name     folder below the one that gather.mjs fills
 *   from     where it comes from: parts that are laid into the folder one after the other
 *              { deb, path, to?, match? }    a folder of a Debian package; `match`: only these file names
 *              { git, paths, strip? } these paths of a repository on GitHub; `strip`: folders left off in front
 *              { pypi, paths }     these paths of a source distribution, NAME==VERSION
 *              { crate, features } NAME@VERSION, documented by `cargo doc --no-deps`
 *              { maven }           GROUP:ARTIFACT:VERSION, its javadoc jar
 *   pack     the folder to pack, below the set's
 *   options  of the packer (a PackJob's fields), where its documentation would set them
 *   odd      why the set is here
 */

const deb = (package_, path, more = {}) => ({ deb: package_, path: `usr/share/${path}`, ...more });
const git = (repository, ...paths) => ({ git: repository, paths });

export const SETS = [
  // Templates
  {
    name: 'loki',
    kind: 'Hugo',
    from: [git('grafana/loki', 'docs/sources')],
    pack: 'docs/sources',
    odd: 'admonitions, docs/shared, versions in front matter',
  },
  {
    name: 'k6',
    kind: 'Hugo',
    from: [{ git: 'grafana/k6-docs', paths: ['docs/sources/k6/v2.2.x'], strip: 4 }],
    odd: 'one version of fourteen, code tabs, shared pages',
  },
  {
    name: 'redis',
    kind: 'Hugo',
    from: [git('redis/docs', 'config.toml', 'content')],
    pack: 'content',
    odd: 'embeds, client tabs, a page a command',
  },
  { name: 'tempo', kind: 'Hugo', from: [git('grafana/tempo', 'docs/sources')], pack: 'docs/sources', odd: 'shared pages, ref URIs' },
  {
    name: 'etcd',
    kind: 'Hugo, Docsy',
    from: [git('etcd-io/website', 'content', 'data', 'layouts', 'config.yaml')],
    odd: 'nine versions in one folder; layouts beside the content',
  },
  {
    name: 'opentelemetry',
    kind: 'Hugo, Docsy',
    from: [git('open-telemetry/opentelemetry.io', 'content', 'layouts', 'data', 'config')],
    pack: 'content',
    odd: 'a folder a language, includes, tabs',
  },
  {
    name: 'letsencrypt',
    kind: 'Hugo',
    from: [git('letsencrypt/website', 'content', 'i18n', 'config')],
    pack: 'content',
    odd: 'twenty languages, a folder each',
  },
  {
    name: 'jekyll',
    kind: 'Jekyll',
    from: [git('jekyll/jekyll', 'docs')],
    pack: 'docs',
    odd: 'layouts, includes, collections, raw and highlight',
  },
  {
    name: 'just-the-docs',
    kind: 'Jekyll',
    from: [git('just-the-docs/just-the-docs', '.')],
    odd: 'attribute lists, callouts, the theme beside its documentation',
  },
  { name: 'scala-docs', kind: 'Jekyll', from: [git('scala/docs.scala-lang', '.')], odd: 'a collection a language, tabs' },
  {
    name: 'pnpm',
    kind: 'Docusaurus',
    from: [git('pnpm/pnpm.io', 'docs', 'docusaurus.config.ts', 'sidebars.json', 'src', 'versioned_docs', 'blog')],
    odd: 'versioned_docs, tabs',
  },
  {
    name: 'redux',
    kind: 'Docusaurus, MDX',
    from: [git('reduxjs/redux', 'docs', 'website', 'README.md')],
    odd: 'imports, tabs, components around prose',
  },
  {
    name: 'jest',
    kind: 'Docusaurus',
    from: [git('jestjs/jest', 'docs', 'website')],
    pack: 'docs',
    odd: 'tabs, admonitions, versions beside the documentation',
  },
  {
    name: 'helm',
    kind: 'Docusaurus, MDX',
    from: [git('helm/helm-www', 'docs', 'docusaurus.config.js', 'sidebars.js')],
    pack: 'docs',
    odd: 'template code of another language in the text',
  },
  {
    name: 'ionic',
    kind: 'Docusaurus, MDX',
    from: [git('ionic-team/ionic-docs', 'docs', 'docusaurus.config.js', 'sidebars.js', 'src', 'static/usage')],
    odd: 'playgrounds, hundreds of imports, usage in static',
  },
  {
    name: 'vitepress',
    kind: 'VitePress',
    from: [git('vuejs/vitepress', 'docs')],
    pack: 'docs',
    odd: 'containers, code groups, a folder a language',
  },
  {
    name: 'starlight',
    kind: 'Starlight, MDX',
    from: [git('withastro/starlight', 'docs')],
    pack: 'docs',
    odd: 'components, asides, a folder a language',
  },
  {
    name: 'mkdocs-material',
    kind: 'MkDocs, Material',
    from: [git('squidfunk/mkdocs-material', 'docs', 'mkdocs.yml', 'includes')],
    odd: 'attribute lists, admonitions, tabs, snippets, annotations',
  },
  { name: 'mkdocs', kind: 'MkDocs', from: [git('mkdocs/mkdocs', 'docs', 'mkdocs.yml')], odd: 'admonitions, references to mkdocs.yml' },
  { name: 'mdbook', kind: 'mdBook', from: [git('rust-lang/mdBook', 'guide')], pack: 'guide', odd: 'includes in braces, SUMMARY.md' },
  {
    name: 'rust-reference',
    kind: 'mdBook',
    from: [git('rust-lang/reference', 'src', 'book.toml', 'docs')],
    odd: 'rule ids r[…], grammar fences',
  },
  {
    name: 'myst',
    kind: 'MyST',
    from: [git('executablebooks/MyST-Parser', 'docs', 'README.md', 'CHANGELOG.md')],
    pack: 'docs',
    odd: 'directives in fences and colons, roles, targets',
  },
  {
    name: 'quarto',
    kind: 'Quarto',
    from: [git('quarto-dev/quarto-web', 'docs', '_quarto.yml', 'index.qmd', '_extensions')],
    odd: '.qmd, Pandoc divs, shortcodes, includes',
  },
  { name: 'fluentd', kind: 'GitBook', from: [git('fluent/fluentd-docs-gitbook', '.')], odd: 'hints, SUMMARY.md' },
  { name: 'obsidian', kind: 'Obsidian', from: [git('obsidianmd/obsidian-help', 'en')], odd: 'wiki links, embeds, callouts' },
  { name: 'd3', kind: 'VitePress', from: [git('d3/d3', 'docs')], pack: 'docs', odd: 'Vue components in the text' },
  { name: 'prometheus', kind: 'Markdown', from: [git('prometheus/docs', 'docs', 'blog')], odd: 'plain pages with front matter' },
  { name: 'phoenix', kind: 'Markdown', from: [git('phoenixframework/phoenix', 'guides', 'README.md')], odd: 'ExDoc links and admonitions' },
  // reStructuredText
  {
    name: 'django',
    kind: 'reStructuredText',
    from: [{ pypi: 'Django==5.1', paths: ['docs'] }],
    pack: 'docs',
    odd: 'in .txt by conf.py, own directives',
  },
  { name: 'symfony', kind: 'reStructuredText', from: [git('symfony/symfony-docs', '.')], odd: 'configuration-block, versionadded' },
  { name: 'godot', kind: 'reStructuredText', from: [git('namnguyenhoai2/godot-docs', '.')], odd: 'a page a class, substitutions' },
  // AsciiDoc, manual pages, Texinfo, OpenAPI, PDF
  {
    name: 'spring',
    kind: 'AsciiDoc, Antora',
    from: [git('spring-projects/spring-framework', 'framework-docs')],
    odd: 'includes, attributes, tabs',
  },
  {
    name: 'spring-boot',
    kind: 'AsciiDoc, Antora',
    from: [git('spring-projects/spring-boot', 'documentation')],
    odd: 'includes of code, attributes',
  },
  { name: 'asciidoctor', kind: 'AsciiDoc, Antora', from: [git('asciidoctor/asciidoctor', 'docs')], odd: 'partials, xrefs between modules' },
  { name: 'man-linux', kind: 'manual pages', from: [deb('manpages', 'man'), deb('manpages-dev', 'man')], odd: 'gzip, 2,400 pages' },
  { name: 'man-perl', kind: 'manual pages', from: [deb('perl-doc', 'man')], odd: 'written by pod2man' },
  { name: 'man-curl', kind: 'manual pages', from: [deb('libcurl4-doc', 'man')], odd: 'a page a function' },
  { name: 'man-de', kind: 'manual pages', from: [deb('manpages-de', 'man')], odd: 'German' },
  { name: 'man-tcl', kind: 'manual pages', from: [deb('tcl8.6-doc', 'man')], odd: 'own macros' },
  {
    name: 'info',
    kind: 'info',
    from: [deb('zsh-doc', 'info'), deb('octave-doc', 'info'), deb('autoconf-doc', 'info')],
    odd: 'split, gzip',
  },
  {
    name: 'openapi',
    kind: 'OpenAPI',
    from: [git('stripe/openapi', 'openapi', 'latest'), git('OAI/OpenAPI-Specification', '_archive_')],
    odd: 'YAML and JSON, cycles',
  },
  {
    name: 'pdf',
    kind: 'PDF',
    from: [
      deb('zsh-doc', 'doc/zsh-common', { match: /\.pdf$/ }),
      deb('gnuplot-doc', 'doc/gnuplot', { match: /\.pdf$/ }),
      deb('maint-guide', 'doc/maint-guide', { match: /\.pdf$/ }),
    ],
    odd: 'manuals set by TeX and DocBook',
  },
  // HTML of generators
  { name: 'guava', kind: 'Javadoc', from: [{ maven: 'com.google.guava:guava:33.2.1-jre' }], odd: 'src-html, class-use, indexes' },
  { name: 'junit', kind: 'Javadoc', from: [{ maven: 'org.junit.jupiter:junit-jupiter-api:5.10.2' }], odd: 'modules' },
  { name: 'jdk', kind: 'Javadoc', from: [deb('openjdk-17-doc', 'doc/openjdk-17-jre-headless/api')], odd: '10,000 pages' },
  { name: 'dokka', kind: 'Dokka', from: [{ maven: 'com.squareup.okio:okio-jvm:3.9.0' }], odd: 'divs for tables and code' },
  { name: 'scaladoc', kind: 'Scaladoc', from: [{ maven: 'org.typelevel:cats-core_2.13:2.10.0' }], odd: 'members folded' },
  { name: 'doxygen-sfml', kind: 'Doxygen', from: [deb('libsfml-doc', 'doc/libsfml-dev/html')], odd: 'sources and member lists' },
  { name: 'doxygen-sdl', kind: 'Doxygen', from: [deb('libsdl2-doc', 'doc/libsdl2-doc/html')], odd: 'folders by hash' },
  { name: 'doxygen', kind: 'Doxygen', from: [deb('doxygen-doc', 'doc/doxygen/html')], odd: 'its own manual with examples' },
  { name: 'opencv', kind: 'Doxygen', from: [deb('opencv-doc', 'doc/opencv-doc/opencv4/html')], odd: 'tutorials and 7,000 pages' },
  { name: 'rust-alloc', kind: 'rustdoc', from: [deb('rust-doc', 'doc/rust-doc/html/alloc')], odd: 'redirects, all.html' },
  {
    name: 'clap',
    kind: 'rustdoc',
    from: [{ crate: 'clap@4.6.9', features: ['derive', 'unstable-doc'] }],
    odd: 'sources beside the pages, the same type under several paths',
  },
  { name: 'rust-std', kind: 'rustdoc', from: [deb('rust-doc', 'doc/rust-doc/html/std')], odd: '1,800 pages' },
  { name: 'yard-lich', kind: 'YARD', from: [git('Nisugi/lich5-docs', 'docs')], pack: 'docs', odd: 'frames, method lists' },
  { name: 'yard-visualruby', kind: 'YARD', from: [git('Beagle123/visualruby', 'docs')], pack: 'docs', odd: 'own theme, method lists' },
  {
    name: 'rdoc',
    kind: 'RDoc',
    from: [git('bioruby/bioruby.github.io', 'rdoc')],
    pack: 'rdoc',
    odd: 'methods without headings, sources below them',
  },
  { name: 'exdoc', kind: 'ExDoc', from: [git('Leapsight/plum_db', 'doc')], pack: 'doc', odd: 'links and titles of functions' },
  { name: 'erlang', kind: 'erl_docgen', from: [deb('erlang-doc', 'doc/erlang-doc')], odd: 'HTML, PDF and manual pages of one text' },
  {
    name: 'haddock',
    kind: 'Haddock',
    from: [deb('libghc-aeson-doc', 'doc/libghc-aeson-doc/html')],
    odd: 'coloured sources, indexes by letter',
  },
  { name: 'furo', kind: 'Sphinx, Furo', from: [deb('python-attr-doc', 'doc/python-attr-doc/html')], odd: 'sources beside the pages' },
  {
    name: 'setuptools',
    kind: 'Sphinx, Furo',
    from: [deb('python-setuptools-doc', 'doc/python-setuptools-doc/html')],
    odd: 'generated pages',
  },
  { name: 'click', kind: 'Sphinx, Pallets', from: [deb('python-click-doc', 'doc/python-click-doc/html')], odd: '_sources' },
  { name: 'flask', kind: 'Sphinx, Pallets', from: [deb('python-flask-doc', 'doc/python-flask-doc/html')], odd: '_sources' },
  { name: 'pillow', kind: 'Sphinx, Furo', from: [deb('python-pil-doc', 'doc/python-pil-doc/html')], odd: '_modules' },
  {
    name: 'django-html',
    kind: 'Sphinx',
    from: [deb('python-django-doc', 'doc/python-django-doc/html')],
    odd: 'release notes outnumber guides',
  },
  { name: 'bind9', kind: 'Sphinx, Read the Docs', from: [deb('bind9-doc', 'doc/bind9-doc/arm')], odd: 'a book in long pages' },
  { name: 'cmake', kind: 'Sphinx', from: [deb('cmake-doc', 'doc/cmake-data/html')], odd: 'a page a variable, _sources' },
  { name: 'pytest', kind: 'Sphinx', from: [deb('python-pytest-doc', 'doc/python-pytest-doc/html')], odd: '_modules, announcements' },
  {
    name: 'sqlalchemy',
    kind: 'Sphinx, own theme',
    from: [deb('python-sqlalchemy-doc', 'doc/python-sqlalchemy-doc/html')],
    odd: 'long pages, changelogs',
  },
  { name: 'mkdocs-html', kind: 'MkDocs', from: [deb('mkdocs-doc', 'doc/mkdocs/html')], odd: 'built site' },
  { name: 'gtkdoc', kind: 'gtk-doc', from: [deb('libglib2.0-doc', 'gtk-doc/html')], odd: 'tables for layout' },
  { name: 'qt', kind: 'QDoc', from: [deb('qtbase5-doc-html', 'qt5/doc')], odd: 'member lists, examples' },
  { name: 'racket', kind: 'Scribble', from: [deb('racket-doc', 'doc/racket')], odd: 'tables for layout' },
  { name: 'wireshark', kind: 'Asciidoctor, DocBook', from: [deb('wireshark-doc', 'doc/wireshark')], odd: 'chunked' },
  { name: 'octave', kind: 'Texinfo', from: [deb('octave-doc', 'doc/octave')], odd: 'a page a node' },
  { name: 'zsh', kind: 'Texinfo', from: [deb('zsh-doc', 'doc/zsh-common/html')], odd: 'bars of links, entries as definition lists' },
  { name: 'lilypond', kind: 'Texinfo', from: [deb('lilypond-doc-html', 'doc/lilypond/html/Documentation')], odd: 'languages by file name' },
  { name: 'bash', kind: 'Texinfo', from: [deb('bash-doc', 'doc/bash')], odd: 'one long page, and PDF beside it' },
  { name: 'gnuplot', kind: 'LaTeX2HTML', from: [deb('gnuplot-doc', 'doc/gnuplot/htmldocs')], odd: 'numbered nodes' },
  { name: 'apache2', kind: 'HTML by XSLT', from: [deb('apache2-doc', 'doc/apache2-doc/manual')], odd: 'a folder a language' },
  { name: 'vim', kind: 'HTML by script', from: [deb('vim-doc', 'doc/vim/html')], odd: 'one preformatted text a page' },
  {
    name: 'nodejs',
    kind: 'HTML by script',
    from: [deb('nodejs-doc', 'doc/nodejs/api')],
    odd: 'all.html beside its parts; Markdown and JSON twins',
  },
  { name: 'ikiwiki', kind: 'wiki', from: [deb('ikiwiki', 'doc/ikiwiki/html')], odd: 'backlinks, a page a plugin' },
  { name: 'dovecot', kind: 'wiki as text', from: [deb('dovecot-core', 'doc/dovecot-core/wiki')], odd: '.txt and .txt.gz' },
  { name: 'ntp', kind: 'HTML by hand', from: [deb('ntpsec-doc', 'doc/ntpsec-doc/html')], odd: 'of the nineties, by AsciiDoc now' },
  { name: 'scheme48', kind: 'HTML by hand', from: [deb('scheme48-doc', 'doc/scheme48/html')], odd: 'tex2page' },
  { name: 'postfix', kind: 'HTML by hand', from: [deb('postfix-doc', 'doc/postfix/html')], odd: 'manual pages as preformatted HTML' },
  { name: 'tcllib', kind: 'HTML by script', from: [deb('tcllib', 'doc/tcllib/html')], odd: 'doctools' },
  { name: 'libtiff', kind: 'Sphinx', from: [deb('libtiff-doc', 'doc/libtiff-doc/manual')], odd: 'release notes' },
];
