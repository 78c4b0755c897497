"""The Node process behind the module: it starts, dies, starts again, and leaves with its parent."""

import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest

from support import ADAPTERS, DOCS, PACKAGE, kiln, temporary_folder

import sheaf
from sheaf import _process


def is_running(pid):
    try:
        os.kill(pid, 0)
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"  # an orphan that nobody has reaped yet
    except OSError:
        return False


def wait_until(is_true):
    for _ in range(1500):
        if is_true():
            return True
        time.sleep(0.02)
    return False


def in_python(code, **options):
    """A Python of its own that runs `code`, with the package, `bundle` and `docs`."""
    head = f"import sys; sys.path[:0] = [{str(PACKAGE)!r}]\nimport os, sheaf\nfrom sheaf import _process\nbundle = {str(kiln())!r}\n"
    return subprocess.Popen(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", head + code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        **options,
    )


class Death(unittest.TestCase):
    def test_a_library_answers_again_after_its_process_was_killed(self):
        with sheaf.open(kiln()) as library:
            before = library.search("ramp")
            process = _process.shared()
            os.kill(process.pid, signal.SIGKILL)
            self.assertTrue(wait_until(lambda: not process.alive))
            self.assertEqual(library.search("ramp"), before)
            self.assertNotEqual(_process.shared().pid, process.pid)

    def test_calls_that_wait_get_an_error_that_says_how_it_ended(self):
        process = _process.NodeProcess()
        os.kill(process.pid, signal.SIGSTOP)  # so that the call surely waits
        caught = []

        def ask():
            try:
                process.call("open", str(kiln()), {})
            except sheaf.SheafError as error:
                caught.append(error)

        thread = threading.Thread(target=ask)
        thread.start()
        self.assertTrue(wait_until(lambda: process._pending))
        os.kill(process.pid, signal.SIGKILL)
        thread.join(30)
        [error] = caught
        self.assertEqual(error.code, "NODE")
        self.assertIn("SIGKILL", error.message)
        with self.assertRaises(sheaf.SheafError) as again:
            process.call("open", str(kiln()), {})
        self.assertEqual(again.exception.code, "NODE")

    def test_what_it_said_last_is_in_the_message(self):
        process = _process.NodeProcess()
        process._child.stdin.write(b"no message\n")
        process._child.stdin.flush()
        self.assertTrue(wait_until(lambda: not process.alive))
        with self.assertRaises(sheaf.SheafError) as caught:
            process.call("open", "x", {})
        self.assertIn("ended with 2", caught.exception.message)
        self.assertIn("Expected a message", caught.exception.message)

    def test_a_closed_process_takes_no_calls(self):
        process = _process.NodeProcess()
        process.close()
        process.close()
        self.assertFalse(is_running(process.pid))
        with self.assertRaises(sheaf.SheafError):
            process.call("open", "x", {})


