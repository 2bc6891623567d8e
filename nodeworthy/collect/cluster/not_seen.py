"""What of a cluster could not be seen, and why: refused, or not written down."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any

from nodeworthy.collect.cluster.kinds import KINDS, NODES, ObjectKind
from nodeworthy.collect.cluster.seen import ClusterObjects
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.scene import Missing
from nodeworthy.verdict import Place, Verdict


class NotSeen:
    def __init__(self, seen: ClusterObjects, asked: Collection[type[Any]] = ()) -> None:
        self._seen = seen
        self._asked = asked

    @cached_property
    def _nodes_are_named(self) -> bool:
        return any(pod.node for pod in self._seen.pods.values())

    def is_asked_for(self, fact: type[Any]) -> bool:
        """Whether a rule that judges it was named."""
        return fact in self._asked

    def why(self, kind: ObjectKind) -> str | None:
        if self._seen.was_kept_away(kind):
            return self._seen.why_not_all(kind)
        if kind is NODES and not self._seen.nodes and self._nodes_are_named:
            return "pods run on nodes, and none of these nodes is in what was read"
        return self._seen.why_not_all(kind)

    def may_be_refused(self, kind: ObjectKind) -> bool:
        """Whether the refusal is right: an account of one namespace may not list what belongs to none."""
        return bool(self._seen.namespace) and not kind.namespaced and kind.key in self._seen.refused

    def not_looked_at(self) -> Iterator[NotLookedAt]:
        for kind in KINDS:
            why = self.why(kind)
            if why is not None and kind.core and not self.may_be_refused(kind) and not self._is_told_of(kind):
                yield NotLookedAt(Place(subject=kind.key), why, remedy=_remedy(kind, self._seen))

    def _is_told_of(self, kind: ObjectKind) -> bool:
        """The file that could not be read to its end is a finding of its own."""
        return self._seen.has(kind) and kind.key in self._seen.cut

    def missing(self, fact: type[Any], none: str, *kinds: ObjectKind, blind: bool = False) -> Missing:
        """Why there is no fact of a type: a kind that it is read from was not seen whole, or holds none.

        A rule that is `blind` without a core kind is unknown then. The others skip, for one rule tells of each kind
        that was not looked at. Few clusters have the kinds that are not core: where one was not written down, only a
        rule that was named is unknown."""
        left = [each for each in kinds if self.why(each) is not None]
        if not left:
            return Missing(none)
        kind = next(filter(self._seen.was_kept_away, left), left[0])
        wanted = self._seen.was_kept_away(kind) or self.is_asked_for(fact) or (blind and kind.core)
        verdict = Verdict.UNKNOWN if wanted and not self.may_be_refused(kind) else Verdict.SKIP
        return Missing(self.why(kind) or none, verdict, Place(subject=kind.key))


def _remedy(kind: ObjectKind, seen: ClusterObjects) -> str:
    if kind.key in seen.refused:
        return f"give the account that looks the right to list {kind.full_name}"
    everywhere = " -A" if kind.namespaced else ""
    return f"kubectl get {kind.full_name}{everywhere} -o json > {kind.key}.json"
