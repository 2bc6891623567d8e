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
from nodeworthy.errors import InputError
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.workload.slurm import SlurmTerms
    from nodeworthy.commands.accept.live import Live
    from nodeworthy.commands.settled import Run
    from nodeworthy.fleet.model import Fleet

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
        from nodeworthy.commands.accept.draining import mark_nodes

        return mark_nodes(self.options, run, tried)
