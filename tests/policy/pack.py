"""Starts a policy pack as Pulumi's language host does, and asks it what the engine asks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import grpc
from google.protobuf.empty_pb2 import Empty

from nodeworthy.collect.plan.protocol import SECRET, SIGNATURE, UNKNOWN, into_struct, stubs

PACK = Path(__file__).resolve().parents[2] / "policies"
STACK, PROJECT = "dev", "gpu"
RELEASE = "kubernetes:helm.sh/v3:Release"

pb = stubs("analyzer_pb2")
LEVELS = {pb.ADVISORY: "advisory", pb.MANDATORY: "mandatory", pb.DISABLED: "disabled"}


def urn(kind: str, name: str) -> str:
    return f"urn:pulumi:{STACK}::{PROJECT}::{kind}::{name}"


@dataclass(frozen=True)
class Told:
    policy: str
    level: str
    urn: str
    message: str


@dataclass(frozen=True)
class Answer:
    told: list[Told]
    # Policy, and why it does not apply.
    not_applicable: list[tuple[str, str]]

    def of(self, policy: str) -> list[Told]:
        return [each for each in self.told if each.policy == policy]


@dataclass(frozen=True)
class Planned:
    type: str
    name: str
    inputs: Mapping[str, Any]

    @property
    def urn(self) -> str:
        return urn(self.type, self.name)


def secret(value: Any) -> Any:
    return {SIGNATURE: SECRET, "value": value}


def release(env: Any, name: str = "gpu-operator", **toolkit: Any) -> Planned:
    """The GPU operator's release with these variables; a mapping is written as the list of them."""
    if isinstance(env, Mapping) and SIGNATURE not in env:
        env = [{"name": key, "value": value} for key, value in env.items()]
    values = {"toolkit": {"env": env, **toolkit}}
    return Planned(RELEASE, name, {"chart": "gpu-operator", "version": "v26.3.0", "values": values})


def fleet(**pools: Mapping[str, Any]) -> dict[str, Any]:
    return {"cluster": {"name": "gpu-dev"}, "pools": pools}


class Pack:
    """The pack of a folder, as long as the `with` lasts."""

    def __init__(
        self, folder: Path = PACK, cwd: Path | None = None, environment: Mapping[str, str] | None = None
    ) -> None:
        self._process = subprocess.Popen(
            # The engine's address is never called by a pack; the discard port takes its place.
            [sys.executable, "-u", "-m", "pulumi.policy", "127.0.0.1:9", str(folder)],
            cwd=cwd or folder,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        port = self._process.stdout.readline().strip()
        if not port:
            raise DidNotStart(self._process.communicate()[1], self._process.returncode)
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.analyzer = stubs("analyzer_pb2_grpc").AnalyzerStub(self._channel)

    @property
    def process(self) -> subprocess.Popen[str]:
        return self._process

    def info(self) -> Any:
        return self.analyzer.GetAnalyzerInfo(Empty(), timeout=60)

    def configure(self, **rules: Mapping[str, Any]) -> None:
        """Rule by rule, as the CLI hands on a config file: the level apart from the other properties."""
        request = pb.ConfigureAnalyzerRequest()
        numbers = {level: number for number, level in LEVELS.items()}
        everywhere = rules.get("all", {}).get("enforcementLevel")
        defaults = {
            each.name: each.enforcementLevel if everywhere is None else numbers[everywhere]
            for each in self.info().policies
        }
        for name, given in {**{each: {} for each in defaults}, **_dashed(rules)}.items():
            config = request.policyConfig[name]
            config.enforcementLevel = (
                numbers[given["enforcementLevel"]] if "enforcementLevel" in given else defaults.get(name, 1)
            )
            into_struct({key: value for key, value in given.items() if key != "enforcementLevel"}, config.properties)
        self.analyzer.Configure(request, timeout=60)

    def configure_stack(
        self, fleet: Mapping[str, Any] | str | None, secret_keys: Sequence[str] = (), **config: str
    ) -> None:
        told = dict(config)
        if fleet is not None:
            told["nodeworthy:fleet"] = fleet if isinstance(fleet, str) else json.dumps(fleet)
        request = pb.AnalyzerStackConfigureRequest(
            stack=STACK,
            project=PROJECT,
            organization="organization",
            dry_run=True,
            config=told,
            config_secret_keys=secret_keys,
        )
        self.analyzer.ConfigureStack(request, timeout=60)

    def analyze(self, planned: Planned) -> Answer:
        request = pb.AnalyzeRequest(type=planned.type, urn=planned.urn, name=planned.name)
        into_struct(planned.inputs, request.properties)
        return _answer(self.analyzer.Analyze(request, timeout=60))

    def analyze_stack(self, *planned: Planned) -> Answer:
        request = pb.AnalyzeStackRequest()
        for each in planned:
            resource = request.resources.add(type=each.type, urn=each.urn, name=each.name)
            into_struct(each.inputs, resource.properties)
        return _answer(self.analyzer.AnalyzeStack(request, timeout=60))

    def deployment(self, *planned: Planned) -> Answer:
        """What a whole preview asks: every resource by itself, then the stack with outputs that nobody knows yet."""
        answers = [self.analyze(each) for each in planned]
        answers.append(self.analyze_stack(*(Planned(each.type, each.name, {"status": UNKNOWN}) for each in planned)))
        return Answer([t for a in answers for t in a.told], [n for a in answers for n in a.not_applicable])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._channel.close()
        self._process.kill()
        self._process.communicate()


class DidNotStart(Exception):
    def __init__(self, said: str, code: int) -> None:
        super().__init__(said)
        self.said = said
        self.code = code


def _dashed(rules: Mapping[str, Mapping[str, Any]]) -> dict[str, Mapping[str, Any]]:
    return {name.replace("_", "-"): given for name, given in rules.items()}


def _answer(response: Any) -> Answer:
    told = [
        Told(each.policyName, LEVELS[each.enforcementLevel], each.urn, each.message) for each in response.diagnostics
    ]
    return Answer(told, [(each.policy_name, each.reason) for each in response.not_applicable])
