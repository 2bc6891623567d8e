"""Walks the parts of user data in the order in which they are read, into one timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nodeworthy.boot.cloud_config import CloudStep, Ran
from nodeworthy.boot.cloud_effects import under
from nodeworthy.boot.effects import Effect, NotUnderstood, Stage
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import Part, PartKind, UserData, turn_of
from nodeworthy.records import dataclass


@dataclass(frozen=True)
class Job:
    """Something that happens in one piece, and when its turn comes."""

    stage: Stage
    turn: tuple[int, str]
    run: Callable[[State], Sequence[Effect]]


def timeline_of(userdata: UserData) -> Timeline:
    """What a node does that boots with this user data. What its parts share is the machine's disk."""
    disk, effects = State(), list[Effect]()
    for job in sorted(_jobs(userdata), key=lambda job: (job.stage, job.turn)):
        effects += job.run(disk)
    if userdata.unread:
        stage = Stage.NODEADM_CONFIG
        effects.append(NotUnderstood(place=userdata.place, stage=stage, written="", why=userdata.unread))
    return Timeline(tuple(sorted(effects, key=lambda effect: effect.stage)))


def _jobs(userdata: UserData) -> Iterator[Job]:
    configs = [part for part in userdata.parts if part.kind is PartKind.NODE_CONFIG]
    if configs:
        yield Job(Stage.NODEADM_CONFIG, (0, ""), lambda _: _told(configs, template=userdata.is_template))
    yield from _steps(userdata)
    for part in userdata.parts:
        if part.kind in (PartKind.SHELL, PartKind.BOOTHOOK, PartKind.PLAYBOOK):
            yield Job(part.stage, part.turn, _script(part, userdata))
        elif part.kind is PartKind.BOTTLEROCKET:
            yield Job(part.stage, part.turn, _settings(part, userdata))
        elif part.kind not in (PartKind.NODE_CONFIG, PartKind.CLOUD_CONFIG):
            yield Job(part.stage, part.turn, _not_read(part))


def _script(part: Part, userdata: UserData) -> Callable[[State], Sequence[Effect]]:
    from nodeworthy.boot.shell.run import run_script

    template = userdata.is_template

    def run(disk: State) -> Sequence[Effect]:
        text, origin, stage, jinja = part.text, part.origin, part.stage, part.jinja
        return under(part.guard, disk, lambda: run_script(text, origin, stage, disk, template=template, jinja=jinja))

    return run


def _told(parts: Sequence[Part], *, template: bool) -> Sequence[Effect]:
    """All of them together: several merge into one."""
    from nodeworthy.boot.node_config import joins_of

    return joins_of(parts, template=template)


def _settings(part: Part, userdata: UserData) -> Callable[[State], Sequence[Effect]]:
    from nodeworthy.boot.bottlerocket import effects_of

    return lambda _: effects_of(part, template=userdata.is_template)


def _steps(userdata: UserData) -> Iterator[Job]:
    """All cloud-configs together: they are merged before any of them acts."""
    for step in userdata.cloud_config.steps if userdata.cloud_config else ():
        turn = turn_of(step.name) if isinstance(step, Ran) else (0, "")
        yield Job(step.stage, turn, _step(step, userdata))


def _step(step: CloudStep, userdata: UserData) -> Callable[[State], Sequence[Effect]]:
    from nodeworthy.boot.cloud_effects import effects_of

    return lambda disk: effects_of(step, disk, userdata)


def _not_read(part: Part) -> Callable[[State], Sequence[Effect]]:
    called = part.interpreter if part.kind is PartKind.OTHER_LANGUAGE else part.kind.value
    gap = NotUnderstood(place=part.place, stage=part.stage, written=part.text, why=f"{called} is not read")
    return lambda _: (gap,)
