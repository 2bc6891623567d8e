"""What loads kernel modules, and what only looks as if it did."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import How, Installs, LoadsModule, NotUnderstood, Writes
from nodeworthy.known.containerd import defaults
from tests.boot.commands.calls import printed, ran, told


def modules(line: str) -> list[str]:
    return [
        ("-" if effect.unloads else "") + " ".join([effect.module, *effect.options])
        for effect in ran(line).effects
        if isinstance(effect, LoadsModule)
    ]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("modprobe nvidia", ["nvidia"]),
        ("modprobe -v nvidia NVreg_RestrictProfilingToAdminUsers=0", ["nvidia NVreg_RestrictProfilingToAdminUsers=0"]),
        ("modprobe nvidia NVreg_A=${VALUE}", ["nvidia NVreg_A=${VALUE}"]),
        ("modprobe nvidia-uvm", ["nvidia", "nvidia_uvm"]),
        ("modprobe -a br_netfilter overlay", ["br_netfilter", "overlay"]),
        ("modprobe br_netfilter overlay", ["br_netfilter overlay"]),
        ("modprobe -r nvidia_uvm nvidia", ["-nvidia_uvm", "-nvidia"]),
        ("modprobe --remove nvidia", ["-nvidia"]),
        ("modprobe -n nvidia", []),
        ("modprobe --dry-run nvidia", []),
        ("modprobe -c", []),
        ("modprobe --show-depends nvidia", []),
        ("modprobe", []),
        ("insmod /lib/modules/6.1/extra/nvidia.ko NVreg_A=0", ["nvidia NVreg_A=0"]),
        ("insmod nvidia-uvm.ko.xz", ["nvidia_uvm"]),
        ("rmmod nvidia_drm nvidia", ["-nvidia_drm", "-nvidia"]),
        ("nvidia-smi", ["nvidia"]),
        ("nvidia-smi -pm 1", ["nvidia"]),
        ("nvidia-modprobe", ["nvidia"]),
        ("nvidia-modprobe -u -c=0", ["nvidia", "nvidia_uvm"]),
        ("nvidia-persistenced --user nvidia-persistenced", ["nvidia"]),
        ("dcgmi diag -r 1", ["nvidia"]),
        ("nvidia-ctk system create-dev-char-symlinks --create-all", ["nvidia"]),
        ("nvidia-ctk system create-device-nodes --load-kernel-modules", ["nvidia"]),
        ("nvidia-ctk system create-device-nodes --control-devices", []),
        ("nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml", ["nvidia"]),
        ("nvidia-ctk cdi list", []),
        ("nvidia-ctk --version", []),
        ("nvidia-ctk runtime configure --runtime=docker", []),
        ("dkms autoinstall", []),
        ("update-initramfs -u", []),
        ("dracut --force", []),
        ("depmod -a", []),
        ("lsmod", []),
        ("modinfo nvidia", []),
    ],
)
def test_modules(line: str, expected: list[str]) -> None:
    assert modules(line) == expected


@pytest.mark.parametrize("line", ["modprobe ${MODULE}", "insmod ${FILE}", "rmmod ${MODULE}", "modprobe -r ${MODULE}"])
def test_a_module_that_is_not_known_may_be_any(line: str) -> None:
    (gap,) = ran(line).effects
    assert isinstance(gap, NotUnderstood)
    assert "nvidia" in gap.text


def test_every_load_says_why() -> None:
    for line in ("modprobe nvidia-uvm", "nvidia-smi", "nvidia-modprobe -u", "systemctl start nvidia-persistenced"):
        assert all(each.because for each in ran(line).effects if isinstance(each, LoadsModule)), line


RUN = "NVIDIA-Linux-x86_64-570.86.15.run"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (f"./{RUN} --silent", ["nvidia"]),
        (f"/tmp/{RUN} -s --dkms", ["nvidia"]),
        (f"{RUN} --silent --no-kernel-modules", []),
        (f"{RUN} --no-kernel-module -s", []),
        (f"{RUN} -x", []),
        (f"{RUN} --extract-only", []),
        (f"{RUN} --uninstall -s", []),
        ("NVIDIA-Linux-x86_64-${VERSION}.run -s", ["nvidia"]),
        ("${INSTALLER}.run -s", ["nvidia"]),
        ("cuda_12.4.0_550.54.14_linux.run --silent", ["nvidia"]),
        ("cuda_12.4.0_550.54.14_linux.run --silent --driver", ["nvidia"]),
        ("cuda_12.4.0_550.54.14_linux.run --silent --toolkit", []),
        ("cuda_12.4.0_550.54.14_linux.run --silent --toolkit --driver", ["nvidia"]),
        ("cuda_12.4.0_550.54.14_linux.run --extract=/tmp/x", []),
        ("fabricmanager-linux-x86_64.run", []),
        ("nvidia-installer --silent", ["nvidia"]),
    ],
)
def test_installers_in_one_file(line: str, expected: list[str]) -> None:
    assert modules(line) == expected


def test_an_installer_installs_first() -> None:
    effects = ran(f"sh-less/{RUN} --silent").effects
    assert isinstance(effects[0], Installs)
    assert effects[0].manager == ".run"
    assert effects[0].packages[0].known == RUN
    removal = ran(f"./{RUN} --uninstall").effects[0]
    assert isinstance(removal, Installs)
    assert removal.removes


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("nvidia-ctk runtime configure", "/etc/docker/daemon.json"),
        ("nvidia-ctk runtime configure --runtime=containerd --set-as-default", defaults().config),
        ("nvidia-ctk runtime configure --runtime containerd --config /var/snap/c.toml", "/var/snap/c.toml"),
        ("nvidia-ctk runtime configure --runtime=crio", "/etc/crio/crio.conf"),
    ],
)
def test_the_toolkit_edits_the_runtimes_file(line: str, path: str) -> None:
    (effect,) = ran(line).effects
    assert isinstance(effect, Writes)
    assert (effect.path.known, effect.how, effect.whole) == (path, How.EDIT, None)


def test_a_cdi_file_is_written_after_the_gpus_were_read() -> None:
    line = "nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml"
    assert [each.partition(" ")[0] for each in told(ran(line))] == ["LoadsModule", "Writes"]
    assert printed(ran("nvidia-ctk cdi generate")) == "$(nvidia-ctk cdi generate)\n"


def test_grubby_edits_the_kernels_command_line() -> None:
    line = "grubby --update-kernel=ALL --args=nvidia.NVreg_RestrictProfilingToAdminUsers=0"
    assert told(ran(line)) == [
        "Writes path=/etc/default/grub how=edits expressions=nvidia.NVreg_RestrictProfilingToAdminUsers=0",
        "Runs arguments=grubby,--update-kernel=ALL,--args=nvidia.NVreg_RestrictProfilingToAdminUsers=0",
    ]
    assert told(ran("grubby --info=ALL")) == []
