"""Two rollouts of one group refuse each other: who runs one holds a Lease, and hears by it what others ask of him."""

from __future__ import annotations

import os
import socket
from collections.abc import Mapping
from typing import Any, Final

from nodeworthy.documents.plain import mapping_at, strings_at, text_at
from nodeworthy.errors import InputError
from nodeworthy.patterns import pattern
from nodeworthy.repair.edit import RepairRefused
from nodeworthy.repair.lease import NAMESPACE, held_until, lease_named, whoami
from nodeworthy.repair.server import Server, uid_of, version_of

# It is renewed at every look; whoever is killed lets others in after this.
SECONDS: Final = 300
TRIES: Final = 10
WANTED: Final = "nodeworthy/rollout-wanted"
_NO_NAME = pattern(r"[^a-z0-9]+")
_HOLDER = pattern(r"rollout (?P<id>\S+), .*@(?P<host>[^,]+), process (?P<process>\d+)")


def lease_name(group: str) -> str:
    return f"nodeworthy-rollout-{_NO_NAME.sub('-', group.lower()).strip('-')}"[:250].rstrip("-")


class Lost(RepairRefused):
    """Another run has the lease: nothing more is done, and nothing is put right either."""


class Hold:
    def __init__(self, server: Server, group: str, rollout: str) -> None:
        self._server = server
        self._group = group
        self.name = lease_name(group)
        self._rollout = rollout
        self._holder = f"rollout {rollout}, {whoami()}"

    def take(self) -> None:
        """Raises RepairRefused while another one has it."""
        there = self._server.lease(NAMESPACE, self.name)
        lease = lease_named(self.name, self._holder, SECONDS)
        if there is None:
            said = self._server.create_lease(NAMESPACE, lease)
        else:
            self._refuse_another(there)
            lease["metadata"]["resourceVersion"] = version_of(there)
            said = self._server.replace_lease(NAMESPACE, self.name, lease)
        if said.is_conflict:
            raise RepairRefused(f"another rollout of {self._group} has begun at the same moment: nothing was changed")
        if not said.is_yes:
            raise RepairRefused(f"Lease/{NAMESPACE}/{self.name} can't be taken: {said.why}; nothing was changed")

    def _refuse_another(self, there: Mapping[str, Any]) -> None:
        until, holder = held_until(there), text_at(there, "spec", "holderIdentity")
        if until is None or holder == self._holder or self._is_dead(holder):
            return
        raise RepairRefused(
            f"another rollout of {self._group} is under way, by {holder or 'somebody'}, until {until:%H:%M:%SZ} at the "
            f"latest: nothing was changed (if it is dead: kubectl delete lease -n {NAMESPACE} {self.name})"
        )

    def _is_dead(self, holder: str) -> bool:
        """Ours, of a process of this machine that is no more: it was killed, and is just being resumed."""
        found = _HOLDER.fullmatch(holder)
        if found is None or found["id"] != self._rollout or found["host"] != socket.gethostname():
            return False
        try:
            os.kill(int(found["process"]), 0)
        except ProcessLookupError:
            return True
        except OSError:
            return False
        return False

    def renew(self) -> str:
        """What somebody asks for meanwhile. Raises Lost where it is ours no more."""
        there = self._server.lease(NAMESPACE, self.name)
        if there is None or text_at(there, "spec", "holderIdentity") != self._holder:
            who = text_at(there, "spec", "holderIdentity") if there is not None else "nobody"
            raise Lost(f"Lease/{NAMESPACE}/{self.name} is held by {who} now: this rollout goes no further")
        lease = lease_named(self.name, self._holder, SECONDS)
        lease["metadata"] = {**mapping_at(there, "metadata")}
        self._server.replace_lease(NAMESPACE, self.name, lease)  # a conflict: somebody asks; the next look sees it
        return strings_at(there, "metadata", "annotations").get(WANTED, "")

    def let_go(self) -> None:
        there = self._server.lease(NAMESPACE, self.name)
        if there is not None and text_at(there, "spec", "holderIdentity") == self._holder:
            self._server.delete_lease(NAMESPACE, self.name, uid_of(there), version_of(there))


def ask_for(server: Server, group: str, wanted: str) -> str:
    """Asks whoever runs a rollout of this group to pause or to abort, and says who that is.
    Raises InputError, RepairRefused.

    He renews the Lease at every look: who asks at that very moment asks again."""
    name = lease_name(group)
    for _ in range(TRIES):
        there = server.lease(NAMESPACE, name)
        if there is None or held_until(there) is None:
            raise InputError(
                f"no rollout of {group} is under way; one that was killed is ended by nodeworthy rollout --resume FILE "
                "--abort"
            )
        said = server.replace_lease(NAMESPACE, name, _with(there, wanted))
        if said.is_yes:
            return text_at(there, "spec", "holderIdentity")
        if not said.is_conflict:
            break
    raise RepairRefused(f"Lease/{NAMESPACE}/{name} can't be written: {said.why}")


def _with(lease: Mapping[str, Any], wanted: str) -> dict[str, Any]:
    metadata = dict(mapping_at(lease, "metadata"))
    metadata["annotations"] = {**strings_at(lease, "metadata", "annotations"), WANTED: wanted}
    return {**lease, "metadata": metadata}
