// Pages of documentation themes, made by their own generators, for tests/looks/placed.mjs: a folder for each below OUT, with
// nothing of ours. Takes generators from where they are, and says which are missing; installs nothing but by `--install`,
// which brings those of PyPI and npm into OUT.
//
//   node tests/looks/theme_sites.mjs OUT [--install] [--only=furo,mdbook]
//
// Hugo's and Jekyll's themes are read from OUT/hugo/NAME and OUT/jekyll/NAME, where their sources have to lie, and Antora's from OUT/antora-ui. HUGO names
// another `hugo` (today's themes ask for .160, which PyPI has; Docsy for `sass` of npm's sass-embedded in the path). RUSTDOC, JAVADOC, HADDOCK and DOCBOOK name folders of pages that
// others have built; by default those of rustup, openjdk-17-doc, ghc-doc and postgresql-doc-15.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { writeTree } from '../fixtures/tree.mjs';

const ADAPTERS = fileURLToPath(new URL('../adapters/', import.meta.url));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { install: { type: 'boolean' }, only: { type: 'string' } },
});
if (positionals.length !== 1) throw new Error('Name one folder, outside of the repository.');
const OUT = resolve(positionals[0]);
const PY = join(OUT, 'py', 'bin');
const PYPI = ['sphinx', 'sphinx-rtd-theme', 'furo', 'pydata-sphinx-theme', 'sphinx-book-theme', 'mkdocs', 'mkdocs-material'];
const wanted = values.only?.split(',');

function run(command, args, cwd, env = {}) {
  const { status, stdout, stderr, error } = spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, CI: '1', ...env },
    maxBuffer: 1 << 26,
  });
  if (status !== 0) throw new Error(`${command} ${args.join(' ')}: ${error?.message ?? (stdout + stderr).slice(-1500)}`);
}

// ---- what the pages say --------------------------------------------------------------------------

const PROSE = Array.from(
  { length: 6 },
  (_, i) =>
    `A kiln that cools slowly keeps its glaze, which is why part ${i + 1} of firing is patience. The ware inside shrinks by a tenth.`,
);
const TOPICS = ['Firing', 'Glazes', 'Cooling', 'Cones', 'Loading the kiln', 'Reduction'];
const slug = (title) => title.toLowerCase().replaceAll(' ', '-');
/** `level` writes a heading of a level in a language of markup. */
const page = (title, level, link = () => '') =>
  [level(title, 1), PROSE[0], link(), ...['Before', 'Meanwhile', 'Afterwards'].flatMap((part) => [level(part, 2), ...PROSE])].join('\n\n');
const md = (text, depth) => `${'#'.repeat(depth)} ${text}`;
const rst = (text, depth) => `${text}\n${'=-'[depth - 1].repeat(text.length)}`;
const markdown = (folder, head = () => '') =>
  writeTree(
    folder,
    Object.fromEntries(
      ['Kiln', ...TOPICS].map((title) => [
        title === 'Kiln' ? 'index.md' : `${slug(title)}.md`,
        head(title) + page(title, md, () => '[Glazes](glazes.md)'),
      ]),
    ),
  );

// ---- generators ----------------------------------------------------------------------------------

const sphinx =
  (theme, options = {}) =>
  (dir, work) => {
    writeTree(work, {
      'conf.py': `project = 'Kiln'\nhtml_theme = '${theme}'\nhtml_theme_options = ${JSON.stringify(options)}\n`,
      'index.rst': `${page('Kiln', rst, () => ':doc:`glazes`')}\n\n.. toctree::\n\n${TOPICS.map((title) => `   ${slug(title)}`).join('\n')}\n`,
      ...Object.fromEntries(TOPICS.map((title) => [`${slug(title)}.rst`, page(title, rst, () => ':doc:`glazes`')])),
    });
    run(join(PY, 'sphinx-build'), ['-q', '-b', 'html', '.', dir], work);
  };
const mkdocs = (theme) => (dir, work) => {
  markdown(join(work, 'docs'));
  writeTree(work, { 'mkdocs.yml': `site_name: Kiln\nrepo_url: https://example.org/kiln\ntheme: ${theme}\n` });
  run(join(PY, 'mkdocs'), ['build', '-q', '--site-dir', dir], work);
};
const MATERIAL = `{name: material, palette: [{media: "(prefers-color-scheme: light)", scheme: default}, {media: "(prefers-color-scheme: dark)", scheme: slate}]}`;

