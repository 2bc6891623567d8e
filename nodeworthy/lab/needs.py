"""What this machine must have before a node can be booted on it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

PROGRAMS = ("mmdebstrap", "systemd-nspawn", "unshare", "nsenter", "dpkg-deb", "rpmbuild", "createrepo_c")
FILE_SYSTEMS = ("cgroup2", "overlay")
DEBIAN_PACKAGES = ("createrepo-c", "mmdebstrap", "rpm", "systemd-container", "util-linux")


def missing() -> list[str]:
    """What is not here; empty where nodes can be booted."""
    wanting = [] if os.geteuid() == 0 else ["root"]
    wanting += [program for program in PROGRAMS if shutil.which(program) is None]
    known = Path("/proc/filesystems")
    there = known.read_text().split() if known.exists() else []
    return wanting + [f"the kernel's {name}" for name in FILE_SYSTEMS if name not in there]
