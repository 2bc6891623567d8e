"""How often the node checks of one host cross the network: commands that a real sshd was asked to run."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from bench.measure import NotMeasured, nodeworthy_ms
from tests.real.sshd import Sshd
from tests.real.tools import Tools, find


def round_trips() -> float:
    if os.geteuid() != 0:
        raise NotMeasured("only root may start an sshd")
    if find("sshd") is None:
        raise NotMeasured("there is no sshd")
    with tempfile.TemporaryDirectory() as temporary:
        home = Path(temporary)
        with Sshd(Tools(required=False), home, "LogLevel VERBOSE") as sshd:
            # This machine is no GPU node: what the rules say of it is not what is measured.
            command = ("node", "ssh://node", "--ssh-config", str(sshd.config))
            nodeworthy_ms(*command, cwd=home, exits=(0, 1, 3), times=1)
            return float(sshd.sessions)
