"""What machines the nodes of a pool are, and how many, as far as anybody writes it."""

from __future__ import annotations

from collections.abc import Iterator

from nodeworthy.documents.tree import Tree
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located


@dataclass(frozen=True)
class Machines:
    # Those that may be started: one alone is known, of several one will be.
    types: tuple[Located[str], ...] = ()
    gpu: Located[str] | None = None
    gpus: Located[int] | None = None
    wanted: Located[int] | None = None
    least: Located[int] | None = None
    most: Located[int] | None = None

    @property
    def type(self) -> Located[str] | None:
        return self.types[0] if len(self.types) == 1 else None

    def gpus_told(self) -> Iterator[str]:
        """The GPUs of its types, each once."""
        for each in self.types:
            has = gpus_of(each.state.value) if isinstance(each.state, Known) else None
            if has is not None:
                yield has.gpu


NOTHING_SAID = Machines()


def text_of(tree: Tree) -> Located[str] | None:
    """What somebody wrote; None where nobody did, or nothing can be read in it."""
    return tree.located() if tree.text is not None or tree.is_unknown else None


def number_of(tree: Tree) -> Located[int] | None:
    is_number = isinstance(tree.value, (int, float)) and not isinstance(tree.value, bool) and tree.value % 1 == 0
    return tree.located() if is_number or tree.is_unknown else None
