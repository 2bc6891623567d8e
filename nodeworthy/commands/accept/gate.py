"""`--taint`: what a run says of each node as a whole, and the marks that this leaves: a node whose suite passed in this
boot and that passed the level of the fleet's gate loses its taint; one that fails gets it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import TYPE_CHECKING, Any

from nodeworthy.commands.accept.options import Options
from nodeworthy.commands.accept.shown import concerns
from nodeworthy.commands.asking import ask_yes
from nodeworthy.commands.node.taint import say
from nodeworthy.errors import InputError
from nodeworthy.known.acceptance import Level, NotRun, level_tests
from nodeworthy.records import dataclass
from nodeworthy.report.report import Report
from nodeworthy.verdict import Verdict

if TYPE_CHECKING:
    from nodeworthy.collect.workload.recording import RunRecording
    from nodeworthy.commands.settled import Run
    from nodeworthy.engine import Judgement
    from nodeworthy.fleet.model import Fleet
    from nodeworthy.repair.standing import Standing

REFUSED = 3
# A test of groups where the pool has one node can't run, and says nothing against it.
_NO_FAULT = frozenset({NotRun.ONE_NODE, NotRun.NO_HARDWARE})


def refuse_parts(options: Options) -> None:
    """Raises InputError: a level that ran in part marks no node."""
    parts: dict[str, object] = {"--test": options.test, "--skip-test": options.skip_test, "--rule": options.rule}
    parts |= {"--skip-rule": options.skip_rule, "--without-torch": options.without_torch}
    for name, given in parts.items():
        if given:
            raise InputError(f"{name} tries a part, and --taint is about the whole node: one without the other")


@dataclass(frozen=True)
class Tried:
    """A run, what was judged of it, and in which boot each node was when it began."""

    recorded: RunRecording
    report: Report
    boots: Mapping[str, str]


def mark_nodes(options: Options, run: Run, fleet: Fleet | None, tried: Tried) -> bool:
    """Whether all was marked as it should be."""
    from nodeworthy.repair.accepting import accept_edits
    from nodeworthy.repair.gate import gate_of
    from nodeworthy.repair.server import Server
    from nodeworthy.repair.standing import Fitness
    from nodeworthy.repair.tainting import NODE, Host, Looked, Tainting

    looked = []
    for name in tried.recorded.nodes:
        found = node_standing(name, tried.recorded, tried.report, run)
        if found.fitness is Fitness.UNSEEN:
            say(f"node {name} is left as it is: {found.why}\n")
        else:
            looked.append(Looked(Host(f"{NODE}{name}", boot=tried.boots.get(name, "")), found))
    marks = partial(accept_edits, level=tried.recorded.level.value, gate=gate_of(fleet))
    agreed = partial(_agreed, options)
    return Tainting(Server(options.context), agreed, say, datetime.now(UTC), marks).mark(looked, dry=False)


def _agreed(options: Options, question: str) -> bool:
    return options.yes or ask_yes(question)


def node_standing(node: str, recorded: RunRecording, report: Report, run: Run) -> Standing:
    """The standing of a node, by all that is about it and changes the exit code."""
    from nodeworthy.repair.standing import Fitness, Standing, standing_of

    own = [each for each in report.judgements if concerns(each, (node,)) or _is_nobodys(each)]
    found = standing_of(Report(report.moment, own), strict=run.strict, allow_unknown=run.allow_unknown)
    if found.fitness is Fitness.UNFIT:
        return found
    missing = _not_run(node, recorded.level, report.extra.get("runs", ()))
    if missing:
        return Standing(Fitness.UNSEEN, "looked-at", f"level {recorded.level} did not run whole: {'; '.join(missing)}")
    return found


def _is_nobodys(judgement: Judgement) -> bool:
    """Whether a rule crashed: its judgement may have been about any of the nodes."""
    return judgement.verdict is Verdict.ERROR and judgement.crashed is not None


def _not_run(node: str, level: Level, rows: Sequence[Mapping[str, Any]]) -> list[str]:
    own = {each["test"]: each for each in rows if node in each["nodes"]}
    found = []
    for test in level_tests(level):
        row = own.get(test)
        if row is not None and row["not_run"] in _NO_FAULT:
            continue
        if row is None or row["not_run"] is not None:
            found.append(f"{test}: {row['why'] if row is not None else 'nothing was heard of it'}")
    return found
