"""Fetched pages on their way to the node that packs them: a tar, compressed lightly.

Of a folder of the user's own only what a packer may read is taken: pages of any size, and what they may include, up to 1 MiB.
"""

import io
import os
import re
import tarfile

from .errors import Failure

LARGEST = 1 << 30
INCLUDED = 1 << 20
PAGE = re.compile(r"\.(md|mdx|rst|txt|html?|ipynb)$|^readme(\.|$)", re.I)
IGNORED = {"node_modules", "__pycache__"}


def wrap(fetched, own_folder):
    """`fetched` with paths relative to what it is unpacked to, and the tar. `own_folder`: where fetching put its pages."""
    if fetched.get("bundle"):
        return {**fetched, "bundle": "bundle.sheaf"}, _tar([(fetched["bundle"], "bundle.sheaf")])
    root = fetched["root"]
    inputs = [os.path.normpath(os.path.join("pages", os.path.relpath(each, root))) for each in fetched["inputs"]]
    everything = (os.path.realpath(root) + os.sep).startswith(os.path.realpath(own_folder) + os.sep)
    files = _files(os.path.realpath(root), everything, fetched.get("noIgnore", False))
    return {**fetched, "root": "pages", "inputs": inputs}, _tar(files)


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


def _tar(files):
    stream = io.BytesIO()
    total = 0
    with tarfile.open(fileobj=stream, mode="w:gz", compresslevel=1) as tar:
        for path, name in files:
            try:
                total += 0 if os.path.islink(path) else os.path.getsize(path)
                if total > LARGEST:
                    raise Failure(f"holds more than {LARGEST >> 20} MiB, too much to be sent to another node")
                tar.inodes.clear()  # else a second name of a file becomes a hard link
                tar.add(path, name, recursive=False)
            except OSError:
                continue  # the packer says what it could not read, where it lies
    return stream.getvalue()


def _files(root, everything, no_ignore):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(
            each
            for each in folders
            if each != ".git" and (everything or no_ignore or not (each.startswith(".") or each in IGNORED))
        )
        for name in sorted([*names, *(each for each in folders if os.path.islink(os.path.join(folder, each)))]):
            path = os.path.join(folder, name)
            if _stays_inside(path, root) if everything else _may_be_read(path, name, root, no_ignore):
                yield path, os.path.join("pages", os.path.relpath(path, root))


def _may_be_read(path, name, root, no_ignore):
    if name.startswith(".") and not no_ignore:
        return False
    if os.path.islink(path):
        return _stays_inside(path, root)
    try:
        return os.path.isfile(path) and (PAGE.search(name) is not None or os.path.getsize(path) <= INCLUDED)
    except OSError:
        return False


def _stays_inside(path, root):
    """Whether it is no link, or one that leads to where it is unpacked, too."""
    if not os.path.islink(path):
        return True
    target = os.readlink(path)
    written = os.path.normpath(os.path.join(os.path.relpath(os.path.dirname(path), root), target))
    leads_out = os.path.isabs(target) or written == ".." or written.startswith(".." + os.sep)
    return not leads_out and os.path.realpath(path).startswith(root + os.sep)
