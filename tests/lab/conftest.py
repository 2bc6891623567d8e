"""What tests in booted nodes share: whether this machine can boot any."""

from __future__ import annotations

import pytest

from nodeworthy.lab import needs

MISSED = pytest.StashKey[set[str]]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[MISSED] = set()


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


@pytest.fixture(scope="session")
def lab(pytestconfig: pytest.Config) -> None:
    """Nodes can be booted here."""
    do_without(pytestconfig, needs.missing())
