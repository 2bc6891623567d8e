"""The pack under the real CLI: what blocks, what is only told, and how a fault ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from pulumi import automation

from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.known.operator_parts import SOCKET
from tests.case_files import whole

from . import projects
from .agreement import PACK
from .pulumi_cli import PulumiCli
from .stand_ins.providers import Providers, StandIn
from .tools import Tools

BASE_DIR = "/var/lib/k8s-containerd/k8s-containerd"  # the incident's
POOL = {"gpu": "h200", "gpusPerNode": 8, "distribution": "k8s-snap", "containerdBaseDir": BASE_DIR, "provision": False}
OURS = containerd_of("k8s-snap", BASE_DIR)
RULE = "containerd-paths"
RELEASE = "kubernetes:helm.sh/v3:Release"
Start = Callable[..., PulumiCli]


@pytest.fixture
def start(tools: Tools, tmp_path: Path, warm: str) -> Start:
    program = tools.path("pulumi")

    def started(socket: str | None = OURS.socket, **config: Any) -> PulumiCli:
        told = {"shapes:config": OURS.config, "shapes:socket": socket, **projects.fleet({"onprem": POOL}), **config}
        cli = PulumiCli(program, projects.shapes(tmp_path / "made", told), tmp_path / "cli")
        projects.started_warm(cli.project, warm)
        return cli

    return started


def test_what_a_person_sees_of_a_wrong_socket(start: Start) -> None:
    ran = start(defaults().socket).preview(projects.STACK, PACK)
    assert ran.exit_code == 1
    assert f"[mandatory] [severity: high]  {RULE}  ({RELEASE}: gpu-operator)" in ran.output
    assert f"is      {defaults().socket}" in ran.output
    assert f"fix     set {SOCKET} in toolkit.env to {OURS.socket}" in ran.output
    assert "see     Pulumi.dev.yaml:" in ran.output


def test_an_update_is_stopped_before_the_release_is_made(start: Start) -> None:
    """Also without a preview: what is wrong is not made first and judged afterwards."""
    ran = start(defaults().socket).up(projects.STACK, PACK)
    assert ran.exit_code == 1
    assert {each.level for each in ran.violations if each.policy == RULE} == {"mandatory"}
    made = [event["resOutputsEvent"]["metadata"] for event in ran.events if "resOutputsEvent" in event]
    kinds = {each["type"] for each in made}
    assert "aws:ec2/vpc:Vpc" in kinds
    assert RELEASE not in kinds


def test_an_unknown_that_may_pass_is_told(start: Start) -> None:
    cli = start("(output)")
    ran = cli.preview(projects.STACK, PACK, {RULE: {"unknown": "advisory"}, "toolkit-env-wellformed": "advisory"})
    assert ran.exit_code == 0
    [told] = [each for each in ran.violations if each.policy == RULE]
    assert told.level == "advisory"
    assert "cannot be verified yet" in told.message


def test_one_level_for_all_rules(start: Start) -> None:
    ran = start(defaults().socket).preview(projects.STACK, PACK, {"all": "advisory"})
    assert ran.exit_code == 0, ran.output
    assert {each.level for each in ran.violations if each.policy == RULE} == {"advisory"}
    assert {each.level for each in ran.violations} == {"advisory"}


def test_a_secret_of_the_fleet_reaches_the_pack_and_no_output(start: Start) -> None:
    """The CLI decrypts it for the pack, in the place where it stands in the file."""
    cli = start("/run/hush/containerd.sock")
    cli.set_secret(projects.STACK, "shapes:word", "hush-hush")
    ran = cli.preview(projects.STACK, PACK)
    assert {each.policy for each in ran.violations} == {RULE}
    assert "hush-hush" not in ran.output + str(ran.events)


def test_a_stack_with_nothing_to_judge_is_told_so(tools: Tools, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    folder.mkdir()
    (folder / "Pulumi.yaml").write_text("name: empty\nruntime: python\n")
    (folder / "Pulumi.dev.yaml").write_text("config: {}\n")
    (folder / "__main__.py").write_text("import pulumi\npulumi.export('nothing', 1)\n")
    ran = PulumiCli(tools.path("pulumi"), folder, tmp_path / "cli").preview(projects.STACK, PACK)
    assert ran.exit_code == 0
    [told] = ran.violations
    assert (told.policy, told.level) == ("looked-at", "advisory")
    assert "nothing of this stack could be judged" in ran.output


@pytest.mark.parametrize(
    ("config", "sentence"),
    [
        (
            {RULE: {"allow": [{"resource": "*"}]}},
            "allow, entry 1 (*): it gives no reason, and without one nothing is allowed",
        ),
        ({RULE: {"unknown": "never"}}, 'unknown must be one of the following: "mandatory", "advisory"'),
        ({"containerd-path": "mandatory"}, "there is no rule 'containerd-path'; did you mean containerd-paths?"),
    ],
)
def test_a_wrong_config_ends_with_one_sentence(start: Start, config: Mapping[str, Any], sentence: str) -> None:
    ran = start().preview(projects.STACK, PACK, dict(config))
    assert ran.exit_code == 1
    assert sentence in ran.output
    assert "Traceback" not in ran.output
    assert ran.resources == {}


def test_a_malformed_fleet_ends_with_its_place(start: Start) -> None:
    ran = start(**projects.fleet({"onprem": {**POOL, "gpu": "H1000"}})).preview(projects.STACK, PACK)
    assert ran.exit_code == 1
    assert "Pulumi.dev.yaml:" in ran.output
    assert "H1000" in ran.output
    assert "Traceback" not in ran.output


def test_a_pack_that_crashes_ends_the_preview_with_one_sentence(start: Start, tmp_path: Path) -> None:
    crashing = tmp_path / "crashing"
    crashing.mkdir()
    (crashing / "PulumiPolicy.yaml").write_text((PACK / "PulumiPolicy.yaml").read_text())
    main = (PACK / "__main__.py").read_text()
    planted = "from nodeworthy.collect.pack import judge\njudge.scene_of = lambda *_, **__: {}['gone']\n\nserve("
    (crashing / "__main__.py").write_text(main.replace("\nserve(", f"\n{planted}"))
    ran = start().preview(projects.STACK, crashing)
    assert ran.exit_code == 1
    assert "the policy pack nodeworthy crashed on urn:pulumi:dev::shapes::" in ran.output
    assert "KeyError: 'gone'; nothing of it was judged" in ran.output
    assert "Traceback" not in ran.output


def test_a_cli_that_is_killed_leaves_nobody_behind(start: Start) -> None:
    cli = start()
    cli.init(projects.STACK)
    scratch = str(cli.project.parent)
    with (
        Providers() as providers,
        subprocess.Popen(
            [*cli.command("preview"), "--stack", projects.STACK, "--policy-pack", str(PACK)],
            cwd=cli.project,
            env=cli.environment(providers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running,
    ):
        _until(lambda: len(_belonging_to(scratch)) > 2, "the CLI starts its host and the pack")
        running.send_signal(signal.SIGKILL)
    _until(lambda: not _belonging_to(scratch), "all that it started is gone")


def _belonging_to(scratch: str) -> list[int]:
    """Processes that were started with this folder in their environment."""
    found = []
    for environ in Path("/proc").glob("[0-9]*/environ"):
        pid = int(environ.parent.name)
        try:
            if pid != os.getpid() and f"PULUMI_HOME={scratch}".encode() in environ.read_bytes():
                found.append(pid)
        except OSError:
            continue  # it has gone meanwhile
    return found


def _until(holds: Callable[[], bool], what: str, seconds: float = 15.0) -> None:
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.05)


def test_without_a_language_host_the_pack_is_an_executable_on_the_path(tools: Tools, tmp_path: Path) -> None:
    """As where a program of another language is judged by the pack, which then runs in its own folder."""
    program = tools.path("pulumi")
    told = projects.fleet({"onprem": POOL})
    cli = PulumiCli(program, projects.shapes(tmp_path / "made", {}), tmp_path / "cli", language_host=False)

    def inline() -> None:
        from pulumi_kubernetes.helm.v3 import Release

        Release("gpu-operator", chart="gpu-operator", values={"toolkit": {"env": []}})

    events: list[automation.events.EngineEvent] = []
    with Providers() as providers:
        options = automation.LocalWorkspaceOptions(
            env_vars=cli.environment(providers),
            pulumi_command=automation.PulumiCommand(str(program.parents[1])),
            project_settings=automation.ProjectSettings(name="inline", runtime="python"),
            secrets_provider="passphrase",
        )
        stack = automation.create_stack("dev", project_name="inline", program=inline, opts=options)
        stack.set_config("nodeworthy:fleet", automation.ConfigValue(json.dumps(told["nodeworthy:fleet"])))
        with pytest.raises(automation.errors.CommandError):
            stack.preview(policy_packs=[str(PACK)], on_event=events.append)
    said = [event.policy_event for event in events if event.policy_event is not None]
    assert {(each.policy_name, each.enforcement_level) for each in said} == {(RULE, "mandatory")}
    assert any("see     config of stack dev: pool 'onprem'" in each.message for each in said)


@pytest.mark.parametrize(
    ("case", "level"),
    [
        ("bad-plan-stack-output", ["mandatory"]),
        ("unknown-plan-stack-output", ["advisory"]),
        ("good-plan-stack-outputs", []),
        ("bad-plan-plain-in-the-stack", ["mandatory"]),
    ],
)
def test_outputs_and_the_stacks_file_are_looked_at(tools: Tools, tmp_path: Path, case: str, level: list[str]) -> None:
    rule = "no-secret-in-plain-sight"
    project = whole(f"{rule}/{case}")
    ran = PulumiCli(tools.path("pulumi"), project, tmp_path / "cli").preview("prod", PACK)
    assert [each.level for each in ran.violations if each.policy == rule] == level


class Mortal(Providers):
    """Stand-ins that are gone when the first resource is shown to them."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.asked = 0

    def die(self) -> Any:
        self.asked += 1
        for server in self._servers:
            server.stop(grace=None)


def test_a_provider_that_dies_ends_the_preview(start: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    mortal: list[Mortal] = []

    def provided(*given: Any) -> Mortal:
        monkeypatch.setattr(StandIn, "Check", lambda *_: mortal[0].die())
        mortal.append(Mortal(*given))
        return mortal[0]

    monkeypatch.setattr("tests.real.pulumi_cli.Providers", provided)
    ran = start().preview(projects.STACK, PACK)
    assert mortal[0].asked
    assert ran.exit_code
    assert ran.errors
    assert "Traceback" not in ran.output
    assert not [each for each in ran.violations if each.level == "mandatory"]
