"""`--on slurm`: the partition in which a run takes place, its scratch folder, and nodes that are drained."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.collect.workload.live.on_slurm import OnSlurm, SlurmPatience
from nodeworthy.collect.workload.live.places import Places, in_the_way
from nodeworthy.collect.workload.live.slurm_nodes import choose_nodes, ledger_of, nodes_now
from nodeworthy.collect.workload.live.slurm_turn import SlurmTurn
from nodeworthy.collect.workload.slurm import NICE, WATCHED
from nodeworthy.collect.workload.targets import not_begun
from nodeworthy.commands.accept import gate, live
from nodeworthy.commands.accept.options import Options
from nodeworthy.commands.accept.planned import Planned, accounting_seconds, slurm_terms_of
from nodeworthy.commands.asking import ask_yes
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.workload.slurm import SlurmTerms
    from nodeworthy.commands.accept.live import Live
    from nodeworthy.commands.settled import Run
    from nodeworthy.fleet.model import Fleet

from typing import TYPE_CHECKING

from nodeworthy.collect.workload.live.slurm_clients import ask
from nodeworthy.collect.workload.live.slurm_nodes import MARK, SlurmNode
from nodeworthy.commands.node.taint import say
from nodeworthy.errors import CouldNotLook
from nodeworthy.redaction import hide_secrets
from nodeworthy.report.printable import on_one_line

if TYPE_CHECKING:
    from nodeworthy.commands.accept.gate import Tried
    from nodeworthy.commands.settled import Run
    from nodeworthy.repair.standing import Standing


PATIENCE = SlurmPatience()


def prepare(options: Options, tests: tuple[str, ...], fleet: Fleet | None) -> Live:
    """Raises InputError, CouldNotLook."""
    if not (options.nodes or options.partition):
        raise InputError("no node is named: NODE, or --partition NAME for all of it")
    terms = replace(slurm_terms_of(options, tests, fleet), is_watched=True)
    manner = live.manner_of(options, fleet)
    if not os.access(terms.scratch, os.W_OK | os.X_OK):
        raise InputError(f"--scratch {terms.scratch} can't be written from here: jobs and whoever watches share it")
    nodes = nodes_now()
    shapes, left = choose_nodes(nodes, options.nodes, options.partition, reserved=options.reservation is not None)
    before = ledger_of(nodes, terms.run, WATCHED)
    left += not_begun(shapes, tests, terms.level, without_torch=terms.without_torch)
    planned = Planned(terms, tuple(shapes), tuple(left), (), f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}")
    planned = planned.without(in_the_way(planned.shapes, before, last=manner.last))
    platform = OnSlurm(terms, SlurmTurn(Path(terms.scratch), terms.run), nodes, patience_of(options))
    places = Places(before, manner.most, last=manner.last)
    courtesy = live.courtesy_of(planned, places, manner)
    return live.Live(options, planned, OfPartition(options, terms, platform), before, places, courtesy)


def patience_of(options: Options) -> SlurmPatience:
    """Raises InputError."""
    accounting = accounting_seconds(options)
    return PATIENCE if accounting is None else replace(PATIENCE, accounting=accounting)


@dataclass(frozen=True)
class OfPartition:
    options: Options
    terms: SlurmTerms
    platform: OnSlurm

    @property
    def where(self) -> str:
        said = {"partition": self.terms.partition, "reservation": self.terms.reservation}
        return ", ".join(f"{name} {value}" for name, value in said.items() if value) or "Slurm's default partition"

    def shown(self) -> Sequence[str]:
        qos = f", QOS {self.terms.qos}" if self.terms.qos else ""
        return (f"  --nice={NICE}{qos}, behind any other work; nothing is begun twice",)

    def begin(self) -> Iterator[str]:
        self.platform.turn.take()
        yield from self.platform.turn.left_behind()

    def clear(self) -> str:
        try:
            count = self.platform.remove_all()
        finally:
            self.platform.turn.leave()
        return f"{count} jobs of {self.terms.name}"

    @property
    def by_hand(self) -> str:
        return f"squeue --me --format='%i %j' | grep {self.terms.name}-, and scancel what it lists"

    def mark(self, run: Run, _: Fleet | None, tried: gate.Tried) -> bool:
        return mark_nodes(self.options, run, tried)


# `--taint` on Slurm: a node that fails is drained, with the rule as its reason, and no drain is ever ended by us.


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
    if not (options.yes or ask_yes(f"drain node {name}, because of {reason}?")):
        say(f"node {name} is left as it is\n")
        return False
    try:
        ask("scontrol", "update", f"nodename={name}", "state=drain", f"reason={reason}")
    except CouldNotLook as problem:
        say(f"node {name} was not drained: scontrol says: {problem}\n")
        return False
    say(f"node {name} is drained: {reason}\n")
    return True
