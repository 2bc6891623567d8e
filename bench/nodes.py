"""What the checks of nodes cost: a host over ssh, beside vanilla testinfra; a thousand recordings; hosts that hang; a
node from its boot to its verdict."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from bench.measure import NotMeasured, nodeworthy_mb, nodeworthy_ms, run_ms
from tests.case_files import whole
from tests.real.sshd import Sshd
from tests.real.tools import Tools, find

RECORDED, HOSTS, HUNG, DEADLINE_SECONDS = 1_000, 200, 10, 20
CASE = whole("containerd-edit-survives/good-node-nodeadm") / "node.json"
HEALTHY = Path(__file__).parents[1] / "nodeworthy/lab/faults/healthy.sh"
# What people check of a node with testinfra, a command each, and what one look of ours reads as well.
FORTY = (
    *(
        f"cat {each}"
        for each in ("/etc/os-release", "/etc/fstab", "/proc/modules", "/proc/self/mounts", "/proc/cmdline")
    ),
    *(f"cat {each}" for each in ("/proc/net/route", "/proc/net/dev", "/proc/uptime", "/proc/swaps", "/proc/version")),
    *(f"uname -{each}" for each in "nrmo"),
    *(f"test -e /{each}" for each in ("etc/containerd", "etc/docker", "etc/ufw", "etc/rancher", "proc/driver/nvidia")),
    *(f"df -P {each}" for each in ("/", "/var", "/var/log")),
    *(f"pgrep -x {each}" for each in ("kubelet", "containerd", "dockerd", "chronyd", "nv-fabricmanager", "k3s")),
    *(f"command -v {each}" for each in ("nft", "iptables-save", "nvidia-smi", "nvidia-ctk", "containerd", "ufw")),
    *(
        "nft list ruleset",
        "iptables-save",
        "ls /sys/bus/pci/devices",
        "getent hosts localhost",
        "dmesg | tail -n 1",
        "id -u",
    ),
)


@contextmanager
def _server() -> Iterator[Path]:
    """The configuration that reaches a real sshd."""
    if os.geteuid() != 0 or find("sshd") is None:
        raise NotMeasured("there is no sshd, or only root may start it")
    with tempfile.TemporaryDirectory() as temporary, Sshd(Tools(required=False), Path(temporary)) as sshd:
        yield sshd.config


def look_ms() -> float:
    """One look at a host by all rules, over a connection that is open already."""
    with _server() as config:
        return _look_ms(config)


def share_of_testinfra() -> float:
    """Of its time for forty checks, each of which connects anew: ours connects once, looks and judges."""
    with _server() as config:
        return _look_ms(config, connects=True) / _vanilla_ms(config)


def _look_ms(config: Path, *, connects: bool = False) -> float:
    from nodeworthy.collect.node import backends, collector
    from nodeworthy.collect.node.asked import ask
    from nodeworthy.collect.node.connections import Connections
    from nodeworthy.collect.node.pools import Declared
    from nodeworthy.collect.node.specs import parse_all
    from nodeworthy.engine import judge
    from nodeworthy.rules import catalogue, rule

    connections = Connections(60)
    backends.register(connections)
    try:
        [host] = collector.hosts_of(parse_all(["ssh://node"]), collector.Asking(60, ssh_config=str(config)))
        rules = catalogue()
        taken = []
        for _ in range(3):
            if connects:
                for each in connections.opened:
                    each.close()
            else:
                host.run("true")
            started = time.perf_counter()
            found = judge([collector.scene(ask(host), Declared(None))], rules, rule("rule-crashed"))
            taken.append((time.perf_counter() - started) * 1000)
            if not any(each.rule.id == "clock-right" for each in found):
                raise NotMeasured("nothing was judged")
        return min(taken)
    finally:
        connections.close()


def _vanilla_ms(config: Path) -> float:
    """In a process of its own, where testinfra's backends are testinfra's."""
    told = "import testinfra, time; "
    told += f"host = testinfra.get_host('ssh://node', ssh_config={str(config)!r}); began = time.perf_counter(); "
    told += f"[host.run(each) for each in {FORTY!r}]; print(time.perf_counter() - began)"
    ran = subprocess.run([sys.executable, "-c", told], capture_output=True, text=True, timeout=300, check=False)
    if ran.returncode:
        raise NotMeasured(f"testinfra: {ran.stderr.strip()[-100:]}")
    return float(ran.stdout) * 1000


@cache
def _template() -> str:
    return CASE.read_text(encoding="utf-8")


def recordings(folder: Path) -> Path:
    found = folder / "recordings"
    if not found.exists():
        found.mkdir()
        for at in range(RECORDED):
            text = _template().replace("ip-10-0-17-41", f"ip-10-0-{at // 250}-{at % 250}")
            (found / f"{at:04}.json").write_text(text, encoding="utf-8")
    return found


def replay_ms(folder: Path) -> float:
    found = recordings(folder)
    return nodeworthy_ms("node", f"replay:{found}", "--quiet", cwd=folder, exits=(0, 1, 3), times=1)


def replay_mb(folder: Path) -> float:
    return nodeworthy_mb("node", f"replay:{recordings(folder)}", cwd=folder)


# Stands in the place of ssh: 200 real servers on one machine would measure the machine. It answers with a recording,
# framed with the nonce of whoever asks; h0 to h9 never do.
STAND_IN = """#!/bin/sh
for last; do [ "$last" = exit ] && exit; done
case " $* " in *" h"[0-9]" "*) exec sleep 3600 ;; esac
nonce=$(printf '%s' "$last" | grep -o '@@[0-9a-f]\\{16\\}' | head -n 1)
sed "s/@@NONCE/$nonce/" {folder}/stdout
sed "s/@@NONCE/$nonce/" {folder}/stderr >&2
"""


def deadlines_with_some_hung(folder: Path) -> float:
    """How many deadlines it takes to look at all of them."""
    place = folder / "hung"
    place.mkdir(exist_ok=True)
    _frames(place)
    (place / "ssh").write_text(STAND_IN.replace("{folder}", str(place)), encoding="utf-8")
    (place / "ssh").chmod(0o755)
    command = [sys.executable, "-m", "nodeworthy", "node", *(f"ssh://h{at}" for at in range(HOSTS))]
    reached = ["env", f"PATH={place}:{os.environ['PATH']}", *command, "--deadline", f"{DEADLINE_SECONDS}s"]
    report = place / "report.json"
    ms = run_ms([*reached, "--format", "json", "--output", str(report)], cwd=folder, exits=(1, 3), times=1)
    unseen = [each for each in json.loads(report.read_text())["findings"] if each["rule"] == "looked-at"]
    if len(unseen) != HUNG:
        raise NotMeasured(f"{len(unseen)} hosts were not seen, and {HUNG} hang")
    return ms / 1000 / DEADLINE_SECONDS


def _frames(place: Path) -> None:
    """What a node has said, as the script that reads it prints it."""
    said: dict[str, list[str]] = {"stdout": [], "stderr": []}
    for each in json.loads(_template())["parts"]:
        for stream, lines in said.items():
            lines += [f"@@NONCE begin 1.00 {each['name']}", *each.get(stream, []), f"@@NONCE end 1.01 {each['exit']}"]
    for stream, lines in said.items():
        (place / stream).write_text("\n".join(lines) + "\n", encoding="utf-8")


def boot_to_verdict_ms() -> float:
    from nodeworthy.lab import host_requirements
    from nodeworthy.lab.images import layers
    from nodeworthy.lab.node import Node

    if wanting := host_requirements.missing():
        raise NotMeasured(f"no node can be booted here: {', '.join(wanting)}")
    lower = layers(host_requirements.WITH_STORAGE)
    started = time.perf_counter()
    with Node(lower, HEALTHY.read_bytes(), "node") as node:
        node.boot()
        command = ("node", f"nsenter://{node.pid()}", "--wait", "2m")
        nodeworthy_ms(*command, cwd=Path.cwd(), exits=(0, 1, 3), times=1)
        return (time.perf_counter() - started) * 1000
