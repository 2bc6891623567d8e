from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.policy.pack import Pack


@pytest.fixture(scope="session")
def started() -> Iterator[Pack]:
    with Pack() as pack:
        yield pack


@pytest.fixture
def pack(started: Pack) -> Pack:
    """The pack as a new deployment finds it; starting one takes most of a second."""
    started.configure_stack(None)
    started.configure()
    return started
