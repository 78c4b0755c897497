"""Fetched pages on their way to the node that packs them: a tar, compressed lightly.

Of what was fetched for this bundle all is taken. Of a folder of the user's own only what a packer may read: pages of any size,
and what they may include, up to 1 MiB; beside a page that is named by itself, only what it includes and what orders pages.

Links stay links: what one leads to is sent at its real place below the root, so that the packer's rules, some of which go by the
real place, say the same there as here (packer/source/source.cc, packer/include/include_files.cc).
"""

import io
import os
import re
import stat
import tarfile

from .errors import Failure

LARGEST = 1 << 30
INCLUDED = 1 << 20
PAGE = re.compile(r"\.(md|mdx|rst|txt|html?|ipynb)$|^readme(\.|$)", re.I)
IGNORED = {"node_modules", "__pycache__"}
ENVIRONMENT = "pyvenv.cfg"
BUILT = ".buildinfo"
"""Of Sphinx: a packer looks whether it is there."""
OPEN = {".vitepress", ".github", ".storybook"}
"""Hidden folders from which pages may include."""
TABLES = ["mkdocs.yml", "mkdocs.yaml", *(f"{folder}conf.py" for folder in ("", "source/", "doc/", "docs/", "doc/source/", "docs/source/"))]


def wrap(fetched, own_folder):
    """`fetched` with paths relative to what it is unpacked to, the tar, and why files are not in it that could not be read.

    `own_folder`: where fetching put its pages.
    """
    if fetched.get("bundle"):
        pages = Pages(os.path.dirname(fetched["bundle"]), "")
        pages.files["bundle.sheaf"] = fetched["bundle"]
        tar = pages.tar()
        if pages.unread:
            raise Failure(f"{fetched['bundle']} cannot be read: {pages.unread[0]}")
        return {**fetched, "bundle": "bundle.sheaf"}, tar, []
    root = os.path.realpath(fetched["root"])
    inputs = [os.path.normpath(os.path.relpath(each, fetched["root"])) for each in fetched["inputs"]]
    pages = Pages(root, "pages")
    if (root + os.sep).startswith(os.path.realpath(own_folder) + os.sep):
        pages.take_folder(root, everything=True)
    else:
        pages.take_inputs(inputs, fetched.get("included") or [], fetched.get("noIgnore", False))
    plain = {**fetched, "root": "pages", "inputs": [os.path.normpath(os.path.join("pages", each)) for each in inputs]}
    return plain, pages.tar(), pages.unread


def unwrap(fetched, parcel, folder):
    """`fetched` with the paths that it has in `folder` now."""
    with tarfile.open(fileobj=io.BytesIO(parcel), mode="r:gz") as tar:
        _extract(tar, folder)
    os.makedirs(os.path.join(folder, "pages"), exist_ok=True)
    placed = dict(fetched)
    for name in ("root", "bundle"):
        if placed.get(name):
            placed[name] = os.path.join(folder, placed[name])
    placed["inputs"] = [os.path.join(folder, each) for each in placed["inputs"]]
    return placed


def _extract(tar, folder):
    if hasattr(tarfile, "data_filter"):
        try:
            tar.extractall(folder, filter="data")
        except tarfile.FilterError as error:
            raise Failure(f"The parcel holds what leads out of it: {error}") from error
        return
    # Debian 12's Python is older than the filter. What wrap() writes are files, and links that stay inside.
    os.makedirs(folder, exist_ok=True)
    root = os.path.realpath(folder) + os.sep
    for member in tar:
        path = os.path.realpath(os.path.join(folder, member.name))
        target = os.path.realpath(os.path.join(os.path.dirname(path), member.linkname)) if member.issym() else path
        if not (member.isreg() or member.issym()) or os.path.isabs(member.linkname):
            raise Failure(f"The parcel holds {member.name}, which is neither a file nor a link inside it")
        if not path.startswith(root) or not target.startswith(root):
            raise Failure(f"The parcel holds {member.name}, which leads out of it")
        tar.extract(member, folder, set_attrs=False)


