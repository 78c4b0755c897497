"""Vectors by the content of their passages, for all libraries and versions, from one build to the next.

Idea: a key is a hash of the encoder's identity and the passage. Keys are parted by their first byte into 64 parts, and each
part belongs to one actor, so no two write the same. An actor keeps keys in memory and vectors in a temporary file, and writes
what is new as segments: files named by their hash, never changed. A file that is torn or no segment is not what its name says, and
is passed over.

    ADDRESS/IDENTITY/PART/SHA256.vectors     "sheafvec" · u32 dimensions · u32 count · 16 × count keys · f32 × dimensions × count

Invariant: flush() may run in a thread beside find() and add(), which stay with one thread.
Cost: 150 bytes of memory a vector; opening reads the actor's segments once.
"""

import hashlib
import os
import struct
import tempfile
import threading

from .errors import Failure

PARTS = 64
MAGIC = b"sheafvec"


def key_of(identity, item):
    """`identity`: 32 bytes, of everything that vectors depend on but the passage."""
    return hashlib.blake2b(item, digest_size=16, key=identity).digest()


def part_of(key):
    return key[0] % PARTS


class Vectors:
    """`output`: where segments lie, or None. `parts`: those that are this one's own."""

    def __init__(self, output, identity, dimensions, parts):
        self._output = output
        self._folder = identity.hex()
        self._width = dimensions * 4
        self._dimensions = dimensions
        self._parts = sorted(parts)
        self._file = tempfile.TemporaryFile(prefix="sheaf-vectors-", buffering=0)
        self._end = 0
        self._at = {}
        self._new = []
        self._new_lock = threading.Lock()
        self.passed_over = 0

    def __len__(self):
        return len(self._at)

    def load(self):
        """Error: Failure; then it is closed."""
        try:
            self._load()
        except Failure:
            self.close()
            raise

    def _load(self):
        if self._output is None:
            return
        for part in self._parts:
            folder = f"{self._folder}/{part:02x}"
            for name in sorted(self._output.sizes(folder)):
                if name.endswith(".vectors"):
                    self._read(name, self._output.read(f"{folder}/{name}"))

    def _read(self, name, content):
        isWhole = content is not None and hashlib.sha256(content).hexdigest() == name[: -len(".vectors")]
        if not isWhole or len(content) < 16 or content[:8] != MAGIC:
            self.passed_over += 1
            return
        dimensions, count = struct.unpack_from("<II", content, 8)
        rows = 16 + 16 * count
        if dimensions != self._dimensions or len(content) != rows + count * self._width:
            self.passed_over += 1
            return
        for i in range(count):
            key = content[16 + 16 * i : 32 + 16 * i]
            if key not in self._at:
                self._append(key, content[rows + i * self._width : rows + (i + 1) * self._width])

    def _append(self, key, vector):
        try:
            written = os.pwrite(self._file.fileno(), vector, self._end)
        except OSError as error:
            raise Failure(f"{tempfile.gettempdir()} cannot hold the vectors: {error}", fatal=True) from error
        if written < self._width:
            raise Failure(f"{tempfile.gettempdir()} has no more room for vectors", fatal=True)
        self._at[key] = self._end
        self._end += self._width

    def find(self, key):
        at = self._at.get(key)
        if at is None:
            return None
        return os.pread(self._file.fileno(), self._width, at)

    def add(self, key, vector):
        if key in self._at:
            return
        self._append(key, vector)
        if self._output is not None:
            with self._new_lock:
                self._new.append(key)

    def close(self):
        self._file.close()

    @property
    def unwritten(self):
        return len(self._new)

    def flush(self):
        """Writes what was new when it began; how many. Error: Failure; then what is not written stays new."""
        with self._new_lock:
            new, self._new = self._new, []
        by_part = {}
        for key in new:
            by_part.setdefault(part_of(key), []).append(key)
        written = set()
        try:
            for part, keys in sorted(by_part.items()):
                content = b"".join(
                    [MAGIC, struct.pack("<II", self._dimensions, len(keys)), *keys, *(self.find(key) for key in keys)]
                )
                name = f"{hashlib.sha256(content).hexdigest()}.vectors"
                self._output.write(f"{self._folder}/{part:02x}/{name}", content)
                written.update(keys)
        finally:
            if len(written) < len(new):
                with self._new_lock:
                    self._new = [key for key in new if key not in written] + self._new
        return len(written)
