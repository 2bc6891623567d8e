"""A mended file takes the place of the old one: whole, with its mode and its owner, or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from nodeworthy.fixes.write import NotWritten, write
from tests.run import run


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "values.yaml"
    path.write_bytes(b"before\n")
    return path


def alone(file: Path) -> bool:
    return [each.name for each in file.parent.iterdir()] == [file.name]


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o664])
def test_its_mode_is_kept(file: Path, mode: int) -> None:
    file.chmod(mode)
    write(file, b"before\n", b"after\n")
    assert file.read_bytes() == b"after\n"
    assert stat.S_IMODE(file.stat().st_mode) == mode
    assert alone(file)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_its_owner_is_kept(file: Path) -> None:
    os.chown(file, 1234, 5678)
    write(file, b"before\n", b"after\n")
    assert (file.stat().st_uid, file.stat().st_gid) == (1234, 5678)


def test_who_reads_it_sees_the_one_or_the_other(file: Path) -> None:
    """Never the half: it is another file that takes its name."""
    with file.open("rb") as reader:
        write(file, b"before\n", b"after\n")
        assert reader.read() == b"before\n"
    assert file.read_bytes() == b"after\n"


def test_what_was_written_since_stays(file: Path) -> None:
    with pytest.raises(NotWritten, match="it has changed since it was read"):
        write(file, b"something else\n", b"after\n")
    assert file.read_bytes() == b"before\n"
    assert alone(file)


def test_a_link_that_took_its_place_stays(file: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    file.rename(other)
    file.symlink_to(other)
    with pytest.raises(NotWritten, match="it is a symbolic link"):
        write(file, b"before\n", b"after\n")
    assert other.read_bytes() == b"before\n"


def test_a_file_that_is_gone(file: Path) -> None:
    file.unlink()
    with pytest.raises(NotWritten, match="no such file"):
        write(file, b"before\n", b"after\n")
    assert not file.exists()


@pytest.mark.parametrize("broken", ["fsync", "replace", "fchmod"])
def test_a_disk_that_refuses_leaves_nothing_behind(file: Path, monkeypatch: pytest.MonkeyPatch, broken: str) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, broken, full)
    with pytest.raises(NotWritten, match="it can't be written: no space left on device"):
        write(file, b"before\n", b"after\n")
    assert file.read_bytes() == b"before\n"
    assert alone(file)


def test_a_folder_that_takes_no_file(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", denied)
    with pytest.raises(NotWritten, match="its folder can't be written: permission denied"):
        write(file, b"before\n", b"after\n")
    monkeypatch.undo()
    assert alone(file)


def test_all_of_a_set_are_there_before_the_first_takes_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    names = [f"{name}.yaml" for name in "abc"]
    for name in names:
        Path(name).write_text("toolkit:\n  env:\n    - name: CONTAINERD_SOCKET\n      value: unix:///run/x.sock\n")
    replace, beside = os.replace, []

    def seen(source: str, target: Path) -> None:
        beside.append(
            sorted(
                each.name.split(".")[1] for each in tmp_path.iterdir() if each.name.startswith(".") and each.is_file()
            )
        )
        replace(source, target)

    monkeypatch.setattr(os, "replace", seen)
    assert run("check", ".", "--fix", "--yes", "--no-cache").code == 0
    assert beside == [["a", "b", "c"], ["b", "c"], ["c"]]
    assert ["unix://" in Path(name).read_text() for name in names] == [False] * 3
