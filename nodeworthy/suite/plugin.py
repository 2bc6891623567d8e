"""The pytest plugin behind `nodes/`. Installed with the library, and inert until a conftest turns it on.

Nothing heavy is imported here: every pytest run of an environment in which nodeworthy is installed loads this file.
A conftest turns the suite on with `pytest_addoption = nodeworthy.suite.options.add`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from nodeworthy.suite.session import Suite

KEY = "_nodeworthy_suite"
FIXTURE = "node_verdict"


def pytest_configure(config: pytest.Config) -> None:
    from nodeworthy.suite.options import is_on, switched

    if is_on(config):
        from nodeworthy.suite.session import Suite

        if switched(config, "show_skipped") and "s" not in config.option.reportchars:
            config.option.reportchars += "s"
        setattr(config, KEY, Suite(config))


def suite_of(config: pytest.Config) -> Suite | None:
    return getattr(config, KEY, None)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if FIXTURE in metafunc.fixturenames:
        from nodeworthy.suite.session import parametrize

        parametrize(metafunc, suite_of(metafunc.config))


def pytest_unconfigure(config: pytest.Config) -> None:
    suite = suite_of(config)
    if suite is not None:
        suite.close()
