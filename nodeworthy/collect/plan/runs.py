"""Runs the program: once as it is, and beside it once with made-up outputs."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType

from nodeworthy.collect.plan.agreed import agreed
from nodeworthy.collect.plan.answers import Answers
from nodeworthy.collect.plan.plan import Plan
from nodeworthy.collect.plan.program import ProgramRun, Show
from nodeworthy.collect.plan.project import Project, StackConfig
from nodeworthy.collect.plan.standins import StandIns
from nodeworthy.errors import CouldNotLook, InputError

# What the made-up values of a third run have behind their token: another text, of another length.
VARIANT = "anew"


class ProgramFailed(Exception):
    """The program ended with an error of its own, which says all there is to say."""


@dataclass(frozen=True)
class Simulated:
    """The second run: what the program registers where every output is known."""

    plan: Plan
    made: StandIns


@dataclass(frozen=True)
class Ran:
    plan: Plan
    simulated: Simulated | None
    # Why there is no second run although one was wanted.
    no_simulation: str | None = None


def run_program(
    project: Project, stack: str, config: StackConfig, answers: Answers, *, simulate: bool, timeout: float, show: Show
) -> Ran:
    """The plan, as the program gives it. The program and all that it started are gone when this returns or raises."""
    deadline = time.monotonic() + timeout
    made = StandIns(config.region)
    runs: list[ProgramRun] = []
    with _terminated_like_interrupted():
        try:
            runs.append(ProgramRun(project, stack, config, answers, made=None, show=show))
            if simulate:
                # Everything that this one prints, the first one prints too.
                runs.append(ProgramRun(project, stack, config, answers, made=made, show=_unshown))
            first, *second = runs
            _await(first, deadline, timeout)
            plan = _ended(first, answers, show)
            if not second:
                return Ran(plan, None)
            return _with_simulation(plan, second[0], made, deadline, timeout)
        finally:
            for run in runs:
                run.stop()


def run_differently(
    project: Project, stack: str, config: StackConfig, answers: Answers, simulated: Simulated, *, timeout: float
) -> Simulated | None:
    """The simulated plan, less what is otherwise when other outputs are made up; None where that can't be found out."""
    made = StandIns(config.region, VARIANT)
    with _terminated_like_interrupted():
        run = ProgramRun(project, stack, config, answers, made=made, show=_unshown)
        try:
            found = _with_simulation(simulated.plan, run, made, time.monotonic() + timeout, timeout).simulated
        finally:
            run.stop()
    if found is None:
        return None
    return Simulated(agreed(simulated.plan, found.plan, simulated.made), simulated.made)


def _unshown(_: str) -> None:
    """For what has been said once already."""


def _with_simulation(plan: Plan, run: ProgramRun, made: StandIns, deadline: float, timeout: float) -> Ran:
    """The second run may fail where the first does not: made-up values are not real ones. Then nothing is simulated."""
    try:
        _await(run, deadline, timeout)
    except CouldNotLook:
        return Ran(plan, None, f"it did not end within {timeout:g} seconds")
    if run.registry.questions:
        return Ran(plan, None, f"it asks what nobody has answered: {run.registry.questions[0].shown()}")
    if run.exit_code or run.log.errors or not run.plan.complete:
        said = (run.log.errors or [""])[-1].strip().splitlines()
        return Ran(plan, None, f"the program fails on them{f': {said[-1]}' if said else ''}")
    return Ran(plan, Simulated(run.plan, made))


def _await(run: ProgramRun, deadline: float, timeout: float) -> None:
    if not run.ended.wait(max(0.0, deadline - time.monotonic())):
        raise CouldNotLook(
            f"the program did not end within {timeout:g} seconds and was stopped; --timeout gives it longer"
        )


def _ended(run: ProgramRun, answers: Answers, show: Show) -> Plan:
    if run.registry.questions:
        raise answers.unanswered(run.registry.questions)
    if run.log.errors:
        for message in run.log.errors:
            show(message.rstrip("\n") + "\n")
        raise ProgramFailed
    if run.exit_code:
        raise InputError(_how(run.exit_code))
    return run.plan


def _how(code: int) -> str:
    if code < 0:
        return f"the program was ended by {signal.Signals(-code).name}"
    return f"the program ended with exit code {code}"


@contextmanager
def _terminated_like_interrupted() -> Iterator[None]:
    """A SIGTERM ends the program's processes too, instead of leaving them behind."""

    def stop(number: int, _: FrameType | None) -> None:
        sys.exit(128 + number)

    try:
        before: Callable[[int, FrameType | None], object] | int | None = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: signals are somebody else's
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
