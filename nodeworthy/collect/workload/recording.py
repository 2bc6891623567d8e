"""A run of `accept`, kept: a folder with `run.json`, which says what was meant and how it ended, and with what each
program printed, as it was. Verdicts are made of it alone, when the run ends and whenever it is replayed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from nodeworthy.collect.workload.lines import MOST_READ
from nodeworthy.documents.plain import at, mappings_at, number_at, text_at
from nodeworthy.errors import InputError
from nodeworthy.facts.accept.given_back import GpusGivenBack
from nodeworthy.facts.accept.measure import Shape, Slices, place_of
from nodeworthy.known.acceptance import TESTS, Level, NotRun
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

SCHEMA = "nodeworthy/accept/v1"
PLAN = "run.json"
RAN = "ran"
_MOST_OF_PLAN = 32 << 20
# A log lies beside the plan, and nowhere else.
_FILE = pattern(r"[A-Za-z0-9][A-Za-z0-9_.-]{0,120}\.log")
_NONCE = pattern(r"[0-9a-f]{8,64}")


@dataclass(frozen=True)
class Job:
    """What was run in one go, on one node or a group."""

    name: str
    shapes: tuple[Shape, ...]
    tests: tuple[str, ...]
    # Why it did not run to its end; None where it did.
    ended: NotRun | None
    why: str
    held: float
    gpus: int
    # Of each of its pods, or of its tasks.
    logs: tuple[bytes, ...]
    # Seconds from its end until its GPUs were free; None where nobody saw that they were.
    freed: float | None = None
    # What part of its node it asked for, in words; empty where it took all.
    asking: str = ""

    @property
    def nodes(self) -> tuple[str, ...]:
        return tuple(each.node for each in self.shapes)


@dataclass(frozen=True)
class LeftOut:
    """A test that nobody began on these nodes, and why."""

    test: str
    nodes: tuple[str, ...]
    reason: NotRun
    why: str


@dataclass(frozen=True)
class RunRecording:
    path: str
    nonce: str
    level: Level
    on: str
    began: str
    image: str
    jobs: tuple[Job, ...]
    left_out: tuple[LeftOut, ...]
    # What each node offered before the run and after it, and which of its pods kept GPUs: where somebody watched it.
    given_back: tuple[GpusGivenBack, ...] = ()

    @property
    def nodes(self) -> tuple[str, ...]:
        every = [name for job in self.jobs for name in job.nodes]
        every += [name for each in self.left_out for name in each.nodes]
        return tuple(dict.fromkeys(every))


def log_names(job: Job) -> list[str]:
    """One for each of its pods, in their order."""
    return [f"{job.name}.log"] if len(job.logs) == 1 else [f"{job.name}-{at}.log" for at in range(len(job.logs))]


def as_data(run: RunRecording) -> dict[str, Any]:
    """The run with its plan, as `load` reads it again."""
    shapes = {each.node: each for job in run.jobs for each in job.shapes}
    return {
        "schema": SCHEMA,
        "moment": "workload",
        "nonce": run.nonce,
        "level": run.level.value,
        "on": run.on,
        "image": run.image,
        "began": run.began,
        "nodes": [
            {"name": each.node, "gpu": each.gpu, "count": each.count, "instance": each.instance, "rack": each.rack}
            | ({"slices": [_slices_data(some) for some in each.slices]} if each.slices else {})
            for each in shapes.values()
        ],
        "jobs": [_job_data(each) for each in run.jobs],
        "not_run": [
            {"test": each.test, "nodes": list(each.nodes), "reason": each.reason.value, "why": each.why}
            for each in run.left_out
        ],
        "given_back": [
            {"node": each.node, "offered": each.offered, "offers": each.offers, "kept": list(each.kept)}
            for each in run.given_back
        ],
    }


def _slices_data(slices: Slices) -> dict[str, Any]:
    return {"profile": slices.profile, "count": slices.count, "resource": slices.resource}


def _job_data(job: Job) -> dict[str, Any]:
    state = RAN if job.ended is None else job.ended.value
    how = {"state": state, "why": job.why, "held": job.held, "gpus": job.gpus, "logs": log_names(job)}
    how |= {"freed": job.freed} if job.freed is not None else {}
    how |= {"asking": job.asking} if job.asking else {}
    return {"name": job.name, "nodes": list(job.nodes), "tests": list(job.tests), **how}


def load(folder: str) -> RunRecording:
    """Raises InputError."""
    path = Path(folder)
    plan = path / PLAN
    if not path.is_dir():
        raise InputError(f"--from {folder}: there is no such folder" if not path.exists() else f"{folder} is no folder")
    try:
        data = json.loads(_read_at_most(plan, _MOST_OF_PLAN))
    except FileNotFoundError:
        raise InputError(f"{folder} is no recording of accept: it has no {PLAN}") from None
    except OSError as problem:
        raise InputError(f"{plan} can't be read: {problem.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{plan} is not JSON") from None
    return _run(data, path)


def _read_at_most(path: Path, most: int) -> bytes:
    """One byte more than is believed shows that there is more."""
    with path.open("rb") as file:
        return file.read(most + 1)


def _run(data: Any, folder: Path) -> RunRecording:
    if text_at(data, "schema") != SCHEMA:
        raise InputError(f"{folder / PLAN} is {at(data, 'schema')!r}, and not {SCHEMA}")
    nonce, level = text_at(data, "nonce"), text_at(data, "level")
    if not _NONCE.fullmatch(nonce) or level not in tuple(Level):
        raise InputError(f"{folder / PLAN} is malformed: it has no nonce, or no level of {', '.join(Level)}")
    shapes = {each.node: each for each in map(_shape, mappings_at(data, "nodes"))}
    return RunRecording(
        path=str(folder / PLAN),
        nonce=nonce,
        level=Level(level),
        on=text_at(data, "on"),
        began=text_at(data, "began"),
        image=text_at(data, "image"),
        jobs=tuple(_job(each, shapes, folder) for each in mappings_at(data, "jobs")),
        left_out=tuple(_left_out(data, folder)),
        given_back=tuple(_given_back(each) for each in mappings_at(data, "given_back")),
    )


def _given_back(data: Mapping[str, Any]) -> GpusGivenBack:
    node = text_at(data, "node")
    offered, offers = number_at(data, "offered"), number_at(data, "offers")
    return GpusGivenBack(place_of("accept", (node,)), node, offered, offers, tuple(_texts(data, "kept")))


def _shape(data: Mapping[str, Any]) -> Shape:
    return Shape(
        node=text_at(data, "name"),
        gpu=text_at(data, "gpu") or None,
        count=number_at(data, "count"),
        instance=text_at(data, "instance"),
        rack=text_at(data, "rack"),
        slices=tuple(
            Slices(text_at(each, "profile"), number_at(each, "count") or 0, text_at(each, "resource"))
            for each in mappings_at(data, "slices")
        ),
    )


def _job(data: Mapping[str, Any], shapes: Mapping[str, Shape], folder: Path) -> Job:
    name, state = text_at(data, "name"), text_at(data, "state")
    tests, nodes = _texts(data, "tests"), _texts(data, "nodes")
    unknown = [each for each in nodes if each not in shapes] + [each for each in tests if each not in TESTS]
    if unknown or not nodes or state not in (RAN, *NotRun):
        raise InputError(f"{folder / PLAN}: the job {name!r} is malformed: {', '.join(unknown) or f'state {state!r}'}")
    return Job(
        name=name,
        shapes=tuple(shapes[each] for each in nodes),
        tests=tuple(each for each in TESTS if each in tests),
        ended=None if state == RAN else NotRun(state),
        why=text_at(data, "why"),
        held=_seconds(data, "held") or 0.0,
        gpus=number_at(data, "gpus") or 0,
        logs=tuple(_log(folder, each) for each in _texts(data, "logs")),
        freed=_seconds(data, "freed"),
        asking=text_at(data, "asking"),
    )


def _seconds(data: Mapping[str, Any], name: str) -> float | None:
    found = at(data, name)
    return float(found) if isinstance(found, int | float) and found >= 0 else None


def _log(folder: Path, name: str) -> bytes:
    """What is not there is empty: then its job said nothing."""
    if not _FILE.fullmatch(name):
        raise InputError(f"{folder / PLAN}: {name!r} is no log of this folder")
    try:
        return _read_at_most(folder / name, MOST_READ)
    except FileNotFoundError:
        return b""
    except OSError as problem:
        raise InputError(f"{folder / name} can't be read: {problem.strerror}") from None


def _left_out(data: Any, folder: Path) -> Iterator[LeftOut]:
    for each in mappings_at(data, "not_run"):
        test, reason = text_at(each, "test"), text_at(each, "reason")
        if test not in TESTS or reason not in tuple(NotRun):
            raise InputError(f"{folder / PLAN}: {test!r} was not run because of {reason!r}: neither is known")
        yield LeftOut(test, tuple(_texts(each, "nodes")), NotRun(reason), text_at(each, "why"))


def _texts(data: Mapping[str, Any], name: str) -> list[str]:
    found = at(data, name)
    return [each for each in found if isinstance(each, str)] if isinstance(found, list) else []
