"""Search for sites built by MkDocs and Sphinx: runs `sheaf site` after the build.

MkDocs, in mkdocs.yml (1.4 or later):

    plugins: []                    # without MkDocs's own `search`
    hooks: [node_modules/sheaf/web/adapters/python/sheaf_docs.py]

Sphinx, in conf.py:

    sys.path.append(os.path.abspath("node_modules/sheaf/web/adapters/python"))
    extensions = ["sheaf_docs"]

The command is the variable SHEAF, else `sheaf` of the nearest node_modules, else that on PATH. Idea: the
packer finds the text of pages by itself; all that a theme needs is a place for the search's button. Where
none is known for a theme, the button stands above the page.
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
    "mkdocs": (r'(?<=<ul class="nav navbar-nav ml-auto">)', f'<li class="nav-item">{ELEMENT}</li>'),
    "readthedocs": (r'(?=</div>\s*<div class="wy-menu wy-menu-vertical")', f'<div role="search">{ELEMENT}</div>'),
}
LOOKS = {
    "material": ".md-header sheaf-search{--sheaf-text:var(--md-default-fg-color);--sheaf-background:var(--md-default-bg-color);"
    "--sheaf-font:var(--md-text-font-family);--sheaf-font-size:.75rem;margin-inline:.4rem;white-space:normal}"
    '[data-md-color-scheme="slate"] .md-header sheaf-search{color-scheme:dark}'
    "@media (max-width:59.9em){.md-header sheaf-search::part(button){inline-size:2.75em;overflow:hidden;white-space:nowrap}"
    ".md-header sheaf-search::part(shortcut){display:none}}",
    "mkdocs": ".navbar sheaf-search::part(button){min-block-size:2.2em;margin-inline:.4em}",
}


def command(folder):
    """Words that start `sheaf` for a project in that folder."""
    if os.environ.get("SHEAF"):
        return shlex.split(os.environ["SHEAF"])
    here = Path(folder).resolve()
    installed = [str(each / "node_modules" / ".bin") for each in (here, *here.parents)]
    found = shutil.which("sheaf", path=os.pathsep.join(installed)) or shutil.which("sheaf")
    if found is None:
        raise RuntimeError("sheaf was not found. Install it beside the documentation (npm install sheaf) or name it in the variable SHEAF.")
    return [found]


def add_search(folder, site, name, base_url, exclude=()):
    """Packs the built site and puts the search into its pages. Returns what the command printed."""
    words = [*command(folder), "site", str(site), "--inject", "--quiet", "--base-url", base_url or "/"]
    words += ["--name", re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-.") or "site"]
    for glob in exclude:
        words += ["--exclude", glob]
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8")
    if done.returncode != 0:
        raise RuntimeError(f"sheaf could not add search to {site}: {done.stderr.strip()}")
    sys.stderr.write(done.stderr)  # pages that could not be read
    return done.stdout.partition("\n")[0]


# ---- MkDocs --------------------------------------------------------------------------------------


def on_post_page(output, page, config):
    theme = config["theme"].name
    if theme not in PLACES or ELEMENT in output:
        return output
    place, button = PLACES[theme]
    placed = re.sub(place, lambda _: button, output, count=1)
    return placed.replace("</head>", f"<style>{LOOKS[theme]}</style></head>", 1) if theme in LOOKS else placed


def on_post_build(config):
    folder = Path(config["config_file_path"] or ".").parent
    print("sheaf:", add_search(folder, config["site_dir"], config["site_name"], config["site_url"], ["search.html"]))


# ---- Sphinx --------------------------------------------------------------------------------------


def setup(app):
    app.connect("config-inited", _use_templates)
    app.connect("build-finished", _on_build_finished)
    return {"parallel_read_safe": True, "parallel_write_safe": True}


def _use_templates(app, config):
    """Themes include searchbox.html, or sidebar/search.html, in their sidebars; ours goes before theirs."""
    config.templates_path = [*config.templates_path, str(Path(__file__).parent / "sheaf_templates")]


def _on_build_finished(app, error):
    if error is not None or app.builder.format != "html":
        return
    exclude = ["genindex*.html", "search.html", "*-modindex.html", "_modules/**", "_static/**"]
    print("sheaf:", add_search(app.srcdir, app.outdir, app.config.project, app.config.html_baseurl, exclude))
