"""Lays the values that stand in other files under those of the release that names them.

What can't be found, or can't be read, leaves the release as it is: some of its values stand elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

from nodeworthy.collect.source.files_beside import FilesBeside, Span
from nodeworthy.documents.release import chart_name, document_inside
from nodeworthy.documents.set_syntax import lay_at
from nodeworthy.documents.tree import Tree, merge
from nodeworthy.facts.hami.values import HAMI
from nodeworthy.facts.operator.recognition import OPERATOR
from nodeworthy.facts.services.monitoring_recognition import MONITORING
from nodeworthy.patterns import pattern
from nodeworthy.records import replace

Path_ = tuple[str | int, ...]
_DEFAULT_KEY = "values.yaml"
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def with_values(document: Tree, documents: Sequence[Tree], beside: FilesBeside) -> Tree:
    """The document with what the files beside it say. `documents` are all of its own file."""
    group, kind = document.get("apiVersion").string.split("/")[0], document.get("kind").text
    if (group, kind) == ("helm.toolkit.fluxcd.io", "HelmRelease"):
        return _flux(_with_its_source(document, documents, beside), documents, beside)
    if group == "helm.cattle.io":
        return _helm_chart(document, documents, beside)
    if group == "argoproj.io" and kind == "Application":
        return _argo(document, ("spec",), beside)
    if group == "argoproj.io" and kind == "ApplicationSet":
        return _argo(document, ("spec", "template", "spec"), beside)
    if document.get("helmCharts").is_sequence:
        return _kustomization(document, beside)
    if not group and document.get("releases").is_sequence:
        return _helmfile(document, beside)
    if not group and not kind:
        return _bundle(document, beside) if document.get("helm").is_mapping else _task(document, beside)
    return document


def _is_ours(chart: Tree) -> bool:
    return any(each.is_named(chart_name(chart)) for each in (OPERATOR, HAMI, MONITORING))


def _flux(document: Tree, documents: Sequence[Tree], beside: FilesBeside) -> Tree:
    spec = document.get("spec")
    entries = spec.get("valuesFrom").sequence
    chart = spec.get("chartRef", "name") if spec.get("chart").is_absent else spec.get("chart", "spec", "chart")
    if not entries or not _is_ours(chart):
        return document
    namespace = document.get("metadata", "namespace").text
    layers = [_config_map_values(each, namespace, documents, beside) for each in entries]
    return _filled(document, ("spec", "values"), spec.get("values"), layers, ("valuesFrom",))


def _with_its_source(document: Tree, documents: Sequence[Tree], beside: FilesBeside) -> Tree:
    """A release whose chart an OCIRepository names, with the chart and the version that stand there."""
    asked, spec = document.get("spec", "chartRef"), document.get("spec")
    name, namespace = asked.get("name").text, asked.get("namespace").text or document.get("metadata", "namespace").text
    if asked.get("kind").text != "OCIRepository" or name is None:
        return document
    told = _source_called(name, namespace, documents)
    for path in beside.neighbours(name) if told is None else ():
        told = told or _source_called(name, namespace, beside.documents(path) or ())
    if told is None or told.get("url").text is None or "{" in told.get("url").string:
        return document
    chart = {"chart": told.get("url"), "version": told.get("ref", "tag")}
    kept = {key: child for key, child in spec.mapping.items() if key != "chartRef"}
    chosen = Tree({"spec": Tree(chart, told.place)}, told.place)
    return lay_at(document, ("spec",), replace(spec, value={**kept, "chart": chosen}))


def _source_called(name: str, namespace: str | None, documents: Sequence[Tree]) -> Tree | None:
    for each in documents:
        metadata = each.get("metadata")
        is_it = each.get("kind").text == "OCIRepository" and metadata.get("name").text == name
        if is_it and metadata.get("namespace").text in (None, namespace):
            return each.get("spec")
    return None


def _helm_chart(document: Tree, documents: Sequence[Tree], beside: FilesBeside) -> Tree:
    """A HelmChart with what the HelmChartConfig of its name lays over it, and such a config with the chart that it
    changes. One that lies beside its chart in one file says nothing by itself."""
    kind, name = document.get("kind").text, document.get("metadata", "name").text
    if kind not in _CHANGES or name is None:
        return document
    other = _object_called(name, _CHANGES[kind], documents)
    if kind == "HelmChartConfig" and other is not None:
        return replace(document, value={key: child for key, child in document.mapping.items() if key != "spec"})
    for path in beside.neighbours(name) if other is None else ():
        other = other or _object_called(name, _CHANGES[kind], beside.documents(path) or ())
    if other is None:
        return document
    chart, config = (other, document) if kind == "HelmChartConfig" else (document, other)
    under, over = (document_inside(each.get("spec", "valuesContent")) for each in (chart, config))
    if not over.is_mapping:
        return document
    return lay_at(chart, ("spec", "valuesContent"), merge(under, over) if under.is_mapping else over)


_CHANGES = {"HelmChart": "HelmChartConfig", "HelmChartConfig": "HelmChart"}


def _object_called(name: str, kind: str, documents: Sequence[Tree]) -> Tree | None:
    told = (each for each in documents if each.get("kind").text == kind)
    return next((each for each in told if each.get("metadata", "name").text == name), None)


def _bundle(document: Tree, beside: FilesBeside) -> Tree:
    """Fleet's: its files of values lie under what it says itself."""
    helm = document.get("helm")
    names = [each.text for each in helm.get("valuesFiles").sequence]
    if not names:
        return document
    layers = [_file(each, beside) for each in names]
    return _filled(document, ("helm", "values"), helm.get("values"), layers, ("valuesFiles",))


