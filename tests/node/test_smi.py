"""What the driver itself says of its GPUs, beside the bus and /proc: one that is lost, a fabric that is not set up."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from nodeworthy.collect.node import script
from nodeworthy.collect.node.recording import Recording, load
from nodeworthy.verdict import Severity, Verdict
from tests.case_files import whole

from .recordings import but, part
from .test_containerd import of, red

# Eight H100 behind NVSwitches, with fabric manager.
NODE = load(whole("kubelet-survives-reboot/good-node-nodeadm-starts-it") / "node.json")
HEALTH, COUNT = "gpus-healthy", "gpu-count-complete"
FABRIC, LOG = "fabric-manager-runs", "kernel-log-clean"
BUSES = ("53", "64", "75", "86", "97", "A8", "B9", "CA")
GPU = """\
GPU 00000000:{bus}:00.0
    Product Name                          : NVIDIA H100 80GB HBM3
    Product Brand                         : NVIDIA
    Persistence Mode                      : Enabled
    MIG Mode
        Current                           : Disabled
        Pending                           : Disabled
    PCI
        Bus                               : 0x{bus}
        State                             : somewhere else
    ECC Mode
        Current                           : Enabled
    ECC Errors
        Volatile
            SRAM Correctable              : 0
            DRAM Uncorrectable            : {errors}
        Aggregate
            DRAM Uncorrectable            : 41
    Remapped Rows
        Correctable Error                 : 0
        Uncorrectable Error               : 0
        Pending                           : {pending}
        Remapping Failure Occurred        : {failed}
        Bank Remap Availability Histogram
            Max                           : 2560 bank(s)
    Temperature
        GPU Current Temp                  : 31 C
    Fabric
        State                             : {state}
        Status                            : {status}
        CliqueId                          : 0
"""
HEAD = """
==============NVSMI LOG==============

Timestamp                                 : Tue Sep  2 09:14:31 2025
Driver Version                            : 570.172.08
CUDA Version                              : 12.8

