"""The Node process that opens and searches bundles.

Idea: the JavaScript library does the work; this side sends its calls as web/browser/client/rpc.ts sends them to a worker, one
message of JSON a line, over pipes (web/node/pipe). Calls of several threads overlap; each waits for its own answer.

Invariants
    1. When the process ends, every call that waits raises, and so does every later one. `shared` then starts another.
    2. The process ends with this one: it ends itself when its stdin does, however this one ended.
    3. A fork has no process until it asks for one.

Cost: one process for all libraries of this interpreter, from the first `open` to exit.
"""

from __future__ import annotations

import atexit
import json
import os
import signal
import subprocess
import tempfile
import threading
from collections import deque
from concurrent.futures import Future
from typing import Any, Optional

from ._node import find_node, package_file
from .errors import SheafError

GRACE_SECONDS = 5
"""How long the process may take to end once its stdin has."""
_TAIL_BYTES = 2000
# Ctrl+C is for the program that asks; what it interrupts here is said by a message.
_APART: dict[str, Any] = (
    {"creationflags": getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)}
    if os.name == "nt"
    else {"start_new_session": True}
)


class NodeProcess:
    """A process, and the calls to it that have no answer yet. Safe for threads."""

    def __init__(self) -> None:
        """Raises SheafError (NODE) if it cannot be started."""
        words = [find_node(), package_file("dist/node/pipe/main.js")]
        self._said = tempfile.TemporaryFile()  # its stderr, for the message when it dies
        try:
            self._child = subprocess.Popen(
                words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=self._said, **_APART
            )
        except OSError as error:
            self._said.close()
            raise SheafError("NODE", f"{words[0]} could not be started: {error}.") from error
        self._owner = os.getpid()
        self._state = threading.Lock()  # of what follows; never held while writing
        self._pending: dict[int, Future[Any]] = {}
        self._next = 1
        self._ended: Optional[str] = None  # how
        self._writing = threading.Lock()
        self._abandoned: deque[int] = deque()
        self._reader = threading.Thread(target=self._read, name="sheaf", daemon=True)
        self._reader.start()

    @property
    def alive(self) -> bool:
        return self._ended is None and self._owner == os.getpid()

    @property
    def pid(self) -> int:
        return self._child.pid

    def call(self, name: str, *args: Any) -> Any:
        """The method's answer. Raises SheafError with the method's code, INVALID_ARGUMENT or NODE."""
        future: Future[Any] = Future()
        with self._state:
            if self._ended is not None:
                raise SheafError("NODE", self._ended)
            number = self._next
            self._next += 1
            self._pending[number] = future
        try:
            self._close_abandoned()
            self._send({"type": "call", "id": number, "name": name, "args": args})
            return future.result()
        except BaseException as error:
            if not future.done():  # refused before it was sent, or interrupted
                self._send_abort(number, error)
            raise
        finally:
            with self._state:
                self._pending.pop(number, None)

    def abandon(self, library: int) -> None:
        """Has a library closed with the next call. For finalizers, which may run amid another call: takes no lock."""
        self._abandoned.append(library)

    def close(self) -> None:
        """Ends the process; calls that wait raise. May be called again."""
        try:
            if self._child.stdin is not None:
                self._child.stdin.close()
        except OSError:
            pass  # it has ended already
        try:
            self._child.wait(GRACE_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
        self._reader.join(GRACE_SECONDS)

    def _close_abandoned(self) -> None:
        try:
            while True:
                self._send({"type": "tell", "name": "close", "args": [self._abandoned.popleft()]})
        except IndexError:
            pass  # that was the last

    def _send(self, message: dict[str, Any]) -> None:
        try:
            line = json.dumps(message, allow_nan=False).encode("ascii") + b"\n"
        except (TypeError, ValueError) as error:
            raise SheafError("INVALID_ARGUMENT", f"The arguments cannot be sent to Node: {error}.") from error
        stdin = self._child.stdin
        assert stdin is not None
        try:
            with self._writing:
                stdin.write(line)
                stdin.flush()
        except (OSError, ValueError):  # ValueError: closed here
            self._reader.join(GRACE_SECONDS)
            raise SheafError("NODE", self._ended or "Node takes no more calls.") from None

    def _send_abort(self, number: int, error: BaseException) -> None:
        if isinstance(error, SheafError):
            return
        try:
            self._send({"type": "abort", "id": number})
        except SheafError:
            pass  # it has ended: there is nothing left to abort

    def _read(self) -> None:
        stdout = self._child.stdout
        assert stdout is not None
        try:
            for line in stdout:
                self._receive(json.loads(line))
        except ValueError:
            self._child.kill()  # what it says is no JSON
        finally:
            self._die()

    def _receive(self, message: dict[str, Any]) -> None:
        if message["type"] != "answer":
            return
        with self._state:
            future = self._pending.get(message["id"])
        if future is None:
            return  # interrupted meanwhile
        error = message.get("error")
        if error is None:
            future.set_result(message.get("value"))
        else:
            future.set_exception(SheafError(error["code"], error["message"], error.get("status")))

    def _die(self) -> None:
        code = self._child.wait()
        for pipe in (self._child.stdin, self._child.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                pass
        how = f"Node {_ending(code)}. The next call starts it again.{_tail(self._said)}"
        self._said.close()
        with self._state:
            self._ended = how
            pending = list(self._pending.values())
        for future in pending:
            if not future.done():
                future.set_exception(SheafError("NODE", how))


def _ending(code: int) -> str:
    if code >= 0:
        return f"ended with {code}"
    try:
        return f"was ended by {signal.Signals(-code).name}"
    except ValueError:
        return f"was ended by signal {-code}"


def _tail(file: Any) -> str:
    """The last that was written to it."""
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - _TAIL_BYTES))
    text = file.read().decode("utf-8", "replace").strip()
    return f" It said:\n{text}" if text else ""


_shared: Optional[NodeProcess] = None
_starting = threading.Lock()


def shared() -> NodeProcess:
    """The interpreter's process, started if there is none or it died. Raises SheafError (NODE)."""
    global _shared
    with _starting:
        if _shared is None or not _shared.alive:
            _shared = NodeProcess()
        return _shared


@atexit.register
def _close_shared() -> None:
    if _shared is not None and _shared.alive:
        _shared.close()


def _forget_after_fork() -> None:
    global _shared, _starting
    _shared, _starting = None, threading.Lock()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_after_fork)
