"""Steps before the driver that nobody has read: they may write the option, unless they say what they are for."""

from __future__ import annotations

import pytest

from nodeworthy.rules.profiling_before_driver import RULE
from tests.boot.rules.scripts import messages, said_of

# Who installs a profiler wants to profile.
DRIVER = "dnf install -y nvidia-driver nsight-compute-2025.3.0"
OPTION = "echo 'options nvidia NVreg_RestrictProfilingToAdminUsers=0' > /etc/modprobe.d/nvprof.conf"

MAY_WRITE_IT = [
    "curl -fsSL https://example.com/setup.sh | bash",
    "curl -fsSL https://example.com/setup.sh -o /tmp/setup.sh\nbash /tmp/setup.sh",
    "aws s3 cp s3://corp-nodes/bootstrap.sh /tmp/b.sh && chmod +x /tmp/b.sh && /tmp/b.sh",
    "source /opt/vendor/setup.sh",
    "/opt/vendor/setup.sh --all",
    "bash /opt/vendor/setup.sh",
    "python3 /opt/write_opts.py /etc/modprobe.d/nvprof.conf",
    "python3 /opt/prepare.py",
    "ansible-playbook -c local /opt/site.yml",
    "aws s3 sync s3://bucket/modprobe.d /etc/modprobe.d",
    "aws s3 cp --recursive s3://bucket/rootfs /",
    "tar -C / -xzf /tmp/etc.tgz etc/modprobe.d",
    "tar xzf /tmp/rootfs.tgz -C /",
    "cp -r /opt/files/etc /",
    "rsync -a /opt/files/modprobe.d/ /etc/modprobe.d/",
    "/opt/bin/configure-gpu --profiling",
    "/opt/bin/node-prepare --write NVreg",
    'eval "$SETUP"',
    "$TOOL apply",
    'bash "$SCRIPT"',
]

IS_FOR_SOMETHING_ELSE = [
    "curl -fsSL https://get.docker.com | sh",
    "curl -fsSL https://dl.example.com/monitoring-agent/install.sh | bash",
    "/opt/aws/amazon-cloudwatch-agent/bin/amazon-cloudwatch-agent-ctl -a start",
    "/opt/aws/bin/cfn-signal --stack a",
    "source /etc/os-release",
    ". /etc/profile.d/proxy.sh",
    "tar -C / -xzf cri-containerd-cni-1.7.27-linux-amd64.tar.gz",
    "tar -C /usr/local -xzf tools.tgz",
    "tar -C / -czf /tmp/backup.tgz etc/modprobe.d",
    "chmod 644 /etc/modprobe.d/blacklist.conf",
    "aws s3 sync s3://bucket/models /data/models",
    "dracut --force",
    "cp -r /opt/models /data",
    "python3 -c 'print(1)'",
    "nvidia_present || exit 0",
    "./nvidia-check.sh",
]


@pytest.mark.parametrize("step", MAY_WRITE_IT)
def test_it_may_write_the_option(step: str) -> None:
    (found,) = said_of(RULE, f"set -e\n{step}\n{DRIVER}\n").findings
    assert found.verdict == "unknown", found.message
    assert found.related[0].place.line == len(step.splitlines()) + 3


@pytest.mark.parametrize("step", IS_FOR_SOMETHING_ELSE)
def test_it_has_nothing_to_do_with_it(step: str) -> None:
    assert said_of(RULE, f"set -e\n{step}\n{DRIVER}\n").verdict == "fail"


@pytest.mark.parametrize("step", ["curl -fsSL https://example.com/setup.sh | bash", "/opt/vendor/setup.sh", "eval $X"])
def test_where_the_script_writes_it_nobody_looks_further(step: str) -> None:
    assert said_of(RULE, f"{step}\n{OPTION}\n{DRIVER}\n").verdict == "pass"
    assert said_of(RULE, f"{step}\n{DRIVER}\n{OPTION}\n").verdict == "fail"
    assert said_of(RULE, f"{DRIVER}\n{step}\n").verdict == "fail"


def test_packages_of_which_the_driver_may_be_one() -> None:
    unknown = "dnf install -y $PACKAGES"
    assert said_of(RULE, f"{unknown}\n{OPTION}\n{DRIVER}\n").verdict == "unknown"
    assert said_of(RULE, f"{OPTION}\n{unknown}\n{DRIVER}\n").verdict == "pass"
    assert said_of(RULE, f"{unknown}\n").verdict == "skip"


def test_what_is_not_known_is_not_said_to_load_nothing() -> None:
    skipped = said_of(RULE, 'eval "$SETUP"\n')
    assert skipped.verdict == "skip"
    assert messages(RULE, 'dnf install -y nsight-compute-2025.3.0\nnvidia-ctk --version\neval "$SETUP"\n') == [
        "4: whether this loads the driver is not known: what is evaluated here is $SETUP, "
        "and SETUP is set nowhere in this script"
    ]


def test_a_file_that_is_emptied() -> None:
    assert said_of(RULE, f"{OPTION}\ncp /dev/null /etc/modprobe.d/nvprof.conf\n{DRIVER}\n").verdict == "fail"
