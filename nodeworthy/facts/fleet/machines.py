"""What machines the nodes of a pool are, and how many, as far as anybody writes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from nodeworthy.documents.tree import Tree
from nodeworthy.known.instances import gpus_of
from nodeworthy.records import dataclass, field
from nodeworthy.verdict import Known, Located, value_if_known

if TYPE_CHECKING:
    from nodeworthy.facts.fleet.node_taint import NodeTaint

# A number that somebody writes has fewer.
_DIGITS = 10


@dataclass(frozen=True)
class Reserved:
    # `block`, or `reservation`.
    kind: Located[str]
    id: Located[str] | None = None


@dataclass(frozen=True)
class Gone:
    """What a cloud has no more: what is asked for, since which day, and the command that lists what there is."""

    what: Located[str]
    cloud: str
    since: str
    listed_by: str


@dataclass(frozen=True)
class Refused:
    """What a cloud does not start: what of it can't be, what would be right, and why."""

    what: Located[str]
    should: str
    why: str


@dataclass(frozen=True)
class Machines:
    # Those that may be started: one alone is known, of several one will be.
    types: tuple[Located[str], ...] = ()
    gpu: Located[str] | None = None
    gpus: Located[int] | None = None
    # No node has more, where how many it has is left to who starts it.
    most_gpus: Located[int] | None = None
    wanted: Located[int] | None = None
    least: Located[int] | None = None
    most: Located[int] | None = None
    # The labels and the taints that they register with, as far as they are said.
    labels: Mapping[str, Located[str]] = field(default_factory=dict)
    taints: tuple[NodeTaint, ...] = ()
    # The labels that their cloud gives them by itself: the name of their pool.
    given: Mapping[str, Located[str]] = field(default_factory=dict)
    # The reservation of capacity that they run in: what it is, and its id.
    reserved: Reserved | None = None
    gone: Gone | None = None
    refused: Refused | None = None

    @property
    def type(self) -> Located[str] | None:
        return self.types[0] if len(self.types) == 1 else None

    def gpus_told(self) -> Iterator[str]:
        """The GPUs of its types, each once."""
        for each in self.types:
            kind = value_if_known(each)
            has = gpus_of(kind or "")
            if has is not None:
                yield has.gpu

    @property
    def same_count(self) -> Located[int] | None:
        """How many GPUs each of its types has, where all of them have as many."""
        has = [gpus_of(each.state.value) for each in self.types if isinstance(each.state, Known)]
        counts = {each.count if each is not None else 0 for each in has}
        if len(has) < len(self.types) or len(counts) != 1 or 0 in counts:
            return None
        return Located.known(counts.pop(), self.types[0].place)

    @property
    def largest(self) -> Located[int] | None:
        """How many GPUs the largest of its nodes has; None where nothing says it of all of them."""
        if self.gpus is not None:
            return self.gpus
        has = [gpus_of(each.state.value) for each in self.types if isinstance(each.state, Known)]
        counts = [each.count for each in has if each is not None]
        if counts and len(counts) == len(self.types):
            most = max(counts)
            return Located.known(most, self.types[counts.index(most)].place)
        return self.most_gpus


NOTHING_SAID = Machines()


def labels_of_pool(labels: Iterable[str], name: Tree) -> dict[str, Located[str]]:
    """The labels by which a cloud tells the nodes of this pool, where somebody wrote its name."""
    said = text_of(name)
    return dict.fromkeys(labels, said) if said is not None and isinstance(said.state, Known) else {}


def texts_of(tree: Tree) -> dict[str, Located[str]]:
    """What is said of a mapping of texts; what is none is left out. Terraform takes a truth for its word."""
    return {
        name: each.located() if each.text else Located.known(each.word, each.place)
        for name, each in tree.mapping.items()
        if each.text or isinstance(each.value, bool)
    }


def text_of(tree: Tree) -> Located[str] | None:
    """What somebody wrote; None where nobody did, or nothing can be read in it."""
    return tree.located() if tree.text is not None or tree.is_unknown else None


def number_of(tree: Tree) -> Located[int] | None:
    """Terraform takes a number that stands in quotes for one."""
    if tree.text is not None and tree.text.isdecimal() and len(tree.text) < _DIGITS:
        return Located.known(int(tree.text), tree.place)
    is_number = isinstance(tree.value, (int, float)) and not isinstance(tree.value, bool) and tree.value % 1 == 0
    return tree.located() if is_number or tree.is_unknown else None
