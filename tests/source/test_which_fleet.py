"""Which fleet a file is judged by, and how one that can't be used ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import run, run_json
from tests.source.texts import K3S, STOCK, fleet, values


class TestWhichFleet:
    def test_it_is_found_upwards_to_the_repositorys_root(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet())
        deep = here / "clusters" / "edge"
        deep.mkdir(parents=True)
        (deep / "values.yaml").write_text(values(STOCK.socket))
        assert run("check", "clusters").code == 1

    def test_not_beyond_the_root(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet())
        inner = here / "inner"
        (inner / ".git").mkdir(parents=True)
        (inner / "values.yaml").write_text(values(STOCK.socket))
        assert run("check", "inner").code == 0

    @pytest.mark.parametrize("options", [(), ("--no-cache",)])
    def test_outside_of_a_repository_in_the_folder_that_was_named(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
    ) -> None:
        deep, elsewhere = tmp_path / "fleet" / "clusters" / "edge", tmp_path / "elsewhere"
        deep.mkdir(parents=True)
        elsewhere.mkdir()
        monkeypatch.chdir(elsewhere)
        (tmp_path / "Pulumi.plain.yaml").write_text(fleet("kubeadm"))
        (tmp_path / "fleet" / "Pulumi.edge.yaml").write_text(fleet())
        (deep / "values.yaml").write_text(values(STOCK.socket))
        assert run("check", "../fleet", *options).code == 1
        assert run("check", str(tmp_path / "fleet"), *options).code == 1

    def test_several_need_a_choice(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet())
        (here / "Pulumi.plain.yaml").write_text(fleet("kubeadm"))
        (here / "values.yaml").write_text(values(STOCK.socket))
        ran = run("check", "values.yaml")
        assert ran.code == 0
        assert "Pulumi.edge.yaml, Pulumi.plain.yaml" in ran.out
        assert run("check", "values.yaml", "--stack", "edge").code == 1
        assert run("check", "values.yaml", "--stack", "plain").code == 0
        assert run("check", "values.yaml", "--fleet", "Pulumi.edge.yaml").code == 1
        (here / ".nodeworthy.yaml").write_text("stack: edge\n")
        assert run("check", "values.yaml").code == 1
        (here / ".nodeworthy.yaml").write_text("fleet: Pulumi.plain.yaml\n")
        assert run("check", "values.yaml").code == 0

    def test_settings_that_are_none_are_refused(self, here: Path) -> None:
        (here / "values.yaml").write_text(values(STOCK.socket))
        (here / ".nodeworthy.yaml").write_text("- stack\n")
        ran = run("check", "values.yaml")
        assert (ran.code, ran.err) == (
            2,
            "nodeworthy check: .nodeworthy.yaml:1:1: the settings are a list, and should be a mapping\n",
        )

    def test_a_fleet_of_another_stack_is_refused(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet())
        (here / "values.yaml").write_text(values(STOCK.socket))
        ran = run("check", "values.yaml", "--fleet", "Pulumi.edge.yaml", "--stack", "prod")
        assert ran.code == 2
        assert "is of stack 'edge'" in ran.err

    def test_a_stack_that_does_not_exist(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet())
        (here / "values.yaml").write_text(values(STOCK.socket))
        ran = run("check", "values.yaml", "--stack", "prod")
        assert ran.code == 2
        assert "there are edge" in ran.err

    def test_a_stack_file_is_judged_as_its_own_fleet(self, here: Path) -> None:
        bad = fleet().replace("operator: false", "operator: {values: {toolkit: {env: []}}}")
        (here / "Pulumi.edge.yaml").write_text(bad)
        (here / "Pulumi.plain.yaml").write_text(bad.replace("k3s", "kubeadm"))
        ran = run_json("check", ".")
        assert {found["where"]["path"] for found in ran.findings} == {"Pulumi.edge.yaml"}

    def test_a_malformed_fleet_is_refused_and_the_rest_is_judged(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet().replace("provision: false", "provisoin: false"))
        (here / "values.yaml").write_text(values("relative.sock"))
        ran = run_json("check", "values.yaml")
        assert ran.code == 2
        assert "Pulumi.edge.yaml:6" in ran.err
        assert "provision" in ran.err
        assert [found["rule"] for found in ran.findings] == ["toolkit-env-wellformed"]

    def test_of_a_fleet_that_is_no_mapping_only_that_is_said(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text('config:\n  nodeworthy:fleet: "{"\n')
        ran = run("check", "Pulumi.edge.yaml")
        assert (ran.code, ran.err) == (
            2,
            'nodeworthy check: Pulumi.edge.yaml:2:21: nodeworthy:fleet is "{", and must be a mapping\n',
        )

    def test_an_impossible_fleet(self, here: Path) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet(gpu="H1000"))
        (here / "values.yaml").write_text(values(K3S.socket or ""))
        alone = run_json("check", "Pulumi.edge.yaml")
        assert (alone.code, [found["rule"] for found in alone.findings]) == (1, ["gpu-exists"])
        assert run("check", ".").code == 1
        assert run("check", "values.yaml", "--fleet", "Pulumi.edge.yaml").code == 2

    def test_an_impossible_fleet_that_is_checked_from_below(self, here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (here / "Pulumi.edge.yaml").write_text(fleet(gpu="H1000"))
        (here / "values.yaml").write_text(values(K3S.socket or ""))
        (here / "below").mkdir()
        monkeypatch.chdir("below")
        assert run("check", "..").code == 1
        assert run("check", "../values.yaml").code == 2
