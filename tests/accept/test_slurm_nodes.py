"""Nodes of Slurm, by what scontrol prints of them, and jobs by what squeue and sacct print."""

from __future__ import annotations

import pytest

from nodeworthy.collect.workload.live import slurm_clients, slurm_nodes
from nodeworthy.collect.workload.live.slurm_nodes import ledger_of, nodes_now, why_closed, why_leave
from nodeworthy.facts.accept.measure import Slices
from nodeworthy.known.acceptance import NotRun

NODE = (
    "NodeName=gpu-1 Arch=x86_64 CoresPerSocket=48 AvailableFeatures=efa,h100 ActiveFeatures=efa,h100 "
    "Gres=gpu:h100:8(S:0-1) GresDrain=N/A GresUsed=gpu:h100:2(IDX:0-1) NodeAddr=10.0.0.7 OS=Linux 6.8.0 #1 SMP "
    "State={state} Partitions=gpu,all BootTime=2026-11-20T08:00:00 CfgTRES=cpu=192 AllocTRES= "
    "Reason={reason} [root@2026-11-27T10:00:00]"
)


def node(
    monkeypatch: pytest.MonkeyPatch, state: str = "MIXED", reason: str = "", **other: str
) -> slurm_nodes.SlurmNode:
    line = NODE.format(state=state, reason=reason)
    for old, new in other.items():
        line = line.replace({"gres": "gpu:h100:8(S:0-1)", "features": "ActiveFeatures=efa,h100"}[old], new)
    monkeypatch.setattr(slurm_nodes, "ask", lambda *_: line + "\n")
    return nodes_now()["gpu-1"]


def test_what_a_node_has(monkeypatch: pytest.MonkeyPatch) -> None:
    found = node(monkeypatch)
    assert (found.gres, found.gpus, found.used) == ((("h100", 8),), 8, 2)
    assert (found.partitions, found.boot) == (("gpu", "all"), "2026-11-20T08:00:00")
    assert found.features == {"efa", "h100"}
    many = node(monkeypatch, gres="gpu:2,shard:16")
    assert (many.shape.gpu, many.shape.count) == (None, 2)
    assert node(monkeypatch, gres="gpu:nvidia_h100_80gb_hbm3:4(S:0),mps:400").shape.gpu == "nvidia_h100_80gb_hbm3"


@pytest.mark.parametrize(
    ("state", "reason"),
    [
        ("IDLE", None),
        ("MIXED", None),
        ("IDLE+DRAIN", NotRun.IN_USE),
        ("DOWN*", NotRun.NODE_GONE),
        ("IDLE+NOT_RESPONDING", NotRun.NODE_GONE),
        ("IDLE+CLOUD+POWERED_DOWN", NotRun.IN_USE),
        ("IDLE+RESERVED", NotRun.IN_USE),
        ("IDLE+MAINTENANCE+RESERVED", NotRun.IN_USE),
    ],
)
def test_which_states_keep_us_off(monkeypatch: pytest.MonkeyPatch, state: str, reason: NotRun | None) -> None:
    found = why_closed(node(monkeypatch, state), reserved=False)
    assert (found[0] if found is not None else None) == reason


def test_a_reservation_that_is_named_opens_its_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    assert why_closed(node(monkeypatch, "IDLE+RESERVED"), reserved=True) is None
    assert why_closed(node(monkeypatch, "IDLE+RESERVED+DRAIN"), reserved=True) is not None


def test_nodes_without_gpus_measure_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = why_closed(node(monkeypatch, gres="lustre:1"), reserved=False)
    assert found is not None
    assert found[0] is NotRun.NO_HARDWARE


def test_slices_are_told_by_the_types_of_a_gres(monkeypatch: pytest.MonkeyPatch) -> None:
    cut = node(monkeypatch, gres="gpu:1g.10gb:7(S:0),gpu:a100_3g.40gb:2,gpu:1g.10gb+me:1").shape
    assert (cut.gpu, cut.count, cut.has_whole_gpus) == (None, None, False)
    assert cut.slices == (
        Slices("1g.10gb", 7, "1g.10gb"),
        Slices("3g.40gb", 2, "a100_3g.40gb"),
        Slices("1g.10gb.me", 1, "1g.10gb+me"),
    )
    both = node(monkeypatch, gres="gpu:a100:6,gpu:1g.10gb:14").shape
    assert (both.gpu, both.count, both.slices) == ("a100", 6, (Slices("1g.10gb", 14, "1g.10gb"),))


