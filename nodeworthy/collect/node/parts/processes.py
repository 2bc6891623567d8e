"""The processes of a recording that kubelet and runtimes are, those of containers aside."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from nodeworthy.collect.node.recording import Recording
from nodeworthy.patterns import pattern
from nodeworthy.records import dataclass

_PROCESS = pattern(r"process (?P<pid>[0-9]{1,10}) (?P<name>\S+)")


@dataclass(frozen=True)
class Process:
    pid: int
    name: str
    arguments: tuple[str, ...]
    recording: Recording

    def flag(self, *names: str) -> str | None:
        """The last value of a flag, however it is written."""
        value = None
        following = (*self.arguments[1:], "")
        for argument, after in zip(self.arguments, following, strict=True):
            name, assigned, rest = argument.partition("=")
            if name in names:
                value = rest if assigned else after
        return value or None

    @property
    def unit(self) -> str | None:
        return next((each for each in reversed(self._cgroup) if each.endswith(".service")), None)

    @property
    def in_a_container(self) -> bool:
        """Whether it is some container's own: its PID namespace lies beneath ours, or it is a pod's."""
        ours, theirs = (self._depth(name) for name in ("ourselves", f"namespaces {self.pid}"))
        return theirs > ours or any(each.startswith("kubepods") for each in self._cgroup)

    @property
    def _cgroup(self) -> Sequence[str]:
        part = self.recording.part(f"cgroup {self.pid}")
        lines = part.stdout.splitlines() if part else []
        # cgroup v1 has a line for each controller; systemd's own tells the unit, as v2's only one does.
        told = [line.rpartition(":")[2] for line in lines if line.startswith("0::/") or ":name=systemd:" in line]
        return [each for path in told for each in path.split("/") if each]

    def _depth(self, part_name: str) -> int:
        part = self.recording.part(part_name)
        return len(part.stdout.split()) if part else 0


def processes(recording: Recording) -> Iterator[Process]:
    for part in recording.parts:
        named = _PROCESS.fullmatch(part.name) if part.stdout and part.name.startswith("process ") else None
        if named:
            found = Process(int(named["pid"]), named["name"], tuple(part.stdout.split("\n")), recording)
            if not found.in_a_container:
                yield found
