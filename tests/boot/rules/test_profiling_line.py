"""Which line gives the driver the option, in which file, and which one only looks like it."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import How
from nodeworthy.boot.text import Text
from nodeworthy.rules.profiling_before_driver import RULE
from tests.boot.rules.boots import (
    OPTION,
    hole,
    load,
    text,
    verdict,
    write,
)
from tests.boot.rules.profiling import lines, said


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("option nvidia NVreg_RestrictProfilingToAdminUsers=0", "begins with `option`"),
        ("options nvidia_drm NVreg_RestrictProfilingToAdminUsers=0", "given to nvidia_drm"),
        ("options nvidia-uvm NVreg_RestrictProfilingToAdminUsers=0", "given to nvidia_uvm"),
        ("options nvidia NVreg_RestrictProfilingToAdminUser=0", "misspelt"),
        ("options nvidia nvreg_restrictprofilingtoadminusers=0", "misspelt"),
        ("options nvidia NVreg_RestrictProfilingToAdminUsers=2", "set to 2"),
        ("options nvidia NVreg_RestrictProfilingToAdminUsers", "no value"),
        ("options nvidia NVreg_RestrictProfilingToAdminUsers = 0", "no value"),
        ("options NVreg_RestrictProfilingToAdminUsers=0", "names no module"),
        ("#options nvidia NVreg_RestrictProfilingToAdminUsers=0", "commented out"),
        ("nvidia NVreg_RestrictProfilingToAdminUsers=0", "begins with `nvidia`"),
    ],
)
def test_lines_that_miss(line: str, says: str) -> None:
    found = said(write(19, line), load(23))
    assert says in found.message
    assert found.is_ == line
    assert found.should == OPTION
    assert lines(found) == (19, [23])


@pytest.mark.parametrize(
    "line",
    [
        OPTION,
        f"  {OPTION}  ",
        "options nvidia NVreg_EnableGpuFirmware=0 NVreg_RestrictProfilingToAdminUsers=0 NVreg_OpenRmEnableUnsupportedGpus=1",
        "options nvidia NVreg_RestrictProfilingToAdminUsers=0x0",
        'options nvidia NVreg_RestrictProfilingToAdminUsers="0"',
        'options nvidia "NVreg_RestrictProfilingToAdminUsers=0"',
        'options nvidia NVreg_EnableGpuFirmware=0 "NVreg_RestrictProfilingToAdminUsers=0"',
        "install nvidia /sbin/modprobe --ignore-install nvidia NVreg_RestrictProfilingToAdminUsers=0",
    ],
)
def test_lines_that_hold(line: str) -> None:
    assert verdict(RULE, write(19, "# profiling", "", line), load(23)) == "pass"


def test_a_line_that_goes_on_behind_a_backslash() -> None:
    name = "NVreg_RestrictProfilingToAdminUsers"
    assert verdict(RULE, write(19, "options nvidia \\", f"  {name}=0"), load(23)) == "pass"
    assert verdict(RULE, write(19, "options nvidia\\", "NVreg_EnableGpuFirmware=0 \\", f"{name}=0"), load(23)) == "pass"
    assert verdict(RULE, write(19, "# profiling \\", OPTION), load(23)) == "fail"
    assert lines(said(write(19, "options nvidia \\", f"  {name}=1"), load(23)))[0] == 19


@pytest.mark.parametrize(
    ("path", "is_right"),
    [
        ("/etc/modprobe.d/zz.conf", True),
        ("/usr/lib/modprobe.d/nvidia.conf", True),
        ("/run/modprobe.d/nvidia.conf", True),
        ("/lib/modprobe.d/nvidia.conf", True),
        ("/etc/modprobe.d/nvprof", False),
        ("/etc/modprobe.d/nvprof.cfg", False),
        ("/etc/modprobe.d/nvidia/nvprof.conf", False),
        ("/etc/modprobe.conf", False),
        ("/etc/modules-load.d/nvidia.conf", False),
    ],
)
def test_where_it_must_stand(path: str, is_right: bool) -> None:
    if is_right:
        assert verdict(RULE, write(19, OPTION, path=path), load(23)) == "pass"
        return
    found = said(write(19, OPTION, path=path), load(23))
    assert found.is_ == path
    assert (found.should or "").startswith("/etc/modprobe.d/")


def test_a_copy_of_a_draft_counts_and_the_draft_does_not_harm() -> None:
    assert verdict(RULE, write(10, OPTION, path="/tmp/nvprof.conf"), write(11, OPTION), load(23)) == "pass"


def test_a_name_with_a_hole_in_the_right_folder_is_right() -> None:
    path = text("/etc/modprobe.d/", hole("NAME"), ".conf")
    assert verdict(RULE, write(19, OPTION, path=path), load(23)) == "pass"
    assert verdict(RULE, write(19, OPTION, path=text(hole("FOLDER"), "/nvprof.conf")), load(23)) == "unknown"


@pytest.mark.parametrize(
    "line",
    [
        text("options nvidia NVreg_RestrictProfilingToAdminUsers=", hole("VALUE")),
        text("options ", hole("MODULE"), " NVreg_RestrictProfilingToAdminUsers=0"),
        text(hole("OPTIONS")),
        text("options nvidia ", hole("MORE")),
        text("options nvidia-current NVreg_RestrictProfilingToAdminUsers=0"),
    ],
)
def test_lines_that_can_not_be_read(line: Text) -> None:
    assert verdict(RULE, write(19, line), load(23)) == "unknown"


def test_appended_to_a_file_that_was_there() -> None:
    path = "/etc/modprobe.d/nvidia.conf"
    assert verdict(RULE, write(19, OPTION, path=path, how=How.APPEND), load(23)) == "pass"
    assert (
        verdict(
            RULE,
            write(19, "", path=path, how=How.EDIT, expressions=(Text.of("s/AdminUsers=1/AdminUsers=0/"),)),
            load(23),
        )
        == "fail"
    )


def test_an_edit_of_an_unread_file_is_not_known() -> None:
    edit = write(
        19,
        path="/etc/modprobe.d/nvidia.conf",
        how=How.EDIT,
        expressions=(Text.of("s/NVreg_RestrictProfilingToAdminUsers=1/NVreg_RestrictProfilingToAdminUsers=0/"),),
    )
    assert verdict(RULE, edit, load(23)) == "unknown"


@pytest.mark.parametrize("order", [(10, 11), (11, 10)])
def test_of_two_files_the_later_name_wins(order: tuple[int, int]) -> None:
    other = OPTION.replace("=0", "=1")
    effects = sorted(
        [write(order[0], OPTION, path="/etc/modprobe.d/a.conf"), write(order[1], other, path="/etc/modprobe.d/z.conf")],
        key=lambda each: each.place.line or 0,
    )
    assert "sorts later" in said(*effects, load(23)).message
    assert (
        verdict(
            RULE,
            write(10, OPTION, path="/etc/modprobe.d/z.conf"),
            write(11, other, path="/etc/modprobe.d/a.conf"),
            load(23),
        )
        == "pass"
    )