# Where Ansible's own variables say that a file lies, as the file that names it sees it.
_PLACES = pattern(r"\{\{\s{0,4}(playbook_dir|role_path)\s{0,4}\}\}/")
_OF_A_PLACE = {"playbook_dir": "", "role_path": "../"}


def _task(document: Tree, beside: FilesBeside) -> Tree:
    """The arguments of Ansible's `kubernetes.core.helm`."""
    names = [each.text for each in document.get("values_files").sequence]
    if not names or not _is_ours(document.get("chart_ref")):
        return document
    layers = [_file(_PLACES.sub(lambda found: _OF_A_PLACE[found[1]], each or ""), beside) for each in names]
    called = "values" if document.get("release_values").is_absent else "release_values"
    return _filled(document, (called,), document.get(called), layers, ("values_files",))


def _argo(document: Tree, path: Path_, beside: FilesBeside) -> Tree:
    spec = document.get(*map(str, path))
    refs = [each.get("ref").text for each in spec.get("sources").sequence]
    places: list[tuple[Path_, Tree]] = [((*path, "source"), spec.get("source"))]
    places += [((*path, "sources", index), each) for index, each in enumerate(spec.get("sources").sequence)]
    for where, source in places:
        helm = source.get("helm")
        files = helm.get("valueFiles").sequence
        if files and _is_ours(source.get("chart")):
            own = helm.get("valuesObject")
            own = own if own.is_mapping else document_inside(helm.get("values"))
            layers = [_of_argo(each.string, refs, beside) for each in files]
            document = _filled(document, (*where, "helm", "valuesObject"), own, layers, ("valueFiles", "values"))
    return document


def _of_argo(name: str, refs: Sequence[str | None], beside: FilesBeside) -> Tree | None:
    """`$values/path`: in the repository of the source that is called so. Any other name is one within the chart."""
    ref, _, path = name.removeprefix("$").partition("/")
    if not name.startswith("$") or ref not in refs:
        return None
    # Of a folder of the repository that lies here alone, the path begins with its own name, or those above it.
    parts = path.split("/")
    ways = ("/".join(parts[at:]) for at in range(max(1, len(parts) - 1)))
    found = next((each for way in ways if (each := beside.in_the_repository(way)) is not None), None)
    return beside.values(found) if found is not None else None


