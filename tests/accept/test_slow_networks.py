"""Who is slow in a network that is slow: four nodes as network namespaces on a bridge, each with the program for real, and
the kernel's own shapers on one link. Needs torch, root, and the tools of iproute2."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from nodeworthy import programs
from tests.accept.recordings import NONCE, job, write
from tests.run import Ran, run_json

PYTHON = Path(os.environ.get("NODEWORTHY_TORCH", "/nowhere"))
LAUNCH = Path(programs.__file__).with_name("launch.py")
COUNT = 4
NAMES = [f"gpu-{number}" for number in range(1, COUNT + 1)]
# Of every cable, far below what processors reach between namespaces however busy they are; and of one that is slow.
WELL, SLOW = "200mbit", "60mbit"
# What a cable that is well has by far, and a slow one has not.
PROMISED = """config:
  nodeworthy:fleet:
    cluster: {name: gpu-dev}
    accept:
      network: {node: 13MB/s}
    pools:
      h100: {instanceType: p5.48xlarge}
"""
SMALL = {
    "NODEWORTHY_PAYLOADS": "65536",
    "NODEWORTHY_PAIR_BYTES": str(2 << 20),
    "NODEWORTHY_STREAM_SECONDS": "1",
    "NODEWORTHY_BARRIER": "120",
    "NODEWORTHY_NODES": str(COUNT),
    "NODEWORTHY_GPUS": "1",
    "NODEWORTHY_DEADLINE": "270",
    "MASTER_ADDR": "10.231.7.1",
    "GLOO_SOCKET_IFNAME": "eth0",
    "OMP_NUM_THREADS": "1",
}

pytestmark = [
    pytest.mark.skipif(not PYTHON.exists(), reason="no torch: `make test-accept` runs these"),
    pytest.mark.skipif(os.geteuid() != 0 or not shutil.which("tc"), reason="needs root, and ip and tc of iproute2"),
]


def do(words: str) -> None:
    subprocess.run(words.split(), check=True, capture_output=True, timeout=60)


class Network:
    """Each node has an address, and one cable to a bridge: what it sends leaves at its own end, what it receives at the
    bridge's."""

    def __init__(self) -> None:
        self.name = f"nw{os.getpid() % 10_000}"
        self.spaces = [f"{self.name}-{number}" for number in range(1, COUNT + 1)]

    def build(self) -> None:
        do(f"ip link add {self.name} type bridge")
        do(f"ip link set {self.name} up")
        for number, space in enumerate(self.spaces, start=1):
            do(f"ip netns add {space}")
            do(f"ip link add {self.port(number)} type veth peer name eth0 netns {space}")
            do(f"ip link set {self.port(number)} master {self.name} up")
            do(f"ip -n {space} addr add 10.231.7.{number}/24 dev eth0")
            do(f"ip -n {space} link set eth0 up")
            do(f"ip -n {space} link set lo up")
            self.shape_sender(number, WELL)

    def port(self, number: int) -> str:
        return f"{self.name}p{number}"

    def shape_sender(self, number: int, rate: str) -> None:
        do(f"tc -n {self.spaces[number - 1]} qdisc replace dev eth0 root tbf rate {rate} burst 64kb latency 500ms")

    def slow_receiver(self, number: int) -> None:
        do(f"tc qdisc add dev {self.port(number)} root tbf rate {SLOW} burst 64kb latency 500ms")

    def slow_path(self, one: int, other: int) -> None:
        """What one sends to the other, and nothing else that it sends."""
        space = self.spaces[one - 1]
        do(f"tc -n {space} qdisc replace dev eth0 root handle 1: htb default 10")
        do(f"tc -n {space} class add dev eth0 parent 1: classid 1:10 htb rate {WELL}")
        do(f"tc -n {space} class add dev eth0 parent 1: classid 1:20 htb rate {SLOW}")
        to = f"match ip dst 10.231.7.{other}/32 flowid 1:20"
        do(f"tc -n {space} filter add dev eth0 parent 1: protocol ip prio 1 u32 {to}")

    def remove(self) -> None:
        for space in self.spaces:
            with suppress(subprocess.CalledProcessError):
                do(f"ip netns delete {space}")
        with suppress(subprocess.CalledProcessError):
            do(f"ip link delete {self.name}")


@pytest.fixture
def network() -> Iterator[Network]:
    network = Network()
    try:
        network.build()
        yield network
    finally:
        network.remove()


def measured(network: Network, folder: Path) -> Ran:
    begun = []
    for rank, (name, space) in enumerate(zip(NAMES, network.spaces, strict=True)):
        (folder / name).mkdir()
        environment = {**os.environ, **SMALL, "NODEWORTHY_NONCE": NONCE, "NODEWORTHY_NODE": name}
        environment |= {"NODE_RANK": str(rank), "NODEWORTHY_SCRATCH": str(folder / name)}
        command = ["ip", "netns", "exec", space, str(PYTHON), str(LAUNCH), "multi-node=260"]
        begun.append(subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True))
    logs = {f"{name}.log": each.communicate(timeout=300)[0] for name, each in zip(NAMES, begun, strict=True)}
    recorded = write(folder, [job("multi-node", nodes=NAMES)], logs)
    (folder / "Pulumi.dev.yaml").write_text(PROMISED)
    rules = ("--rule", "gpus-alike", "--rule", "storage-fast-enough")
    return run_json(
        "accept", "--from", str(recorded), "--fleet", "Pulumi.dev.yaml", *rules, "--show-passed", cwd=folder
    )


def blamed(ran: Ran) -> list[str]:
    assert [each["state"] for each in ran.report["runs"]] != ["error"], ran.out
    assert any(each["measures"] for each in ran.report["runs"]), ran.out
    return [each["message"] for each in ran.findings if each["verdict"] == "fail"]


def slow(node: str, direction: str) -> str:
    """Beside what the collectives show, by the network that everything else uses."""
    return f"network_gbps direction={direction} streams=4 is slow on {node}"


def test_nobody_is_blamed_in_a_network_that_is_well(network: Network, tmp_path: Path) -> None:
    assert blamed(measured(network, tmp_path)) == []


def test_a_node_that_sends_slowly(network: Network, tmp_path: Path) -> None:
    network.shape_sender(3, SLOW)
    assert blamed(measured(network, tmp_path)) == [
        "gpu-3 sends slowly to every partner, and receives as its peers do",
        slow("gpu-3", "out"),
    ]


def test_a_node_that_receives_slowly(network: Network, tmp_path: Path) -> None:
    network.slow_receiver(2)
    assert blamed(measured(network, tmp_path)) == [
        "gpu-2 receives slowly from every partner, and sends as its peers do",
        slow("gpu-2", "in"),
    ]


def test_a_slow_node(network: Network, tmp_path: Path) -> None:
    network.shape_sender(4, SLOW)
    network.slow_receiver(4)
    assert blamed(measured(network, tmp_path)) == [
        "gpu-4 sends and receives slowly",
        slow("gpu-4", "in"),
        slow("gpu-4", "out"),
    ]


def test_a_slow_path(network: Network, tmp_path: Path) -> None:
    network.slow_path(2, 3)
    assert blamed(measured(network, tmp_path)) == [
        "the path between gpu-2 and gpu-3 is slow each time, and both are well with all others"
    ]