Attached GPUs                             : 8
"""
LOST = (
    "Unable to determine the device handle for GPU0000:CA:00.0: GPU is lost.  Reboot the system to recover this GPU\n"
)
XID = "[ 9123.4] NVRM: Xid (PCI:0000:ca:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."


def log(state: str = "Completed", status: str = "Success", count: int = 8, **said: str) -> str:
    told = {"errors": "0", "pending": "No", "failed": "No", "state": state, "status": status} | said
    return HEAD + "".join(GPU.format(bus=bus, **told) for bus in BUSES[:count])


def asked(text: str, *, code: int = 0, age: str = "1200", node: Recording = NODE) -> Recording:
    return but(node, part("nvidia-smi", text, code=code), part("fabric age", age))


def test_eight_that_answer_are_well() -> None:
    for name in (HEALTH, COUNT, FABRIC, LOG):
        assert of(asked(log()), name).verdict is Verdict.PASS


@pytest.mark.parametrize("text", [HEAD + LOST, LOST, log(count=7) + LOST, log().replace("Enabled", "GPU is lost", 1)])
def test_a_gpu_that_is_lost_stays_on_the_bus_and_in_proc(text: str) -> None:
    lost = asked(text, code=15)
    assert red(lost) == {HEALTH}
    [found] = [each for each in of(lost, HEALTH).findings if each.verdict is Verdict.FAIL]
    assert "the driver has lost the GPU" in found.message


def test_its_xid_is_told_with_it_and_not_once_more() -> None:
    lost = but(asked(LOST, code=255), part("kernel log", XID))
    assert red(lost) == {HEALTH}
    [found] = of(lost, HEALTH).findings
    assert [each.says for each in found.related] == [f"the kernel's log says: {XID}"]
    other = but(asked(LOST, code=255), part("kernel log", XID.replace("ca:00", "53:00")))
    assert red(other) == {HEALTH, LOG}


@pytest.mark.parametrize(
    ("state", "status", "age", "verdict"),
    [
        ("In Progress", "N/A", "12", Verdict.UNKNOWN),
        ("In Progress", "N/A", "", Verdict.UNKNOWN),
        ("In Progress", "N/A", "900", Verdict.FAIL),
        ("Completed", "Insufficient Resources", "12", Verdict.FAIL),
        ("Not Started", "N/A", "900", Verdict.FAIL),
        ("N/A", "N/A", "900", Verdict.PASS),
        ("Not Supported", "N/A", "900", Verdict.PASS),
    ],
)
def test_a_fabric_manager_that_runs_is_as_good_as_its_fabric(
    state: str, status: str, age: str, verdict: Verdict
) -> None:
    assert of(asked(log(state, status), age=age), FABRIC).verdict is verdict


@pytest.mark.parametrize(
    ("text", "code", "verdict"),
    [
        ("unasked: nothing has the GPUs open, and asking would initialise them", 0, Verdict.SKIP),
        ("", 124, Verdict.UNKNOWN),
        ("Failed to initialize NVML: Unknown Error", 255, Verdict.UNKNOWN),
        ("No devices were found", 6, Verdict.UNKNOWN),
    ],
)
def test_what_it_did_not_say_does_not_pass(text: str, code: int, verdict: Verdict) -> None:
    assert of(asked(text, code=code), HEALTH).verdict is verdict
    assert of(NODE, COUNT).verdict is Verdict.PASS, "an older recording is judged as before"


def test_libraries_of_another_version_are_one_finding() -> None:
    replaced = asked(
        "Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 570.195", code=18
    )
    assert red(replaced) == {"driver-fits"}
    assert of(replaced, HEALTH).verdict is Verdict.SKIP


FUNCTION = script.text()
FUNCTION = FUNCTION[FUNCTION.index("ask_smi() {") : FUNCTION.index("if [ -e /proc/driver/nvidia/version ]")]


def run_it(
    tmp_path: Path, program: str, held: str = "true", call: str = "driver_says"
) -> subprocess.CompletedProcess[str]:
    smi = tmp_path / "nvidia-smi"
    smi.write_text(f"#!/bin/sh\n{program}\n")
    smi.chmod(0o755)
    whole = f"held_open() {{ {held}; }}\n{FUNCTION}\n{call}"
    path = f"{tmp_path}:{os.environ['PATH']}"
    return subprocess.run(["sh", "-c", whole], capture_output=True, text=True, check=False, env={"PATH": path})


def test_of_hundreds_of_lines_those_are_kept_that_are_judged(tmp_path: Path) -> None:
    (tmp_path / "said").write_text(log() + LOST)
    ran = run_it(tmp_path, f"cat {tmp_path}/said; exit 15")
    assert ran.returncode == 15
    assert "Temperature" not in ran.stdout
    assert "somewhere else" not in ran.stdout
    assert "41" not in ran.stdout
    assert of(asked(ran.stdout, code=15), HEALTH).verdict is Verdict.FAIL
    (tmp_path / "said").write_text(log("Completed", "Insufficient Resources"))
    kept = run_it(tmp_path, f"cat {tmp_path}/said").stdout
    assert of(asked(kept), FABRIC).verdict is Verdict.FAIL


def test_what_nobody_has_open_is_not_initialised_for_a_question(tmp_path: Path) -> None:
    ran = run_it(tmp_path, f"touch {tmp_path}/ran", held="false")
    assert ran.stdout.startswith("unasked: ")
    assert not (tmp_path / "ran").exists()


@pytest.mark.long
def test_one_that_hangs_is_left_after_its_time(tmp_path: Path) -> None:
    ran = run_it(tmp_path, "exec sleep 60")
    assert (ran.returncode, ran.stderr) == (124, "nvidia-smi -q gave no answer in 15 s\n")


@pytest.mark.parametrize(
    ("said", "verdict", "words"),
    [
        ({"failed": "Yes", "pending": "Yes", "errors": "3"}, Verdict.FAIL, "no spare rows"),
        ({"pending": "Yes"}, Verdict.FAIL, "only a reset"),
        ({"errors": "2"}, Verdict.FAIL, "could not mend"),
        ({"pending": "N/A", "failed": "N/A", "errors": "N/A"}, Verdict.PASS, ""),
    ],
)
def test_memory_that_is_broken(said: dict[str, str], verdict: Verdict, words: str) -> None:
    found = of(asked(log(**said)), HEALTH)  # type: ignore[arg-type]
    assert found.verdict is verdict
    assert all(words in each.message for each in found.findings)
    assert len(found.findings) == (8 if words else 0)
    assert {each.severity for each in found.findings} <= {
        Severity.WARNING if said == {"errors": "2"} else Severity.ERROR
    }


INFOROM = "WARNING: infoROM is corrupted at gpu 0000:CA:00.0\n"


def test_a_corrupted_inforom_is_told_of_its_gpu_though_nvidia_smi_ends_with_14() -> None:
    [found] = of(asked(log() + INFOROM, code=14), HEALTH).findings
    assert found.message == "the infoROM of the GPU 00000000:ca:00.0 is corrupted"


@pytest.mark.parametrize(
    ("action", "remedy"), [("GPU Reset", "--gpu-reset"), ("Node Reboot", "reboot it"), ("None", "")]
)
def test_a_gpu_that_the_driver_wants_recovered(action: str, remedy: str) -> None:
    text = log(count=1).replace(
        "    Temperature\n", f"    GPU Recovery Action                   : {action}\n    Temperature\n"
    )
    found = of(asked(text), HEALTH).findings
    assert [remedy in (each.remedy or "") for each in found] == ([True] if remedy else [])


LINKS = "GPU 0: NVIDIA H100 80GB HBM3 (UUID: GPU-5f3c)\n\t Link 0: 26.562 GB/s\n\t Link 1: {state}\n"


@pytest.mark.parametrize(
    ("state", "code", "verdict"),
    [("26.562 GB/s", 0, Verdict.PASS), ("<inactive>", 0, Verdict.FAIL), ("<inactive>", 3, Verdict.UNKNOWN)],
)
def test_behind_switches_every_link_is_up(state: str, code: int, verdict: Verdict) -> None:
    node = but(asked(log()), part("nvlink", LINKS.format(state=state), code=code))
    assert of(node, HEALTH).verdict is verdict


def test_of_cards_without_switches_nobody_knows_how_many_links_there_should_be() -> None:
    product = part("product", "PowerEdge R760xa")
    bus = part("bus", "0000:ca:00.0 0x10de 0x2331 0x030200 nvidia")
    node = but(asked(log(count=1)), part("nvlink", LINKS.format(state="<inactive>")), product, bus)
    assert of(node, HEALTH).verdict is Verdict.PASS


def test_its_links_are_asked_for_in_the_same_way(tmp_path: Path) -> None:
    (tmp_path / "said").write_text(LINKS.format(state="<inactive>") + "chatter\n")
    ran = run_it(tmp_path, f"cat {tmp_path}/said", call=f"kept={tmp_path}/kept; smi={tmp_path}/nvidia-smi; links_up")
    assert ran.stdout == LINKS.format(state="<inactive>")


def on_disk(*lines: str) -> Recording:
    """A node whose cards are on the bus, and whose driver is not loaded."""
    gone = [part(name, "", code=1) for name in ("driver", "params", "driven")]
    return but(NODE, part("on disk", "\n".join(lines)), part("modules", ""), *gone)


@pytest.mark.parametrize(
    ("lines", "told"),
    [
        (["kernel 6.8.0-60", "module 6.8.0-60 /lib/modules/6.8.0-60/updates/dkms/nvidia.ko.zst"], False),
        (["kernel 6.8.0-60", "module 6.8.0-59 /lib/modules/6.8.0-59/updates/dkms/nvidia.ko.zst"], True),
        (["kernel 6.8.0-60"], False),
    ],
)
def test_a_module_of_another_kernel_alone_is_told(lines: list[str], told: bool) -> None:
    found = of(on_disk(*lines), "driver-fits").findings
    assert any("was built for another one" in each.message for each in found) is told
