"""A Ray cluster of several nodes on this machine's loopback, for tests: real raylets and object stores, one a node.

Commands on stdin, a line of JSON each; each is answered by one line.

    {"do": "add", "cpus": 1, "env": {…}, "resources": {…}}   -> {"node": 1}
    {"do": "lose", "node": 1}             the node's raylet and workers are killed, without a word to the others
    {"do": "workers"}                     -> {"workers": [[pid, "ray::pack"], …]}
    {"do": "kill", "pid": 7}              SIGKILL, as the system would
Its end is the end of the cluster.
"""

import json
import os
import signal
import sys

answers = os.fdopen(os.dup(1), "w", buffering=1)
os.dup2(2, 1)

from ray.cluster_utils import Cluster  # noqa: E402

MEMORY = 256 << 20


def is_ours(pid):
    """Whether a process descends from this one: other clusters of this machine are nobody's to kill."""
    while pid > 1 and pid != os.getpid():
        try:
            with open(f"/proc/{pid}/stat") as file:
                pid = int(file.read().rsplit(")", 1)[1].split()[1])
        except OSError:
            return False
    return pid == os.getpid()


def workers():
    """Processes of Ray's workers, by what they do."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/cmdline") as file:
                    title = file.read().replace("\0", " ").strip()
            except OSError:
                continue
            if title.startswith("ray::") and is_ours(int(name)):
                found.append([int(name), title])
    return found


def main():
    port = int(sys.argv[1])
    cluster = Cluster()
    head = {"num_cpus": 0, "object_store_memory": MEMORY, "include_dashboard": False}
    nodes = [cluster.add_node(**head, ray_client_server_port=port)]
    answers.write(json.dumps({"address": cluster.address}) + "\n")
    for line in sys.stdin:
        request = json.loads(line)
        what, answer = request["do"], {}
        if what == "add":
            options = {"num_cpus": request.get("cpus", 1), "object_store_memory": MEMORY}
            if "resources" in request:
                options["resources"] = request["resources"]
            nodes.append(cluster.add_node(**options, env_vars=request.get("env", {})))
            cluster.wait_for_nodes()
            answer = {"node": len(nodes) - 1}
        elif what == "lose":
            cluster.remove_node(nodes[request["node"]], allow_graceful=False)
        elif what == "workers":
            answer = {"workers": workers()}
        elif what == "kill":
            try:
                os.kill(request["pid"], signal.SIGKILL)
            except ProcessLookupError:
                answer = {"gone": True}
        answers.write(json.dumps(answer) + "\n")
    cluster.shutdown()


main()
