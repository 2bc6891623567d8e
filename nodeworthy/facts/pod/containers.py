"""The containers of a pod: what they ask for, run, and are allowed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from nodeworthy.documents.settled import settle, why_incomplete
from nodeworthy.documents.tree import Tree
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located, Place, Unknown

if TYPE_CHECKING:
    from fractions import Fraction

# The extended resources by which a container asks for GPUs, whole, sliced or shared.

GPU = "nvidia.com/gpu"
# Volcano's device plugins share NVIDIA's GPUs under names of their own.
_DOMAINS = ("nvidia.com/", "amd.com/", "gpu.intel.com/", "volcano.sh/vgpu-", "volcano.sh/gpu-")
# Of the operator's domain, and no GPU: what network devices are called there.
_NOT_GPUS = tuple(
    f"nvidia.com/{each}"
    for each in ("hostdev", "mlnx", "sriov", "rdma", "ib", "rail", "roce", "nic", "eth", "vf", "bf", "cx")
)


# Of a hundred thousand pods, a few names over and over.
@lru_cache(maxsize=1024)
def is_gpu_resource(name: str) -> bool:
    return name.startswith(_DOMAINS) and not name.startswith(_NOT_GPUS)


# What people call GPUs, and no plugin does: Kubernetes' own name of the time before there were plugins, and slips.
_NOBODYS = pattern(
    r"alpha\.kubernetes\.io/nvidia-gpu|(?:k8s|kubernetes)\.io/(?:nvidia-)?gpus?"
    r"|(?:nvidia|amd)(?:\.com)?/(?:(?:nvidia|amd)[-.])?gpus?",
    re.IGNORECASE,
)
_AMDS = "amd.com/gpu"
# As the device plugin calls slices by MIG; those that several pods are given, another name.
_SLICE = pattern(r"nvidia\.com/mig-(?:\dc\.)?\dg\.\d{1,3}gb(?:\.(?:me|all|gfx|shared)|-me)*")
# Volcano's older device plugin calls what it shares so, and the one of vGPUs calls it by other names.
_OLDER = {"volcano.sh/gpu-memory": "volcano.sh/vgpu-memory", "volcano.sh/gpu-number": "volcano.sh/vgpu-number"}
_LIKE_A_SLICE = pattern(r"nvidia\.com/mig-(?:\dc[.-])?(\d)g[.-]?(\d{1,3})gb?([\w.-]*)", re.IGNORECASE)


def is_nobodys_gpu(name: str) -> bool:
    """Whether it is meant for GPUs, and no node ever offers it: `nvidia.com/gpus`, `alpha.kubernetes.io/nvidia-gpu`."""
    if name in (GPU, _AMDS) or _SLICE.fullmatch(name) is not None:
        return False
    return _NOBODYS.fullmatch(name) is not None or _LIKE_A_SLICE.fullmatch(name) is not None


def gpu_meant_by(name: str) -> str:
    if name in _OLDER:
        return _OLDER[name]
    if (sliced := _LIKE_A_SLICE.fullmatch(name)) is not None:
        return f"nvidia.com/mig-{sliced[1]}g.{sliced[2]}gb{sliced[3].lower()}"
    return _AMDS if name.lower().startswith("amd") else GPU


_PARTS_OF_A_GPU = (
    "nvidia.com/gpumem",
    "nvidia.com/gpucores",
    "volcano.sh/vgpu-memory",
    "volcano.sh/vgpu-cores",
    "volcano.sh/gpu-memory",
)


def holds_a_gpu(name: str) -> bool:
    """Whether a count of it is a count of GPUs or of their slices, and not of memory or cores."""
    return is_gpu_resource(name) and not name.startswith(_PARTS_OF_A_GPU)


# Kubernetes quantities (`1`, `500m`, `16Gi`, `1e3`), parsed exactly: what the API server would make of them.

_FORM = pattern(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:([numkMGTPE]|[KMGTPE]i)|[eE]([+-]?\d{1,4}))?")
# Each is a power: of 1000 or of 1024.
_SUFFIXES: dict[str, tuple[int, int]] = {
    **{name: (1000, power - 3) for power, name in enumerate("num")},
    **{name: (1000, power + 1) for power, name in enumerate("kMGTPE")},
    **{f"{name}i": (1024, power + 1) for power, name in enumerate("KMGTPE")},
}
# Far more digits than any amount has.
_LONGEST = 64


class NotAQuantity(Exception):
    """Why the API server refuses this as a quantity."""


def quantity(value: Any) -> Fraction:
    """The amount that a value of a document stands for; a number is one, and nothing at all is zero."""
    from fractions import Fraction  # it brings decimal along, and most files ask for no GPU

    if value is None:
        return Fraction(0)
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        raise NotAQuantity("is no quantity")
    written = repr(value) if isinstance(value, float) else str(value)
    found = _FORM.fullmatch(written) if len(written) <= _LONGEST else None
    if found is None:
        raise NotAQuantity("is no quantity")
    number, suffix, exponent = found.groups()
    amount = Fraction(number.rstrip("."))
    if suffix:
        base, power = _SUFFIXES[suffix]
        return amount * Fraction(base) ** power
    return amount * Fraction(10) ** int(exponent) if exponent else amount


def whole(value: Any) -> int:
    """A count, of GPUs say: whole and not negative, or why it is none."""
    amount = quantity(value)
    if amount.denominator != 1:
        raise NotAQuantity("is no whole number")
    if amount < 0:
        raise NotAQuantity("is negative")
    return int(amount)


# What gives a container the GPU's counters: everything, or the one capability that the driver asks for.
# What stands for a word that is filled in later: no option is called so, and no number.
NOT_KNOWN = "…"
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
        return settle(self.tree.get("image"))

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
    def asked_in_vain(self) -> Mapping[str, Tree]:
        """Amounts of GPUs by names that no node offers; of a request and a limit the limit."""
        given = {**self.requests.mapping, **self.limits.mapping}
        # Who offers the one offers no other: only together they are asked for in vain.
        older = () if given.keys().isdisjoint(_OLDER.values()) else _OLDER
        return {name: tree for name, tree in given.items() if is_nobodys_gpu(name) or name in older}

    @cached_property
    def why_hidden(self) -> str | None:
        """Why it may ask for more than can be seen."""
        return next(filter(None, map(why_incomplete, (self.limits, self.requests))), None)

    def asks_for(self, resource: str) -> Located[int]:
        """How many; what is no whole number is unknown here, and another rule's fault."""
        for amounts in (self.limits, self.requests):
            tree = amounts.get(resource)
            located = settle(tree)
            if isinstance(located.state, Unknown):
                return located
            if not tree.is_absent:
                return _counted(resource, located)
        return Located(Known(0), self.place, written=False)

    def miscounts(self, resource: str) -> bool:
        """Whether an amount of it is none, which is another fault than asking for too many."""
        states = (settle(amounts.get(resource)).state for amounts in (self.limits, self.requests))
        return any(isinstance(state, Known) and not _is_a_count(state.value) for state in states)

    def variable(self, name: str) -> Located[Any] | None:
        """The last variable of this name wins; None where there is none."""
        found = self._environment.get(name)
        if found is None:
            return None
        value, source = found.get("value"), found.get("valueFrom")
        if value.is_absent and not source.is_absent:
            return Located.unknown("its value comes from another object (valueFrom)", source.place)
        return settle(value)

    @cached_property
    def _environment(self) -> dict[str | None, Tree]:
        return {each.get("name").text: each for each in self.tree.get("env").sequence}

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The command and its arguments; in place of one that somebody fills in later stands NOT_KNOWN."""
        return tuple(self._words())

    def _words(self) -> Iterator[str]:
        for name in ("command", "args", "source"):
            tree = self.tree.get(name)
            yield from filter(None, (_word(each) for each in (tree, *tree.sequence)))

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
        looked = (context, privileged, added, *added.sequence)
        hidden = next(filter(None, map(why_incomplete, looked)), None)
        return Located.unknown(hidden, place) if hidden else Located(Known(False), place, written=not added.is_absent)


def _word(tree: Tree) -> str | None:
    return NOT_KNOWN if tree.is_unknown else tree.text


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
    """First the containers that run, then those that run before them. A container that a patch deletes is left out."""
    for name, is_init in (("containers", False), ("initContainers", True)):
        for index, tree in enumerate(spec.get(name).sequence):
            if tree.is_mapping and tree.get("$patch").text != "delete":
                yield Container(tree, index, is_init)
