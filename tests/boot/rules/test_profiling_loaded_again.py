"""The option comes after the driver: what loads the driver again, or gives it the option in another way."""

from __future__ import annotations

from nodeworthy.boot.effects import How
from nodeworthy.rules.profiling_before_driver import RULE
from tests.boot.rules.boots import (
    OPTION,
    given,
    load,
    reboot,
    runs,
    unload,
    verdict,
    write,
)
from tests.boot.rules.profiling import BIG, lines, said


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
