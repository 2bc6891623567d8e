"""What tests against real programs share: the programs, and servers that are started once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from .control_plane import ControlPlane
from .tools import Tools

TOOLS = pytest.StashKey[Tools]()


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TOOLS] = Tools(required=config.getoption("--require-tools"))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """A skip is easily overlooked: what was not proven for want of a program is said once more."""
    if missed := config.stash[TOOLS].missed:
        terminalreporter.section("not proven", yellow=True)
        terminalreporter.line(f"for want of: {', '.join(sorted(missed))} (make tools)")


@pytest.fixture(scope="session")
def tools(pytestconfig: pytest.Config) -> Tools:
    return pytestconfig.stash[TOOLS]


@pytest.fixture(scope="session")
def control_plane(tools: Tools) -> Iterator[ControlPlane]:
    """An API server without controllers: objects stay exactly as they were created."""
    with ControlPlane(tools) as plane:
        yield plane