/** By the lock files of tests/adapters; without our adapters. */
const npm = (name, config, build) => (dir, work) => {
  for (const file of ['package.json', 'package-lock.json']) cpSync(join(ADAPTERS, name, file), join(work, file));
  if (values.install) run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], work);
  config(work);
  build(work, dir);
};
const bin = (work, path, args) =>
  run(process.execPath, [join('node_modules', path), ...args], work, { ASTRO_TELEMETRY_DISABLED: '1', DOCUSAURUS_NO_TELEMETRY: '1' });
const vitepress = npm(
  'vitepress',
  (work) => {
    markdown(work);
    const sidebar = JSON.stringify([{ text: 'Kiln', items: TOPICS.map((text) => ({ text, link: `/${slug(text)}` })) }]);
    writeTree(work, {
      '.vitepress/config.mjs': `export default {title: 'Kiln', themeConfig: {search: {provider: 'local'}, nav: [{text: 'Guide', link: '/firing'}], socialLinks: [{icon: 'github', link: 'https://example.org'}], sidebar: ${sidebar}}}`,
    });
  },
  (work, dir) => bin(work, 'vitepress/bin/vitepress.js', ['build', '--outDir', dir]),
);
const starlight = npm(
  'starlight',
  (work) => {
    markdown(join(work, 'src/content/docs'), (title) => `---\ntitle: ${title}\n---\n`);
    cpSync(join(ADAPTERS, 'starlight', 'src', 'content.config.ts'), join(work, 'src/content.config.ts'));
    writeTree(work, {
      'astro.config.mjs': `import { defineConfig, passthroughImageService } from 'astro/config';\nimport starlight from '@astrojs/starlight';\nexport default defineConfig({ outDir: process.env.OUT_DIR, image: { service: passthroughImageService() }, integrations: [starlight({ title: 'Kiln', social: [{ icon: 'github', label: 'Code', href: 'https://example.org' }] })] });`,
    });
  },
  (work, dir) => run(process.execPath, ['node_modules/astro/astro.js', 'build'], work, { ASTRO_TELEMETRY_DISABLED: '1', OUT_DIR: dir }),
);
const docusaurus = (own) =>
  npm(
    'docusaurus',
    (work) => {
      markdown(join(work, 'docs'), (title) => (title === 'Kiln' ? '---\nslug: /\n---\n' : ''));
      const algolia = own ? "algolia: { appId: 'K', apiKey: '0', indexName: 'k' }," : '';
      writeTree(work, {
        'docusaurus.config.js': `export default { title: 'Kiln', url: 'https://example.org', baseUrl: '/', presets: [['classic', { docs: { routeBasePath: '/' }, blog: false }]], themeConfig: { ${algolia} colorMode: { respectPrefersColorScheme: true }, navbar: { title: 'Kiln', items: [{ to: '/firing', label: 'Docs', position: 'left' }, { href: 'https://example.org', label: 'GitHub', position: 'right' }] }, footer: { copyright: 'Kiln' } } };`,
      });
    },
    (work, dir) => bin(work, '@docusaurus/core/bin/docusaurus.mjs', ['build', '--out-dir', dir]),
  );

