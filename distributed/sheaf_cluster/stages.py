"""What runs on the nodes. Tasks answer with {"error": …} where there is a reason for people; Ray runs them again where a
worker or a node was lost. That is harmless: they write nothing but files that are named by their hash.

`context` is the same for all tasks of a build: {version, probe, command, recipe, output}.
"""

import asyncio
import os
import shlex
import time

import ray

from . import parcel, worker
from .embedder import Embedder
from .errors import Failure
from .output import Output
from .session import Session
from .vectors import PARTS, Vectors

_workers = {}
_checked = set()


def node_name():
    return f"{ray.util.get_node_ip_address()} ({os.uname().nodename})"


def worker_of(context):
    """This process's own; checked once."""
    command = worker.command_here(context["command"])
    one = _workers.setdefault(command, worker.Worker(command))
    if command not in _checked:
        worker.check(one, context, node_name())
        _checked.add(command)
    return one


def measured(find, work):
    """Runs work(worker), again if its process was lost. Its answer, or {"error"}; with processor time and node."""
    began, wall = time.thread_time(), time.perf_counter()
    one = None
    try:
        one = find()
        before = one.seconds()
        try:
            answer = work(one)
        except worker.Lost:
            before = 0.0
            answer = work(one)
    except Failure as failure:
        if failure.fatal and "Node " not in failure.message:
            failure = Failure(f"Node {node_name()}: {failure.message}", failure.exit, True)
        return {"error": failure.plain()}
    except worker.Lost as lost:
        return {"error": {"message": f"Node {node_name()}: {lost}, twice", "exit": 1, "fatal": False}}
    answer["processor"] = time.thread_time() - began + one.seconds() - before
    answer["wall"] = time.perf_counter() - wall
    answer["node"] = node_name()
    return answer


def fetch(context, order):
    """What was fetched, and its pages as a tar."""
    return fetch_by(lambda: worker_of(context), context, order)


def fetch_by(find, context, order):
    pages = b""

    def work(one):
        nonlocal pages
        answer = one.ask(do="fetch", order=order, recipe=context["recipe"])
        process = one.process
        try:
            fetched, pages = parcel.wrap(answer["fetched"], answer["folder"])
        finally:
            one.forget(answer["folder"], process)
        return {"fetched": fetched, "bytes": len(pages)}

    return measured(find, work), pages


def pack(context, order, fetched, pages, embedding):
    """What was made of it. The bundle is in the output, or comes back where the output is the driver's own folder."""
    bundle = b""

    def work(one):
        nonlocal bundle
        folder = one.ask(do="folder")["folder"]
        process = one.process
        try:
            placed = parcel.unwrap(fetched, pages, folder)
            request = {"order": order, "fetched": placed, "folder": folder}
            if embedding is None or fetched.get("bundle"):
                made = one.ask(do="pack", recipe=context["recipe"], **request)
            else:
                with Session(embedding["said"], [_asking(each) for each in embedding["actors"]], folder, str(order)) as session:
                    recipe = {**context["recipe"], "encoderCommand": session.command, "vectorCache": "none"}
                    recipe.pop("encoderPrecision", None)  # the encoder's own command has it
                    made = one.ask(do="pack", recipe=recipe, **request)
            file = made["file"]
            path = f"bundles/{file['sha256']}.sheaf"
            if context["output"] is None:
                with open(made["bundle"], "rb") as source:
                    bundle = source.read()
            else:
                output = Output(context["output"])
                if output.size(path) != file["bytes"]:
                    output.put(made["bundle"], path)
        finally:
            one.forget(folder, process)
        return {name: made[name] for name in ("file", "about", "commit", "incomplete")}

    return measured(lambda: worker_of(context), work), bundle


def _asking(actor):
    async def ask(source, keys, items):
        return await actor.embed.remote(source, keys, items)

    return ask


class EmbeddingActor:
    """One encoder, and the vectors of every `count`th part from `index` on."""

    def __init__(self, context, address, index, count):
        recipe = context["recipe"]
        self._output = Output(address) if address else None
        self._parts = [part for part in range(PARTS) if part % count == index]
        command = recipe.get("encoderCommand")
        if command is None:
            words = [recipe["encoder"], "--precision", recipe.get("encoderPrecision") or "fp32"]
            command = f"{worker.command_here(context['command'])} embed {shlex.join(words)}"
        self._embedder = Embedder(command, self._open)
        self._flushing = asyncio.Lock()

    def _open(self, identity, dimensions):
        vectors = Vectors(self._output, identity, dimensions, self._parts)
        vectors.load()
        return vectors

    async def ready(self):
        try:
            return await self._embedder.ready()
        except Failure as failure:
            return {"error": {**failure.plain(), "message": f"Node {node_name()}: {failure.message}"}}

    async def embed(self, source, keys, items):
        return await self._embedder.embed(source, keys, items)

    async def flush(self):
        """Writes down what is new; how many vectors, and what was counted."""
        async with self._flushing:
            vectors = self._embedder.vectors
            if vectors is None:
                return {"vectors": 0, **self._embedder.counts}
            new = vectors.unwritten
            vectors.flush()
            usage = os.times()
            return {
                "vectors": len(vectors),
                "written": new,
                "node": node_name(),
                "processor": usage.user + usage.system,
                **self._embedder.counts,
            }
