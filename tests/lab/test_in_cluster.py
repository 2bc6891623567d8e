"""What a Job of `node --in-cluster` runs, run beside a booted node as its pod would: it sees the node's processes, and
shares neither files nor network with it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from nodeworthy.collect.in_cluster.job import Terms
from nodeworthy.collect.in_cluster.looking import recording
from nodeworthy.collect.node import collector
from nodeworthy.collect.node.asked import AskedHost
from nodeworthy.collect.node.pools import Declared
from nodeworthy.collect.node.recording import Recording
from nodeworthy.engine import judge
from nodeworthy.lab.images import layers
from nodeworthy.lab.node import Node
from nodeworthy.rules import rule
from nodeworthy.verdict import Verdict

SCRIPT = b"#!/bin/sh\n%s\n"
TERMS = Terms("ab12", "image", "60s", "2m", 300, 300, None)

pytestmark = pytest.mark.usefixtures("lab")


def said_of(script: bytes) -> Recording:
    with Node(layers("debian"), SCRIPT % script, hostname="gpu-booted") as node:
        node.boot()
        beside = [
            "nsenter",
            "--target",
            str(node.pid()),
            "--pid",
            "unshare",
            "--mount",
            "--uts",
            "--net",
            "--mount-proc",
        ]
        path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
        command = [*beside, *TERMS.command()]
        ran = subprocess.run(command, capture_output=True, env={**os.environ, "PATH": path}, timeout=200, check=False)
    assert (ran.returncode, ran.stderr) == (0, b"")
    return recording("node://gpu-booted", ran.stdout, "")


@pytest.mark.parametrize(("script", "expected"), [(b":", Verdict.PASS), (b"exit 7", Verdict.FAIL)])
def test_a_booted_node_is_read_and_judged(script: bytes, expected: Verdict) -> None:
    found = said_of(script)
    assert (found.unreached, found.by_name["name"].stdout, found.parts[-1].name) == (None, "gpu-booted", "done")
    scene = collector.scene(AskedHost(found.host, found), Declared(None))
    (judgement,) = judge([scene], [rule("boot-finished")], rule("rule-crashed"))
    assert judgement.verdict is expected, [each.message for each in judgement.findings]
