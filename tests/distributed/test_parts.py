"""What distributed/sheaf_cluster has that needs neither Ray nor fsspec; any Python from 3.11 on."""

import asyncio
import hashlib
import io
import json
import os
import re
import struct
import sys
import tarfile
import tempfile
import threading
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "distributed"))

from sheaf_cluster import capacity, frames, parcel, worker  # noqa: E402
from sheaf_cluster.embedder import Embedder, mark  # noqa: E402
from sheaf_cluster.errors import Failure  # noqa: E402
from sheaf_cluster.session import Session  # noqa: E402
from sheaf_cluster.vectors import PARTS, Vectors, key_of, part_of  # noqa: E402

DIMENSIONS = 16

# A process that does what $MODE says; a text's vector is its SHA-256, whatever it is batched with.
FAKE = '''
import hashlib, json, os, struct, sys
mode, mark = sys.argv[1], sys.argv[2]
def read(n):
    data = sys.stdin.buffer.read(n)
    if len(data) < n: sys.exit(0)
    return data
def send(kind, payload):
    sys.stdout.buffer.write(struct.pack("<IB", len(payload) + 1, kind) + payload); sys.stdout.buffer.flush()
once = not os.path.exists(mark)
while True:
    length, kind = struct.unpack("<IB", read(5)); payload = read(length - 1)
    if kind == 1:
        if mode == "refuses": send(5, struct.pack("<II", 2**32-1, 2**32-1) + b"no such model"); continue
        if mode == "refuses later" and not once: send(5, struct.pack("<II", 2**32-1, 2**32-1) + b"no such model"); continue
        if mode == "nonsense": send(2, b'{"protocol": 1, "dimensions": 17}'); continue
        if mode == "says": send(2, open(mark, "rb").read()); continue
        send(2, json.dumps({"protocol": 1, "encoder": "other" if mode == "other" else "fake", "hash": "0" * 64, "precision": "fp32", "space": "fake",
                            "dimensions": 4096 if mode == "large" else 16,
                            "batchTokens": 65536 if mode == "large" else 64, "inFlight": 2}).encode())
    elif kind == 3:
        batch, count = struct.unpack_from("<II", payload)
        at, texts = 8, []
        for _ in range(count):
            (n,) = struct.unpack_from("<I", payload, at); texts.append(payload[at + 4:at + 4 + n]); at += 4 + n
        with open(mark + ".log", "a") as log: log.write(json.dumps([t.decode() for t in texts]) + "\\n")
        if (mode in ("dies", "refuses later") and once) or mode == "always dies": open(mark, "w").close(); os._exit(1)
        if mode == "poison" and any(t.startswith(b"poison") for t in texts): os._exit(1)
        if mode == "whole fails" and count > 1: send(5, struct.pack("<II", batch, 2**32-1) + b"too many"); continue
        for i, text in enumerate(texts):
            if text == b"bad": send(5, struct.pack("<II", batch, i) + b"this one cannot be")
        if mode == "short": send(4, struct.pack("<II", batch, count) + bytes(4)); continue
        rows = b"".join(struct.pack("<16f", *(hashlib.sha256(t).digest()[:16])) for t in texts)
        if mode == "zeros": rows = bytes(64) + rows[64:]
        if mode in ("nan", "inf", "-inf"): rows = rows[:-4] + struct.pack("<f", float(mode))
        if mode == "nan poison": rows = b"".join(struct.pack("<16f", *[float("nan")] * 16) if t.startswith(b"poison") else rows[64 * i:64 * i + 64] for i, t in enumerate(texts))
        if mode == "large": rows = b"\\x3c" * (4 * 4096 * count)
        send(4, struct.pack("<II", batch, count) + rows)
'''


def vector_of(text):
    return struct.pack("<16f", *hashlib.sha256(text).digest()[:16])


class Kept:
    """Files in memory, as Output has them."""

    def __init__(self):
        self.files = {}
        self.fails = False
        self.may_write = None
        self.is_writing = threading.Event()

    def read(self, path):
        if self.fails:
            raise Failure("no way in")
        return self.files.get(path)

    def write(self, path, content):
        if self.fails:
            raise Failure("no room")
        if self.may_write is not None:
            self.is_writing.set()
            assert self.may_write.wait(10), "nobody was answered while it wrote"
        self.files[path] = content

    def sizes(self, folder):
        return {path[len(folder) + 1 :]: len(content) for path, content in self.files.items() if path.startswith(folder + "/")}