def _kustomization(document: Tree, beside: FilesBeside) -> Tree:
    for index, chart in enumerate(document.get("helmCharts").sequence):
        more = [each.text for each in chart.get("additionalValuesFiles").sequence]
        under = [_file(chart.get("valuesFile").text, beside)] if chart.get("valuesFile").text else []
        inline = chart.get("valuesInline")
        if not _is_ours(chart.get("name")) or not (under or more) or chart.get("valuesMerge").text == "merge":
            continue
        if chart.get("valuesMerge").text == "replace" and inline.is_mapping:
            under = []
        layers = [*under, inline if inline.is_mapping else None, *(_file(each, beside) for each in more)]
        if not inline.is_mapping:
            layers.remove(None)
        gone = ("valuesFile", "additionalValuesFiles")
        document = _filled(document, ("helmCharts", index, "valuesInline"), layers.pop(), layers, gone)
    return document


def _helmfile(document: Tree, beside: FilesBeside) -> Tree:
    for index, release in enumerate(document.get("releases").sequence):
        if not _is_ours(release.get("chart")):
            continue
        for at, layer in enumerate(release.get("values").sequence):
            found = _file(layer.text, beside) if layer.text else None
            if found is not None:
                document = lay_at(document, ("releases", index, "values", at), found)
    return document


def _file(name: str | None, beside: FilesBeside) -> Tree | None:
    """A file beside this one."""
    path = beside.path(name or "")
    return beside.values(path) if path is not None else None


def _filled(
    document: Tree, path: Path_, own: Tree | None, layers: Iterable[Tree | None], gone: tuple[str, ...]
) -> Tree:
    """The document with all of these layers as the values at a path; as it was where one of them is not known."""
    under = [each for each in (*layers, own) if each is None or not each.says_nothing]
    known = [each for each in under if each is not None and each.is_mapping]
    if not known or len(known) < len(under):
        return document
    at = lay_at(document, path, reduce(merge, known))
    *above, _ = path
    holder = at
    for step in above:
        holder = holder.sequence[step] if isinstance(step, int) else holder.get(step)
    kept = {key: child for key, child in holder.mapping.items() if key not in gone}
    return lay_at(at, above, replace(holder, value=kept))


# Values that a ConfigMap holds: one of the same file, of a file beside it, or one that Kustomize makes of a file


def _config_map_values(
    entry: Tree, namespace: str | None, documents: Sequence[Tree], beside: FilesBeside
) -> Tree | None:
    """What an entry of `valuesFrom` leads to, None where that is not to be found."""
    name = entry.get("name").text
    kind = entry.get("kind").string
    if kind not in _HOLDERS or not name or not entry.get("targetPath").is_absent:
        return None
    key = entry.get("valuesKey").text or _DEFAULT_KEY
    found = _of_documents(documents, kind, name, key, namespace)
    if found is None:
        found = _in_a_file_beside(kind, name, key, namespace, beside)
    if found is None or found.text is None:
        return None if found is None or not found.is_mapping else found
    lines = found.text.count("\n") + 1
    first = (found.inside or found.place).line or 1
    beside.read.append(Span(found.place.file, first, first + lines))
    return document_inside(found)


# By where each keeps a text that everybody reads.
_HOLDERS = {"ConfigMap": "data", "Secret": "stringData"}


def _in_a_file_beside(kind: str, name: str, key: str, namespace: str | None, beside: FilesBeside) -> Tree | None:
    for path in beside.neighbours(name):
        documents = beside.documents(path) or []
        if path.name in _KUSTOMIZATIONS:
            found = next(filter(None, (_generated(each, kind, name, key, beside) for each in documents)), None)
        else:
            found = _of_documents(documents, kind, name, key, namespace)
        if found is not None:
            return found
    return None


def _of_documents(documents: Sequence[Tree], kind: str, name: str, key: str, namespace: str | None) -> Tree | None:
    for each in documents:
        metadata = each.get("metadata")
        is_it = each.get("kind").text == kind and metadata.get("name").text == name
        if is_it and namespace in (None, metadata.get("namespace").text or namespace):
            found = each.get(_HOLDERS[kind], key)
            return found if found.text else None
    return None


def _generated(kustomization: Tree, kind: str, name: str, key: str, beside: FilesBeside) -> Tree | None:
    for generator in kustomization.get(f"{kind[0].lower()}{kind[1:]}Generator").sequence:
        if generator.get("name").text != name:
            continue
        for each in generator.get("files").sequence:
            named, _, path = each.string.rpartition("=")
            file = beside.path(path)
            if file is not None and key == (named or file.name):
                return beside.values(file)
    return None
