"""What tests in booted nodes share: whether this machine can boot any."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from nodeworthy.lab import host_requirements

MISSED = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MISSED] = set()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two a core: these tests wait for nodes more than they work."""
    return 2 * (os.cpu_count() or 1)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    if missed := config.stash[MISSED]:
        terminalreporter.section("not proven", yellow=True)
        terminalreporter.line(f"no node was booted, for want of: {', '.join(sorted(missed))}")


def do_without(config: pytest.Config, missing: list[str]) -> None:
    """Skips, loudly; fails where the tests were told that everything is there."""
    if not missing:
        return
    config.stash[MISSED].update(missing)
    if config.getoption("--require-tools"):
        pytest.fail(f"not here: {', '.join(missing)} (--require-tools)", pytrace=False)
    pytest.skip(f"not here: {', '.join(missing)}")


@pytest.fixture(scope="session", autouse=True)
def users_cache() -> Iterator[None]:
    """What nodes are made of is kept where their user keeps it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", os.environ.get("USERS_CACHE_HOME", ""))
        yield


@pytest.fixture(scope="session")
def lab(pytestconfig: pytest.Config) -> None:
    """Nodes can be booted here."""
    do_without(pytestconfig, host_requirements.missing())
