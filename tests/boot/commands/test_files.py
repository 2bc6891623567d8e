"""Programs that make files leave behind what the real ones leave."""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from nodeworthy.boot.effects import Effect, How, Writes
from tests.boot.commands.calls import only_write, ran, text, told

HERE = {"a.conf": "one\n", "b.conf": "two\nlines\n"}
STDIN = "from stdin\n"

LINES = [
    "cp a.conf c.conf",
    "cp -p a.conf c.conf",
    "cp a.conf there.d",
    "cp a.conf there.d/",
    "cp a.conf b.conf there.d",
    "cp -t there.d a.conf b.conf",
    "cp -a a.conf b.conf there.d/",
    "cp -T a.conf c.conf",
    "cp /dev/stdin c.conf",
    "mv a.conf c.conf",
    "mv -f a.conf there.d/",
    "mv a.conf b.conf there.d",
    "rm a.conf",
    "rm -f a.conf nothing",
    "rm -rf a.conf b.conf",
    "install a.conf c.conf",
    "install -m 0644 a.conf c.conf",
    "install -D -m 644 /dev/stdin deep/er/c.conf",
    "install -Dm0600 a.conf deep/c.conf",
    "install -d new",
    "install -m 755 a.conf there.d",
    "install -t there.d a.conf b.conf",
    "ln -s a.conf c.conf",
    "ln -sf b.conf a.conf",
    "touch a.conf",
    "truncate -s 0 a.conf",
    "truncate --size=0 a.conf",
    "dd of=c.conf",
    "dd if=a.conf of=c.conf",
    "dd of=c.conf status=none bs=1M",
    "tee c.conf",
    "tee a.conf c.conf",
    "tee -a a.conf",
    "tee --append b.conf a.conf",
    "mkdir -p new/er",
    "chmod 600 a.conf",
]


def before(folder: Path) -> None:
    for name, written in HERE.items():
        (folder / name).write_text(written)
    (folder / "there.d").mkdir()


def left(folder: Path) -> dict[str, str]:
    return {str(each): each.read_text() for each in sorted(folder.rglob("*")) if each.is_file()}


def played(effects: list[Effect], folder: Path) -> dict[str, str]:
    """The files as the effects say that they are left."""
    files = {str(folder / name): written for name, written in HERE.items()}
    for effect in effects:
        assert isinstance(effect, Writes)
        path = effect.path.known or ""
        if effect.how is How.DELETE:
            files.pop(path, None)
        else:
            assert effect.whole is not None
            files[path] = effect.whole.text.shown()
    return files


@pytest.mark.parametrize("line", LINES)
def test_leaves_what_the_program_leaves(line: str, tmp_path: Path) -> None:
    before(tmp_path)
    files = left(tmp_path)
    done = ran(line, stdin=STDIN, files=files, folder=str(tmp_path))
    subprocess.run(shlex.split(line), cwd=tmp_path, input=STDIN, text=True, check=True, capture_output=True)
    assert played(list(done.effects), tmp_path) == left(tmp_path)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("cp /unread /etc/modprobe.d/nvidia.conf", ["Writes path=/etc/modprobe.d/nvidia.conf how=writes"]),
        ("cp nvidia.conf /etc/modprobe.d", ["Writes path=/etc/modprobe.d/nvidia.conf how=writes"]),
        ("cp a /usr/local/bin", ["Writes path=/usr/local/bin/a how=writes"]),
        ("cp -r /opt/etc/. /etc/", ["Runs arguments=cp,-r,/opt/etc/.,/etc/"]),
        ("cp ${SOURCE} /etc/${NAME}.conf", ["Writes path=/etc/${NAME}.conf how=writes"]),
        ("cp /opt/${NAME} /etc/modprobe.d/", ["Writes path=/etc/modprobe.d/${NAME} how=writes"]),
        ("mv /tmp/x /etc/x", ["Writes path=/etc/x how=writes", "Writes path=/tmp/x how=deletes"]),
        ("rm -rf /etc/modprobe.d/*nvidia*", ["Writes path=/etc/modprobe.d/*nvidia* how=deletes"]),
        ("rm -f ${FILE}", ["Writes path=${FILE} how=deletes"]),
        ("install -m 0600 /dev/stdin /etc/x", ["Writes path=/etc/x how=writes mode=0600"]),
        ("touch /etc/x", ["Writes path=/etc/x how=appends to"]),
        ("tee /dev/null", []),
        ("tee -a /etc/x ${LOG}", ["Writes path=/etc/x how=appends to", "Writes path=${LOG} how=appends to"]),
        ("cp", []),
        ("cp only", []),
        ("truncate -s 10 /x", ["Writes path=/x how=writes"]),
        ("dd if=/dev/zero of=/swapfile bs=1M count=10", ["Writes path=/swapfile how=writes"]),
        ("dd if=/dev/zero", ["Runs arguments=dd,if=/dev/zero"]),
    ],
)
def test_what_is_not_known_stays_unknown(line: str, expected: list[str]) -> None:
    assert [each.replace(" content=''", "") for each in told(ran(line))] == expected


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ln -sf /dev/null /etc/systemd/system/kubelet.service", "Unit unit=kubelet.service act=mask"),
        (
            "ln -s /lib/systemd/system/kubelet.service /etc/systemd/system/multi-user.target.wants/kubelet.service",
            "Unit unit=kubelet.service act=enable",
        ),
        ("rm -f /etc/systemd/system/multi-user.target.wants/kubelet.service", "Unit unit=kubelet.service act=disable"),
    ],
)
def test_links_of_systemd_are_acts_on_units(line: str, expected: str) -> None:
    assert told(ran(line))[1:] == [expected]


def test_a_link_has_what_its_target_has() -> None:
    (effect,) = ran("ln -s /etc/a /etc/b", files={"/etc/a": "x\n"}).effects
    assert isinstance(effect, Writes)
    assert effect.expressions == (text("/etc/a"),)
    assert effect.whole is not None


def test_relative_paths_need_a_folder() -> None:
    assert told(ran("tee x", stdin="a\n", folder="/root"))[0].startswith("Writes path=/root/x")
    assert told(ran("tee ./x", stdin="a\n", folder=None))[0].startswith("Writes path=./x")


def test_a_pattern_stands_for_every_name_that_fits() -> None:
    (effect,) = ran("rm -f /etc/modprobe.d/*nvidia*.conf").effects
    assert isinstance(effect, Writes)
    assert effect.path.could_be("/etc/modprobe.d/50-nvidia-x.conf")
    assert not effect.path.could_be("/etc/modprobe.d/other.conf")
    (copied,) = ran("cp /opt/*.conf /etc/modprobe.d/").effects
    assert isinstance(copied, Writes)
    assert copied.path.could_be("/etc/modprobe.d/nvidia.conf")


def test_files_do_not_grow_without_end() -> None:
    lines = "a\n" * 15_000
    output = ran("cat /a /a", files={"/a": lines}).output
    assert output is not None
    assert output.known is None
    assert only_write(ran("sed -i p /a", files={"/a": lines})).whole is None


def test_tee_prints_what_it_writes() -> None:
    output = ran("tee /etc/x", stdin="a\n").output
    assert output is not None
    assert output.known == "a\n"
