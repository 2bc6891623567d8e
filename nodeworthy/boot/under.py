"""What happens only where a template's directives say so: the disk may be as it was before."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from nodeworthy.boot.conditions import Guard
from nodeworthy.boot.effects import Effect
from nodeworthy.boot.shell.state import State


def under(guard: Guard, disk: State, run: Callable[[], Sequence[Effect]]) -> list[Effect]:
    if not guard:
        return list(run())
    mark = disk.mark()
    effects = run()
    disk.join([disk.back_to(mark), ({}, {})], f"`{guard[-1].shown()}`")
    return [replace(each, conditions=(*guard, *each.conditions)) for each in effects]
