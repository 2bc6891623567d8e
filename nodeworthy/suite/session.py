"""One run of the node suite: all hosts are asked once, at the same time, and each test reads one verdict of it."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path

import pytest

from nodeworthy.collect.collected import moments_of
from nodeworthy.collect.node import collector, specs
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.backends import register
from nodeworthy.collect.node.connections import Connections
from nodeworthy.collect.node.durations import count, seconds
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.source.fleets import Fleets
from nodeworthy.engine import Judgement, judge
from nodeworthy.errors import Ends
from nodeworthy.facts.not_seen import NotLookedAt, UnreadableInput
from nodeworthy.records import dataclass
from nodeworthy.report.report import EVALUATED
from nodeworthy.report.text import finding_text
from nodeworthy.rule import Moment, Rule
from nodeworthy.rules import catalogue, rule
from nodeworthy.suite.plugin import is_switched_on, value
from nodeworthy.verdict import Finding, Severity, Verdict

FAILS = (Verdict.FAIL, Verdict.ERROR, Verdict.UNKNOWN)
HOW = "name hosts: pytest nodes --hosts=ssh://h1,ssh://h2"


@dataclass(frozen=True)
class NodeVerdict:
    """What one rule says of one host."""

    host: str
    rule: str
    judgements: tuple[Judgement, ...]
    # Why there is no verdict.
    why_not: str = ""
    # Whether it is told what is unknown of a warning, or only that something is.
    tells_unknown: bool = False

    def check(self) -> None:
        """Fails on fail, error and unknown, as a pytest test does; a skip is a skip, with why."""
        __tracebackhide__ = True
        found = [finding for each in self.judgements for finding in each.findings if each.verdict in FAILS]
        told = "\n\n".join(finding_text(each) for each in found)
        if any(each.severity is Severity.ERROR or each.verdict is Verdict.ERROR for each in found):
            pytest.fail(told, pytrace=False)
        if told:  # a warning does not fail
            warnings.warn(told if self._is_told(found) else f"{len(found)} unknown (--show-unknown)", stacklevel=2)
        if self.why_not:
            pytest.fail(self.why_not, pytrace=False)
        skipped = [each.why or "it does not apply" for each in self.judgements if each.verdict is Verdict.SKIP]
        if skipped and len(skipped) == len(self.judgements):
            pytest.skip(skipped[0])

    def _is_told(self, found: Sequence[Finding]) -> bool:
        return self.tells_unknown or any(each.verdict is not Verdict.UNKNOWN for each in found)


class Suite:
    """The hosts that were named, and the rules that nodes are judged by."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        try:
            self.specs = specs.parse_all(_every_hosts(config), config.getoption("ansible_inventory", None))
            collector.recordings_are_there(self.specs)
            wait = value(config, "wait")
            self._asking = collector.Asking(
                seconds(value(config, "deadline") or ""),
                count(value(config, "max_workers") or ""),
                config.getoption("ssh_config"),
                config.getoption("ssh_identity_file"),
                wait=seconds(wait) if wait else None,
            )
            fleet = Fleets(value(config, "fleet"), value(config, "stack")).asked_for()
            self._declared = Declared(fleet, value(config, "pool"))
        except Ends as end:
            raise pytest.UsageError(str(end)) from None
        self._connections = Connections(self._asking.seconds)
        # The same hosts for testinfra's own fixture, spelt as it understands them, and reached in our way.
        if self.specs:
            config.option.hosts = ",".join(each.text for each in self.specs)
        register(self._connections)

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        return tuple(each for each in catalogue() if Moment.NODE in moments_of(each))

    @cached_property
    def _asked(self) -> Sequence[AskedHost]:
        asked = collector.ask_all(self.specs, self._asking, connections=self._connections)
        folder = value(self._config, "record")
        if folder is not None:
            collector.record(asked, Path(folder), _write)
        return asked

    def verdicts(self) -> list[NodeVerdict]:
        judged = [(asked, self._judgements(asked)) for asked in self._asked]
        evaluated = any(each.verdict in EVALUATED for _, judgements in judged for each in judgements)
        nothing = "" if evaluated else "nothing was evaluated on any host, so nothing is proven"
        return [each for asked, judgements in judged for each in self._of_host(asked.name, judgements, nothing)]

    def _judgements(self, asked: AskedHost) -> list[Judgement]:
        return judge([collector.scene(asked, self._declared)], self.rules, rule("rule-crashed"))

    def _of_host(self, host: str, judgements: Sequence[Judgement], nothing: str) -> Iterator[NodeVerdict]:
        seen = not any(isinstance(each.subject, NotLookedAt | UnreadableInput) for each in judgements)
        unseen = "" if seen else "not judged: the host was not seen, and looked-at or input-readable says why"
        tells = is_switched_on(self._config, "show_unknown")
        for each in self.rules:
            own = tuple(judged for judged in judgements if judged.rule is each)
            if not each.about_ourselves:
                yield NodeVerdict(host, each.id, own, unseen, tells)
            elif own or each.id == "looked-at":
                yield NodeVerdict(host, each.id, own, nothing, tells)

    def close(self) -> None:
        self._connections.close()


def _every_hosts(config: pytest.Config) -> list[str]:
    """testinfra keeps the last --hosts; a host that somebody has named is not to be passed over in silence."""
    given = iter(config.invocation_params.args)
    said = [next(given, "") if each == "--hosts" else each.removeprefix("--hosts=") for each in given if _names(each)]
    return [each for each in (said if len(said) > 1 else [config.getoption("hosts") or ""]) if each]


def _names(argument: object) -> bool:
    return isinstance(argument, str) and (argument == "--hosts" or argument.startswith("--hosts="))


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")


def parametrize(metafunc: pytest.Metafunc, suite: Suite | None) -> None:
    """A test for each host and rule. None at all would be green, and nothing would be proven: then one fails."""
    try:
        verdicts = suite.verdicts() if suite is not None and suite.specs else []
    except Ends as end:
        raise pytest.UsageError(str(end)) from None
    if not verdicts:
        verdicts = [NodeVerdict("no-host", "looked-at", (), f"no host was looked at; {HOW}")]
    metafunc.parametrize("node_verdict", verdicts, ids=[f"{each.host}-{each.rule}" for each in verdicts])
