"""The options that every command that judges has, seen through `check`."""

from __future__ import annotations

import os
from pathlib import Path

from tests.run import run, run_json
from tests.source.texts import STOCK, values


class TestOptions:
    def test_rules_are_chosen(self, here: Path) -> None:
        (here / "values.yaml").write_text(values("relative.sock"))
        left_out = ("--skip-rule", "toolkit-env-wellformed", "--skip-rule", "no-secret-in-plain-sight")
        assert run("check", ".", *left_out).code == 3
        assert run("check", ".", "--rule", "toolkit-env-wellformed").code == 1
        ran = run("check", ".", "--rule", "toolkit-env-welformed")
        assert ran.code == 2
        assert "did you mean toolkit-env-wellformed?" in ran.err

    def test_the_output_is_written_whole(self, here: Path) -> None:
        (here / "values.yaml").write_text(values("relative.sock"))
        ran = run_json("check", ".", "--output", "report.json")
        assert (ran.code, ran.out) == (1, "")
        assert (here / "report.json").read_text().startswith("{")
        assert sorted(os.listdir(here)) == [".git", "report.json", "values.yaml"]
        assert run("check", ".", "--output", "nowhere/report.json").code == 2

    def test_a_link_stays_a_link_and_a_file_keeps_its_mode(self, here: Path) -> None:
        (here / "values.yaml").write_text(values(STOCK.socket))
        (here / "real.json").write_text("")
        (here / "real.json").chmod(0o600)
        (here / "link.json").symlink_to("real.json")
        assert run_json("check", "values.yaml", "--output", "link.json").code == 0
        assert (here / "link.json").is_symlink()
        assert (here / "real.json").read_text().startswith("{")
        assert (here / "real.json").stat().st_mode & 0o777 == 0o600

    def test_no_path_is_a_mistake(self, here: Path) -> None:
        assert run("check").code == 2
        assert run("chekc", ".").err.startswith(
            "nodeworthy: there is no command 'chekc'; did you mean `nodeworthy check .`?"
        )
