"""Suppressions as a user writes them."""

from __future__ import annotations

from pathlib import Path

from tests.run import run, run_json
from tests.source.texts import STOCK, values


class TestSuppressions:
    def test_a_reasoned_one_makes_it_clean(self, here: Path) -> None:
        (here / "values.yaml").write_text(
            values("relative.sock", "  # nodeworthy: ignore toolkit-env-wellformed a lab without GPUs")
        )
        ran = run_json("check", ".")
        assert ran.code == 0
        assert [found["suppressed"] for found in ran.findings] == [True]
        assert ran.report["summary"]["suppressed"] == 1
        assert run("check", ".", "--ignore-suppressions").code == 1

    def test_an_annotation_speaks_of_its_object_also_in_a_list(self, here: Path) -> None:
        def policy(annotations: str) -> str:
            return (
                "  - apiVersion: nvidia.com/v1\n    kind: ClusterPolicy\n"
                f"    metadata: {{annotations: {{{annotations}}}}}\n"
                "    spec: {toolkit: {env: [{name: CONTAINERD_SOCKET, value: x.sock}]}}\n"
            )

        noted = policy("nodeworthy/ignore.toolkit-env-wellformed: a lab")
        (here / "list.yaml").write_text(f"apiVersion: v1\nkind: List\nitems:\n{noted}{policy('')}")
        found = run_json("check", ".", "--rule", "toolkit-env-wellformed").findings
        assert [(each["where"]["line"], each["suppressed"]) for each in found] == [(7, True), (11, False)]

    def test_without_a_reason_it_has_no_effect(self, here: Path) -> None:
        (here / "values.yaml").write_text(values("relative.sock", "  # nodeworthy: ignore toolkit-env-wellformed"))
        ran = run_json("check", ".")
        assert ran.code == 1
        assert {found["rule"] for found in ran.findings} == {"toolkit-env-wellformed", "suppression-unused"}

    def test_one_that_suppresses_nothing_is_a_warning(self, here: Path) -> None:
        (here / "values.yaml").write_text(values(STOCK.socket, "  # nodeworthy: ignore toolkit-env-wellformed old"))
        assert run("check", ".").code == 0
        ran = run_json("check", ".", "--strict")
        assert (ran.code, [found["rule"] for found in ran.findings]) == (1, ["suppression-unused"])
        assert run("check", ".", "--strict", "--skip-rule", "toolkit-env-wellformed").code == 0

    def test_while_its_rule_is_skipped_nothing_is_said(self, here: Path) -> None:
        (here / "values.yaml").write_text(values(STOCK.socket, "  # nodeworthy: ignore containerd-paths until June"))
        assert run_json("check", ".", "--strict").findings == []
