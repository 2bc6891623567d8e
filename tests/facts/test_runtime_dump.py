"""Where a containerd listens, as `containerd config dump` of its releases prints it."""

from __future__ import annotations

import tomllib

import pytest

from nodeworthy.documents.tree import plant
from nodeworthy.facts.containerd.runtimes import address
from nodeworthy.known.containerd import containerd_of
from nodeworthy.verdict import Place

SOCKET = containerd_of("k3s").socket
# Of 2.2.9: a table of its own.
THIRD = f"version = 3\n\n[grpc]\n  address = '{SOCKET}'\n  tcp_address = ''\n"
# Of 2.3.3: a plugin, beside others that have an address too.
FOURTH = f"""\
version = 4

[plugins]
  [plugins.'io.containerd.server.v1.debug']
    address = ''

  [plugins.'io.containerd.server.v1.grpc']
    address = '{SOCKET}'

  [plugins.'io.containerd.server.v1.ttrpc']
    address = '{SOCKET}.ttrpc'
"""


@pytest.mark.parametrize("dump", [THIRD, FOURTH])
def test_where_it_listens(dump: str) -> None:
    assert address(plant(tomllib.loads(dump), Place())) == SOCKET


def test_one_that_does_not_say_it() -> None:
    assert address(plant({"version": 3, "grpc": {"tcp_address": ""}}, Place())) is None
