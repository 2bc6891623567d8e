"""What a program of Pulumi's constructs, as far as it is written down: by whom it is made, its name and its arguments.

The program is not run: what it works out, asks for or is handed over is not known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from nodeworthy.collect.source.pulumi_stacks import StackConfig, stacks_beside
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.surroundings import Surroundings
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Place, Unknown

_VERSION = pattern(r"v\d{8}(?:preview)?")
_OF_EC2 = pattern(r"([A-Z]\w{0,6})_(\d{0,3}X?Large|Metal)")
# How the library of AWS' CDK is called, in TypeScript of both its versions and in Python.
CDK = ("aws-cdk-lib", "aws-cdk", "aws_cdk")
_BY_THE_PROGRAM = "the program works it out"


@dataclass(frozen=True)
class Constructed:
    # `aws.eks.NodeGroup`, whatever its program calls the library.
    kind: str
    name: str
    arguments: Tree
    place: Place
    # It stands under a condition, and may not come to be.
    is_likely: bool = False
    # By which the program refers to it.
    variable: str = ""


def kind_of(library: str, path: Sequence[str]) -> str:
    """A version of Azure's API within it says nothing of what is made."""
    return ".".join((library, *(each for each in path if _VERSION.fullmatch(each) is None)))


def enum_value(path: Sequence[str]) -> str | None:
    """What a name of a library stands for: `InstanceType.G5_48XLarge` is `g5.48xlarge`."""
    found = _OF_EC2.fullmatch(path[-1]) if path else None
    if found is not None:
        return f"{found[1]}.{found[2]}".lower()
    return path[-1] if len(path) > 1 and path[-2] in ("OperatingSystem", "AmiType") else None


def value_worked_out(shown: str, place: Place, of: str = "") -> Tree:
    """`of` is the variable of which it is an output."""
    return Tree(Unknown(f"{_BY_THE_PROGRAM}: {shown[:60]}", of), place)


class Config:
    """What its stacks say of it, which lie beside the program or above it."""

    def __init__(self, around: Surroundings | None, lies: Path, shown: str) -> None:
        self._load: Callable[[], Sequence[StackConfig]] = lambda: stacks_beside(around, lies, shown)
        self._found: Sequence[StackConfig] | None = None

    def value(self, name: str, default: Tree | None, place: Place) -> Tree:
        """What all stacks say; where none says anything, the default."""
        from nodeworthy.collect.source.cloudformation.nodes import scalar_text

        if self._found is None:
            self._found = self._load()
        told = [_texts(each.config, name) for each in self._found]
        said = {scalar_text(node) for node in told if node is not None}
        if not said and default is not None:
            return default
        if len(said) == 1 and None not in told and (text := next(iter(said))) is not None:
            return Tree(int(text) if text.isdecimal() else text, place)
        return Tree(Unknown(f"the stack's config says it: {name}"), place)


def _texts(config: Mapping[str, object], name: str) -> object:
    return next((node for key, node in config.items() if key.rpartition(":")[2] == name), None)
