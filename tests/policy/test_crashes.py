"""A fault of ours blocks, in one sentence that names it; it never looks like a policy that passed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import grpc
import pytest

from tests.policy.pack import PACK, DidNotStart, Pack, fleet, release
from tests.policy.test_violations import INCIDENT, RIGHT, RULE

# A pack with rules of its own: one crashes, and one reads what a first preview can't know.
SCRATCH = """
from pathlib import Path

from nodeworthy.collect.pack import server
from nodeworthy.facts.operator.values import OperatorValues
from nodeworthy.report.policy import violation
from nodeworthy.rule import Rule
from nodeworthy.verdict import Severity, unknown

CRASHES = Rule("scratch-crash", severity=Severity.WARNING, title="Crashes", remedy="none")
LATE = Rule("scratch-late", severity=Severity.ERROR, title="Is late", remedy="none")


class Script:
    known_late = True


@CRASHES.check
def it_crashes(values: OperatorValues):
    raise ValueError("a fault of ours")


@LATE.check
def it_is_late(values: OperatorValues, script: Script | None):
    yield unknown(values, "the boot script holds the cluster's endpoint")


shipped = server.catalogue()
server.catalogue = lambda: (*shipped, CRASHES, LATE)
server.serve(Path(__file__).parent, violation)
"""


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    (tmp_path / "PulumiPolicy.yaml").write_text("runtime: python\n")
    (tmp_path / "__main__.py").write_text(SCRATCH)
    return tmp_path


def test_a_rule_that_crashes_blocks_by_name_and_the_others_go_on(scratch: Path) -> None:
    with Pack(scratch) as pack:
        pack.configure_stack(fleet(onprem=INCIDENT))
        answer = pack.deployment(release([]))
    [told] = answer.of("rule-crashed")
    assert told.level == "mandatory"
    assert told.urn == release([]).urn
    assert "the rule scratch-crash crashed here" in told.message
    assert "a fault of ours" in told.message
    assert answer.of(RULE)


def test_what_a_first_preview_cannot_know_is_an_advisory_that_names_the_way(scratch: Path) -> None:
    with Pack(scratch) as pack:
        pack.configure_stack(fleet(onprem=INCIDENT))
        pack.configure()
        [told] = pack.deployment(release(RIGHT)).of("scratch-late")
        assert told.level == "advisory"
        assert "cannot be verified yet: the boot script holds the cluster's endpoint" in told.message
        assert "nodeworthy preview --stack dev" in told.message
        pack.configure(scratch_late={"unknown": "mandatory"})
        [told] = pack.deployment(release(RIGHT)).of("scratch-late")
        assert told.level == "mandatory"


def test_any_other_fault_is_an_error_with_one_sentence(tmp_path: Path) -> None:
    broken = SCRATCH.replace("server.serve(", "server.Analyzer._response = lambda *_: 1 // 0\nserver.serve(")
    (tmp_path / "__main__.py").write_text(broken)
    with Pack(tmp_path) as pack, pytest.raises(grpc.RpcError) as crash:
        pack.analyze(release(RIGHT))
    assert crash.value.code() is grpc.StatusCode.INTERNAL
    assert crash.value.details() == (
        f"the policy pack nodeworthy crashed on {release(RIGHT).urn}: ZeroDivisionError: integer division or modulo by "
        "zero; nothing of it was judged"
    )


def test_without_its_library_the_pack_says_what_to_install() -> None:
    """As the CLI would start it with a Python that has no nodeworthy."""
    blocked = f"import runpy, sys; sys.modules['nodeworthy'] = None; runpy.run_path({str(PACK)!r}, run_name='__main__')"
    ran = subprocess.run([sys.executable, "-c", blocked], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    [line] = ran.stderr.splitlines()
    assert "pip install 'nodeworthy[pulumi]'" in line
    assert ran.stdout == ""


def test_a_pack_that_does_not_start_prints_no_port(tmp_path: Path) -> None:
    (tmp_path / "__main__.py").write_text("raise RuntimeError('no')\n")
    with pytest.raises(DidNotStart):
        Pack(tmp_path)
