"""The driver: requests of `sheaf publish build` on stdin, answers on stdout, a line of JSON each (web/node/publish/ray.ts).

    start     connects, and says what the cluster has
    make      one bundle: fetch -> parcel -> pack, each where its stage's resources are
    read, write, put, sizes, remove     files of an output that has an address
    finish    writes down what was embedded, and says what the stages took

Back-pressure: each stage has at most `atOnce` tasks at a time, and nothing is fetched while parcels of more than ROOM bytes
wait to be packed. So memory is bounded by the stages, however long the list is.

The driver keeps nothing that is not in the state file of `sheaf` or in the output. When stdin ends, it ends, and with it its tasks.
"""

import asyncio
import base64
import collections
import concurrent.futures
import hashlib
import json
import math
import os
import resource
import socket
import sys
import threading

import ray

from . import capacity, embedder, stages, worker
from .errors import Failure
from .output import Output

PROTOCOL = 1
ROOM = 1 << 30
FETCHES = 16
FLUSH_SECONDS = 60
PATIENCE_SECONDS = 10
"""After which it is said what a stage waits for; and how long a new cluster may take to say whether it grows."""
ANSWER_SECONDS = 10
"""How long a host may take to accept a connection."""
CONNECT_SECONDS = 60
"""How long a cluster that accepted one may take to let this driver in."""
LAST_SECONDS = 120
"""When all bundles are made, no longer is waited for an encoder that does not answer, to write down its last vectors."""
LOCAL_FETCHES = 4
ATTEMPTS = 3
"""Of a bundle as a whole, where Ray gave up. Before, Ray runs each task again by itself, RETRIES times."""
RETRIES = 3
NAMED = 5
"""Files that one notice names."""


def require_answer(address, is_named):
    """Refuses an address HOST:PORT or ray://HOST:PORT where no one listens; Ray itself would try for five minutes."""
    host, _, port = address.rpartition("//")[2].rpartition(":")
    if not host or not port.isdigit():
        return  # `auto`, `local`, or nothing: Ray looks on this machine
    try:
        socket.create_connection((host.strip("[]"), int(port)), ANSWER_SECONDS).close()
    except OSError as error:
        named = f"--on {address}" if is_named else f"RAY_ADDRESS={address}"
        raise Failure(
            f"No Ray cluster answers at {host}:{port} ({named}): {error.strerror or error}. Start one there "
            "(ray start --head), or name another by --on ray://HOST:PORT or RAY_ADDRESS.",
            fatal=True,
        ) from error


class Room:
    """Waits while too much is there. What one enters with is known only afterwards, so it may be exceeded by what is under way."""

    def __init__(self, size):
        self._left = size
        self._free = asyncio.Event()
        self._free.set()

    async def wait(self):
        await self._free.wait()

    def take(self, size):
        self._left -= size
        if self._left <= 0:
            self._free.clear()

    def give(self, size):
        self._left += size
        if self._left > 0:
            self._free.set()


