"""Pods that HAMi's scheduler refuses every node, by the words that it has for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from nodeworthy.facts.cluster.asking_pod import AskingPod
from nodeworthy.facts.cluster.node_gpus import LOCK, NodeGpus
from nodeworthy.facts.cluster.pending_cause import PendingCause
from nodeworthy.facts.cluster.pending_world import PendingWorld
from nodeworthy.known.hami import refusals
from nodeworthy.patterns import pattern
from nodeworthy.verdict import NOWHERE, Related, fail

_OF_NODES = pattern(r"(?P<count>\d+) nodes? (?P<word>\w+)\(|\b(?P<alone>[A-Z]\w+)\b")
_MOST = 400
_LOCKED = pattern(r"node (?P<node>\S+) has been locked within")


def refused_by_hami(pods: Sequence[AskingPod], world: PendingWorld) -> PendingCause | None:
    """None where it says nothing that is known."""
    said = [words for pod in pods for words in _words_about(pod, world)]
    locked = next((found["node"] for words in said if (found := _LOCKED.search(words)) is not None), None)
    if locked is not None and (node := world.nodes.get(locked)) is not None and node.lock:
        return _locked(node, said)
    told = _counted(said)
    if not told:
        return None
    word, _ = told.most_common(1)[0]
    others = ", ".join(f"{other} ({refusals()[other].says})" for other, _ in told.most_common() if other != word)
    return PendingCause(
        ("refused by HAMi", *sorted(told)),
        fail(
            NOWHERE,
            refusals()[word].says,
            is_="; ".join(dict.fromkeys(said))[:_MOST],
            should="a node that HAMi's scheduler takes",
            cause=f"HAMi's scheduler says {word} of the most nodes" + (f", and of others {others}" if others else ""),
            remedy=refusals()[word].remedy,
        ),
    )


def _words_about(pod: AskingPod, world: PendingWorld) -> list[str]:
    return [*world.words_of_hami(pod), world.words(pod)]


def _counted(said: Iterable[str]) -> Counter[str]:
    """HAMi's words, each with the number of nodes of which it was said."""
    found: Counter[str] = Counter()
    for words in dict.fromkeys(said):
        for each in _OF_NODES.finditer(words):
            word = each["word"] or each["alone"]
            if word in refusals():
                found[word] = max(found[word], int(each["count"] or 1))
    return found


def _locked(node: NodeGpus, said: Sequence[str]) -> PendingCause:
    return PendingCause(
        ("locked", node.name),
        fail(
            NOWHERE,
            f"HAMi's lock is left on {node.title}",
            is_=next(words for words in said if _LOCKED.search(words)),
            should="a lock that goes with the pod that took it",
            cause=f"the annotation {LOCK}={node.lock} was left by the pod that it names, and until it is gone no "
            "other is "
            "bound there",
            remedy="see that the pod which it names does not start any more, then: kubectl annotate node "
            f"{node.name} {LOCK}-",
            related=(Related(node.place.about(LOCK), f"{LOCK}={node.lock}"),),
        ),
    )
