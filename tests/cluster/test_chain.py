"""The chain from card to pod of a cluster's nodes: what is told of it, and what is not. Which link breaks first in each
case of a cluster or a node stands in tests/chains.json, which test_cases.py compares."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.known.chain import links
from nodeworthy.rules import catalogue
from tests.case_files import whole
from tests.run import run, run_json

WELL = whole("gpu-stack-settled/good-cluster-all-parts-run")
HELD = whole("pending-explained/bad-cluster-all-held")
NODE = "ip-10-0-1-14.us-east-2.compute.internal"


def _states(report: dict[str, Any], node: str = NODE) -> dict[str, str]:
    (chain,) = (each for each in report["chains"] if each["node"] == node)
    return {link["id"]: link["state"] for link in chain["links"]}


def test_of_a_well_node_all_is_green_or_grey_with_its_reason() -> None:
    ran = run_json("diagnose", "--from", "dump", "--node", NODE, cwd=WELL)
    assert ran.code == 0
    (chain,) = ran.report["chains"]
    assert [link["id"] for link in chain["links"]] == [link.id for link in links()]
    assert {link["state"] for link in chain["links"]} == {"green", "grey"}
    assert all(link["says"] for link in chain["links"])
    assert chain["broken"] is None


def test_without_a_node_only_broken_chains_are_told() -> None:
    assert run_json("diagnose", "--from", "dump", cwd=WELL).report["chains"] == []
    told = run_json("diagnose", "--from", "dump", cwd=HELD).report["chains"]
    assert {each["broken"] for each in told} == {"held"}


def test_what_nobody_looked_at_is_never_green(tmp_path: Path) -> None:
    """Of a node alone, without its pods: what its labels and counts say is all that was seen."""
    (tmp_path / "nodes.json").write_text((WELL / "dump" / "nodes.json").read_text(encoding="utf-8"), encoding="utf-8")
    states = _states(run_json("diagnose", "--from", ".", "--node", NODE, cwd=tmp_path).report)
    assert {name for name, state in states.items() if state == "green"} <= {"pci", "labels", "capacity", "allocatable"}


def test_a_label_that_goes_takes_its_green_with_it(tmp_path: Path) -> None:
    nodes = json.loads((WELL / "dump" / "nodes.json").read_text(encoding="utf-8"))
    for node in nodes["items"]:
        labels = node["metadata"]["labels"]
        node["metadata"]["labels"] = {name: value for name, value in labels.items() if "nvidia.com" not in name}
    (tmp_path / "nodes.json").write_text(json.dumps(nodes), encoding="utf-8")
    states = _states(run_json("diagnose", "--from", ".", "--node", NODE, cwd=tmp_path).report)
    assert (states["pci"], states["labels"]) == ("grey", "grey")


def test_the_picture_names_the_broken_link_and_its_evidence() -> None:
    ran = run("diagnose", "--from", "dump", "--node", NODE, cwd=HELD)
    assert ran.code == 1
    assert f"Node/{NODE}: from card to pod, broken at: not held by others" in ran.out
    assert "✗ not held by others" in ran.out
    assert "rule pending-explained" in ran.out
    assert "· what the pod asks for" in ran.out
    assert "\033[" not in ran.out


def test_the_picture_has_colours_where_they_are_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("nodeworthy.commands.judging.wants_colour", lambda *, no_color: not no_color)
    coloured = run("diagnose", "--from", "dump", "--node", NODE, cwd=HELD).out
    plain = run("diagnose", "--from", "dump", "--node", NODE, "--no-color", cwd=HELD).out
    assert "\033[31;1m✗" in coloured
    assert "\033[" not in plain


def test_who_asks_for_no_node_is_told_the_first_link_that_broke() -> None:
    out = run("diagnose", "--from", "dump", cwd=HELD).out
    assert "The first broken link from card to pod" in out
    assert out.count("not held by others: ") == 1  # of two nodes that broke alike, once


def test_a_node_that_is_not_there_is_a_usage_error() -> None:
    ran = run("diagnose", "--from", "dump", "--node", "gone", cwd=WELL)
    assert ran.code == 2
    assert f"--node gone: no such node is in what was read; nodes with GPUs are {NODE}" in ran.err


def test_a_page_has_the_chain() -> None:
    page = run("diagnose", "--from", "dump", "--format", "html", cwd=HELD).out
    assert '<ol class="chain">' in page
    assert '<li class="is-fail"><span class="word">broken</span> <b>not held by others</b>' in page
    assert '<ol class="chain">' not in run("diagnose", "--from", "dump", "--format", "html", cwd=WELL).out


def test_what_is_suppressed_breaks_nothing(tmp_path: Path) -> None:
    """Who lives with a finding knows of it."""
    ran = run_json("diagnose", "--from", "dump", "--skip-rule", "pending-explained", cwd=HELD)
    assert ran.report["chains"] == []


def test_links_name_rules_that_there_are_or_that_the_catalogue_wants() -> None:
    known = {each.id for each in catalogue()}
    wanted = {"claims-resolvable", "driver-fits", "gpus-healthy", "nodepool-can-serve", "one-toolkit"}
    named = [rule for link in links() for rule in link.rules]
    assert len(named) == len(set(named))
    assert set(named) <= known | wanted


def test_which_nodes_are_well_is_told_as_clearly_as_which_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(whole("gpu-count-complete/bad-cluster-seven-of-eight"))
    said = run("diagnose", "--from", "dump").out
    assert "Well: ip-10-0-1-15.us-east-2.compute.internal (1 of 2 nodes with GPUs)" in said
    assert "Not well: ip-10-0-1-14.us-east-2.compute.internal (gpu-count-complete)" in said


def test_a_node_that_is_full_is_well() -> None:
    folder = whole("pending-explained/bad-cluster-all-held")
    said = run("diagnose", "--from", str(folder / "dump")).out
    assert "(2 of 2 nodes with GPUs)" in said
    assert "Not well" not in said


def test_nothing_is_called_well_where_not_everything_was_seen() -> None:
    nodes = whole("pending-explained/bad-cluster-all-held") / "dump" / "nodes.json"
    said = run("diagnose", "--from", str(nodes)).out
    assert "Nothing wrong was found, but not everything was seen: " in said
    assert "Well:" not in said


def test_the_last_line_is_the_next_command() -> None:
    ill = whole("gpu-count-complete/bad-cluster-seven-of-eight")
    assert run("diagnose", "--from", "dump", cwd=ill).out.splitlines()[-1] == (
        f"1 finding; next: nodeworthy diagnose --from dump --node {NODE}"
    )
    assert run("diagnose", "--from", "dump", cwd=WELL).out.splitlines()[-1] == (
        "next: nodeworthy diagnose --from dump --ledger"
    )
    blind = run("diagnose", "--from", "dump/nodes.json", cwd=HELD).out.splitlines()[-1]
    assert "next: nodeworthy diagnose --print-collect" in blind
