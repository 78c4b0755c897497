"""What the tests share: the package from the source tree, a bundle of the fixture documentation, a folder that goes away."""

import atexit
import functools
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "python"
ADAPTERS = ROOT / "web" / "node" / "adapters" / "python"
DOCS = ROOT / "tests" / "fixtures" / "docs"
BASE_URL = "https://kiln.example/docs/"

sys.dont_write_bytecode = True  # the package's folder is copied as it is
for folder in (PACKAGE, ADAPTERS):
    sys.path.insert(0, str(folder))

import sheaf  # noqa: E402


def temporary_folder() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="sheaf-python-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@functools.lru_cache(maxsize=None)
def kiln() -> Path:
    """A bundle of the fixture documentation: kiln 1.4.0."""
    bundle = temporary_folder() / "kiln@1.4.0.sheaf"
    sheaf.pack(DOCS, bundle, library="kiln", version="1.4.0", base_url=BASE_URL, url_style="clean")
    return bundle


def written(pages: dict) -> Path:
    """A folder with those pages: path and text."""
    folder = temporary_folder()
    for path, text in pages.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")
    return folder
