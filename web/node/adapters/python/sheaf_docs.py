"""Search for sites built by MkDocs and Sphinx: runs `sheaf site` after the build.

With pip (pip install sheaf-docs) the plugin of MkDocs is `sheaf`, and Sphinx's extension `sheaf.sphinx`. With npm, or
with a copy of this file, which needs only Python's standard library:

    plugins: []                    # mkdocs.yml, MkDocs 1.4 or later, without MkDocs's own `search`
    hooks: [node_modules/sheaf/web/node/adapters/python/sheaf_docs.py]

    sys.path.append(os.path.abspath("node_modules/sheaf/web/node/adapters/python"))     # conf.py
    extensions = ["sheaf_docs"]

The command is the variable SHEAF, else that of the installed package sheaf-docs if this file belongs to it, else
`sheaf` of the nearest node_modules, else that on PATH. Idea: the packer finds the text of pages by itself; all that a
theme needs is a place for the search's button. Where none is known for a theme, the button stands above the page.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

ELEMENT = "<sheaf-search></sheaf-search>"

# Themes of MkDocs: where the button goes, and what it looks like there.
PLACES = {
    "material": (r'(?=<div class="md-header__source">|</nav>\s*</header>|</nav>\s*<nav class="md-tabs)', ELEMENT),
    "mkdocs": (
        r'(?<=<ul class="nav navbar-nav ml-auto">)|(?<=<ul class="nav navbar-nav ms-md-auto">)',  # before and since 1.6
        f'<li class="nav-item">{ELEMENT}</li>',
    ),
    "readthedocs": (r'(?=</div>\s*<div class="wy-menu wy-menu-vertical")', f'<div role="search">{ELEMENT}</div>'),
}
# The theme's colours for the component, and the measures of the theme's own button: in Material and Furo a field.
# Where Material's header is narrow it is the icon; the label stays its name. Accents are the colour of links, drawn
# towards the text's, because some of Material's are too light to read on white.
LOOKS = {
    "material": """
