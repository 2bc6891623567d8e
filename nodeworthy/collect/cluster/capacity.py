"""The capacity of a cluster as facts: what kubelets refused, and why."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from nodeworthy.collect.cluster.kinds import EVENTS, PODS, Kind
from nodeworthy.collect.cluster.seen import Seen
from nodeworthy.engine import Fact, Missing, Scene
from nodeworthy.facts.admission_causes import Admissions, AdmissionWorld, refused_on_nodes
from nodeworthy.facts.daemonset_manifest import Part
from nodeworthy.facts.sandbox_failure import moment
from nodeworthy.facts.verification_work import VerificationWork
from nodeworthy.verdict import Place, Verdict

RULES = frozenset(("admission-explained",))


def capacity(seen: Seen, works: list[VerificationWork], rules: frozenset[str]) -> Scene:
    return Scene(list(_facts(seen, works)), dict(_missing(seen)), (), rules - RULES)


def _facts(seen: Seen, works: list[VerificationWork]) -> Iterator[Fact]:
    kept = seen.capacity
    if kept.refusals or (seen.has(PODS) and kept.has_gpus):
        yield _admissions(seen, works)


def _admissions(seen: Seen, works: list[VerificationWork]) -> Admissions:
    blamed = {name for work in works if not work.yields for name in work.rejected}
    kept = seen.capacity
    world = AdmissionWorld(kept.nodes, kept.held, kept.events, _plugins(seen))
    return Admissions(tuple(refused_on_nodes(kept.refusals, world, blamed)))


def _plugins(seen: Seen) -> dict[str, datetime]:
    """When the device plugin's pod on a node became ready."""
    found = {}
    for pod in seen.pods.values():
        plugin = seen.gpu_daemonsets.get((pod.namespace, pod.daemonset)) if pod.daemonset else None
        when = moment(pod.since) if plugin is not None and plugin.part is not Part.DCGM_EXPORTER else None
        if when is not None and pod.ready:
            found[pod.node] = when
    return found


def _missing(seen: Seen) -> Iterator[tuple[type[Fact], Missing]]:
    yield Admissions, _unseen(seen, PODS, EVENTS) or Missing("no node has GPUs and no pod asks for any")


def _unseen(seen: Seen, *kinds: Kind) -> Missing | None:
    """Why nothing is there: none of these kinds may be looked at. That a core kind was not written down at all, another
    rule says."""
    missing = [each for each in kinds if not seen.has(each)]
    if not missing:
        return None
    for kind in missing:
        why = seen.refused.get(kind.plural)
        if why is not None:
            skipped = bool(seen.namespace) and not kind.namespaced
            said = f"the server refused to list {kind.full_name}: {why}"
            return Missing(said, Verdict.SKIP if skipped else Verdict.UNKNOWN, Place(subject=kind.plural))
    return Missing(f"no {missing[0].full_name} are in what was read")
