"""What the node suite takes on pytest's command line, besides testinfra's own --hosts, --ssh-config and the like."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING

from nodeworthy.errors import MissingExtra

if TYPE_CHECKING:
    import pytest

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


def switched(config: pytest.Config, name: str) -> bool:
    return bool(getattr(config.option, PREFIX + name, False))
