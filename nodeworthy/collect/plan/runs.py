"""Runs the program: once as it is, and beside it with made-up outputs, and with other ones."""

from __future__ import annotations

import base64
import signal
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import replace

from nodeworthy.collect.plan.answers import Answers
from nodeworthy.collect.plan.plan import PreviewedPlan
from nodeworthy.collect.plan.program import ProgramRun, Run, unshown
from nodeworthy.collect.plan.protocol import UNKNOWN, Wire
from nodeworthy.collect.plan.served import Program, Show
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.interrupts import hold, tidied
from nodeworthy.records import dataclass
from nodeworthy.redaction import hide_secrets

# More than any script; what is packed may be anything.
LARGEST = 1 << 20
DEEPEST = 2


def _agreed(one: PreviewedPlan, other: PreviewedPlan, made: StandIns) -> PreviewedPlan:
    """`one`, with everything unknown that is otherwise in `other`. `made` are the outputs of `one`.

    A value that a program computes from an output (the length of a name, a branch on a prefix) no longer shows that it
    was made up. Made up twice, differently, it gives itself away: it is not the same twice.
    """
    beside = other.by_urn
    resources = tuple(
        replace(each, inputs=_mapping(each.inputs, beside[each.urn].inputs if each.urn in beside else {}, made))
        for each in one.resources
    )
    return replace(one, resources=resources)


def _mapping(one: Mapping[str, Wire], other: Mapping[str, Wire], made: StandIns) -> dict[str, Wire]:
    return {name: _same(value, other[name], made) if name in other else UNKNOWN for name, value in one.items()}


def _same(one: Wire, other: Wire, made: StandIns) -> Wire:
    if isinstance(one, dict) and isinstance(other, dict):
        return _mapping(one, other, made)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return [_same(mine, theirs, made) for mine, theirs in zip(one, other, strict=True)]
    # Where a made-up value can be seen, it is left as it is: texts that hold one are read whole, packed ones too.
    shows = isinstance(one, str) and any(made.origin(text) is not None for text in (one, *_unpacked(one)))
    return one if one == other or shows else UNKNOWN


def _unpacked(text: str, deep: int = DEEPEST) -> tuple[str, ...]:
    """What user data looks like inside: EC2 takes it in base64, and cloud-init also gzipped, or in base64 twice."""
    try:
        data = base64.b64decode(text, validate=True)
        if data.startswith(b"\x1f\x8b"):
            data = zlib.decompressobj(wbits=31).decompress(data, LARGEST)
    except (ValueError, zlib.error):
        return ()
    inside = data.decode("utf-8", "replace")
    return (inside, *(_unpacked(inside, deep - 1) if deep > 1 else ()))


# What the made-up values of a third run have behind their token: another text, of another length.
VARIANT = "anew"


class ProgramFailed(Exception):
    """The program ended with an error of its own, which says all there is to say."""


@dataclass(frozen=True)
class Simulated:
    """The second run: what the program registers where every output is known."""

    plan: PreviewedPlan
    made: StandIns


@dataclass(frozen=True)
class Ran:
    plan: PreviewedPlan
    simulated: Simulated | None
    # Why there is no second run although one was wanted.
    no_simulation: str | None = None
    # The third run, with other made-up outputs, where it came at no cost.
    differently: Ran | None = None


def run_program(
    program: Program, *, simulate: bool, timeout: float, show: Show, meanwhile: Callable[[], object]
) -> Ran:
    """The plan, as the program gives it. The program and all that it started are gone when this returns or raises.
    `meanwhile` is called while the program is busy with itself."""
    deadline = time.monotonic() + timeout
    made = [_stand_ins(program), _stand_ins(program, VARIANT)] if simulate else []
    runs: list[ProgramRun] = []
    with tidied(lambda: _stop(runs)):
        first = _begin(runs, lambda: ProgramRun(program, made=None, show=show, beside=made))
        meanwhile()
        others: list[Run] = [run for run in first.beside if run.known.wait(_seconds_left(deadline)) and run.parted]
        if simulate and not others:
            # Everything that this one prints, the first one prints too.
            others = [_begin(runs, lambda: ProgramRun(program, made=made[0], show=unshown))]
        _await(first, deadline, timeout)
        plan = _ended(first, program.answers, show)
        if not others:
            return Ran(plan, None)
        ran = _with_simulation(plan, others[0], made[0], deadline, timeout)
        if ran.simulated is None or len(others) == 1:
            return ran
        return replace(ran, differently=_with_simulation(plan, others[1], made[1], deadline, timeout))


def run_differently(program: Program, ran: Ran, *, timeout: float) -> Ran:
    """The same, less what is otherwise when other outputs are made up; nothing is simulated where that can't be found
    out."""
    found = (ran.differently or _once_more(program, ran.plan, timeout)).simulated
    if ran.simulated is None or found is None:
        return replace(ran, simulated=None)
    plan = _agreed(ran.simulated.plan, found.plan, ran.simulated.made)
    return ran if plan == ran.simulated.plan else replace(ran, simulated=replace(ran.simulated, plan=plan))


def _once_more(program: Program, plan: PreviewedPlan, timeout: float) -> Ran:
    made = _stand_ins(program, VARIANT)
    runs: list[ProgramRun] = []
    with tidied(lambda: _stop(runs)):
        run = _begin(runs, lambda: ProgramRun(program, made=made, show=unshown))
        return _with_simulation(plan, run, made, time.monotonic() + timeout, timeout)


def _stand_ins(program: Program, variant: str = "") -> StandIns:
    return StandIns(program.config.region, variant)


def _with_simulation(plan: PreviewedPlan, run: Run, made: StandIns, deadline: float, timeout: float) -> Ran:
    """The second run may fail where the first does not: made-up values are not real ones. Then nothing is simulated."""
    try:
        _await(run, deadline, timeout)
    except CouldNotLook:
        return Ran(plan, None, f"it did not end within {timeout:g} seconds")
    registry, errors = run.served.registry, run.served.log.errors
    if registry.questions:
        return Ran(plan, None, f"it asks what nobody has answered: {registry.questions[0].shown()}")
    if run.exit_code != 0 or errors or not registry.finished:
        said = hide_secrets((errors or [""])[-1]).strip().splitlines()
        return Ran(plan, None, f"the program fails on them{f': {said[-1]}' if said else ''}")
    return Ran(plan, Simulated(run.served.plan, made))


def _seconds_left(deadline: float) -> float:
    return max(0.0, deadline - time.monotonic())


def _await(run: Run, deadline: float, timeout: float) -> None:
    if not run.ended.wait(_seconds_left(deadline)):
        raise CouldNotLook(
            f"the program did not end within {timeout:g} seconds and was stopped; --timeout gives it longer"
        )


def _ended(run: Run, answers: Answers, show: Show) -> PreviewedPlan:
    if run.served.registry.questions:
        raise answers.unanswered(run.served.registry.questions)
    if run.served.registry.refused:
        raise InputError(run.served.registry.refused)
    if run.served.log.errors:
        for message in run.served.log.errors:
            show(message.rstrip("\n") + "\n")
        raise ProgramFailed
    if run.exit_code:
        raise InputError(_how(run.exit_code))
    return run.served.plan


def _how(code: int) -> str:
    if code < 0:
        return f"the program was ended by {signal.Signals(-code).name}"
    return f"the program ended with exit code {code}"


def _begin(runs: list[ProgramRun], start: Callable[[], ProgramRun]) -> ProgramRun:
    with hold():
        runs.append(start())
        return runs[-1]


def _stop(runs: list[ProgramRun]) -> None:
    for run in runs:
        run.stop()
