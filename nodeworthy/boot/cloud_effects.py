"""What the steps of a cloud-config do to the machine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from nodeworthy.boot.cloud_config import CloudStep, Mount, NotRead, PackageInstall, Ran, Reboot, Repository, WrittenFile
from nodeworthy.boot.commands.call import Call
from nodeworthy.boot.commands.table import did
from nodeworthy.boot.conditions import Asks, Condition, Guard, Question
from nodeworthy.boot.effects import AddsRepository, Effect, Failure, How, Mounts, NotUnderstood, Reboots, Writes
from nodeworthy.boot.shell.run import run_script
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import UserData
from nodeworthy.records import replace
from nodeworthy.verdict import Place

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
        yield _written(step, disk)
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


def _written(step: WrittenFile, disk: State) -> Writes:
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
