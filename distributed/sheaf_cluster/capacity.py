"""Whether the nodes of a cluster can take what a stage asks for, were they idle. Pure; `nodes` is what ray.nodes() says.

    asked       {"CPU": 2, "GPU": 1, "memory": 2147483648, "ssd": 1}, for each of `count`
"""

import json
import math

FLAGS = {"CPU": "cpus", "GPU": "gpus"}


def asked_by(options):
    """Of Ray's options for a task or actor."""
    asked = {"CPU": options.get("num_cpus"), "GPU": options.get("num_gpus"), "memory": options.get("memory")}
    return {name: each for name, each in {**asked, **options.get("resources", {})}.items() if each}


def room(asked, nodes):
    """How many can run at a time. Of what asks for nothing, any number, where there is a node."""
    total = 0
    for node in nodes:
        if node["Alive"]:
            has = node.get("Resources", {})
            # Ray counts in ten-thousandths, which are no whole numbers of floating point.
            total += min((math.floor(has.get(name, 0) / each + 1e-6) for name, each in asked.items()), default=math.inf)
    return total


def lack(stage, asked, nodes, count=1):
    """What is asked for and what there is, for people; None where all `count` can run."""
    fits = room(asked, nodes)
    if fits >= count:
        return None
    what = "An encoder" if stage == "embed" else "A task"
    wanted = amounts(asked)
    alive = [node.get("Resources", {}) for node in nodes if node["Alive"]]
    if fits > 0:
        found = f"the nodes have room for {fits} of {count}"
    elif not alive:
        found = "no node is there"
    else:
        most = {name: max(has.get(name, 0) for has in alive) for name in asked}
        together = "" if any(most[name] < each for name, each in asked.items()) else ", but not on one node"
        found = f"the most that a node has is {amounts(most)}{together}"
    less = [f"{FLAGS.get(name, name)}=N" for name in asked] + ([f"actors={fits}"] if fits > 0 else [])
    ask = f"Ask for less by --stage {stage}:{','.join(less)}, or add" if less else "Add"
    return f"{what} of --stage {stage} takes {wanted}; {found}. {ask} such nodes."


def may_grow(status, is_second_version):
    """Whether something adds nodes to the cluster. None: that is not known (yet).

    Ray has no public word for it. `status` is what its monitor writes for `ray status`, JSON or None: without an autoscaler the
    monitor invents a type for each node, node_ID; an autoscaler's types have the names that its configuration gives them. The
    second version of the autoscaler writes none, so with it a cluster may always grow.
    """
    if is_second_version:
        return True
    if status is None:
        return None
    types = (json.loads(status).get("autoscaler_report") or {}).get("active_nodes")
    return None if not types else any(not name.startswith("node_") for name in types)


def amounts(asked):
    return " and ".join(_amount(name, each) for name, each in asked.items()) or "nothing of its own"


def _amount(name, number):
    if name == "memory":
        return f"{number / (1 << 30):.3g} GiB of memory"
    if name in FLAGS:
        return f"{number:g} {name}{'' if number == 1 else 's'}"
    return f"{number:g} {name}"
