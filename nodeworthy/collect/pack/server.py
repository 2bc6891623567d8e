"""The pack's side of Pulumi's analyzer protocol: how the CLI finds it, what it asks, and what it is answered."""

# ruff: noqa: N802 - the methods are named by the protocol

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import wraps
from pathlib import Path
from typing import Any

from google.protobuf.empty_pb2 import Empty

from nodeworthy import __version__
from nodeworthy.collect.collected import moments_of
from nodeworthy.collect.pack.enforcement import (
    SCHEMA,
    BadConfig,
    Level,
    configure_rules,
    default,
    reads_what_is_known_late,
)
from nodeworthy.collect.pack.judge import CallOutcome, Judge
from nodeworthy.collect.pack.stack import Stack
from nodeworthy.collect.plan.plan import Resource
from nodeworthy.collect.plan.protocol import OPTIONS, UNKNOWN, Wire, from_struct, grpc, stubs
from nodeworthy.errors import Ends
from nodeworthy.rule import Moment, Rule
from nodeworthy.rules import catalogue
from nodeworthy.verdict import Finding, Severity, Verdict

NAME = "nodeworthy"
Written = Callable[[Finding, str | None], str]
# How the engine writes an unknown that is not a string: a boolean, a number, a list, an asset, an archive, a mapping.
OTHER_UNKNOWNS = frozenset(
    (
        "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
        "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
        "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
        "030794c1-ac77-496b-92df-f27374a8bd58",
        "e48ece36-62e2-4504-bad9-02848725956a",
        "dd056dcd-154b-4c76-9bd3-c8f88648b5ff",
    )
)

pb = stubs("analyzer_pb2")
LEVELS = {Level.ADVISORY: pb.ADVISORY, Level.MANDATORY: pb.MANDATORY, Level.DISABLED: pb.DISABLED}
# Nothing is ever remediated here, so who asks for that gets what blocks.
BY_NUMBER = {**{number: level for level, number in LEVELS.items()}, pb.REMEDIATE: Level.MANDATORY}


def answer_errors(method: Callable[..., Any]) -> Callable[..., Any]:
    """What goes wrong in here ends the preview with one sentence, and never as a policy that did not run."""

    @wraps(method)
    def call(self: Analyzer, request: Any, context: Any) -> Any:
        codes = grpc().StatusCode
        try:
            with self.lock:
                return method(self, request)
        except (BadConfig, Ends) as problem:
            context.abort(codes.INVALID_ARGUMENT, str(problem))
        except Exception as problem:  # noqa: BLE001 - a fault of ours, whatever it is: it must block, and be readable
            where = getattr(request, "urn", "") or "the stack"
            told = f"the policy pack {NAME} crashed on {where}: {type(problem).__name__}: {problem}"
            context.abort(codes.INTERNAL, f"{told}; nothing of it was judged")

    return call


class Analyzer(stubs("analyzer_pb2_grpc").AnalyzerServicer):  # type: ignore[misc]
    """Judges one deployment by these rules. `near` is where the stack's file may be found, `written` makes a finding
    (and an advice beside it) the text of a violation."""

    def __init__(self, rules: Iterable[Rule], near: Iterable[Path], written: Written) -> None:
        self.lock = threading.Lock()
        self.rules = tuple(rules)
        self._by_id = {rule.id: rule for rule in self.rules}
        self.near = tuple(near)
        self.written = written
        self.stack = _of_environment(self.near)
        self.given: dict[str, tuple[Level | None, Mapping[str, Any]]] = {}
        self._judge: Judge | None = None

    @answer_errors
    def GetPluginInfo(self, _request: Any) -> Any:
        return stubs("plugin_pb2").PluginInfo(version=__version__)

    @answer_errors
    def GetAnalyzerInfo(self, _request: Any) -> Any:
        return pb.AnalyzerInfo(
            name=NAME,
            displayName=NAME,
            version=__version__,
            supportsConfig=True,
            description="GPU nodes that are fit for work",
            policies=[_policy(rule) for rule in self.rules],
        )

    @answer_errors
    def Configure(self, request: Any) -> Any:
        given: dict[str, tuple[Level | None, Mapping[str, Any]]] = {
            name: (BY_NUMBER[c.enforcementLevel], from_struct(c.properties)) for name, c in request.policyConfig.items()
        }
        configure_rules(self.rules, given)  # refuses what is wrong before anything is judged
        self.given, self._judge = given, None
        return Empty()

    @answer_errors
    def ConfigureStack(self, request: Any) -> Any:
        secret = frozenset(request.config_secret_keys)
        self.stack = Stack(request.project, request.stack, dict(request.config), secret, self.near)
        self._judge = None
        _ = self.stack.fleet  # one that is malformed ends the preview here
        return pb.AnalyzerStackConfigureResponse()

    @answer_errors
    def Analyze(self, request: Any) -> Any:
        return self._response(self.judge.one(_resource(request)))

    @answer_errors
    def AnalyzeStack(self, request: Any) -> Any:
        return self._response(self.judge.all([_resource(each) for each in request.resources]))

    @answer_errors
    def Remediate(self, _request: Any) -> Any:
        return pb.RemediateResponse()

    @property
    def judge(self) -> Judge:
        if self._judge is None:
            self._judge = Judge(self.rules, configure_rules(self.rules, self.given), self.stack)
        return self._judge

    def _response(self, said: CallOutcome) -> Any:
        return pb.AnalyzeResponse(
            diagnostics=[
                pb.AnalyzeDiagnostic(
                    policyName=each.finding.rule,
                    policyPackName=NAME,
                    policyPackVersion=__version__,
                    description=self._by_id[each.finding.rule].title,
                    message=self.written(each.finding, self._advice(each.finding)),
                    enforcementLevel=LEVELS[each.level],
                    urn=each.finding.where.urn or "",
                )
                for each in said.violations
            ],
            not_applicable=[pb.PolicyNotApplicable(policy_name=name, reason=why) for name, why in said.not_applicable],
        )

    def _advice(self, found: Finding) -> str | None:
        """How that is verified which is not known yet."""
        if found.verdict is not Verdict.UNKNOWN or self._by_id[found.rule].about_ourselves:
            return None
        if reads_what_is_known_late(self._by_id[found.rule]):
            return f"nodeworthy preview --stack {self.stack.name or 'STACK'} reads it whole, with made-up outputs"
        return f'deploy first what it comes from, or let it pass: {{"{found.rule}": {{"unknown": "advisory"}}}}'


