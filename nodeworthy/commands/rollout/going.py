"""A rollout on its way: the file that it keeps, the lease that it holds, and how it ends."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from nodeworthy.commands.rollout.beginning import Reached, reach
from nodeworthy.commands.rollout.options import Options
from nodeworthy.commands.rollout.telling import teller
from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.interrupts import terminate_like_interrupt, tidied
from nodeworthy.repair.edit import RepairRefused
from nodeworthy.report.printable import printable
from nodeworthy.rollout.actor import Live, WallClock
from nodeworthy.rollout.acts import Resume
from nodeworthy.rollout.cloud import ScalingGroup
from nodeworthy.rollout.gate import Commands
from nodeworthy.rollout.journal import Journal, Status, read_journal
from nodeworthy.rollout.lease import Hold
from nodeworthy.rollout.run import POLL_SECONDS, Driver
from nodeworthy.rollout.view import ABORT

_CODES = {Status.DONE: 0, Status.STOPPED: 1, Status.ABORTED: 1, Status.PAUSED: 3, Status.RUNNING: 3}


def resume(options: Options, file: str) -> int:
    path = Path(file)
    journal = read_journal(path)
    if journal.status is Status.DONE:
        sys.stdout.write(f"rollout {journal.id} of {journal.group} is done: nothing to do\n")
        return 0
    reached = reach(options, journal.region, journal.account)
    if reached.kube.server != journal.server:
        raise InputError(
            f"{path} is about {journal.server}, and this is {reached.kube.server}: --context names the cluster"
        )
    return go(options, reached, journal, path)


def go(options: Options, reached: Reached, journal: Journal, path: Path | None) -> int:
    path = path or _new_path()
    group = ScalingGroup(reached.live, journal.group)
    gate = gate_of(options, options.image or journal.image)
    live = _Aborting if options.abort else Live
    told = teller(options)
    actor = live(group, reached.kube, gate, Hold(reached.kube, journal.group, journal.id), path, told.saved)
    driver = Driver(journal, actor, WallClock(), told.step, POLL_SECONDS)
    with _holding(actor, journal):
        driver.run()
    return _tell_the_end(journal, path)


def gate_of(options: Options, image: str) -> Commands:
    return Commands(
        image, options.accept_image or "", _cluster(options), _fleet(options), allows_unknown=options.allow_unknown
    )


class _Aborting(Live):
    """One that was killed, and is to be ended and not to be gone on with."""

    def wanted(self) -> str:
        super().wanted()
        return ABORT


@contextmanager
def _holding(actor: Live, journal: Journal) -> Iterator[None]:
    try:
        actor.hold.take()
    except (RepairRefused, CouldNotLook):
        if not actor.path.stat().st_size:
            actor.path.unlink()  # nothing was begun
        raise

    def leave() -> None:
        """Lets the group's own processes go on and others begin, whatever ends us."""
        with suppress(CouldNotLook):
            if journal.status is Status.RUNNING:
                for process in journal.suspended:
                    actor.do(Resume(process), journal)
                sys.stderr.write(f"{_goes_on(journal)}it goes on with: nodeworthy rollout --resume {actor.path}\n")
            actor.hold.let_go()

    with terminate_like_interrupt(), tidied(leave):
        yield


def _goes_on(journal: Journal) -> str:
    """AWS does not stop with us; it waits for what is protected, and then gives up."""
    if not journal.refresh:
        return ""
    return f"the instance refresh {journal.refresh} is under way, and waits an hour for machines that are protected; "


def _new_path() -> Path:
    """There, and ours alone: whoever begins another rollout in the same second gets another one. Raises InputError."""
    stem = f"nodeworthy-rollout-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    for path in (Path(f"{stem}{f'-{number}' if number else ''}.json") for number in range(1000)):
        try:
            path.touch(0o600, exist_ok=False)
        except FileExistsError:
            continue
        except OSError as problem:
            raise InputError(
                f"{path}, in which a rollout keeps what it does, can't be written here: {problem.strerror}; nothing "
                "was changed"
            ) from None
        return path
    raise InputError(f"{stem}.json and a thousand others are there: nothing was changed")


def _cluster(options: Options) -> tuple[str, ...]:
    return ("--context", options.context) if options.context else ()


def _fleet(options: Options) -> tuple[str, ...]:
    fleet = ("--fleet", options.fleet) if options.fleet else ()
    return (*fleet, *(("--stack", options.stack) if options.stack else ()))


def _tell_the_end(journal: Journal, path: Path) -> int:
    """What stands where, in the end."""
    told = _named_now(journal) if journal.status is Status.DONE else _standing(journal, path)
    sys.stderr.writelines(f"{printable(each)}\n" for each in told)
    return _CODES[journal.status]


def _named_now(journal: Journal) -> Iterator[str]:
    """Where the group does not name its version as it did."""
    if journal.named_version == journal.target or not (journal.terms.by_refresh or journal.sets_version):
        return
    group = journal.group
    sets = f"an instance refresh that comes to its end sets {group}" if journal.terms.by_refresh else f"{group} is set"
    yield (
        f"{sets} to version {journal.target} of its template, which named {journal.named_version}: the program that "
        "made it has to be told"
    )


def _standing(journal: Journal, path: Path) -> Iterator[str]:
    yield f"{journal.status.value}: {journal.why}"
    done = [each for each in journal.lanes if each.stage.value == "done"]
    yield f"replaced and proven: {len(done)} of {len(journal.lanes)}"
    for each in journal.under_way():
        yield f"{each.title} was {each.stage.value}; {each.fresh_title} keeps its taint until somebody has looked at it"
    if journal.is_pinned:
        yield (
            f"{journal.group} is set to version {journal.former} of its template (it named {journal.named_version}): "
            "it starts no more of the new one; the program that made it has to be told"
        )
    if not journal.is_pinned:
        yield f"to go on: nodeworthy rollout --resume {path}"
    if done or journal.under_way() or journal.is_pinned or journal.sets_version:
        yield f"to go back: nodeworthy rollout --rollback {path}"
