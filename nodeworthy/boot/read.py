"""Walks the parts of user data in the order in which they are read, into one timeline."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nodeworthy.boot.cloud_config import CloudStep, Mount, NotRead, PackageInstall, Ran, Reboot, Repository, WrittenFile
from nodeworthy.boot.commands.call import Call
from nodeworthy.boot.commands.table import did
from nodeworthy.boot.conditions import Asks, Condition, Guard, Question
from nodeworthy.boot.effects import AddsRepository, Effect, Failure, How, Mounts, NotUnderstood, Reboots, Stage, Writes
from nodeworthy.boot.shell.run import run_script
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.text import Text
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import Part, PartKind, UserData, turn_of
from nodeworthy.records import dataclass, replace
from nodeworthy.verdict import Place


@dataclass(frozen=True)
class Job:
    """A piece of work that happens as a whole, and when its turn comes."""

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
        yield Job(Stage.NODEADM_CONFIG, (0, ""), lambda _: _effects_of(configs, template=userdata.is_template))
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


def _effects_of(parts: Sequence[Part], *, template: bool) -> Sequence[Effect]:
    """The effects of these parts. They are read together because several are merged into one."""
    from nodeworthy.boot.node_config import joins_of

    return joins_of(parts, template=template)


def _settings(part: Part, userdata: UserData) -> Callable[[State], Sequence[Effect]]:
    from nodeworthy.boot.bottlerocket import effects_of

    return lambda _: effects_of(part, template=userdata.is_template)


def _steps(userdata: UserData) -> Iterator[Job]:
    """The steps of all cloud-configs, which are merged before any of them acts."""
    for step in userdata.cloud_config.steps if userdata.cloud_config else ():
        turn = turn_of(step.name) if isinstance(step, Ran) else (0, "")
        yield Job(step.stage, turn, _step(step, userdata))


def _step(step: CloudStep, userdata: UserData) -> Callable[[State], Sequence[Effect]]:
    return lambda disk: effects_of(step, disk, userdata)


def _not_read(part: Part) -> Callable[[State], Sequence[Effect]]:
    called = part.interpreter if part.kind is PartKind.OTHER_LANGUAGE else part.kind.value
    gap = NotUnderstood(place=part.place, stage=part.stage, written=part.text, why=f"{called} is not read")
    return lambda _: (gap,)


# What the steps of a cloud-config do to the machine.


# What happens only where a template's directives say so: the disk may be as it was before.


def under(guard: Guard, disk: State, run: Callable[[], Sequence[Effect]]) -> list[Effect]:
    if not guard:
        return list(run())
    mark = disk.mark()
    effects = run()
    disk.join([disk.back_to(mark), ({}, {})], f"`{guard[-1].shown()}`")
    return [replace(each, conditions=(*guard, *each.conditions)) for each in effects]


# Which package manager a distribution has is not written in a cloud-config.
PACKAGES = "cloud-init"


def effects_of(step: CloudStep, disk: State, userdata: UserData) -> list[Effect]:
    return under(step.guard, disk, lambda: _done(step, disk, userdata))


def _done(step: CloudStep, disk: State, userdata: UserData) -> list[Effect]:
    if isinstance(step, Ran):
        return run_script(step.text, step.origin, step.stage, disk, template=userdata.is_template, jinja=step.jinja)
    return list(_effects(step, disk))


def _effects(step: CloudStep, disk: State) -> Iterator[Effect]:
    if isinstance(step, WrittenFile):
        yield _write_effect(step, disk)
    elif isinstance(step, PackageInstall):
        yield from _installed(step, disk)
    elif isinstance(step, Repository):
        yield AddsRepository(place=step.place, stage=step.stage, repository=step.source or step.name)
    elif isinstance(step, Mount):
        yield _mounted(step)
    elif isinstance(step, Reboot):
        yield from _rebooted(step)
    elif isinstance(step, NotRead):
        why = f"what cloud-init does for `{step.key}` is not known here"
        yield NotUnderstood(place=step.place, stage=step.stage, written=step.key, why=why)


def _write_effect(step: WrittenFile, disk: State) -> Writes:
    before = disk.content(step.path) if step.append else None
    whole = step.content
    if step.append:
        whole = before + step.content if before is not None and step.content is not None else None
    if step.path.known is not None:
        disk.wrote(step.path.known, whole)
    return Writes(
        place=step.place,
        stage=step.stage,
        failure=Failure.REPORTED,
        path=step.path,
        how=How.APPEND if step.append else How.WRITE,
        content=step.content,
        whole=whole,
        mode=step.permissions,
    )


def _installed(step: PackageInstall, disk: State) -> Iterator[Effect]:
    """What a package does when it is installed is the same, whoever installs it."""
    words = {"snap": ("snap", "install"), "ubuntu-drivers": ("ubuntu-drivers", "install")}.get(
        step.manager, ("apt-get", "install")
    )
    if not step.packages and step.manager != "ubuntu-drivers":
        return
    arguments = (*(Text((word,)) for word in words), *step.packages)
    call = Call(arguments, step.place, step.stage, disk, failure=Failure.REPORTED)
    for each in did(call).effects:
        yield _by_cloud_init(each) if words[0] == "apt-get" else each


def _by_cloud_init(effect: Effect) -> Effect:
    from nodeworthy.boot.effects import Installs
    from nodeworthy.records import replace

    return replace(effect, manager=PACKAGES) if isinstance(effect, Installs) else effect


def _mounted(step: Mount) -> Mounts:
    return Mounts(
        place=step.place,
        stage=step.stage,
        failure=Failure.REPORTED,
        what=step.what,
        where=step.where,
        kind=step.kind,
        options=step.options,
        at_boot=True,
    )


def _rebooted(step: Reboot) -> Iterator[Effect]:
    if step.mode != "reboot":
        return
    yield Reboots(place=step.place, stage=step.stage, conditions=_only_if(step.only_if, step.place))


def _only_if(why: str, place: Place) -> tuple[Condition, ...]:
    return (Condition(Question(why, place, Asks.STATE), "yes"),) if why else ()
