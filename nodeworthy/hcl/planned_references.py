"""What the configuration within a plan says: which arguments somebody set, and to what each of them refers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from nodeworthy.patterns import pattern

_STEP = pattern(r'(?:[^.\["]|\[(?:"(?:[^"\\]|\\.)*"|[^\]"])*\])+')
_DEEPEST = 12
_MOST = 200
_OWN = frozenset({"each", "count", "self", "path", "terraform", "local"})


class Configuration:
    def __init__(self, said: Mapping[str, Any]) -> None:
        self.is_there = bool(said)
        self._root = mapping_or_empty(said.get("root_module"))
        self._providers = mapping_or_empty(said.get("provider_config"))
        self._modules: dict[tuple[str, ...], Mapping[str, Any]] = {}
        self._blocks: dict[tuple[str, ...], Mapping[str, Mapping[str, Any]]] = {}

    @property
    def variables(self) -> Mapping[str, Any]:
        return mapping_or_empty(self._root.get("variables"))

    def provider(self, name: str) -> Mapping[str, Any]:
        """The arguments of the provider's block that has no alias."""
        return mapping_or_empty(mapping_or_empty(self._providers.get(name)).get("expressions"))

    def module(self, path: tuple[str, ...]) -> Mapping[str, Any]:
        if path not in self._modules:
            if not path:
                return self._root
            calls = mapping_or_empty(self.module(path[:-1]).get("module_calls"))
            self._modules[path] = mapping_or_empty(mapping_or_empty(calls.get(path[-1])).get("module"))
        return self._modules[path]

    def expressions(self, block: str) -> Mapping[str, Any] | None:
        """What is set in a block, by its address without keys; None where the configuration does not have it."""
        path, own = split_module(block)
        if path not in self._blocks:
            listed = self.module(path).get("resources")
            each = [mapping_or_empty(one) for one in listed] if isinstance(listed, list) else []
            self._blocks[path] = {str(one.get("address")): one for one in each}
        found = self._blocks[path].get(own)
        return mapping_or_empty(found.get("expressions")) if found is not None else None

    def resources(self, path: tuple[str, ...], references: Sequence[str]) -> Sequence[str]:
        """The addresses, without keys but for those that are written, of the resources to which these refer, through
        variables and outputs of modules."""
        found: dict[str, None] = {}
        for each in self._followed(path, references, 0):
            found.setdefault(each)
            if len(found) >= _MOST:
                break
        return list(found)

    def _followed(self, path: tuple[str, ...], references: Sequence[str], depth: int) -> Iterator[str]:
        if depth > _DEEPEST:
            return
        for each in _longest(references):
            steps = _steps(each)
            first = steps[0].partition("[")[0]
            if first == "var" and path and len(steps) > 1:
                call = mapping_or_empty(mapping_or_empty(self.module(path[:-1]).get("module_calls")).get(path[-1]))
                said = mapping_or_empty(call.get("expressions")).get(steps[1].partition("[")[0])
                yield from self._followed(path[:-1], references_of(said), depth + 1)
            elif first == "module" and len(steps) > 2:
                inner = (*path, steps[1].partition("[")[0])
                outputs = mapping_or_empty(self.module(inner).get("outputs"))
                said = mapping_or_empty(outputs.get(steps[2].partition("[")[0])).get("expression")
                yield from self._followed(inner, references_of(said), depth + 1)
            elif first == "data" and len(steps) > 2:
                yield f"{_prefix(path)}{'.'.join(steps[:3])}"
            elif first not in _OWN and first not in ("var", "module", "data") and len(steps) > 1:
                yield f"{_prefix(path)}{steps[0]}.{steps[1]}"


def references_of(said: Any, depth: int = 0) -> Sequence[str]:
    """All to which an expression refers, or the expressions of a block."""
    found: list[str] = []
    if isinstance(said, list) and depth < _DEEPEST:
        for each in said:
            found += references_of(each, depth + 1)
    elif isinstance(said, dict) and depth < _DEEPEST:
        listed = said.get("references")
        if isinstance(listed, list):
            return [each for each in listed if isinstance(each, str)]
        for each in said.values():
            found += references_of(each, depth + 1)
    return found


def _steps(reference: str) -> Sequence[str]:
    """The names in a reference; a dot within a key separates nothing."""
    if "[" not in reference:
        return reference.split(".")
    return [each[0] for each in _STEP.finditer(reference)]


def _longest(references: Sequence[str]) -> Iterator[str]:
    """Each thing that is referred to once: behind `a.b.c` stand `a.b`, and `a.b` without its key."""
    before = ""
    for each in references:
        if before and (before.startswith((f"{each}.", f"{each}["))):
            continue
        before = each
        yield each


def split_module(address: str) -> tuple[tuple[str, ...], str]:
    """The modules in which a block stands, and what it is called there."""
    steps = address.split(".")
    path: list[str] = []
    while len(steps) > 2 and steps[0] == "module":
        path.append(steps[1])
        steps = steps[2:]
    return tuple(path), ".".join(steps)


def _prefix(path: tuple[str, ...]) -> str:
    return "".join(f"module.{each}." for each in path)


def mapping_or_empty(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
