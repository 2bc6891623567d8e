"""A rule of one's own is judged in a cluster, over every kind of fact that a diagnosis has, or skipped with a reason."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.case_files import whole
from tests.run import run_json

# Where the fact is, from which module, and in whose dump it is found.
FACTS = (
    ("hami.health", "HamiComponents", "hami-installed-once/good-cluster-well"),
    ("hami.pod", "HamiPod", "hami-installed-once/good-cluster-well"),
    ("cluster.pending_causes", "Waiting", "pending-explained/bad-cluster-all-held"),
    ("cluster.node_gpu_count", "NodeGpuCount", "gpu-count-complete/bad-cluster-fewer-than-the-pool"),
    ("services.monitoring_stack", "MonitoringStack", "metrics-fit-their-disk/good-cluster-fits"),
    ("services.queue_database", "QueueDatabase", "database-replicated/good-cluster-pair"),
    ("pod.template", "PodTemplate", "verification-yields/bad-cluster-incident"),
    ("operator.values", "OperatorValues", "metrics-fit-their-disk/good-cluster-fits"),
    ("operator.toolkit_on_nodes", "ToolkitOnNodes", "toolkit-reaches-containerd/good-cluster-incident-fixed"),
)
RULE = '''"""A rule of this house."""

from __future__ import annotations

from nodeworthy.facts.{module} import {fact}
from nodeworthy.rule import Rule
from nodeworthy.verdict import Findings, Severity, fail

RULE = Rule(
    "of-this-house",
    severity=Severity.ERROR,
    title="Of this house",
    remedy="nothing",
    never_unknown="it only says that it was asked",
)


@RULE.check
def it_is_asked(fact: {fact}) -> Findings:
    yield fail(fact, "it was asked")
'''


def judged(folder: Path, module: str, fact: str, case: str) -> list[str]:
    shutil.copytree(whole(case) / "dump", folder / "dump")
    (folder / "own").mkdir()
    (folder / "own/of_this_house.py").write_text(RULE.format(module=module, fact=fact), encoding="utf-8")
    ran = run_json("diagnose", "--from", "dump", "--rules", "own", "--show-passed", cwd=folder)
    return [each["verdict"] for each in ran.findings if each["rule"] == "of-this-house"]


@pytest.mark.parametrize(("module", "fact", "case"), FACTS, ids=[fact for _, fact, _ in FACTS])
def test_it_is_judged(tmp_path: Path, module: str, fact: str, case: str) -> None:
    found = judged(tmp_path, module, fact, case)
    assert found
    assert set(found) == {"fail"}


def test_settings_of_the_operator_are_judged_once(tmp_path: Path) -> None:
    assert judged(tmp_path, "operator.values", "OperatorValues", "metrics-fit-their-disk/good-cluster-fits") == ["fail"]


def test_what_is_not_there_is_skipped(tmp_path: Path) -> None:
    assert judged(tmp_path, "hami.pod", "HamiPod", "database-replicated/good-cluster-pair") == ["skip"]