class Driver:
    def __init__(self, send):
        self._send = send
        self._threads = concurrent.futures.ThreadPoolExecutor(16)
        self._local_threads = concurrent.futures.ThreadPoolExecutor(LOCAL_FETCHES)  # each with a worker of its own
        self._own = threading.local()
        self._workers = []
        self._room = Room(ROOM)
        self._stages = {
            name: {"tasks": 0, "failed": 0, "processorSeconds": 0.0, "taskSeconds": 0.0} for name in ("fetch", "pack")
        }
        self._again = 0
        self._parcels = 0
        self._actors = []
        self._embedding = None
        self._embedded_by = {}
        self._silent = collections.defaultdict(float)  # seconds for which an actor has not answered
        self._asked = {}
        self._open = {"fetch": 0, "pack": 0}
        self._background = []
        self._alive = {}  # hosts, by node

    async def perform(self, request):
        what = request.pop("do", None)
        action = getattr(self, f"do_{what}", None)
        if action is None:
            raise Failure(f"The driver knows no request '{what}'.", fatal=True)
        return await action(**request)

    async def _in_thread(self, work, *arguments):
        return await asyncio.get_running_loop().run_in_executor(self._threads, work, *arguments)

    # ---- start -----------------------------------------------------------------------------------

    async def do_start(
        self, protocol, version, probe, address, stages, recipe, sharedPaths, command, work, output, isAddress, vectors
    ):
        if protocol != PROTOCOL:
            raise Failure(f"`sheaf` speaks protocol {protocol} to its driver, which knows {PROTOCOL} only.", fatal=True)
        self._output = await self._in_thread(Output, output, not isAddress)
        if isAddress:
            await self._in_thread(self._output.check)
        self._shared_paths = sharedPaths
        self._context = {
            **{"version": version, "probe": probe, "command": command, "recipe": recipe},
            "output": output if isAddress else None,
        }
        self._connect(address)  # in the main thread, as Ray wants it for its signals
        cluster = ray.cluster_resources()
        cpus, gpus = cluster.get("CPU", 0), cluster.get("GPU", 0)
        nodes = sum(1 for node in ray.nodes() if node["Alive"])
        self._declare(stages, cpus)
        isEmbedding = recipe["encoder"] not in ("static", "none")
        if isEmbedding:
            self._declare_embedding(stages.get("embed", {}))
        await self._check_room()
        self._background.append(asyncio.create_task(self._watch_stages()))
        if isEmbedding:
            await self._start_embedding(vectors)
        return {
            "said": f"Ray {ray.__version__}: {nodes} node{'' if nodes == 1 else 's'}, {cpus:g} CPUs, {gpus:g} GPUs.",
            **{"nodes": nodes, "cpus": cpus, "gpus": gpus},
        }

    def _connect(self, address):
        package = os.path.dirname(os.path.abspath(__file__))
        where = address or os.environ.get("RAY_ADDRESS") or ""
        require_answer(where, is_named=bool(address))
        silent = threading.Timer(CONNECT_SECONDS, self._give_up, [where or "Ray on this machine"])
        silent.daemon = True
        silent.start()
        try:
            ray.init(
                address=address or None,
                log_to_driver=bool(os.environ.get("SHEAF_RAY_LOGS")),
                logging_level="WARNING",
                runtime_env={"py_modules": [package]},
                **({} if address or os.environ.get("RAY_ADDRESS") else {"include_dashboard": False}),
            )
        except Exception as error:  # Ray's own are of many kinds
            raise Failure(f"The Ray cluster {address or 'of this machine'} cannot be used: {error}", fatal=True) from error
        finally:
            silent.cancel()

    def _give_up(self, where):
        """Ray waits for minutes, in code that no exception reaches, where something answers that is no head of a cluster."""
        self._send({"say": f"{where} has not let the build in for {CONNECT_SECONDS} seconds; is it a head of Ray {ray.__version__}?"})
        os._exit(1)

    def _declare(self, given, cpus):
        fetching, packing = given.get("fetch", {}), given.get("pack", {})
        self._fetch = self._remote("fetch", stages.fetch, _resources(fetching, 0.25))
        self._pack = self._remote("pack", stages.pack, _resources(packing, 1))
        self._fetching = asyncio.Semaphore(fetching.get("atOnce", FETCHES))
        # Twice as many as can run, so that a node that is done finds the next task waiting.
        self._packing = asyncio.Semaphore(packing.get("atOnce", max(2, int(2 * cpus / (packing.get("cpus") or 1)))))
        self._local = asyncio.Semaphore(min(LOCAL_FETCHES, fetching.get("atOnce", FETCHES)))

    def _remote(self, stage, function, options):
        self._asked[stage] = (capacity.asked_by(options), 1)
        return ray.remote(function).options(num_returns=2, max_retries=RETRIES, **options)

    def _declare_embedding(self, given):
        count = min(given.get("actors", 1), stages.PARTS)
        # No CPU is reserved: while an actor is started again, packers that wait for it would take its place.
        options = _resources({**given, "cpus": 0}, 0)
        self._asked["embed"] = (capacity.asked_by(options), count)
        self._actor = ray.remote(concurrency_groups={stages.WATCH: 4})(stages.EmbeddingActor).options(
            max_restarts=-1, max_task_retries=-1, max_concurrency=1000, **options
        )

    async def _start_embedding(self, address):
        _, count = self._asked["embed"]
        self._actors = [self._actor.remote(self._context, address, index, count) for index in range(count)]
        self._background += [asyncio.create_task(self._watch_actor(index)) for index in range(count)]
        said = await asyncio.gather(*(actor.ready.remote() for actor in self._actors))
        for one in said:
            if "error" in one:
                raise Failure(**{**one["error"], "fatal": True})
        nodes = [one.pop("node") for one in said]
        for one, node in zip(said, nodes):
            if one["identity"] != said[0]["identity"]:
                raise Failure(
                    f"Node {nodes[0]} has another encoder than node {node}: {embedder.named(said[0])} there, {embedder.named(one)} "
                    "here. Give all nodes that run encoders the same.",
                    fatal=True,
                )
        self._embedding = {"said": said[0], "actors": self._actors}
        self._background.append(asyncio.create_task(self._flush_regularly()))

    async def _flush_regularly(self):
        while True:
            await asyncio.sleep(FLUSH_SECONDS)
            await self._flush()

    async def _answer_of(self, index, asked, patience):
        """Ray itself would wait for as long as no node has room for the actor again."""
        answer = asyncio.ensure_future(asked)
        while not (await asyncio.wait({answer}, timeout=PATIENCE_SECONDS))[0]:
            if self._silent[index] >= patience:
                answer.cancel()
                raise Failure(f"{self._encoder_name(index)} has not answered for {self._silent[index]:.0f} seconds.")
        return answer.result()

    def _encoder_name(self, index):
        count = self._asked["embed"][1]
        return "The encoder" if count == 1 else f"Encoder {index + 1} of {count}"

    async def _flush(self, patience=math.inf):
        """What cannot be written down is embedded again by the next build. `patience`: how long an actor may be silent."""
        asked = (self._answer_of(index, actor.flush.remote(), patience) for index, actor in enumerate(self._actors))
        answers = await asyncio.gather(*asked, return_exceptions=True)
        reasons = []
        for index, answer in enumerate(answers):
            if isinstance(answer, BaseException):
                reasons.append(str(answer).strip().split("\n")[0])
                continue
            if "error" in answer:
                reasons.append(answer.pop("error")["message"])
            self._embedded_by[index] = answer
        for reason in dict.fromkeys(reasons):
            self._send({"say": f"Vectors were not written down: {reason}"})

    # ---- what stages wait for --------------------------------------------------------------------

    def _lack(self, stage, nodes):
        asked, count = self._asked[stage]
        return capacity.lack(stage, asked, nodes, count)

    async def _lack_now(self, stage):
        try:
            return self._lack(stage, await self._in_thread(ray.nodes))
        except Exception:
            return None  # the cluster's head does not answer: whoever asks it for something says so

    async def _check_room(self):
        """Error: Failure, where a stage would wait for ever. A cluster that may grow is given the time."""
        nodes = ray.nodes()
        lacks = [lack for stage in self._asked if (lack := self._lack(stage, nodes)) is not None]
        if not lacks:
            return
        if await self._may_grow():
            for lack in lacks:
                self._send({"say": f"{lack} Until then it waits: the cluster may grow."})
        else:
            raise Failure(" ".join(lacks), fatal=True)

    async def _may_grow(self):
        """Where no monitor has written anything after a while, none runs."""
        for _ in range(math.ceil(PATIENCE_SECONDS)):
            try:
                grows = capacity.may_grow(*stages.autoscaling())
            except Exception:  # it is no public part of Ray
                return True
            if grows is not None:
                return grows
            await asyncio.sleep(1)
        return False

    async def _watch_stages(self):
        """Says what tasks wait for where no node could take them: once when that begins, and once when it ends. Names lost nodes."""
        waiting = {}
        while True:
            await self._name_lost()
            await asyncio.sleep(PATIENCE_SECONDS / 2)
            for stage in self._open:
                lack = await self._lack_now(stage) if self._open[stage] > 0 else None
                before = waiting.get(stage, 0)
                waiting[stage] = before + 1 if lack is not None else 0
                if waiting[stage] == 2:
                    self._send({"say": f"{self._open[stage]} tasks wait. {lack}"})
                elif lack is None and before >= 2:
                    self._send({"say": f"The tasks of --stage {stage} go on."})

    async def _name_lost(self):
        try:
            nodes = await self._in_thread(ray.nodes)
        except Exception:
            return  # the head does not answer: whoever asks it for something says so
        known = self._alive
        self._alive = {node["NodeID"]: node["NodeManagerHostname"] for node in nodes if node["Alive"]}
        left = len(self._alive)
        for host in (known[node] for node in known.keys() - self._alive.keys()):
            self._send({"say": f"A node on {host} was lost, {left} node{'' if left == 1 else 's'} left. Its tasks run again on others."})

    async def _watch_actor(self, index):
        """The same of an encoder. It may wait for what others use, too, which is seen by nobody but itself."""
        asked, _ = self._asked["embed"]
        name = self._encoder_name(index)
        now = asyncio.get_running_loop().time
        while True:
            answer = asyncio.ensure_future(self._actors[index].ping.remote())
            began, said = now(), None
            while not (await asyncio.wait({answer}, timeout=PATIENCE_SECONDS))[0]:
                self._silent[index] = now() - began
                # A lost node counts as one of the cluster's until it has been silent for a while.
                why = await self._lack_now("embed")
                why = why or f"It is being started, or waits for {capacity.amounts(asked)}, which others use."
                if why != said:
                    self._send({"say": f"{name} has not answered for {now() - began:.0f} seconds. {why}"})
                said = why
            self._silent[index] = 0.0
            if said is not None:
                self._send({"say": f"{name} answers again, after {now() - began:.0f} seconds."})
            if answer.exception() is not None:
                return  # whoever needs it says so
            await asyncio.sleep(PATIENCE_SECONDS)

    # ---- one bundle ------------------------------------------------------------------------------

    async def do_make(self, order, here):
        for attempt in range(ATTEMPTS):
            try:
                return await self._make(order, here and not self._shared_paths)
            except ray.exceptions.RayTaskError as error:
                if isinstance(error.cause, Failure):
                    raise error.cause from error
                raise Failure(f"{type(error.cause).__name__}: {error.cause}") from error
            except ray.exceptions.RayError as error:
                # What Ray ran again in vain: a node that is lost again and again, or too little memory.
                reason = str(error).strip().split("\n")[0]
                if attempt + 1 == ATTEMPTS:
                    is_for_all = isinstance(error, ray.exceptions.RuntimeEnvSetupError)
                    raise Failure(f"The cluster lost it {ATTEMPTS} times: {reason}", fatal=is_for_all) from error
                self._again += 1

    async def _make(self, order, here):
        async with self._local if here else self._fetching:
            await self._room.wait()
            answer, pages = await self._fetched(order, here)
            self._say_unread(order, answer["unread"])
            size = answer["bytes"]
            self._room.take(size)
        try:
            self._parcels += size
            async with self._packing:
                made, bundle = self._pack.remote(self._context, order, answer["fetched"], pages, self._embedding)
                del pages
                made = self._counted("pack", await self._opened("pack", made))
                if self._context["output"] is None:
                    await self._in_thread(self._keep, made["file"], await bundle)
        finally:
            self._room.give(size)
        return made

    def _say_unread(self, order, unread):
        if unread:
            more = "" if len(unread) <= NAMED else f", and {len(unread) - NAMED} more"
            name = order.get("library") or next(value for key, value in order["spec"].items() if key != "type")
            self._send({"say": f"{name} is packed without what could not be read: {', '.join(unread[:NAMED])}{more}."})

    async def _fetched(self, order, here):
        if here:
            fetching = asyncio.get_running_loop().run_in_executor(self._local_threads, self._fetch_here, order)
            answer, pages = await fetching
            return self._counted("fetch", answer), pages
        answer, pages = self._fetch.remote(self._context, order)
        return self._counted("fetch", await self._opened("fetch", answer)), pages

    async def _opened(self, stage, answer):
        self._open[stage] += 1
        try:
            return await answer
        finally:
            self._open[stage] -= 1

    def _fetch_here(self, order):
        """What lies on this machine is read here; the rest is as on any node."""
        one = getattr(self._own, "worker", None)
        if one is None:
            one = self._own.worker = worker.Worker(self._context["command"])
            self._workers.append(one)
        answer, pages = stages.fetch_by(lambda: one, self._context, order)
        return answer, ray.put(pages)

    def _counted(self, stage, answer):
        counts = self._stages[stage]
        counts["tasks"] += 1
        if "error" in answer:
            counts["failed"] += 1
            raise Failure(**answer["error"])
        counts["processorSeconds"] += answer.pop("processor")
        counts["taskSeconds"] += answer.pop("wall")
        nodes = counts.setdefault("nodes", {})
        node = answer.pop("node")
        nodes[node] = nodes.get(node, 0) + 1
        return answer

    def _keep(self, file, bundle):
        path = f"bundles/{file['sha256']}.sheaf"
        if hashlib.sha256(bundle).hexdigest() != file["sha256"]:
            raise Failure("The bundle that came back is not the one that was made.")
        self._output.write(path, bundle)  # also where one lies: it may have been cut or changed since

    # ---- files of the output ---------------------------------------------------------------------

    async def do_read(self, path):
        content = await self._in_thread(self._output.read, path)
        return None if content is None else base64.b64encode(content).decode()

    async def do_write(self, path, content):
        await self._in_thread(self._output.write, path, base64.b64decode(content))

    async def do_put(self, file, path):
        await self._in_thread(self._output.put, file, path)

    async def do_sizes(self, folder):
        return await self._in_thread(self._output.sizes, folder)

    async def do_remove(self, path):
        await self._in_thread(self._output.remove, path)

    # ---- the end ---------------------------------------------------------------------------------

    async def do_finish(self):
        if self._actors:
            await self._flush(LAST_SECONDS)
        await self._name_lost()  # since the watch last looked
        usage = resource.getrusage(resource.RUSAGE_SELF)
        return {
            "stages": self._stages,
            "embed": list(self._embedded_by.values()),
            "madeAgain": self._again,
            "parcelBytes": self._parcels,
            "driverProcessorSeconds": usage.ru_utime + usage.ru_stime,
            "driverMemoryBytes": usage.ru_maxrss * 1024,
        }

    def close(self):
        for task in self._background:
            task.cancel()
        for threads in (self._threads, self._local_threads):
            threads.shutdown(wait=False, cancel_futures=True)
        for one in self._workers:
            one.close()
        ray.shutdown()


