from __future__ import annotations

import pytest

from tests.real.tools import Tools


@pytest.fixture(scope="session")
def tools(pytestconfig: pytest.Config) -> Tools:
    """The programs that judge shell; a test that has to do without one is skipped, and says so."""
    return Tools(required=pytestconfig.getoption("--require-tools"))
