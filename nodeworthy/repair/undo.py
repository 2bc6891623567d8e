"""Puts back what a repair has changed, from the file that it kept, on the server that it changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from nodeworthy.errors import CouldNotLook, InputError
from nodeworthy.repair.apply import as_it_was_left, put_back
from nodeworthy.repair.edit import RepairRefused, merge_json_patch, merge_patch
from nodeworthy.repair.helm import Helm
from nodeworthy.repair.lease import hold_lease
from nodeworthy.repair.record import Record, read_state, server_of
from nodeworthy.repair.server import Server
from nodeworthy.repair.told import diff

# For putting back and for what a webhook takes, beyond the wait itself.
SLACK_SECONDS = 120

Say = Callable[[str], object]


def undo(path: Path, server: Server, helm: Helm | None, say: Say) -> int:
    """Puts back what a repair has changed, where it is still as the repair left it."""
    records = _of_this_server(path, server)
    with hold_lease(server, SLACK_SECONDS * max(len(records), 1)):
        done = [restore(each, server, helm, say) for each in reversed(records)]
    return 0 if all(done) else 3


def restore(record: Record, server: Server, helm: Helm | None, say: Say) -> bool:
    try:
        changed = put_back(record, server, helm)
    except (RepairRefused, CouldNotLook) as problem:
        say(f"not put back: {record.title}: {problem}\n")
        return False
    say(f"put back: {record.title}\n" if changed else f"as it was already: {record.title}\n")
    return True


def would_undo(path: Path, server: Server, say: Say) -> int:
    """1 if something would be put back, else 3 if something could not be."""
    records = _of_this_server(path, server)
    found = [_would_put_back(each, server, say) for each in reversed(records)]
    return 1 if 1 in found else max(found)


def _would_put_back(record: Record, server: Server, say: Say) -> int:
    try:
        now = as_it_was_left(server, record.reversed)
    except RepairRefused as problem:
        say(f"would not be put back: {record.title}: {problem}\n")
        return 3
    if now is None:
        say(f"as it was already: {record.title}\n")
        return 0
    then = merge_json_patch(now, merge_patch(now, record.reversed.edits, record.made_lists))
    say(f"would be put back: {record.title}\n{diff(now, then, str(record.target))}\n")
    return 1


def _of_this_server(path: Path, server: Server) -> Sequence[Record]:
    """Raises InputError: another cluster may have objects of the same names."""
    made_on = server_of(path)
    if made_on and made_on != server.server:
        raise InputError(
            f"{path} tells what was changed on {made_on}, and this is {server.server}: "
            "nothing was put back; --context names the cluster"
        )
    return read_state(path)[1]
