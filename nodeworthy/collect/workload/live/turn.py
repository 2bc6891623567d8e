"""Turns on a pool: two runs refuse each other by a Lease; what a killed run has left is removed by the next."""

from __future__ import annotations

import getpass
import os
import re
import socket
from collections.abc import Mapping, Sequence
from dataclasses import field
from datetime import UTC, datetime, timedelta
from typing import Any

from nodeworthy.collect.in_cluster.cluster import NotDone
from nodeworthy.collect.in_cluster.job import MADE_BY_US, RUN
from nodeworthy.collect.workload.jobs import TURN
from nodeworthy.collect.workload.live.workbench import MADE, Workbench, is_going
from nodeworthy.documents.plain import number_at, text_at
from nodeworthy.errors import CouldNotLook
from nodeworthy.facts.cluster.sandbox_failure import moment
from nodeworthy.known.verification import LABEL
from nodeworthy.records import dataclass

LASTS_SECONDS = 60
RENEWED_SECONDS = 15.0
_LONGEST = 60
OURS = ",".join(f"{name}={value}" for name, value in {**MADE_BY_US, LABEL: "accept"}.items())


def turn_name(pool: str) -> str:
    part = re.sub(r"[^a-z0-9-]+", "-", pool.lower()).strip("-")
    return f"nodeworthy-accept-{part}"[:_LONGEST].rstrip("-") if part else "nodeworthy-accept"


@dataclass
class Turn:
    """The leases of one run."""

    bench: Workbench
    run: str
    pools: Sequence[str]
    renewed: float = 0.0
    # When each lease was last known to be ours.
    ours_at: dict[str, float] = field(default_factory=dict)
    # Why it is no longer our turn; empty while it is.
    lost: str = ""

    def take(self) -> None:
        """Raises CouldNotLook where another run has one of them; then it holds none."""
        try:
            for name in self._names:
                self._take(name)
        except CouldNotLook:
            self.leave()
            raise

    def _take(self, name: str) -> None:
        there = self.bench.lease(name)
        if there is not None:
            _refuse_while_it_lasts(there, self.bench.namespace)
        wanted = self._lease(name, there)
        answer = self.bench.make(wanted) if there is None else self.bench.replace(wanted)
        if answer.status == 409:
            raise NotDone(f"another run has begun on this pool at the same moment (Lease {name}): nothing was begun")
        if not 200 <= answer.status < 300:
            raise NotDone(f"Lease {self.bench.namespace}/{name} can't be taken: {answer.why}; nothing was begun")

    def _lease(self, name: str, there: Mapping[str, Any] | None) -> dict[str, Any]:
        now = f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%S.%fZ}"
        spec = {"holderIdentity": self._who(), "leaseDurationSeconds": LASTS_SECONDS, "renewTime": now}
        version = {"resourceVersion": text_at(there, "metadata", "resourceVersion")} if there is not None else {}
        labels = {**MADE_BY_US, RUN: self.run, LABEL: "accept"}
        metadata = {"name": name, "namespace": self.bench.namespace, "labels": labels, **version}
        return {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": metadata, "spec": spec}

    def _who(self) -> str:
        try:
            user = getpass.getuser()
        except (KeyError, OSError):  # a container's user may have no name
            user = str(os.getuid())
        return f"{user}@{socket.gethostname()}, process {os.getpid()}, run {self.run}"

    def renew(self, now: float) -> None:
        """Renews the Lease while the run lasts. One that is another's by now, or cannot be renewed before it expires,
        is lost: then we make room."""
        if now - self.renewed < RENEWED_SECONDS:
            return
        self.renewed = now
        for name in self._names:
            self._renew(name, now)

    def _renew(self, name: str, now: float) -> None:
        since = self.ours_at.setdefault(name, now)
        try:
            why, is_taken = self._why_not_renewed(name)
        except CouldNotLook as problem:
            why, is_taken = str(problem), False
        if not why:
            self.ours_at[name] = now
        elif is_taken or now - since >= LASTS_SECONDS - RENEWED_SECONDS:
            self.lost = f"its turn is lost (Lease {self.bench.namespace}/{name}): {why}"

    def _why_not_renewed(self, name: str) -> tuple[str, bool]:
        """Why the Lease was not renewed, empty where it was; and whether asking again is useless."""
        there = self.bench.lease(name)
        if there is None:
            return "somebody has deleted it", True
        if text_at(there, "metadata", "labels", RUN) != self.run:
            return f"it is that of {text_at(there, 'spec', 'holderIdentity') or 'somebody else'} now", True
        answer = self.bench.replace(self._lease(name, there))
        return ("" if 200 <= answer.status < 300 else f"it can't be renewed: {answer.why}"), False

    def leave(self) -> None:
        for name in self._names:
            there = self.bench.lease(name)
            if there is not None and text_at(there, "metadata", "labels", RUN) == self.run:
                self.bench.discard({**there, "kind": "Lease"})

    @property
    def _names(self) -> list[str]:
        return sorted({turn_name(each) for each in self.pools})


def _refuse_while_it_lasts(there: Mapping[str, Any], namespace: str) -> None:
    renewed, lasts = moment(text_at(there, "spec", "renewTime")), number_at(there, "spec", "leaseDurationSeconds")
    if renewed is None or lasts is None:
        return
    until = renewed + timedelta(seconds=lasts)
    if until > datetime.now(UTC):
        name, who = text_at(there, "metadata", "name"), text_at(there, "spec", "holderIdentity") or "somebody"
        raise NotDone(
            f"another run of accept is under way on this pool, by {who}, and its turn lasts until {until:%H:%M:%SZ} "
            f"at least: nothing was begun (if it is dead, wait, or kubectl delete lease -n {namespace} {name})"
        )


def remove_left_behind(bench: Workbench, run: str) -> list[str]:
    """What runs made that were watched, and are not any more. What somebody applied by hand is his."""
    removed = []
    leases = bench.there("Lease", OURS)
    living = {text_at(each, "metadata", "labels", RUN) for each in leases if _is_alive(each)}
    for kind in MADE:
        for each in bench.there(kind, f"{OURS},{TURN}"):
            if text_at(each, "metadata", "labels", TURN) not in {run, *living} and not is_going(each):
                bench.discard(each)
                removed.append(f"{kind} {text_at(each, 'metadata', 'name')}")
    for each in leases:  # last, for they tell whose the rest is
        if text_at(each, "metadata", "labels", RUN) not in {run, *living}:
            bench.discard(each)
            removed.append(f"Lease {text_at(each, 'metadata', 'name')}")
    return removed


def _is_alive(lease: Mapping[str, Any]) -> bool:
    renewed, lasts = moment(text_at(lease, "spec", "renewTime")), number_at(lease, "spec", "leaseDurationSeconds")
    return renewed is not None and renewed + timedelta(seconds=lasts or 0) > datetime.now(UTC)
