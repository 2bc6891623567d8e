"""The taints that nodes register with, whoever asks for the nodes, and whether pods tolerate them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.documents.tree import Tree
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, need

_KEEPS_AWAY = ("NoSchedule", "NoExecute")
# EKS' own API writes them so.
_AS_KUBERNETES_WRITES = {
    "NO_SCHEDULE": "NoSchedule",
    "NO_EXECUTE": "NoExecute",
    "PREFER_NO_SCHEDULE": "PreferNoSchedule",
}
EKS_WORDS = {kubernetes: eks for eks, kubernetes in _AS_KUBERNETES_WRITES.items()}


@dataclass(frozen=True)
class NodeTaint:
    key: str
    value: str
    effect: str
    place: Place

    @property
    def keeps_away(self) -> bool:
        return self.effect in _KEEPS_AWAY

    def __str__(self) -> str:
        value = f"={self.value}" if self.value else ""
        return f"{self.key}{value}:{self.effect}"


def taints_in(said: Sequence[Tree]) -> tuple[NodeTaint, ...]:
    """The taints in a list of `{key, value, effect}`, as far as they can be read."""
    return tuple(found for each in said if (found := _taint(each)) is not None)


def _taint(said: Tree) -> NodeTaint | None:
    key, effect = said.get("key").text, said.get("effect").text
    if key is None or effect is None or said.get("value").is_unknown:
        return None
    value = said.get("value").word
    return NodeTaint(key, value, _AS_KUBERNETES_WRITES.get(effect, effect), said.place)


def taints_by_key(said: Tree) -> Iterator[NodeTaint]:
    """The taints in a mapping of keys to `value:effect`, which eksctl takes, too."""
    for key, each in said.mapping.items():
        value, _, effect = each.string.rpartition(":")
        if effect:
            yield NodeTaint(key, value, effect, each.place)


def written_taint(said: str, place: Place) -> NodeTaint | None:
    """The taint in a text as kubelet, k3s, RKE2 and AKS take it: `key=value:effect`, `key:effect`."""
    what, colon, effect = said.rpartition(":")
    key, _, value = what.partition("=")
    return NodeTaint(key, value, effect, place) if colon and key and effect else None


def untolerated_taint(taints: Sequence[NodeTaint], tolerations: Tree, own: Sequence[str] = ()) -> NodeTaint | None:
    """The first of them that keeps pods with these tolerations away. EKS lets a pod tolerate one that is called as a
    resource for which it asks (`own`): ExtendedResourceToleration is on in all of its API servers."""
    need(tolerations.located())
    for taint in taints:
        if not taint.keeps_away or taint.key in own:
            continue
        if not any(_tolerates(each, taint) for each in tolerations.sequence):
            return taint
    return None


def _tolerates(toleration: Tree, taint: NodeTaint) -> bool:
    for said in (toleration, *(toleration.get(name) for name in ("effect", "key", "operator"))):
        need(said.located())
    effect, key = toleration.get("effect").text, toleration.get("key").text
    if effect and effect != taint.effect:
        return False
    exists = toleration.get("operator").text == "Exists"
    if not key:
        return exists
    return key == taint.key and (exists or str(need(toleration.get("value").located()) or "") == taint.value)