.md-header sheaf-search {
  --sheaf-text: var(--md-default-fg-color); --sheaf-background: var(--md-default-bg-color);
  --sheaf-muted: color-mix(in srgb, var(--md-default-fg-color) 75%, var(--md-default-bg-color));
  --sheaf-raised: var(--md-code-bg-color); --sheaf-accent: color-mix(in srgb, var(--md-typeset-a-color) 75%, var(--md-default-fg-color));
  --sheaf-radius: .2rem; --sheaf-shadow: var(--md-shadow-z3); --sheaf-backdrop: #0000008a; --sheaf-font-size: .75rem;
}
[data-md-color-scheme="slate"] .md-header sheaf-search { color-scheme: dark }
.md-header sheaf-search::part(button) { border: 0; color: var(--md-primary-bg-color) }
.md-header sheaf-search::part(button-icon) { font-size: .9rem; stroke-width: 2.8; margin: .15rem }
.md-header sheaf-search::part(shortcut) { display: none }
@media (min-width: 60em) {
  .md-header sheaf-search:not(:defined) { display: inline-block; inline-size: 11.7rem }
  .md-header sheaf-search::part(button) {
    inline-size: 11.7rem; block-size: 1.8rem; padding: 0 .5rem; gap: .5rem; font-size: .8rem;
    background: #00000042; border-radius: .1rem; transition: background-color .25s;
  }
  .md-header sheaf-search::part(button):hover { background: #ffffff1f }
  .md-header sheaf-search::part(button-label) { all: unset; opacity: .85 }
}
@media (min-width: 60em) and (pointer: fine) { .md-header sheaf-search::part(button) { min-block-size: 0 } }
@media (max-width: 59.99em) {
  .md-header sheaf-search { margin: .1rem }
  .md-header sheaf-search:not(:defined) { display: inline-block; inline-size: 2.2rem }
  .md-header sheaf-search::part(button) { justify-content: center; inline-size: 2.2rem; block-size: 2.2rem; padding: 0; background: none }
  .md-header sheaf-search::part(button):hover { opacity: .7 }
  .md-header sheaf-search::part(button-label) { position: absolute; inline-size: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
}
""",
    "furo": """
.sidebar-drawer sheaf-search {
  --sheaf-text: var(--color-foreground-primary); --sheaf-muted: var(--color-foreground-secondary); --sheaf-background: var(--color-background-primary);
  --sheaf-raised: var(--color-background-secondary); --sheaf-border: var(--color-background-border); --sheaf-field-border: var(--color-foreground-border);
  --sheaf-accent: var(--color-brand-content); --sheaf-font-size: .9375rem; --sheaf-radius: .25rem;
  display: block; margin-block: var(--sidebar-search-space-above) 0;
}
body[data-theme="light"] sheaf-search { color-scheme: light }
body[data-theme="dark"] sheaf-search { color-scheme: dark }
.sidebar-drawer sheaf-search:not(:defined) { block-size: 2.25rem }
.sidebar-drawer sheaf-search::part(button) {
  justify-content: flex-start; inline-size: 100%; block-size: auto; min-block-size: 2.25rem;
  padding: var(--sidebar-search-input-spacing-vertical) var(--sidebar-item-spacing-horizontal);
  gap: var(--sidebar-search-input-spacing-horizontal); font-size: .875rem; line-height: 1; color: var(--color-foreground-muted);
  background: var(--color-sidebar-search-background); border: solid var(--color-sidebar-search-border); border-width: 1px 0; border-radius: 0;
}
.sidebar-drawer sheaf-search::part(button):hover { background: var(--color-sidebar-search-background--focus) }
.sidebar-drawer sheaf-search::part(button-icon) { font-size: var(--sidebar-search-icon-size); color: var(--color-sidebar-search-icon); stroke-width: 1.5 }
.sidebar-drawer sheaf-search::part(button-label) { all: unset }
.sidebar-drawer sheaf-search::part(shortcut) { padding-block: 0; background: none }
@media (pointer: coarse) { .sidebar-drawer sheaf-search::part(button) { min-block-size: 44px } }
""",
    "mkdocs": ".navbar sheaf-search::part(button) { min-block-size: 2.2em; margin-inline: .4em }",
}
# In the sidebar of any other theme, which is a drawer on phones: as wide as it, with its label everywhere.
SIDEBAR = """
[role="search"] > sheaf-search { display: block }
[role="search"] > sheaf-search::part(button) { justify-content: flex-start; inline-size: 100%; padding-inline: .75em }
[role="search"] > sheaf-search::part(button-label) { all: unset }
"""


class SearchNotAdded(Exception):
    """Why a site has no search. Generators show its message without a traceback."""


def command(folder):
    """Words that start `sheaf` for a project in that folder."""
    if os.environ.get("SHEAF"):
        return shlex.split(os.environ["SHEAF"])
    if (Path(__file__).parent / "sheaf" / "_node.py").is_file():
        return _installed_command()
    here = Path(folder).resolve()
    installed = [str(each / "node_modules" / ".bin") for each in (here, *here.parents)]
    found = shutil.which("sheaf", path=os.pathsep.join(installed)) or shutil.which("sheaf")
    if found is None:
        raise SearchNotAdded(
            "sheaf was not found. Install it (pip install sheaf-docs, or npm install sheaf beside the documentation), "
            "or name it in the variable SHEAF."
        )
    return [found]


def _installed_command():
    from sheaf import SheafError, _node

    try:
        return _node.command()
    except SheafError as error:
        raise SearchNotAdded(error.message) from error


def add_search(folder, site, title, base_url, exclude=(), options=None):
    """Packs the built site and puts the search into its pages. Returns what the command printed.

    `options` are the site owner's (docs/adapters.md): name, version, include, exclude, keywords, language.
    """
    given = options or {}
    name = given.get("name") or re.sub(r"[^a-z0-9._]+", "-", title.lower()).strip("-.") or "site"
    words = [*command(folder), "site", str(site), "--inject", "--quiet", "--base-url", base_url or "/", "--name", name]
    for key in ("version", "language"):
        words += [f"--{key}", str(given[key])] if given.get(key) else []
    for glob in given.get("include") or ():
        words += ["--include", glob]
    for glob in (*exclude, *(given.get("exclude") or ())):
        words += ["--exclude", glob]
    words += ["--keywords"] if given.get("keywords") else []
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")
    except OSError as error:
        raise SearchNotAdded(f"{words[0]} could not be started: {error}") from error
    if done.returncode != 0:
        raise SearchNotAdded(f"sheaf could not add search to {site}: {done.stderr.strip()}")
    sys.stderr.write(done.stderr)  # pages that could not be read
    return done.stdout.partition("\n")[0]


def style(theme):
    """What goes into the head of a page of that theme."""
    return f"<style>{LOOKS.get(theme, SIDEBAR).strip()}</style>"


# ---- MkDocs --------------------------------------------------------------------------------------


def on_post_page(output, page, config):
    theme = config["theme"].name
    if theme not in PLACES or ELEMENT in output:
        return output
    place, button = PLACES[theme]
    placed = re.sub(place, lambda _: button, output, count=1)
    return placed.replace("</head>", f"{style(theme)}</head>", 1)


def on_post_build(config, options=None):
    from mkdocs.exceptions import PluginError

    folder = Path(config["config_file_path"] or ".").parent
    try:
        done = add_search(folder, config["site_dir"], config["site_name"], config["site_url"], ["search.html"], options)
    except SearchNotAdded as error:
        raise PluginError(str(error)) from error
    print("sheaf:", done)


# ---- Sphinx --------------------------------------------------------------------------------------


TEXT, GLOBS = (str,), (list, tuple)
OPTIONS = {"name": TEXT, "version": TEXT, "include": GLOBS, "exclude": GLOBS, "keywords": (bool,), "language": TEXT}


def setup(app):
    for name, kinds in OPTIONS.items():
        app.add_config_value(f"sheaf_{name}", None, "html", kinds)
    app.connect("config-inited", _use_templates)
    app.connect("html-page-context", _add_looks)
    app.connect("build-finished", _on_build_finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _use_templates(app, config):
    """Sidebars include searchbox.html, searchfield.html or sidebar/search.html; ours go before the theme's."""
    config.templates_path = [*config.templates_path, str(Path(__file__).parent / "sheaf_templates")]


def _add_looks(app, pagename, templatename, context, doctree):
    """Themes write `metatags` into the head as they are."""
    context["metatags"] = context.get("metatags", "") + style(app.config.html_theme)


def _on_build_finished(app, error):
    if error is not None or app.builder.format != "html":
        return
    from sphinx.util.logging import getLogger

    exclude = ["genindex*.html", "search.html", "*-modindex.html", "_modules/**", "_static/**"]
    config = app.config
    options = {name: config[f"sheaf_{name}"] for name in OPTIONS}
    try:
        print("sheaf:", add_search(app.srcdir, app.outdir, config.project, config.html_baseurl, exclude, options))
    except SearchNotAdded as problem:
        getLogger(__name__).error("%s", problem)  # an exception would be shown with a page of traceback
        app.statuscode = 1
