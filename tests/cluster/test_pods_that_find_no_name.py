"""What pods say that find no name server is the firewall's fault only where nothing else explains it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cluster import incident
from tests.cluster.objects import Object, crash_looping, node, pod, running
from tests.run import run_json

NAMELESS = "socket.gaierror: [Errno -3] Temporary failure in name resolution"
FLEET = """\
config:
  nodeworthy:fleet:
    cluster: {name: textgen}
    pools:
      onprem: {gpu: h200, distribution: kubeadm, provision: false, firewall: %s}
"""


def failing() -> Object:
    status = crash_looping("textgen", 6)
    status["containerStatuses"][0]["lastState"]["terminated"]["message"] = NAMELESS
    return pod("textgen", "default", runtimeClassName="nvidia", status=status)


def dns(status: Object) -> Object:
    made = pod("coredns-7d6f9c5b84-4kqxz", "kube-system", status=status)
    made["metadata"]["labels"] = {"k8s-app": "kube-dns"}
    return made


def verdicts(folder: Path, *pods: Object, fleet: str | None = None, system: str = "Ubuntu 22.04.5 LTS") -> list[str]:
    kinds = {"nodes": [node(osImage=system)], "pods": list(pods), "events": [], "daemonsets": []}
    incident.write(folder / "dump", kinds, FLEET % fleet if fleet else None)
    by = ("--fleet", "Pulumi.onprem.yaml") if fleet else ()
    ran = run_json("diagnose", "--from", "dump", "--rule", "pod-egress-forwarded", *by, cwd=folder)
    return [each["verdict"] for each in ran.findings]


def test_words_that_the_kubelet_kept_are_as_good_as_a_log(tmp_path: Path) -> None:
    assert verdicts(tmp_path, failing(), dns(running("coredns"))) == ["fail"]


@pytest.mark.parametrize(("firewall", "verdict"), [("ufw", "fail"), ("none", "unknown")])
def test_a_fleet_says_whether_there_is_one(tmp_path: Path, firewall: str, verdict: str) -> None:
    system = "Amazon Linux 2023.9.20251105"
    assert verdicts(tmp_path, failing(), dns(running("coredns")), fleet=firewall, system=system) == [verdict]


def test_where_the_clusters_dns_is_down_nobody_is_answered(tmp_path: Path) -> None:
    assert verdicts(tmp_path, failing(), dns(crash_looping("coredns"))) == []


def test_a_pod_on_the_hosts_network_passes_no_forwarding(tmp_path: Path) -> None:
    on_host = failing()
    on_host["spec"]["hostNetwork"] = True
    assert verdicts(tmp_path, on_host, dns(running("coredns"))) == []
