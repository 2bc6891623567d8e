"""What has not changed is answered from a cache; the answer is the one that a fresh look gives."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from nodeworthy.collect.source import cache_stamps, cache_store, collector, one_file
from nodeworthy.collect.source.files import Source
from tests.run import Ran, run
from tests.source.texts import STOCK, fleet, values

JOB = "#!/bin/bash\n#SBATCH --nodes=1\n#SBATCH --time=1:00:00\nsource env.sh\nsrun python train.py\n"
FILES = 5
Change = Callable[[Path], object]


@pytest.fixture
def tree(here: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with something of everything, and a cache of its own that takes young files for settled."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
    monkeypatch.setattr(cache_stamps, "COARSEST_NS", -60_000_000_000)
    (here / "team").mkdir()
    (here / "team" / "values.yaml").write_text(values(STOCK.socket))
    (here / "team" / "notes.md").write_text("nothing of ours\n")
    (here / "team" / "job.sbatch").write_text(JOB)
    (here / "team" / "train.py").write_text("print()\n")
    (here / "Pulumi.edge.yaml").write_text(fleet())
    return here


def kept() -> list[Path]:
    return sorted(cache_store.folder().glob("*.json"))


def looks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that are looked into from now on."""
    looked: list[str] = []
    look_at = one_file.whats_in

    def noted(source: Source, rules: frozenset[str]) -> object:
        looked.append(source.shown)
        return look_at(source, rules)

    monkeypatch.setattr(collector, "whats_in", noted)
    return looked


@pytest.mark.parametrize("form", ["text", "json", "sarif", "junit", "github", "markdown", "html"])
def test_the_second_answer_is_the_first(tree: Path, monkeypatch: pytest.MonkeyPatch, form: str) -> None:
    first = run("check", ".", "--format", form, "--show-passed")
    looked = looks(monkeypatch)
    second = run("check", ".", "--format", form, "--show-passed")
    assert (first.code, second, looked) == (1, first, [])
    assert run("check", ".", "--format", form, "--show-passed", "--no-cache") == first
    assert len(looked) == FILES


