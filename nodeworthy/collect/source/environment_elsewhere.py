"""Lays variables of a ConfigMap into the containers that take them from there (`envFrom`, `configMapKeyRef`).

Only those that speak of GPUs: what else a program is told is its own. A ConfigMap is one of the same file, of a file
beside it, or one that Kustomize makes of literals there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from nodeworthy.collect.source.files_beside import FilesBeside
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern

_OF_GPUS = pattern(r"(?:CUDA|NVIDIA|NCCL|GPU|UCX|LIBCUDA|HAMI|VLLM|FI|MPS)_\w{1,80}")
_LISTS = ("containers", "initContainers")
_DEEPEST = 12


def with_environment(document: Tree, documents: Sequence[Tree], beside: FilesBeside) -> Tree:
    """The document with what its containers are told elsewhere. `documents` are all of its own file."""
    if document.get("kind").text in (None, "ConfigMap"):
        return document
    return _Completing(document.get("metadata", "namespace").text, documents, beside).of(document, _DEEPEST)


class _Completing:
    def __init__(self, namespace: str | None, documents: Sequence[Tree], beside: FilesBeside) -> None:
        self._namespace, self._documents, self._beside = namespace, documents, beside
        self._held: dict[str, Mapping[str, Tree]] = {}

    def of(self, tree: Tree, depth: int) -> Tree:
        if not tree.is_mapping or not depth:
            return tree
        changed = {}
        for name, each in tree.mapping.items():
            if name in _LISTS and each.is_sequence:
                entries = [self._container(one) for one in each.sequence]
                same = all(a is b for a, b in zip(entries, each.sequence, strict=True))
                made = each if same else each.holding(entries)
            else:
                made = self.of(each, depth - 1)
            if made is not each:
                changed[name] = made
        return tree.holding({**tree.mapping, **changed}) if changed else tree

    def _container(self, container: Tree) -> Tree:
        env = container.get("env")
        if not container.is_mapping or (not env.says_nothing and not env.is_sequence):
            return container
        own = [self._entry(each) for each in env.sequence]
        named = {each.get("name").text for each in own}
        told = [each for each in self._all_of(container) if each.get("name").text not in named]
        if not told and all(a is b for a, b in zip(own, env.sequence, strict=True)):
            return container
        place = env.place if env.is_sequence else container.get("envFrom").place
        return container.holding({**container.mapping, "env": Tree([*told, *own], place, env.key)})

    def _all_of(self, container: Tree) -> Iterator[Tree]:
        """The last source wins, as Kubernetes has it."""
        found: dict[str, Tree] = {}
        for source in container.get("envFrom").sequence:
            prefix = source.get("prefix").string
            for key, value in self._values(source.get("configMapRef", "name").text).items():
                if _OF_GPUS.fullmatch(f"{prefix}{key}") is not None:
                    found[f"{prefix}{key}"] = value
        for name, value in found.items():
            yield Tree({"name": Tree(name, value.heading), "value": value}, value.heading)

    def _entry(self, entry: Tree) -> Tree:
        asked = entry.get("valueFrom", "configMapKeyRef")
        value = self._values(asked.get("name").text).get(asked.get("key").string) if asked.is_mapping else None
        if value is None or _OF_GPUS.fullmatch(entry.get("name").string) is None:
            return entry
        return entry.holding({"name": entry.get("name"), "value": value})

    def _values(self, name: str | None) -> Mapping[str, Tree]:
        if not name:
            return {}
        if name not in self._held:
            self._held[name] = self._looked_up(name)
        return self._held[name]

    def _looked_up(self, name: str) -> Mapping[str, Tree]:
        found = self._in(self._documents, name)
        for path in self._beside.neighbours(name) if found is None else ():
            found = found if found is not None else self._in(self._beside.documents(path) or (), name)
        return found or {}

    def _in(self, documents: Sequence[Tree], name: str) -> Mapping[str, Tree] | None:
        for each in documents:
            metadata = each.get("metadata")
            is_it = each.get("kind").text == "ConfigMap" and metadata.get("name").text == name
            if is_it and self._namespace in (None, metadata.get("namespace").text or self._namespace):
                return {key: value for key, value in each.get("data").mapping.items() if value.text is not None}
            made = [one for one in each.get("configMapGenerator").sequence if one.get("name").text == name]
            if made:
                return _literals(made[0])
        return None


def _literals(generator: Tree) -> Mapping[str, Tree]:
    pairs = ((each, each.string.partition("=")) for each in generator.get("literals").sequence)
    return {key: Tree(value, each.place) for each, (key, equals, value) in pairs if equals}
