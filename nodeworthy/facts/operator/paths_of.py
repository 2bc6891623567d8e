"""The distributions whose containerd the toolkit's paths belong to, by the table of their paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from nodeworthy.facts.fleet.gpu_pool import GpuPool
from nodeworthy.facts.operator.values import ToolkitSettings
from nodeworthy.known.containerd import Containerd, bare, containerd_of, defaults, distributions, same_file
from nodeworthy.records import dataclass
from nodeworthy.verdict import Known, Located


@dataclass(frozen=True)
class HavingPaths:
    config: tuple[Containerd, ...]
    socket: tuple[Containerd, ...]
    # Where both are right; on some the config may be left out.
    both: tuple[Containerd, ...]

    @staticmethod
    def is_stock(having: Iterable[Containerd]) -> bool:
        return any(each.accepts_socket(defaults().socket) for each in having)


def having_its_paths(toolkit: ToolkitSettings) -> HavingPaths:
    config, socket = known_path(toolkit.config), known_path(toolkit.socket)
    by_config = _having(lambda one: config is not None and _has_config(one, config))
    by_socket = _having(lambda one: socket is not None and one.accepts_socket(socket))
    left_out = toolkit.config.state == Known(defaults().config) and not toolkit.config.written
    both = (each for each in by_socket if each in by_config or (left_out and each.config_optional))
    return HavingPaths(by_config, by_socket, tuple(both))


def known_path(path: Located[str]) -> str | None:
    """None where it is not known, or is none: YAML makes nothing of a value that is left empty."""
    return bare(path.state.value) if isinstance(path.state, Known) else None


def _having(has: Callable[[Containerd], bool]) -> tuple[Containerd, ...]:
    every = [*map(containerd_of, distributions()), containerd_of("k8s-snap", strict=True)]
    return tuple(each for each in every if each.is_containerd and each.toolkit and has(each))


def _has_config(one: Containerd, path: str) -> bool:
    return one.accepts_config(path) or any(same_file(path, template) for template in one.templates)


def whose_template(toolkit: ToolkitSettings) -> Containerd | None:
    """The containerd whose configuration is made from the file that the toolkit is told to write."""
    path = known_path(toolkit.config)
    every = map(containerd_of, distributions())
    return next((each for each in every if any(same_file(path, template) for template in each.templates)), None)


def nodes_by_paths(toolkit: ToolkitSettings) -> GpuPool | None:
    """The nodes that these paths are for, where they are not the stock ones, which many have."""
    having = having_its_paths(toolkit)
    found = having.both or (having.socket if toolkit.config.written and not having.config else ())
    if not found or having.is_stock(found):
        return None
    path = toolkit.socket
    place = path.place.about("")
    distribution = Located.known(" or ".join(each.distribution for each in found), place)
    return GpuPool(path.shown(), place, distribution, Located.known(found[0], place), noun="a node with")
