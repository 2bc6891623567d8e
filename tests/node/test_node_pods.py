"""`node://NAME`: the pod that is made on the node, what it is allowed, and that nothing is left of it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.node import collector, specs
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.reach import Reach
from tests.run import run

# Answers as kubectl does, and runs here what it is told to run on the node: what is asked and answered is real.
KUBECTL = """\
#!/bin/sh
cd FOLDER
printf '%.200s\\n' "$(echo "$*" | head -n 1)" >>asked
# What is told, and not the words of the script that an exec brings.
case "$(printf '%.120s' "$*")" in
*get\\ node\\ gone*) echo 'Error from server (NotFound): nodes "gone" not found' >&2; exit 1 ;;
*delete*) ;;
*get\\ pod*) echo 'ErrImagePull no such image' ;;
*create*) cat >manifest; [ ! -e refused ] || { echo 'Error from server (Forbidden): no privileged pods' >&2; exit 1; } ;;
*wait*) [ ! -e unready ] || { echo 'error: timed out waiting for the condition on pods/x' >&2; exit 1; } ;;
*exec*) [ ! -e hangs ] || exec sleep 60; while [ "$1" != /bin/sh ]; do shift; done; exec "$@" ;;
esac
"""


@pytest.fixture
def kubectl(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    program = tmp_path / "kubectl"
    program.write_text(KUBECTL.replace("FOLDER", str(tmp_path)))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    return tmp_path


def ask(spec: str, reach: Reach | None = None) -> tuple[AskedHost, list[str]]:
    """What the node said, and what was told to whoever asked."""
    told: list[str] = []
    given = reach or Reach()
    asking = collector.Asking(20, reach=Reach(given.context, given.namespace, given.image, tell=told.append))
    (asked,) = collector.ask_all(specs.parse_all([spec]), asking)
    return asked, told


def manifest(folder: Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((folder / "manifest").read_text())
    return data


def asked_of(folder: Path) -> list[str]:
    return (folder / "asked").read_text().splitlines()


def test_it_is_looked_at_through_a_pod_that_is_gone_afterwards(kubectl: Path) -> None:
    asked, told = ask("node://gpu-1.ec2.internal")
    assert asked.recording is not None
    assert asked.recording.unreached is None
    assert asked.recording.parts[-1].name == "done"
    assert asked.name == "node://gpu-1.ec2.internal"
    pod = manifest(kubectl)["metadata"]["name"]
    assert pod.startswith("nodeworthy-gpu-1-ec2-internal-")
    first, second, third, looked, last = asked_of(kubectl)
    assert looked.startswith(f"exec {pod} -- nsenter -t 1 -m -u -i -n -p /bin/sh -c ")
    assert [first, second, third, last] == [
        "get node gpu-1.ec2.internal -o name",
        "create -f - -o name",
        f"wait pod/{pod} --for=condition=Ready --timeout=19s",
        f"delete pod {pod} --ignore-not-found --wait=false",
    ]
    assert len(told) == 1
    assert f"creates the privileged pod {pod}" in told[0]


def test_the_pod_is_labelled_bound_and_takes_nothing(kubectl: Path) -> None:
    ask("node://gpu-1")
    pod = manifest(kubectl)
    spec = pod["spec"]
    assert pod["metadata"]["labels"] == {"app.kubernetes.io/managed-by": "nodeworthy"}
    assert (spec["nodeName"], spec["restartPolicy"], spec["activeDeadlineSeconds"]) == ("gpu-1", "Never", 180)
    assert spec["tolerations"] == [{"operator": "Exists"}]
    assert spec["automountServiceAccountToken"] is False
    (container,) = spec["containers"]
    assert container["image"] == "docker.io/library/busybox:1.37"
    assert "resources" not in container


def test_where_the_cluster_is_and_with_which_image(kubectl: Path) -> None:
    ask("node://gpu-1", Reach("staging", "ops", "registry.local/tools:1"))
    assert all(each.startswith("--context=staging --namespace=ops ") for each in asked_of(kubectl))
    assert manifest(kubectl)["spec"]["containers"][0]["image"] == "registry.local/tools:1"


def test_as_testinfra_spells_it(kubectl: Path) -> None:
    ask("node://gpu-1?namespace=ops&context=staging")
    assert asked_of(kubectl)[0] == "--context=staging --namespace=ops get node gpu-1 -o name"


@pytest.mark.parametrize(
    ("node", "given", "why", "removed"),
    [
        ("gone", None, 'Error from server (NotFound): nodes "gone" not found', False),
        ("gpu-1", "refused", "Error from server (Forbidden): no privileged pods", True),
        ("gpu-1", "unready", "does not start: ErrImagePull no such image", True),
    ],
)
def test_why_it_can_not_be_looked_at(kubectl: Path, node: str, given: str | None, why: str, removed: bool) -> None:
    if given:
        (kubectl / given).touch()
    asked, _ = ask(f"node://{node}")
    assert asked.recording is not None
    assert (asked.recording.unreached or "").endswith(why)
    assert any(each.startswith("delete pod ") for each in asked_of(kubectl)) is removed


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_whoever_ends_it_removes_it(kubectl: Path, number: signal.Signals, code: int) -> None:
    (kubectl / "hangs").touch()
    command = [sys.executable, "-m", "nodeworthy", "node", "node://gpu-1"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    deadline = time.monotonic() + 60
    while not (kubectl / "asked").exists() or "exec " not in (kubectl / "asked").read_text():
        assert time.monotonic() < deadline
        time.sleep(0.05)
    process.send_signal(number)
    _, err = process.communicate(timeout=30)
    assert process.returncode == code, err
    assert asked_of(kubectl)[-1].startswith(f"delete pod {manifest(kubectl)['metadata']['name']} ")


def test_the_pod_lives_as_long_as_it_is_waited_for(kubectl: Path) -> None:
    ran = run("node", "node://gpu-1", "--wait", "10m", "--deadline", "30s", "--rule", "clock-right")
    assert "ends by itself after 780 s" in ran.err
    assert manifest(kubectl)["spec"]["containers"][0]["command"] == ["sleep", "780"]
    assert run("node", "node://gpu-1", "--quiet", "--rule", "clock-right").err == ""


@pytest.mark.parametrize("spec", ["node://", "node://--kubeconfig=x", "ssh://-oProxyCommand=x"])
def test_what_is_no_node(spec: str) -> None:
    assert run("node", spec).code == 2
