"""Embeds passages of many libraries by one process of an encoder (docs/embedding-protocol.md).

Idea: callers hand over items; those that are known are answered at once, the same item is embedded once however often it is
asked for, and the rest wait in one queue, whatever library they are of. From its oldest 2,048, longest first, batches are cut
that cost at most what the encoder takes, so that little is padded.

A process that ends or breaks the protocol is started again, once without an answer in between; what was unanswered is sent again.
Fails it twice, what it had then is asked one by one, after all else: so a passage that no process survives fails the libraries
that have it, and no others whose passages were under way beside it.
"""

import asyncio
import hashlib
import json
import os
import re
import signal

from . import frames
from .errors import Failure

WINDOW = 2048
GATHER_SECONDS = 0.05
"""How long an encoder that has nothing to do waits for more, where less than a window is there."""
ANSWER_SECONDS = 120


HOPELESS = 3
"""Passages, each by itself. Fails the process with so many one after the other, or with so many more of libraries that have
failed already, the rest is not tried: each costs a start of the process.
"""

EXCERPT = 100

NUMBERS = {"maxTokens": (False, 2, 8192), "batchTokens": (False, 1, 262_144), "inFlight": (False, 1, 64), "dimensions": (True, 16, 4096)}
"""Members of `ready`, whether they are required, and their limits."""
WORDS = {"encoder": 200, "precision": 32, "space": 200}
"""Those that are required text, and their most bytes."""


class EncoderLost(Exception):
    """Why, whether anything was answered, and what was unanswered."""


def mark(said):
    """What tells an encoder from others, for machines and for people; small."""
    return {name: said.get(name) for name in ("identity", "encoder", "precision", "hash")}


def named(said):
    return f"{said.get('encoder')} {said.get('precision')} (hash {str(said.get('hash'))[:12]}, {said['identity'].hex()[:12]})"


def _check_ready(said):
    """The limits of docs/embedding-protocol.md. Error: ValueError."""
    if not isinstance(said, dict) or said.get("protocol") != 1:
        raise ValueError(f"protocol {said.get('protocol') if isinstance(said, dict) else said!r}, not 1")
    for name, (is_required, least, most) in NUMBERS.items():
        value = said.get(name)
        if name not in said and not is_required:
            continue
        if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
            raise ValueError(f"{name} {json.dumps(value)[:100]}, not a number from {least} to {most}")
    if said["dimensions"] % 16:
        raise ValueError(f"dimensions {said['dimensions']}, not a multiple of 16")
    for name, most in WORDS.items():
        value = said.get(name)
        if not isinstance(value, str) or not 1 <= len(value.encode(errors="replace")) <= most:
            raise ValueError(f"{name} {json.dumps(value)[:100]}, not text of up to {most} bytes")
    if not isinstance(said.get("hash"), str) or not re.fullmatch("[0-9a-fA-F]{64}", said["hash"]):
        raise ValueError(f"hash {json.dumps(said.get('hash'))[:100]}, not 64 hexadecimal digits")
    if said.get("input", "text") not in ("text", "tokens"):
        raise ValueError(f"input {json.dumps(said['input'])[:100]}, neither text nor tokens")
    if said.get("input") == "tokens" and not isinstance(said.get("vocabulary"), str):
        raise ValueError("input tokens without the path of a vocabulary")


def _is_finite(numbers):
    """By their last byte numbers from 2^127, infinity and NaN are told from all that a vector may hold. Kept, they would fail
    their libraries in each build from now on.
    """
    exponents = numbers[3::4]
    return b"\x7f" not in exponents and b"\xff" not in exponents


def _excerpt(item, is_tokens):
    """What says to people which passage it is."""
    if is_tokens:
        return f"a passage of {len(item) // 4} tokens (hash {hashlib.sha256(item).hexdigest()[:12]})"
    text = " ".join(item.decode(errors="replace").split())
    return json.dumps(text if len(text) <= EXCERPT else f"{text[:EXCERPT]}…", ensure_ascii=False)


