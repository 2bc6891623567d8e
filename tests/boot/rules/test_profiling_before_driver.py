"""Whether the option is there when the module is loaded, on boots told by hand."""

from __future__ import annotations

from typing import Any

import pytest

from nodeworthy.boot.conditions import Asks
from nodeworthy.boot.effects import Effect, How, Installs, Stage
from nodeworthy.boot.text import Text
from nodeworthy.boot.userdata import PartKind
from nodeworthy.rules.profiling_before_driver import RULE
from nodeworthy.verdict import Finding
from tests.boot.rules.boots import (
    OPTION,
    at,
    common,
    delete,
    gap,
    given,
    hole,
    in_pool,
    judged,
    load,
    reboot,
    runs,
    script,
    text,
    unload,
    verdict,
    write,
)

BIG = given("$GPU = h100")


def said(*effects: Effect) -> Finding:
    judgement = judged(RULE, script(*effects))
    assert judgement.verdict == "fail", judgement.findings
    (found,) = judgement.findings
    return found


def lines(found: Finding) -> tuple[int | None, list[int | None]]:
    return found.where.line, [each.place.line for each in found.related]


def test_before_is_right() -> None:
    assert verdict(RULE, write(19, OPTION), load(23)) == "pass"


def test_too_late_shows_both_ends_and_the_move() -> None:
    found = said(load(23), write(59, OPTION))
    assert lines(found) == (59, [23])
    assert found.remedy == "move line 59 before line 23"
    assert found.should == "on disk before line 23"
    assert "the driver's package loads it" in found.related[0].says


def test_a_function_is_moved_where_it_is_called() -> None:
    found = said(load(5, via=(at(40),)), write(12, OPTION, via=(at(41),)))
    assert found.remedy == "move line 41 before line 40"
    inside = said(load(5, via=(at(40),)), write(12, OPTION, via=(at(40),)))
    assert inside.remedy == "move line 12 before line 5"


def test_missing_points_to_the_load() -> None:
    found = said(load(23))
    assert lines(found) == (23, [])
    assert OPTION in (found.remedy or "")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("option nvidia NVreg_RestrictProfilingToAdminUsers=0", "begins with `option`"),
        ("options nvidia_drm NVreg_RestrictProfilingToAdminUsers=0", "given to nvidia_drm"),
        ("options nvidia-uvm NVreg_RestrictProfilingToAdminUsers=0", "given to nvidia_uvm"),
        ("options nvidia NVreg_RestrictProfilingToAdminUser=0", "misspelt"),
        ("options nvidia nvreg_restrictprofilingtoadminusers=0", "misspelt"),
        ("options nvidia NVreg_RestrictProfilingToAdminUsers=1", "set to 1"),
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


def test_overwritten_before_the_load() -> None:
    found = said(write(10, OPTION), write(15, "options nvidia_drm modeset=1"), load(23))
    assert "overwritten" in found.message
    assert lines(found) == (15, [10, 23])
    assert ">>" in (found.remedy or "")


def test_deleted_before_the_load() -> None:
    assert lines(said(write(10, OPTION), delete(15), load(23))) == (15, [10, 23])
    assert lines(said(write(10, OPTION), delete(15, "/etc/modprobe.d/*.conf"), load(23))) == (15, [10, 23])
    assert lines(said(write(10, OPTION), delete(15, "/etc/modprobe.d"), load(23))) == (15, [10, 23])
    assert verdict(RULE, write(10, OPTION), delete(15, "/etc/modprobe.d.bak"), load(23)) == "pass"
    assert verdict(RULE, write(10, OPTION), delete(15), write(16, OPTION), load(23)) == "pass"
    assert verdict(RULE, write(10, OPTION), load(23), delete(30)) == "pass"


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


def test_under_a_condition_that_the_driver_is_not_under() -> None:
    found = said(write(19, OPTION, conditions=BIG), load(23))
    assert "only if `$GPU = h100`" in found.message
    assert lines(found) == (19, [23])
    assert verdict(RULE, write(19, OPTION, conditions=BIG), load(23, conditions=BIG)) == "pass"
    assert (
        verdict(
            RULE, write(19, OPTION, conditions=BIG), write(21, OPTION, conditions=given("$GPU = h100", "no")), load(23)
        )
        == "pass"
    )


