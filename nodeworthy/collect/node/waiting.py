"""Hosts at the same time, within limits; one that is not ready is looked at again, whatever the others do."""

from __future__ import annotations

import heapq
import time
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import field
from typing import Protocol

from testinfra.host import Host

from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.backends import Replay
from nodeworthy.collect.node.deadline import RUNNING
from nodeworthy.collect.node.parts.boot import boot, boot_end
from nodeworthy.collect.node.recording import Recording
from nodeworthy.facts.node.boot import NodeBoot
from nodeworthy.records import dataclass
from nodeworthy.scene import Missing
from nodeworthy.verdict import Known, Place

# systemd has no job left, or waits for somebody at its console.
_ENDED = ("running", "degraded", "maintenance")
# What ssh says where waiting changes nothing.
_FOR_GOOD = ("Host key verification failed",)


def why_not_ready(recording: Recording) -> str | None:
    """None where there is nothing to wait for: the boot has ended, or has failed."""
    if recording.unreached is not None:
        return None if recording.unreached.startswith(_FOR_GOOD) else recording.unreached
    place = Place(host=recording.host)
    seen = boot(recording, place)
    if isinstance(seen, Missing) or _has_failed(seen):
        return None
    if seen.stage is not None:
        return seen.now
    if seen.system is not None:
        return None if seen.system in _ENDED else seen.now
    ended = boot_end(recording, place).reached.state
    return None if isinstance(ended, Known) and ended.value else "cloud-init has not ended"


def _has_failed(seen: NodeBoot) -> bool:
    return isinstance(seen.errors.state, Known) and bool(seen.errors.state.value)


EVERY_SECONDS = 2.0
# How often whoever watches is told that time goes by.
TICK_SECONDS = 1.0

Look = Callable[[Host], AskedHost]


class Progress(Protocol):
    """Told of the hosts that are asked now, and of each when it has answered."""

    def begin(self, names: Sequence[str]) -> None: ...

    def waits(self, name: str, why: str, left: float) -> None:
        """Notes that a node is not ready: it is looked at again while seconds are `left`, and with none left it is
        judged as it is."""

    def tick(self, left: float) -> None: ...

    def asked(self, asked: AskedHost, name: str) -> None: ...


class Nobody:
    """The watcher of a wait that nobody watches."""

    def begin(self, names: Sequence[str]) -> None: ...

    def waits(self, name: str, why: str, left: float) -> None: ...

    def tick(self, left: float) -> None: ...

    def asked(self, asked: AskedHost, name: str) -> None: ...


def in_parallel(hosts: Sequence[Host], workers: int, do: Look, progress: Progress | None = None) -> list[AskedHost]:
    """Looks at the hosts in parallel, and answers in their order. Ctrl-C leaves no child behind."""
    return until_ready(hosts, workers, do, None, progress)


def until_ready(
    hosts: Sequence[Host], workers: int, look: Look, seconds: float | None, progress: Progress | None = None
) -> list[AskedHost]:
    """What each host said last; without `seconds` each is looked at once."""
    RUNNING.stopping = False
    looks = _Looks(hosts, look, None if seconds is None else time.monotonic() + seconds, progress or Nobody())
    looks.progress.begin([name_of(each) for each in hosts])
    with ThreadPoolExecutor(max_workers=max(1, min(workers, len(hosts) or 1))) as executor:
        try:
            looks.go_on(executor)
        except BaseException:
            for each in looks.running:
                each.cancel()
            RUNNING.kill_all()
            raise
    return [looks.last[at] for at in range(len(hosts))]


def name_of(host: Host) -> str:
    name: str = host.backend.get_pytest_id()
    return name


@dataclass
class _Looks:
    hosts: Sequence[Host]
    look: Look
    until: float | None
    progress: Progress
    running: dict[Future[AskedHost], int] = field(default_factory=dict)
    # When whose turn comes again.
    due: list[tuple[float, int]] = field(default_factory=list)
    last: dict[int, AskedHost] = field(default_factory=dict)

    @property
    def left(self) -> float:
        return max(0.0, self.until - time.monotonic()) if self.until is not None else 0.0

    def go_on(self, executor: ThreadPoolExecutor) -> None:
        """Until nobody is waited for."""
        self.due = [(0.0, at) for at in range(len(self.hosts))]
        while self.running or self.due:
            while self.due and self.due[0][0] <= time.monotonic():
                _, at = heapq.heappop(self.due)
                self.running[executor.submit(self.look, self.hosts[at])] = at
            if self.until is not None:
                self.progress.tick(self.left)
            for each in self._done():
                self._heard(self.running.pop(each), each.result())

    def _done(self) -> set[Future[AskedHost]]:
        next_turn = self.due[0][0] - time.monotonic() if self.due else TICK_SECONDS
        pause = None if self.until is None else max(0.0, min(TICK_SECONDS, next_turn))
        if not self.running:
            time.sleep(pause or 0.0)
        return wait(self.running, pause, FIRST_COMPLETED).done

    def _heard(self, at: int, asked: AskedHost) -> None:
        self.last[at] = asked
        name, left = name_of(self.hosts[at]), self.left
        why = self._why_not_ready(at) if self.until is not None else None
        if why is not None:
            self.progress.waits(name, why, left)
        if why is None or not left:
            self.progress.asked(asked, name)
        else:
            heapq.heappush(self.due, (time.monotonic() + min(EVERY_SECONDS, left), at))

    def _why_not_ready(self, at: int) -> str | None:
        """What was recorded changes no more."""
        recording = self.last[at].recording
        if recording is None or isinstance(self.hosts[at].backend, Replay):
            return None
        return why_not_ready(recording)