class Frames(unittest.TestCase):
    def test_batches_and_vectors_come_back(self):
        for is_tokens, items in ((False, [b"a", b"", "å".encode()]), (True, [struct.pack("<3I", 1, 2, 3), b""])):
            data = frames.batch(7, items, is_tokens)
            length, kind = frames.header(data[:5])
            self.assertEqual((kind, length), (frames.BATCH, len(data) - 5))
            self.assertEqual(frames.parse_batch(data[5:], is_tokens), (7, items))
        rows = [vector_of(b"a"), vector_of(b"b")]
        self.assertEqual(frames.parse_vectors(frames.vectors(3, rows)[5:], DIMENSIONS), (3, rows))
        self.assertEqual(frames.parse_error(frames.error(1, 2, "wéll")[5:]), (1, 2, "wéll"))

    def test_what_breaks_the_protocol_is_refused(self):
        whole = frames.batch(7, [b"abc", b"de"], False)[5:]
        for data in (whole[:-1], whole + b"x", whole[:6], b"\0" * 4 + struct.pack("<II", 2**31, 1)):
            with self.assertRaises(frames.BadFrame):
                frames.parse_batch(data, False)
        with self.assertRaises(frames.BadFrame):
            frames.parse_vectors(frames.vectors(1, [vector_of(b"a")])[5:-1], DIMENSIONS)
        for length in (0, frames.LONGEST + 1, 2**32 - 1):
            with self.assertRaises(frames.BadFrame):
                frames.header(struct.pack("<IB", length, 1))


class Known(unittest.TestCase):
    identity = hashlib.sha256(b"encoder").digest()

    def vectors(self, output, parts=range(PARTS)):
        one = Vectors(output, self.identity, DIMENSIONS, parts)
        self.addCleanup(one.close)
        one.load()
        return one

    def test_vectors_are_there_for_the_next_build(self):
        output = Kept()
        first = self.vectors(output)
        texts = [b"text %d" % n for n in range(200)]
        for text in texts:
            first.add(key_of(self.identity, text), vector_of(text))
            first.add(key_of(self.identity, text), b"\0" * 64)  # the first stays
        self.assertEqual(first.unwritten, 200)
        first.flush()
        self.assertEqual(first.unwritten, 0)
        many = dict(output.files)
        first.flush()
        self.assertEqual(output.files, many)
        again = self.vectors(output)
        self.assertEqual([again.find(key_of(self.identity, text)) for text in texts], [vector_of(text) for text in texts])
        self.assertIsNone(again.find(key_of(self.identity, b"another")))
        self.assertIsNone(again.find(key_of(b"\0" * 32, texts[0])), "another encoder has other keys")
        # Each actor reads what is its own.
        parts = [self.vectors(output, [part for part in range(PARTS) if part % 3 == index]) for index in range(3)]
        self.assertEqual(sum(map(len, parts)), 200)
        key = key_of(self.identity, texts[0])
        self.assertEqual(parts[part_of(key) % 3].find(key), vector_of(texts[0]))

    def test_damaged_files_are_passed_over(self):
        output = Kept()
        first = self.vectors(output)
        for n in range(100):
            first.add(key_of(self.identity, b"%d" % n), vector_of(b"%d" % n))
        first.flush()
        names = sorted(output.files)
        output.files[names[0]] = output.files[names[0]][:-1]
        output.files[names[1]] = output.files[names[1]].replace(b"sheafvec", b"sheafvex")
        output.files[f"{self.identity.hex()}/00/notes.txt"] = b"mine"
        short = b"sheafvec"
        output.files[f"{self.identity.hex()}/01/{hashlib.sha256(short).hexdigest()}.vectors"] = short
        again = self.vectors(output)
        self.assertEqual(again.passed_over, 3)
        self.assertTrue(0 < len(again) < 100)

    def test_what_could_not_be_written_stays_new(self):
        output = Kept()
        one = self.vectors(output)
        one.add(key_of(self.identity, b"a"), vector_of(b"a"))
        output.fails = True
        with self.assertRaises(Failure):
            one.flush()
        self.assertEqual(one.unwritten, 1)
        output.fails = False
        self.assertEqual(one.flush(), 1)
        self.assertEqual(len(self.vectors(output)), 1)

    def test_what_comes_while_others_are_written_is_new_for_the_next_time(self):
        output = Kept()
        one = self.vectors(output)
        one.add(key_of(self.identity, b"a"), vector_of(b"a"))
        output.may_write = threading.Event()
        flushing = threading.Thread(target=one.flush)
        flushing.start()
        self.assertTrue(output.is_writing.wait(10))
        one.add(key_of(self.identity, b"b"), vector_of(b"b"))
        self.assertEqual(one.find(key_of(self.identity, b"a")), vector_of(b"a"))
        output.may_write.set()
        flushing.join()
        self.assertEqual(one.unwritten, 1)
        self.assertEqual(one.flush(), 1)
        again = self.vectors(output)
        self.assertEqual([again.find(key_of(self.identity, text)) for text in (b"a", b"b")], [vector_of(b"a"), vector_of(b"b")])


