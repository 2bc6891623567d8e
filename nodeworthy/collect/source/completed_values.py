"""What stands beside values and belongs to them: the base beneath an overlay (`values-prod.yaml` over the `values.yaml`
of its folder), the release of a chart of somebody's own, in its Chart.lock, the ClusterPolicy that a patch changes.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence

from nodeworthy.collect.objects import facts_of
from nodeworthy.collect.source.files import STDIN, Source
from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.documents.release import LOOSE
from nodeworthy.documents.tree import Tree, merge
from nodeworthy.facts.operator.recognition import CHART, ORIGIN, chart_version
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.patterns import pattern
from nodeworthy.records import replace
from nodeworthy.scene import Fact
from nodeworthy.verdict import Known

_BASE = "values.yaml"
_OVERLAY = pattern(r"values[-._].+\.ya?ml|.+[-._]values\.ya?ml")
# As they are called where a template makes them, too: values.yaml.tftpl, helm-values-keycloak.yaml.
CALLED_VALUES = pattern(r"(?:.+[-._])?values(?:[-._].+)?\.ya?ml(?:\.(?:tftpl|tpl|tmpl|gotmpl|j2))?")
# What charts have in common, whoever made them; and by what a JupyterHub's values are known.
_OF_CHARTS = frozenset(
    "affinity architecture auth autoscaling commonLabels extraEnv extraEnvVars fullnameOverride global image "
    "imagePullSecrets ingress mariadb metrics mongodb mysql nameOverride nodeSelector persistence podAnnotations "
    "podSecurityContext postgresql primary readReplicas redis replicaCount resources securityContext service "
    "serviceAccount tolerations".split()
)
_FEWEST = 3
_OF_JUPYTERHUB = ({"hub", "proxy"}, {"hub", "singleuser"}, {"jupyterhub", "dask-gateway"}, {"jupyterhub", "binderhub"})


def with_base(document: Tree, brought: Sequence[Fact], beside: FilesBeside) -> Iterator[Fact]:
    """What a document brings; of a chart's values, as they are with the base beneath them."""
    kinds = _kinds(brought)
    base = _base(document, beside) if kinds else None
    if base is not None and not kinds <= _kinds(facts_of(base)):
        base = None  # that of another chart
    if base is None:
        yield from brought
        return
    yield from (each for each in brought if not is_loose(each))
    yield from (each for each in facts_of(merge(base, document)) if is_loose(each) and type(each) in kinds)


def may_be_values(source: Source, documents: Sequence[Tree]) -> bool:
    """Whether this may be a chart's values: its name or its keys say so, and it is no Kubernetes object."""
    if len(documents) != 1 or not documents[0].is_mapping or not documents[0].get("kind").is_absent:
        return False
    return CALLED_VALUES.fullmatch(source.path.name) is not None or _has_keys_of_a_chart(documents[0])


def _has_keys_of_a_chart(document: Tree) -> bool:
    keys = document.mapping.keys()
    return len(keys & _OF_CHARTS) >= _FEWEST or any(each <= keys for each in _OF_JUPYTERHUB)


def is_loose(fact: Fact) -> bool:
    """Values of no release: whatever installs the chart names them."""
    return getattr(fact, "origin", None) == LOOSE


def _kinds(facts: Iterable[Fact]) -> set[type[Fact]]:
    return {type(each) for each in facts if is_loose(each)}


def _base(document: Tree, beside: FilesBeside) -> Tree | None:
    if _OVERLAY.fullmatch(beside.source.path.name) is None or not document.get("apiVersion").is_absent:
        return None
    found = beside.documents(beside.folder / _BASE)
    return found[0] if found else None


def complete_values(facts: Sequence[Fact], beside: FilesBeside) -> list[Fact]:
    """The facts of a file with what its folder says of them."""
    completed = _with_what_they_patch(_with_release_of_chart(facts, beside), beside)
    return [*completed, *_monitors_elsewhere(completed, beside)]


# Somebody may keep the monitor of the operator's exporter with all others, wherever in the repository that is.

_MONITORS = pattern(rb"\bkind:[ \t]{1,8}(?:Service|Pod)Monitor\b", words=(b"Monitor",))
_OF_THE_EXPORTER = b"dcgm"


def _monitors_elsewhere(facts: Sequence[Fact], beside: FilesBeside) -> Iterator[Fact]:
    source = beside.source
    if source.scope.root is None or not any(map(_leaves_its_exporter_alone, facts)):
        return
    for held in source.scope.holding(_MONITORS, (".yaml", ".yml")):
        if _OF_THE_EXPORTER in held.data and os.fspath(held.path) != source.lies:
            from nodeworthy.facts.services.monitoring_stack import exporter_monitors

            for document in beside.documents(held.path) or ():
                yield from exporter_monitors(document)


def _leaves_its_exporter_alone(fact: Fact) -> bool:
    return isinstance(fact, OperatorValues) and (
        fact.tree.get("dcgmExporter", "serviceMonitor", "enabled").value is not True
    )


# The release of a chart of somebody's own

# The lock says which release a range has led to.
_CHARTS_FILES = ("Chart.lock", "Chart.yaml")


# A copy of the operator's chart has its defaults, and whoever installs it gives what he wants otherwise.
_OF_A_COPY = "these are the chart's own values, and whoever installs it gives others"


