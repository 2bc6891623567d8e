"""What tests against real programs share: the programs, and servers that are started once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import LoadScopeScheduling

from tests.warm import warm_python

from .control_plane import ControlPlane
from .pulumi_cli import PASSPHRASE
from .tools import Tools

TOOLS = pytest.StashKey[Tools]()
# Where tests run side by side, those of one file stay together, and so do those of these files:
# they look at all processes of this machine, or start what others of them would see there.
OF_ONE_MACHINE = ("test_cloud_init", "test_containerd", "test_node", "test_slurm")
# They share an API server, which takes seconds to start.
OF_ONE_SERVER = ("test_control_plane", "test_diagnose", "test_print_role", "test_repair")
# What takes minutes is begun first: begun last, it keeps one worker busy while the others have nothing to do.
LONGEST_FIRST = (
    *(
        "test_rollout_stops",
        "test_rollout_goes_on",
        "test_rollout_story",
        OF_ONE_SERVER[0],
        "test_differential",
        "test_audit_drift",
        "test_secrets",
    ),
    *("test_policy_pack", "test_mutations", "test_up_moto", "test_use_it_on_your_stack", "test_firewall_on_node"),
    *("test_dry_run", "test_firewall", "test_nft_on_node", OF_ONE_MACHINE[0]),
    *("test_accept_live", "test_accept_ended", "test_accept_gate"),
)


def pytest_configure(config: pytest.Config) -> None:
    config.stash[TOOLS] = Tools(required=config.getoption("--require-tools"))
    # Else files with many tests come first, which are the quick ones.
    config.option.loadscopereorder = False


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: at for at, name in enumerate(LONGEST_FIRST)}
    items.sort(key=lambda item: places.get(_scope(item.path), len(places)))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """Two a core: these tests wait for servers more than they work."""
    return 2 * (os.cpu_count() or 1)


class Together(LoadScopeScheduling):
    """Not by xdist_group: what xdist 3 adds to a test's id for it, pytest 9 does not tell any more."""

    def _split_scope(self, nodeid: str) -> str:
        return _scope(Path(nodeid.partition("::")[0]))


def _scope(path: Path) -> str:
    for group in (OF_ONE_MACHINE, OF_ONE_SERVER):
        if path.stem.startswith(group):
            return group[0]
    return path.stem


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Together:
    return Together(config, log)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """What one of several workers had to do without is told to the one that sums up."""
    if hasattr(session.config, "workeroutput"):
        session.config.workeroutput["missed"] = sorted(session.config.stash[TOOLS].missed)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    node.config.stash[TOOLS].missed.update(node.workeroutput.get("missed", ()))


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


@pytest.fixture(scope="session")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with warm_python(tmp_path_factory.mktemp("warm")) as python:
        yield python


@pytest.fixture
def programs_start_warm(warm: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that this process previews, with the passphrase of the real CLI's stacks."""
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", PASSPHRASE)
    monkeypatch.setattr("nodeworthy.collect.plan.project._python", lambda root, virtualenv: warm)
