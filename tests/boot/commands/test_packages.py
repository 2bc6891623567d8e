"""Package managers: what is installed, and whether that loads the nvidia module."""

from __future__ import annotations

import pytest

from nodeworthy.boot.effects import AddsRepository, Installs, LoadsModule, NotUnderstood, Runs
from tests.boot.commands.calls import ran, told


def installs(line: str) -> list[tuple[str, ...]]:
    return [
        (effect.manager, *(package.shown() for package in effect.packages))
        for effect in ran(line).effects
        if isinstance(effect, Installs)
    ]


LOADS = [
    "dnf install -y nvidia-driver",
    "dnf -y install kmod-nvidia-latest-dkms nvidia-driver-cuda",
    "dnf install -y nvidia-driver-cuda",
    "dnf module install -y nvidia-driver:latest-dkms",
    "dnf install -y @nvidia-driver:570-open",
    "dnf --disablerepo='*' --enablerepo cuda install -y cuda-drivers-570",
    "dnf install -y nvidia-open-570.86.15",
    "dnf reinstall -y kmod-nvidia",
    "dnf install -y cuda",
    "dnf5 install cuda-12-4",
    "microdnf install -y nvidia-driver",
    "yum localinstall -y ./nvidia-driver-570.86.15-1.el9.x86_64.rpm",
    "yum install -y https://example.com/repo/kmod-nvidia-570.rpm",
    "dnf install -y nvidia-driver-${VERSION}",
    "dnf install -y nvidia-driver-*",
    "dnf install -y ${EXTRA} nvidia-driver",
    "apt-get install -y nvidia-driver-570-server",
    "apt-get -o Dpkg::Options::=--force-confold -y install nvidia-headless-570-server nvidia-utils-570-server",
    "apt install -y linux-modules-nvidia-570-server-aws",
    "apt-get install nvidia-driver-570=570.86.15-0ubuntu1",
    "apt-get install -y cuda-drivers-fabricmanager-570",
    "apt-get install -y cuda-runtime-12-4",
    "apt-get install -y ./nvidia-driver-570_570.86_amd64.deb",
    "apt-get install -y nvidia-dkms-${DRIVER_BRANCH}-server",
    "aptitude install nvidia-driver-570:amd64",
    "dpkg -i /tmp/nvidia-driver-570_570.86_amd64.deb",
    "rpm -ivh kmod-nvidia-570.rpm",
    "rpm --upgrade https://example.com/nvidia-driver-570.rpm",
    "zypper --non-interactive install -r cuda nvidia-open-driver-G06-signed-kmp-default",
    "zypper in nvidia-gfxG06-kmp-default",
    "ubuntu-drivers autoinstall",
    "ubuntu-drivers install --gpgpu nvidia:570-server",
    "amazon-linux-extras install -y nvidia-driver",
]


@pytest.mark.parametrize("line", LOADS)
def test_a_drivers_package_loads_the_module(line: str) -> None:
    effects = ran(line).effects
    assert isinstance(effects[0], Installs)
    (load,) = [effect for effect in effects if isinstance(effect, LoadsModule)]
    assert (load.module, load.unloads) == ("nvidia", False)
    assert not [effect for effect in effects if isinstance(effect, NotUnderstood)]


LOADS_NOTHING = [
    "dnf install -y cuda-toolkit-12-4",
    "dnf install -y nvidia-container-toolkit nvidia-fabric-manager",
    "dnf install -y nvidia-fabricmanager-570 nvidia-driver-libs",
    "dnf install -y kernel-devel-$(uname -r) gcc make",
    "dnf install -y containerd-${VERSION} kubelet-${K8S}",
    "dnf remove -y nvidia-driver",
    "dnf install --downloadonly -y nvidia-driver",
    "dnf download nvidia-driver",
    "dnf install -y --setopt=tsflags=noscripts nvidia-driver",
    "dnf install -y --setopt tsflags=noscripts nvidia-driver",
    "dnf --installroot=/mnt install -y nvidia-driver",
    "dnf module enable -y nvidia-driver:570-open",
    "dnf update -y",
    "dnf list installed nvidia-driver",
    "dnf info nvidia-driver",
    "yum install -y https://example.com/epel/epel-release-latest-${V}.noarch.rpm",
    "apt-get update",
    "apt-get install -y nvidia-utils-570 libnvidia-compute-570 libnvidia-container-tools",
    "apt-get install -y linux-headers-$(uname -r) dkms",
    "apt-get install --download-only nvidia-driver-570",
    "apt-get install -d nvidia-driver-570",
    "apt-get install -s nvidia-driver-570",
    "apt-get download nvidia-driver-570",
    "apt-get purge -y nvidia-driver-570",
    "apt-get install -y nvidia-driver-570-",
    "apt-get install nvidia-headless-no-dkms-570",
    "apt-mark hold nvidia-driver-570",
    "apt-cache policy nvidia-driver-570",
    "dpkg -i cuda-keyring_1.1-1_all.deb",
    "dpkg -i nvidia-driver-local-repo-ubuntu2204-570.deb",
    "dpkg --unpack nvidia-driver-570.deb",
    "dpkg -l nvidia-driver-570",
    "rpm -i cuda-repo-rhel9-12-4-local.rpm",
    "rpm -q nvidia-driver",
    "rpm -i --noscripts nvidia-driver.rpm",
    "rpm -e nvidia-driver",
    "zypper install --download-only nvidia-gfxG06-kmp-default",
    "pip install nvidia-ml-py",
    "conda install -y cuda-toolkit",
    "snap install nvtop",
    "ubuntu-drivers devices",
]


