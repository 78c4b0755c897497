"""`sheaf publish worker`, the process of a node that fetches and packs: one a process of Python, started on first use."""

import json
import os
import shlex
import shutil
import subprocess

from .errors import Failure

TICKS = os.sysconf("SC_CLK_TCK")


class Lost(Exception):
    """The process ended without an answer, or gave one that is none."""


class Worker:
    def __init__(self, command):
        self.command = command
        self._child = None
        self._is_closed = False

    def ask(self, **request):
        """Error: Failure with the reason; Lost."""
        if self._is_closed:
            raise Failure("The build has ended.")
        if self._child is None:
            self._child = subprocess.Popen(
                ["/bin/sh", "-c", f"exec {self.command} publish worker"], stdin=subprocess.PIPE, stdout=subprocess.PIPE
            )
        try:
            self._child.stdin.write(json.dumps(request).encode() + b"\n")
            self._child.stdin.flush()
            line = self._child.stdout.readline()
        except OSError:
            line = b""
        if not line.endswith(b"\n"):
            raise Lost(f"`{self.command} publish worker` ended with {self._end()}")
        try:
            answer = json.loads(line)
        except ValueError:
            answer = None
        if not isinstance(answer, dict):
            self._child.terminate()  # whatever it is, it may not listen to the end of its stdin
            self._end()
            said = line.decode(errors="replace").strip()[:200]
            raise Lost(f"`{self.command} publish worker` answered with what is no object of JSON: {said}")
        if "error" in answer:
            raise Failure(answer["error"]["message"], answer["error"]["exit"])
        return answer

    @property
    def process(self):
        """The process as it is now, to be compared; None where there is none."""
        return self._child

    def forget(self, folder, process):
        """Lets go of a folder of `process`. Never fails: a folder of a process that ended went with it."""
        if process is None or self._child is not process:
            return
        try:
            self.ask(do="forget", folder=folder)
        except (Failure, Lost, OSError, ValueError):
            pass  # the next request says what is wrong with it

    def seconds(self):
        """Processor time of the process, and of the packers that it has run. 0 where the system does not say."""
        try:
            with open(f"/proc/{self._child.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
            return sum(int(each) for each in fields[11:15]) / TICKS
        except (OSError, AttributeError):
            return 0.0

    def close(self):
        """For good: who still asks is refused, and no process is started for them."""
        self._is_closed = True
        self._end()

    def _end(self):
        """The process's exit status; None where there is none."""
        child, self._child = self._child, None
        if child is None:
            return None
        try:
            child.stdin.close()
        except OSError:
            pass  # what it was told last never arrived
        child.stdout.close()
        return child.wait()


def command_here(driver_command):
    """How `sheaf` is called on this node: as SHEAF_COMMAND says; as the driver does, if that is installed here; as on PATH."""
    if os.environ.get("SHEAF_COMMAND"):
        return os.environ["SHEAF_COMMAND"]
    if all(os.path.exists(word) for word in shlex.split(driver_command)):
        return driver_command
    if shutil.which("sheaf"):
        return "sheaf"
    raise Failure("there is no `sheaf`: install it, or name it in SHEAF_COMMAND", fatal=True)


def check(worker, expected, node):
    """Error: Failure, fatal: the node would write other bytes."""
    try:
        hello = worker.ask(do="hello")
    except Lost as lost:
        raise Failure(f"Node {node}: {lost}; is it sheaf {expected['version']}?", fatal=True) from lost
    if hello.get("version") != expected["version"]:
        raise Failure(
            f"Node {node}: `{worker.command}` is sheaf {hello.get('version')}, and this build is by {expected['version']}; "
            "install the same version there.",
            fatal=True,
        )
    if hello.get("probe") != expected["probe"]:
        raise Failure(
            f"Node {node}: `{worker.command}` is sheaf {hello['version']} as here, but packs other bytes: "
            "another build of the packer, or another encoder table.",
            fatal=True,
        )