def test_a_guard_against_doing_it_twice_is_no_condition() -> None:
    own = given("[ -f /etc/modprobe.d/nvprof.conf ]", "no", files=["/etc/modprobe.d/nvprof.conf"])
    other = given("[ -f /etc/nvidia.conf ]", "no", files=["/etc/nvidia.conf"])
    assert verdict(RULE, write(19, OPTION, conditions=own), load(23)) == "pass"
    assert verdict(RULE, write(19, OPTION, conditions=other), load(23)) == "fail"


def test_taken_away_under_a_condition() -> None:
    assert verdict(RULE, write(10, OPTION), delete(15, conditions=BIG), load(23)) == "fail"
    assert (
        verdict(RULE, write(10, OPTION), delete(15, conditions=BIG), write(16, OPTION, conditions=BIG), load(23))
        == "pass"
    )


def test_in_the_background_nobody_waits_for_it() -> None:
    assert "background" in said(write(19, OPTION, detached=True), load(23)).message


def test_only_when_something_fails() -> None:
    assert (
        verdict(RULE, write(19, OPTION, conditions=given("when the script fails", asks=Asks.TRAP)), load(23)) == "fail"
    )


def test_unloaded_and_loaded_again() -> None:
    assert verdict(RULE, load(23), write(59, OPTION), unload(60), load(61, "modprobe loads it")) == "pass"
    assert verdict(RULE, load(23), unload(58), write(59, OPTION), load(61)) == "pass"
    assert verdict(RULE, load(23), unload(58), load(59), write(60, OPTION)) == "fail"
    assert verdict(RULE, load(23), write(59, OPTION), unload(60, conditions=BIG)) == "fail"
    asked = given("lsmod | grep -q nvidia")
    assert verdict(RULE, load(23), write(59, OPTION), unload(60, conditions=asked), load(61)) == "pass"


def test_rebooted_afterwards() -> None:
    assert verdict(RULE, load(23), write(59, OPTION), reboot(80)) == "pass"
    assert verdict(RULE, load(23), reboot(50), write(59, OPTION)) == "fail"
    found = said(load(23), write(59, OPTION), reboot(80, conditions=BIG))
    assert "only if `$GPU = h100`" in found.related[-1].says


def test_done_once_and_rebooted() -> None:
    once = given("[ ! -f /var/lib/done ]", files=["/var/lib/done"])
    mark = write(60, path="/var/lib/done", conditions=once)
    steps = [load(23, conditions=once), write(59, OPTION, conditions=once), mark, reboot(61, conditions=once)]
    assert verdict(RULE, *steps) == "pass"


def test_an_initramfs_that_has_the_module_already() -> None:
    build = runs(30, "dracut", "--force", "--add-drivers", "nvidia nvidia_uvm")
    assert verdict(RULE, load(23), build, write(59, OPTION), reboot(80)) == "fail"
    assert verdict(RULE, load(23), build, write(59, OPTION), runs(60, "dracut", "--force"), reboot(80)) == "pass"
    assert verdict(RULE, load(23), runs(30, "dracut", "--force"), write(59, OPTION), reboot(80)) == "pass"


KERNEL = "nvidia.NVreg_RestrictProfilingToAdminUsers=0"


def test_on_the_kernels_command_line() -> None:
    grubby = runs(30, "grubby", "--update-kernel=ALL", f"--args={KERNEL}")
    assert "nothing reboots" in said(load(23), grubby).message
    assert verdict(RULE, load(23), grubby, reboot(80)) == "pass"
    grub = write(30, f'GRUB_CMDLINE_LINUX="{KERNEL}"', path="/etc/default/grub", how=How.APPEND)
    assert verdict(RULE, load(23), grub, runs(31, "update-grub"), reboot(80)) == "pass"
    assert verdict(RULE, load(23), grub, reboot(80)) == "fail"


def test_given_to_modprobe_itself() -> None:
    spot = load(20, "modprobe loads it", options=("NVreg_RestrictProfilingToAdminUsers=0",))
    assert verdict(RULE, spot, load(23, "nvidia-smi")) == "pass"
    assert lines(said(load(10), spot)) == (20, [10])
    wrong = load(20, module="nvidia_uvm", options=("NVreg_RestrictProfilingToAdminUsers=0",))
    assert verdict(RULE, wrong) == "fail"


