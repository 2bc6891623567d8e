"""The toolkit's config and socket, where no distribution has them both: one of them is wrong wherever this runs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from nodeworthy.facts.operator.values import ToolkitSettings
from nodeworthy.known.containerd import Containerd, bare, containerd_of, distributions, same_file
from nodeworthy.known.toolkit import CONFIG, SOCKET
from nodeworthy.verdict import Finding, Known, Located, Related, fail

CAUSE = (
    "the toolkit writes the NVIDIA runtime into the config of one containerd and has another read it: "
    'kubelet\'s then says: no runtime for "nvidia" is configured'
)


@dataclass(frozen=True)
class PathsApart:
    """The one to change, and the other, with what has it beside that one."""

    name: str
    path: Located[str]
    other_name: str
    other: Located[str]
    # Whose containerd the other path is.
    others: tuple[Containerd, ...]

    @property
    def should(self) -> str:
        right = ((each.config if self.name == CONFIG else each.socket, each.distribution) for each in self.others)
        by_path: dict[str, list[str]] = {}
        for path, distribution in right:
            by_path.setdefault(path or "", []).append(distribution)
        return " or ".join(f"{path} ({', '.join(names)})" for path, names in by_path.items())

    def told(self) -> Finding:
        left_out = "" if self.path.written else ", which is not set and then the operator's default,"
        whose = " or ".join(each.distribution for each in self.others)
        return fail(
            self.path,
            f"{self.name}{left_out} is of another containerd than {self.other_name}",
            should=self.should,
            related=[Related(self.other.place, f"{self.other_name} is that of {whose}")],
            cause=CAUSE,
            remedy=f"set {self.name} in toolkit.env to that of {whose}, or both to those of what these nodes run",
        )


def paths_apart(toolkit: ToolkitSettings) -> PathsApart | None:
    """None where one distribution may have both, or where one of them is a path that no distribution is known for."""
    config, socket = _known(toolkit.config), _known(toolkit.socket)
    if config is None or socket is None:
        return None
    by_config = list(_having(lambda one: _has_config(one, config)))
    by_socket = list(_having(lambda one: one.accepts_socket(socket)))
    may_be_left_out = [] if toolkit.config.written else [each for each in by_socket if each.config_optional]
    together = [each for each in by_socket if each in (*by_config, *may_be_left_out)]
    if together or not by_config or not by_socket:
        return None
    # Whoever wrote a path that is nobody's default meant it; the other was left as it was, or copied.
    if _is_stock(by_socket) and not _is_stock(by_config):
        return PathsApart(SOCKET, toolkit.socket, CONFIG, toolkit.config, tuple(by_config))
    return PathsApart(CONFIG, toolkit.config, SOCKET, toolkit.socket, tuple(by_socket))


def _known(path: Located[str]) -> str | None:
    return bare(path.state.value) if isinstance(path.state, Known) else None


def _having(has: Callable[[Containerd], bool]) -> Iterator[Containerd]:
    return (each for each in _every() if each.is_containerd and each.toolkit and has(each))


def _every() -> Iterable[Containerd]:
    for each in distributions():
        yield containerd_of(each)
    yield containerd_of("k8s-snap", strict=True)


def _has_config(one: Containerd, path: str) -> bool:
    return one.accepts_config(path) or any(same_file(path, template) for template in one.templates)


def _is_stock(having: Iterable[Containerd]) -> bool:
    return any(each.distribution == "kubeadm" for each in having)
