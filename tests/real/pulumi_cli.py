"""The real `pulumi` CLI on a copy of a project, with a state of its own and stand-ins for what can't be had.

It proves the engine, the state, secrets, and how policies are called. It proves nothing about the real
providers: what comes out of it is never "verified against the AWS provider".
"""

from __future__ import annotations

import copy
import json
import os
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from nodeworthy.collect.plan.protocol import SECRET, SIGNATURE

from .daemon import PATIENCE
from .stand_ins.aws_calls import Aws
from .stand_ins.providers import Answers, Providers

STAND_INS = Path(__file__).resolve().parent / "stand_ins"
PASSPHRASE = "a test's own"


@dataclass(frozen=True)
class Violation:
    policy: str
    level: str
    urn: str
    message: str


@dataclass(frozen=True)
class Planned:
    """A resource as the engine planned it: its inputs with unknowns as sentinels and secrets as `[secret]`."""

    urn: str
    type: str
    parent: str
    inputs: dict[str, Any]


@dataclass(frozen=True)
class Preview:
    """What one run said, and its events with their types: the exit code alone proves nothing."""

    exit_code: int
    output: str
    events: Sequence[dict[str, Any]] = field(repr=False)

    @cached_property
    def violations(self) -> list[Violation]:
        found = (event["policyEvent"] for event in self.events if "policyEvent" in event)
        return [
            Violation(
                each["policyName"], each["enforcementLevel"], each.get("resourceUrn", ""), each["message"].rstrip("\n")
            )
            for each in found
        ]

    @cached_property
    def resources(self) -> dict[str, Planned]:
        steps = (event["resourcePreEvent"]["metadata"] for event in self.events if "resourcePreEvent" in event)
        return {
            step["urn"]: Planned(
                step["urn"], step["type"], step["new"].get("parent", ""), step["new"].get("inputs") or {}
            )
            for step in steps
            if step.get("new")
        }

    @cached_property
    def changes(self) -> dict[str, int]:
        """How many resources, by what becomes of them."""
        told = [event["summaryEvent"]["resourceChanges"] for event in self.events if "summaryEvent" in event]
        return dict(told[-1]) if told else {}

    @cached_property
    def errors(self) -> str:
        found = (event["diagnosticEvent"] for event in self.events if "diagnosticEvent" in event)
        return "\n".join(each["message"] for each in found if each["severity"] == "error")


