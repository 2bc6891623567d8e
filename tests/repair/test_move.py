"""An object goes from what it was to what it is to be, or stays."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.repair.apply import move
from nodeworthy.repair.change import Target
from nodeworthy.repair.edit import LABELS, Edit, RepairRefused, Untouched
from nodeworthy.repair.record import Record
from nodeworthy.repair.server import PatchAnswer

from .stand_in_server import StandIn

NODE = Target("Node", "a")
RECORD = Record(NODE, "uid", (Edit(LABELS, "x", "1", "2"),))


@pytest.fixture
def server() -> StandIn:
    return StandIn({NODE: {"metadata": {"labels": {"x": "1"}}}})


def labels(server: StandIn) -> Any:
    return server.objects[NODE]["metadata"]["labels"]


def test_there_and_back(server: StandIn) -> None:
    assert move(server, RECORD)
    assert labels(server) == {"x": "2"}
    assert not move(server, RECORD)
    assert move(server, RECORD.reversed)
    assert labels(server) == {"x": "1"}


def test_a_status_that_was_written_meanwhile_is_no_conflict(server: StandIn) -> None:
    busy = iter([True, True, False])

    def kubelet(target: Target) -> None:
        if next(busy):
            server.touch(target, {"status": {"images": []}})

    server.before_patch = kubelet
    assert move(server, RECORD)


def test_somebody_who_never_rests_wins(server: StandIn) -> None:
    server.before_patch = lambda target: server.touch(target, {"status": {}})
    with pytest.raises(Untouched, match="again and again"):
        move(server, RECORD)
    assert labels(server) == {"x": "1"}


def test_a_value_that_was_changed_meanwhile_is_one(server: StandIn) -> None:
    server.before_patch = lambda target: server.touch(target, {"metadata": {"labels": {"x": "3"}}})
    with pytest.raises(Untouched, match=r"metadata.labels\[x\] is 3, and was 1"):
        move(server, RECORD)
    assert labels(server) == {"x": "3"}


def test_what_is_gone_or_another_is_left(server: StandIn) -> None:
    with pytest.raises(Untouched, match="not there any more"):
        move(server, Record(Target("Node", "b"), "", RECORD.edits))
    with pytest.raises(Untouched, match="made anew"):
        move(server, Record(NODE, "before", RECORD.edits))


def test_the_servers_no_is_told(server: StandIn) -> None:
    server.before_patch = lambda _: PatchAnswer(403, {"message": "nodes is forbidden"})
    with pytest.raises(Untouched, match="nodes is forbidden"):
        move(server, RECORD)


def test_a_webhook_that_has_the_last_word_is_told(server: StandIn) -> None:
    server.webhook = lambda data: {**data, "metadata": {**data["metadata"], "labels": {"x": "mine"}}}
    with pytest.raises(RepairRefused, match="wrote something else") as refused:
        move(server, RECORD)
    assert not isinstance(refused.value, Untouched)
