"""`--taint` on Slurm: a node that fails is drained with the rule as its reason; and no drain is ended but our own."""

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
    is_drained = "DRAIN" in node.states
    if found.fitness is Fitness.UNFIT and is_drained and not node.is_ours:
        say(f"node {name} is left as it is: it is drained by others already: {node.reason}\n")
        return True
    if found.fitness is Fitness.UNFIT:
        reason = on_one_line(hide_secrets(f"{MARK}{found.rule} {found.why}"))[:_LONGEST]
        return _update(options, name, f"drain it: {reason}", "state=drain", f"reason={reason}")
    if is_drained and node.is_ours:
        return _update(options, name, f"resume it, which we drained: {node.reason}", "state=resume")
    return True


def _update(options: Options, name: str, what: str, *words: str) -> bool:
    if not (options.yes or ask_yes(f"node {name}: {what}? [y/N] ")):
        say(f"node {name} is left as it is\n")
        return False
    try:
        ask("scontrol", "update", f"nodename={name}", *words)
    except CouldNotLook as problem:
        say(f"node {name} was not marked: scontrol says: {problem}\n")
        return False
    say(f"node {name}: {what}\n")
    return True
