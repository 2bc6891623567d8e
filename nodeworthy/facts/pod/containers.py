"""The containers of a pod: what they ask for, run, and are allowed."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from nodeworthy.documents.settled import settled, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.facts.pod.gpu_resources import is_gpu_resource
from nodeworthy.facts.pod.quantities import NotAQuantity, whole
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

# What gives a container the GPU's counters: everything, or the one capability that the driver asks for.
_ADMINISTRATOR = frozenset(("SYS_ADMIN", "ALL"))


@dataclass(frozen=True)
class Container:
    tree: Tree
    index: int
    is_init: bool = False

    @property
    def place(self) -> Place:
        return self.tree.place

    @cached_property
    def name(self) -> str:
        return self.tree.get("name").text or f"container {self.index}"

    @property
    def is_sidecar(self) -> bool:
        """An init container that stays beside the others."""
        return self.is_init and self.tree.get("restartPolicy").value == "Always"

    @property
    def image(self) -> Located[Any]:
        return settled(self.tree.get("image"))

    @property
    def limits(self) -> Tree:
        return self.tree.get("resources", "limits")

    @property
    def requests(self) -> Tree:
        return self.tree.get("resources", "requests")

    @cached_property
    def gpu_resources(self) -> tuple[str, ...]:
        """The names of the GPU resources that it asks for, in their order."""
        named = [*self.limits.mapping, *self.requests.mapping]
        return tuple(dict.fromkeys(name for name in named if is_gpu_resource(name)))

    @cached_property
    def why_hidden(self) -> str | None:
        """Why it may ask for more than can be seen."""
        return next(filter(None, map(why_incomplete, (self.limits, self.requests))), None)

    def asks_for(self, resource: str) -> Located[int]:
        """How many; what is no whole number is unknown here, and another rule's fault."""
        for amounts in (self.limits, self.requests):
            tree = amounts.get(resource)
            located = settled(tree)
            if isinstance(located.state, Unknown):
                return located
            if not tree.is_absent:
                return _counted(resource, located)
        return Located(Known(0), self.place, written=False)

    def miscounts(self, resource: str) -> bool:
        """Whether an amount of it is none, which is another fault than asking for too many."""
        states = (settled(amounts.get(resource)).state for amounts in (self.limits, self.requests))
        return any(isinstance(state, Known) and not _is_a_count(state.value) for state in states)

    def variable(self, name: str) -> Located[Any] | None:
        """The last variable of this name wins; None where there is none."""
        found = self._environment.get(name)
        if found is None:
            return None
        value, source = found.get("value"), found.get("valueFrom")
        if value.is_absent and not source.is_absent:
            return Located.unknown("its value comes from another object (valueFrom)", source.place)
        return settled(value)

    @cached_property
    def _environment(self) -> dict[str | None, Tree]:
        return {each.get("name").text: each for each in self.tree.get("env").sequence}

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Its command and arguments, as far as they are known."""
        return tuple(self._words())

    def _words(self) -> Iterator[str]:
        for name in ("command", "args", "source"):
            tree = self.tree.get(name)
            yield from filter(None, (tree.text, *(each.text for each in tree.sequence)))

    @property
    def why_command_is_hidden(self) -> str | None:
        return next(filter(None, (why_incomplete(self.tree.get(name)) for name in ("command", "args"))), None)

    @cached_property
    def capabilities(self) -> tuple[str, ...]:
        added = self.tree.get("securityContext", "capabilities", "add").sequence
        return tuple(each.text.upper() for each in added if each.text)

    @cached_property
    def is_administrator(self) -> Located[bool]:
        """Whether it has SYS_ADMIN, by itself or with everything."""
        context = self.tree.get("securityContext")
        privileged, added = context.get("privileged"), context.get("capabilities", "add")
        place = added.place if not added.is_absent else context.place
        if privileged.value is True or not _ADMINISTRATOR.isdisjoint(self.capabilities):
            return Located.known(True, place)
        hidden = why_incomplete(context) or why_incomplete(privileged) or why_incomplete(added)
        return Located.unknown(hidden, place) if hidden else Located(Known(False), place, written=not added.is_absent)


def _is_a_count(value: Any) -> bool:
    try:
        whole(value)
    except NotAQuantity:
        return False
    return True


def _counted(resource: str, located: Located[Any]) -> Located[int]:
    try:
        return Located(Known(whole(located.state.value)), located.place)  # type: ignore[union-attr]
    except NotAQuantity as problem:
        return Located.unknown(f"{resource} {problem}", located.place)


def containers_of(spec: Tree) -> Iterator[Container]:
    """Those that run, then those that run before them. What a patch deletes is none."""
    for name, is_init in (("containers", False), ("initContainers", True)):
        for index, tree in enumerate(spec.get(name).sequence):
            if tree.is_mapping and tree.get("$patch").text != "delete":
                yield Container(tree, index, is_init)