def _resources(given, cpus):
    options = {"num_cpus": given.get("cpus", cpus)}
    if "gpus" in given:
        options["num_gpus"] = given["gpus"]
    if "memory" in given:
        options["memory"] = given["memory"]
    if "resources" in given:
        options["resources"] = given["resources"]
    return options


async def serve(lines, send):
    """`lines`: an asynchronous iterator of requests. Each is answered when it is done."""
    driver = Driver(send)
    tasks = set()

    async def answer(request):
        number = request.pop("id", None)
        try:
            send({"id": number, "done": await driver.perform(request)})
        except Failure as failure:
            send({"id": number, "error": failure.plain()})
        except asyncio.CancelledError:
            raise
        except Exception as error:
            send({"id": number, "error": {"message": f"{type(error).__name__}: {error}", "exit": 1, "fatal": False}})

    try:
        async for line in lines:
            task = asyncio.create_task(answer(json.loads(line)))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
    finally:
        for task in list(tasks):
            task.cancel()
        driver.close()


async def _stdin():
    reader = asyncio.StreamReader(limit=1 << 30)
    await asyncio.get_running_loop().connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    while line := await reader.readline():
        yield line


def main():
    # Ray and other libraries print; answers have a stdout of their own.
    answers = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(2, 1)

    def send(answer):
        answers.write(json.dumps(answer) + "\n")

    try:
        asyncio.run(serve(_stdin(), send))
    except (BrokenPipeError, KeyboardInterrupt):
        pass
    answers.close()
