"""Values that a ConfigMap holds: one of the same file, of a file beside it, or one that Kustomize makes of a file."""

from __future__ import annotations

from collections.abc import Sequence

from nodeworthy.collect.source.beside import Beside, Span
from nodeworthy.documents.release import document_inside
from nodeworthy.documents.tree import Tree

_DEFAULT_KEY = "values.yaml"
_KUSTOMIZATIONS = ("kustomization.yaml", "kustomization.yml", "Kustomization")


def config_map_values(entry: Tree, namespace: str | None, documents: Sequence[Tree], beside: Beside) -> Tree | None:
    """What an entry of `valuesFrom` leads to, None where that is not to be found."""
    name = entry.get("name").text
    if entry.get("kind").text != "ConfigMap" or not name or not entry.get("targetPath").is_absent:
        return None
    key = entry.get("valuesKey").text or _DEFAULT_KEY
    found = _of_documents(documents, name, key, namespace)
    if found is None:
        found = _beside(name, key, namespace, beside)
    if found is None or found.text is None:
        return None if found is None or not found.is_mapping else found
    lines = found.text.count("\n") + 1
    first = (found.inside or found.place).line or 1
    beside.read.append(Span(found.place.path or "", first, first + lines))
    return document_inside(found)


def _beside(name: str, key: str, namespace: str | None, beside: Beside) -> Tree | None:
    for path in beside.neighbours(name):
        documents = beside.documents(path) or []
        if path.name in _KUSTOMIZATIONS:
            found = next(filter(None, (_generated(each, name, key, beside) for each in documents)), None)
        else:
            found = _of_documents(documents, name, key, namespace)
        if found is not None:
            return found
    return None


def _of_documents(documents: Sequence[Tree], name: str, key: str, namespace: str | None) -> Tree | None:
    for each in documents:
        metadata = each.get("metadata")
        is_it = each.get("kind").text == "ConfigMap" and metadata.get("name").text == name
        if is_it and namespace in (None, metadata.get("namespace").text or namespace):
            found = each.get("data", key)
            return found if found.text else None
    return None


def _generated(kustomization: Tree, name: str, key: str, beside: Beside) -> Tree | None:
    for generator in kustomization.get("configMapGenerator").sequence:
        if generator.get("name").text != name:
            continue
        for each in generator.get("files").sequence:
            named, _, path = (each.text or "").rpartition("=")
            file = beside.path(path)
            if file is not None and key == (named or file.name):
                return beside.values(file)
    return None
