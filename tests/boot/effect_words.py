"""An effect as tests write it down: a verb, and the texts that may stand behind it."""

from __future__ import annotations

from nodeworthy.boot.effects import (
    AddsRepository,
    Effect,
    Fetches,
    How,
    Installs,
    Joins,
    LoadsModule,
    Mounts,
    NotUnderstood,
    Opens,
    PullsImage,
    Reboots,
    Runs,
    Unit,
    Writes,
)

_HOW = {How.WRITE: "writes", How.APPEND: "appends", How.EDIT: "edits", How.DELETE: "deletes", How.LINK: "links"}


def words(effect: Effect) -> tuple[str, tuple[str, ...]]:
    match effect:
        case Writes(how=how, path=path):
            return _HOW[how], (path.shown(),)
        case Installs(manager=manager, packages=packages, removes=removes):
            return "removes" if removes else "installs", tuple(f"{manager} {each.shown()}" for each in packages)
        case LoadsModule(module=module, unloads=unloads):
            return "unloads" if unloads else "loads", (module,)
        case Unit(unit=unit, act=act):
            return act.value, (unit.shown(),)
        case Mounts(where=where, kind=kind, at_boot=at_boot):
            return "mounts-at-boot" if at_boot else "mounts", (f"{where.shown()} {kind.shown()}",)
        case Joins(how=how, cluster=cluster):
            return "joins", (f"{how} {cluster.shown() if cluster else ''}",)
        case _:
            return _other_words(effect)


def _other_words(effect: Effect) -> tuple[str, tuple[str, ...]]:
    match effect:
        case AddsRepository(repository=repository):
            return "adds-repository", (repository.shown(),)
        case Opens(tool=tool, arguments=arguments) if arguments:
            return "opens", (" ".join([tool, *(each.shown() for each in arguments)]),)
        case PullsImage(image=image):
            return "pulls", (image.shown(),)
        case Fetches(url=url):
            return "fetches", (url.shown(),)
        case Runs(arguments=arguments):
            return "runs", (" ".join(each.shown() for each in arguments),)
        case NotUnderstood(text=text):
            return "not-understood", (text,)
        case Reboots():
            return "reboots", ("",)
    return type(effect).__name__.lower(), ("",)