def test_one_cache_serves_every_format(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", ".")
    looked = looks(monkeypatch)
    assert run("check", ".", "--format", "json", "--strict").report["summary"]["fail"] == 1
    assert looked == []


def _suppressed(tree: Path) -> None:
    path = tree / "team" / "values.yaml"
    path.write_text(path.read_text().replace(STOCK.socket, f"{STOCK.socket} # nodeworthy: ignore containerd-paths why"))


CHANGES: dict[str, Change] = {
    "a file": lambda tree: (tree / "team" / "values.yaml").write_text(values("/elsewhere.sock")),
    "a file of the same length": lambda tree: (tree / "team" / "values.yaml").write_text(values(STOCK.socket[::-1])),
    "a suppression": _suppressed,
    "the fleet": lambda tree: (tree / "Pulumi.edge.yaml").write_text(fleet("rke2")),
    "another fleet": lambda tree: (tree / "Pulumi.more.yaml").write_text(fleet("rke2")),
    "settings": lambda tree: (tree / "team" / ".nodeworthy.yaml").write_text("fleet: nowhere.yaml\n"),
    "a file more": lambda tree: (tree / "team" / "other.yaml").write_text(values("/elsewhere.sock")),
    "a file less": lambda tree: (tree / "team" / "job.sbatch").unlink(),
    "a name": lambda tree: (tree / "team" / "values.yaml").rename(tree / "team" / "renamed.yaml"),
    "what held nothing": lambda tree: (tree / "team" / "notes.md").write_text(f"#!/bin/bash\n{JOB}"),
    "a script that a job reads": lambda tree: (tree / "team" / "env.sh").write_text("export OMP_NUM_THREADS=4\n"),
    "the root of the repository": lambda tree: (tree / "team" / ".git").mkdir(),
    "a permission": lambda tree: (tree / "team" / "values.yaml").chmod(0o640),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_any_change_is_seen(tree: Path, monkeypatch: pytest.MonkeyPatch, change: Change) -> None:
    run("check", "team")
    change(tree)
    looked = looks(monkeypatch)
    again = run("check", "team", "--format", "json")
    assert looked
    assert again == run("check", "team", "--format", "json", "--no-cache")


def test_a_change_of_ours_is_seen(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", ".")
    monkeypatch.setattr("nodeworthy.collect.source.cache.program", lambda: "another version")
    looked = looks(monkeypatch)
    run("check", ".")
    assert len(looked) == FILES


def test_other_questions_have_other_answers(tree: Path) -> None:
    assert run("check", ".").code == 1
    assert run("check", ".", "--skip-rule", "containerd-paths").code == 0
    assert run("check", "team/values.yaml").code == 1
    assert run("check", "--changed", "team/values.yaml").code == 1
    assert len(kept()) == 4


def test_what_held_nothing_is_not_read_again(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("check", ".")
    (tree / "team" / "values.yaml").write_text(values("/elsewhere.sock"))
    looked = looks(monkeypatch)
    run("check", ".")
    assert "team/notes.md" not in looked
    assert "team/values.yaml" in looked


def test_what_changed_just_now_may_change_again_unseen(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_stamps, "COARSEST_NS", 60_000_000_000)
    run("check", ".")
    looked = looks(monkeypatch)
    run("check", ".")
    assert len(looked) == FILES


def test_a_mistake_is_made_anew(tree: Path) -> None:
    (tree / "team" / "broken.yaml").write_text("a: [\n")
    told: list[Ran] = [run("check", "team/broken.yaml") for _ in range(2)]
    assert told[0] == told[1]
    assert (told[0].code, kept()) == (2, [])


def test_a_fleet_elsewhere_counts(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    far = tmp_path_factory.mktemp("far") / "Pulumi.far.yaml"
    far.write_text(fleet())
    assert run("check", "team", "--fleet", str(far)).code == 1
    far.write_text(fleet("kubeadm"))
    assert run("check", "team", "--fleet", str(far)).code == 0


def test_what_is_there_is_for_us_alone_and_small(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_store, "ENTRIES", 2)
    for name in ("containerd-paths", "toolkit-env-wellformed", "gpu-exists"):
        run("check", ".", "--rule", name)
    assert len(kept()) == 2
    assert cache_store.folder().stat().st_mode & 0o777 == 0o700
    assert {path.stat().st_mode & 0o777 for path in kept()} == {0o600}


def _linked(path: Path) -> None:
    path.rename(path.with_suffix(".x"))
    path.symlink_to(path.with_suffix(".x"))


def _a_pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path)


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _of_another_shape(path: Path) -> None:
    path.write_text(json.dumps({**json.loads(path.read_text()), "judged": {"places": [list(range(10))]}}))


def _edited(old: str, new: str) -> Change:
    """A part of another shape that is only asked for when the report is written."""

    def spoil(path: Path) -> None:
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))

    return spoil


SPOILT: dict[str, Change] = {
    "empty": lambda path: path.write_text(""),
    "no JSON": lambda path: path.write_bytes(b"\x80\xff"),
    "nested": lambda path: path.write_text("[" * 100_000),
    "no mapping": lambda path: path.write_text("[1]"),
    "of another shape": _of_another_shape,
    "counts of another shape": _edited('"counts":{"files":', '"counts":{"files":[],"x":'),
    "a verdict's number of another shape": _edited('"counts":{', '"counts":{"excluded":"x",'),
    "a rule of another name": _edited('["error","containerd-paths"', '["error",["containerd-paths"]'),
    "writable for others": lambda path: path.chmod(0o666),
    "a link": _linked,
    "a pipe": _a_pipe,
    "a folder": _a_folder,
    "in an open folder": lambda path: path.parent.chmod(0o777),
}


@pytest.mark.parametrize("spoil", SPOILT.values(), ids=SPOILT)
def test_what_can_not_be_believed_is_not_there(tree: Path, monkeypatch: pytest.MonkeyPatch, spoil: Change) -> None:
    first = run("check", ".")
    spoil(kept()[0])
    looked = looks(monkeypatch)
    assert run("check", ".") == first
    assert looked


def test_where_nothing_can_be_kept_nobody_asks_what_it_would_be_called(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []

    def program() -> str:
        asked.append("which version")
        return ""

    monkeypatch.setattr("nodeworthy.collect.source.cache.program", program)
    run("check", ".")
    assert len(asked) == 1
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    run("check", ".")
    assert len(asked) == 1


def test_our_own_files_are_told_by_where_they_lie_and_when_they_changed(tmp_path: Path) -> None:
    (tmp_path / "known").mkdir()
    (tmp_path / "known" / "charts.toml").write_text("")
    program = cache_stamps.program.__wrapped__
    assert program() == cache_stamps.program()
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("nodeworthy.__file__", str(tmp_path / "__init__.py"))
        before = program()
        (tmp_path / "known" / "charts.toml").write_text("[chart]")
        assert program() != before != cache_stamps.program()


def test_without_a_cache_nothing_is_different(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = run("check", ".")
    monkeypatch.setenv("XDG_CACHE_HOME", "/dev/null")
    assert run("check", ".") == first
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/dev/null")
    assert run("check", ".") == first
