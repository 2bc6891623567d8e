"""Known faults in fresh nodes, some at a time, and what the node suite says: as `nodeworthy node` asks and judges."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import field
from email.mime.multipart import MIMEMultipart
from email.mime.text import MIMEText
from functools import cache

from nodeworthy.collect.node import collector, specs
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.engine import judge
from nodeworthy.fleet.model import Fleet
from nodeworthy.lab.commands import LabError
from nodeworthy.lab.faults.fault import HERE, Fault, When, healthy_scripts
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
from nodeworthy.records import dataclass
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict

IMAGE = "gpu-node"
SECONDS = 120
RED = (Verdict.FAIL, Verdict.ERROR)


@dataclass(frozen=True)
class Outcome:
    fault: Fault
    verdicts: Mapping[str, Verdict]
    # What each rule said that is not a pass.
    said: Mapping[str, str]
    # Why there is no verdict: the node did not boot, or did not answer.
    why: str = ""

    @property
    def red(self) -> frozenset[str]:
        return frozenset(name for name, each in self.verdicts.items() if each in RED)

    @property
    def unknown(self) -> frozenset[str]:
        return frozenset(name for name, each in self.verdicts.items() if each is Verdict.UNKNOWN)

    @property
    def not_looked_at(self) -> frozenset[str]:
        passed = (name for name, each in self.verdicts.items() if each is Verdict.PASS)
        return self.fault.passes.difference(passed)

    @property
    def as_expected(self) -> bool:
        """Exactly its rule is red, and nothing more is unknown than may be."""
        expected = frozenset([self.fault.rule] if self.fault.rule else [])
        return not self.why and self.red == expected and self.unknown <= self.fault.unknown and not self.not_looked_at


def user_data(fault: Fault) -> bytes:
    scripts = [fault.script] if fault.when is When.BOOT else []
    scripts += healthy_scripts(fault.pool)
    if len(scripts) == 1:
        return scripts[0].encode()
    parts = MIMEMultipart(boundary="==LAB==")
    for script in scripts:
        parts.attach(MIMEText(script, "x-shellscript", "us-ascii"))
    return parts.as_bytes()


def inject(node: Node, fault: Fault) -> Outcome:
    """Boots the node, which has the fault's user data, and looks at it once the fault is there."""
    try:
        node.boot()
        if fault.when is When.RUNNING:
            node.run("sh", "-c", fault.script, seconds=SECONDS)
        return _asked(node, fault)
    except LabError as problem:
        return Outcome(fault, {}, {}, str(problem))


def fresh(fault: Fault) -> Node:
    return Node(layers(IMAGE), user_data(fault))


def _asked(node: Node, fault: Fault) -> Outcome:
    named = specs.parse_all([f"nsenter://{node.pid()}"])
    [asked] = collector.ask_all(named, collector.Asking(SECONDS))
    recording = asked.recording
    if recording is None or recording.unreached is not None:
        return Outcome(fault, {}, {}, recording.unreached or "" if recording is not None else asked.why)
    judged = judge([collector.scene(asked, Declared(fleet(), fault.pool))], catalogue(), rule("rule-crashed"))
    told = [each for each in judged if each.verdict is not Verdict.SKIP]
    said = {each.rule.id: "; ".join(finding.message for finding in each.findings) for each in told}
    return Outcome(fault, {each.rule.id: each.verdict for each in told}, said)


@cache
def fleet() -> Fleet | None:
    return Fleets(str(HERE / "fleet.yaml"), None).asked_for()


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
