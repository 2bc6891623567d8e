"""A real kernel loads a module with what nodes had on their disks at that moment."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.lab.kernel import missing_for_a_kernel, module_parameters
from nodeworthy.lab.observation import observe

from .conftest import do_without
from .expects import expects

SCRIPTS = Path(__file__).parent / "scripts"
PARAM = "RmProfilingAdminOnly"
OPTION = "options nvidia NVreg_RestrictProfilingToAdminUsers"
UVM = OPTION.replace("nvidia", "nvidia-uvm")
OVER_TWO_LINES = "options nvidia \\\n  NVreg_RestrictProfilingToAdminUsers=0\n"
LOADED = {"october-27-profiling-too-late": "1", "october-27-fixed": "0"}

WHAT_MODPROBE_PASSES = {
    "nothing": ({}, "1"),
    "a file without .conf": ({"/etc/modprobe.d/profiling": f"{OPTION}=0\n"}, "1"),
    "another module's": ({"/etc/modprobe.d/uvm.conf": f"{UVM}=0\n"}, "1"),
    "the last one wins": ({"/etc/modprobe.d/a.conf": f"{OPTION}=0\n", "/etc/modprobe.d/b.conf": f"{OPTION}=1\n"}, "1"),
    "over two lines": ({"/etc/modprobe.d/a.conf": OVER_TWO_LINES}, "0"),
    "another folder": ({"/run/modprobe.d/a.conf": f"{OPTION}=0\n"}, "0"),
}


@pytest.fixture(scope="module", autouse=True)
def kernel(lab: None, pytestconfig: pytest.Config) -> None:
    do_without(pytestconfig, missing_for_a_kernel())


def test_the_kernel_loads_what_the_node_said_it_would() -> None:
    scripts = [SCRIPTS / name for name in LOADED]
    seen = [observe(expects(each).layers(), (each / "user-data").read_bytes()) for each in scripts]
    said = dict(zip(LOADED, (each.params[PARAM] for each in seen), strict=True))
    loaded = dict(
        zip(LOADED, (each[PARAM] for each in module_parameters(*(each.at_load for each in seen))), strict=True)
    )
    assert said == loaded == LOADED


def test_what_modprobe_passes() -> None:
    loaded = module_parameters(*(files for files, _ in WHAT_MODPROBE_PASSES.values()))
    assert dict(zip(WHAT_MODPROBE_PASSES, loaded, strict=True)) == {
        case: {PARAM: value} for case, (_, value) in WHAT_MODPROBE_PASSES.items()
    }


def test_what_the_kernels_command_line_passes() -> None:
    option = "nvidia.NVreg_RestrictProfilingToAdminUsers=0"
    assert module_parameters({}, command_line=option) == [{PARAM: "0"}]
