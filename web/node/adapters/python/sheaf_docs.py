"""Search for sites built by MkDocs and Sphinx: runs `sheaf site` after the build.

With pip (pip install sheaf-docs) the plugin of MkDocs is `sheaf`, and Sphinx's extension `sheaf.sphinx`. With npm, or
with a copy of this file, which needs only Python's standard library:

    plugins: []                    # mkdocs.yml, MkDocs 1.4 or later, without MkDocs's own `search`
    hooks: [node_modules/sheaf/web/node/adapters/python/sheaf_docs.py]

    sys.path.append(os.path.abspath("node_modules/sheaf/web/node/adapters/python"))     # conf.py
    extensions = ["sheaf_docs"]

The command is the variable SHEAF, else that of the installed package sheaf-docs if this file belongs to it, else
`sheaf` of the nearest node_modules, else that on PATH. Idea: the packer finds the text of pages by itself, and the command
knows where in a theme the button goes and how it looks there.
"""
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path


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


# ---- MkDocs --------------------------------------------------------------------------------------


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
    app.connect("build-finished", _on_build_finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


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