const doxygen = (awesome) => (dir, work) => {
  writeTree(work, {
    'kiln.h':
      '/** \\file\n * The kiln. */\n/** A kiln that fires ware. */\nclass Kiln {\npublic:\n  /** Fires the ware to a cone. @param cone how hot */\n  int fire(int cone);\n};\n/** \\mainpage Kiln\n' +
      PROSE.join('\n\n') +
      '*/\n',
  });
  const css = join(OUT, 'doxygen-awesome-css', 'doxygen-awesome.css');
  if (awesome && !existsSync(css)) throw new Error(`${css} is missing`);
  const sheets = awesome === 'sidebar' ? `${css} ${css.replace(/.css$/, '-sidebar-only.css')}` : css;
  const more = awesome ? `HTML_EXTRA_STYLESHEET=${sheets}\nGENERATE_TREEVIEW=YES\nDISABLE_INDEX=NO\nFULL_SIDEBAR=NO\n` : '';
  writeTree(work, {
    Doxyfile: `PROJECT_NAME=Kiln\nPROJECT_BRIEF="Fires ware"\nQUIET=YES\nGENERATE_LATEX=NO\nHTML_OUTPUT=${dir}\nEXTRACT_ALL=YES\n${more}`,
  });
  run('doxygen', ['Doxyfile'], work);
};
const hugo = (theme, config) => (dir, work) => {
  const source = join(OUT, 'hugo', theme);
  if (!existsSync(source)) throw new Error(`${source} is missing`);
  cpSync(source, join(work, 'themes', theme), { recursive: true });
  markdown(join(work, 'content', 'docs'), (title) => `---\ntitle: ${title}\n---\n`);
  writeTree(work, {
    'content/_index.md': '---\ntitle: Kiln\n---\nKilns.',
    'hugo.toml': `baseURL='/'\ntitle='Kiln'\ntheme='${theme}'\n${config}`,
  });
  cpSync(join(work, 'content/docs/index.md'), join(work, 'content/docs/_index.md'));
  rmSync(join(work, 'content/docs/index.md'));
  run(process.env.HUGO ?? 'hugo', ['--quiet', '-d', dir], work);
};

const RUBY = `# A kiln that fires ware.
class Kiln
  # Fires the ware to a cone.
  # @param cone [Integer] how hot
  # @return [Integer] the ware
  def fire(cone) = cone

  # Cools slowly.
  def cool; end
end
`;
const ruby = (command, args) => (dir, work) => {
  writeTree(work, { 'kiln.rb': RUBY, 'README.md': page('Kiln', md) });
  rmSync(dir, { recursive: true }); // RDoc writes into no folder that it did not make
  run(command, [...args, '-o', dir, 'kiln.rb', 'README.md'], work);
};

/** Jekyll's themes are folders of templates: OUT/jekyll/NAME, of which these become part of the site. */
const jekyll = (theme, layout) => (dir, work) => {
  const source = join(OUT, 'jekyll', theme);
  if (!existsSync(source)) throw new Error(`${source} is missing`);
  for (const part of ['_includes', '_layouts', '_sass', '_data', 'assets'].filter((each) => existsSync(join(source, each))))
    cpSync(join(source, part), join(work, part), { recursive: true });
  markdown(work, (title) => `---\nlayout: ${layout}\ntitle: ${title}\n---\n`);
  writeTree(work, { '_config.yml': 'title: Kiln\nplugins: [jekyll-seo-tag, jekyll-include-cache]\nsearch_enabled: true\nsearch: true\n' });
  run('jekyll', ['build', '-q', '-d', dir], work);
};

/** The files of its user interface, as they are in its source: browsers read them as well as its build's. */
const antora = (dir, work) => {
  const ui = join(OUT, 'antora-ui');
  if (!existsSync(ui)) throw new Error(`${ui} is missing`);
  const adoc = (text, depth) => `${'='.repeat(depth)} ${text}`;
  writeTree(work, {
    'docs/antora.yml': 'name: kiln\nversion: ~\ntitle: Kiln\nnav: [modules/ROOT/nav.adoc]\n',
    'docs/modules/ROOT/nav.adoc': TOPICS.map((title) => `* xref:${slug(title)}.adoc[${title}]`).join('\n'),
    ...Object.fromEntries(
      ['Kiln', ...TOPICS].map((title) => [
        `docs/modules/ROOT/pages/${title === 'Kiln' ? 'index' : slug(title)}.adoc`,
        page(title, adoc, () => 'xref:glazes.adoc[Glazes]'),
      ]),
    ),
    'playbook.yml': `site: {title: Kiln, start_page: kiln::index.adoc}\ncontent: {sources: [{url: ., start_path: docs, branches: HEAD}]}\nui: {bundle: {url: ${ui}}}\noutput: {dir: ${dir}}\nruntime: {cache_dir: ./cache}\n`,
  });
  writeTree(work, { 'package.json': '{"private": true}' });
  if (values.install)
    run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '@antora/cli@3', '@antora/site-generator@3'], work);
  for (const args of [
    ['init', '-q'],
    ['add', 'docs'],
    ['-c', 'user.name=K', '-c', 'user.email=k@example.org', 'commit', '-qm', 'Kiln'],
  ])
    run('git', args, work);
  bin(work, '@antora/cli/bin/antora', ['playbook.yml']);
};