@pytest.mark.parametrize("line", LOADS_NOTHING)
def test_what_loads_nothing(line: str) -> None:
    assert not [effect for effect in ran(line).effects if isinstance(effect, LoadsModule | NotUnderstood)]


@pytest.mark.parametrize(
    "line",
    [
        "dnf install -y ${PACKAGES}",
        "apt-get install -y curl ${NVIDIA_PACKAGE}",
        "apt-get install -y nvidia-${WHAT}",
        "apt-get install -y n*",
        "dnf install -y '*nvidia*'",
        "rpm -i /tmp/${RPM}",
        "dpkg -i /tmp/*.deb",
    ],
)
def test_packages_that_are_not_known_may_be_the_driver(line: str) -> None:
    install, gap = ran(line).effects
    assert isinstance(install, Installs)
    assert isinstance(gap, NotUnderstood)
    assert "nvidia" in gap.text
    assert gap.why.startswith(("among the packages is ", "what is installed is a pattern"))


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("dnf -q -y --nogpgcheck install a b", [("dnf", "a", "b")]),
        ("dnf -c /etc/x.conf install a", [("dnf", "a")]),
        ("yum groupinstall -y 'Development Tools'", [("yum", "Development Tools")]),
        ("dnf swap -y a b", [("dnf", "a"), ("dnf", "b")]),
        ("apt-get -qq -y --no-install-recommends install a", [("apt-get", "a")]),
        ("apt-get install -t jammy-backports a", [("apt-get", "a")]),
        ("apt-get install a b-", [("apt-get", "a"), ("apt-get", "b-")]),
        ("apt-get -y upgrade", [("apt-get",)]),
        ("snap install kubelet-eks --classic --channel=1.30/stable", [("snap", "kubelet-eks")]),
        ("pip3 install -r requirements.txt torch", [("pip", "torch", "-r requirements.txt")]),
        ("uv pip install torch", [("pip", "torch")]),
        ("npm install -g yarn", [("npm", "yarn")]),
        ("apk add --no-cache curl", [("apk", "curl")]),
        ("pacman -S --noconfirm nvidia-open", [("pacman", "nvidia-open")]),
        ("zypper -n in -t pattern devel_basis", [("zypper", "devel_basis")]),
        ("amazon-linux-extras install docker", [("amazon-linux-extras", "docker")]),
        ("helm upgrade --install op nvidia/gpu-operator -n gpu", [("helm", "nvidia/gpu-operator")]),
        ("helm install --generate-name oci://example.com/chart", [("helm", "oci://example.com/chart")]),
        ("efa_installer.sh -y -g", [("efa_installer.sh", "efa")]),
    ],
)
def test_what_is_installed(line: str, expected: list[tuple[str, ...]]) -> None:
    assert installs(line) == expected


def test_a_removal_says_so() -> None:
    for line in (
        "dnf remove a",
        "apt-get purge a",
        "rpm -e a",
        "zypper rm a",
        "snap remove a",
        "apk del a",
        "dpkg -r a",
    ):
        (effect,) = ran(line).effects
        assert isinstance(effect, Installs)
        assert effect.removes, line


@pytest.mark.parametrize(
    ("line", "repository"),
    [
        ("dnf config-manager --add-repo https://example.com/cuda.repo", "https://example.com/cuda.repo"),
        ("dnf config-manager addrepo --from-repofile=https://example.com/x.repo", "https://example.com/x.repo"),
        ("yum-config-manager --add-repo ${REPOSITORY}", "${REPOSITORY}"),
        ("add-apt-repository -y ppa:graphics-drivers/ppa", "ppa:graphics-drivers/ppa"),
        ("dnf copr enable a/b", "a/b"),
        ("zypper addrepo https://example.com/x.repo cuda", "https://example.com/x.repo"),
        ("amazon-linux-extras enable docker", "docker"),
        ("helm repo add nvidia https://example.com/charts", "https://example.com/charts"),
    ],
)
def test_repositories(line: str, repository: str) -> None:
    (effect,) = ran(line).effects
    assert isinstance(effect, AddsRepository)
    assert effect.repository.shown() == repository


@pytest.mark.parametrize(
    "line", ["dnf makecache", "apt-get clean", "rpm --import https://x/key", "dnf config-manager --enable x"]
)
def test_the_rest_only_runs(line: str) -> None:
    (effect,) = ran(line).effects
    assert isinstance(effect, Runs)


def test_the_installation_comes_before_the_module() -> None:
    assert [each.partition(" ")[0] for each in told(ran("dnf install -y nvidia-driver"))] == ["Installs", "LoadsModule"]
