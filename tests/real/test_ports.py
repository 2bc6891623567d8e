"""The ports that servers of the tests get: nobody's who merely connects, and nobody's who listens."""

from __future__ import annotations

import socket
from pathlib import Path

from .ports import BLOCK, free_ports

KERNEL_GIVES_FROM = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text(encoding="ascii").split()[0])


def test_the_kernel_gives_none_of_them_to_a_client() -> None:
    ports = free_ports(BLOCK // 2)
    assert len(set(ports)) == BLOCK // 2
    assert max(ports) < KERNEL_GIVES_FROM


def test_none_is_given_on_which_somebody_listens() -> None:
    (port,) = free_ports(1)
    with socket.create_server(("127.0.0.1", port)):
        assert port not in free_ports(BLOCK // 2)
        assert port not in free_ports(BLOCK // 2 - 20)
    assert any(port in free_ports(1) for _ in range(BLOCK))