class Embedding(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        (Path(self.folder.name) / "fake.py").write_text(FAKE)
        self.mark = os.path.join(self.folder.name, "mark")
        self.kept = Kept()

    def embedder(self, mode="works"):
        command = f"exec '{sys.executable}' '{self.folder.name}/fake.py' '{mode}' '{self.mark}'"

        def make(identity, dimensions):
            vectors = Vectors(self.kept, identity, dimensions, range(PARTS))
            vectors.load()
            return vectors

        one = Embedder(command, make)
        self.addAsyncCleanup(asyncio.sleep, 0.05)  # until the loop has seen the process end
        self.addCleanup(one.close)
        return one

    async def ask(self, embedder, source, texts):
        said = await embedder.ready()
        return await embedder.embed(mark(said), source, [key_of(said["identity"], text) for text in texts], texts)

    async def settled(self, embedder):
        """Nobody waits for ever, also of those whose library has failed already."""
        for _ in range(200):
            if embedder._pending:
                await asyncio.sleep(0.05)
        self.assertEqual(len(embedder._pending), 0)

    def batches(self):
        return [json.loads(line) for line in Path(self.mark + ".log").read_text().splitlines()]

    async def test_libraries_share_batches_and_nothing_is_embedded_twice(self):
        one = self.embedder()
        texts = [[b"common"] + [b"%d of %d" % (n, m) for n in range(5)] for m in range(4)]
        answers = await asyncio.gather(*(self.ask(one, str(m), texts[m]) for m in range(4)))
        for wanted, (rows, errors) in zip(texts, answers):
            self.assertEqual((rows, errors), ([vector_of(text) for text in wanted], {}))
        embedded = [text for batch in self.batches() for text in batch]
        self.assertEqual(len(embedded), len(set(embedded)))
        self.assertEqual(len(embedded), 21)
        self.assertGreater(one.counts["shared"], 0)
        for batch in self.batches():  # cost of a text: bytes / 4 + 2
            self.assertLessEqual(len(batch) * max(len(text) // 4 + 2 for text in batch), 64)
        one.vectors.flush()
        two = self.embedder()
        await self.ask(two, "later", texts[0])
        self.assertEqual((two.counts["known"], two.counts["batches"]), (6, 0))

    async def test_a_text_that_cannot_be_embedded_is_named_and_the_rest_goes_on(self):
        for mode in ("works", "whole fails"):
            rows, errors = await self.ask(self.embedder(mode), "a", [b"good", b"bad", b"fine"])
            self.assertEqual([rows[0], rows[2]], [vector_of(b"good"), vector_of(b"fine")])
            self.assertEqual(list(errors), [1])

    async def test_a_process_that_does_one_thing_at_a_time_gets_large_batches(self):
        # 256 KiB asked for and 4 MiB answered at a time: more than pipes and buffers hold in both directions.
        texts = [b"%04d" % n * 256 for n in range(1024)]
        one = self.embedder("large")
        rows, errors = await asyncio.wait_for(self.ask(one, "a", texts), 60)
        self.assertEqual((set(map(len, rows)), errors, one.counts["restarts"]), ({4 * 4096}, {}, 0))

    async def test_a_process_that_ends_is_started_again_once(self):
        one = self.embedder("dies")
        rows, errors = await self.ask(one, "a", [b"one", b"two"])
        self.assertEqual((rows, errors), ([vector_of(b"one"), vector_of(b"two")], {}))
        self.assertEqual(one.counts["restarts"], 1)
        for mode in ("always dies", "short"):
            one = self.embedder(mode)
            for _ in range(2):  # and again, as often as it is asked
                with self.assertRaisesRegex(Failure, "failed twice"):
                    await self.ask(one, "a", [b"one", b"two"])

    async def test_a_passage_that_no_process_survives_fails_the_libraries_that_have_it_and_no_others(self):
        for mode, why in (("poison", r'failed twice, and then with .*: it ended: "poison'), ("nan poison", r'not finite: "poison')):
            one = self.embedder(mode)
            texts = {f"{m}": [b"text %d of %d" % (n, m) for n in range(40)] for m in range(5)}
            texts["bad"] = [b"poison %d" % n for n in range(20)] + [b"good"]
            texts["too"] = [b"shared", b"poison 3"]
            asked = [self.ask(one, name, own) for name, own in texts.items()]
            answers = dict(zip(texts, await asyncio.gather(*asked, return_exceptions=True)))
            for name in ("bad", "too"):
                self.assertIsInstance(answers[name], Failure)
                self.assertFalse(answers[name].fatal)
            self.assertRegex(answers["bad"].message, why)
            for name in "01234":
                self.assertEqual(answers[name], ([vector_of(text) for text in texts[name]], {}), mode)
            await self.settled(one)
            self.assertLess(one.counts["restarts"], 12)
            self.assertEqual(await self.ask(one, "later", [b"good", b"more"]), ([vector_of(b"good"), vector_of(b"more")], {}))

    async def test_a_process_that_fails_at_everything_is_not_asked_each_passage(self):
        one = self.embedder("always dies")
        texts = [b"text %d" % n for n in range(200)]
        with self.assertRaisesRegex(Failure, "failed twice"):
            await self.ask(one, "a", texts)
        await self.settled(one)
        self.assertLess(one.counts["restarts"], 10)

    async def test_an_encoder_that_says_something_out_of_its_limits_is_refused_by_name(self):
        good = {"protocol": 1, "encoder": "e", "hash": "0" * 64, "precision": "fp32", "space": "s", "dimensions": 16}
        for edit, why in (
            ({"maxTokens": 0}, "maxTokens 0, not a number from 2 to 8192"),
            ({"batchTokens": None}, "batchTokens null, not a number"),
            ({"inFlight": "4"}, 'inFlight "4", not a number from 1 to 64'),
            ({"inFlight": 65}, "inFlight 65"),
            ({"dimensions": True}, "dimensions true"),
            ({"dimensions": 24}, "dimensions 24, not a multiple of 16"),
            ({"protocol": 2}, "protocol 2, not 1"),
            ({"encoder": ""}, "encoder"),
            ({"space": "s" * 201}, "not text of up to 200 bytes"),
            ({"hash": "0" * 63}, "not 64 hexadecimal digits"),
            ({"input": "images"}, 'input "images", neither text nor tokens'),
            ({"input": "tokens"}, "without the path of a vocabulary"),
            ([], "protocol"),
        ):
            Path(self.mark).write_text(json.dumps({**good, **edit} if isinstance(edit, dict) else edit))
            with self.assertRaisesRegex(Failure, "said something impossible: .*" + re.escape(why)) as caught:
                await self.embedder("says").ready()
            self.assertTrue(caught.exception.fatal)
        Path(self.mark).write_text(json.dumps({**good, "maxTokens": 8192, "batchTokens": 262144, "inFlight": 64}))
        self.assertEqual((await self.embedder("says").ready())["inFlight"], 64)

    async def test_a_process_that_does_not_get_ready_is_named(self):
        for mode, why in (("refuses", "no such model"), ("nonsense", "impossible"), ("works'; exit 3; '", "it ended")):
            with self.assertRaisesRegex(Failure, why) as caught:
                await self.embedder(mode).ready()
            self.assertTrue(caught.exception.fatal)

    async def test_an_encoder_that_does_not_start_again_ends_the_build_and_not_only_the_bundle(self):
        one = self.embedder("refuses later")
        answers = await asyncio.gather(*(self.ask(one, name, [b"one", name.encode()]) for name in "ab"), return_exceptions=True)
        for answer in answers:
            self.assertIsInstance(answer, Failure)
            self.assertTrue(answer.fatal)
            self.assertIn("no such model", answer.message)

    async def test_another_encoder_than_the_build_began_with_is_refused_by_name(self):
        began = await self.embedder().ready()
        later = self.embedder("other")  # as an actor that was started again on another node
        keys = [key_of(began["identity"], b"text")]
        with self.assertRaisesRegex(Failure, r"the encoder is other fp32 .* this build began with fake fp32") as caught:
            await later.embed(mark(began), "a", keys, [b"text"])
        self.assertTrue(caught.exception.fatal)
        self.assertEqual((len(later.vectors), later.counts["asked"]), (0, 0))

    async def test_vectors_that_cannot_be_read_end_the_build_as_often_as_they_are_asked_for(self):
        one = self.embedder()
        await self.ask(one, "a", [b"text"])
        one.vectors.flush()
        self.kept.fails = True
        two = self.embedder()
        for _ in range(2):
            with self.assertRaisesRegex(Failure, "Known vectors cannot be read: no way in") as caught:
                await self.ask(two, "a", [b"text"])
            self.assertTrue(caught.exception.fatal)
            self.assertIsNone(two._process, "no process is left behind")
        self.kept.fails = False
        self.assertEqual(await self.ask(two, "a", [b"text"]), ([vector_of(b"text")], {}))

    async def test_what_is_no_vector_is_not_kept(self):
        rows, errors = await self.ask(self.embedder("zeros"), "a", [b"a", b"much longer"])
        self.assertEqual((rows, errors), ([vector_of(b"a"), b""], {1: "its vector is all zeros"}))
        for mode in ("nan", "inf", "-inf"):
            one = self.embedder(mode)
            with self.assertRaisesRegex(Failure, "not finite"):
                await self.ask(one, "a", [b"text"])
            self.assertEqual(len(one.vectors), 0)

    async def test_a_full_disk_under_the_vectors_ends_the_build(self):
        for pwrite in (mock.Mock(side_effect=OSError(28, "No space left on device")), mock.Mock(return_value=3)):
            one = self.embedder()
            with mock.patch("os.pwrite", pwrite), self.assertRaisesRegex(Failure, "No space|no more room") as caught:
                await self.ask(one, "a", [b"text"])
            self.assertTrue(caught.exception.fatal)
            self.assertEqual(await self.ask(one, "a", [b"text"]), ([vector_of(b"text")], {}))

    async def test_passages_are_answered_while_vectors_are_written(self):
        one = self.embedder()
        await self.ask(one, "a", [b"first"])
        self.kept.may_write = threading.Event()
        flushing = [asyncio.create_task(one.flush()) for _ in range(2)]
        await asyncio.to_thread(self.kept.is_writing.wait, 10)
        rows, _ = await asyncio.wait_for(self.ask(one, "a", [b"first", b"second"]), 5)
        self.assertEqual(rows, [vector_of(b"first"), vector_of(b"second")])
        self.kept.may_write.set()
        self.assertEqual(await asyncio.gather(*flushing), [1, 1], "one after the other")
        one.vectors.add(key_of(b"k" * 32, b"third"), vector_of(b"third"))
        self.kept.fails = True
        with self.assertRaisesRegex(Failure, "no room"):
            await one.flush()

    async def test_of_an_embedder_a_packer_learns_that_it_failed_and_the_build_whether_for_all(self):
        said = await self.embedder().ready()
        for fatal in (True, False):

            async def fails(*_):
                raise Failure("no such model", fatal=fatal)

            folder = tempfile.TemporaryDirectory()
            self.addCleanup(folder.cleanup)
            with self.assertRaises(Failure) as caught:
                with Session(said, [fails], folder.name, "kiln") as session:
                    process = await asyncio.create_subprocess_shell(
                        session.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
                    )
                    process.stdin.write(frames.frame(frames.HELLO, b'{"protocol": 1}') + frames.batch(0, [b"a"], False))
                    self.assertEqual((await frames.read_frame(process.stdout))[0], frames.READY)
                    kind, payload = await frames.read_frame(process.stdout)
                    self.assertEqual((kind, frames.parse_error(payload)), (frames.ERROR, (frames.WHOLE, frames.WHOLE, "no such model")))
                    process.stdin.close()
                    await process.wait()
                    raise Failure("the encoder failed")
            self.assertEqual((caught.exception.message, caught.exception.fatal), (("no such model", True) if fatal else ("the encoder failed", False)))

    async def test_a_packer_waits_for_a_long_queue_and_for_what_was_lost(self):
        said = await self.embedder().ready()
        session = Session(said, [], "/tmp", "kiln")
        session._socket = "/tmp/x/encoder"
        made = session.recipe({"encoder": "fake", "encoderCommand": "own", "encoderPrecision": "int8", "passageSize": 9})
        self.assertEqual(
            {**made, "encoderCommand": made["encoderCommand"].split()[-1]},
            {"encoder": "fake", "encoderCommand": "/tmp/x/encoder", "encoderTimeout": 86400, "vectorCache": "none", "passageSize": 9},
        )

    async def test_a_packer_is_answered_through_its_pipe(self):
        one = self.embedder()
        said = await one.ready()
        loop = asyncio.get_running_loop()

        async def elsewhere(*asked):  # as an actor on another node
            return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(one.embed(*asked), loop))

        with tempfile.TemporaryDirectory() as folder, Session(said, [elsewhere, elsewhere], folder, "kiln") as session:
            process = await asyncio.create_subprocess_shell(
                session.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
            )
            process.stdin.write(frames.frame(frames.HELLO, b'{"protocol": 1}'))
            kind, payload = await frames.read_frame(process.stdout)
            self.assertEqual((kind, json.loads(payload)["space"]), (frames.READY, "fake"))
            self.assertNotIn("identity", json.loads(payload))
            texts = [[b"a%d" % n, b"bad", b"b"] for n in range(6)]
            for number, items in enumerate(texts):
                process.stdin.write(frames.batch(number, items, False))
            errors, rows = {}, {}
            while len(rows) < 6:
                kind, payload = await frames.read_frame(process.stdout)
                if kind == frames.ERROR:
                    number, item, _ = frames.parse_error(payload)
                    self.assertNotIn(number, rows, "errors come before the vectors")
                    errors[number] = item
                else:
                    number, got = frames.parse_vectors(payload, DIMENSIONS)
                    rows[number] = got
            self.assertEqual(errors, {number: 1 for number in range(6)})
            for number, items in enumerate(texts):
                self.assertEqual([rows[number][0], rows[number][2]], [vector_of(items[0]), vector_of(b"b")])
            process.stdin.close()
            self.assertEqual(await asyncio.wait_for(process.wait(), 10), 0)

    async def test_a_packer_is_answered_whatever_the_length_of_its_folder(self):
        one = self.embedder()
        said = await one.ready()
        folder = os.path.join(self.folder.name, "a" * 120)
        os.mkdir(folder)
        with Session(said, [one.embed], folder, "kiln") as session:
            self.assertTrue(os.path.exists(session._socket))
        self.assertFalse(os.path.exists(os.path.dirname(session._socket)))
        with mock.patch("asyncio.start_unix_server", side_effect=OSError("no sockets here")):
            refused = Session(said, [one.embed], folder, "kiln")
            with self.assertRaisesRegex(Failure, "no sockets here"):
                refused.__enter__()
            self.assertFalse(os.path.exists(os.path.dirname(refused._socket)))


class Capacity(unittest.TestCase):
    def nodes(self, *resources):
        return [{"Alive": True, "Resources": each} for each in resources]

    def lack(self, stage, options, nodes, count=1):
        return capacity.lack(stage, capacity.asked_by(options), nodes, count)

    def test_what_some_node_can_take_lacks_nothing(self):
        nodes = self.nodes({"CPU": 0.0}, {"CPU": 4.0, "memory": 8 << 30, "ssd": 1.0})
        for options in (
            {"num_cpus": 4},
            {"num_cpus": 0},
            {"num_cpus": 0.25, "memory": 8 << 30},
            {"num_cpus": 1, "num_gpus": 0, "resources": {"ssd": 1}},
        ):
            self.assertIsNone(self.lack("pack", options, nodes), options)
        self.assertIsNone(self.lack("embed", {"num_cpus": 0}, nodes, 64))
        self.assertIsNone(self.lack("embed", {"num_gpus": 0.1}, self.nodes({"GPU": 0.7}), 7), "of 0.7 there are seven tenths")

    def test_what_no_node_can_take_is_named_with_what_there_is_and_the_way_out(self):
        nodes = self.nodes({"CPU": 4.0, "memory": float(8 << 30)}, {"CPU": 2.0, "ssd": 1.0}) + [
            {"Alive": False, "Resources": {"CPU": 64.0, "GPU": 8.0}}
        ]
        for stage, options, count, text in (
            ("embed", {"num_cpus": 0, "num_gpus": 1}, 2, "An encoder of --stage embed takes 1 GPU; the most that a node has is 0 GPUs. Ask for less by --stage embed:gpus=N, or add such nodes."),
            ("pack", {"num_cpus": 8}, 1, "A task of --stage pack takes 8 CPUs; the most that a node has is 4 CPUs. Ask for less by --stage pack:cpus=N, or add such nodes."),
            ("pack", {"num_cpus": 1, "memory": 16 << 30}, 1, "A task of --stage pack takes 1 CPU and 16 GiB of memory; the most that a node has is 4 CPUs and 8 GiB of memory. Ask for less by --stage pack:cpus=N,memory=N, or add such nodes."),
            ("fetch", {"num_cpus": 4, "resources": {"ssd": 1}}, 1, "A task of --stage fetch takes 4 CPUs and 1 ssd; the most that a node has is 4 CPUs and 1 ssd, but not on one node. Ask for less by --stage fetch:cpus=N,ssd=N, or add such nodes."),
            ("embed", {"memory": 3 << 30}, 8, "An encoder of --stage embed takes 3 GiB of memory; the nodes have room for 2 of 8. Ask for less by --stage embed:memory=N,actors=2, or add such nodes."),
        ):
            self.assertEqual(self.lack(stage, options, nodes, count), text)
        self.assertEqual(
            self.lack("embed", {"num_cpus": 0}, []),
            "An encoder of --stage embed takes nothing of its own; no node is there. Add such nodes.",
        )

    def test_a_cluster_grows_whose_nodes_have_types_with_names(self):
        def says(*types):
            return json.dumps({"autoscaler_report": {"active_nodes": dict.fromkeys(types, 1), "legacy": True}}).encode()

        for status, is_second, grows in (
            (says("node_681e5d3fea61cd05320d", "node_01"), False, False),
            (says("ray.head.default"), False, True),
            (says("node_01", "small-group"), False, True),
            (says(), False, None),
            (b'{"load_metrics_report": {}}', False, None),
            (None, False, None),
            (None, True, True),
        ):
            self.assertEqual(capacity.may_grow(status, is_second), grows, status)


class Parcels(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def files(self, **texts):
        for name, text in texts.items():
            path = self.folder / "docs" / name.replace("__", "/").replace("_md", ".md")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def sent(self, own, inputs=("",), unread=(), **more):
        docs = self.folder / "docs"
        fetched = {"root": str(docs), "inputs": [str(docs / each) for each in inputs], "version": "1", **more}
        plain, pages, lacking = parcel.wrap(fetched, str(own))
        self.assertEqual(lacking, list(unread))
        placed = parcel.unwrap(plain, pages, str(self.folder / "there"))
        root = Path(placed["root"])
        self.assertEqual(placed["inputs"], [str(root / each) for each in inputs])
        return sorted(str(path.relative_to(root)) for path in root.rglob("*") if not path.is_dir())

    def test_of_a_users_folder_only_what_a_packer_reads_is_sent(self):
        self.files(a_md="# A", b__c_md="# C", node_modules__x_md="no")
        (self.folder / "docs" / ".secret").write_text("no")
        (self.folder / "docs" / "b" / "code.py").write_text("print()")
        (self.folder / "docs" / "big.png").write_bytes(b"x" * (parcel.INCLUDED + 1))
        (self.folder / "docs" / "big.md").write_bytes(b"x" * (parcel.INCLUDED + 1))
        (self.folder / "docs" / "link.md").symlink_to("a.md")
        (self.folder / "docs" / "passwd.md").symlink_to("/etc/passwd")
        self.assertEqual(self.sent(self.folder / "elsewhere"), ["a.md", "b/c.md", "b/code.py", "big.md", "link.md"])

    def test_of_what_was_fetched_all_is_sent(self):
        self.files(a_md="# A", node_modules__x_md="yes", _git__config="no")
        os.rename(self.folder / "docs" / "_git", self.folder / "docs" / ".git")
        (self.folder / "docs" / "link.md").symlink_to("a.md")
        (self.folder / "docs" / "host.md").symlink_to("/etc/hostname")
        (self.folder / "docs" / "round.md").symlink_to("../docs/a.md")
        (self.folder / "docs" / "out.md").symlink_to("../../a.md")
        self.assertEqual(self.sent(self.folder), ["a.md", "link.md", "node_modules/x.md", "round.md"])

    def test_links_are_judged_by_where_they_lead_and_what_they_lead_to_is_sent(self):
        self.files(a_md="# A", _hidden__h_md="# H", _hidden__deep__d_md="# D", node_modules__n_md="# N", _git__g_md="no")
        docs = self.folder / "docs"
        for name in ("hidden", "git"):
            os.rename(docs / f"_{name}", docs / f".{name}")
        (docs / "absolute.md").symlink_to(docs / "a.md")
        (docs / "round.md").symlink_to("../docs/a.md")
        (docs / "guide").symlink_to(".hidden")
        (docs / "module.md").symlink_to("node_modules/n.md")
        (docs / "twice.md").symlink_to("absolute.md")
        (docs / "gone.md").symlink_to("nothing.md")
        (docs / "loop").symlink_to(".")
        (docs / "git.md").symlink_to(".git/g.md")
        (self.folder / "out.md").write_text("no")
        (docs / "out.md").symlink_to("../out.md")
        paths = self.sent(self.folder / "elsewhere")
        self.assertEqual(
            [path for path in paths if path != "loop"],
            [".hidden/deep/d.md", ".hidden/h.md", "a.md", "absolute.md", "gone.md", "module.md", "node_modules/n.md", "round.md", "twice.md"]
            + (["guide"] if "guide" in paths else []),
        )
        there = self.folder / "there" / "pages"
        self.assertEqual((there / "guide" / "deep" / "d.md").read_text(), "# D")
        for name, text in (("absolute.md", "# A"), ("round.md", "# A"), ("twice.md", "# A"), ("module.md", "# N")):
            self.assertTrue((there / name).is_symlink())
            self.assertEqual((there / name).read_text(), text)

    def test_what_a_packer_looks_for_in_hidden_folders_and_what_pages_include_is_sent(self):
        self.files(a_md="# A", _vitepress__theme__code_ts="code", _vitepress__cache_bin="no", _env="no", html__a_html="<p>", node_modules__x__x_js="x")
        docs = self.folder / "docs"
        os.rename(docs / "_vitepress", docs / ".vitepress")
        os.rename(docs / "_env", docs / ".env")
        (docs / "html" / ".buildinfo").write_text("# Sphinx")
        included = [".vitepress/theme/code_ts", "node_modules/x/x_js", ".env"]
        self.assertEqual(
            self.sent(self.folder / "elsewhere", included=included),
            [".vitepress/theme/code_ts", "a.md", "html/.buildinfo", "html/a_html", "node_modules/x/x_js"],
        )

    def test_an_environment_of_python_is_not_sent(self):
        self.files(a_md="# A", env__lib__readme_md="no")
        (self.folder / "docs" / "env" / "pyvenv.cfg").write_text("home = /usr")
        self.assertEqual(self.sent(self.folder / "elsewhere"), ["a.md"])

    def test_of_a_page_that_is_named_by_itself_no_neighbour_is_sent_but_what_it_includes(self):
        self.files(a_md="# A", b_md="no", parts__one_txt="one", parts__two_txt="no")
        docs = self.folder / "docs"
        (docs / "private_key.pem").write_text("no")
        (docs / "mkdocs.yml").write_text("nav: []")
        (docs / "linked").symlink_to("parts")
        (self.folder / "far.md").write_text("# Far")
        (docs / "far.md").symlink_to(self.folder / "far.md")
        paths = self.sent(self.folder / "elsewhere", inputs=["a.md", "far.md"], included=["linked/one_txt"])
        self.assertEqual([path for path in paths if path != "linked"], ["a.md", "far.md", "mkdocs.yml", "parts/one_txt"])
        there = self.folder / "there" / "pages"
        self.assertEqual((there / "linked" / "one_txt").read_text(), "one")
        self.assertEqual((there / "far.md").read_text(), "# Far", "whoever names a link means what it leads to")

    def test_a_page_that_somebody_saves_meanwhile_costs_no_other_page(self):
        self.files(a_md="# A", b_md="x" * 5000, c_md="# C")
        docs = self.folder / "docs"
        opened = io.open

        def saved(path, *more):
            file = opened(path, *more)
            if str(path) == str(docs / "b.md") and more == ("rb",):
                (docs / "b.md").write_text("# short")
            return file

        with mock.patch("builtins.open", saved), mock.patch.object(tarfile, "bltn_open", saved):
            self.assertEqual(self.sent(self.folder / "elsewhere"), ["a.md", "b.md", "c.md"])
        self.assertEqual((self.folder / "there" / "pages" / "c.md").read_text(), "# C")

    def test_what_cannot_be_read_is_named_and_the_rest_is_sent(self):
        self.files(a_md="# A", b_md="# B", closed__c_md="# C")
        docs = self.folder / "docs"
        opened, scanned = io.open, os.scandir

        def refusing(path, *more):
            if str(path) == str(docs / "b.md"):
                raise PermissionError(13, "Permission denied")
            return opened(path, *more)

        def shut(path):
            if str(path) == str(docs / "closed"):
                raise PermissionError(13, "Permission denied")
            return scanned(path)

        with mock.patch("builtins.open", refusing), mock.patch("os.scandir", shut):
            unread = ["closed (Permission denied)", "b.md (Permission denied)"]
            self.assertEqual(self.sent(self.folder / "elsewhere", unread=unread), ["a.md"])
        with mock.patch("builtins.open", side_effect=PermissionError(13, "Permission denied")):
            with self.assertRaisesRegex(Failure, r"x\.sheaf cannot be read: .*Permission denied"):
                parcel.wrap({"bundle": str(self.folder / "x.sheaf"), "root": "", "inputs": []}, "")

    def test_a_ready_bundle_is_sent_as_it_is(self):
        bundle = self.folder / "x.sheaf"
        bundle.write_bytes(b"bundle")
        plain, pages, _ = parcel.wrap({"bundle": str(bundle), "root": str(self.folder), "inputs": []}, str(self.folder))
        placed = parcel.unwrap(plain, pages, str(self.folder / "there"))
        self.assertEqual(Path(placed["bundle"]).read_bytes(), b"bundle")

    def test_a_parcel_that_leads_out_of_its_folder_is_refused_by_every_python(self):
        def hostile(name, link=None):
            stream = io.BytesIO()
            with tarfile.open(fileobj=stream, mode="w:gz") as tar:
                member = tarfile.TarInfo(name)
                if link is not None:
                    member.type, member.linkname = tarfile.SYMTYPE, link
                tar.addfile(member)
            return stream.getvalue()

        filters = [None] if not hasattr(tarfile, "data_filter") else [None, tarfile.data_filter]
        for number, each in enumerate(filters):
            if hasattr(tarfile, "data_filter"):
                self.addCleanup(setattr, tarfile, "data_filter", tarfile.data_filter)
                if each is None:
                    del tarfile.data_filter
                else:
                    tarfile.data_filter = each
            for name, link in [("../out.md", None), ("pages/a", "/etc/passwd"), ("pages/a", "../../out")]:
                with self.assertRaises(Failure):
                    parcel.unwrap({"inputs": []}, hostile(name, link), str(self.folder / f"there{number}"))
            self.assertFalse((self.folder / "out.md").exists())

    def test_a_python_without_filters_unpacks_the_same(self):
        self.files(a_md="# A", b__c_md="# C")
        (self.folder / "docs" / "link.md").symlink_to("b/c.md")
        os.link(self.folder / "docs" / "a.md", self.folder / "docs" / "same.md")
        if hasattr(tarfile, "data_filter"):
            self.addCleanup(setattr, tarfile, "data_filter", tarfile.data_filter)
            del tarfile.data_filter
        self.assertEqual(self.sent(self.folder), ["a.md", "b/c.md", "link.md", "same.md"])


class Workers(unittest.TestCase):
    def worker(self, answer):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name) / "sheaf"
        path.write_text(f"#!/bin/sh\n{answer}\n")
        path.chmod(0o755)
        one = worker.Worker(f"'{path}'")
        self.addCleanup(one.close)
        return one

    def test_a_closed_worker_starts_no_process_again(self):
        one = self.worker("""while read line; do echo '{"x":1}'; done""")
        self.assertEqual(one.ask(do="hello"), {"x": 1})
        one.close()
        with self.assertRaises(Failure):
            one.ask(do="hello")
        self.assertIsNone(one.process)

    def test_a_node_of_another_version_is_named(self):
        expected = {"version": "1.0.0", "probe": "aa"}

        def checked(answer):
            worker.check(self.worker(answer), expected, "10.0.0.7 (gpu)")

        def says(version, probe):
            return f"read line; echo '{json.dumps({'version': version, 'probe': probe})}'; read line"

        checked(says("1.0.0", "aa"))
        for answer, why in (
            (says("0.9.0", "aa"), r"Node 10\.0\.0\.7 \(gpu\): .* is sheaf 0\.9\.0, and this build is by 1\.0\.0"),
            (says("1.0.0", "bb"), "packs other bytes"),
            ("exit 2", r"ended with 2; is it sheaf 1\.0\.0\?"),
            ("echo Welcome to node 7; exec sleep 60", r"no object of JSON: Welcome to node 7; is it sheaf 1\.0\.0\?"),
            ("read line; echo '[1]'; read line", r"no object of JSON: \[1\]"),
            ("read line; echo '{}'; read line", r"is sheaf None, and this build is by 1\.0\.0"),
        ):
            with self.assertRaisesRegex(Failure, why) as caught:
                checked(answer)
            self.assertTrue(caught.exception.fatal)

    def test_a_failure_has_its_reason_and_a_lost_process_is_started_again(self):
        one = self.worker("""read line; echo '{"error": {"message": "no pages", "exit": 4}}'; read line""")
        with self.assertRaisesRegex(Failure, "no pages") as caught:
            one.ask(do="pack")
        self.assertEqual(caught.exception.exit, 4)
        with self.assertRaises(worker.Lost):
            one.ask(do="pack")
        with self.assertRaisesRegex(Failure, "no pages"):
            one.ask(do="pack")

    def test_a_folder_of_a_process_that_ended_is_not_asked_for(self):
        log = tempfile.NamedTemporaryFile()
        self.addCleanup(log.close)
        one = self.worker(f"""read line; echo "$line" >> '{log.name}'; echo '{{"folder": "x"}}'; read line; echo "$line" >> '{log.name}'""")
        folder, process = one.ask(do="folder")["folder"], one.process
        with self.assertRaises(worker.Lost):
            one.ask(do="pack")
        one.forget(folder, process)
        self.assertIsNone(one.process, "no process is started for it")
        one.ask(do="folder")
        one.forget(folder, process)
        one.forget(folder, one.process)  # its process ends at that: passed over
        asked = [json.loads(line)["do"] for line in Path(log.name).read_text().splitlines()]
        self.assertEqual(asked, ["folder", "pack", "folder", "forget"])


if __name__ == "__main__":
    unittest.main()
