"""What this machine must have before a node can be booted on it."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

PROGRAMS = ("mmdebstrap", "systemd-nspawn", "setpriv", "unshare", "nsenter", "dpkg-deb", "rpmbuild", "createrepo_c")
FILE_SYSTEMS = ("cgroup2", "overlay")
# The image whose shared storage is served by a program of its own.
WITH_STORAGE = "gpu-node"
FUSE = Path("/dev/fuse")
NAMESPACES = ("unshare", "--mount", "--net", "--pid", "--fork", "--propagation", "private", "true")
PROBE_SECONDS = 30


def missing(image: str = WITH_STORAGE) -> list[str]:
    """What is not here; empty where nodes can be booted from this image."""
    wanting = [] if os.geteuid() == 0 else ["root"]
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if not wanting and "unshare" not in absent and not _may_make_namespaces():
        wanting.append("the right to make namespaces, which a container has only where it is privileged")
    there = _file_systems()
    wanting += [*absent, *(f"the kernel's {name}" for name in FILE_SYSTEMS if name not in there)]
    if image == WITH_STORAGE and "fuse" not in there and not _opens(FUSE):
        wanting.append("the kernel's fuse (/dev/fuse), by which a node's shared storage is served: modprobe fuse")
    return wanting


def _file_systems() -> list[str]:
    known = Path("/proc/filesystems")
    return known.read_text().split() if known.exists() else []


def _opens(device: Path) -> bool:
    """Opening it also loads the module, where there is one."""
    try:
        os.close(os.open(device, os.O_RDWR))
    except OSError:
        return False
    return True


def _may_make_namespaces() -> bool:
    try:
        ran = subprocess.run(NAMESPACES, capture_output=True, timeout=PROBE_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return ran.returncode == 0