/** Next writes the pages of the folder \`app\`. */
const next = (packages, files) => (dir, work) => {
  writeTree(work, { 'package.json': '{"type": "module", "private": true}', ...files });
  const all = ['next@15', 'react@19', 'react-dom@19', ...packages];
  if (values.install) run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', ...all], work);
  bin(work, 'next/dist/bin/next', ['build']);
  cpSync(join(work, 'out'), dir, { recursive: true });
};
const nextra = next(['nextra@4', 'nextra-theme-docs@4', 'zod@4.1.12'], {
  'next.config.mjs':
    "import nextra from 'nextra';\nexport default nextra({})({ output: 'export', images: { unoptimized: true }, experimental: { cpus: 1 } });",
  'mdx-components.js': "export { useMDXComponents } from 'nextra-theme-docs';",
  'app/layout.jsx': `import { Layout, Navbar } from 'nextra-theme-docs';
import { Head } from 'nextra/components';
import { getPageMap } from 'nextra/page-map';
import 'nextra-theme-docs/style.css';
export default async function Root({ children }) {
  return <html lang="en" dir="ltr" suppressHydrationWarning><Head /><body><Layout navbar={<Navbar logo={<b>Kiln</b>} projectLink="https://example.org" />} pageMap={await getPageMap()}>{children}</Layout></body></html>;
}`,
  'app/[[...path]]/page.jsx': `import { generateStaticParamsFor, importPage } from 'nextra/pages';
import { useMDXComponents } from '../../mdx-components';
export const generateStaticParams = generateStaticParamsFor('path');
const Wrapper = useMDXComponents().wrapper;
export default async function Page({ params }) {
  const { default: Content, toc, metadata, sourceCode } = await importPage((await params).path);
  return <Wrapper toc={toc} metadata={metadata} sourceCode={sourceCode}><Content /></Wrapper>;
}`,
  ...Object.fromEntries(['Kiln', ...TOPICS].map((title) => [`content/${title === 'Kiln' ? 'index' : slug(title)}.mdx`, page(title, md)])),
});
const fumadocs = next(['fumadocs-ui@15', 'fumadocs-core@15'], {
  'next.config.mjs': "export default { output: 'export', images: { unoptimized: true }, experimental: { cpus: 1 } };",
  'app/layout.jsx': `import { RootProvider } from 'fumadocs-ui/provider';
import { DocsLayout } from 'fumadocs-ui/layouts/docs';
import 'fumadocs-ui/style.css';
const children = ${JSON.stringify(TOPICS.map((name) => ({ type: 'page', name, url: `/${slug(name)}` })))};
export default function Root({ children: content }) {
  return <html lang="en" suppressHydrationWarning><body style={{ display: 'flex', flexDirection: 'column', minHeight: '100vh' }}><RootProvider><DocsLayout tree={{ name: 'Kiln', children }} nav={{ title: 'Kiln' }}>{content}</DocsLayout></RootProvider></body></html>;
}`,
  'content.jsx': `import { DocsPage, DocsBody, DocsTitle } from 'fumadocs-ui/page';
const prose = ${JSON.stringify(PROSE)};
export const Content = ({ title }) => <DocsPage toc={[{ title: 'Before', url: '#before', depth: 2 }]}><DocsTitle>{title}</DocsTitle><DocsBody><h2 id="before">Before</h2>{prose.map((text, i) => <p key={i}>{text}</p>)}</DocsBody></DocsPage>;`,
  'app/page.jsx': `import { Content } from '../content';\nexport default function Page() { return <Content title="Kiln" />; }`,
  'app/[slug]/page.jsx': `import { Content } from '../../content';
export const generateStaticParams = () => ${JSON.stringify(TOPICS.map((title) => ({ slug: slug(title) })))};
export default async function Page({ params }) { return <Content title={(await params).slug} />; }`,
});

/** Some pages of a large set, with the files of these folders that they load. */
const copied = (folder, pages, assets) => (dir) => {
  if (!existsSync(folder)) throw new Error(`${folder} is missing`);
  for (const path of [...pages, ...assets]) cpSync(join(folder, path), join(dir, path), { recursive: true });
};
const assetsOf = (folder) =>
  existsSync(folder) ? readdirSync(folder).filter((name) => /^(css|fonts)$|\.(css|js|svg|png|woff2|gif)$/.test(name)) : [];
