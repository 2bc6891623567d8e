"""NVIDIA's installer is known by its name, though the version in it may not be."""

from __future__ import annotations

import pytest

from tests.boot.walk.told import told


@pytest.mark.parametrize("start", ["sh ", "bash -x ", "", "sudo "])
def test_its_version_may_be_unknown(start: str) -> None:
    [installs, loads] = told(f"VERSION=$(cat /etc/driver)\n{start}./NVIDIA-Linux-x86_64-$VERSION.run --silent\n")
    assert installs.startswith("installs NVIDIA-Linux-x86_64-")
    assert installs.endswith(".run with .run")
    assert loads.startswith("may load the module nvidia")


def test_any_other_name_is_not_guessed() -> None:
    assert told('sh "./$(ls)" --silent')[0].startswith(
        "? the script here is ./$(ls), and $(ls) is known only on the node"
    )