class Pages:
    """Files and links below `root`, which is resolved; each once, under its path there."""

    def __init__(self, root, place):
        self._root = root
        self._place = place
        self._walked = set()
        self.files = {}
        """Paths in the parcel, and where their content is read."""
        self.links = {}
        self.unread = []

    # ---- what is taken ---------------------------------------------------------------------------

    def take_inputs(self, inputs, included, no_ignore):
        """`inputs` and `included` are relative to the root."""
        folders = []
        for each in inputs:
            path = os.path.join(self._root, each)
            if os.path.isfile(path):
                self.files.setdefault(self._name(path), path)  # wherever it leads: the user named it
            else:
                folders.append(path)
        for each in included:
            self._take_named(os.path.join(self._root, each), INCLUDED)
        for each in TABLES:
            self._take_named(os.path.join(self._root, each), 4 * INCLUDED)
        for path in folders:
            real = self._follow(path)
            if real is not None:
                self.take_folder(real, no_ignore=no_ignore)

    def take_folder(self, top, everything=False, no_ignore=False):
        ignores = not everything and not no_ignore
        pending = [top]
        while pending:
            folder = pending.pop()
            if folder in self._walked:
                continue
            self._walked.add(folder)
            for entry in self._entries(folder):
                name, path = entry.name, entry.path
                if name.lower() == ".git" or (ignores and (name in IGNORED or (name.startswith(".") and name != BUILT))):
                    continue
                is_link = entry.is_symlink()
                real = self._follow(path) if is_link else path
                if real is None:
                    continue
                if os.path.isdir(real):
                    if is_link or not (ignores and os.path.exists(os.path.join(real, ENVIRONMENT))):
                        pending.append(real)
                elif everything or PAGE.search(name) is not None or _size(real) <= INCLUDED:
                    self._take(real)

    def _take_named(self, path, most):
        """As a packer takes what a page includes: hidden files are not read."""
        real = self._follow(path)
        if real is not None and os.path.isfile(real) and not _is_hidden(os.path.relpath(real, self._root)) and _size(real) <= most:
            self._take(real)

    def _take(self, real):
        try:
            if stat.S_ISREG(os.stat(real).st_mode):
                self.files.setdefault(self._name(real), real)
        except FileNotFoundError:
            pass  # a link that leads nowhere is sent, and the packer says so
        except OSError as error:
            self._lack(real, error)

    def _follow(self, path):
        """Takes the links on the way to `path`. Where it really lies; None: outside the root, or in a .git folder."""
        at = self._root
        for part in os.path.relpath(path, self._root).split(os.sep):
            link = os.path.normpath(os.path.join(at, part))
            if not os.path.islink(link):
                at = link
                continue
            real = os.path.realpath(link)
            below = os.path.relpath(real, self._root).split(os.sep)
            if below[0] == ".." or any(each.lower() == ".git" for each in below):
                return None
            self.links[self._name(link)] = os.path.relpath(real, at)
            at = real
        return at

    def _entries(self, folder):
        try:
            with os.scandir(folder) as entries:
                return sorted(entries, key=lambda entry: entry.name)
        except OSError as error:
            self._lack(folder, error)
            return []

    def _name(self, path):
        return os.path.join(self._place, os.path.relpath(path, self._root))

    def _lack(self, path, error):
        self.unread.append(f"{os.path.relpath(path, self._root)} ({error.strerror or error})")

    # ---- the tar ---------------------------------------------------------------------------------

    def tar(self):
        stream = io.BytesIO()
        left = LARGEST
        with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as tar:
            for name, target in self.links.items():
                if name in self.files:
                    continue
                member = tarfile.TarInfo(name)
                member.type, member.linkname = tarfile.SYMTYPE, target
                tar.addfile(member)
            for name, path in self.files.items():
                try:
                    content = _read(path, left + 1)  # whole, before its size is written: somebody may be saving it
                except OSError as error:
                    self._lack(path, error)
                    continue
                left -= len(content)
                if left < 0:
                    raise Failure(f"holds more than {LARGEST >> 20} MiB, too much to be sent to another node")
                member = tarfile.TarInfo(name)
                member.size = len(content)
                tar.addfile(member, io.BytesIO(content))
        return stream.getvalue()


def _read(path, most):
    with open(path, "rb") as file:
        # All that is asked for is taken from memory before anything is read.
        return file.read(min(most, os.fstat(file.fileno()).st_size + 1))


def _size(path):
    """0 where that cannot be known: reading it says why."""
    try:
        return os.stat(path).st_size
    except OSError:
        return 0


def _is_hidden(path):
    *folders, name = path.split(os.sep)
    return name.startswith(".") or any(each.startswith(".") and each not in OPEN for each in folders)
