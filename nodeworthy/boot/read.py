"""Walks the parts of user data in the order in which they are read, into one timeline."""

from __future__ import annotations

from collections.abc import Iterable

from nodeworthy.boot.effects import Effect, NotUnderstood, Stage
from nodeworthy.boot.shell.state import State
from nodeworthy.boot.timeline import Timeline
from nodeworthy.boot.userdata import Part, PartKind, UserData

_SCRIPTS = (PartKind.SHELL, PartKind.BOOTHOOK)


def timeline_of(userdata: UserData) -> Timeline:
    """What a node does that boots with this user data."""
    reader = _Reader(userdata)
    for part in userdata.parts:
        reader.read(part)
    if userdata.unread:
        reader.effects.append(_unread(userdata))
    return Timeline(tuple(sorted(reader.effects, key=lambda effect: effect.stage)))


class _Reader:
    """Every part is a program of its own; what they share is the machine's disk."""

    def __init__(self, userdata: UserData) -> None:
        self.userdata = userdata
        self.effects: list[Effect] = []
        self.disk = State()
        self._told = False

    def read(self, part: Part) -> None:
        if part.kind in _SCRIPTS:
            self._script(part)
        elif part.kind is PartKind.CLOUD_CONFIG:
            from nodeworthy.boot.cloud_effects import of_cloud_config

            self._keep(of_cloud_config(part, self.disk))
        elif part.kind is PartKind.NODE_CONFIG:
            self._node_config()
        elif part.kind is PartKind.BOTTLEROCKET:
            from nodeworthy.boot.bottlerocket import joins_of

            self._keep(joins_of(part))
        else:
            self.effects.append(_not_read(part))

    def _script(self, part: Part) -> None:
        from nodeworthy.boot.shell.run import run_part

        self._keep(run_part(part, self.disk, template=self.userdata.is_template))

    def _node_config(self) -> None:
        """All of them together: several merge into one."""
        from nodeworthy.boot.node_config import joins_of

        if not self._told:
            self._told = True
            parts = [each for each in self.userdata.parts if each.kind is PartKind.NODE_CONFIG]
            self._keep(joins_of(parts))

    def _keep(self, effects: Iterable[Effect]) -> None:
        self.effects += effects


def _not_read(part: Part) -> NotUnderstood:
    called = part.interpreter if part.kind is PartKind.OTHER_LANGUAGE else part.kind.value
    why = f"{called} is not read"
    return NotUnderstood(place=part.place, stage=part.stage, text=part.text, why=why)


def _unread(userdata: UserData) -> NotUnderstood:
    return NotUnderstood(place=userdata.place, stage=Stage.NODEADM_CONFIG, text="", why=userdata.unread)
