"""Who runs a rollout renews its Lease while others ask something of him: what they ask is heard all the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

import pytest

from nodeworthy.repair.edit import RepairRefused
from nodeworthy.repair.lease import lease_named
from nodeworthy.repair.server import PatchAnswer, Server
from nodeworthy.rollout.lease import SECONDS, TRIES, WANTED, ask_for

CONFLICT = PatchAnswer(
    409, {"message": "the object has been modified; please apply your changes to the latest version"}
)


class Renewed:
    """A Lease that its holder renews between a look at it and what is written then, so many times."""

    def __init__(self, times: int) -> None:
        self.times = times
        self.kept: Mapping[str, Any] = lease_named("nodeworthy-rollout-t4", "rollout 1, somebody", SECONDS)

    def lease(self, namespace: str, name: str) -> Mapping[str, Any]:
        return self.kept

    def replace_lease(self, namespace: str, name: str, lease: Mapping[str, Any]) -> PatchAnswer:
        if self.times > 0:
            self.times -= 1
            return CONFLICT
        self.kept = lease
        return PatchAnswer(200, lease)


def test_who_asks_while_it_is_renewed_asks_again() -> None:
    server = Renewed(times=2)
    assert ask_for(cast(Server, server), "t4", "pause") == "rollout 1, somebody"
    assert server.kept["metadata"]["annotations"][WANTED] == "pause"


def test_who_never_gets_through_is_told_so() -> None:
    server = Renewed(times=TRIES)
    with pytest.raises(RepairRefused, match=r"can't be written: .*has been modified"):
        ask_for(cast(Server, server), "t4", "pause")
    assert server.times == 0
