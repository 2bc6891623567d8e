"""What of a cluster could not be seen, and why: refused, or not written down."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from nodeworthy.collect.cluster.kinds import KINDS, NODES, Kind
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.facts.not_seen import NotLookedAt
from nodeworthy.scene import Missing
from nodeworthy.verdict import Place, Verdict


def unseen(seen: Seen, *kinds: Kind) -> Missing | None:
    """Why nothing is known of what these tell together; None where all of them could be read. Of a core kind that was
    not written down at all, another rule says that the diagnosis is blind. Who may look into one namespace only is
    rightly refused what belongs to none."""
    left = [each for each in kinds if not seen.has_all(each)]
    if not left:
        return None
    kept_away = next(filter(seen.was_kept_away, left), None)
    if kept_away is None:
        return Missing(seen.why_not_all(left[0]) or "")
    skipped = bool(seen.namespace) and not kept_away.namespaced
    verdict = Verdict.SKIP if skipped else Verdict.UNKNOWN
    return Missing(seen.why_not_all(kept_away) or "", verdict, Place(subject=kept_away.plural))


def unseen_though_asked(seen: Seen, kind: Kind, *, is_asked_for: bool) -> Missing | None:
    """Of a kind that few clusters have: not written down is a reason only where its rule was asked for by name."""
    if not seen.was_kept_away(kind) and not (is_asked_for and not seen.has(kind)):
        return None
    return Missing(seen.why_not_all(kind) or "", Verdict.UNKNOWN, Place(subject=kind.plural))


class NotSeen:
    def __init__(self, seen: Seen) -> None:
        self._seen = seen

    @cached_property
    def _nodes_are_named(self) -> bool:
        return any(pod.node for pod in self._seen.pods.values())

    def why(self, kind: Kind) -> str | None:
        if self._seen.was_kept_away(kind):
            return self._seen.why_not_all(kind)
        if kind is NODES and not self._seen.nodes and self._nodes_are_named:
            return "pods run on nodes, and none of these nodes is in what was read"
        return self._seen.why_not_all(kind)

    def may_be_refused(self, kind: Kind) -> bool:
        """Who may look into one namespace only is rightly refused what belongs to none."""
        return bool(self._seen.namespace) and not kind.namespaced and kind.plural in self._seen.refused

    def not_looked_at(self) -> Iterator[NotLookedAt]:
        for kind in KINDS:
            why = self.why(kind)
            if why is not None and kind.core and not self.may_be_refused(kind) and not self._is_told_of(kind):
                yield NotLookedAt(Place(subject=kind.plural), why, remedy=_remedy(kind, self._seen))

    def _is_told_of(self, kind: Kind) -> bool:
        """The file that could not be read to its end is a finding of its own."""
        return self._seen.has(kind) and kind.plural in self._seen.cut

    def missing(self, kind: Kind, none: str) -> Missing:
        """Why there are no facts of a kind: not seen, or not there."""
        why = self.why(kind)
        if why is None:
            return Missing(none, place=Place(subject=kind.plural))
        skipped = self.may_be_refused(kind) or not (kind.core or self._seen.was_kept_away(kind))
        return Missing(why, Verdict.SKIP if skipped else Verdict.UNKNOWN, Place(subject=kind.plural))


def _remedy(kind: Kind, seen: Seen) -> str:
    if kind.plural in seen.refused:
        return f"give the account that looks the right to list {kind.full_name}"
    everywhere = " -A" if kind.namespaced else ""
    return f"kubectl get {kind.full_name}{everywhere} -o json > {kind.plural}.json"