def test_what_was_not_understood() -> None:
    assert verdict(RULE, gap(10, "cat <<EOF > /etc/modprobe.d/nvprof.conf"), load(23)) == "unknown"
    assert verdict(RULE, gap(10, "if [ foo"), load(23)) == "fail"
    assert verdict(RULE, load(23), gap(30, "modprobe.d"), write(40, OPTION)) == "fail"
    assert verdict(RULE, gap(10, "nvidia"), write(19, OPTION), load(23)) == "unknown"
    assert verdict(RULE, write(19, OPTION), gap(20, "nvidia"), load(23)) == "pass"
    assert (
        verdict(RULE, gap(10, "systemctl start $X (nvidia-persistenced)", command="systemctl start $X"), load(23))
        == "fail"
    )


def fetched(line: int, url: str) -> Effect:
    return gap(line, f"{url} (it may do anything: nvidia, kubelet, modprobe)")


def test_a_script_that_was_fetched() -> None:
    assert verdict(RULE, fetched(10, "https://example.com/install-nvidia-driver.sh")) == "unknown"
    assert verdict(RULE, write(9, OPTION), fetched(10, "https://example.com/install-nvidia-driver.sh")) == "pass"
    assert verdict(RULE, fetched(10, "https://example.com/agent.sh")) == "skip"
    assert verdict(RULE, fetched(10, "https://example.com/agent.sh"), load(23)) == "fail"


def test_without_a_driver() -> None:
    assert verdict(RULE, runs(1, "echo")) == "skip"
    assert verdict(RULE, write(19, OPTION)) == "pass"
    assert verdict(RULE, write(19, OPTION.replace("=0", "=1"))) == "fail"
    assert verdict(RULE, write(19, OPTION), kind=PartKind.NODE_CONFIG) == "unknown"
    assert verdict(RULE, write(19, OPTION, stage=Stage.BOOTHOOK), kind=PartKind.NODE_CONFIG) == "pass"


def installs(line: int, package: str) -> Effect:
    return Installs(manager="dnf", packages=(Text.of(package),), **common(line, {}))


def of_pool(pool: str, *effects: Effect) -> tuple[str, Any]:
    judgement = judged(RULE, in_pool(pool, script(*effects)))
    return judgement.verdict.value, judgement.findings


GPU = "instanceType: p5.48xlarge"


def test_a_pool_whose_image_loads_the_driver() -> None:
    late = of_pool(GPU, write(19, OPTION))
    assert late[0] == "fail"
    assert "cloud-boothook" in late[1][0].remedy
    assert late[1][0].on == ("pool 'a'",)
    assert of_pool(GPU, write(19, OPTION, stage=Stage.BOOTHOOK))[0] == "pass"
    assert of_pool(GPU, write(19, OPTION), reboot(20))[0] == "pass"
    assert of_pool(GPU, write(19, OPTION), unload(20), load(21))[0] == "pass"
    assert of_pool(GPU)[0] == "fail"


def test_other_pools() -> None:
    assert of_pool(f"{GPU}\ndriver: operator")[0] == "skip"
    assert of_pool(f"{GPU}\ndriver: operator", load(23))[0] == "fail"
    assert of_pool(f"{GPU}\ndriver: user-data")[0] == "fail"
    assert of_pool(f"{GPU}\ndriver: user-data", write(19, OPTION))[0] == "pass"
    assert of_pool(f"{GPU}\nos: bottlerocket")[0] == "skip"
    assert of_pool(f"{GPU}\nos: al2", write(19, OPTION))[0] == "unknown"
    assert of_pool("instanceType: m7i.xlarge")[0] == "skip"
    assert of_pool("instanceType: m7i.xlarge", load(23))[0] == "skip"
    assert of_pool("instanceType: m7i.xlarge", installs(23, "nvidia-driver"), load(23))[0] == "fail"
    assert of_pool(GPU, installs(23, "nvidia-driver"), load(23), write(59, OPTION))[1][0].where.line == 59
    assert of_pool(GPU, write(19, OPTION), installs(23, "nvidia-driver"), load(23))[0] == "pass"


def test_what_is_missing_is_told_of_the_script() -> None:
    (found,) = of_pool(GPU)[1]
    assert found.where.path == "user-data.sh"
    assert [each.place for each in found.related] == [in_pool(GPU, script()).pools[0].place]
