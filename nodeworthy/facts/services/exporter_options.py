"""The options that NVIDIA's DCGM exporter is started with: by a container, by its chart's values, by the operator's."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Sequence
from typing import ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.known.dcgm_fields import BEGINS
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

EXPORTER = "dcgm-exporter"
_MAKER = "nvidia"
# Source: dcgm-exporter 2.1 to 4.5, pkg/cmd/app.go; `version` and `help` are urfave/cli's.
_LIST = frozenset(("collectors", "f"))
_KNOWN = _LIST | frozenset(
    "address clock-events-count-window-size collect-interval configmap-data cpu-devices dcgm-log-level debug devices "
    "disable-startup-validate dump-compression dump-directory dump-enabled dump-retention enable-dcgm-log "
    "enable-gpu-bind-unbind-watch enable-pprof fake-gpus gpu-bind-unbind-poll-interval help hpc-job-mapping-dir "
    "kubernetes kubernetes-enable-dra kubernetes-enable-pod-labels kubernetes-enable-pod-uid kubernetes-gpu-id-type "
    "kubernetes-pod-label-allowlist-regex kubernetes-pod-label-cache-size kubernetes-virtual-gpus log-format "
    "no-hostname nvidia-resource-names pod-resources-kubelet-socket remote-hostengine-info "
    "replace-blanks-in-model-name switch-devices use-old-namespace version web-config-file web-systemd-socket "
    "xid-count-window-size a c d h k m n o p r rbmn s v x".split()
)
_FILLED_IN = pattern(r"[{}$<>]")


@dataclass(frozen=True)
class RefusedExporterOption:
    """An option with which the exporter ends at its start."""

    called: ClassVar[str] = "an option of the DCGM exporter"

    place: Place
    written: str
    # What it is taken for, where it has one of this name; else it has none.
    is_a_list_of_names: bool = False


def refused_options(document: Tree) -> Iterator[RefusedExporterOption]:
    for words in _starts(document):
        yield from _refused_of(words)


def _starts(tree: Tree, name: str = "") -> Iterator[Sequence[Tree]]:
    """What it is started with, wherever a document says it."""
    if tree.is_sequence:
        for each in tree.sequence:
            yield from _starts(each, name)
    if not tree.is_mapping:
        return
    image = tree.get("image").string.partition("@")[0]
    if posixpath.basename(image).partition(":")[0] == EXPORTER and _MAKER in image and _is_itself(tree.get("command")):
        yield [*tree.get("command").sequence[1:], *tree.get("args").sequence]
    elif name == "dcgmExporter":
        yield tree.get("args").sequence
    elif not name and _are_its_charts(tree):
        yield tree.get("arguments").sequence
    for key, each in tree.mapping.items():
        yield from _starts(each, key)


def _is_itself(command: Tree) -> bool:
    return not command.sequence or posixpath.basename(command.sequence[0].string) == EXPORTER


def _are_its_charts(tree: Tree) -> bool:
    """Values of its chart, which no other chart calls so: what is given is the exporter's."""
    said = " ".join(each.string for each in tree.get("arguments").sequence)
    return tree.get("kind").is_absent and (BEGINS in said or EXPORTER in said)


def _refused_of(words: Sequence[Tree]) -> Iterator[RefusedExporterOption]:
    for index, word in enumerate(words):
        text = word.string
        if not text.startswith("-") or _FILLED_IN.search(text):
            continue
        name, is_given, value = text.lstrip("-").partition("=")
        if name not in _KNOWN:
            yield RefusedExporterOption(word.place, text)
        elif name in _LIST:
            given = word if is_given else next(iter(words[index + 1 : index + 2]), word)
            if (value or given.string).startswith(BEGINS):
                yield RefusedExporterOption(given.place, value or given.string, is_a_list_of_names=True)
