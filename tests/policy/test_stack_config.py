"""How the fleet comes into the pack: by the config that the engine hands over, at the lines of the stack's file."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import grpc
import pytest
import yaml

from nodeworthy.known.containerd import defaults
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from tests.policy.pack import PACK, PROJECT, STACK, Pack, Planned, fleet, release, secret
from tests.policy.test_violations import BASE_DIR, INCIDENT, RIGHT, RULE

WRONG = release({**RIGHT, SOCKET: defaults().socket})
WRITTEN = f"""\
config:
  aws:region: us-east-2
  nodeworthy:fleet:
    cluster: {{name: gpu-dev}}
    pools:
      onprem:
        gpu: h200
        gpusPerNode: 8
        distribution: k8s-snap
        containerdBaseDir: {BASE_DIR}
        provision: false
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "Pulumi.yaml").write_text(f"name: {PROJECT}\nruntime: python\n")
    (tmp_path / f"Pulumi.{STACK}.yaml").write_text(WRITTEN)
    return tmp_path


def seen(pack: Pack) -> list[str]:
    [told] = pack.deployment(WRONG).of(RULE)
    return [line for line in told.message.splitlines() if line.startswith("  see ")]


def test_the_fleet_stands_at_its_lines(project: Path) -> None:
    with Pack(cwd=project) as pack:
        pack.configure_stack(yaml.safe_load(WRITTEN)["config"]["nodeworthy:fleet"])
        assert seen(pack) == [f"  see     Pulumi.{STACK}.yaml:10:28: pool 'onprem' runs k8s-snap with this base dir"]


def test_a_file_that_says_something_else_is_no_place(project: Path) -> None:
    """`--config-file`, or a file that was edited since: what the engine says counts."""
    with Pack(cwd=project) as pack:
        pack.configure_stack(fleet(onprem={**INCIDENT, "gpusPerNode": 4}))
        assert seen(pack) == [f"  see     config of stack {STACK}: pool 'onprem' runs k8s-snap with this base dir"]


def test_a_plain_secret_of_the_stacks_file_is_told_at_its_line(project: Path) -> None:
    file = project / f"Pulumi.{STACK}.yaml"
    file.write_text(f"{WRITTEN}  gitlab:runnerToken: glrt-t3_9xQ2mZv7LkP4sWbN8cRy\n")
    with Pack(cwd=project) as pack:
        pack.configure_stack(yaml.safe_load(WRITTEN)["config"]["nodeworthy:fleet"])
        [told] = pack.deployment(release(RIGHT)).of("no-secret-in-plain-sight")
    assert f"Pulumi.{STACK}.yaml:12:" in told.message
    assert "glrt-" not in told.message


@pytest.mark.parametrize(
    ("token", "found"), [("glrt-t3_9xQ2mZv7LkP4sWbN8cRy", 1), (secret("glrt-t3_9xQ2mZv7LkP4sWbN8cRy"), 0)]
)
def test_an_output_of_the_stack_is_looked_at(project: Path, token: object, found: int) -> None:
    stack = Planned("pulumi:pulumi:Stack", f"{PROJECT}-{STACK}", {"runners": {"token": token}})
    with Pack(cwd=project) as pack:
        pack.configure_stack(fleet(onprem=INCIDENT))
        told = pack.analyze_stack(release(RIGHT), stack).of("no-secret-in-plain-sight")
    assert ["as runners.token" in each.message for each in told] == [True] * found


def test_an_encrypted_value_is_known_here_and_keeps_its_line(project: Path) -> None:
    """The file holds a cipher, the engine hands over what it means; a preview without the passphrase knows neither."""
    file = project / f"Pulumi.{STACK}.yaml"
    file.write_text(file.read_text().replace(BASE_DIR, "{secure: v1:abcdefgh}"))
    with Pack(cwd=project) as pack:
        pack.configure_stack(fleet(onprem=INCIDENT), secret_keys=["nodeworthy:fleet"])
        assert seen(pack) == [f"  see     Pulumi.{STACK}.yaml:10:28: pool 'onprem' runs k8s-snap with this base dir"]


def test_a_comment_in_the_stack_file_suppresses_here_as_in_a_preview(project: Path) -> None:
    """The values are the fleet's own, so their lines are the file's."""
    said = f"""\
    operator:
      values:
        toolkit:
          env:
            - {{name: {CONFIG}, value: {RIGHT[CONFIG]}}}
            - {{name: {SOCKET}, value: {defaults().socket}}}  # nodeworthy: ignore {RULE} moves next week
"""
    file = project / f"Pulumi.{STACK}.yaml"
    file.write_text(WRITTEN + said)
    with Pack(cwd=project) as pack:
        pack.configure_stack(yaml.safe_load(file.read_text())["config"]["nodeworthy:fleet"])
        answer = pack.deployment(WRONG)
    assert answer.told == []
    assert (RULE, f"suppressed by a comment at Pulumi.{STACK}.yaml:17:48 {WRONG.urn}") in answer.not_applicable


def test_a_malformed_fleet_ends_the_preview_with_its_place(project: Path) -> None:
    file = project / f"Pulumi.{STACK}.yaml"
    file.write_text(file.read_text().replace("gpu: h200", "gpu: 200"))
    with Pack(cwd=project) as pack, pytest.raises(grpc.RpcError) as refusal:
        pack.configure_stack(yaml.safe_load(file.read_text())["config"]["nodeworthy:fleet"])
    assert refusal.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    [sentence] = (refusal.value.details() or "").splitlines()
    assert sentence.startswith(f"Pulumi.{STACK}.yaml:7:14: ")


def test_an_older_engine_tells_the_config_in_the_environment() -> None:
    told = {
        "PULUMI_CONFIG": json.dumps({"nodeworthy:fleet": json.dumps(fleet(onprem=INCIDENT))}),
        "PULUMI_PROJECT": PROJECT,
        "PULUMI_STACK": STACK,
    }
    with Pack(environment=told) as pack:
        assert pack.deployment(WRONG).of(RULE)


def test_without_a_fleet_the_rules_that_need_none_still_run() -> None:
    with Pack() as pack:
        pack.configure_stack(None)
        told = pack.deployment(release({SOCKET: "containerd.sock", CONFIG: RIGHT[CONFIG]})).told
        assert [each.policy for each in told] == ["toolkit-env-wellformed"]


def test_the_pack_leaves_when_whoever_started_it_is_gone(tmp_path: Path) -> None:
    """A killed CLI takes nobody along: a pack looks for itself."""
    parent = f"""
import subprocess, sys, time
command = [{sys.executable!r}, "-u", "-m", "pulumi.policy", "127.0.0.1:9", {str(PACK)!r}]
child = subprocess.Popen(command, stdout=subprocess.PIPE)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", parent], stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.kill()
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and _runs(pid):
        time.sleep(0.05)
    left = _runs(pid)
    if left:
        os.kill(pid, 9)
    assert not left


def _runs(pid: int) -> bool:
    """Whoever has ended and was not yet waited for has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
