"""The chain of a host that was asked: the links that are its own, and that the others are the cluster's."""

from __future__ import annotations

from nodeworthy.known.chain import links
from tests.case_files import command, whole
from tests.run import run, run_json

WELL = "gpu-count-complete/good-node-eight-of-eight"
NOUVEAU = "driver-fits/bad-node-nouveau-has-them"


def test_a_well_node_shows_its_own_links() -> None:
    (chain,) = run_json(*command(WELL), cwd=whole(WELL)).report["chains"]
    state = {link["id"]: link["state"] for link in chain["links"]}
    assert [state[each] for each in ("pci", "bound", "module", "fabric", "toolkit", "runtime")] == ["green"] * 6
    of_the_cluster = [link.id for link in links()][-8:]
    assert {state[each] for each in of_the_cluster} == {"grey"}


def test_what_hangs_behind_the_broken_link_is_its_victim() -> None:
    ran = run_json(*command(NOUVEAU), cwd=whole(NOUVEAU))
    (chain,) = ran.report["chains"]
    assert ran.code == 1
    assert chain["broken"] == "bound"
    behind = [link for link in chain["links"] if link["state"] == "grey"]
    assert {each["says"] for each in behind} == {"behind the broken one"}


def test_a_host_without_gpus_has_no_chain() -> None:
    case = "containerd-edit-survives/good-node-k3s"
    ran = run_json(*command(case), cwd=whole(case))
    assert "chains" not in ran.report
    assert "from card to pod" not in run(*command(case), cwd=whole(case)).out


def test_a_person_is_shown_the_picture() -> None:
    out = run(*command(NOUVEAU), cwd=whole(NOUVEAU)).out
    assert "from card to pod, broken at: no other driver has them" in out
    assert "✓ GPUs on the PCI bus" in out
