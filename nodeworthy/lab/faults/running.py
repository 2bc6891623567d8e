"""Many faults, some nodes at a time; whoever ends the run ends every node with it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import field

from nodeworthy.lab.faults.fault import Fault
from nodeworthy.lab.faults.injecting import IMAGE, Outcome, fresh, inject
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
from nodeworthy.records import dataclass

# Told of each fault when its node is gone: how many of how many.
Progress = Callable[[int, int, Outcome], None]


@dataclass
class _Running:
    nodes: set[Node] = field(default_factory=set)
    lock: threading.Lock = field(default_factory=threading.Lock)
    stopping: bool = False

    def one(self, fault: Fault) -> Outcome:
        with fresh(fault) as node:
            with self.lock:
                if self.stopping:
                    return Outcome(fault, {}, {}, "interrupted")
                self.nodes.add(node)
            try:
                return inject(node, fault)
            finally:
                with self.lock:
                    self.nodes.discard(node)

    def stop(self) -> None:
        with self.lock:
            self.stopping = True
            for node in self.nodes:
                node.interrupt()


def outcomes(faults: Sequence[Fault], jobs: int, progress: Progress | None = None) -> list[Outcome]:
    """In the order in which they were named."""
    layers(IMAGE)  # made once, before several ask for it
    running = _Running()
    with ThreadPoolExecutor(max_workers=jobs) as executor:
        futures = [executor.submit(running.one, each) for each in faults]
        try:
            for done, future in enumerate(as_completed(futures), start=1):
                outcome = future.result()
                if progress is not None:
                    progress(done, len(futures), outcome)
        except BaseException:
            for future in futures:
                future.cancel()
            running.stop()
            raise
    return [future.result() for future in futures]
