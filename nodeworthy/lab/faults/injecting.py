"""Known faults in fresh nodes, some at a time, and what the node suite says: as `nodeworthy node` asks and judges."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
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
from nodeworthy.lab.faults.fault import HERE, NOT_INJECTED, LabFault, When, healthy_scripts
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
from nodeworthy.records import dataclass
from nodeworthy.report.table import align_columns
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict

IMAGE = "gpu-node"
SECONDS = 120
RED = (Verdict.FAIL, Verdict.ERROR)
# What the image's kubelet leaves once its runtime has answered it; from then on it goes on whatever containerd does.
KUBELET_RUNS = "/run/nodeworthy-lab-kubelet"


@dataclass(frozen=True)
class Outcome:
    fault: LabFault
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


def user_data(fault: LabFault) -> bytes:
    scripts = [fault.script] if fault.when is When.BOOT else []
    scripts += healthy_scripts(fault.pool)
    if len(scripts) == 1:
        return scripts[0].encode()
    parts = MIMEMultipart(boundary="==LAB==")
    for script in scripts:
        parts.attach(MIMEText(script, "x-shellscript", "us-ascii"))
    return parts.as_bytes()


def inject(node: Node, fault: LabFault) -> Outcome:
    """Boots the node, which has the fault's user data, and looks at it once the fault is there."""
    try:
        node.boot()
        if fault.when is When.RUNNING:
            node.run("sh", "-c", f"until [ -e {KUBELET_RUNS} ]; do sleep 0.05; done", seconds=SECONDS)
            node.run("sh", "-c", fault.script, seconds=SECONDS)
        return _ask_node(node, fault)
    except LabError as problem:
        return Outcome(fault, {}, {}, str(problem))


def fresh(fault: LabFault) -> Node:
    return Node(layers(IMAGE), user_data(fault))


def _ask_node(node: Node, fault: LabFault) -> Outcome:
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

    def one(self, fault: LabFault) -> Outcome:
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


def outcomes(faults: Sequence[LabFault], jobs: int, progress: Progress | None = None) -> list[Outcome]:
    """The outcomes in the order in which the faults were named."""
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


# Fault × rule, for a person, for a program, and as a page of docs/.

SCHEMA = "nodeworthy/lab-faults/v1"
MARK = "<!-- Generated: `make lab-faults` writes this page, on a machine that can boot nodes (root). -->"
NONE = "–"
HEADS = ("", "fault", "must turn red", "turned red", "can't be known then")


def text(outcomes: Sequence[Outcome]) -> str:
    rows = [("ok" if each.as_expected else "NOT OK", *_row(each)) for each in outcomes]
    blocks = [align_columns(HEADS, rows), *map(_what_is_wrong, filter(_is_wrong, outcomes)), _sum(outcomes)]
    return "\n\n".join(blocks) + "\n"


def as_json(outcomes: Sequence[Outcome]) -> str:
    data = {"schema": SCHEMA, "faults": [_data(each) for each in outcomes]}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"


def markdown(outcomes: Sequence[Outcome]) -> str:
    heads = ("fault", "what is wrong", "turned red", "can't be known then")
    rows = [heads, tuple("---" for _ in heads), *map(_line, outcomes)]
    table = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    blocks = (MARK, "# Faults, and the rules that see them", ABOUT, table, _sum(outcomes), *_not_injected())
    return "\n\n".join(blocks) + "\n"


def _not_injected() -> Iterator[str]:
    yield from (f"No fault for [{name}](rules/{name}.md): {why}." for name, why in NOT_INJECTED.items())


ABOUT = """\
`nodeworthy lab faults` boots a fresh node for each of these, with a real systemd, cloud-init, kmod and containerd,
injects the fault, and runs the node suite: exactly the rule of the fault must turn red, and no other. What no machine
without GPUs has (what the kernel and NVIDIA's driver show of GPUs, NVSwitches and EFA, the kernel's log and its clock)
comes from stand-ins, all in `nodeworthy/lab/images/gpu-node`. What can't be known is what nobody can look at while the
fault is there. The harmless ones turn nothing red."""


def _row(outcome: Outcome) -> tuple[str, ...]:
    return outcome.fault.name, outcome.fault.rule or NONE, _names(outcome.red, outcome.why), _names(outcome.unknown)


def _line(outcome: Outcome) -> tuple[str, ...]:
    fault = outcome.fault
    red = ", ".join(f"[{each}](rules/{each}.md)" for each in sorted(outcome.red)) or NONE
    return f"`{fault.name}`", fault.says.replace("|", "\\|"), red, _names(fault.unknown)


def _names(names: Iterable[str], why: str = "") -> str:
    return "could not look" if why else ", ".join(sorted(names)) or NONE


def _is_wrong(outcome: Outcome) -> bool:
    return not outcome.as_expected


def _what_is_wrong(outcome: Outcome) -> str:
    if outcome.why:
        return f"{outcome.fault.name}: {outcome.why}"
    said = [
        f"  {rule}: {outcome.verdicts[rule]}: {outcome.said[rule]}" for rule in sorted(outcome.red | outcome.unknown)
    ]
    expected = f"{outcome.fault.rule or 'nothing'} should be red"
    unknown = f", and {_names(outcome.fault.unknown)} unknown" if outcome.fault.unknown else ""
    skipped = f"; {_names(outcome.not_looked_at)} did not pass" if outcome.not_looked_at else ""
    return "\n".join([f"{outcome.fault.name}: {outcome.fault.says}; {expected}{unknown}{skipped}", *said])


def _sum(outcomes: Sequence[Outcome]) -> str:
    right = sum(each.as_expected for each in outcomes)
    rules = {each.fault.rule for each in outcomes if each.fault.rule}
    said = f"{len(outcomes)} nodes, {len(rules)} rules: {right} as they must be"
    return said if right == len(outcomes) else f"{said}, {len(outcomes) - right} not"


def _data(outcome: Outcome) -> dict[str, object]:
    return {
        "fault": outcome.fault.name,
        "says": outcome.fault.says,
        "rule": outcome.fault.rule,
        "asExpected": outcome.as_expected,
        "red": sorted(outcome.red),
        "unknown": sorted(outcome.unknown),
        "verdicts": {name: each.value for name, each in sorted(outcome.verdicts.items())},
        "why": outcome.why or None,
    }