class PulumiCli:
    """One project, copied, with its own home, backend and passphrase; no login, no network."""

    def __init__(
        self, program: Path, project: Path, scratch: Path, *, language_host: bool = True, aws: Aws | None = None
    ) -> None:
        self._program = program
        # Where resources are made, of those kinds that it knows; without one, everything is made up.
        self._aws = aws
        self.project = scratch / "project"
        self._scratch = scratch
        self._stacks: set[str] = set()
        shutil.copytree(project, self.project, ignore=_not_for_the_copy, symlinks=True)
        for folder in ("home", "state", "bin"):
            (scratch / folder).mkdir()
        if language_host:
            self._executable("pulumi-language-python", f'exec "{sys.executable}" "{STAND_INS}/language_host.py" "$@"')
        # Only these two arguments: the CLI adds options that `pulumi.policy` misreads.
        self._executable("pulumi-analyzer-policy-python", f'exec "{sys.executable}" -u -m pulumi.policy "$1" "$2"')

    @property
    def kept(self) -> Path:
        """Where the backend keeps the state."""
        return self._scratch / "state"

    def of(self, project: Path) -> PulumiCli:
        """The same state and stacks, and another copy of the project."""
        other = copy.copy(self)
        other.project = project
        return other

    def _executable(self, name: str, line: str) -> None:
        path = self._scratch / "bin" / name
        path.write_text(f"#!/bin/sh\n{line}\n", encoding="utf-8")
        path.chmod(0o755)

    def environment(self, providers: Providers | None) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PULUMI_", "AWS_", "KUBE"))}
        return {
            **kept,
            "PATH": f"{self._scratch / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PULUMI_HOME": str(self._scratch / "home"),
            "PULUMI_BACKEND_URL": f"file://{self._scratch / 'state'}",
            "PULUMI_CONFIG_PASSPHRASE": PASSPHRASE,
            "PULUMI_SKIP_UPDATE_CHECK": "true",
            "PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION": "true",
            "PULUMI_DEBUG_COMMANDS": "true",  # else --event-log is an unknown flag
            **({"PULUMI_DEBUG_PROVIDERS": providers.attached} if providers is not None else {}),
        }

    def preview(
        self, stack: str, policies: Path | None, config: dict[str, Any] | None = None, answers: Answers | None = None
    ) -> Preview:
        """`pulumi preview` of a new stack; `config` is the pack's."""
        return self._told(["preview"], stack, policies, config, answers)

    def up(self, stack: str, policies: Path | None) -> Preview:
        """An update without a preview before it."""
        return self._told(["up", "--yes", "--skip-preview"], stack, policies, None, None)

    def destroy(self, stack: str) -> Preview:
        return self._told(["destroy", "--yes", "--skip-preview"], stack, None, None, None)

    def _told(
        self,
        command: Sequence[str],
        stack: str,
        policies: Path | None,
        config: dict[str, Any] | None,
        answers: Answers | None,
    ) -> Preview:
        log = self.project.with_name(f"{self.project.name}-events.jsonl")
        log.unlink(missing_ok=True)
        arguments = [*command, "--stack", stack, "--event-log", str(log)]
        if policies is not None:
            arguments += ["--policy-pack", str(policies)]
        if config is not None:
            written = self.project.with_name(f"{self.project.name}-policy-config.json")
            written.write_text(json.dumps(config), encoding="utf-8")
            arguments += ["--policy-pack-config", str(written)]
        with Providers(answers, self._aws) as providers:
            self.init(stack)
            ran = self._run(arguments, providers)
        events = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()] if log.exists() else []
        return Preview(ran.returncode, ran.stdout + ran.stderr, events)

    def secret(self, stack: str, key: str) -> str:
        """What it is, for a test to look for."""
        self.init(stack)
        ran = self._run(["config", "get", "--stack", stack, key], None)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout.strip()

    def inputs(self, stack: str) -> dict[str, dict[str, Any]]:
        """What was sent of each resource to its provider, by URN, secrets in plain text."""
        resources = json.loads(self.exported(stack, "--show-secrets"))["deployment"]["resources"]
        return {each["urn"]: _opened(each.get("inputs", {})) for each in resources}

    def exported(self, stack: str, *options: str) -> str:
        """Its state."""
        ran = self._run(["stack", "export", "--stack", stack, *options], None)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def set_secret(self, stack: str, key: str, value: str) -> None:
        """The CLI alone can encrypt."""
        self.init(stack)
        self._must(["config", "set", "--stack", stack, "--secret", key, value])

    def init(self, stack: str) -> None:
        """The stack, in the backend: its file is there already, and gets the salt of its secrets."""
        if stack not in self._stacks:
            self._must(["stack", "init", stack])
            self._stacks.add(stack)

    def _must(self, arguments: Sequence[str]) -> None:
        ran = self._run(arguments, None)
        if ran.returncode:
            said = textwrap.indent(ran.stdout + ran.stderr, "    ")
            raise RuntimeError(f"pulumi {' '.join(arguments)} ended with {ran.returncode}:\n{said}")

    def command(self, *arguments: str) -> list[str]:
        return [str(self._program), *arguments, "--non-interactive", "--color", "never"]

    def _run(self, arguments: Sequence[str], providers: Providers | None) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            self.command(*arguments),
            cwd=self.project,
            env=self.environment(providers),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )


def _opened(data: Any) -> Any:
    if isinstance(data, dict):
        if data.get(SIGNATURE) == SECRET:
            return json.loads(data["plaintext"])
        return {name: _opened(each) for name, each in data.items()}
    return [_opened(each) for each in data] if isinstance(data, list) else data


def _not_for_the_copy(folder: str, names: list[str]) -> set[str]:
    heavy = {"node_modules", "__pycache__", "venv", "tests", "bench", "tools", "locks"}
    return {name for name in names if name in heavy or name.startswith(".")}
