"""`--taint` on Slurm: a node that fails is drained, with the rule as its reason, and no drain is ever ended by us."""

from __future__ import annotations

from typing import TYPE_CHECKING

from nodeworthy.collect.workload.live.slurm_clients import ask
from nodeworthy.collect.workload.live.slurm_nodes import MARK, SlurmNode, nodes_now
from nodeworthy.commands.accept.options import Options
from nodeworthy.commands.node.taint import ask_yes, say
from nodeworthy.errors import CouldNotLook
from nodeworthy.redaction import hide_secrets
from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.commands.accept.gate import Tried
    from nodeworthy.commands.settled import Run
    from nodeworthy.repair.standing import Standing

# What sinfo -R has room for.
_LONGEST = 200


def mark_nodes(options: Options, run: Run, tried: Tried) -> bool:
    """Whether all was marked as it should be."""
    from nodeworthy.commands.accept.gate import node_standing

    standings = {each: node_standing(each, tried.recorded, tried.report, run) for each in tried.recorded.nodes}
    try:
        nodes = nodes_now()
    except CouldNotLook as problem:
        say(f"no node was marked: {problem}\n")
        return False
    marked = [_mark(options, nodes.get(name), name, found) for name, found in standings.items()]
    return all(marked)


def _mark(options: Options, node: SlurmNode | None, name: str, found: Standing) -> bool:
    from nodeworthy.repair.standing import Fitness

    if node is None or found.fitness is Fitness.UNSEEN:
        say(f"node {name} is left as it is: {found.why if node is not None else 'Slurm knows it no more'}\n")
        return True
    if found.fitness is not Fitness.UNFIT:
        return True
    if "DRAIN" in node.states:
        say(f"node {name} is left as it is: it is drained already: {node.reason}\n")
        return True
    reason = on_one_line(hide_secrets(f"{MARK}{found.why}"))[:_LONGEST]
    return _drain(options, name, reason)


def _drain(options: Options, name: str, reason: str) -> bool:
    if not (options.yes or ask_yes(f"drain node {name}, because of {reason}? [y/N] ")):
        say(f"node {name} is left as it is\n")
        return False
    try:
        ask("scontrol", "update", f"nodename={name}", "state=drain", f"reason={reason}")
    except CouldNotLook as problem:
        say(f"node {name} was not drained: scontrol says: {problem}\n")
        return False
    say(f"node {name} is drained: {reason}\n")
    return True
