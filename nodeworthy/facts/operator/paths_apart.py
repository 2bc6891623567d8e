"""The toolkit's config and socket, where no distribution has them both: one of them is wrong wherever this runs."""

from __future__ import annotations

from nodeworthy.facts.operator.paths_of import having_its_paths
from nodeworthy.facts.operator.values import ToolkitSettings
from nodeworthy.known.containerd import Containerd
from nodeworthy.known.toolkit import CONFIG, SOCKET
from nodeworthy.records import dataclass
from nodeworthy.verdict import Finding, Located, Related, fail

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
        whose = " or ".join(each.distribution for each in self.others)
        written = self.path.written
        says = f"{self.name} is" if written else f"{self.name} is not set, and the operator's default is"
        return fail(
            self.path.place if written else self.other.place,
            f"{says} of another containerd than {self.other_name}",
            is_=self.path.shown(),
            should=self.should,
            related=[Related(self.other.place, f"{self.other_name} is that of {whose}")],
            cause=CAUSE,
            remedy=f"set {self.name} in toolkit.env to that of {whose}, or both to those of what these nodes run",
        )


def paths_apart(toolkit: ToolkitSettings) -> PathsApart | None:
    """None where one distribution may have both, or where one of them is a path that no distribution is known for."""
    having = having_its_paths(toolkit)
    if having.both or not having.config or not having.socket:
        return None
    # Whoever wrote a path that is nobody's default meant it; the other was left as it was, or copied.
    if having.is_stock(having.socket) and not having.is_stock(having.config):
        return PathsApart(SOCKET, toolkit.socket, CONFIG, toolkit.config, having.config)
    return PathsApart(CONFIG, toolkit.config, SOCKET, toolkit.socket, having.socket)
