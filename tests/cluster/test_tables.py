"""The table of pods that `kubectl get pods` prints is read as far as it tells, and nothing is made up."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.cluster.tables import PodTable, is_table_of_pods
from nodeworthy.facts.cluster.pod import cluster_pod
from nodeworthy.verdict import Place
from tests.run import run, run_json

HEAD = "NAMESPACE NAME READY STATUS RESTARTS AGE\n"


def read(text: str) -> list[Any]:
    return [each.data for each in PodTable().read([text], Place("-"))]


@pytest.mark.parametrize(
    ("row", "fares"),
    [
        (
            "n nvidia-driver-daemonset-99xrx 0/1 CrashLoopBackOff 12 (4m24s ago) 67m",
            ("CrashLoopBackOff", 12, "", False),
        ),
        ("n nvidia-driver-daemonset-99xrx 0/1 OOMKilled 1 67m", ("OOMKilled", 1, "", False)),
        ("n nvidia-driver-daemonset-99xrx 1/1 Running 3 (2d ago) 67d", ("", 3, "", True)),
        ("n nvidia-driver-daemonset-99xrx 1/2 Running 0 67d", ("", 0, "", False)),
        ("n nvidia-driver-daemonset-99xrx 0/1 ContainerCreating 0 67m", ("", 0, "", False)),
        ("n nvidia-operator-validator-rr9qz 0/1 Init:1/4 0 67m", ("", 0, "toolkit-validation", False)),
        ("n nvidia-operator-validator-rr9qz 0/1 Init:1/3 0 67m", ("", 0, "", False)),
        ("n nvidia-device-plugin-daemonset-rr9qz 0/1 Init:CrashLoopBackOff 7 67m", ("CrashLoopBackOff", 7, "", False)),
        ("n nvidia-device-plugin-daemonset-rr9qz 0/1 Init:Error 2 67m", ("Error", 2, "", False)),
    ],
)
def test_a_row_says_how_its_pod_fares(row: str, fares: tuple[str, int, str, bool]) -> None:
    (data,) = read(HEAD + row)
    pod = cluster_pod(data)
    assert (pod.fault, pod.restarts, pod.waits_in, pod.ready) == fares
    assert pod.part


@pytest.mark.parametrize(
    ("name", "part", "daemonset"),
    [
        ("nvidia-driver-daemonset-99xrx", "the driver", "nvidia-driver-daemonset"),
        ("gpu-operator-657c5b798d-xgvgc", "the GPU operator", ""),
        ("gpu-operator-1676-node-feature-discovery-worker-7jsfj", "node feature discovery", ""),
        ("gpu-feature-discovery-29dnx", "GPU feature discovery", "gpu-feature-discovery"),
        ("nvidia-dcgm-exporter-wjgff", "DCGM", "nvidia-dcgm-exporter"),
        ("nvidia-smi-of-mine", "", ""),
        ("coredns-5d78c9869d-2xk2p", "", ""),
    ],
)
def test_a_name_tells_the_part(name: str, part: str, daemonset: str) -> None:
    pod = cluster_pod(read(f"{HEAD}n {name} 1/1 Running 0 5m")[0])
    assert (pod.part, pod.daemonset) == (part, daemonset)


def test_what_is_over_or_about_to_be_is_no_pod_of_now() -> None:
    rows = (f"n nvidia-cuda-validator-b6thh 0/1 {status} 0 5m\n" for status in ("Completed", "Terminating", "Evicted"))
    assert read(HEAD + "".join(rows)) == []


def test_the_command_above_names_the_namespace() -> None:
    of = "$ oc get pods {}\nNAME READY STATUS RESTARTS AGE\npod/gpu-operator-1-2 1/1 Running 0 5m\n"
    spaces = [read(of.format(each))[0]["metadata"]["namespace"] for each in ("-n gpu", "--namespace=gpu", "")]
    assert spaces == ["gpu", "gpu", "default"]


def test_a_node_is_told_by_a_wide_table() -> None:
    row = "n gpu-operator-1-2 1/1 Running 0 5m {} {} <none> <none>"
    on = [
        read(HEAD + row.format(*each))[0]["spec"]["nodeName"] for each in (("10.0.0.1", "gpu-1"), ("<none>", "<none>"))
    ]
    assert on == ["gpu-1", ""]


def test_one_that_has_just_begun_is_not_stuck(tmp_path: Path) -> None:
    path = tmp_path / "pods.txt"
    for age, verdicts in (("3m", set()), ("30m", {"fail"})):
        path.write_text(f"{HEAD}n nvidia-driver-daemonset-99xrx 0/1 Running 0 {age}\n")
        found = run_json("diagnose", "--from", str(path)).findings
        assert {each["verdict"] for each in found if (each["where"].get("object") or "").startswith("Pod/")} == verdicts


def test_a_log_that_speaks_of_names_is_none() -> None:
    assert not is_table_of_pods("NAME READY\npod-1 1/1\n")
    assert not is_table_of_pods("2026-01-01 the column NAME READY STATUS RESTARTS AGE was printed\n")


def test_explain_says_who_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "pods.txt"
    path.write_text(f"{HEAD}n web-1 1/1 Running 0 5m\n")
    ran = run("explain", str(path))
    assert (ran.code, ran.err.splitlines()[-1]) == (
        3,
        f"next: nodeworthy diagnose --from {path}, which reads this table",
    )


@pytest.mark.parametrize("part", [" ", "a ", "n a 1/1 Running ", "NAMESPACE ", "NAME ", " -n", " (1 ago)", "\t", "-"])
def test_hostile_tables_take_no_long_time(part: str) -> None:
    text = HEAD + part * (100_000 // len(part))
    began = time.process_time()
    read(text), is_table_of_pods(text)
    assert time.process_time() - began < 0.5
