"""Files under an address, by fsspec: a folder, s3://, gs://, memory://, whatever it knows.

Invariant: a file appears whole or not at all. Object stores do that by themselves; in a folder a temporary file is renamed.
"""

import hashlib
import os
import re
import socket
import time
import uuid

import fsspec
from fsspec.implementations.local import LocalFileSystem

from .errors import Failure

MACHINE = hashlib.sha256(socket.gethostname().encode()).hexdigest()[:8]
"""With the process in the name of a temporary file, so that `sheaf` sees whose it is and removes what nobody writes any more."""

TEMPORARY = re.compile(r"\.\d+\.[0-9a-f]{8}[0-9a-z]+\.tmp$")
FOLDERS = ("bundles", "shards", "keys")
DAY_SECONDS = 24 * 3600

PROBE = "sheaf-probe.tmp"


class Output:
    def __init__(self, address, is_folder=False):
        """`is_folder`: it is a path of this machine, whatever its name looks like."""
        self.address = address.rstrip("/")
        try:
            self._files, self._root = (LocalFileSystem(), self.address) if is_folder else fsspec.core.url_to_fs(self.address)
        except (ImportError, ValueError) as error:
            raise Failure(f"{self.address} cannot be written to: {error}", fatal=True) from error
        self._is_local = isinstance(self._files, LocalFileSystem)

    def _at(self, path):
        return f"{self._root.rstrip('/')}/{path}"

    def read(self, path):
        """None: there is no such file."""
        try:
            return self._files.cat_file(self._at(path))
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._failure(path, "read", error) from error

    def write(self, path, content):
        self._write(path, lambda target: target.write(content), lambda at: self._files.pipe_file(at, content))

    def put(self, file, path):
        def copy(target):
            with open(file, "rb") as source:
                while chunk := source.read(1 << 20):
                    target.write(chunk)

        self._write(path, copy, lambda at: self._files.put_file(file, at))

    def size(self, path):
        """None: there is no such file."""
        try:
            return self._files.size(self._at(path)) if self._files.isfile(self._at(path)) else None
        except FileNotFoundError:
            return None
        except Exception as error:
            raise self._failure(path, "read", error) from error

    def sizes(self, folder):
        """Of the files of a folder, by name; empty where there is none."""
        try:
            self._files.invalidate_cache()
            found = self._files.ls(self._at(folder), detail=True)
        except FileNotFoundError:
            return {}
        except Exception as error:
            raise self._failure(folder, "listed", error) from error
        return {each["name"].rstrip("/").rsplit("/", 1)[-1]: each["size"] for each in found if each["type"] == "file"}

    def remove(self, path):
        try:
            self._files.rm_file(self._at(path))
        except FileNotFoundError:
            pass
        except Exception as error:
            raise self._failure(path, "removed", error) from error

    def check(self):
        """Removes what killed nodes left. Error: Failure, fatal, where no file can be written: better before the first bundle
        than for each.
        """
        self._remove_leftovers()
        try:
            self.write(PROBE, b"")
            self.remove(PROBE)
        except Failure as failure:
            raise Failure(failure.message, fatal=True) from failure

    def _remove_leftovers(self):
        """Whose process still writes cannot be known of other machines; nobody writes one file for a day."""
        if not self._is_local:
            return
        for folder in ("", *FOLDERS):
            place = os.path.join(self._root, folder)
            for name in os.listdir(place) if os.path.isdir(place) else []:
                path = os.path.join(place, name)
                try:
                    if TEMPORARY.search(name) and os.path.isfile(path) and time.time() - os.stat(path).st_mtime > DAY_SECONDS:
                        os.unlink(path)
                except OSError:
                    pass  # gone meanwhile, or somebody else's

    def _write(self, path, fill, send):
        at = self._at(path)
        try:
            if not self._is_local:
                send(at)
                return
            os.makedirs(os.path.dirname(at), exist_ok=True)
            temporary = f"{at}.{os.getpid()}.{MACHINE}{uuid.uuid4().hex}.tmp"
            try:
                with open(temporary, "xb") as target:
                    fill(target)
                    target.flush()
                    os.fsync(target.fileno())
                os.replace(temporary, at)
            except BaseException:
                if os.path.exists(temporary):
                    os.unlink(temporary)
                raise
        except Exception as error:
            raise self._failure(path, "written", error) from error

    def _failure(self, path, what, error):
        return Failure(f"{self.address}/{path} cannot be {what}: {error or type(error).__name__}")
