"""Which flavour of the kernel modules, and which branch, the operator is asked for, where somebody says it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, ClassVar

from nodeworthy.documents.tree import Tree
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.known.drivers import Flavour
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place

# `570.133.20`, `570`, and a tag with its system behind it.
_BRANCH = pattern(r"(\d{3})(?:\.\d+)*(?:-[\w.]+)?")
_TYPE, _OPEN = "kernelModuleType", "useOpenKernelModules"


@dataclass(frozen=True)
class DriverFlavour:
    called: ClassVar[str] = "the flavour of the operator's driver"

    place: Place
    values: OperatorValues
    # Where it stands.
    tree: Tree
    # None where the driver chooses it by the GPU (`auto`), or the text is none.
    flavour: Flavour | None

    def judged_by(self, kind: type[Any]) -> Sequence[Any] | None:
        return self.values.judged_by(kind)


def flavours_in(values: OperatorValues) -> Iterator[DriverFlavour]:
    """The newer key has the word."""
    kind, is_open = values.tree.get("driver", _TYPE), values.tree.get("driver", _OPEN)
    if not kind.is_absent:
        said = Flavour(kind.text) if kind.text in set(Flavour) else None
        yield DriverFlavour(kind.place, values, kind, said)
    elif not is_open.is_absent:
        yield DriverFlavour(is_open.place, values, is_open, Flavour.OPEN if is_open.value is True else None)


@dataclass(frozen=True)
class DriverBranch:
    called: ClassVar[str] = "the release of the operator's driver"

    place: Place
    values: OperatorValues
    tree: Tree
    # None where its text says none.
    branch: int | None

    def judged_by(self, kind: type[Any]) -> Sequence[Any] | None:
        return self.values.judged_by(kind)


def branches_in(values: OperatorValues) -> Iterator[DriverBranch]:
    said = values.tree.get("driver", "version")
    if not said.says_nothing:
        found = _BRANCH.fullmatch(str(said.value)) if not said.is_unknown else None
        yield DriverBranch(said.place, values, said, int(found[1]) if found is not None else None)
