"""What the driver says while it waits; Ray is asked for nothing."""

import asyncio
import socket
import sys
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "distributed"))

from sheaf_cluster import driver, stages  # noqa: E402
from sheaf_cluster.errors import Failure  # noqa: E402

LACK = "A task of --stage pack takes 1 ssd; the most that a node has is 0 ssd. Ask for less by --stage pack:ssd=N, or add such nodes."


class Addresses(unittest.TestCase):
    def test_an_address_without_a_listener_is_named_at_once_with_the_way_out(self):
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            port = unused.getsockname()[1]
        for address, is_named, said in [
            (f"127.0.0.1:{port}", False, f"RAY_ADDRESS=127.0.0.1:{port}"),
            (f"ray://127.0.0.1:{port}", True, f"--on ray://127.0.0.1:{port}"),
        ]:
            with self.assertRaises(Failure) as caught:
                driver.require_answer(address, is_named)
            self.assertTrue(caught.exception.plain()["fatal"])
            self.assertIn(f"No Ray cluster answers at 127.0.0.1:{port} ({said}): Connection refused.", str(caught.exception))

    def test_an_address_with_a_listener_and_words_for_this_machine_pass(self):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            driver.require_answer(f"127.0.0.1:{listening.getsockname()[1]}", False)
        for address in ["", "auto", "local"]:
            driver.require_answer(address, False)


class Waiting(unittest.IsolatedAsyncioTestCase):
    def setUp(self):
        self.said = []
        self.nodes = [{"Alive": True, "NodeID": "a", "NodeManagerHostname": "one", "Resources": {"CPU": 4.0}}]
        for patch in (
            mock.patch.object(driver.ray, "nodes", lambda: self.nodes),
            mock.patch.object(driver, "PATIENCE_SECONDS", 0.1),
        ):
            patch.start()
            self.addCleanup(patch.stop)
        self.driver = driver.Driver(lambda answer: self.said.append(answer["say"]))
        self.driver._asked = {"fetch": ({"CPU": 0.25}, 1), "pack": ({"ssd": 1}, 1)}

    async def test_a_lost_node_is_named_once(self):
        self.nodes.append({"Alive": True, "NodeID": "b", "NodeManagerHostname": "two", "Resources": {"CPU": 4.0}})
        watching = asyncio.create_task(self.driver._watch_stages())
        await asyncio.sleep(0.2)
        self.nodes[1]["Alive"] = False
        await asyncio.sleep(0.3)
        self.assertEqual(self.said, ["A node on two was lost, 1 node left. Its tasks run again on others."])
        watching.cancel()

    async def test_what_tasks_wait_for_is_said_once_and_when_it_is_there(self):
        watching = asyncio.create_task(self.driver._watch_stages())
        await asyncio.sleep(0.3)
        self.assertEqual(self.said, [], "nobody waits")
        self.driver._open["pack"] = 3
        await asyncio.sleep(0.5)
        self.assertEqual(self.said, [f"3 tasks wait. {LACK}"])
        self.nodes[0]["Resources"]["ssd"] = 1.0
        await asyncio.sleep(0.3)
        self.assertEqual(self.said[1:], ["The tasks of --stage pack go on."])
        watching.cancel()

    async def test_what_could_not_be_read_is_named_with_its_library_but_not_without_end(self):
        order = {"spec": {"type": "local_path", "local_path": "/docs"}, "library": "kiln"}
        self.driver._say_unread(order, [])
        self.driver._say_unread(order, ["a.md (Permission denied)"])
        del order["library"]
        self.driver._say_unread(order, [f"{n}.md (gone)" for n in range(7)])
        self.assertEqual(
            self.said,
            [
                "kiln is packed without what could not be read: a.md (Permission denied).",
                "/docs is packed without what could not be read: 0.md (gone), 1.md (gone), 2.md (gone), 3.md (gone), 4.md (gone), and 2 more.",
            ],
        )

    async def test_the_end_waits_for_an_encoder_that_is_slow_and_not_for_ever_for_one_that_is_lost(self):
        class Actor:
            def __init__(self, silent, seconds):
                self.ping = self.flush = self
                self.silent, self.seconds = silent, seconds

            async def answer(self, seconds):
                await asyncio.sleep(seconds)
                return {"written": 1}

            def remote(self):
                return self.answer(3600 if self.silent else self.seconds)

        self.driver._asked["embed"] = ({}, 2)
        self.driver._actors = [Actor(True, 0), Actor(False, 0.5)]
        # Pings of the second are answered at once, though its vectors take long.
        self.driver._actors[1].ping = Actor(False, 0)
        watching = [asyncio.create_task(self.driver._watch_actor(index)) for index in range(2)]
        with mock.patch.object(driver, "LAST_SECONDS", 0.4):
            done = await asyncio.wait_for(self.driver.do_finish(), 10)
        self.assertEqual(done["embed"], [{"written": 1}])
        self.assertRegex(self.said[-1], r"^Vectors were not written down: Encoder 1 of 2 has not answered for \d+ seconds\.$")
        for task in watching:
            task.cancel()

    async def test_what_no_node_can_take_ends_the_build_unless_the_cluster_may_grow(self):
        status = b'{"autoscaler_report": {"active_nodes": {"%s": 1}}}'
        for answer, grows in (
            ((status % b"node_01", False), False),
            ((status % b"small-group", False), True),
            ((None, True), True),
            (RuntimeError("no such key"), True),
        ):
            self.said.clear()
            asked = {"side_effect": answer} if isinstance(answer, Exception) else {"return_value": answer}
            with mock.patch.object(stages, "autoscaling", **asked):
                if grows:
                    await self.driver._check_room()
                    self.assertEqual(self.said, [f"{LACK} Until then it waits: the cluster may grow."])
                else:
                    with self.assertRaises(Failure) as caught:
                        await self.driver._check_room()
                    self.assertEqual((caught.exception.message, caught.exception.fatal), (LACK, True))

    async def test_a_failure_of_a_task_stays_fatal_and_what_ray_lost_is_tried_again(self):
        class Made:
            def __init__(self):
                self.times = 0

            async def __call__(self, *_):
                self.times += 1
                raise self.error

        for error, fatal, times in (
            (driver.ray.exceptions.RayTaskError("f", "trace", Failure("no model", fatal=True)), True, 1),
            (driver.ray.exceptions.RayTaskError("f", "trace", OSError("no disk")), False, 1),
            (driver.ray.exceptions.WorkerCrashedError(), False, driver.ATTEMPTS),
            (driver.ray.exceptions.RuntimeEnvSetupError("no package"), True, driver.ATTEMPTS),
        ):
            made = Made()
            made.error = error
            self.driver._shared_paths = False
            with mock.patch.object(self.driver, "_make", made), self.assertRaises(Failure) as caught:
                await self.driver.do_make({}, False)
            self.assertEqual((caught.exception.fatal, made.times), (fatal, times), error)


if __name__ == "__main__":
    unittest.main()
