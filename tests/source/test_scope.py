"""How far evidence reaches, and what is looked at of it."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from nodeworthy.collect.source import scope as scopes_of
from nodeworthy.collect.source.scope import Scope, Scopes, names_in
from tests.work import calls

CILIUM = re.compile(rb"cilium")


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        path = folder / name.replace("__", "/").replace("_dot_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


class TestRoot:
    def test_a_repository_reaches_to_its_root(self, tmp_path: Path) -> None:
        (tmp_path / ".git").mkdir()
        write(tmp_path, chart__Chart_dot_yaml="", chart__templates__pod_dot_yaml="")
        assert Scopes().of(tmp_path / "chart" / "templates").root == tmp_path

    def test_outside_of_one_a_fleet_comes_before_a_chart(self, tmp_path: Path) -> None:
        write(tmp_path, Pulumi_dot_edge_dot_yaml="", chart__Chart_dot_yaml="", chart__templates__pod_dot_yaml="")
        assert Scopes().of(tmp_path / "chart" / "templates").root == tmp_path

    def test_then_the_nearest_project(self, tmp_path: Path) -> None:
        write(tmp_path, Makefile="", chart__Chart_dot_yaml="", chart__templates__pod_dot_yaml="")
        assert Scopes().of(tmp_path / "chart" / "templates").root == tmp_path / "chart"

    def test_else_the_folder_itself(self, tmp_path: Path) -> None:
        write(tmp_path, one__two__pod_dot_yaml="")
        assert Scopes().of(tmp_path / "one" / "two").root == tmp_path / "one" / "two"

    def test_a_folder_that_everybody_writes_to_is_nobodys(self, tmp_path: Path) -> None:
        shared = tmp_path / "shared"
        write(shared, Pulumi_dot_yaml="", mine__pod_dot_yaml="")
        shared.chmod(0o777)
        assert Scopes().of(shared / "mine").root == shared / "mine"

    def test_what_comes_through_a_pipe_has_none_and_says_so(self) -> None:
        nowhere = Scopes().of(None)
        assert (nowhere.root, list(nowhere.files()), list(nowhere.holding(CILIUM))) == (None, [], [])
        assert "pipe" in nowhere.incomplete


class TestFiles:
    def test_those_nearest_to_the_root_come_first(self, tmp_path: Path) -> None:
        write(tmp_path, a__b__deep_dot_yaml="", z_dot_yaml="", node_modules__x_dot_yaml="", b__y_dot_yaml="")
        names = [path.name for path in Scope(tmp_path).files((".yaml",))]
        assert names == ["z.yaml", "y.yaml", "deep.yaml"]

    def test_what_holds_a_mark(self, tmp_path: Path) -> None:
        write(tmp_path, a_dot_yaml="cilium: 1", b_dot_yaml="flannel", c_dot_sh="cilium")
        found = Scope(tmp_path).holding(CILIUM, (".yaml",))
        assert [(each.path.name, each.data) for each in found] == [("a.yaml", b"cilium: 1")]

    def test_the_same_question_reads_only_what_answers_it(self, tmp_path: Path) -> None:
        write(tmp_path, **{f"f{number}_dot_yaml": "flannel" for number in range(100)}, a_dot_yaml="cilium")
        scope = Scope(tmp_path)
        first = calls(lambda: list(scope.holding(CILIUM)))
        assert calls(lambda: list(scope.holding(CILIUM))) < first / 10

    def test_who_was_stopped_on_the_way_has_kept_nothing(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(tmp_path, a_dot_yaml="cilium see b.yaml", b_dot_yaml="cilium")
        scope = Scope(tmp_path)
        for ask in (lambda: list(scope.holding(CILIUM)), lambda: scope.references_to(tmp_path / "b.yaml")):
            with monkeypatch.context() as stopped:
                stopped.setattr(Scope, "read_listed", reads_once())
                with pytest.raises(KeyboardInterrupt):
                    ask()
        assert [each.path.name for each in scope.holding(CILIUM)] == ["a.yaml", "b.yaml"]
        assert [each.path.name for each in scope.references_to(tmp_path / "b.yaml")] == ["a.yaml"]

    def test_a_repository_that_is_too_large_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scopes_of, "MOST_FILES", 2)
        write(tmp_path, a_dot_yaml="", b_dot_yaml="", deep__c_dot_yaml="cilium")
        scope = Scope(tmp_path)
        assert list(scope.holding(CILIUM)) == []
        assert "more than 2 files" in scope.incomplete

    @pytest.mark.parametrize("ignored", ["out/", "/deep/out", "!*.md\nout", "deep/*", "# none\n\n**/out/**"])
    def test_what_git_ignores_is_looked_at_last_and_takes_no_room(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ignored: str
    ) -> None:
        monkeypatch.setattr(scopes_of, "MOST_FILES", 4)
        write(tmp_path, gitignore=ignored, deep__out__a_dot_yaml="cilium", z__c_dot_yaml="cilium", z__y__c_dot_yaml="")
        (tmp_path / "gitignore").rename(tmp_path / ".gitignore")
        for number in range(9):
            write(tmp_path, **{f"deep__out__b{number}_dot_yaml": "cilium"})
        scope = Scope(tmp_path)
        assert [each.path.parent.name for each in scope.holding(CILIUM)] == ["z", "out"]
        assert not scope.incomplete

    @pytest.mark.parametrize("ignored", ["", "out/\n!deep", "# out", "o[u]t", "other", "/out", "/"])
    def test_what_git_may_not_ignore_counts(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ignored: str
    ) -> None:
        monkeypatch.setattr(scopes_of, "MOST_FILES", 2)
        write(tmp_path, gitignore=ignored, deep__out__a_dot_yaml="", deep__out__b_dot_yaml="")
        (tmp_path / "gitignore").rename(tmp_path / ".gitignore")
        scope = Scope(tmp_path)
        assert len(scope.names()) == 2
        assert scope.incomplete

    def test_a_repository_that_is_too_long_says_so(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(scopes_of, "MOST_BYTES", 1024)
        write(tmp_path, a_dot_yaml="x" * 1000, b_dot_yaml="cilium" * 10)
        scope = Scope(tmp_path)
        assert list(scope.holding(CILIUM)) == []
        assert "more than" in scope.incomplete

    def test_a_link_that_leads_out_is_not_followed(self, tmp_path: Path) -> None:
        write(tmp_path, outside__a_dot_yaml="cilium", inside__b_dot_yaml="")
        (tmp_path / "inside" / "out").symlink_to(tmp_path / "outside")
        (tmp_path / "inside" / "a.yaml").symlink_to(tmp_path / "outside" / "a.yaml")
        assert list(Scope(tmp_path / "inside").holding(CILIUM)) == []


def reads_once() -> Callable[[Scope, str], bytes]:
    """Its second file is one too many."""
    left = iter([b"cilium"])

    def read(_: Scope, _path: str) -> bytes:
        for data in left:
            return data
        raise KeyboardInterrupt

    return read


class TestReferences:
    def test_by_its_path_from_the_root_or_from_beside_it(self, tmp_path: Path) -> None:
        write(
            tmp_path,
            main_dot_tf='resource "aws_instance" "gpu" {\n  user_data = file("${path.module}/scripts/boot.sh")\n}\n',
            scripts__boot_dot_sh="#!/bin/sh\n",
            other__boot_dot_sh="#!/bin/sh\n",
            other__run_dot_sh="./boot.sh\n",
        )
        scope = Scope(tmp_path)
        found = scope.references_to(tmp_path / "scripts" / "boot.sh")
        assert ("main.tf", 2) in [(each.path.name, each.line) for each in found]
        others = scope.references_to(tmp_path / "other" / "boot.sh")
        assert [(each.path.name, each.line) for each in others] == [("run.sh", 1)]

    def test_in_a_container_file(self, tmp_path: Path) -> None:
        write(tmp_path, Dockerfile="FROM x\nCOPY hack/boot.sh /opt/\n", hack__boot_dot_sh="")
        found = Scope(tmp_path).references_to(tmp_path / "hack" / "boot.sh")
        assert [(each.path.name, each.line, each.name) for each in found] == [("Dockerfile", 2, "hack/boot.sh")]

    def test_hostile_text_costs_what_its_length_costs(self) -> None:
        for unit in (b".sh", b"}{$.sh", b"a" * 400 + b".sh", b"}aaaa"):
            short, long = unit * 500, unit * 1000
            assert calls(lambda text=long: list(names_in(text))) < 3 * calls(lambda text=short: list(names_in(text)))  # type: ignore[misc]
