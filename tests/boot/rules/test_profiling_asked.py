"""Who asks for profiling: without a sign of it a script that installs a driver hears nothing of the option."""

from __future__ import annotations

from pathlib import Path

import pytest

from nodeworthy.boot.effects import Effect
from nodeworthy.engine import Judgement, judge
from nodeworthy.facts.profiling.asked import ProfilingAsked
from nodeworthy.rules.profiling_before_driver import RULE
from nodeworthy.rules.rule_crashed import RULE as CRASHED
from nodeworthy.scene import make_scene
from nodeworthy.verdict import Place
from tests.boot.rules.boots import joins, load, script, write
from tests.boot.rules.scripts import messages, said_of
from tests.run import run

DRIVER = "dnf install -y gcc make cuda jq"

NOBODY = [
    "true",
    "# NVreg_RestrictProfilingToAdminUsers=0 would let everyone profile",
    "dnf remove -y nsight-compute-2025.3.0",
    "dnf install -y cuda-toolkit-13-0",
    "echo profile > /etc/profile.d/site.sh",
    "nvidia-smi -q | grep -i perf",
    "if grep -q RmProfilingAdminOnly /proc/driver/nvidia/params; then echo profiling; fi",
    "echo 'ERR_NVGPUCTRPERM? ask the platform team'",
    "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=1' > /etc/modprobe.d/nvidia.conf",
    "echo 'options nvidia \"NVreg_RestrictProfilingToAdminUsers=1\" NVreg_EnableGpuFirmware=1' >> /etc/modprobe.d/a.conf",
]

SOMEBODY = [
    "dnf install -y nsight-compute-2025.3.0",
    "dnf install -y nsight-systems-cli",
    "/opt/nvidia/nsight-compute/ncu --target-processes all ./bench",
    "nsys profile --gpu-metrics-devices=all ./bench",
    "cat > /etc/motd <<< 'ERR_NVGPUCTRPERM? ask the platform team'",
    "k3s agent --node-label gpu.monitoring/profiling-dedicated=true",
]


@pytest.mark.parametrize("step", NOBODY)
def test_nobody_asks(step: str) -> None:
    judgement = said_of(RULE, f"{DRIVER}\n{step}\n")
    assert judgement.verdict == "skip"
    assert "nobody asks for profiling" in (judgement.why or "")


@pytest.mark.parametrize("step", SOMEBODY)
def test_somebody_asks(step: str) -> None:
    (found,) = said_of(RULE, f"{DRIVER}\n{step}\n").findings
    assert found.verdict == "fail", found.message
    assert found.related[-1].place.line == 3


def test_beside_a_sign_the_default_is_wrong() -> None:
    script = f"{DRIVER}\n{NOBODY[-2]}\n{SOMEBODY[0]}\n"
    (found,) = said_of(RULE, script).findings
    assert found.verdict == "fail"


@pytest.mark.parametrize(("value", "code"), [("1", 0), ("0x1", 1), ("2", 1)])
def test_a_file_of_modprobe_that_says_the_default_asks_for_nothing(tmp_path: Path, value: str, code: int) -> None:
    file = tmp_path / "files" / "etc" / "modprobe.d" / "nvidia.conf"
    file.parent.mkdir(parents=True)
    file.write_text(f"# by Ansible\noptions nvidia NVreg_RestrictProfilingToAdminUsers={value}\n", encoding="utf-8")
    ran = run("check", "files", cwd=tmp_path)
    assert ran.code == code, ran.out


def test_the_package_that_loads_the_module_is_named() -> None:
    (found,) = said_of(RULE, f"{DRIVER}\ndnf install -y nsight-compute-2025.3.0\n").findings
    assert found.is_ == "the driver's package cuda loads it when it is installed"
    assert messages(RULE, f"{DRIVER}\n{SOMEBODY[0]}\n") == [
        "2: the driver is loaded, and nothing writes the profiling option before"
    ]


def test_a_label_that_says_no_asks_for_nothing() -> None:
    def labelled(value: str) -> Effect:
        return joins(30, how="kubeadm", labels=(("gpu.monitoring/profiling-dedicated", value),))

    assert _beside(load(23), labelled("true")).verdict == "fail"
    assert _beside(load(23), labelled("false")).verdict == "skip"
    assert said_of(RULE, f"{DRIVER}\nL=gpu.monitoring/profiling-dedicated=false\n").verdict == "skip"


def test_a_pod_beside_the_script_asks() -> None:
    judgement = _beside(load(23), sign=ProfilingAsked(Place("pod.yaml", 4), "pod 'bench' wants profiling: it runs ncu"))
    assert judgement.verdict == "fail"
    assert judgement.findings[0].related[-1].place.path == "pod.yaml"


def test_beside_a_file_of_modprobe_nobody_knows_whether_it_gets_there() -> None:
    sign = ProfilingAsked(Place("files/nvprof.conf", 1), "it is set here", may_be_the_option=True)
    judgement = _beside(load(23), sign=sign)
    assert judgement.verdict == "unknown"
    assert "files/nvprof.conf" in judgement.findings[0].message
    assert (
        _beside(load(23), write(30, "options nvidia NVreg_RestrictProfilingToAdminUsers=0"), sign=sign).verdict
        == "fail"
    )


def _beside(*effects: Effect, sign: ProfilingAsked | None = None) -> Judgement:
    (judgement,) = judge([make_scene([script(*effects), *([sign] if sign is not None else [])])], [RULE], CRASHED)
    assert judgement.crashed is None, judgement.findings
    return judgement


def test_words_in_parts_are_read_where_they_stand() -> None:
    assert said_of(RULE, "ncu ./bench\n").verdict == "skip"
    (found,) = said_of(RULE, f"{DRIVER}\necho 'see ERR_NVGPUCTRPERM' > /etc/motd\n").findings
    assert (found.related[-1].place.line, found.related[-1].says) == (3, "ERR_NVGPUCTRPERM stands here")
