"""Answers one packer as an encoder's process would, by asking the embedders that have the vectors.

The packer starts pipe.py as its encoder, which leads here over a Unix socket. The packer may start it again.
"""

import asyncio
import json
import os
import shlex
import shutil
import sys
import tempfile
import threading

from . import frames
from .embedder import mark
from .errors import Failure
from .vectors import key_of, part_of

TIMEOUT_SECONDS = 86_400
"""Of the packer, which sees a queue of many, or an encoder whose node was lost: whoever has a process watches over it."""
IN_FLIGHT = 8
"""Batches that a packer may leave unanswered: several, since they are spread over embedders and mixed with others'."""


class Session:
    """`embedders`: each an `embed(wanted, source, keys, items)` to be awaited. `folder` is this packer's alone.

    Error at its end: a fatal Failure of an embedder, of which the packer knows only that its encoder failed.
    """

    def __init__(self, said, embedders, folder, source):
        self._said = said
        self._wanted = mark(said)
        self._embedders = embedders
        self._source = source
        self._vocabulary = os.path.join(folder, "vocab.txt")
        self._started = threading.Event()
        self._thread = threading.Thread(target=self._main, daemon=True)
        self._loop = self._stop = self._error = self._fatal = None

    def __enter__(self):
        if self._said.get("input") == "tokens":
            with open(self._vocabulary, "wb") as file:
                file.write(self._said["vocabulary"])
        # A Unix socket's path has at most 107 bytes, and TMPDIR may be longer.
        self._short = tempfile.mkdtemp(prefix="sheaf-", dir="/tmp")
        self._socket = os.path.join(self._short, "encoder")
        self._thread.start()
        self._started.wait()
        if self._error is not None:
            self._thread.join()
            shutil.rmtree(self._short, ignore_errors=True)
            raise Failure(f"The packer's encoder cannot be answered at {self._socket}: {self._error}") from self._error
        return self

    def __exit__(self, kind, error, trace):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()
        shutil.rmtree(self._short, ignore_errors=True)
        if self._fatal is not None and isinstance(error, Failure):
            raise self._fatal from error

    @property
    def command(self):
        """For the packer's --encoder-command."""
        pipe = os.path.join(os.path.dirname(os.path.abspath(__file__)), "pipe.py")
        return shlex.join([sys.executable, "-S", "-E", pipe, self._socket])

    def recipe(self, recipe):
        """`recipe` for the packer that this answers."""
        own = {"encoderCommand": self.command, "encoderTimeout": TIMEOUT_SECONDS, "vectorCache": "none"}
        # The encoder's own command has its precision.
        return {**{name: value for name, value in recipe.items() if name != "encoderPrecision"}, **own}

    def _main(self):
        try:
            asyncio.run(self._run())
        except Exception as error:
            self._error = error
        finally:
            self._started.set()

    async def _run(self):
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_unix_server(self._serve, self._socket)
        self._started.set()
        await self._stop.wait()
        server.close()

    async def _serve(self, reader, writer):
        tasks = set()
        try:
            hello = await frames.read_frame(reader)
            if hello is None:
                return
            writer.write(frames.frame(frames.READY, json.dumps(self._ready()).encode()))
            is_tokens = self._said.get("input") == "tokens"
            while (got := await frames.read_frame(reader)) is not None:
                if got[0] != frames.BATCH:
                    break
                task = asyncio.create_task(self._answer(writer, *frames.parse_batch(got[1], is_tokens)))
                tasks.add(task)
                task.add_done_callback(tasks.discard)
            await asyncio.gather(*tasks)
        except (OSError, frames.BadFrame, asyncio.IncompleteReadError):
            pass  # the packer went away
        finally:
            for task in tasks:
                task.cancel()
            writer.close()

    def _ready(self):
        said = {name: value for name, value in self._said.items() if name not in ("identity", "vocabulary")}
        if said.get("input") == "tokens":
            said["vocabulary"] = self._vocabulary
        return {**said, "inFlight": IN_FLIGHT}

    async def _answer(self, writer, number, items):
        try:
            rows, errors = await self._embed(items)
        except Exception as error:
            if isinstance(error, Failure) and error.fatal:
                self._fatal = self._fatal or error
            writer.write(frames.error(frames.WHOLE, frames.WHOLE, f"{error}"[:1000]))
            await writer.drain()
            return
        for at, why in sorted(errors.items()):
            writer.write(frames.error(number, at, why))
        zeros = bytes(4 * self._said["dimensions"])
        writer.write(frames.vectors(number, [row or zeros for row in rows]))
        await writer.drain()

    async def _embed(self, items):
        keys = [key_of(self._said["identity"], item) for item in items]
        parts = {}
        for at, key in enumerate(keys):
            parts.setdefault(part_of(key) % len(self._embedders), []).append(at)
        answers = await asyncio.gather(
            *(
                self._embedders[which](self._wanted, self._source, [keys[at] for at in own], [items[at] for at in own])
                for which, own in parts.items()
            )
        )
        rows, errors = [b""] * len(items), {}
        for own, (found, failed) in zip(parts.values(), answers):
            for at, row in zip(own, found):
                rows[at] = row
            errors.update({own[at]: why for at, why in failed.items()})
        return rows, errors
