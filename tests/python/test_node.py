"""Which Node is used; and what generators run after a build."""

import ast
import os
import shlex
import sys
import unittest
from pathlib import Path
from unittest import mock

from support import ADAPTERS, PACKAGE, temporary_folder

import sheaf
import sheaf_docs
from sheaf import _node


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def environment(**values):
    return mock.patch.dict(os.environ, values)


class FindingNode(unittest.TestCase):
    def setUp(self):
        none = mock.patch.object(_node, "_installed_node", lambda: None)
        none.start()
        self.addCleanup(none.stop)

    def refused(self):
        with self.assertRaises(sheaf.SheafError) as caught:
            _node.find_node()
        self.assertEqual(caught.exception.code, "NODE")
        return caught.exception.message

    def test_the_variable_comes_first_and_must_name_a_program(self):
        own = program(temporary_folder(), "mynode", "exit 0")
        with environment(SHEAF_NODE=str(own)):
            self.assertEqual(_node.find_node(), str(own))
        with environment(SHEAF_NODE="/no/such/node"):
            self.assertRegex(self.refused(), "SHEAF_NODE is set to /no/such/node")

    def test_one_on_the_path_that_is_new_enough_comes_before_the_one_that_was_brought(self):
        folder = temporary_folder()
        brought = mock.patch.object(_node, "_installed_node", lambda: "/site-packages/node")
        with brought, environment(SHEAF_NODE="", PATH=str(folder)):
            self.assertEqual(_node.find_node(), "/site-packages/node")
            program(folder, "node", "echo v18.20.0")
            self.assertEqual(_node.find_node(), "/site-packages/node")
        folder = temporary_folder()
        new = program(folder, "node", "echo v22.1.0")
        with brought, environment(SHEAF_NODE="", PATH=str(folder)):
            self.assertEqual(_node.find_node(), str(new))

    def test_without_any_the_error_names_the_command_that_brings_one(self):
        folder = temporary_folder()
        with environment(SHEAF_NODE="", PATH=str(folder)):
            self.assertRegex(self.refused(), r'Node was not found; .*pip install "sheaf-docs\[node\]"')
            old = program(folder, "node", "echo v18.20.0")
            self.assertRegex(self.refused(), f"{old} is Node 18; Sheaf needs 20 or later")

    def test_one_that_cannot_be_started_is_named(self):
        broken = temporary_folder() / "node"
        broken.write_bytes(b"\x7fELF is no program")
        broken.chmod(0o755)
        with environment(SHEAF_NODE=str(broken)), self.assertRaises(sheaf.SheafError) as caught:
            sheaf.pack("docs", "x.sheaf", library="x", version="1")
        self.assertEqual(caught.exception.code, "NODE")
        self.assertIn(str(broken), caught.exception.message)

    def test_a_file_that_the_package_lacks_is_named(self):
        with self.assertRaises(sheaf.SheafError) as caught:
            _node.package_file("dist/none.js")
        self.assertRegex(caught.exception.message, "dist/none.js is missing")


class AfterABuild(unittest.TestCase):
    """sheaf_docs, with a command that prints its arguments."""

    def setUp(self):
        self.folder = temporary_folder()
        self.echo = shlex.join([sys.executable, "-c", "import sys; print(' '.join(sys.argv[1:]))"])

    def test_passes_the_site_and_the_owners_options_on(self):
        options = {"version": "2", "include": ["a/**"], "exclude": ["b/**"], "keywords": True, "language": "none"}
        with environment(SHEAF=self.echo):
            line = sheaf_docs.add_search(self.folder, "site", "My Docs: v2", "https://x.example/", ["search.html"], options)
        self.assertEqual(
            line,
            "site site --inject --quiet --base-url https://x.example/ --name my-docs-v2 --version 2 --language none "
            "--include a/** --exclude search.html --exclude b/** --keywords",
        )

    def test_a_name_is_taken_as_it_is_and_a_title_without_letters_gives_site(self):
        with environment(SHEAF=self.echo):
            self.assertIn(" --name kiln", sheaf_docs.add_search(".", "s", "文档", None, (), {"name": "kiln"}))
            self.assertIn(" --base-url / --name site", sheaf_docs.add_search(".", "s", "文档", None))

    def test_a_failure_carries_what_the_command_said(self):
        failing = program(self.folder, "failing", "echo 'no pages here' >&2; exit 4")
        with environment(SHEAF=str(failing)), self.assertRaisesRegex(sheaf_docs.SearchNotAdded, "could not add search to s: no pages here"):
            sheaf_docs.add_search(".", "s", "t", None)
        with environment(SHEAF="/no/such/program"), self.assertRaisesRegex(sheaf_docs.SearchNotAdded, "could not be started"):
            sheaf_docs.add_search(".", "s", "t", None)
        with environment(SHEAF="", PATH=""), self.assertRaisesRegex(sheaf_docs.SearchNotAdded, "pip install sheaf-docs"):
            sheaf_docs.add_search(self.folder, "s", "t", None)

    def test_the_nearest_node_modules_comes_before_the_path(self):
        bin_folder = self.folder / "node_modules" / ".bin"
        bin_folder.mkdir(parents=True)
        near = program(bin_folder, "sheaf", "exit 0")
        (self.folder / "docs").mkdir()
        with environment(SHEAF=""):
            self.assertEqual([Path(word).resolve() for word in sheaf_docs.command(self.folder / "docs")], [near.resolve()])


class Source(unittest.TestCase):
    def test_is_in_the_grammar_of_the_oldest_python(self):
        files = [*PACKAGE.glob("sheaf/*.py"), ADAPTERS / "sheaf_docs.py"]
        self.assertGreater(len(files), 8)
        for file in files:
            ast.parse(file.read_text("utf-8"), str(file), feature_version=(3, 9))

    def test_exports_what_it_says(self):
        for name in sheaf.__all__:
            self.assertTrue(hasattr(sheaf, name), name)
            self.assertTrue(getattr(sheaf, name).__doc__, name)


if __name__ == "__main__":
    unittest.main()
