"""What the program builds on the nodes: the registry at the nodes' address, the queue, the monitoring, and no secret."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.plan.preview import PreviewRequest, prepare
from tests.run import run

ROOT = Path(__file__).parents[2]
SECRETS = {"queuePassword": "of-the-queue-4711", "grafanaPassword": "of-grafana-4711", "registryToken": "of-ghcr-4711"}


@cache
def planned() -> dict[tuple[str, str], Any]:
    """The inputs of the ci stack's Kubernetes objects, by kind and name, as a run with made-up outputs has them."""
    seen = prepare(PreviewRequest(ROOT, "ci"), frozenset()).run(None, lambda text: None)
    assert seen.ran.simulated is not None
    objects = [each for each in seen.ran.simulated.plan.resources if each.type.startswith("kubernetes:")]
    return {(each.type.rsplit(":", 1)[1], each.name): each.inputs for each in objects}


def test_the_registry_has_the_address_that_nodes_are_told() -> None:
    service = planned()["Service", "registry-ghcr.gpu-controlplane"]
    assert service["metadata"]["name"] == "registry-ghcr"
    assert service["metadata"]["namespace"] == "gpu-controlplane"
    assert service["spec"]["clusterIP"] == "172.20.0.11"
    assert service["spec"]["ports"][0]["port"] == 5000
    config = planned()["ConfigMap", "registry-ghcr.gpu-controlplane"]["data"]["config.yml"]
    assert "remoteurl: https://ghcr.io" in config


@pytest.mark.parametrize("role", ["primary", "replica"])
def test_a_server_of_the_queue_is_told_what_its_scripts_ask_for(role: str) -> None:
    pod = planned()["StatefulSet", f"queue-{role}"]["spec"]["template"]["spec"]
    files = planned()["ConfigMap", "queue"]["data"]
    container, making = pod["containers"][0], pod["initContainers"][0]
    scripts = [making["command"][1].rpartition("/")[2], container["command"][1].rpartition("/")[2]]
    asked = set(re.findall(r"\$([A-Z_]+)", "".join(files[name] for name in scripts)))
    told = {each["name"] for each in container["env"]}
    assert asked - told == ({"PRIMARY_HOST"} if role == "primary" else set())
    assert {"QUEUE_PASSWORD", "REPLICATION_PASSWORD"} <= told or "PGPASSWORD" in told
    assert all("value" not in each for each in container["env"] if "PASSWORD" in each["name"])


def test_prometheus_leaves_room_on_its_volume_and_grafana_takes_its_password_from_a_secret() -> None:
    values = planned()["Release", "kube-prometheus-stack"]["values"]
    prometheus = values["prometheus"]["prometheusSpec"]
    assert (prometheus["retention"], prometheus["retentionSize"]) == ("3d", "8704MB")
    assert values["grafana"]["admin"]["existingSecret"] == planned()["Secret", "grafana-admin"]["metadata"]["name"]
    operator = planned()["Release", "gpu-operator"]["values"]
    assert operator["dcgmExporter"]["serviceMonitor"]["enabled"] is True


def test_no_secret_is_shown(tmp_path: Path) -> None:
    for name in ("infra", "userdata", "Pulumi.yaml", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    stack = (ROOT / "Pulumi.ci.yaml").read_text(encoding="utf-8")
    for name, secret in SECRETS.items():
        stack = re.sub(rf"({name}: ).*", rf"\g<1>{secret}", stack)
    (tmp_path / "Pulumi.ci.yaml").write_text(stack, encoding="utf-8")
    for form in ("text", "json"):
        ran = run("preview", "--stack", "ci", "--format", form, cwd=tmp_path)
        assert ran.out
        assert [secret for secret in SECRETS.values() if secret in ran.out + ran.err] == []


def test_a_queue_without_a_password_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for name in ("infra", "userdata", "Pulumi.yaml", ".venv"):
        (tmp_path / name).symlink_to(ROOT / name)
    stack = (ROOT / "Pulumi.ci.yaml").read_text(encoding="utf-8")
    password = next(line for line in stack.splitlines(keepends=True) if "queuePassword" in line)
    (tmp_path / "Pulumi.ci.yaml").write_text(stack.replace(password, ""), encoding="utf-8")
    ran = run("preview", "--stack", "ci", cwd=tmp_path)
    assert ran.code == 2
    said = ran.err + ran.out
    line = 1 + stack.replace(password, "").splitlines().index("    queue: {volume: 10Gi}")
    assert f"Pulumi.ci.yaml:{line}:" in said
    assert "has a queue, and its config no password for it: pulumi config set --secret nodeworthy:queuePassword" in said
    assert "Traceback" not in said
