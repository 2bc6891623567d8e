"""The kernel's log: what is a fault in it, in the words of each release, and what is read of a long one."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from nodeworthy.collect.node import script
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.verdict import Verdict
from tests.case_files import whole

from .recordings import but, part
from .test_rules import judged

GOOD = load(whole("kubelet-survives-reboot/good-node-nodeadm-starts-it") / "node.json")
MEMCG = "oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=x,mems_allowed=0,oom_memcg={0},task_memcg={0},task=python3,pid=7,uid=0"


def of(*lines: str) -> Recording:
    return but(GOOD, part("kernel log", "\n".join(lines)))


@pytest.mark.parametrize(
    ("line", "says"),
    [
        (
            "[  812.34] NVRM: Xid (PCI:0000:4e:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
            "the GPU 0000:4e:00 reported Xid 79: the GPU has fallen off the bus",
        ),
        (
            "[Sat Nov 21 04:11:07 2026] NVRM: Xid (0000:03:00): 48, An uncorrectable double bit error (DBE)",
            "the GPU 0000:03:00 reported Xid 48: double bit ECC error",
        ),
        (
            "2026-11-21T04:11:07,123456+00:00 NVRM: Xid (PCI:0000:01:00 GPU-I:01): 13, pid=4221, name=python3, Graphics",
            "the GPU 0000:01:00 GPU-I:01 reported Xid 13: graphics engine exception",
        ),
        (
            "Nov 21 04:11:07 gpu-01 kernel: nvidia-nvswitch2: SXid (PCI:0000:c3:00.0): 20034, Fatal, Link 30 LTSSM Fault Up",
            "the NVSwitch nvidia-nvswitch2 reported a fatal SXid 20034",
        ),
        (
            "oom-kill:constraint=CONSTRAINT_NONE,nodemask=(null),global_oom,task_memcg=/kubepods.slice/a,task=etcd,pid=9,uid=0",
            "the kernel killed etcd, because the machine had no memory left",
        ),
        (MEMCG.format("/system.slice/kubelet.service"), "the kernel killed python3"),
        ("[  5.1] Out of memory: Kill process 4242 (java) score 900 or sacrifice child", "the kernel killed java"),
    ],
)
def test_a_fault(line: str, says: str) -> None:
    (found,) = judged(of(line))["kernel-log-clean"].findings
    assert (found.verdict, found.message.startswith(says)) == (Verdict.FAIL, True), found.message
    assert found.is_ == line


@pytest.mark.parametrize(
    "line",
    [
        "[  9.1] nvidia-nvswitch3: SXid (PCI:0000:c1:00.0): 28006, Non-fatal, Link 46 MC TS crumbstore MCTO (First)",
        MEMCG.format("/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod1.slice/cri-containerd-ab.scope"),
        MEMCG.format("/kubepods/burstable/pod0a/1f"),
        MEMCG.format("/system.slice/docker-9f86d081884c.scope"),
        MEMCG.format("/docker/9f86d081884c"),
        "[  5.1] Memory cgroup out of memory: Killed process 4242 (java) total-vm:1kB",
    ],
)
def test_no_fault_of_the_node(line: str) -> None:
    assert judged(of(line))["kernel-log-clean"].verdict is Verdict.PASS


XID = "[   31.4] NVRM: Xid (PCI:0000:4e:00): 79, pid=1, GPU has fallen off the bus."
KNOCKS = "[  99.1] [UFW BLOCK] IN=eno1 OUT= MAC=aa SRC=203.0.113.9 DST=10.0.0.7 PROTO=TCP SPT=4 DPT=23"
OF_A_POD = "[  99.2] [UFW BLOCK] IN=lxc4f39 OUT=eno1 SRC=10.1.0.185 DST=1.1.1.1 PROTO=UDP SPT=5 DPT=53"


def read(folder: Path, dmesg: str, journal: str) -> str:
    """What the node's script reads of such a log."""
    for name, said in (("dmesg", dmesg), ("journalctl", journal)):
        (folder / f"{name}.log").write_text(said)
        (folder / name).write_text(f"#!/bin/sh\ncat {folder}/{name}.log\n")
        (folder / name).chmod(0o755)
    own = script.text().partition("kernel_log() {")[2].partition('part "kernel log"')[0]
    command = ["sh", "-c", f"brief=; kernel_log() {{{own}\nkernel_log"]
    environment = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"}
    return subprocess.run(command, capture_output=True, text=True, check=True, timeout=60, env=environment).stdout


def test_a_world_that_knocks_pushes_nothing_out(tmp_path: Path) -> None:
    log = "\n".join(["[ 0.0] Linux version 6.1", XID, OF_A_POD, *[KNOCKS] * 2000])
    said = read(tmp_path, f"{log}\n", "").splitlines()
    assert said[:2] == [XID, OF_A_POD]
    assert len(said) < 500


def test_what_the_kernel_has_forgotten_the_journal_knows(tmp_path: Path) -> None:
    journal = f"[    0.0] gpu-01 kernel: Linux version 6.1\n{XID.replace('] ', '] gpu-01 kernel: ')}\n"
    assert "Xid (PCI:0000:4e:00): 79" in read(tmp_path, f"{KNOCKS}\n", journal)
    assert read(tmp_path, f"{XID}\n", "-- No entries --\n").splitlines() == [XID]


@pytest.mark.parametrize(
    ("dmesg", "journal", "why"),
    [
        (
            "dmesg: read kernel buffer failed: Operation not permitted",
            "Hint: You are currently not seeing messages from other users and the system.\\n"
            "      Pass -q to turn off this notice.",
            "dmesg: read kernel buffer failed: Operation not permitted; journalctl -k shows nothing of it to user",
        ),
        ("", "", "journalctl -k shows nothing of it to user"),
    ],
)
def test_who_may_not_read_it_is_told_why(dmesg: str, journal: str, why: str, tmp_path: Path) -> None:
    """journalctl gives its advice on quiet where it should say that it shows nothing."""
    for name, said in (("dmesg", dmesg), ("journalctl", journal)):
        program = tmp_path / name
        program.write_text(f'#!/bin/sh\ncase " $* " in *" -q "*) exit 0 ;; esac\nprintf "{said}\\n" >&2\n')
        program.chmod(0o755)
    reading = script.text()
    function = reading[reading.index("kernel_log() {") : reading.index('part "kernel log"')]
    whole = f"brief=\n{function}kernel_log\n"
    path = f"{tmp_path}:{os.environ['PATH']}"
    ran = subprocess.run(["sh", "-c", whole], capture_output=True, text=True, check=False, env={"PATH": path})
    assert ran.returncode == 1
    assert ran.stderr.strip().splitlines()[-1].startswith(why)
