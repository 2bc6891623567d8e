"""Links and names that lead out of what is checked: nothing of what lies there stands in a report of somebody else."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run import Ran, run
from tests.source.test_values_elsewhere import HELMFILE, argo, kustomization
from tests.source.texts import STOCK, fleet, values

ELSEWHERE = "/srv/somebody/elses.sock"
WRONG, OTHER = values(str(STOCK.socket)), values(ELSEWHERE)


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository, and beside it what is nobody's business there."""
    (tmp_path / "private.yaml").write_text(OTHER)
    repository = tmp_path / "repository"
    (repository / ".git").mkdir(parents=True)
    (repository / "apps").mkdir()
    (repository / "Pulumi.prod.yaml").write_text(fleet("k3s"))
    return repository


def everything(ran: Ran) -> str:
    return f"{ran.out}{ran.err}"


def test_a_link_out_of_the_repository_is_not_followed_and_is_told_once(tree: Path) -> None:
    for name in ("a.yaml", "b.yaml", "c.yaml", "d.yaml"):
        (tree / "apps" / name).symlink_to(tree.parent / "private.yaml")
    (tree / "apps" / "own.yaml").write_text(WRONG)
    for _ in range(2):  # the second time by what was kept
        ran = run("check", ".", cwd=tree)
        assert ran.code == 1
        assert ELSEWHERE not in everything(ran)
        assert ran.err == (
            "nodeworthy check: links that lead out of the tree, and were not followed (4): apps/a.yaml, apps/b.yaml, "
            "apps/c.yaml and 1 more; name one to have it read\n"
        )


def test_a_named_link_is_whoever_names_its_choice(tree: Path) -> None:
    (tree / "apps" / "a.yaml").symlink_to(tree.parent / "private.yaml")
    assert ELSEWHERE in run("check", "apps/a.yaml", cwd=tree).out
    assert ELSEWHERE not in everything(run("check", "--changed", "apps/a.yaml", cwd=tree))
    assert ELSEWHERE in run("check", ".", "../private.yaml", "--fleet", "Pulumi.prod.yaml", cwd=tree).out


def test_a_link_within_the_repository_is_followed(tree: Path) -> None:
    (tree / "values").mkdir()
    (tree / "values" / "gpu.txt").write_text(WRONG)
    (tree / "apps" / "gpu.yaml").symlink_to("../values/gpu.txt")
    ran = run("check", "apps", cwd=tree)
    assert (ran.code, ran.err) == (1, "")
    assert "apps/gpu.yaml:4" in ran.out


def test_out_of_a_repository_the_named_folder_is_the_tree(tmp_path: Path) -> None:
    (tmp_path / "one").mkdir()
    (tmp_path / "one" / "gpu.yaml").symlink_to("../other.yaml")
    (tmp_path / "other.yaml").write_text(OTHER)
    (tmp_path / "Pulumi.prod.yaml").write_text(fleet("k3s"))
    assert ELSEWHERE not in everything(run("check", "one", cwd=tmp_path))
    assert ELSEWHERE in run("check", ".", cwd=tmp_path).out


UP = "../../private.yaml"
NAMED = {
    "argo.yaml": argo().replace("$values/gpu/values.yaml", f"$values/{UP}"),
    "helmfile.yaml": HELMFILE.replace("./gpu.yaml", UP),
    "kustomization.yaml": kustomization().replace("gpu.yaml", UP),
}


@pytest.mark.parametrize("name", NAMED)
def test_what_a_release_names_out_of_its_repository_is_not_read(tree: Path, name: str) -> None:
    (tree / "apps" / name).write_text(NAMED[name])
    ran = run("check", "apps", "--rule", "containerd-paths", "--strict", cwd=tree)
    assert ELSEWHERE not in everything(ran)
    assert "unknown containerd-paths" in ran.out
    assert "files that lie out of the tree of those that name them, and were not read (1): ../private.yaml" in ran.err


@pytest.mark.parametrize("name", NAMED)
def test_what_it_names_within_is(tree: Path, name: str) -> None:
    (tree / "private.yaml").write_text(WRONG)
    (tree / "apps" / "gpu").mkdir()
    (tree / "apps" / "gpu" / name).write_text(NAMED[name])
    ran = run("check", "apps", "--rule", "containerd-paths", cwd=tree)
    assert (ran.code, ran.err) == (1, "")
    assert "private.yaml:4" in ran.out


def test_a_stack_that_is_a_link_out_of_the_tree_decides_nothing(tree: Path) -> None:
    (tree.parent / "theirs.yaml").write_text(fleet(ELSEWHERE))
    (tree / "Pulumi.prod.yaml").unlink()
    (tree / "Pulumi.prod.yaml").symlink_to("../theirs.yaml")
    (tree / "apps" / "gpu.yaml").write_text(WRONG)
    ran = run("check", "apps", cwd=tree)
    assert ran.code == 2
    assert ELSEWHERE not in everything(ran)
    assert ran.err == (
        "nodeworthy check: Pulumi.prod.yaml, where a fleet may be, leads out of the tree it lies in: "
        "give --fleet FILE\n"
    )


@pytest.mark.parametrize(
    ("name", "text"),
    [
        (".nodeworthy.yaml", "skip-rules:\n  - rule: containerd-paths\n    why: elses-secret-plan\n"),
        (".nodeworthy.yaml", "elses-secret-plan: {\n"),
        ("pyproject.toml", "[tool.nodeworthy]\nstack = 'elses-secret-plan'\n"),
    ],
)
@pytest.mark.parametrize("paths", [["."], ["apps"], ["apps/own.yaml"]])
def test_settings_that_are_a_link_out_of_the_tree_decide_nothing(
    tree: Path, name: str, text: str, paths: list[str]
) -> None:
    (tree / "apps" / "own.yaml").write_text(WRONG)
    (tree.parent / "settings").write_text(text)
    (tree / name).symlink_to(tree.parent / "settings")
    ran = run("check", *paths, cwd=tree)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == (
        f"nodeworthy check: {name}, where settings may be, leads out of the tree it lies in, and decides nothing: keep "
        "them in the tree, or give --no-settings\n"
    )
    assert run("check", *paths, "--no-settings", cwd=tree).code == 1


def test_settings_below_that_are_one_are_not_looked_at(tree: Path) -> None:
    (tree / "apps" / "own.yaml").write_text(WRONG)
    (tree.parent / "settings").write_text("strict: elses-secret-plan\n")
    (tree / "apps" / ".nodeworthy.yaml").symlink_to(tree.parent / "settings")
    ran = run("check", ".", cwd=tree)
    assert ran.code == 2
    assert "elses-secret-plan" not in everything(ran)
    assert "apps/.nodeworthy.yaml, where settings may be, leads out of the tree" in ran.err


def test_settings_that_are_a_link_within_it_hold(tree: Path) -> None:
    (tree / "apps" / "own.yaml").write_text(WRONG)
    (tree / "shared.yaml").write_text("exclude: [apps/own.yaml]\n")
    (tree / ".nodeworthy.yaml").symlink_to("shared.yaml")
    assert "1 file" in run("check", ".", cwd=tree).out
    (tree / "pyproject.toml").symlink_to(tree.parent / "private.yaml")  # and that one says nothing of ours
    assert run("check", ".", cwd=tree).code != 2
