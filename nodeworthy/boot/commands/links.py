"""Links by which systemd knows what is enabled and what is masked; some scripts make them by hand."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.boot.commands.call import Call
from nodeworthy.boot.effects import Act, Unit
from nodeworthy.boot.text import Text

_SYSTEMD = "/etc/systemd/system/"
_WANTS = (".wants", ".requires")


def linked(call: Call, target: Text, path: Text) -> Iterator[Unit]:
    yield from _acts(call, path, Act.MASK if target.known == "/dev/null" else None, Act.ENABLE)


def unlinked(call: Call, path: Text) -> Iterator[Unit]:
    yield from _acts(call, path, None, Act.DISABLE)


def _acts(call: Call, path: Text, own: Act | None, wanted: Act) -> Iterator[Unit]:
    known = path.known or ""
    if not known.startswith(_SYSTEMD):
        return
    folder, _, unit = known.removeprefix(_SYSTEMD).rpartition("/")
    if folder.endswith(_WANTS):
        yield call.does(Unit, unit=Text.of(unit), act=wanted)
    elif not folder and own:
        yield call.does(Unit, unit=Text.of(unit), act=own)