def _policy(rule: Rule) -> Any:
    schema = pb.PolicyConfigSchema()
    schema.properties.update(SCHEMA)
    return pb.PolicyInfo(
        name=rule.id,
        displayName=rule.id,
        description=rule.title,
        enforcementLevel=LEVELS[default(rule).failure],
        configSchema=schema,
        policy_type=pb.POLICY_TYPE_STACK if rule.about_ourselves else pb.POLICY_TYPE_RESOURCE,
        severity=pb.POLICY_SEVERITY_HIGH if rule.severity is Severity.ERROR else pb.POLICY_SEVERITY_LOW,
        remediation_steps=rule.remedy,
    )


def _resource(request: Any) -> Resource:
    inputs = {name: _known_as_ours(value) for name, value in from_struct(request.properties).items()}
    # Only of the whole stack the engine tells what each property was made of.
    made_of = getattr(request, "propertyDependencies", {})
    dependencies = {name: tuple(each.urns) for name, each in made_of.items()}
    return Resource(
        request.urn,
        request.type,
        request.name,
        request.options.parent or None,
        inputs,
        property_dependencies=dependencies,
    )


def _known_as_ours(data: Wire) -> Wire:
    """Every kind of unknown as the one that the rest of the house knows."""
    if isinstance(data, Mapping):
        return {name: _known_as_ours(each) for name, each in data.items()}
    if isinstance(data, list):
        return [_known_as_ours(each) for each in data]
    return UNKNOWN if isinstance(data, str) and data in OTHER_UNKNOWNS else data


def _of_environment(near: tuple[Path, ...]) -> Stack:
    """What older engines say of the stack when they start a pack."""
    told = os.environ.get
    config = json.loads(told("PULUMI_CONFIG") or "{}")
    return Stack(told("PULUMI_PROJECT", ""), told("PULUMI_STACK", ""), config, near=near)


# A CLI that is killed leaves its packs behind, unless they look for themselves.
LOOK_SECONDS = 0.5


def policies() -> list[Rule]:
    """The rules that a plan can prove or break, and those by which the pack speaks of itself."""
    return [rule for rule in catalogue() if rule.about_ourselves or Moment.PLAN in moments_of(rule)]


def serve(folder: Path, written: Written) -> None:
    """Serves the pack that lies in this folder; `written` makes a finding the text of a violation."""
    parent = os.getppid()
    ended = threading.Event()
    for each in (signal.SIGINT, signal.SIGTERM):
        signal.signal(each, lambda *_: ended.set())
    server = grpc().server(ThreadPoolExecutor(max_workers=4), options=OPTIONS)
    analyzer = Analyzer(policies(), (Path.cwd(), folder), written)
    stubs("analyzer_pb2_grpc").add_AnalyzerServicer_to_server(analyzer, server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    sys.stdout.write(f"{port}\n")
    sys.stdout.flush()
    while os.getppid() == parent and not ended.wait(LOOK_SECONDS):
        pass
    server.stop(grace=None)
