"""The scripts, run: what they leave behind, in which order, twice, and where something fails."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest

from nodeworthy.known.containerd import registries
from tests.real.tools import Tools
from tests.userdata.families import POOLS, shells_of
from tests.userdata.machine import IMAGE_CONFIG, Machine

STAMPED = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d{4} ")
SHELLS = [pool for pool in POOLS if shells_of(pool)]
# One of each family at once; the scripts of its other GPUs share most of theirs.
FIRST = {pool.partition("-")[0]: pool for pool in reversed(SHELLS)}.values()
EACH = [pytest.param(pool, marks=() if pool in FIRST else pytest.mark.long) for pool in SHELLS]
CERTS_D, OF_DOCKER = registries().hosts
CACHE = "registry-ghcr.gpu-controlplane.svc.cluster.local"


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def boot(machine: Machine, pool: str) -> list[str]:
    said = []
    for shell in shells_of(pool):
        booted = machine.boots(shell)
        assert booted.code == 0, booted.said
        said += booted.said
    return said


@pytest.mark.parametrize("pool", EACH)
def test_a_second_boot_changes_nothing(machine: Machine, pool: str) -> None:
    boot(machine, pool)
    once = machine.files
    boot(machine, pool)
    assert machine.files == once


@pytest.mark.parametrize("pool", EACH)
def test_every_line_is_stamped_on_the_console_and_in_the_file(machine: Machine, pool: str) -> None:
    said = boot(machine, pool)
    assert all(STAMPED.match(line) for line in said)
    assert machine.read("/var/log/nodeworthy-boot.log").splitlines() == said
    assert said[-1].endswith("== done")


@pytest.mark.parametrize("pool", EACH)
def test_registries_are_trusted_and_found(machine: Machine, pool: str) -> None:
    boot(machine, pool)
    hosts = tomllib.loads(machine.read(f"{CERTS_D}/{CACHE}:5000/hosts.toml"))
    url = f"http://{CACHE}:5000"
    assert hosts == {"server": url, "host": {url: {"capabilities": ["pull", "resolve"]}}}
    assert f"172.20.0.11 {CACHE}\n" in machine.read("/etc/hosts")
    assert "harbor" not in machine.read("/etc/hosts")


@pytest.mark.parametrize("pool", EACH)
def test_storage_is_mounted_now_and_at_every_boot(machine: Machine, pool: str) -> None:
    boot(machine, pool)
    *_, entry = machine.read("/etc/fstab").splitlines()
    assert re.fullmatch(r"fs-\w+\.efs\.us-east-2\.amazonaws\.com:/ \S+/shared nfs4 \S+,_netdev,nofail 0 0", entry)
    machine.ran("mount")


@pytest.mark.parametrize("pool", [pool for pool in SHELLS if not pool.endswith(("cpu", "l4"))])
def test_profiling_is_allowed_before_anything_is_installed(machine: Machine, pool: str) -> None:
    for program in ("dnf", "yum", "apt-get", "modprobe"):
        machine.program(
            f"/bin/{program}", f'[ "$1" = update ] || grep -q NVreg {machine.root}/etc/modprobe.d/nvprof.conf || exit 1'
        )
    boot(machine, pool)
    option = "options nvidia NVreg_RestrictProfilingToAdminUsers=0\n"
    assert machine.read("/etc/modprobe.d/nvprof.conf") == option


def test_a_driver_that_was_loaded_without_the_option_is_told(machine: Machine) -> None:
    machine.write("/proc/driver/nvidia/params", "RmProfilingAdminOnly: 1\n")
    booted = machine.boots(shells_of("ubuntu22-t4")[0])
    assert booted.code == 1
    assert booted.said[-2].endswith("RmProfilingAdminOnly: 1")
    assert "FAILED in 'profiling, as the driver was loaded', line " in booted.said[-1]


@pytest.mark.parametrize("pool", ["al2023-a100", "al2-h100", "ubuntu24-h100"])
def test_fabric_manager_runs_after_the_driver(machine: Machine, pool: str) -> None:
    boot(machine, pool)
    installs = [call for call in machine.calls if "install" in call]
    [driver] = [
        place for place, call in enumerate(installs) if re.search("nvidia-(driver|open|headless)", " ".join(call))
    ]
    [manager] = [place for place, call in enumerate(installs) if re.search("nvidia-fabric", " ".join(call))]
    assert driver < manager
    machine.ran("systemctl", "enable", "--now", "nvidia-fabricmanager.service")


@pytest.mark.parametrize("pool", ["al2023-h100", "al2-a100"])
def test_nobody_waits_for_the_images_fabric_manager(machine: Machine, pool: str) -> None:
    boot(machine, pool)
    machine.ran("systemctl", "enable", "nvidia-fabricmanager.service")
    machine.ran("systemctl", "start", "--no-block", "nvidia-fabricmanager.service")


@pytest.mark.parametrize("pool", [pool for pool in SHELLS if pool.startswith("al2023")])
def test_on_al2023_kubelet_comes_back_by_nodeadm_and_by_itself(machine: Machine, pool: str) -> None:
    boot(machine, pool)
    machine.ran("systemctl", "enable", "nodeadm-run.service")
    machine.ran("systemctl", "enable", "kubelet.service")


@pytest.mark.parametrize("pool", [pool for pool in SHELLS if not pool.startswith("al2023")])
def test_kubelet_is_enabled_once_it_is_there(machine: Machine, pool: str) -> None:
    boot(machine, pool)
    unit = "kubelet.service" if pool.startswith("al2-") else "snap.kubelet-eks.daemon.service"
    assert machine.ran("bootstrap.sh", "gpu-dev") < machine.ran("systemctl", "enable", unit)


def test_without_docker_nothing_is_written_for_it(machine: Machine) -> None:
    assert any("no Docker here" in line for line in boot(machine, "al2-cpu"))
    assert not [name for name in machine.files if "docker" in name]


@pytest.mark.parametrize("said", ["", f"{{root}}{CERTS_D}:{OF_DOCKER}"])
def test_what_the_image_says_of_registries_is_kept_or_completed(machine: Machine, said: str) -> None:
    said = said.format(root=machine.root)
    machine.write(IMAGE_CONFIG, f'[plugins."io.containerd.grpc.v1.cri".registry]\nconfig_path = "{said}"\n')
    boot(machine, "ubuntu24-l4")
    assert machine.read(IMAGE_CONFIG).count("config_path") == 1
    assert f'"{said or str(machine.root) + CERTS_D}"' in machine.read(IMAGE_CONFIG)


def test_a_containerd_that_does_not_look_there_is_told(machine: Machine) -> None:
    machine.program("/bin/containerd", "echo 'config_path = \"\"'")
    *_, shell = shells_of("ubuntu24-l4")
    assert "FAILED in 'registries, as containerd reads them'" in machine.boots(shell).said[-1]


def test_docker_keeps_what_it_has(machine: Machine, tools: Tools) -> None:
    tools.path("jq")
    machine.real("jq")
    machine.program("/bin/docker")
    machine.write("/etc/docker/daemon.json", '{"log-driver": "local", "insecure-registries": ["old:5000"]}')
    boot(machine, "al2-cpu")
    boot(machine, "al2-cpu")
    config = json.loads(machine.read("/etc/docker/daemon.json"))
    quay = CACHE.replace("ghcr", "quay")
    assert config == {"log-driver": "local", "insecure-registries": ["old:5000", f"{CACHE}:5000", f"{quay}:5000"]}
    assert len([call for call in machine.calls if call[:2] == ["systemctl", "reload"]]) == 2


def test_the_firewall_is_raised_after_its_rules(machine: Machine) -> None:
    boot(machine, "ubuntu24-h100")
    rules = [" ".join(call) for call in machine.calls if call[0] == "ufw"]
    assert rules[-1] == "ufw --force enable"
    assert machine.ran("apt-get", "install", "-y", "ufw") < machine.ran("ufw")
    assert "ufw allow from 10.0.0.0/16 to any port 22 proto tcp" in rules
    assert "ufw route allow in on eni+ out on ens+" in rules
    assert "ufw allow from 192.168.0.0/20 to any port 30000:32767 proto tcp" in rules


def test_a_step_that_fails_stops_the_script_and_is_named(machine: Machine) -> None:
    machine.program("/bin/dnf", "echo no such package; printf 'and no end of line'; exit 3")
    [shell] = shells_of("al2023-t4")
    booted = machine.boots(shell)
    assert booted.code == 3
    *before, last = booted.said
    line = 1 + shell.splitlines().index(
        '    dnf install -y dkms "kernel*-devel-$(uname -r)" "kernel*-modules-extra-$(uname -r)"'
    )
    assert f"FAILED in 'NVIDIA driver 580.105.08', line {line}, status 3: dnf install" in last
    assert any("no such package" in each for each in before)
    assert not any(call[:1] == ["mount"] for call in machine.calls)


def test_without_its_storage_a_node_boots_and_says_so(machine: Machine) -> None:
    machine.program("/bin/mount", "exit 32")
    said = boot(machine, "al2023-cpu")
    assert any("WARNING: fs-0123456789abcdef0.efs.us-east-2.amazonaws.com:/ is not mounted" in line for line in said)
