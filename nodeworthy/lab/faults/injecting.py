"""One fresh node, one fault in it, and what the node suite says: as `nodeworthy node` asks and judges."""

from __future__ import annotations

from collections.abc import Mapping
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
