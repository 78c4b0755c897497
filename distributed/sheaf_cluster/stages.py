"""What runs on the nodes. Tasks answer with {"error": …} where there is a reason for people; Ray runs them again where a
worker or a node was lost. That is harmless: they write nothing but files that are named by their hash.

`context` is the same for all tasks of a build: {version, probe, command, recipe, output}.
"""

import os
import shlex
import time

import ray
from ray.experimental.internal_kv import _internal_kv_get

from . import parcel, worker
from .embedder import Embedder
from .errors import Failure
from .output import Output
from .session import Session
from .vectors import PARTS, Vectors

WATCH = "watch"
"""Requests to an actor that do not wait in line with passages."""

_workers = {}
_checked = set()


def node_name():
    return f"{ray.util.get_node_ip_address()} ({os.uname().nodename})"


def autoscaling():
    """What capacity.may_grow() takes, of the cluster that this process is connected to."""
    names = ray._raylet.GCS_AUTOSCALER_V2_ENABLED_KEY, ray._raylet.GCS_AUTOSCALER_STATE_NAMESPACE
    return _internal_kv_get("__autoscaling_status"), _internal_kv_get(names[0], namespace=names[1]) == b"1"


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
    except OSError as error:  # its disk is full
        return {"error": {"message": f"Node {node_name()}: {error}", "exit": 1, "fatal": False}}
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
            fetched, pages, unread = parcel.wrap(answer["fetched"], answer["folder"])
        finally:
            one.forget(answer["folder"], process)
        return {"fetched": fetched, "bytes": len(pages), "unread": unread}

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
                    made = one.ask(do="pack", recipe=session.recipe(context["recipe"]), **request)
            file = made["file"]
            path = f"bundles/{file['sha256']}.sheaf"
            if context["output"] is None:
                with open(made["bundle"], "rb") as source:
                    bundle = source.read()
            else:
                _keep(Output(context["output"]), path, made)
        finally:
            one.forget(folder, process)
        return {name: made[name] for name in ("file", "about", "commit", "incomplete", "content") if name in made}

    return measured(lambda: worker_of(context), work), bundle


def _keep(output, path, made):
    try:
        output.put(made["bundle"], path)  # also where one lies: it may have been cut or changed since
    except Failure as failure:  # the driver could write there
        raise Failure(f"Node {node_name()}: {failure.message}", failure.exit, failure.fatal) from failure


def _asking(actor):
    async def ask(wanted, source, keys, items):
        answer = await actor.embed.remote(wanted, source, keys, items)
        if "error" in answer:
            raise Failure(**answer["error"])
        return answer["rows"], answer["errors"]

    return ask


class EmbeddingActor:
    """One encoder, and the vectors of every `count`th part from `index` on. What fails is answered, as by tasks."""

    def __init__(self, context, address, index, count):
        self._address = address
        self._parts = [part for part in range(PARTS) if part % count == index]
        self._embedder = self._refusal = None
        try:
            self._embedder = Embedder(self._command(context), self._open)
        except Failure as failure:
            self._refusal = failure

    def _command(self, context):
        recipe = context["recipe"]
        if recipe.get("encoderCommand") is not None:
            return recipe["encoderCommand"]
        words = [recipe["encoder"], "--precision", recipe.get("encoderPrecision") or "fp32"]
        return f"{worker.command_here(context['command'])} embed {shlex.join(words)}"

    def _open(self, identity, dimensions):
        vectors = Vectors(Output(self._address) if self._address else None, identity, dimensions, self._parts)
        vectors.load()
        return vectors

    async def _answer(self, work):
        try:
            if self._refusal is not None:
                raise self._refusal
            return await work(self._embedder)
        except Failure as failure:
            return {"error": {**failure.plain(), "message": f"Node {node_name()}: {failure.message}"}}

    @ray.method(concurrency_group=WATCH)
    async def ping(self):
        """Answered by whoever is there."""

    async def ready(self):
        async def work(embedder):
            return {**await embedder.ready(), "node": node_name()}

        return await self._answer(work)

    async def embed(self, wanted, source, keys, items):
        async def work(embedder):
            rows, errors = await embedder.embed(wanted, source, keys, items)
            return {"rows": rows, "errors": errors}

        return await self._answer(work)

    @ray.method(concurrency_group=WATCH)
    async def flush(self):
        """Writes down what is new; what was counted. Where that failed, also {"error"}."""

        async def work(embedder):
            return {"written": await embedder.flush()}

        answer = await self._answer(work)
        if self._embedder is None:
            return answer
        usage = os.times()
        vectors = self._embedder.vectors
        return {
            "vectors": 0 if vectors is None else len(vectors),
            "node": node_name(),
            "processor": usage.user + usage.system,
            **self._embedder.counts,
            **answer,
        }