def test_what_we_drained_is_told_how_it_comes_back(monkeypatch: pytest.MonkeyPatch) -> None:
    ours = why_closed(node(monkeypatch, "IDLE+DRAIN", "nodeworthy: gpus-alike: …"), reserved=False)
    theirs = why_closed(node(monkeypatch, "IDLE+DRAIN", "a fan"), reserved=False)
    assert ours is not None
    assert theirs is not None
    assert ours[1].endswith("; scontrol update nodename=gpu-1 state=resume gives it back")
    assert "resume" not in theirs[1]


def test_why_one_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    boot = "2026-11-20T08:00:00"
    assert why_leave(node(monkeypatch), boot) is None
    assert why_leave(None, boot) == (NotRun.NODE_GONE, "the node is gone from the cluster")
    left = {
        NotRun.OPTED_OUT: node(monkeypatch, features="ActiveFeatures=nodeworthy_verify_disabled"),
        NotRun.NODE_GONE: node(monkeypatch, "DOWN"),
    }
    assert {reason: (why_leave(each, boot) or (None,))[0] for reason, each in left.items()} == {
        reason: reason for reason in left
    }
    booted = why_leave(node(monkeypatch), "2026-11-19T08:00:00")
    assert booted == (NotRun.NOT_HEARD, "it was booted again since the run began")


def test_who_holds_gpus(monkeypatch: pytest.MonkeyPatch) -> None:
    """By GRES where Slurm tells it; ours are known by their names, and what nobody shows holds them all the same."""
    queue = [
        "17|ada|train|RUNNING|2026-11-27T10:00:00|gpu-[1-2]|gres:gpu:h100:1|None",
        "18|ada|shell|RUNNING|2026-11-27T10:00:00|gpu-1|N/A|None",
        "19|bob|nodeworthy-accept-00c0ffee-0|RUNNING|2026-11-27T10:00:00|gpu-1|gres:gpu:1|None",
        "20|bob|done|COMPLETED|2026-11-27T10:00:00|gpu-1|gres:gpu:8|None",
    ]
    monkeypatch.setattr(slurm_clients, "ask", lambda *_: "\n".join(queue))
    there = {"gpu-1": node(monkeypatch)}
    ours = ledger_of(there, "00c0ffee", "nodeworthy-accept-")["gpu-1"]
    assert [(each.pod, each.gpus, each.run) for each in ours.holders] == [
        ("job 17 of ada", 1, ""),
        ("job 19 of bob", 1, "00c0ffee"),
    ]
    assert (ours.pool, ours.offers, ours.is_open, ours.is_free) == ("gpu", 8, True, False)
    monkeypatch.setattr(slurm_clients, "ask", lambda *_: "")
    (unseen,) = ledger_of(there, "00c0ffee", "nodeworthy-accept-")["gpu-1"].holders
    assert (unseen.pod, unseen.gpus) == ("a job that squeue does not show", 2)


def test_records_of_the_accounting(monkeypatch: pytest.MonkeyPatch) -> None:
    told = "17|ada|train|NODE_FAIL|2026-11-27T10:00:00|gpu-1|a|b\nslurm is odd\n18|ada|x|FAILED|Unknown||\n"
    monkeypatch.setattr(slurm_clients, "ask", lambda *_: told)
    first, second = slurm_clients.accounting_records(["17", "18"])
    assert (first.id, first.state, first.nodes, first.reason) == ("17", "NODE_FAIL", "gpu-1", "a|b")
    assert (second.id, second.submitted) == ("18", None)


def test_nobodys_habits_go_before_the_script(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SBATCH_REQUEUE", "SLURM_TIME_FORMAT", "SQUEUE_FORMAT", "SLURM_CLUSTERS"):
        monkeypatch.setenv(name, "theirs")
    monkeypatch.setenv("SLURM_CONF", "/etc/slurm/slurm.conf")
    found = slurm_clients.environment()
    assert "theirs" not in found.values()
    assert (found["SLURM_CONF"], found["LC_ALL"]) == ("/etc/slurm/slurm.conf", "C")