def _with_release_of_chart(facts: Sequence[Fact], beside: FilesBeside) -> list[Fact]:
    """The facts, the values of a subchart among them with its release."""
    waiting = any(isinstance(each, OperatorValues) and _says_no_release(each) for each in facts)
    if waiting and _is_a_copy(beside):
        return list(_of_a_copy(facts))
    version = _locked_version(beside) if waiting else None
    if version is None:
        return list(facts)
    return [_of_chart(each, version) if isinstance(each, OperatorValues) else each for each in facts]


def is_charts_own(source: Source) -> bool:
    """Whether these are the values that a chart with templates of its own gives. What only wraps other charts is
    somebody's installation of them."""
    if source.shown == STDIN or not source.path.name.startswith("values"):
        return False
    folder = source.path.parent
    return (folder / "Chart.yaml").is_file() and (folder / "templates").is_dir()


def _of_chart(values: OperatorValues, version: Tree) -> OperatorValues:
    if not _says_no_release(values):
        return values
    return replace(values, release=chart_version(version), asked_release=str(version.value))


def _says_no_release(values: OperatorValues) -> bool:
    return values.origin == LOOSE and values.release.state == Known(None)


def _is_a_copy(beside: FilesBeside) -> bool:
    """Whether this is what the operator's chart itself says, and no chart's that has it within."""
    chart = beside.documents(beside.folder / _CHARTS_FILES[-1]) if is_charts_own(beside.source) else None
    return chart is not None and any(each.get("name").text == CHART for each in chart)


def _of_a_copy(facts: Sequence[Fact]) -> Iterator[Fact]:
    """Where somebody has written into the copy which containerd it is for, he installs it so."""
    for each in facts:
        if not isinstance(each, OperatorValues):
            yield each
        elif each.tree.get("toolkit", "env").sequence:
            yield replace(each, elsewhere=_OF_A_COPY)


def _locked_version(beside: FilesBeside) -> Tree | None:
    for name in _CHARTS_FILES:
        for document in beside.documents(beside.folder / name) or ():
            for each in document.get("dependencies").sequence:
                if each.get("name").text == CHART and each.get("version").text:
                    return each.get("version")
    return None


# ClusterPolicies that Kustomize lays over others: what they leave out stands there

KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_LISTS = ("patches", "patchesStrategicMerge")
_PROMETHEUS = "Prometheus"
_COMPLETED = "a patch of its kustomization may say it"
_ELSEWHERE = "this is a patch, and what it does not say may stand in the ClusterPolicy that it changes"


def _with_what_they_patch(facts: Sequence[Fact], beside: FilesBeside) -> list[Fact]:
    """The facts; those that the folder's kustomization names among its patches as such, and a Prometheus that one of
    its patches may complete."""
    if any(map(_may_be_laid_over, facts)) and beside.source.path.name in set(_patches(beside)):
        return [_as_patch(each) for each in facts]
    if any(map(_is_prometheus, facts)) and _is_patched(_PROMETHEUS, beside):
        return [replace(each, elsewhere=_COMPLETED) if _is_prometheus(each) else each for each in facts]  # type: ignore[type-var]
    return list(facts)


def _as_patch(fact: Fact) -> Fact:
    if isinstance(fact, OperatorValues):
        return replace(fact, elsewhere=_ELSEWHERE) if _may_be_laid_over(fact) else fact
    return replace(fact, is_patch=True) if _shares_gpus(fact) else fact  # type: ignore[type-var]


def _may_be_laid_over(fact: Fact) -> bool:
    return _shares_gpus(fact) or (isinstance(fact, OperatorValues) and fact.origin == ORIGIN)


def _is_prometheus(fact: Fact) -> bool:
    """The object itself, and no chart's values."""
    return type(fact).__name__ == "MonitoringStack" and getattr(fact, "values", None) is None


def _is_patched(kind: str, beside: FilesBeside) -> bool:
    """Whether a patch of the folder's kustomization is for this kind, or can't be read."""
    for each in _patch_entries(beside):
        named, written = each.get("target", "kind").text, _text_of_patch(each, beside)
        if named == kind or (named is None and (written is None or f"kind: {kind}" in written)):
            return True
    return False


def _text_of_patch(entry: Tree, beside: FilesBeside) -> str | None:
    """A patch as it stands in the kustomization, or in the file that it names there."""
    said = entry.text or entry.get("patch").text
    if said is not None and "\n" in said:
        return said
    path = beside.path(_name(entry) or _name(entry.get("path")))
    return beside.text(path) if path is not None else None


def _shares_gpus(fact: Fact) -> bool:
    """By its name, for most files hold none, and its module is imported where one does."""
    return type(fact).__name__ == "SharingConfig"


def _patches(beside: FilesBeside) -> Iterator[str]:
    for each in _patch_entries(beside):
        yield from (_name(tree) for tree in (each, each.get("path")) if tree.text)


def _patch_entries(beside: FilesBeside) -> Iterator[Tree]:
    for name in KUSTOMIZATIONS:
        for document in beside.documents(beside.folder / name) or ():
            yield from (entry for list_ in _LISTS for entry in document.get(list_).sequence)


def _name(tree: Tree) -> str:
    return tree.string.removeprefix("./")