class Life(unittest.TestCase):
    def test_importing_starts_nothing_and_all_libraries_share_one_process(self):
        child = in_python(
            "assert _process._shared is None\n"
            "a, b = sheaf.open(bundle), sheaf.open(bundle, encoder=False)\n"
            "assert a._process is b._process\n"
            "assert a.search('ramp')[0].title == 'Schedules'\n"
            "print(_process.shared().pid)\n"
        )
        out, error = child.communicate(timeout=60)
        self.assertEqual((child.returncode, error), (0, ""))
        self.assertFalse(is_running(int(out)), "it ended with its parent")

    def test_it_ends_when_its_parent_is_killed(self):
        child = in_python("library = sheaf.open(bundle)\nprint(_process.shared().pid, flush=True)\nimport time; time.sleep(60)\n")
        pid = int(child.stdout.readline())
        self.assertTrue(is_running(pid))
        child.kill()
        child.communicate()
        self.assertTrue(wait_until(lambda: not is_running(pid)))

    def test_a_call_can_be_interrupted_and_the_next_one_answers(self):
        child = in_python(
            "import signal, threading\n"
            "library = sheaf.open(bundle)\n"
            "pid = _process.shared().pid\n"
            "os.kill(pid, signal.SIGSTOP)\n"
            "threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()\n"
            "try:\n"
            "    library.search('ramp')\n"
            "except KeyboardInterrupt:\n"
            "    print('interrupted')\n"
            "os.kill(pid, signal.SIGCONT)\n"
            "print(library.search('ramp')[0].title, _process.shared().pid == pid, len(_process.shared()._pending))\n"
        )
        out, error = child.communicate(timeout=60)
        self.assertEqual((out, error), ("interrupted\nSchedules True 0\n", ""))

    def test_a_fork_gets_a_process_of_its_own(self):
        child = in_python(
            "library = sheaf.open(bundle)\n"
            "pid = _process.shared().pid\n"
            "sys.stdout.flush()\n"
            "forked = os.fork()\n"
            "print(library.search('ramp')[0].title, _process.shared().pid == pid, flush=True)\n"
            "if forked == 0: _process._close_shared(); os._exit(0)\n"
            "os.waitpid(forked, 0)\n"
            "print(library.search('furnace')[0].title, flush=True)\n"
        )
        out, error = child.communicate(timeout=60)
        self.assertEqual(error, "")
        self.assertEqual(sorted(out.splitlines()), ["Furnace", "Schedules False", "Schedules True"])

    def test_a_library_that_nobody_refers_to_is_closed(self):
        library = sheaf.open(kiln())
        process, number = library._process, library._number
        del library
        gc.collect()
        with sheaf.open(kiln()) as other:
            other.search("ramp")
        with self.assertRaises(sheaf.SheafError) as caught:
            process.call("ask", number, "search", ["ramp"], {})
        self.assertEqual(caught.exception.code, "CLOSED")

    def test_only_methods_of_a_library_can_be_called(self):
        with sheaf.open(kiln()) as library:
            with self.assertRaises(sheaf.SheafError) as caught:
                library._ask("constructor")
            self.assertEqual(caught.exception.code, "INVALID_ARGUMENT")


class Command(unittest.TestCase):
    def test_python_m_sheaf_is_the_command(self):
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(PACKAGE), str(ADAPTERS)])}

        def sheaf_command(*args):
            return subprocess.run([sys.executable, "-m", "sheaf", *args], env=environment, capture_output=True, encoding="utf-8")

        done = sheaf_command("query", "ramp", "--bundle", str(kiln()), "--json", "--mode", "keyword")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn('"guide/schedules.md"', done.stdout)
        self.assertEqual(sheaf_command("no-such-verb").returncode, 2, "its exit code is the command's")


class Pack(unittest.TestCase):
    def test_reports_what_it_packed_and_what_it_left_out(self):
        folder = temporary_folder()
        report = sheaf.pack(
            [DOCS], folder / "a.sheaf", library="kiln", version="1", include=["guide/**"], exclude=["**/install.md"], encoder="none"
        )
        self.assertEqual(report.pages, 4)
        self.assertEqual(report.bundle_bytes, (folder / "a.sheaf").stat().st_size)
        with sheaf.open(folder / "a.sheaf") as library:
            self.assertEqual((library.info.pages, library.info.dimensions), (4, 0))

    def test_same_input_same_bytes(self):
        folder = temporary_folder()
        for name in ("a.sheaf", "b.sheaf"):
            sheaf.pack(DOCS, folder / name, library="kiln", version="1")
        self.assertEqual((folder / "a.sheaf").read_bytes(), (folder / "b.sheaf").read_bytes())

    def test_no_pages_is_an_error_and_leaves_the_older_bundle(self):
        folder = temporary_folder()
        (folder / "old.sheaf").write_bytes(b"old")
        with self.assertRaises(sheaf.SheafError) as caught:
            sheaf.pack(temporary_folder(), folder / "old.sheaf", library="kiln", version="1")
        self.assertEqual(caught.exception.code, "NOT_FOUND")
        self.assertEqual((folder / "old.sheaf").read_bytes(), b"old")
        self.assertEqual(os.listdir(folder), ["old.sheaf"])

    def test_a_glob_where_a_list_belongs_is_refused(self):
        with self.assertRaises(TypeError):
            sheaf.pack(DOCS, "x.sheaf", library="kiln", version="1", include="guide/**")


if __name__ == "__main__":
    unittest.main()
