"""Reads the files around those that are judged, as evidence. No finding is ever about them.

Most files join with nothing, and then no other file is read. A file that may join is found by a word in it; only files
with that word are parsed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from nodeworthy.backstop import call_bounded
from nodeworthy.collect.source.completed_values import is_loose
from nodeworthy.collect.source.files import Source
from nodeworthy.collect.source.parsing import InputRefused
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

if TYPE_CHECKING:
    from nodeworthy.collect.source.parsing import FileContents

# What joins with values of the operator, of HAMi, with a device plugin.
_PLUGINS = (
    rb"DaemonSet|devicePlugin|device-plugin|gpu-operator|toolkit|hami|HAMi|prometheusSpec|prometheus|profiling|"
    rb"valueFiles|valuesFrom|helmCharts|releases:|dcgm"
)
# The operator's values join with none of their own kind: two of them are one operator from two files. With a boot
# script that installs a toolkit, or the containerd on which it depends whether the operator works.
_BUT_THE_OPERATORS = (
    rb"DaemonSet|device-plugin|hami|HAMi|rometheus|profiling|valueFiles|valuesFrom|helmCharts|releases:|sharing:|"
    rb"containerd(?:\.io)?[=-][12]\.|nvidia-ctk|container-toolkit|karpenter\.|eksctl\.io/|gpuResourcesEnabledOverride|nvidiaDriverRoot|dra-driver|"
    rb"mig-configs:"
)
_CLAIMS = rb"|resource\.k8s\.io/|resource\.nvidia\.com/|resourceClaims"
_PODS = rb"RuntimeClass|toolkit|gpu-operator|operator:|PriorityClass|hami|HAMi|postgres|\[plugins|containerd"
# By the names of facts, which are imported only where there are any.
_JOINS_WITH: Mapping[str, bytes] = {
    "OperatorValues": _BUT_THE_OPERATORS,
    "HamiValues": _PLUGINS + rb"|containers",
    "HamiNodeConfigs": _PLUGINS + rb"|containers",
    "DaemonSetManifest": _PLUGINS + rb"|karpenter\.",
    "SharingConfig": rb"devicePlugin",
    "PluginChart": rb"sharing:",
    "PatchedPolicy": rb"sharing:",
    "MonitoringStack": _PLUGINS,
    "DatabaseServer": rb"postgres",
    "PodTemplate": _PODS + _CLAIMS + rb"|sharing:|kueue\.x-k8s\.io/v",
    "ResourceClaim": rb"DeviceClass|resourceClaims|gpuResourcesEnabledOverride|nvidiaDriverRoot|dra-driver",
    "DraDriver": rb"devicePlugin|toolkit|gpu-operator|valueFiles|valuesFrom|resource\.k8s\.io/",
    "MigLayouts": rb"migManager",
    "KarpenterPool": rb"karpenter\.",
    "KarpenterClass": rb"karpenter\.",
    "SlurmConf": rb"(?i:name=gpu|autodetect=)",
    "GresConf": rb"(?i:gres(?:types)?=)",
    "RuntimeClass": _PODS + rb"|runtimeClassName",
}
_OF_A_NODE = rb""  # whatever lies there
_NAMES_FILES = pattern(
    rb"valueFiles|valuesFrom|helmCharts|releases:|valuesFile|helm_release|\bhelm[ \t]+(?:upgrade|install)\b"
)
_PROFILING, _NVIDIA = "profiling", "nvidia"
# A script that installs a driver or a toolkit joins with the values of an operator that may bring another one.
_DRIVERS = rb"driver:|toolkit:|gpu-operator"
# How many releases may name one file.
_MOST = 16


def wanted_pattern(founds: Iterable[FileContents]) -> re.Pattern[bytes] | None:
    """What must stand in a file that may join with these; None where nothing may."""
    marks: set[bytes] = set()
    for found in founds:
        names = {type(each).__name__ for each in found.facts}
        marks.update(_JOINS_WITH[name] for name in names if name in _JOINS_WITH)
        if "OperatorValues" in names:
            marks.update(_hamis_keys())
        if found.node_files or found.ufw:
            marks.add(_OF_A_NODE)
        texts = [part.text for each in found.scripts if each.read for part in each.read.parts]
        if any(_PROFILING in text for text in texts):
            marks.add(_PLUGINS)
        if any(_NVIDIA in text for text in texts):
            marks.add(_DRIVERS)
    return re.compile(b"|".join(sorted(marks))) if marks else None


def _hamis_keys() -> Iterator[bytes]:
    """The keys by which values of HAMi's chart are recognised where its name does not appear."""
    from nodeworthy.known.hami import telling_keys

    yield from (key.encode() for keys in telling_keys().values() for key in keys)


def among(names: Iterable[str], mark: re.Pattern[bytes], known: set[str], beside: Source) -> Iterator[Source]:
    """The files in which the mark stands, without those that are known already."""
    scopes = beside.scopes
    for name in names:
        if name in known:
            continue
        known.add(name)
        data = scopes.read(name)
        if data is not None and mark.search(data):
            yield lying_beside(Path(name), beside)


def naming(source: Source, found: FileContents) -> Iterator[Source]:
    """The releases that name the file in which these values stand: they lay others over them."""
    if not any(map(is_loose, found.facts)):
        return
    scope = source.scope
    for reference in scope.references_to(source.path)[: _MOST * 4]:
        data = scope.read(reference.path)
        if data is not None and _NAMES_FILES.search(data):
            yield lying_beside(reference.path, source)


def lying_beside(path: Path, judged: Source) -> Source:
    """A file that lies beside a judged one. Its path is shown in the same form as the judged file's: readers, and tools
    that compare folders, then find both in one place."""
    is_absolute = Path(judged.shown).is_absolute()
    return Source(
        path, str(path) if is_absolute else os.path.relpath(path), False, os.path.realpath(path), scopes=judged.scopes
    )


def read(source: Source, rules: frozenset[str]) -> FileContents | None:
    """What stands in a file that nobody judges: what of it can't be read is no evidence. Raises TookTooLong."""
    kept = source.scopes.evidence
    if kept is None:
        return _read_anew(source, rules)
    key, state = (source.lies, source.shown), _state(source.path)
    known = kept.get(key)
    if known is not None and known.state == state and known.rules == rules:
        return known.found
    found = _read_anew(source, rules)
    if state is not None and _stands_alone(source, found):
        kept[key] = KeptEvidence(state, rules, found)
    return found


def _read_anew(source: Source, rules: frozenset[str]) -> FileContents | None:
    from nodeworthy.collect.source.one_file import whats_in

    try:
        return call_bounded(whats_in, source, rules)
    except InputRefused:
        return None


@dataclass(frozen=True)
class KeptEvidence:
    state: tuple[int, int]
    rules: frozenset[str]
    found: FileContents | None


def _state(path: Path) -> tuple[int, int] | None:
    """The state by which one sees that a file was changed since."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size


def _stands_alone(source: Source, found: FileContents | None) -> bool:
    """A root, a stack and what is filled in are read with the file that somebody is changing."""
    from nodeworthy.collect.source.one_file import OF_A_TOOL

    if source.path.name.endswith(OF_A_TOOL):
        return False
    return found is None or not (found.root or found.templates or found.stacks or found.is_plan or found.pools)
