"""The suite's own script, run in a booted node: what is well passes, and each fault turns its rule red and no other."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

import pytest

from nodeworthy.collect.node import script
from nodeworthy.collect.node.collector import Asked, scene
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording, without_secrets
from nodeworthy.engine import judge
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
from nodeworthy.rules import catalogue, rule
from nodeworthy.verdict import Verdict

NOTHING = b"#!/bin/sh\n:\n"
WELL = {"kubelet-survives-reboot", "profiling-before-driver", "boot-finished", "disk-has-room"}
# The kernel's log and its clock are this machine's, whatever the node does; containerd is a stand-in.
LEFT_OUT = {
    "kernel-log-clean",
    "clock-right",
    "containerd-paths",
    "toolkit-reaches-containerd",
    "containerd-config-read",
}

# What no machine without a GPU has, as the kernel would show it.
STAND_IN = """
mount -t tmpfs tmpfs /proc/driver
mkdir -p /proc/driver/nvidia/gpus/0000:00:1e.0
printf 'Model: \\t Tesla T4\\n' >/proc/driver/nvidia/gpus/0000:00:1e.0/information
echo 'NVRM version: NVIDIA UNIX x86_64 Kernel Module  570.172.08  Mon Jul 28 22:10:30 UTC 2025' >/proc/driver/nvidia/version
echo 'RmProfilingAdminOnly: 0' >/proc/driver/nvidia/params
echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' >/etc/modprobe.d/nvprof.conf
"""

pytestmark = pytest.mark.usefixtures("lab")


@pytest.fixture(scope="module")
def node() -> Iterator[Node]:
    with Node(layers("al2023-nvidia"), NOTHING) as booted:
        booted.boot()
        booted.run("sh", "-c", STAND_IN)
        yield booted


def verdicts(node: Node) -> dict[str, Verdict]:
    nonce = script.new_nonce()
    said = node.run(*shlex.split(script.command(nonce)))
    recording = Recording("local://node", without_secrets(script.parts(nonce, said, "")))
    assert recording.part("done") is not None
    judged = judge([scene(Asked(recording.host, recording), Declared(None))], catalogue(), rule("rule-crashed"))
    return {
        each.rule.id: each.verdict
        for each in judged
        if each.rule.id not in LEFT_OUT and each.verdict is not Verdict.SKIP
    }


def test_a_booted_node_is_well(node: Node) -> None:
    found = verdicts(node)
    assert set(found.values()) == {Verdict.PASS}, found
    assert set(found) >= WELL


@pytest.mark.parametrize(
    ("fault", "undone", "red"),
    [
        (
            "systemctl disable nodeadm-run.service kubelet.service",
            "systemctl enable nodeadm-run.service",
            "kubelet-survives-reboot",
        ),
        (
            "sed -i 's/AdminOnly: 0/AdminOnly: 1/' /proc/driver/nvidia/params",
            "sed -i 's/AdminOnly: 1/AdminOnly: 0/' /proc/driver/nvidia/params",
            "profiling-before-driver",
        ),
        ("systemctl stop kubelet.service", "systemctl start kubelet.service", "kubelet-survives-reboot"),
        ("systemd-run --unit=broken false; sleep 0.3", "systemctl reset-failed broken", "boot-finished"),
    ],
)
def test_each_fault_turns_its_rule_red_and_no_other(node: Node, fault: str, undone: str, red: str) -> None:
    node.run("sh", "-c", fault)
    found = verdicts(node)
    node.run("sh", "-c", undone)
    assert {name for name, each in found.items() if each is not Verdict.PASS} == {red}
    assert found[red] is Verdict.FAIL
