"""Which distribution a Kubernetes node is of, by what it says of itself: the table of `node_signs.toml`."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from nodeworthy.known.operator_parts import GPU_SIGNS
from nodeworthy.known.tables import table_of
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

# Of a class with its vendor: pci-0302_10de.present.
_OF_A_VENDOR = "feature.node.kubernetes.io/pci-0302_"
# Of a card of NVIDIA's with more than the operator looks for: pci-10de_2330.present, pci-0302_10de_2330.present.
# How NFD calls a card by its vendor alone, and by its class before that, as it does unless it is told otherwise.
OF_NVIDIA = "feature.node.kubernetes.io/pci-10de.present"
_BY_CLASS = pattern(r"feature\.node\.kubernetes\.io/pci-03\d\d_10de\.present")
_WITH_MORE = pattern(r"feature\.node\.kubernetes\.io/pci-(?:03\d\d_)?10de(?:_[0-9a-f]{4}){1,3}\.present")


@dataclass(frozen=True)
class Sign:
    """What a node shows, and what it then may be."""

    distributions: tuple[str, ...]
    runtime: str = ""
    kubelet: str = ""
    os_image: str = ""
    label: str = ""
    source: str = ""

    def holds(self, runtime: str, kubelet: str, os_image: str, labels: Mapping[str, str]) -> bool:
        return (
            runtime.startswith(self.runtime)
            and self.kubelet in kubelet
            and os_image.startswith(self.os_image)
            and (not self.label or self.label in labels)
        )


@dataclass(frozen=True)
class Trace:
    """What a distribution puts on its nodes."""

    path: str
    distributions: tuple[str, ...]
    source: str = ""


@dataclass(frozen=True)
class CriSocket:
    """The annotation in which kubeadm keeps the socket that kubelet uses."""

    annotation: str
    distribution: str
    source: str


@cache
def _table() -> Mapping[str, Any]:
    return table_of("node_signs")


@cache
def signs() -> tuple[Sign, ...]:
    return tuple(Sign(**{**row, "distributions": tuple(row["distributions"])}) for row in _table()["sign"])


@cache
def traces() -> tuple[Trace, ...]:
    return tuple(Trace(**{**row, "distributions": tuple(row["distributions"])}) for row in _table()["trace"])


@cache
def _gpu_labels() -> Mapping[str, str]:
    return {row["label"]: row.get("value", "") for row in _table()["gpu"]}


def is_labelled_with_a_gpu(labels: Mapping[str, str]) -> bool:
    """Whether a label says that there is a card, whoever set it."""
    return any(name in labels and value in ("", labels[name]) for name, value in _gpu_labels().items()) or bool(
        labelled_with_more(labels)
    )


def labelled_with_more(labels: Mapping[str, str]) -> str:
    """The label by which NFD tells of a card of NVIDIA's in a form that the operator does not look for (its device's id
    behind the vendor's); empty where there is none, or one that it looks for as well."""
    if any(labels.get(name) == value for name, value in GPU_SIGNS):
        return ""
    return next((name for name, value in labels.items() if value == "true" and _WITH_MORE.fullmatch(name)), "")


def labelled_by_class(labels: Mapping[str, str]) -> str:
    """The label by which NFD tells of a card by its class and NVIDIA's id, where none tells of the id alone."""
    if labels.get(OF_NVIDIA) == "true":
        return ""
    return next((name for name, value in labels.items() if value == "true" and _BY_CLASS.fullmatch(name)), "")


def has_a_card_of_no_vendor(labels: Mapping[str, str]) -> bool:
    """Whether a label tells of a card, and not whose it is: neither this label nor another one does."""
    return any(labels.get(row["label"]) == row["value"] for row in _table()["unnamed"]) and not any(
        name.startswith(_OF_A_VENDOR) for name in labels
    )


@cache
def cri_socket() -> CriSocket:
    return CriSocket(**_table()["cri_socket"])


@cache
def shows_itself(distribution: str) -> bool:
    """Whether every node of this distribution shows it."""
    return any(distribution in sign.distributions for sign in signs())