class Embedder:
    """`make_vectors(identity, dimensions)` gives the Vectors, once the encoder has said what it is."""

    def __init__(self, command, make_vectors, packer="sheaf-cluster"):
        self._command = command
        self._make_vectors = make_vectors
        self._hello = json.dumps({"protocol": 1, "packer": packer}).encode()
        self._process = None
        self._ready = None
        self._starting = asyncio.Lock()
        self._queue = []
        self._wake = asyncio.Event()
        self._pending = {}  # key -> future of (vector, error)
        self._loop_task = None
        self._next = 0
        self._flushing = asyncio.Lock()
        self.vectors = None
        self.counts = {"asked": 0, "known": 0, "embedded": 0, "failed": 0, "batches": 0, "shared": 0, "restarts": 0}

    # ---- what the encoder is ---------------------------------------------------------------------

    async def ready(self):
        """What the process says of itself, with `identity` (32 bytes) and `vocabulary` as bytes. Error: Failure."""
        async with self._starting:
            if self._ready is None:
                await self._start()
        return self._ready

    async def _start(self):
        self._process = process = await asyncio.create_subprocess_exec(
            "/bin/sh",
            "-c",
            self._command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 20,
            start_new_session=True,
        )
        try:
            process.stdin.write(frames.frame(frames.HELLO, self._hello))
            answer = await asyncio.wait_for(frames.read_frame(process.stdout), ANSWER_SECONDS)
        except (OSError, frames.BadFrame, asyncio.IncompleteReadError, asyncio.TimeoutError) as error:
            self._kill()
            raise Failure(f"The encoder's process did not get ready: {self._command}: {error!r}", fatal=True) from error
        if answer is None or answer[0] == frames.ERROR:
            self._kill()
            why = "it ended" if answer is None else frames.parse_error(answer[1])[2]
            raise Failure(f"The encoder's process did not get ready: {self._command}: {why}", fatal=True)
        said = self._parse_ready(answer)
        if self._ready is not None and said["identity"] != self._ready["identity"]:
            self._kill()
            raise Failure(f"The encoder's process is another one than before: {self._command}", fatal=True)
        if self._ready is not None:
            self.counts["restarts"] += 1
            return
        try:
            self.vectors = self._make_vectors(said["identity"], said["dimensions"])
        except Exception as error:
            self._kill()
            raise Failure(f"Known vectors cannot be read: {error}", fatal=True) from error
        self._ready = said

    def _parse_ready(self, answer):
        try:
            if answer[0] != frames.READY:
                raise ValueError(f"a frame of kind {answer[0]}")
            said = json.loads(answer[1])
            _check_ready(said)
            vocabulary = b""
            if said.get("input") == "tokens":
                with open(said["vocabulary"], "rb") as file:
                    vocabulary = file.read(frames.LONGEST)
        except (OSError, ValueError, RecursionError) as error:
            self._kill()
            raise Failure(f"The encoder's process said something impossible: {self._command}: {error}", fatal=True) from error
        decides = {name: value for name, value in said.items() if name not in ("batchTokens", "inFlight", "vocabulary")}
        identity = hashlib.sha256(json.dumps(decides, sort_keys=True).encode() + b"\0" + vocabulary).digest()
        return {**said, "identity": identity, "vocabulary": vocabulary}

    # ---- embedding -------------------------------------------------------------------------------

    async def embed(self, wanted, source, keys, items):
        """A vector for each item, and errors by the number of the item, whose vector is then empty. `source`: whose they are.
        `wanted`: mark() of the encoder that the build began with, since this one may have been started later, elsewhere.

        Error: Failure, of the process; then none is embedded, and a bundle without vectors must not be made of that.
        """
        said = await self.ready()
        if said["identity"] != wanted["identity"]:
            raise Failure(
                f"the encoder is {named(said)}, and this build began with {named(wanted)}: "
                f"give all nodes that run encoders the same. Its command is {self._command}",
                fatal=True,
            )
        self.counts["asked"] += len(keys)
        waiting = []
        for key, item in zip(keys, items):
            vector = self.vectors.find(key)
            if vector is not None:
                self.counts["known"] += 1
                waiting.append((vector, None))
                continue
            future = self._pending.get(key)
            if future is None:
                future = self._pending[key] = asyncio.get_running_loop().create_future()
                self._queue.append((key, item, future, source))
            waiting.append(future)
        if self._loop_task is None or self._loop_task.done():
            self._loop_task = asyncio.create_task(self._serve())
        self._wake.set()
        rows, errors = [], {}
        for at, each in enumerate(waiting):
            vector, why = each if isinstance(each, tuple) else await asyncio.shield(each)
            rows.append(vector)
            if why is not None:
                errors[at] = why
        return rows, errors

    async def _serve(self):
        while True:
            if not self._queue:
                self._wake.clear()
                await self._wake.wait()
            if len(self._queue) < WINDOW:
                await asyncio.sleep(GATHER_SECONDS)  # what other libraries send meanwhile shares the batches
            window, self._queue = self._queue[:WINDOW], self._queue[WINDOW:]
            try:
                await self._embed_window(window)
            except Exception as error:  # all who wait are told; the next window starts the process anew
                for key, _, future, _ in window:
                    self._pending.pop(key, None)
                    if not future.done():
                        is_known = isinstance(error, Failure)
                        plain = error.plain() if is_known else {"message": f"{type(error).__name__}: {error}"}
                        future.set_exception(Failure(**plain))  # each its own, since it is raised in several places
                        future.exception()  # told, also where nobody waits any longer

    async def _embed_window(self, window):
        said = self._ready
        is_tokens = said.get("input") == "tokens"
        longest = said.get("maxTokens", 256)

        def cost(item):
            return max(1, len(item) // 4) if is_tokens else min(len(item) // 4 + 2, longest)

        left = sorted(window, key=lambda each: (-cost(each[1]), each[0]))
        batches = []
        most = said.get("batchTokens", 4096)
        while left:
            fits = min(frames.MOST_ITEMS, max(1, most // cost(left[0][1])))
            batches.append(left[:fits])
            left = left[fits:]
        suspects = []  # what was under way when the process failed twice
        failures = sets = in_a_row = of_failed = 0
        failed = set()  # sources: a library that lacks one passage fails, so its others come last
        while batches or suspects:
            alone = None
            if not batches:
                alone = suspects.pop(next((at for at, each in enumerate(suspects) if each[3] not in failed), 0))
            try:
                if self._process is None or self._process.returncode is not None:
                    async with self._starting:
                        await self._start()
                await self._send([[alone]] if alone else batches, said, is_tokens)
                batches, in_a_row = [], 0
            except EncoderLost as lost:
                why, answered, under_way = lost.args
                self._kill()
                if alone:
                    in_a_row += 1
                    of_failed += alone[3] in failed
                    failed.add(alone[3])
                    about = f"{why}: {_excerpt(alone[1], is_tokens)}"
                    self._refuse(alone, f"The encoder's process failed twice, and then with this passage alone: {about}")
                    if HOPELESS in (in_a_row, of_failed):
                        raise Failure(f"The encoder's process failed twice, and then with {HOPELESS} passages, each alone; the last: {about}") from lost
                    continue
                failures, sets = (1, 0) if answered else (failures + 1, sets)
                batches = [each for each in batches if not all(future.done() for _, _, future, _ in each)]
                if failures > 1:
                    failures, sets = 0, sets + 1
                    # Where two sets fail and nothing is answered, all else is a suspect, too.
                    some = under_way if sets == 1 and under_way else [entry for each in batches for entry in each]
                    some = [entry for entry in some if not entry[2].done()]
                    left = {entry[0] for entry in some}
                    batches = [rest for each in batches if (rest := [entry for entry in each if entry[0] not in left])]
                    suspects += some

    async def _send(self, batches, said, is_tokens):
        """Error: EncoderLost."""
        in_flight = max(1, said.get("inFlight", 2))
        unanswered, todo, answered = {}, list(batches), False
        errors = {}
        # What is sent and what is read go on side by side: an encoder may write before it has read all.
        reading = sending = None
        try:
            while todo or unanswered:
                while todo and len(unanswered) < in_flight and sending is None:
                    entries = [each for each in todo.pop(0) if not each[2].done()]
                    if not entries:
                        continue
                    number, self._next = self._next, (self._next + 1) % frames.WHOLE
                    unanswered[number] = entries
                    self._process.stdin.write(frames.batch(number, [item for _, item, _, _ in entries], is_tokens))
                    sending = asyncio.create_task(self._process.stdin.drain())
                if not unanswered:
                    break
                reading = reading or asyncio.create_task(frames.read_frame(self._process.stdout))
                both = {reading, sending} - {None}
                done, _ = await asyncio.wait(both, timeout=ANSWER_SECONDS, return_when=asyncio.FIRST_COMPLETED)
                if not done:
                    raise frames.BadFrame(f"no answer for {ANSWER_SECONDS} seconds")
                if sending in done:
                    sent, sending = sending, None
                    sent.result()
                if reading not in done:
                    continue
                read, reading = reading, None
                got = read.result()
                if got is None:
                    raise frames.BadFrame("it ended")
                answered |= self._take(got, unanswered, errors, todo, said)
        except (OSError, frames.BadFrame, asyncio.IncompleteReadError) as error:
            under_way = [entry for entries in unanswered.values() for entry in entries]
            raise EncoderLost(str(error) or type(error).__name__, answered, under_way) from error
        finally:
            for task in {reading, sending} - {None}:
                task.cancel()
                if task.done() and not task.cancelled():
                    task.exception()  # the process has failed already

    def _take(self, got, unanswered, errors, todo, said):
        kind, payload = got
        is_tokens = said.get("input") == "tokens"
        if kind == frames.ERROR:
            number, item, why = frames.parse_error(payload)
            if number == frames.WHOLE:
                raise frames.BadFrame(why)
            if number not in unanswered:
                raise frames.BadFrame(f"an error of batch {number}, which is not asked for")
            if item != frames.WHOLE:
                errors.setdefault(number, {})[item] = why
                return False
            entries = unanswered.pop(number)
            if len(entries) > 1:
                todo.extend([each] for each in entries)  # each by itself, once
            else:
                self._settle(entries[0][0], entries[0][2], b"", why)
                self.counts["failed"] += 1
            return True
        if kind != frames.VECTORS:
            raise frames.BadFrame(f"a frame of kind {kind}")
        number, rows = frames.parse_vectors(payload, said["dimensions"])
        entries = unanswered.pop(number, None)
        if entries is None or len(rows) != len(entries):
            raise frames.BadFrame(f"vectors of batch {number}, which is not asked for so")
        is_finite = _is_finite(payload[8:])
        self.counts["batches"] += 1
        self.counts["shared"] += len({source for _, _, _, source in entries}) > 1
        failed = errors.pop(number, {})
        for at, (entry, row) in enumerate(zip(entries, rows)):
            key, item, future, _ = entry
            if not is_finite and at not in failed and not _is_finite(row):
                if len(entries) > 1:
                    todo.append([entry])  # by itself, once
                else:
                    self.counts["failed"] += 1
                    self._refuse(entry, f"The encoder's process gave a vector with numbers that are not finite: {_excerpt(item, is_tokens)}")
            elif at in failed or not any(row):
                self.counts["failed"] += 1
                self._settle(key, future, b"", failed.get(at, "its vector is all zeros"))
            else:
                self.counts["embedded"] += 1
                self.vectors.add(key, row)
                self._settle(key, future, row, None)
        return True

    def _settle(self, key, future, vector, why):
        self._pending.pop(key, None)
        if not future.done():
            future.set_result((vector, why))

    def _refuse(self, entry, message):
        """Fails those who have this item, and nobody else."""
        key, _, future, _ = entry
        self._pending.pop(key, None)
        if not future.done():
            future.set_exception(Failure(message))
            future.exception()  # told, also where nobody waits any longer

    # ---- writing down ----------------------------------------------------------------------------

    async def flush(self):
        """Writes down what is new; how many vectors that was. Meanwhile others are answered. Error: Failure."""
        async with self._flushing:
            return 0 if self.vectors is None else await asyncio.to_thread(self.vectors.flush)

    # ---- the end ---------------------------------------------------------------------------------

    def _kill(self):
        process, self._process = self._process, None
        if process is not None and process.returncode is None:
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

    def close(self):
        if self._loop_task is not None:
            self._loop_task.cancel()
        self._kill()
        if self.vectors is not None:
            self.vectors.close()
