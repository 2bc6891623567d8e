"""The real CLI with the pack, and the embedded preview: same resources, same inputs, same unknowns, same violations.

Nothing is compared by exit code alone: a policy that could not run exits 0 too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from nodeworthy.collect.pack.enforcement import reads_what_is_known_late
from nodeworthy.known.containerd import containerd_of, defaults
from nodeworthy.known.operator_parts import CONFIG, SOCKET
from nodeworthy.rules import catalogue

from . import agreement, projects
from .agreement import Embedded
from .pulumi_cli import Preview, PulumiCli
from .tools import Tools

BASE_DIR = "/var/lib/k8s-containerd/k8s-containerd"  # the incident's
SNAP = {"gpu": "h200", "gpusPerNode": 8, "distribution": "k8s-snap", "provision": False}
INCIDENT = {**SNAP, "containerdBaseDir": BASE_DIR}
RULE = "containerd-paths"


def env(**variables: str | None) -> dict[str, Any]:
    return {"toolkit": {"env": [{"name": name, "value": value} for name, value in variables.items()]}}


STOCK, OURS = defaults(), containerd_of("k8s-snap", BASE_DIR)
FIXED = env(**{CONFIG: OURS.config, SOCKET: OURS.socket, "CONTAINERD_RUNTIME_CLASS": "nvidia"})
WRONG = env(**{CONFIG: OURS.config, SOCKET: STOCK.socket})
NOTHING: Mapping[str, Any] = {"toolkit": {"env": []}}


@dataclass(frozen=True)
class Both:
    cli: Preview
    embedded: Embedded

    def agree(self) -> None:
        """On everything but the exit code, which each spells in its own way."""
        theirs, ours = agreement.resources(self.cli), self.embedded.resources
        assert theirs, self.cli.output
        assert sorted(ours) == sorted(theirs)
        assert ours == theirs
        said = sorted(map(str, agreement.violations(self.cli)))
        assert sorted(map(str, self.embedded.findings)) == said
        assert "can't run policy" not in self.cli.output

    def levels(self, rule: str) -> set[str]:
        return {each.level for each in self.cli.violations if each.policy == rule}

    def verdicts(self, rule: str) -> set[str]:
        return {each["verdict"] for each in self.embedded.findings if each["rule"] == rule}


Make = Callable[[Path], Path]


@pytest.fixture
def both(tools: Tools, tmp_path: Path, warm: str) -> Callable[..., Both]:
    program = tools.path("pulumi")

    def run(make: Make, stack: str = projects.STACK, *, from_cold: bool = False) -> Both:
        cli = PulumiCli(program, make(tmp_path / "made"), tmp_path / "cli")
        cli.init(stack)
        if not from_cold:
            projects.started_warm(cli.project, warm)
        # Both on the very same files: the CLI's copy.
        with ThreadPoolExecutor(1) as beside:
            embedded = beside.submit(Embedded.of, cli.project, stack)
            return Both(cli.preview(stack, agreement.PACK), embedded.result())

    return run


def on(pools: Mapping[str, Any], values: Mapping[str, Any] | None) -> Make:
    return lambda folder: projects.platform(folder, projects.fleet(pools, values))


@pytest.mark.parametrize("stack", ["ci", "prod"])
def test_our_stacks_are_clean_but_for_what_is_not_known_yet(both: Callable[..., Both], stack: str) -> None:
    ran = both(projects.ours, stack, from_cold=True)
    ran.agree()
    assert ran.cli.exit_code == 0
    # A first preview can't know the scripts that its nodes boot with: that is told of each, and blocks nothing.
    late = {each.id for each in catalogue() if reads_what_is_known_late(each)}
    assert {(each.level, each.policy in late) for each in ran.cli.violations} == {("advisory", True)}
    assert all("cannot be verified yet" in each.message for each in ran.cli.violations)
    assert ran.embedded.exit_code == 3
    assert len(ran.embedded.resources) > 25
    assert ran.embedded.report["evaluated"]["verdicts"] > 0


@pytest.mark.parametrize(
    ("pools", "values"),
    [
        pytest.param({"onprem": INCIDENT}, NOTHING, id="the incident"),
        pytest.param({"onprem": INCIDENT}, WRONG, id="a wrong socket"),
        pytest.param({"plain": SNAP}, FIXED, id="another cluster's right values"),
        pytest.param({"one": INCIDENT, "two": SNAP}, FIXED, id="two pools, one operator"),
    ],
)
def test_a_wrong_path_is_blocked_by_both(both: Callable[..., Both], pools: Any, values: Any) -> None:
    ran = both(on(pools, values))
    ran.agree()
    assert (ran.cli.exit_code, ran.embedded.exit_code) == (1, 1)
    assert ran.levels(RULE) == {"mandatory"}
    assert ran.verdicts(RULE) == {"fail"}
    assert all(each["remedy"] and each["line"] for each in agreement.violations(ran.cli))


@pytest.mark.parametrize(
    ("pools", "values"),
    [
        pytest.param({"onprem": INCIDENT}, FIXED, id="the incident's fix"),
        pytest.param({"onprem": INCIDENT}, None, id="what the pools imply"),
        pytest.param({"plain": SNAP}, NOTHING, id="the incident's values on a plain snap"),
    ],
)
def test_right_paths_are_clean_in_both(both: Callable[..., Both], pools: Any, values: Any) -> None:
    ran = both(on(pools, values))
    ran.agree()
    assert (ran.cli.exit_code, ran.embedded.exit_code) == (0, 0)
    assert ran.embedded.report["evaluated"]["verdicts"] > 0


def in_shapes(socket: str | None) -> Make:
    config = {"shapes:config": OURS.config, "shapes:socket": socket, **projects.fleet({"onprem": INCIDENT})}
    return lambda folder: projects.shapes(folder, config)


def test_every_shape_of_inputs_is_the_same(both: Callable[..., Both]) -> None:
    """Unknowns and secrets stand in the same positions, and nothing of a secret is in either's words."""
    ran = both(in_shapes(OURS.socket))
    ran.agree()
    written = str(ran.embedded.report) + ran.cli.output
    assert "(unknown)" in written
    assert "(secret)" in written
    assert "hush" not in written


def test_an_unknown_socket_is_unknown_in_both(both: Callable[..., Both]) -> None:
    ran = both(in_shapes("(output)"))
    ran.agree()
    assert ran.verdicts(RULE) == {"unknown"}
    assert ran.levels(RULE) == {"mandatory"}
    assert f"{RULE}: cannot be verified yet: {SOCKET} is not known" in ran.cli.output
    assert (ran.cli.exit_code, ran.embedded.exit_code) == (1, 3)
