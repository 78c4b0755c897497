"""Files under addresses, by fsspec: those that need no server."""

import os
import sys
import tempfile
import unittest
from pathlib import Path

import fsspec

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "distributed"))

from sheaf_cluster.errors import Failure  # noqa: E402
from sheaf_cluster.output import Output  # noqa: E402
from sheaf_cluster.vectors import PARTS, Vectors, key_of  # noqa: E402


class Outputs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.file = self.folder / "file"
        self.file.write_bytes(b"bundle")

    def addresses(self):
        return [str(self.folder / "plain"), f"file://{self.folder}/address/", f"memory://{self.folder.name}/catalogue"]

    def test_files_are_written_read_listed_and_removed(self):
        for address in self.addresses():
            output = Output(address)
            self.assertIsNone(output.read("catalogue.json"))
            self.assertIsNone(output.size("bundles/a"))
            self.assertEqual(output.sizes("bundles"), {})
            output.remove("bundles/a")
            output.write("catalogue.json", b"{}")
            output.write("catalogue.json", b"{1}")
            output.put(str(self.file), "bundles/a")
            self.assertEqual((output.read("catalogue.json"), output.read("bundles/a")), (b"{1}", b"bundle"), address)
            self.assertEqual((output.size("bundles/a"), output.sizes("bundles")), (6, {"a": 6}))
            output.remove("bundles/a")
            self.assertIsNone(output.read("bundles/a"))
            self.assertTrue(self.file.exists(), "what is sent stays")

    def test_of_what_fails_nothing_is_left(self):
        output = Output(f"file://{self.folder}/out")
        os.makedirs(self.folder / "out" / "bundles" / "a")
        with self.assertRaisesRegex(Failure, r"out/bundles/a cannot be written: .*irectory"):
            output.put(str(self.file), "bundles/a")
        with self.assertRaisesRegex(Failure, "cannot be written"):
            output.put(str(self.folder / "absent"), "bundles/b")
        self.assertEqual(os.listdir(self.folder / "out" / "bundles"), ["a"])
        self.file.rename(self.folder / "out" / "shards")
        with self.assertRaisesRegex(Failure, "shards/b cannot be written"):
            output.write("shards/b", b"b")

    def test_unknown_kinds_of_address_are_named(self):
        with self.assertRaisesRegex(Failure, "nothing://x cannot be written to") as caught:
            Output("nothing://x")
        self.assertTrue(caught.exception.fatal)

    def test_vectors_lie_there_too(self):
        identity = b"e" * 32
        for address in self.addresses():
            first = Vectors(Output(address), identity, 16, range(PARTS))
            first.add(key_of(identity, b"a"), b"v" * 64)
            first.flush()
            again = Vectors(Output(address), identity, 16, range(PARTS))
            again.load()
            self.assertEqual(again.find(key_of(identity, b"a")), b"v" * 64)

    def tearDown(self):
        fsspec.filesystem("memory").store.clear()


if __name__ == "__main__":
    unittest.main()
