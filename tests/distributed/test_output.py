"""Files under addresses, by fsspec: those that need no server."""

import errno
import os
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

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

    def test_what_killed_nodes_left_in_a_folder_goes_after_a_day(self):
        bundles = self.folder / "out" / "bundles"
        bundles.mkdir(parents=True)
        names = [f"{'a' * 64}.sheaf.7.0123abcdef.tmp", f"{'b' * 64}.sheaf.7.0123abcdef.tmp", f"{'c' * 64}.sheaf", "mine.tmp"]
        for name in names:
            (bundles / name).write_bytes(b"half")
        for name in names[1:]:
            os.utime(bundles / name, (1, 1))
        Output(f"file://{self.folder}/out").check()
        self.assertEqual(sorted(os.listdir(bundles)), sorted([names[0], names[2], names[3]]))

    def test_names_are_taken_as_they_are(self):
        for name in ("two words", "ünï 東京", "a::b", "100%20 #1?x=[y]*", "s3:", "~"):
            place = self.folder / name
            for output in (Output(str(place), True), *([] if "::" in name else [Output(f"file://{place}")])):
                output.write("shards/é 1", b"1")
                self.assertEqual((place / "shards" / "é 1").read_bytes(), b"1", output.address)
                self.assertEqual((output.read("shards/é 1"), output.sizes("shards")), (b"1", {"é 1": 1}))
                output.remove("shards/é 1")
                self.assertEqual(output.sizes("shards"), {})

    def test_a_place_that_takes_no_file_is_named_before_anything_is_made(self):
        for address in self.addresses():
            output = Output(address)
            output.check()
            self.assertEqual(output.sizes("."), {})
        (self.folder / "taken").write_text("a file")
        with self.assertRaisesRegex(Failure, r"taken/catalogue/sheaf-probe\.tmp cannot be written") as caught:
            Output(f"file://{self.folder}/taken/catalogue").check()
        self.assertTrue(caught.exception.fatal)

    def test_a_node_whose_disk_is_full_is_named(self):
        from sheaf_cluster import stages

        class Worker:
            def seconds(self):
                return 0.0

        def full(_):
            raise OSError(errno.ENOSPC, "No space left on device", "/tmp/task-1")

        def refused(_):
            with mock.patch.object(Output, "put", side_effect=Failure("s3://x/bundles/a cannot be written: no credentials")):
                stages._keep(Output(str(self.folder)), "bundles/a", {"bundle": "b"})

        with mock.patch.object(stages, "node_name", lambda: "10.0.0.7 (gpu)"):
            for work, why in ((full, "No space left on device: '/tmp/task-1'"), (refused, "s3://x/bundles/a cannot be written: no credentials")):
                error = stages.measured(Worker, work)["error"]
                self.assertTrue(error["message"].startswith("Node 10.0.0.7 (gpu): ") and error["message"].endswith(why), error)
                self.assertEqual((error["exit"], error["fatal"]), (1, False))

    def test_a_made_bundle_replaces_a_damaged_one_of_its_size(self):
        from sheaf_cluster import stages

        made = Path(self.folder) / "made"
        made.write_bytes(b"whole")
        output = Output(str(self.folder))
        output.write("bundles/a", b"hurt!")
        stages._keep(output, "bundles/a", {"bundle": str(made), "file": {"bytes": 5}})
        self.assertEqual(output.read("bundles/a"), b"whole")

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
            first.close()
            again = Vectors(Output(address), identity, 16, range(PARTS))
            self.addCleanup(again.close)
            again.load()
            self.assertEqual(again.find(key_of(identity, b"a")), b"v" * 64)

    def tearDown(self):
        fsspec.filesystem("memory").store.clear()


if __name__ == "__main__":
    unittest.main()
