"""The pytest plugin behind `nodes/`. Installed with the library, and inert until a conftest turns it on.

Nothing heavy is imported here: every pytest run of an environment in which nodeworthy is installed loads this file.
A conftest turns the suite on with `pytest_addoption = nodeworthy.suite.plugin.add`.
"""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from nodeworthy.errors import MissingExtra

if TYPE_CHECKING:
    import pytest

    from nodeworthy.suite.session import Suite


# What the node suite takes on pytest's command line, besides testinfra's own --hosts, --ssh-config and the like.

# Where pytest keeps them; nobody else has these names.
PREFIX = "nodeworthy_"


DEFAULTS = {"--deadline": "30s", "--max-workers": "16"}
_OPTIONS = (
    ("--fleet", "FILE", "the fleet to judge by: a Pulumi.<stack>.yaml"),
    ("--stack", "NAME", "the stack whose fleet it is"),
    ("--pool", "NAME", "the pool of the fleet that these hosts are of"),
    ("--record", "DIR", "keep what each host said, without secrets, one file a host"),
    ("--deadline", "TIME", "how long a host may take (30s)"),
    ("--wait", "TIME", "look again until every boot has ended, this long at most (10m)"),
    ("--max-workers", "N", "hosts asked at once (16)"),
)
_SWITCHES = (
    ("--show-skipped", "list what had nothing to judge, and why (as -rs does)"),
    ("--show-unknown", "say of warnings what is unknown, too, and not only that something is"),
)


def add(parser: pytest.Parser) -> None:
    """A conftest's `pytest_addoption`: turns the suite on. The plugin's own would take these names from everybody."""
    import pytest

    if importlib.util.find_spec("testinfra") is None:
        raise pytest.UsageError(str(MissingExtra("the node suite", "nodes")))
    group = parser.getgroup("nodeworthy")
    for name, metavar, meaning in _OPTIONS:
        dest = PREFIX + name.strip("-").replace("-", "_")
        group.addoption(name, dest=dest, metavar=metavar, default=DEFAULTS.get(name), help=meaning)
    for name, meaning in _SWITCHES:
        group.addoption(name, dest=PREFIX + name.strip("-").replace("-", "_"), action="store_true", help=meaning)


def is_on(config: pytest.Config) -> bool:
    return hasattr(config.option, f"{PREFIX}deadline")


def value(config: pytest.Config, name: str) -> str | None:
    said: str | None = getattr(config.option, PREFIX + name)
    return said


def is_switched_on(config: pytest.Config, name: str) -> bool:
    return bool(getattr(config.option, PREFIX + name, False))


KEY = "_nodeworthy_suite"
FIXTURE = "node_verdict"


def pytest_configure(config: pytest.Config) -> None:

    if is_on(config):
        from nodeworthy.suite.session import Suite

        if is_switched_on(config, "show_skipped") and "s" not in config.option.reportchars:
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
