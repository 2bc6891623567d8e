"""Two repairs of a cluster at once refuse each other: who repairs holds a Lease, which ends by itself."""

from __future__ import annotations

import getpass
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from nodeworthy.documents.plain import number_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.repair.edit import RepairRefused
from nodeworthy.repair.server import PatchAnswer, Server, uid_of, version_of

NAMESPACE = "kube-system"
NAME = "nodeworthy-repair"


@contextmanager
def hold_lease(server: Server, seconds: int) -> Iterator[None]:
    """The lease, for as long as this takes, and for no longer than `seconds` should we die."""
    mine = _take_lease(server, seconds)
    try:
        yield
    finally:
        _let_go(server, mine)


def _take_lease(server: Server, seconds: int) -> Mapping[str, Any]:
    lease = lease_named(NAME, whoami(), seconds)
    there = server.lease(NAMESPACE, NAME)
    if there is None:
        said = server.create_lease(NAMESPACE, lease)
    else:
        _refuse_while_it_lasts(there)
        lease["metadata"]["resourceVersion"] = version_of(there)
        said = server.replace_lease(NAMESPACE, NAME, lease)
    if said.is_yes:
        return said.body
    raise RepairRefused(_why(said))


def _why(said: PatchAnswer) -> str:
    if said.is_conflict:
        return "another repair of this cluster has begun at the same moment: nothing was changed"
    return f"the lock of repairs (Lease/{NAMESPACE}/{NAME}) can't be taken: {said.why}; nothing was changed"


def lease_named(name: str, holder: str, seconds: int) -> dict[str, Any]:
    now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
    spec = {"holderIdentity": holder, "leaseDurationSeconds": seconds, "acquireTime": now, "renewTime": now}
    kind = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease"}
    return {**kind, "metadata": {"name": name, "namespace": NAMESPACE}, "spec": spec}


def whoami() -> str:
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # a container's user may have no name
        user = str(os.getuid())
    return f"{user}@{socket.gethostname()}, process {os.getpid()}"


def held_until(there: Mapping[str, Any]) -> datetime | None:
    """When a lease ends by itself; None where it has ended."""
    renewed = moment(text_at(there, "spec", "renewTime"))
    lasts = number_at(there, "spec", "leaseDurationSeconds")
    if renewed is None or lasts is None:
        return None
    until = renewed + timedelta(seconds=lasts)
    return until if until > datetime.now(UTC) else None


def _refuse_while_it_lasts(there: Mapping[str, Any]) -> None:
    until = held_until(there)
    if until is not None:
        who = text_at(there, "spec", "holderIdentity") or "somebody"
        raise RepairRefused(
            f"another repair of this cluster is under way, by {who}, until {until:%H:%M:%SZ} at the latest: nothing "
            f"was changed (if it is dead: kubectl delete lease -n {NAMESPACE} {NAME})"
        )


def _let_go(server: Server, mine: Mapping[str, Any]) -> None:
    try:
        server.delete_lease(NAMESPACE, NAME, uid_of(mine), version_of(mine))
    except CouldNotLook:
        return  # it ends by itself
