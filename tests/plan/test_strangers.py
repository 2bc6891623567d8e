"""Programs as others write them: what is found in them, where, and that nothing else is said."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.plan.programs import preview
from tests.run import run

PROGRAMS = Path(__file__).with_name("strangers")


@dataclass(frozen=True)
class Stranger:
    code: int
    options: tuple[str, ...] = ()
    # Where what is found, by rule.
    fails: dict[str, list[str]] = field(default_factory=dict)
    # How many rules can't tell, at which line.
    unknown: dict[str, int] = field(default_factory=dict)
    not_judged: dict[str, int] = field(default_factory=dict)


STRANGERS = {
    "asked-of-aws": Stranger(0),
    "bastion-beside-eks": Stranger(0, ("--rule", "node-ports-open", "--rule", "not-open-to-the-world")),
    "in-a-shared-network": Stranger(
        3,
        ("--no-simulate",),
        {"failure-is-loud": ["__main__.py:32"]},
        {"__main__.py:6": 1, "__main__.py:18": 1},
    ),
    "k3s-from-templates": Stranger(
        1,
        fails={
            "no-secret-in-plain-sight": ["__main__.py:55", "__main__.py:55", "__main__.py:48"],
        },
        not_judged={"random": 1},
    ),
    "kubernetes-alone": Stranger(
        1, fails={"gpu-fits-a-node": ["__main__.py:5"], "pod-can-use-gpus": ["__main__.py:4", "__main__.py:5"]}
    ),
    "managed-nodes": Stranger(0),
    "one-file": Stranger(3, unknown={"infra/app.py:57": 2, "infra/app.py:22": 1}),
    "other-clouds": Stranger(3, ("--no-simulate",), not_judged={"azure-native": 1, "gcp": 2}),
    "other-stacks": Stranger(3, ("--no-simulate",), unknown={"__main__.py:40": 25}),
    "remote-component": Stranger(3, ("--no-simulate",), unknown={"__main__.py:17": 1, "__main__.py:20": 1}),
}


@pytest.mark.parametrize("name", sorted(STRANGERS))
def test_a_strangers_program(name: str) -> None:
    expected = STRANGERS[name]
    ran = preview(PROGRAMS / name, *expected.options)
    assert "Traceback" not in ran.err
    fails: dict[str, list[str]] = {}
    unknown: dict[str, int] = {}
    for each in ran.findings:
        line = f"{each['where'].get('path')}:{each['where'].get('line')}"
        if each["verdict"] == "fail":
            fails.setdefault(each["rule"], []).append(line)
        else:
            assert each["verdict"] == "unknown"
            unknown[line] = unknown.get(line, 0) + 1
    assert (fails, unknown) == (expected.fails, expected.unknown)
    assert ran.report["preview"]["notJudged"] == expected.not_judged
    assert ran.code == expected.code


def test_every_program_is_tried() -> None:
    assert sorted(each.name for each in PROGRAMS.iterdir()) == sorted(STRANGERS)


def test_what_many_rules_can_not_tell_is_said_once() -> None:
    ran = run("preview", "--no-simulate", "--no-color", cwd=PROGRAMS / "other-stacks")
    assert ran.code == 3
    assert ran.out.count("for one reason: it is known only after deployment") == 1
    assert "unknown to 21 rules\n" in ran.out
    assert "kubelet-survives-reboot" in ran.out


def test_what_is_not_judged_is_counted() -> None:
    ran = run("preview", "--no-simulate", "--no-color", cwd=PROGRAMS / "other-clouds")
    assert "not judged, being of providers that no rule is about: 1 of azure-native, 2 of gcp" in ran.out
    assert "nothing was evaluated" in ran.out