const TOOLCHAINS = join(homedir(), '.rustup', 'toolchains');
const toolchain = existsSync(TOOLCHAINS) ? readdirSync(TOOLCHAINS).find((name) => name.startsWith('stable')) : undefined;
const RUST = process.env.RUSTDOC ?? join(TOOLCHAINS, toolchain ?? 'stable', 'share/doc/rust/html');
const HADDOCK = process.env.HADDOCK ?? '/usr/share/doc/ghc-doc/html/libraries/base-4.15.1.0';
const DOCBOOK = process.env.DOCBOOK ?? '/usr/share/doc/postgresql-doc-15/html';

const SITES = {
  alabaster: sphinx('alabaster'),
  'sphinx-classic': sphinx('classic'),
  'sphinx-rtd': sphinx('sphinx_rtd_theme'),
  furo: sphinx('furo'),
  pydata: sphinx('pydata_sphinx_theme'),
  'sphinx-book': sphinx('sphinx_book_theme'),
  mkdocs: mkdocs('mkdocs'),
  'mkdocs-rtd': mkdocs('readthedocs'),
  material: mkdocs(MATERIAL),
  vitepress,
  starlight,
  docusaurus: docusaurus(false),
  'docusaurus-algolia': docusaurus(true),
  doxygen: doxygen(undefined),
  'doxygen-awesome': doxygen('bar'),
  'doxygen-awesome-sidebar': doxygen('sidebar'),
  mdbook: copied(join(RUST, 'book'), ['index.html', 'ch03-00-common-programming-concepts.html'], assetsOf(join(RUST, 'book'))),
  rustdoc: copied(RUST, ['std/index.html', 'std/option/enum.Option.html'], ['static.files']),
  javadoc: (dir, work) => {
    writeTree(work, {
      'kiln/Kiln.java':
        'package kiln;\n/** A kiln that fires ware. */\npublic class Kiln {\n  /** Fires.\n   * @param cone how hot\n   * @return ware */\n  public int fire(int cone) { return cone; }\n}\n',
    });
    run('javadoc', ['-quiet', '-d', dir, '-sourcepath', '.', 'kiln'], work);
  },
  haddock: copied(HADDOCK, ['index.html', 'Data-Maybe.html'], assetsOf(HADDOCK)),
  docbook: copied(DOCBOOK, ['index.html', 'mvcc-intro.html'], assetsOf(DOCBOOK)),
  'hugo-book': hugo('hugo-book', ''),
  hextra: hugo('hextra', "[params.search.flexsearch]\njs = 'js/flexsearch.js'\n"), // no other file from a CDN
  relearn: hugo('relearn', ''),
  docsy: hugo('docsy', '[params]\noffline_search = true\n'),
  antora,
  geekdoc: hugo('geekdoc', ''),
  yard: ruby('yard', ['doc', '-q']),
  rdoc: ruby('rdoc', ['-q', '-t', 'Kiln', '--main', 'README.md']),
  'just-the-docs': jekyll('just-the-docs', 'default'),
  'minimal-mistakes': jekyll('minimal-mistakes', 'single'),
  nextra,
  fumadocs,
};

if (values.install && !existsSync(PY)) {
  run('python3', ['-m', 'venv', dirname(PY)], undefined);
  run(join(PY, 'pip'), ['install', '--quiet', ...PYPI], undefined);
}
for (const [name, build] of Object.entries(SITES)) {
  if (wanted !== undefined && !wanted.includes(name)) continue;
  const dir = join(OUT, 'sites', name);
  const work = join(OUT, 'work', name.replace('-algolia', ''));
  rmSync(dir, { recursive: true, force: true });
  if (existsSync(work))
    for (const entry of readdirSync(work)) if (entry !== 'node_modules') rmSync(join(work, entry), { recursive: true, force: true });
  for (const folder of [dir, work]) mkdirSync(folder, { recursive: true });
  try {
    build(dir, work);
    console.log(`${name}: built`);
  } catch (error) {
    rmSync(dir, { recursive: true, force: true });
    console.log(`${name}: missing, ${error.message}`);
  }
}
